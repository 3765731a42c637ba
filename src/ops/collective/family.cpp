#include "ops/collective/family.hpp"

#include <algorithm>

namespace tutti::ops {

Op collective_frame(std::string name, Collective says) {
  Op op;
  op.name = std::move(name);
  op.collective = std::make_shared<const Collective>(std::move(says));
  op.own_weak = true;
  op.without = {{"factors", "it stands in regions and local programs, where nothing is global any more"},
                {"samples", "it needs a group: tests/collectives/meaning.cpp"}};
  return op;
}

void set_linear(Op& op, std::function<Array(const Call&, const Array& cotangent)> transpose) {
  op.linear = {{0}};
  op.transpose = [transpose = std::move(transpose)](const Call& c, const std::vector<Array>& ct,
                                                    const std::vector<Array>&, const std::vector<bool>&) {
    return std::vector<Array>{ct[0].has_value() ? transpose(c, ct[0]) : Array()};
  };
}

void check_dim(const Call& c, int dim, int ndim, const char* what) {
  if (dim < 0 || dim >= ndim)
    raise<IndexError>(c.op.name,
                      std::string(what) + " " + std::to_string(dim) + " does not exist in " + c.operands[0].str(),
                      "Dims are 0 to " + std::to_string(ndim - 1) + " here.");
}

void check_blocks(const Call& c, const Group& group, int dim, bool tiled) {
  std::int64_t extent = c.operands[0].shape[dim], n = group.size();
  std::string what = "dim " + std::to_string(dim) + " of " + c.operands[0].str() + " has size " +
                     std::to_string(extent) + ", and the axes " + field::text(group.axes) + " have " +
                     std::to_string(n) + " devices";
  if (!tiled && extent != n)
    raise<ShapeError>(c.op.name, what + ": without `tiled` the two must be equal",
                      "Use tiled = true to deal out blocks of several elements.");
  if (tiled && extent % n != 0)
    raise<ShapeError>(c.op.name, what + ": they do not divide it",
                      "Pad the dim to a multiple of " + std::to_string(n) + ".");
}

std::int64_t rows_before(const Shape& shape, int dim) {
  std::int64_t rows = 1;
  for (int d = 0; d < dim; ++d) rows *= shape[d];
  return rows;
}

Runs block_of(const Type& type, std::int64_t rows, std::int64_t n, std::int64_t k) {
  if (type.nbytes() == 0) return {};
  const std::int64_t run = type.nbytes() / (rows * n);
  return {k * run, run, n * run, rows};
}
Runs all_of(const Type& type) { return {0, type.nbytes(), 0, 1}; }
Type result_type(const Call& c) { return c.op.infer(c)[0]; }

Received received_in_blocks(double bytes, double n) { return {(n - 1) * bytes / n, static_cast<std::int64_t>(n) - 1}; }

bool Steps::any() const {
  return !batch.name.empty() && std::find(group.axes.begin(), group.axes.end(), batch.name) != group.axes.end();
}

Group Steps::others() const {
  Group out;
  for (int i = 0; i < count(); ++i) {
    if (mine(i)) continue;
    out.axes.push_back(group.axes[i]);
    out.sizes.push_back(group.sizes[i]);
  }
  return out;
}

Array move_dim(const Array& x, int from, int to) {
  if (from == to) return x;
  Dims order = range(0, x.ndim());
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return lax::transpose(x, order);
}

Array split_dim(const Array& x, int dim, const std::vector<std::int64_t>& sizes, bool whole) {
  Shape shape = x.shape();
  std::int64_t rest = shape[dim];
  shape.erase(dim);
  for (std::int64_t s : sizes) rest /= s;
  if (!whole) shape.insert(dim, rest);
  for (std::size_t i = sizes.size(); i-- > 0;) shape.insert(dim, sizes[i]);
  return shape == x.shape() ? x : lax::reshape(x, shape);
}

Array merge_dims(const Array& x, int dim, int count) {
  Shape shape = x.shape();
  std::int64_t n = 1;
  for (int i = 0; i < count; ++i) {
    n *= shape[dim];
    shape.erase(dim);
  }
  shape.insert(dim, n);
  return shape == x.shape() ? x : lax::reshape(x, shape);
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
