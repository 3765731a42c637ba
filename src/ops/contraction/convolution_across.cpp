#include "ops/contraction/convolution.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

// Elements that a block needs of the neighbours before and behind it.
struct Borders {
  std::int64_t before, behind;
};

// The spatial dim that is dim `dim` of the input, and its borders: nothing where they are wider than a block.
struct CutDim {
  std::size_t d;
  bool with_kernel;  // the kernel is cut, and devices have parts of every sum
  Borders borders;
};

Shape whole_kernel(Shape rhs, const Convolution& p, std::size_t d, std::int64_t blocks) {
  rhs[p.rhs[d + 2]] *= blocks;
  return rhs;
}

std::optional<CutDim> cut_dim(const Convolution& p, const Call& c, int dim, std::int64_t blocks) {
  Shape lhs = c.operands[0].shape;
  const Shape& rhs = c.operands[1].shape;
  const std::int64_t block = lhs[dim];
  lhs[dim] *= blocks;
  for (std::size_t d = 0; d < p.strides.size(); ++d) {
    if (p.lhs[d + 2] != dim) continue;
    const std::int64_t low = p.padding[d].first, kernel = rhs[p.rhs[d + 2]] * blocks, all = lhs[dim];
    // Either there are as many windows as elements, or the kernel is as long as they are, and a block of it is here.
    CutDim cut{
        d, kernel == all && is_cut_with_kernel(p, lhs, whole_kernel(rhs, p, d, blocks), d), {low, p.padding[d].second}};
    const bool with_result = p.strides[d] == 1 && p.lhs_dilation[d] == 1 &&
                             low + p.padding[d].second == (rhs[p.rhs[d + 2]] - 1) * p.rhs_dilation[d];
    if (with_result == cut.with_kernel) return std::nullopt;
    if (cut.with_kernel) {
      const std::int64_t windows = (low + p.padding[d].second) / p.strides[d] + 1;
      cut.borders.behind = (windows - 1) * p.strides[d] - low;
    }
    const auto fits = [&](std::int64_t n) { return 0 <= n && n <= block; };
    if (!fits(cut.borders.before) || !fits(cut.borders.behind)) return std::nullopt;
    return cut;
  }
  return std::nullopt;
}

Array part_of(const Array& x, int dim, std::int64_t from, std::int64_t to) {
  Dims start(static_cast<std::size_t>(x.ndim()), 0), limit = x.shape().dims();
  start[static_cast<std::size_t>(dim)] = from;
  limit[static_cast<std::size_t>(dim)] = to;
  return lax::slice(x, start, limit);
}

// Of the first and the last device there are no neighbours on one side, but zeros.
Array with_borders(const Array& x, const Borders& borders, const Line& line) {
  const std::int64_t n = x.shape()[line.dim];
  const Array position = line.position();
  auto border = [&](const Array& part, std::int64_t from, std::int64_t without) {
    const Array there = line.shifted(part, from);
    const Array none = lax::eq(position, literal(int32, static_cast<double>(without)));
    return lax::select(lax::broadcast_in_dim(none, there.shape(), {}), zeros(there.type()), there);
  };
  std::vector<Array> parts;
  if (borders.before > 0) parts.push_back(border(part_of(x, line.dim, n - borders.before, n), 1, 0));
  parts.push_back(x);
  if (borders.behind > 0)
    parts.push_back(border(part_of(x, line.dim, 0, borders.behind), line.blocks - 1, line.blocks - 1));
  return parts.size() == 1 ? x : lax::concatenate(parts, line.dim);
}

}  // namespace

bool is_cut_with_result(const Convolution& p, const Shape& lhs, const Shape& out, std::size_t d) {
  return p.strides[d] == 1 && p.lhs_dilation[d] == 1 && lhs[p.lhs[d + 2]] == out[p.out[d + 2]];
}
bool is_cut_with_kernel(const Convolution& p, const Shape& lhs, const Shape& rhs, std::size_t d) {
  return p.lhs_dilation[d] == 1 && p.rhs_dilation[d] == 1 && lhs[p.lhs[d + 2]] == rhs[p.rhs[d + 2]] &&
         !(p.strides[d] == 1 && p.padding[d].first + p.padding[d].second + 1 == lhs[p.lhs[d + 2]]);
}

Across convolution_across() {
  Across out;
  out.run = [](const Call& c, const std::vector<Array>& blocks, const Line& line) {
    Convolution p = c.get<Convolution>();
    const CutDim cut = *cut_dim(p, c, line.dim, line.blocks);
    p.padding[cut.d] = {0, 0};
    const Array y = bind1(convolution, p, {with_borders(blocks[0], cut.borders, line), blocks[1]});
    return std::vector{cut.with_kernel ? line.summed(y) : y};
  };
  out.received = [](const Call& c, int dim, std::int64_t blocks) -> std::optional<double> {
    const auto& p = c.get<Convolution>();
    const std::optional<CutDim> cut = cut_dim(p, c, dim, blocks);
    if (!cut) return std::nullopt;
    const double row = static_cast<double>(c.operands[0].nbytes()) / static_cast<double>(c.operands[0].shape[dim]);
    double bytes = row * static_cast<double>(cut->borders.before + cut->borders.behind);
    if (cut->with_kernel) {
      std::vector<Type> whole = c.operands;
      whole[0].shape[dim] *= blocks;
      whole[1].shape = whole_kernel(whole[1].shape, p, cut->d, blocks);
      const Type result = c.op.infer(Call{c.op, c.params, whole, c.subs})[0];
      bytes += 2 * static_cast<double>(result.nbytes()) * static_cast<double>(blocks - 1) / static_cast<double>(blocks);
    }
    return bytes;
  };
  return out;
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
