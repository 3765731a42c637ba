#include "backend/cpu/conv_form.hpp"

#include <numeric>
#include <utility>

#include "ops/movement/movement.hpp"

namespace tutti::cpu {
namespace {

// The smallest t >= 0 with (at + t * step) % n == 0; -1: there is none. By Euclid's algorithm: n may be large.
std::int64_t first_multiple(std::int64_t at, std::int64_t step, std::int64_t n) {
  const std::int64_t common = std::gcd(step, n);
  if (at % common != 0) return -1;
  const std::int64_t m = n / common;
  std::int64_t a = step / common % m, b = m, x = 1, y = 0;  // x * step / common == a, and y likewise b, modulo m
  while (a != 0 && b != 0) {
    const std::int64_t q = b / a;
    b -= q * a;
    y -= q * x;
    std::swap(a, b);
    std::swap(x, y);
  }
  // Now a is 0 and b, the greatest common divisor, is 1: y inverts the step.
  const __int128 t = static_cast<__int128>(-(at / common) % m) * y % m;
  return static_cast<std::int64_t>(t < 0 ? t + m : t);
}

// What results q = phase, phase + phases, ... see of one spatial dim.
struct Phase {
  ConvDim dim;
  std::int64_t right = 0, out = 0;
};

}  // namespace

std::vector<ConvSums> conv_sums(const ops::Convolution& f, const Shape& left, const Shape& right, const Shape& out) {
  const ops::Dims l = ops::row_major_strides(left), r = ops::row_major_strides(right), o = ops::row_major_strides(out);
  const std::int64_t groups = f.groups * f.batch_groups, batch = left[f.lhs[0]] / f.batch_groups,
                     ins = left[f.lhs[1]] / f.groups, outs = right[f.rhs[0]] / groups;
  ConvSums whole;
  whole.groups = {groups, f.groups > 1 ? ins * l[f.lhs[1]] : batch * l[f.lhs[0]], outs * r[f.rhs[0]],
                  outs * o[f.out[1]]};
  if (groups == 1) whole.groups = {};
  whole.outs = {outs, 0, r[f.rhs[0]], o[f.out[1]]};
  whole.dims.push_back({.extent = batch, .stride = l[f.lhs[0]], .rows = batch, .row_out = o[f.out[0]]});
  whole.dims.push_back({.extent = ins, .stride = l[f.lhs[1]], .terms = ins, .term_right = r[f.rhs[1]]});
  std::vector<ConvSums> all{whole};
  for (std::size_t d = 0; d < f.strides.size(); ++d) {
    const std::int64_t at = f.lhs[d + 2], window = right[f.rhs[d + 2]], count = out[f.out[d + 2]],
                       dilation = f.lhs_dilation[d], stride = f.strides[d], gap = f.rhs_dilation[d],
                       low = f.padding[d].first, phases = dilation / std::gcd(dilation, stride),
                       apart = dilation / std::gcd(dilation, gap);
    std::vector<Phase> here;
    for (std::int64_t p = 0; p < std::min(phases, count); ++p) {
      Phase& x = here.emplace_back();
      x.dim = {.extent = left[at], .stride = l[at]};
      x.dim.rows = (count - p + phases - 1) / phases;
      x.dim.row_step = phases * stride / dilation;
      x.dim.row_out = phases * o[f.out[d + 2]];
      x.out = p * o[f.out[d + 2]];
      const std::int64_t first = first_multiple(p * stride - low, gap, dilation);
      x.dim.terms = first < 0 || first >= window ? 0 : (window - first + apart - 1) / apart;
      if (x.dim.terms == 0) continue;
      x.dim.base = (p * stride - low + first * gap) / dilation;
      x.dim.term_step = apart * gap / dilation;
      x.dim.term_right = apart * r[f.rhs[d + 2]];
      x.right = first * r[f.rhs[d + 2]];
    }
    std::vector<ConvSums> finer;
    for (const ConvSums& s : all)
      for (const Phase& x : here) {
        finer.push_back(s);
        finer.back().dims.push_back(x.dim);
        finer.back().right += x.right;
        finer.back().out += x.out;
      }
    all = std::move(finer);
  }
  return all;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
