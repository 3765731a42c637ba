#include <numeric>
#include <random>

#include "tutti/base/call_scope.hpp"
#include "tutti/data/data.hpp"

namespace tutti::data::detail {

std::int64_t check(std::span<const Array> leaves, std::int64_t batch_size, Loc loc) {
  CallScope scope(loc, Loc{"", "batches"});
  if (batch_size < 1)
    raise<ValueError>("batches", "the batch size is " + std::to_string(batch_size), "Give 1 or more rows a batch.");
  if (leaves.empty()) raise<ValueError>("batches", "there is no array in the tree", "Give one array or more.");
  for (const Array& x : leaves)
    if (x.ndim() == 0 || x.shape()[0] != leaves[0].shape()[0])
      raise<ShapeError>(
          "batches",
          "arrays of shapes " + leaves[0].shape().str() + " and " + x.shape().str() + " do not have equally many rows",
          "All arrays need the same leading extent.");
  return leaves[0].shape()[0];
}

std::vector<std::int64_t> order(std::int64_t rows, const BatchOptions& options, std::uint64_t epoch) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(rows));
  std::iota(out.begin(), out.end(), 0);
  if (options.shuffle) {
    // Drawn by hand: std::shuffle differs between standard libraries.
    std::mt19937_64 random(options.seed + epoch * 0x9E3779B97F4A7C15u);
    for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[random() % i]);
  }
  return out;
}

std::vector<Array> take_rows(std::span<const Array> leaves, std::span<const std::int64_t> rows) {
  std::vector<Array> out;
  for (const Array& x : leaves) {
    Shape shape = x.shape();
    shape[0] = static_cast<std::int64_t>(rows.size());
    std::vector<char> part(static_cast<std::size_t>(shape.num_elements() * x.dtype().size()));
    copy_rows(x, rows, part.data());
    out.push_back(array_from_host(part.data(), x.dtype(), shape));
  }
  return out;
}

}  // namespace tutti::data::detail

// SPDX-License-Identifier: Apache-2.0
