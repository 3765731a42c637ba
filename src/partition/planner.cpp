#include "partition/planner.hpp"

#include <algorithm>
#include <queue>

#include "ops/collective/collective.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

constexpr double per_collective = 16, per_element = 0.001;

// Bytes that a device receives from an operand of `bytes` in a group of `n`.
double received(const Op& collective, double bytes, double n) {
  return collective.collective->received(bytes, n).bytes;
}

Layout normal(Layout l) {
  std::sort(l.pending.begin(), l.pending.end());
  if (l.pending.empty()) l.pending_kind = Reduce::sum;
  return l;
}

bool contains(const AxisRefs& refs, const AxisRef& r) { return std::find(refs.begin(), refs.end(), r) != refs.end(); }

// A short text that tells layouts over whole axes apart: the key of the memo and of visited states.
std::string key(const Layout& l) {
  std::string out;
  for (const AxisRefs& refs : l.dims) {
    for (const AxisRef& r : refs) out += static_cast<char>('a' + r.axis);
    out += ',';
  }
  if (!l.pending.empty()) {
    out += static_cast<char>('0' + static_cast<int>(l.pending_kind));
    for (const AxisRef& r : l.pending) out += static_cast<char>('a' + r.axis);
  }
  return out;
}

struct Search {
  const Mesh& mesh;
  const Layout& target;
  const Sizes& sizes;
  std::vector<std::pair<Move, double>> out;  // moves from the present state with their bytes

  double elements(const Layout& l) const { return static_cast<double>(block_shape(l, sizes.shape).num_elements()); }
  void add(Move::Kind kind, AxisRefs axes, int from_dim, int to_dim, Layout after, double bytes) {
    out.push_back({Move{kind, std::move(axes), from_dim, to_dim, normal(std::move(after))}, bytes});
  }
  void expand(const Layout& s) {
    out.clear();
    int rank = s.ndim();
    double local = elements(s) * static_cast<double>(sizes.item);
    for (const AxisRef& a : free_axes(s, mesh)) {
      if (a.size == 1) continue;
      for (int d = 0; d < rank; ++d) {
        if (!contains(target.dims[d], a) && sizes.shape[d] < s.ways(d) * a.size) continue;
        Layout next = s;
        next.dims[d].push_back(a);
        add(Move::Kind::slice, {a}, -1, d, next, 0);
      }
      if (contains(target.pending, a) && target.pending_kind == Reduce::sum &&
          (s.pending.empty() || s.pending_kind == Reduce::sum)) {
        Layout next = s;
        next.pending.push_back(a);
        add(Move::Kind::mask, {a}, -1, -1, next, 0);
      }
    }
    for (int d = 0; d < rank; ++d)
      for (std::size_t keep = 0; keep < s.dims[d].size(); ++keep) {
        AxisRefs suffix(s.dims[d].begin() + static_cast<std::ptrdiff_t>(keep), s.dims[d].end());
        auto n = static_cast<double>(ways(suffix));
        Layout gathered = s;
        gathered.dims[d].resize(keep);
        add(Move::Kind::all_gather, suffix, d, -1, gathered, received(ops::all_gather, local, n));
        for (int t = 0; t < rank; ++t) {
          if (t == d || sizes.shape[t] < s.ways(t) * ways(suffix)) continue;
          Layout moved = gathered;
          moved.dims[t].insert(moved.dims[t].end(), suffix.begin(), suffix.end());
          // Every device cuts dim t of its block into pieces of the new extent, and keeps one of them.
          Shape operand = block_shape(s, sizes.shape);
          operand[t] = block_shape(moved, sizes.shape)[t] * ways(suffix);
          double sent = static_cast<double>(operand.num_elements() * sizes.item);
          add(Move::Kind::all_to_all, suffix, d, t, moved, received(ops::all_to_all, sent, n));
        }
      }
    if (!s.pending.empty()) expand_pending(s, local);
    if (divides(s, sizes.shape)) permuted(s, 0, Layout::replicated(rank), local);
  }

  // A permute reaches every layout with as many blocks along each dim: the axes of dims d, d + 1, ... are still to be
  // chosen.
  void permuted(const Layout& s, int d, Layout so_far, double local) {
    if (d == s.ndim()) {
      so_far.pending = s.pending;
      so_far.pending_kind = s.pending_kind;
      if (!(so_far == s)) add(Move::Kind::permute, {}, -1, -1, std::move(so_far), received(ops::ppermute, local, 1));
      return;
    }
    if (so_far.ways(d) == s.ways(d)) return permuted(s, d + 1, so_far, local);
    for (int a = 0; a < mesh.ndim(); ++a) {
      AxisRef axis = whole_axis(mesh, a);
      bool used = contains(s.pending, axis) || axis.size == 1 || s.ways(d) % (so_far.ways(d) * axis.size) != 0;
      for (const AxisRefs& refs : so_far.dims) used = used || contains(refs, axis);
      if (used) continue;
      so_far.dims[d].push_back(axis);
      permuted(s, d, so_far, local);
      so_far.dims[d].pop_back();
    }
  }

  void expand_pending(const Layout& s, double local) {
    std::size_t n = s.pending.size();
    for (std::size_t set = 1; set < (std::size_t{1} << n); ++set) {
      AxisRefs chosen;
      Layout rest = s;
      rest.pending.clear();
      for (std::size_t i = 0; i < n; ++i) (set >> i & 1 ? chosen : rest.pending).push_back(s.pending[i]);
      auto group = static_cast<double>(ways(chosen));
      add(Move::Kind::all_reduce, chosen, -1, -1, rest, received(ops::psum, local, group));
      if (s.pending_kind != Reduce::sum) continue;
      for (int d = 0; d < s.ndim(); ++d) {
        if (sizes.shape[d] < s.ways(d) * ways(chosen)) continue;
        AxisRefs order = chosen;
        do {
          Layout scattered = rest;
          scattered.dims[d].insert(scattered.dims[d].end(), order.begin(), order.end());
          double after = elements(scattered) * static_cast<double>(sizes.item);
          add(Move::Kind::reduce_scatter, order, -1, d, scattered, received(ops::reduce_scatter, after * group, group));
        } while (std::next_permutation(order.begin(), order.end()));
      }
    }
  }
};

Path shortest(const Mesh& mesh, const Layout& from, const Layout& to, const Sizes& sizes) {
  struct Node {
    Layout layout;
    double cost, bytes;
    int parent;
    Move by;
    bool done = false;
  };
  std::vector<Node> nodes;
  std::map<std::string, int> known;
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  Layout start = normal(from), goal = normal(to);
  nodes.push_back({start, 0, 0, -1, {}});
  known[key(start)] = 0;
  queue.push({0, 0});
  Search search{mesh, goal, sizes, {}};
  while (!queue.empty()) {
    auto [cost, at] = queue.top();
    queue.pop();
    if (nodes[at].done) continue;
    nodes[at].done = true;
    if (nodes[at].layout == goal) {
      Path path{cost, nodes[at].bytes, {}};
      for (int i = at; nodes[i].parent >= 0; i = nodes[i].parent) path.moves.push_back(nodes[i].by);
      std::reverse(path.moves.begin(), path.moves.end());
      return path;
    }
    Layout present = nodes[at].layout;
    search.expand(present);
    for (auto& [move, bytes] : search.out) {
      double price =
          cost + bytes + (is_collective(move.kind) ? per_collective : 0) + per_element * search.elements(move.after);
      auto [it, fresh] = known.try_emplace(key(move.after), static_cast<int>(nodes.size()));
      if (fresh)
        nodes.push_back({move.after, price, nodes[at].bytes + bytes, at, move});
      else if (price < nodes[it->second].cost)
        nodes[it->second] = {move.after, price, nodes[at].bytes + bytes, at, move};
      else
        continue;
      queue.push({price, it->second});
    }
  }
  throw InternalError("no way from " + str(from, mesh) + " to " + str(to, mesh));
}

}  // namespace

const char* name(Move::Kind kind) {
  static constexpr const char* names[] = {"slice",          "mask",       "all_gather", "all_reduce",
                                          "reduce_scatter", "all_to_all", "permute"};
  return names[static_cast<int>(kind)];
}

bool is_collective(Move::Kind kind) { return kind != Move::Kind::slice && kind != Move::Kind::mask; }

const Path& Planner::path(const Layout& from, const Layout& to, const Sizes& sizes) {
  auto [it, fresh] = memo_.try_emplace(Key{key(from), key(to), sizes.shape.dims(), sizes.item});
  if (fresh) it->second = shortest(mesh_, from, to, sizes);
  return it->second;
}

}  // namespace tutti
