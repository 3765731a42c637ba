// Resharding: the cheapest sequence of moves between two layouts of one value. One search from a layout finds the ways
// to all others (Dijkstra), for values of about one size; searches are kept.
#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "partition/layout_space.hpp"

namespace tutti {

struct Path {
  double cost = 0;   // bytes, with small prices for collectives and local work that break ties
  double bytes = 0;  // received per device
  std::vector<Move> moves;
};

/// What a value looks like, as far as prices are concerned.
struct Sizes {
  Shape shape;
  std::int64_t item = 4;
};

/// A value's space, and its size there: what prices are asked for.
struct Valued {
  int space = 0;
  double bytes = 0;
  double elements = 0;
};

class Planner {
 public:
  explicit Planner(Mesh mesh) : mesh_(std::move(mesh)) {}
  const Mesh& mesh() const { return mesh_; }

  /// The way between two layouts of a value. Always exists: at worst everything is gathered.
  Path path(const Layout& from, const Layout& to, const Sizes& sizes);
  double cost(const Layout& from, const Layout& to, const Sizes& sizes);

  /// The same by numbers, for those who ask often.
  Valued valued(const Sizes& sizes);
  int id(const Valued& value, const Layout& layout) { return spaces_[value.space].space->id(layout); }
  const Layout& layout(const Valued& value, int id) const { return spaces_[value.space].space->layout(id); }
  double cost(const Valued& value, int from, int to);
  /// Appends the costs to get from a layout to others, each `times` over. What cannot be reached (partial maxima from
  /// anything else) costs more than anything.
  void costs(const Valued& value, int from, const std::vector<int>& to, double times, std::vector<double>& out);

 private:
  // How a layout is best reached, in shares of a value.
  struct Reached {
    double received = 0, collectives = 0, written = 0, weight = -1;
    int parent = -1;
    LayoutSpace::Step by = {};
  };
  struct Ways {
    std::vector<Reached> to;  // by layout
    int state = 0;            // of the space when it was searched
    const Reached* find(int id) const;
  };
  struct Kept {
    std::unique_ptr<LayoutSpace> space;
    std::map<std::tuple<int, double, double>, Ways> ways;  // by layout, bytes and elements of the value
  };
  const Ways& ways(const Valued& value, int from);
  const Reached& reach(const Valued& value, int from, int to);
  Ways search(const Valued& value, int from);

  Mesh mesh_;
  std::vector<Kept> spaces_;
  std::map<std::vector<std::int64_t>, int> by_extents_;
};

}  // namespace tutti
