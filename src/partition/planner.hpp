// Resharding: the cheapest sequence of moves between two layouts of one value, by shortest path, memoised.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "mesh/layout.hpp"

namespace tutti {

/// One step between two layouts. Axes are whole mesh axes, major first.
struct Move {
  enum class Kind { slice, mask, all_gather, all_reduce, reduce_scatter, all_to_all, permute };
  Kind kind = Kind::slice;
  AxisRefs axes;
  int from_dim = -1;  // all_gather, all_to_all: the dim that loses its last axes
  int to_dim = -1;    // slice, reduce_scatter, all_to_all: the dim at whose end they appear
  Layout after;
};
const char* name(Move::Kind kind);
bool is_collective(Move::Kind kind);

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

class Planner {
 public:
  explicit Planner(Mesh mesh) : mesh_(std::move(mesh)) {}
  /// Always exists: at worst everything is gathered.
  const Path& path(const Layout& from, const Layout& to, const Sizes& sizes);
  const Mesh& mesh() const { return mesh_; }

 private:
  Mesh mesh_;
  using Key = std::tuple<std::string, std::string, std::vector<std::int64_t>, std::int64_t>;
  std::map<Key, Path> memo_;
};

}  // namespace tutti
