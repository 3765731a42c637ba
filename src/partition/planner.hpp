// Resharding: the cheapest sequence of moves between two layouts of one value. One search from a layout finds the ways
// to all others (Dijkstra), for values of about one size; searches are kept. Moves are of whole axes; a way of several
// collectives is looked for once more among moves of parts of axes. On meshes of many axes, those that move together
// are one (partition/axis_groups.hpp), and where still many groups move they do so one after the other: then the way
// may cost more than the cheapest.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "partition/axis_groups.hpp"
#include "partition/layout_space.hpp"

namespace tutti {

struct Path {
  double cost = 0;   // as Prices say
  double bytes = 0;  // received per device
  std::vector<Move> moves;
};

/// What a value looks like, as far as prices are concerned.
struct Sizes {
  Shape shape;
  std::int64_t item = 4;
  std::vector<char> sets = {};  // by dim: whether axes cut it as a set (partition/homes.hpp); empty: none
};

/// A value's space, and its size there: what prices are asked for.
struct Valued {
  int space = 0;
  double bytes = 0;
  double elements = 0;  // of which each that is written has a price: none of a small value
};

class Planner {
 public:
  /// With `parts`, paths may use parts of axes.
  explicit Planner(Mesh mesh, bool parts = false);
  const Mesh& mesh() const { return mesh_; }
  /// Those of the machine as it is when the planner is made.
  const std::shared_ptr<const Prices>& prices() const { return prices_; }

  /// The way between two layouts of a value. Always exists: at worst everything is gathered.
  Path path(const Layout& from, const Layout& to, const Sizes& sizes);
  double cost(const Layout& from, const Layout& to, const Sizes& sizes);

  /// The same by numbers, for those who ask often.
  Valued valued(const Sizes& sizes);
  int id(const Valued& value, const Layout& layout) { return spaces_[value.space]->space->id(layout); }
  const Layout& layout(const Valued& value, int id) const { return spaces_[value.space]->space->layout(id); }
  double cost(const Valued& value, int from, int to);
  /// Changes when costs of values of this size do.
  int state(const Valued& value) const { return spaces_[value.space]->space->state(); }
  /// Appends the costs to get from a layout to others, each `times` over. What cannot be reached (partial maxima from
  /// anything else) costs more than anything.
  void costs(const Valued& value, int from, const std::vector<int>& to, double times, std::vector<double>& out);

 private:
  // How layouts are best reached from one: what that costs (more than `no_way` where there is no way), the layout
  // before, and which of its steps it is.
  struct Ways {
    std::vector<double> cost;
    std::vector<int> before, step;
    int state = 0;  // of the space when it was searched
    double to(int id) const;
  };
  struct Kept {
    std::unique_ptr<LayoutSpace> space;
    std::map<std::tuple<int, double, double>, Ways> ways;  // by layout, bytes and elements of the value
    // Costs over groups, by bytes and elements of the value and both layouts.
    std::map<std::pair<double, double>, std::unordered_map<std::int64_t, double>> grouped = {};
  };
  // From the representative of a layout.
  const Ways& ways(const Valued& value, int representative);
  // Until `goal` is reached; all of them where it is -1.
  Ways search(const Valued& value, int from, int goal = -1);
  Valued valued(const Sizes& sizes, bool parts);
  Path found(const Valued& value, const Ways& ways, const LayoutSpace::Renamed& first, int goal);
  bool may_use_parts(const Layout& layout, const Shape& shape) const;
  int space(std::vector<std::int64_t> extents, bool parts, std::vector<AxisRefs> groups);
  double cost_on_all(const Valued& value, int from, int to);
  double cost_in_groups(const Valued& value, int from, int to);
  Path path_on_all(const Valued& value, int from, int to);
  Path path_in_groups(const Valued& value, int from, int to);
  std::vector<Layout> legs(const Valued& value, const GroupedPair& pair, int from, int to) const;
  Valued part(const Valued& value, std::vector<std::int64_t> extents, std::vector<AxisRefs> groups, double share);

  Mesh mesh_;
  bool parts_;
  std::shared_ptr<const Prices> prices_;
  bool in_groups_;
  AxisGroups groups_;
  std::vector<std::unique_ptr<Kept>> spaces_;
  std::map<std::tuple<std::vector<std::int64_t>, bool, std::vector<AxisRefs>>, int> by_extents_;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
