#include "tutti/scipy/ndimage.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/sorting.hpp"

namespace tutti {
namespace ndimage {
namespace {

// A position along one dim, whether it is inside, and how much it counts.
struct Node {
  Array at, valid, weight;
};

Array inside(const Array& i, std::int64_t n, Mode mode) {
  switch (mode) {
    case Mode::mirror: {
      const std::int64_t period = n > 1 ? 2 * (n - 1) : 1;
      return abs((i + (n - 1)) % period - (n - 1));
    }
    case Mode::reflect: return floor_divide(abs((2 * i + 1 + (2 * n - 1)) % (4 * n) - (2 * n - 1)), 2);
    case Mode::wrap: return i % n;
    default: return clip(i, 0, n - 1);
  }
}
Array rounded(const Array& x) { return where(x >= 0, floor(x + 0.5), ceil(x - 0.5)); }  // halves away from 0
std::vector<Node> nodes_of(const Array& coordinate, std::int64_t n, int order, Mode mode) {
  std::vector<Node> out;
  auto add = [&](const Array& at, const Array& weight) {
    const Array i = at.astype(int32);
    Array valid;
    if (mode == Mode::constant) valid = (i >= 0) & (i < n);
    out.push_back({inside(i, n, mode), valid, weight});
  };
  if (order == 0) {
    add(coordinate.dtype().is_inexact() ? rounded(coordinate) : coordinate, Array(1));
  } else {
    const Array low = floor(coordinate), upper = coordinate - low;
    add(low, 1 - upper);
    add(low + 1, upper);
  }
  return out;
}

}  // namespace

Array map_coordinates(const In& in, const ArrayList& coordinates, int order, const MapOptions& o) {
  CallScope scope(in.loc);
  const Array& x = in.array;
  const std::size_t dims = coordinates.arrays.size();
  if (static_cast<int>(dims) != x.ndim() || dims == 0)
    raise<ShapeError>("map_coordinates", std::to_string(dims) + " coordinates for " + type_text(x),
                      "Give an array for each dim.");
  if (order != 0 && order != 1)
    raise<ValueError>("map_coordinates", "the order is " + std::to_string(order), "Orders are 0 and 1.");
  if (x.size() == 0) raise<ShapeError>("map_coordinates", "the array is " + type_text(x), "Give one with elements.");
  std::vector<Array> places = coordinates.arrays;
  for (Array& c : places) {
    if (c.dtype().is_complex() || c.dtype() == bool_)
      raise<TypeError>("map_coordinates", "a coordinate is " + type_text(c), "Give real numbers.");
    if (order == 1) c = c.astype(inexact(c.dtype()));
  }
  std::vector<std::vector<Node>> nodes;
  std::size_t corners = 1;
  for (std::size_t d = 0; d < dims; ++d) {
    nodes.push_back(nodes_of(places[d], x.shape(static_cast<int>(d)), order, o.mode));
    corners *= nodes.back().size();
  }
  Array out;
  // Positions are in range: one index into the flat array is cheaper than one for each dim, where int32 holds it.
  const bool counts = x.size() <= std::numeric_limits<std::int32_t>::max();
  const Array flat = ravel(x);
  for (std::size_t corner = 0; corner < corners; ++corner) {
    std::vector<Index> at;
    Array valid, weight, place;
    std::vector<std::size_t> which(dims);
    std::size_t rest = corner;
    for (std::size_t d = dims; d-- > 0;) {  // the last dim varies fastest
      which[d] = rest % nodes[d].size();
      rest /= nodes[d].size();
    }
    for (std::size_t d = 0; d < dims; ++d) {
      const Node& node = nodes[d][which[d]];
      const std::int64_t extent = x.shape(static_cast<int>(d));
      at.push_back(Index(node.at));
      place = place.has_value() ? place * extent + node.at : node.at;
      if (node.valid.has_value()) valid = valid.has_value() ? valid & node.valid : node.valid;
      weight = weight.has_value() ? weight * node.weight : node.weight;
    }
    Array part = counts ? take(flat, place, TakeMode::clip) : x.index(at);
    if (valid.has_value()) part = where(valid, part, full({}, o.cval).astype(x.dtype()));
    if (order == 1) part = weight * part;
    out = out.has_value() ? out + part : part;
  }
  if (!x.dtype().is_inexact() && out.dtype().is_inexact()) out = rounded(out);
  return out.astype(x.dtype());
}

}  // namespace ndimage

namespace interpolate {

RegularGridInterpolator::RegularGridInterpolator(const ArrayList& points, const In& in, const GridOptions& options)
    : grid(points.arrays), method(options.method), fill_value(options.fill_value) {
  CallScope scope(points.loc);
  constexpr const char* who = "RegularGridInterpolator";
  values = in.array.astype(inexact(in.array.dtype()));
  if (grid.empty() || static_cast<int>(grid.size()) > values.ndim())
    raise<ShapeError>(who, std::to_string(grid.size()) + " vectors of points for values " + type_text(in.array),
                      "Give one for each of the first dims.");
  for (std::size_t d = 0; d < grid.size(); ++d)
    if (grid[d].ndim() != 1 || grid[d].size() < 2 || grid[d].size() != values.shape(static_cast<int>(d)))
      raise<ShapeError>(
          who, "points of dim " + std::to_string(d) + " are " + type_text(grid[d]) + ", values " + type_text(in.array),
          "Give a vector of as many points as the values have, two or more.");
}

Array RegularGridInterpolator::operator()(const In& xi) const { return (*this)(xi, method); }

Array RegularGridInterpolator::operator()(const In& in, OneOf<GridMethod> by) const {
  CallScope scope(in.loc);
  const int dims = static_cast<int>(grid.size());
  Array xi = in.array.astype(inexact(in.array.dtype()));
  if (xi.ndim() == 1) xi = dims == 1 ? expand_dims(xi, 1) : expand_dims(xi, 0);
  if (xi.ndim() == 0 || xi.shape(-1) != dims)
    raise<ShapeError>("RegularGridInterpolator",
                      "the points are " + type_text(in.array) + " for a grid of " + std::to_string(dims) + " dims",
                      "The last dim has a coordinate for each.");
  struct Cell {
    Array low, part;  // the number of the cell, and how far in it, from 0 to 1
  };
  std::vector<Cell> cells;
  Array outside;
  for (int d = 0; d < dims; ++d) {
    const Array g = grid[static_cast<std::size_t>(d)], x = xi(ellipsis, d);
    const int last = static_cast<int>(g.size()) - 1;
    const Array low = clip(searchsorted(g, x) - 1, 0, last - 1);
    const Array from = g(low), beyond = (x < g[0]) | (x > g[last]);
    cells.push_back({low, (x - from) / (g(low + 1) - from)});
    outside = outside.has_value() ? outside | beyond : beyond;
  }
  const int more = values.ndim() - dims;
  auto widened = [&](Array a) {
    for (int k = 0; k < more; ++k) a = expand_dims(a, -1);
    return a;
  };
  Array out;
  if (by == GridMethod::nearest) {
    std::vector<Index> at;
    for (const Cell& c : cells) at.push_back(Index(where(c.part <= 0.5, c.low, c.low + 1)));
    out = values.index(at);
  } else {
    for (int corner = 0; corner < 1 << dims; ++corner) {
      std::vector<Index> at;
      Array weight;
      for (int d = 0; d < dims; ++d) {
        const Cell& c = cells[static_cast<std::size_t>(d)];
        const bool upper = (corner >> (dims - 1 - d)) & 1;
        at.push_back(Index(upper ? c.low + 1 : c.low));
        const Array w = upper ? c.part : 1 - c.part;
        weight = weight.has_value() ? weight * w : w;
      }
      const Array part = values.index(at) * widened(weight);
      out = out.has_value() ? out + part : part;
    }
  }
  return fill_value ? where(widened(outside), full({}, *fill_value).astype(out.dtype()), out) : out;
}

}  // namespace interpolate
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
