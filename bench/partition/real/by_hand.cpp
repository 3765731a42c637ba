#include "by_hand.hpp"

#include "tutti/transform/shard_map.hpp"

namespace bench::real {
namespace {

std::function<PartitionSpec(const tree::Path&, const Array&)> one_by_one(std::vector<PartitionSpec> specs) {
  return [specs = std::move(specs)](const tree::Path& path, const Array&) {
    return specs[static_cast<std::size_t>(path.keys().back().index)];
  };
}
Array from_other(const Array& x, const Names& axis, int n, int by) {
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < n; ++i) pairs.push_back({i, (i + by + n) % n});
  return lax::ppermute(x, axis, pairs);
}

}  // namespace

Array from_before(const Array& x, const Names& axis, int n) { return from_other(x, axis, n, 1); }
Array from_behind(const Array& x, const Names& axis, int n) { return from_other(x, axis, n, -1); }

Array part(const Array& x, int dim, std::int64_t from, std::int64_t to) {
  const std::int64_t extent = x.shape(dim);
  const std::int64_t first = from < 0 ? extent + from : from, last = to <= 0 ? extent + to : to;
  return lax::slice_in_dim(x, first, last, 1, dim);
}

Array with_borders(const Array& x, int dim, std::int64_t before, std::int64_t behind, const Names& axis, int n,
                   std::optional<double> edge) {
  const Array at = lax::axis_index(axis);
  auto outside = [&](const Array& rows, int end) { return edge ? where(at == end, *edge, rows) : rows; };
  Arrays parts;
  if (before > 0) parts.push_back(outside(from_before(part(x, dim, -before, 0), axis, n), 0));
  parts.push_back(x);
  if (behind > 0) parts.push_back(outside(from_behind(part(x, dim, 0, behind), axis, n), n - 1));
  return concatenate(parts, dim);
}

Row row_by_hand(Row row, const Function& block, const Mesh& mesh) {
  std::vector<PartitionSpec> in;
  for (const Input& i : row.inputs) in.push_back(i.spec);
  row.program = [=, out = row.outputs](const Arrays& args) -> Arrays {
    return shard_map(
        [block](const Arrays& blocks) -> Arrays { return block(blocks); },
        {.mesh = mesh, .in_specs = one_by_one(in), .out_specs = one_by_one(out), .check_vma = false})(args);
  };
  return row;
}

std::vector<ByHand> by_hand(const Extents& at) {
  std::vector<ByHand> out = grids_by_hand(at);
  for (const ByHand& h : tables_by_hand(at)) out.push_back(h);
  return out;
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
