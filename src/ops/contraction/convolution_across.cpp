// Convolutions on blocks of spatial dims. A block of the result reads a run of the input: its own place times the
// stride, as far as the kernel reaches; a block of the kernel, where that is as long as the input (the gradient of a
// kernel), meets such a run of its own.
#include "ops/contraction/convolution.hpp"
#include "ops/movement/halo.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

std::int64_t ceil_quotient(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0); }
std::int64_t floor_quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0); }

// What a device does along spatial dim d: reads a run of the input, and convolves that with other padding.
struct Cut {
  std::size_t d;
  bool with_kernel;  // the kernel is cut, and devices have parts of every sum
  Runs runs;
  std::pair<std::int64_t, std::int64_t> padding;
  std::int64_t windows;  // of the result that are this device's; where there are more, from what `runs` leave over on
  bool more;
};

// Of the input with its dilation, element `place * step + offset` and those up to `length` behind it are read. Nothing
// where blocks would see it at different places between two elements, and more windows cannot be made.
std::optional<Cut> cut_of(std::int64_t step, std::int64_t offset, std::int64_t length, std::int64_t dilation) {
  Cut out{};
  if (step % dilation == 0) {
    const std::int64_t first = ceil_quotient(offset, dilation), last = floor_quotient(offset + length - 1, dilation);
    if (first > last) return std::nullopt;
    out.runs = {step / dilation, first, last - first + 1};
    out.padding = {first * dilation - offset, offset + length - 1 - last * dilation};
    return out;
  }
  const std::int64_t wide = length + dilation - 1, n = (wide - 1) / dilation + 1;
  out.runs = {step, offset, n, dilation};
  out.padding = {0, wide - 1 - (n - 1) * dilation};
  out.more = true;
  return out;
}

std::optional<Cut> cut_along(const Convolution& p, const std::vector<Type>& whole, const LineExtent& line) {
  for (std::size_t d = 0; d < p.strides.size(); ++d) {
    if (p.lhs[d + 2] != line.dim) continue;
    const Shape &lhs = whole[0].shape, &rhs = whole[1].shape;
    const std::int64_t kernel = rhs[p.rhs[d + 2]], windows = windows_of(p, lhs, rhs, d);
    const bool with_kernel = is_cut_with_kernel(p, lhs, rhs, d);
    const std::int64_t block = extent::ceil_div(with_kernel ? kernel : windows, line.blocks),
                       step = block * (with_kernel ? p.rhs_dilation[d] : p.strides[d]);
    const std::int64_t reach = with_kernel ? (windows - 1) * p.strides[d] + dilated(block, p.rhs_dilation[d])
                                           : (block - 1) * p.strides[d] + dilated(kernel, p.rhs_dilation[d]);
    std::optional<Cut> out = cut_of(step, -p.padding[d].first, reach, p.lhs_dilation[d]);
    if (!out || (out->more && (with_kernel || p.strides[d] != 1))) return std::nullopt;
    out->d = d;
    out->with_kernel = with_kernel;
    out->windows = with_kernel ? windows : block;
    return out;
  }
  return std::nullopt;
}

// Of the sum of results over `blocks` devices.
double received_by_sum(const Call& c, const std::vector<Type>& whole, const std::vector<LineExtent>& lines,
                       std::int64_t blocks) {
  const auto& p = c.get<Convolution>();
  Shape result{c.operands[0].shape[p.lhs[0]] / p.batch_groups, c.operands[1].shape[p.rhs[0]]};
  for (std::size_t d = 0; d < p.strides.size(); ++d) {
    std::int64_t windows = windows_of(p, whole[0].shape, whole[1].shape, d);
    for (const LineExtent& line : lines)
      if (p.lhs[d + 2] == line.dim) windows = cut_along(p, whole, line)->windows;
    result.push_back(windows);
  }
  const double bytes = static_cast<double>(type(c.operands[0].dtype, result).nbytes());
  return 2 * bytes * static_cast<double>(blocks - 1) / static_cast<double>(blocks);
}

// The kernel's blocks, without what pads them.
Array kernel_of(const Array& rhs, const Convolution& p, const Cut& cut, const std::vector<Type>& whole, Line line) {
  line.dim = static_cast<int>(p.rhs[cut.d + 2]);
  line.extent = whole[1].shape[line.dim];
  return without_padding(rhs, line);
}

}  // namespace

std::int64_t windows_of(const Convolution& p, const Shape& lhs, const Shape& rhs, std::size_t d) {
  const std::int64_t seen = extent::add(extent::add(dilated(lhs[p.lhs[d + 2]], p.lhs_dilation[d]), p.padding[d].first),
                                        p.padding[d].second),
                     window = dilated(rhs[p.rhs[d + 2]], p.rhs_dilation[d]);
  return seen < window ? 0 : (seen - window) / p.strides[d] + 1;
}
bool is_cut_with_kernel(const Convolution& p, const Shape& lhs, const Shape& rhs, std::size_t d) {
  return dilated(rhs[p.rhs[d + 2]], p.rhs_dilation[d]) > dilated(windows_of(p, lhs, rhs, d), p.strides[d]);
}

AcrossDims convolution_across() {
  AcrossDims out;
  out.run = [](const Call& c, const WholeTypes& types, const std::vector<Array>& blocks,
               const std::vector<Line>& lines) {
    const std::vector<Type>& whole = types.operands;
    Convolution p = c.get<Convolution>();
    Array x = blocks[0], kernel = blocks[1];
    std::vector<Cut> cuts;
    // One dim after the other: what the first brought is a part of what the second sends, which gives the corners.
    for (const Line& line : lines) {
      cuts.push_back(*cut_along(p, whole, {line.dim, line.blocks, line.extent}));
      x = read_runs(x, cuts.back().runs, line, literal(x.dtype(), 0));
      if (cuts.back().with_kernel) kernel = kernel_of(kernel, p, cuts.back(), whole, line);
    }
    for (const Cut& cut : cuts) p.padding[cut.d] = cut.padding;
    Array y = bind1(convolution, p, {x, kernel});
    for (std::size_t k = 0; k < cuts.size(); ++k) {
      const auto dim = static_cast<int>(p.out[cuts[k].d + 2]);
      if (cuts[k].more) y = part_at(y, dim, rest_here(cuts[k].runs, lines[k]), cuts[k].windows);
      if (cuts[k].with_kernel) y = lines[k].summed(y);
    }
    return std::vector{y};
  };
  out.received = [](const Call& c, const WholeTypes& types,
                    const std::vector<LineExtent>& lines) -> std::optional<std::vector<double>> {
    const std::vector<Type>& whole = types.operands;
    const auto& p = c.get<Convolution>();
    Type x = c.operands[0];
    std::vector<Cut> cuts;
    for (const LineExtent& line : lines) {
      const std::optional<Cut> cut = cut_along(p, whole, line);
      if (!cut || (cut->with_kernel && x.dtype.is_bool())) return std::nullopt;
      cuts.push_back(*cut);
    }
    std::vector<double> bytes;
    for (std::size_t k = 0; k < lines.size(); ++k) {
      const std::optional<double> along = bytes_by_runs(x, cuts[k].runs, lines[k]);
      if (!along) return std::nullopt;
      bytes.push_back(*along);
      if (cuts[k].with_kernel) bytes.back() += received_by_sum(c, whole, lines, lines[k].blocks);
      x.shape[lines[k].dim] = cuts[k].runs.length;
    }
    return bytes;
  };
  return out;
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
