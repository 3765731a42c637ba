#include "partition/planner.hpp"

#include <algorithm>
#include <queue>

#include "base/effort.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

// Of a local step, in bytes. Values below `small` elements are written for nothing.
constexpr double per_step = 1e-3, small = 16384;
constexpr double no_way = 1e30;
// On meshes of more axes ways are searched over groups of axes, of which so many are searched together.
constexpr std::size_t most_together = 4;

std::size_t axes_of(const Mesh& mesh) {
  std::size_t out = 0;
  for (int a = 0; a < mesh.ndim(); ++a) out += mesh.shape()[a] > 1;
  return out;
}

}  // namespace

// Parts are looked at where the layouts of a small value are some thousand at most.
Planner::Planner(Mesh mesh, bool parts)
    : mesh_(std::move(mesh)),
      parts_(parts),
      prices_(std::make_shared<const Prices>(Prices::of(mesh_))),
      in_groups_(axes_of(mesh_) > most_together),
      groups_(mesh_, *prices_) {
  constexpr std::size_t most_parts = 4;
  std::size_t n = 0;
  for (int a = 0; a < mesh_.ndim(); ++a) n += prime_parts(whole_axis(mesh_, a)).size();
  parts_ = parts && n <= most_parts;
}

Valued Planner::valued(const Sizes& sizes) { return valued(sizes, false); }
Valued Planner::valued(const Sizes& sizes, bool parts) {
  std::vector<std::int64_t> extents = LayoutSpace::extents_of(mesh_, sizes.shape);
  for (std::size_t d = 0; d < sizes.sets.size(); ++d)
    if (sizes.sets[d]) extents[d] = LayoutSpace::set_like;
  const auto elements = static_cast<double>(sizes.shape.num_elements());
  return {space(std::move(extents), parts, {}), elements * static_cast<double>(sizes.item),
          elements > small ? elements : 0};
}

int Planner::space(std::vector<std::int64_t> extents, bool parts, std::vector<AxisRefs> groups) {
  const auto [at, fresh] =
      by_extents_.try_emplace({std::move(extents), parts, std::move(groups)}, static_cast<int>(spaces_.size()));
  if (!fresh) return at->second;
  const auto& [of_extents, with_parts, of_groups] = at->first;
  spaces_.push_back(std::make_unique<Kept>());
  spaces_.back()->space = of_groups.empty() ? std::make_unique<LayoutSpace>(mesh_, prices_, of_extents, with_parts)
                                            : std::make_unique<LayoutSpace>(of_groups, prices_, of_extents);
  return at->second;
}

// All shortest ways from one layout. Layouts become known as they are reached.
Planner::Ways Planner::search(const Valued& value, int from, int goal) {
  LayoutSpace& space = *spaces_[value.space]->space;
  Ways out;
  auto know = [&](int id) {
    if (static_cast<int>(out.cost.size()) > id) return;
    const auto n = static_cast<std::size_t>(std::max(id + 1, space.size()));
    out.cost.resize(n, 2 * no_way);
    out.before.resize(n, -1);
    out.step.resize(n, -1);
  };
  const double per_written = prices_->element() * value.elements;
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::vector<char> permuted;  // by LayoutSpace::permuted_alike: from the first of them all were reached
  know(from);
  out.cost[from] = 0;
  queue.push({0, from});
  while (!queue.empty()) {
    const auto [cost, id] = queue.top();
    queue.pop();
    if (id == goal) break;
    if (cost > out.cost[id]) continue;
    const std::vector<LayoutSpace::Step>& steps = space.steps(id);
    know(space.size() - 1);
    const auto alike = static_cast<std::size_t>(space.permuted_alike(id));
    if (permuted.size() <= alike) permuted.resize(2 * alike + 16, 0);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const LayoutSpace::Step& step = steps[i];
      if (step.kind == Move::Kind::permute && permuted[alike]) break;  // permutes come last
      ++effort;
      const double to = cost + step.price * value.bytes + step.fixed + per_step + step.held * per_written;
      if (out.cost[step.to] <= to) continue;
      out.cost[step.to] = to;
      out.before[step.to] = id;
      out.step[step.to] = static_cast<int>(i);
      queue.push({to, step.to});
    }
    permuted[alike] = 1;
  }
  out.state = space.state();
  return out;
}

const Planner::Ways& Planner::ways(const Valued& value, int representative) {
  Kept& kept = *spaces_[value.space];
  const std::tuple key(representative, value.bytes, value.elements);
  auto known = kept.ways.find(key);
  if (known == kept.ways.end() || known->second.state != kept.space->state())
    known = kept.ways.insert_or_assign(key, search(value, representative)).first;
  return known->second;
}

double Planner::Ways::to(int id) const { return id < static_cast<int>(cost.size()) ? cost[id] : 2 * no_way; }

// Over all axes of its space.
double Planner::cost_on_all(const Valued& value, int from, int to) {
  if (from == to) return 0;
  LayoutSpace& space = *spaces_[value.space]->space;
  const LayoutSpace::Renamed first = space.representative(from);
  return ways(value, first.id).to(space.renamed(to, first.renaming));
}

// The part of it that the axes cut which take no part in the pair.
Valued Planner::part(const Valued& value, std::vector<std::int64_t> extents, std::vector<AxisRefs> groups,
                     double share) {
  return {space(std::move(extents), false, std::move(groups)), value.bytes * share, value.elements * share};
}

// Empty where all groups are searched together.
std::vector<Layout> Planner::legs(const Valued& value, const GroupedPair& pair, int from, int to) const {
  if (pair.groups.size() <= most_together) return {};
  const LayoutSpace& space = *spaces_[value.space]->space;
  std::vector<Layout> out = groups_.one_by_one(space.extents(), pair, space.layout(from), space.layout(to));
  return out.size() > 2 ? out : std::vector<Layout>{};
}

double Planner::cost_in_groups(const Valued& value, int from, int to) {
  if (from == to) return 0;
  std::unordered_map<std::int64_t, double>& known = spaces_[value.space]->grouped[{value.bytes, value.elements}];
  const std::int64_t key = (std::int64_t{from} << 32) + to;
  if (const auto at = known.find(key); at != known.end()) return at->second;
  const LayoutSpace& space = *spaces_[value.space]->space;
  GroupedPair pair = groups_.pair(space.extents(), space.layout(from), space.layout(to));
  double out = 0;
  if (const std::vector<Layout> legs = this->legs(value, pair, from, to); !legs.empty()) {
    for (std::size_t k = 1; k < legs.size(); ++k)
      out += cost_in_groups(value, id(value, legs[k - 1]), id(value, legs[k]));
  } else {
    const Valued part = this->part(value, std::move(pair.extents), std::move(pair.groups), pair.share);
    out = cost_on_all(part, id(part, pair.from), id(part, pair.to));
  }
  return known[key] = out;
}

Path Planner::path_in_groups(const Valued& value, int from, int to) {
  Path out;
  if (from == to) return out;
  const LayoutSpace& space = *spaces_[value.space]->space;
  const GroupedPair pair = groups_.pair(space.extents(), space.layout(from), space.layout(to));
  if (const std::vector<Layout> legs = this->legs(value, pair, from, to); !legs.empty()) {
    for (std::size_t k = 1; k < legs.size(); ++k) {
      const Path leg = path_in_groups(value, id(value, legs[k - 1]), id(value, legs[k]));
      out.cost += leg.cost;
      out.bytes += leg.bytes;
      out.moves.insert(out.moves.end(), leg.moves.begin(), leg.moves.end());
    }
    return out;
  }
  const Valued part = this->part(value, pair.extents, pair.groups, pair.share);
  Path found = path_on_all(part, id(part, pair.from), id(part, pair.to));
  out.cost = found.cost;
  out.bytes = found.bytes;
  Layout before = pair.from;
  for (const Move& move : found.moves) {
    for (Move& m : ungrouped(pair, before, move)) out.moves.push_back(std::move(m));
    before = move.after;
  }
  return out;
}

double Planner::cost(const Valued& value, int from, int to) {
  const double out = in_groups_ ? cost_in_groups(value, from, to) : cost_on_all(value, from, to);
  if (out < no_way) return out;
  const LayoutSpace& space = *spaces_[value.space]->space;
  throw InternalError("no way from " + str(space.layout(from), mesh_) + " to " + str(space.layout(to), mesh_));
}

void Planner::costs(const Valued& value, int from, const std::vector<int>& to, double times, std::vector<double>& out) {
  if (in_groups_) {
    for (int t : to) {
      const double cost = cost_in_groups(value, from, t);
      out.push_back(cost < no_way ? times * cost : no_way);
    }
    return;
  }
  LayoutSpace& space = *spaces_[value.space]->space;
  const LayoutSpace::Renamed first = space.representative(from);
  const Ways& known = ways(value, first.id);
  for (int t : to) {
    const double cost = known.to(space.renamed(t, first.renaming));
    out.push_back(from == t ? 0 : cost < no_way ? times * cost : no_way);
  }
}

double Planner::cost(const Layout& from, const Layout& to, const Sizes& sizes) {
  const Valued value = valued(sizes);
  return cost(value, id(value, from), id(value, to));
}

// Whether every dim that is cut divides into blocks of any size.
bool Planner::may_use_parts(const Layout& layout, const Shape& shape) const {
  const std::vector<std::int64_t> extents = LayoutSpace::extents_of(mesh_, shape);
  for (int d = 0; d < layout.ndim(); ++d)
    if (!layout.dims[d].empty() && extents[d] != 0) return false;
  return true;
}

// The way that `ways` found from `first` on, with the names that axes had.
Path Planner::found(const Valued& value, const Ways& ways, const LayoutSpace::Renamed& first, int goal) {
  LayoutSpace& space = *spaces_[value.space]->space;
  Path out;
  out.cost = ways.to(goal);
  const int back = space.inverse(first.renaming);
  if (out.cost >= no_way)
    throw InternalError("no way from " + str(space.layout(space.renamed(first.id, back)), mesh_) + " to " +
                        str(space.layout(space.renamed(goal, back)), mesh_));
  for (int at = goal; at != first.id; at = ways.before[at]) {
    LayoutSpace::Step step = space.steps(ways.before[at])[static_cast<std::size_t>(ways.step[at])];
    out.bytes += step.received * value.bytes;
    step.to = space.renamed(step.to, back);
    out.moves.push_back(space.move(space.renamed(ways.before[at], back), step));
  }
  std::reverse(out.moves.begin(), out.moves.end());
  return out;
}

Path Planner::path_on_all(const Valued& value, int from, int to) {
  LayoutSpace& space = *spaces_[value.space]->space;
  const LayoutSpace::Renamed first = space.representative(from);
  return found(value, ways(value, first.id), first, space.renamed(to, first.renaming));
}

Path Planner::path(const Layout& from, const Layout& to, const Sizes& sizes) {
  const Valued value = valued(sizes);
  const int start = id(value, from), goal = id(value, to);
  if (start == goal) return {};
  if (in_groups_) return path_in_groups(value, start, goal);
  Path out = path_on_all(value, start, goal);
  const auto collectives =
      std::count_if(out.moves.begin(), out.moves.end(), [](const Move& m) { return is_collective(m.kind); });
  const bool sets = std::any_of(sizes.sets.begin(), sizes.sets.end(), [](char s) { return s != 0; });
  if (!parts_ || sets || collectives < 2 || !may_use_parts(from, sizes.shape) || !may_use_parts(to, sizes.shape))
    return out;
  const Valued finer = valued(sizes, true);
  const int first = id(finer, from), last = id(finer, to);
  Path other = found(finer, search(finer, first, last), {first, 0}, last);
  return other.cost < out.cost * (1 - 1e-9) ? other : out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
