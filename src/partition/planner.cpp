#include "partition/planner.hpp"

#include <algorithm>
#include <queue>

#include "tutti/base/error.hpp"

namespace tutti {
namespace {

// In bytes: of a collective, of a local step, of an element that is written. Values below `small` are written for
// nothing.
constexpr double per_collective = 16, per_step = 1e-3, per_element = 0.001, small = 16384;
constexpr double no_way = 1e30;

double price(double received, double collectives, double written, double bytes, double elements) {
  return received * bytes + per_collective * collectives + per_step +
         (elements > small ? per_element * written * elements : 0);
}

}  // namespace

Valued Planner::valued(const Sizes& sizes) {
  auto [at, fresh] =
      by_extents_.try_emplace(LayoutSpace::extents_of(mesh_, sizes.shape), static_cast<int>(spaces_.size()));
  if (fresh) spaces_.push_back({std::make_unique<LayoutSpace>(mesh_, at->first), {}});
  const auto elements = static_cast<double>(sizes.shape.num_elements());
  return {at->second, elements * static_cast<double>(sizes.item), elements};
}

// All shortest ways from one layout. Layouts become known as they are reached.
Planner::Ways Planner::search(const Valued& value, int from) {
  LayoutSpace& space = *spaces_[value.space].space;
  Ways out;
  auto at = [&](int id) -> Reached& {
    if (static_cast<int>(out.to.size()) <= id) out.to.resize(static_cast<std::size_t>(std::max(id + 1, space.size())));
    return out.to[static_cast<std::size_t>(id)];
  };
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  at(from).weight = 0;
  queue.push({0, from});
  while (!queue.empty()) {
    const auto [weight, id] = queue.top();
    queue.pop();
    if (weight > at(id).weight) continue;
    const Reached here = at(id);
    for (const LayoutSpace::Step& step : space.steps(id)) {
      const double sends = is_collective(step.kind) ? 1 : 0, written = space.held(step.to);
      const double to = weight + price(step.received, sends, written, value.bytes, value.elements);
      Reached& there = at(step.to);
      if (there.weight >= 0 && there.weight <= to) continue;
      there = {here.received + step.received, here.collectives + sends, here.written + written, to, id, step};
      queue.push({to, step.to});
    }
  }
  out.state = space.state();
  return out;
}

const Planner::Ways& Planner::ways(const Valued& value, int from) {
  Kept& kept = spaces_[value.space];
  const std::tuple key(from, value.bytes, value.elements);
  auto known = kept.ways.find(key);
  if (known == kept.ways.end() || known->second.state != kept.space->state())
    known = kept.ways.insert_or_assign(key, search(value, from)).first;
  return known->second;
}

const Planner::Reached* Planner::Ways::find(int id) const {
  return static_cast<int>(to.size()) > id && to[id].weight >= 0 ? &to[id] : nullptr;
}

const Planner::Reached& Planner::reach(const Valued& value, int from, int to) {
  if (const Reached* r = ways(value, from).find(to)) return *r;
  const LayoutSpace& space = *spaces_[value.space].space;
  throw InternalError("no way from " + str(space.layout(from), mesh_) + " to " + str(space.layout(to), mesh_));
}

double Planner::cost(const Valued& value, int from, int to) {
  if (from == to) return 0;
  const Reached& r = reach(value, from, to);
  return price(r.received, r.collectives, r.written, value.bytes, value.elements);
}

void Planner::costs(const Valued& value, int from, const std::vector<int>& to, double times, std::vector<double>& out) {
  const Ways& known = ways(value, from);
  for (int t : to) {
    const Reached* r = known.find(t);
    out.push_back(from == t ? 0
                  : r       ? times * price(r->received, r->collectives, r->written, value.bytes, value.elements)
                            : no_way);
  }
}

double Planner::cost(const Layout& from, const Layout& to, const Sizes& sizes) {
  const Valued value = valued(sizes);
  return cost(value, id(value, from), id(value, to));
}

Path Planner::path(const Layout& from, const Layout& to, const Sizes& sizes) {
  const Valued value = valued(sizes);
  const int start = id(value, from), goal = id(value, to);
  Path out;
  if (start == goal) return out;
  LayoutSpace& space = *spaces_[value.space].space;
  out.cost = cost(value, start, goal);
  out.bytes = reach(value, start, goal).received * value.bytes;
  for (int at = goal; at != start;) {
    const Reached here = reach(value, start, at);
    out.moves.push_back(space.move(here.parent, here.by));
    at = here.parent;
  }
  std::reverse(out.moves.begin(), out.moves.end());
  return out;
}

}  // namespace tutti
