#include "partition/axis_groups.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace tutti {
namespace {

constexpr int pending = -1, nowhere = -2;

bool is_set(const std::vector<std::int64_t>& extents, int place) {
  return place >= 0 && extents[static_cast<std::size_t>(place)] == LayoutSpace::set_like;
}
bool is_ordered(const std::vector<std::int64_t>& extents, int place) { return place >= 0 && !is_set(extents, place); }

bool has(const AxisRefs& refs, const AxisRef& r) { return std::find(refs.begin(), refs.end(), r) != refs.end(); }
bool ends_with(const AxisRefs& refs, const AxisRefs& tail) {
  return tail.size() <= refs.size() && std::equal(tail.rbegin(), tail.rend(), refs.rbegin());
}
bool begins_with(const AxisRefs& refs, const AxisRefs& first) {
  return first.size() <= refs.size() && std::equal(first.begin(), first.end(), refs.begin());
}

AxisRefs& refs_at(Layout& layout, int place) { return place == pending ? layout.pending : layout.dims[place]; }

void remove(Layout& layout, int place, const AxisRefs& refs) {
  if (place == nowhere) return;
  std::erase_if(refs_at(layout, place), [&](const AxisRef& r) { return has(refs, r); });
}
void append(Layout& layout, int place, const AxisRefs& refs, bool sorted) {
  if (place == nowhere) return;
  AxisRefs& to = refs_at(layout, place);
  to.insert(to.end(), refs.begin(), refs.end());
  if (sorted) std::sort(to.begin(), to.end());
}

// The axes that stay where they are, whatever the others do, by axis; and the value that each of their blocks is.
void absorb(const Layout& from, const Layout& to, GroupedPair& out, std::vector<char>& fixed) {
  out.fixed = Layout::replicated(from.ndim());
  auto fix = [&](const AxisRef& r, int place) {
    fixed[static_cast<std::size_t>(r.axis)] = 1;
    refs_at(out.fixed, place).push_back(r);
  };
  for (int d = 0; d < from.ndim(); ++d) {
    const AxisRefs &a = from.dims[d], &b = to.dims[d];
    std::int64_t& extent = out.extents[static_cast<std::size_t>(d)];
    AxisRefs same;
    same.reserve(a.size());
    if (extent == LayoutSpace::set_like)
      std::copy_if(a.begin(), a.end(), std::back_inserter(same), [&](const AxisRef& r) { return has(b, r); });
    else
      same.assign(a.begin(), std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first);
    const std::int64_t n = ways(same);
    // Blocks of different sizes are cut further in their own way.
    if (extent > 0 && extent % n != 0) {
      if (a != b) continue;
      out.share *= static_cast<double>((extent + n - 1) / n) / static_cast<double>(extent);
      extent = 1;
    } else {
      out.share /= static_cast<double>(n);
      if (extent > 0) extent /= n;
    }
    for (const AxisRef& r : same) fix(r, d);
  }
  if (from.pending_kind != Reduce::sum || to.pending_kind != Reduce::sum) return;
  for (const AxisRef& r : from.pending)
    if (has(to.pending, r)) fix(r, pending);
}

}  // namespace

AxisGroups::AxisGroups(const Mesh& mesh, const Prices& prices) {
  for (int a = 0; a < mesh.ndim(); ++a) {
    auto link = [&](int axis) {
      const AxisRefs refs{whole_axis(mesh, axis)};
      return std::tuple(prices.byte(refs), prices.collective(1, refs));
    };
    if (mesh.shape()[a] > 1) axes_.push_back(whole_axis(mesh, a));
    int of_link = a, of_size = a;
    for (int b = a; b-- > 0;) {
      if (link(b) != link(a)) continue;
      of_link = b;
      if (mesh.shape()[b] == mesh.shape()[a]) of_size = b;
    }
    links_.push_back(of_link);
    sizes_.push_back(of_size);
  }
}

std::vector<AxisGroups::Spot> AxisGroups::spots(const Layout& layout) const {
  std::vector<Spot> out(sizes_.size(), {nowhere, 0});
  for (int d = 0; d < layout.ndim(); ++d)
    for (std::size_t i = 0; i < layout.dims[d].size(); ++i)
      out[static_cast<std::size_t>(layout.dims[d][i].axis)] = {d, static_cast<int>(i)};
  for (const AxisRef& r : layout.pending) out[static_cast<std::size_t>(r.axis)] = {pending, 0};
  return out;
}

// One behind the other in every list that has an order. An axis that goes from such a list to a set, or back, goes
// alone.
std::vector<AxisRefs> AxisGroups::groups(const std::vector<std::int64_t>& extents, const std::vector<Spot>& from,
                                         const std::vector<Spot>& to, const std::vector<char>& fixed) const {
  std::vector<AxisRefs> out;
  out.reserve(axes_.size());
  std::vector<char> taken = fixed;
  AxisRefs order = axes_;
  auto key = [&](const AxisRef& a) {
    const Spot &f = from[a.axis], &t = to[a.axis];
    auto index = [&](const Spot& s) { return is_ordered(extents, s.place) ? s.index : 0; };
    return std::tuple(f.place, t.place, index(f), index(t), a.axis);
  };
  std::sort(order.begin(), order.end(), [&](const AxisRef& a, const AxisRef& b) { return key(a) < key(b); });
  auto follows = [&](const AxisRef& a, const AxisRef& b) {
    const auto next = [&](const std::vector<Spot>& s) {
      const Spot &x = s[a.axis], &y = s[b.axis];
      return x.place == y.place && (!is_ordered(extents, x.place) || y.index == x.index + 1);
    };
    const int p = from[a.axis].place, q = to[a.axis].place;
    const bool alone = (is_set(extents, p) && is_ordered(extents, q)) || (is_ordered(extents, p) && is_set(extents, q));
    return !alone && links_[a.axis] == links_[b.axis] && next(from) && next(to);
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (taken[order[i].axis]) continue;
    out.push_back({order[i]});
    for (std::size_t k = i + 1; k < order.size(); ++k)
      if (!taken[order[k].axis] && follows(out.back().back(), order[k])) {
        out.back().push_back(order[k]);
        taken[order[k].axis] = 1;
      }
  }
  return out;
}

GroupedPair AxisGroups::pair(const std::vector<std::int64_t>& extents, const Layout& from, const Layout& to) const {
  GroupedPair out;
  out.extents = extents;
  std::vector<char> fixed(sizes_.size(), 0);
  absorb(from, to, out, fixed);
  out.names.resize(sizes_.size());
  out.members = groups(extents, spots(from), spots(to), fixed);
  std::stable_sort(out.members.begin(), out.members.end(), [&](const AxisRefs& a, const AxisRefs& b) {
    return std::lexicographical_compare(
        a.begin(), a.end(), b.begin(), b.end(),
        [&](const AxisRef& x, const AxisRef& y) { return sizes_[x.axis] < sizes_[y.axis]; });
  });
  std::vector<char> used(sizes_.size(), 0);
  std::vector<AxisRef> renamed(sizes_.size());
  out.groups.reserve(out.members.size());
  for (const AxisRefs& refs : out.members) {
    out.groups.emplace_back().reserve(refs.size());
    for (const AxisRef& r : refs) {
      const auto free = std::find_if(axes_.begin(), axes_.end(), [&](const AxisRef& a) {
        return !used[a.axis] && sizes_[a.axis] == sizes_[r.axis];
      });
      used[free->axis] = 1;
      renamed[r.axis] = *free;
      out.names[free->axis] = r;
      out.groups.back().push_back(*free);
    }
  }
  auto grouped = [&](const Layout& l) {
    Layout in = Layout::replicated(l.ndim());
    auto add = [&](const AxisRefs& refs, int place, bool sorted) {
      AxisRefs& list = refs_at(in, place);
      for (const AxisRef& r : refs)
        if (!fixed[r.axis]) list.push_back(renamed[r.axis]);
      if (sorted) std::sort(list.begin(), list.end());
    };
    for (int d = 0; d < l.ndim(); ++d) add(l.dims[d], d, is_set(extents, d));
    add(l.pending, pending, true);
    in.pending_kind = in.pending.empty() ? Reduce::sum : l.pending_kind;
    return in;
  };
  out.from = grouped(from);
  out.to = grouped(to);
  return out;
}

std::vector<Layout> AxisGroups::one_by_one(const std::vector<std::int64_t>& extents, const GroupedPair& pair,
                                           const Layout& from, const Layout& to) const {
  const std::vector<AxisRefs>& all = pair.members;
  const std::vector<Spot> last = spots(to);
  std::vector<Spot> at = spots(from);
  std::vector<Layout> out;
  out.reserve(all.size() + 2);
  out.push_back(from);
  Layout now = from;
  auto place = [&](const AxisRefs& group, const std::vector<Spot>& at) { return at[group[0].axis].place; };
  auto move = [&](const AxisRefs& group, int p, int q) {
    remove(now, p, group);
    append(now, q, group, !is_ordered(extents, q));
    for (const AxisRef& r : group) at[r.axis].place = q;
    if (now.pending.empty()) now.pending_kind = Reduce::sum;
    if (q == pending) now.pending_kind = to.pending_kind;
    out.push_back(now);
  };
  // How soon it should go; -1: it is there, or cannot go yet.
  auto urgency = [&](const AxisRefs& group, int p, int q) {
    if (p == q) return -1;
    if (is_ordered(extents, p) && !ends_with(now.dims[p], group)) return -1;
    if (is_ordered(extents, q)) {
      const auto n = static_cast<std::size_t>(last[group[0].axis].index);  // that come before it
      if (now.dims[q].size() != n || !begins_with(to.dims[q], now.dims[q])) return -1;
    }
    if (q >= 0) return p == nowhere ? 7 : p == pending ? 6 : 5;
    if (q == nowhere) return p == pending ? 4 : 3;
    return p == nowhere ? 2 : 1;
  };
  while (true) {
    const AxisRefs* next = nullptr;
    int most = -1;
    for (const AxisRefs& group : all)
      if (const int u = urgency(group, place(group, at), place(group, last)); u > most) {
        most = u;
        next = &group;
      }
    if (next) {
      move(*next, place(*next, at), place(*next, last));
      continue;
    }
    // What stands in the way.
    for (const AxisRefs& group : all) {
      const int p = place(group, at);
      if (!is_ordered(extents, p) || begins_with(to.dims[p], now.dims[p]) || !ends_with(now.dims[p], group)) continue;
      next = &group;
      break;
    }
    if (!next) break;
    move(*next, place(*next, at), nowhere);
  }
  if (!(now == to)) out.push_back(to);  // sums that become maxima: there is no such way
  return out;
}

Layout ungrouped(const GroupedPair& pair, const Layout& layout) {
  Layout out = pair.fixed;
  auto add = [&](const AxisRefs& refs, int place, bool sorted) {
    AxisRefs named;
    for (const AxisRef& r : refs) named.push_back(pair.names[r.axis]);
    append(out, place, named, sorted);
  };
  for (int d = 0; d < layout.ndim(); ++d) add(layout.dims[d], d, is_set(pair.extents, d));
  add(layout.pending, pending, true);
  if (!layout.pending.empty()) out.pending_kind = layout.pending_kind;
  return out;
}

std::vector<Move> ungrouped(const GroupedPair& pair, const Layout& before, const Move& move) {
  Move whole = move;
  for (AxisRef& r : whole.axes) r = pair.names[r.axis];
  whole.after = ungrouped(pair, move.after);
  const bool local = !is_collective(move.kind);
  if (!local || move.axes.size() == 1) return {whole};
  // The last axis of a dim leaves it first.
  AxisRefs order = whole.axes;
  if (move.kind == Move::Kind::embed) std::reverse(order.begin(), order.end());
  std::vector<Move> out;
  Layout now = ungrouped(pair, before);
  for (const AxisRef& r : order) {
    remove(now, move.from_dim >= 0 ? move.from_dim : nowhere, {r});
    const int to = move.kind == Move::Kind::slice ? move.to_dim : pending;
    append(now, to, {r}, to == pending || is_set(pair.extents, to));
    Move one = whole;
    one.axes = {r};
    one.after = now;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
