// Sums of products over windows. One operation in all layouts, whose derivatives are convolutions again: the kernel
// turned round for the input, the input under the result's cotangent for the kernel. Source:
// jax.lax.conv_general_dilated.
#include "ops/contraction/convolution.hpp"

#include <algorithm>
#include <limits>

#include "base/half.hpp"
#include "ops/movement/movement.hpp"
#include "ops/wide.hpp"
#include "tutti/base/extent.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

std::int64_t extent_of(const Convolution& p, const Shape& lhs, const Shape& rhs, std::size_t d) {
  const std::int64_t n = lhs[p.lhs[d + 2]], window = dilated(rhs[p.rhs[d + 2]], p.rhs_dilation[d]),
                     seen = extent::add(extent::add(dilated(n, p.lhs_dilation[d]), p.padding[d].first),
                                        p.padding[d].second);
  if (std::max(seen, window) == std::numeric_limits<std::int64_t>::max())
    raise<ShapeError>("conv_general_dilated",
                      "with dilation and padding a spatial dim has more elements than can be counted: lhs " +
                          lhs.str() + ", rhs " + rhs.str(),
                      "Use smaller strides, dilations or padding.");
  return windows_of(p, lhs, rhs, d);
}

std::vector<Type> infer_convolution(const Call& c) {
  const auto& p = c.get<Convolution>();
  const Type &lhs = c.operands[0], &rhs = c.operands[1];
  if (lhs.dtype != rhs.dtype || !(lhs.dtype.is_integer() || lhs.dtype.is_bool() || lhs.dtype.is_floating()))
    raise<TypeError>("conv_general_dilated", "lhs is " + lhs.str() + ", rhs " + rhs.str(),
                     "Convert them to one type of real numbers.");
  Dims out(lhs.shape.size());
  out[p.out[0]] = lhs.shape[p.lhs[0]] / p.batch_groups;
  out[p.out[1]] = rhs.shape[p.rhs[0]];
  for (std::size_t d = 0; d < p.strides.size(); ++d) out[p.out[d + 2]] = extent_of(p, lhs.shape, rhs.shape, d);
  return {type(lhs.dtype, Shape(out))};
}

// Floats are summed in double and rounded once: what an oracle says should not depend on the order.
template <class T> using ConvolutionSum = std::conditional_t<std::integral<T>, Wide<T>, double>;

void eval_convolution(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Convolution>();
  const Shape &lhs = in[0].type.shape, &rhs = in[1].type.shape;
  const Dims ls = row_major_strides(lhs), rs = row_major_strides(rhs);
  const std::int64_t outs = rhs[p.rhs[0]], ins = rhs[p.rhs[1]], batch = out[0].type.shape[p.out[0]];
  Dims window;
  for (std::size_t d = 0; d < p.strides.size(); ++d) window.push_back(rhs[p.rhs[d + 2]]);
  visit_arithmetic_dtype(lhs.empty() ? float32 : in[0].type.dtype, [&]<class T>(Stored<T>) {
    if constexpr (!is_complex_number<T>)
      for_each_index(out[0].type.shape, [&](const Dims& at, std::int64_t flat) {
        const std::int64_t o = at[p.out[1]], group = o / std::max<std::int64_t>(1, outs / (p.groups * p.batch_groups));
        const std::int64_t first = (at[p.out[0]] + (p.batch_groups > 1 ? group * batch : 0)) * ls[p.lhs[0]] +
                                   (p.groups > 1 ? group * ins : 0) * ls[p.lhs[1]];
        ConvolutionSum<T> sum{};
        for_each_index(Shape(window), [&](const Dims& t, std::int64_t) {
          std::int64_t x = first, y = o * rs[p.rhs[0]];
          for (std::size_t d = 0; d < t.size(); ++d) {
            const std::int64_t i = at[p.out[d + 2]] * p.strides[d] + t[d] * p.rhs_dilation[d] - p.padding[d].first;
            if (i < 0 || i % p.lhs_dilation[d] || i / p.lhs_dilation[d] >= lhs[p.lhs[d + 2]]) return;
            x += i / p.lhs_dilation[d] * ls[p.lhs[d + 2]];
            y += t[d] * rs[p.rhs[d + 2]];
          }
          for (std::int64_t i = 0; i < ins; ++i, x += ls[p.lhs[1]], y += rs[p.rhs[1]])
            sum = static_cast<ConvolutionSum<T>>(sum + static_cast<ConvolutionSum<T>>(in[0].as<T>()[x]) *
                                                           static_cast<ConvolutionSum<T>>(in[1].as<T>()[y]));
        });
        if constexpr (sizeof(T) == 2 && !std::integral<T>)
          out[0].as<T>()[flat] = T(static_cast<float>(sum));
        else
          out[0].as<T>()[flat] = static_cast<T>(sum);
      });
  });
}

Factors factors_of_convolution(const Call& c, const std::vector<Type>& results) {
  const auto& p = c.get<Convolution>();
  const Shape &lhs = c.operands[0].shape, &rhs = c.operands[1].shape, &out = results[0].shape;
  FactorBuilder b(c, results);
  Factors::Dims &l = b.f.operands[0], &r = b.f.operands[1], &o = b.f.results[0];
  const std::int64_t groups = p.groups * p.batch_groups;
  const int batch = b.add(out[p.out[0]]), outs = b.add(rhs[p.rhs[0]] / groups),
            ins = b.add(rhs[p.rhs[1]], Factors::Kind::sum);
  l[p.lhs[0]] = o[p.out[0]] = {batch};
  l[p.lhs[1]] = r[p.rhs[1]] = {ins};
  r[p.rhs[0]] = o[p.out[1]] = {outs};
  if (groups > 1) {
    const int group = b.add(groups);
    auto& shared = p.groups > 1 ? l[p.lhs[1]] : l[p.lhs[0]];
    for (auto* dim : {&shared, &r[p.rhs[0]], &o[p.out[1]]}) dim->insert(dim->begin(), group);
  }
  for (std::size_t d = 0; d < p.strides.size(); ++d) {
    const auto x = static_cast<int>(p.lhs[d + 2]), y = static_cast<int>(p.rhs[d + 2]),
               z = static_cast<int>(p.out[d + 2]);
    const int place = b.add(lhs[x], Factors::Kind::replicated);
    l[x] = {place};
    if (is_cut_with_kernel(p, lhs, rhs, d)) {
      r[y] = {place};
      b.fixed_result(z, out[z]);
    } else {
      o[z] = {place};
      b.fixed_operand(1, y, rhs[y]);
    }
  }
  return b.f;
}

Params localize_convolution(const Params& params, const LocalTypes& types) {
  Convolution p = params.get<Convolution>();
  if (p.groups > 1) p.groups = types.local[0].shape[p.lhs[1]] / types.local[1].shape[p.rhs[1]];
  if (p.batch_groups > 1) p.batch_groups = types.local[0].shape[p.lhs[0]] / types.results[0][p.out[0]];
  return p;
}

// x with `groups` of dim `from` in front of dim `to`, of which they become the major part.
Array regrouped(const Array& x, std::int64_t from, std::int64_t to, std::int64_t groups) {
  if (groups == 1) return x;
  Shape split = x.shape(), merged = x.shape();
  split[from] /= groups;
  split.insert(static_cast<int>(from), groups);
  merged[from] /= groups;
  merged[to] *= groups;
  Dims order = range(0, x.ndim() + 1);
  order.erase(order.begin() + from);
  order.insert(std::find(order.begin(), order.end(), to < from ? to : to + 1), from);
  return lax::reshape(lax::transpose(lax::reshape(x, split), order), merged);
}

Dims exchanged(Dims dims) {
  std::swap(dims[0], dims[1]);
  return dims;
}

// The cotangent of the input: the result's, with the stride's gaps, under the kernel turned round.
Array transposed_lhs(const Call& c, const Array& ct, const Array& rhs) {
  const auto& p = c.get<Convolution>();
  const std::int64_t groups = p.groups * p.batch_groups;
  const Array kernel = lax::rev(regrouped(rhs, p.rhs[0], p.rhs[1], groups), Dims(p.rhs.begin() + 2, p.rhs.end()));
  Convolution q{p.out, exchanged(p.rhs), p.lhs, p.lhs_dilation, {}, p.strides, p.rhs_dilation, groups, 1};
  for (std::size_t d = 0; d < p.strides.size(); ++d) {
    const std::int64_t reach = dilated(rhs.shape()[p.rhs[d + 2]], p.rhs_dilation[d]) - 1,
                       low = reach - p.padding[d].first;
    q.padding.push_back({low, dilated(c.operands[0].shape[p.lhs[d + 2]], p.lhs_dilation[d]) + reach -
                                  dilated(ct.shape()[p.out[d + 2]], p.strides[d]) - low});
  }
  const Array x = bind1(convolution, q, {ct, kernel});
  return p.batch_groups > 1 ? regrouped(x, p.lhs[1], p.lhs[0], groups) : x;
}

// The cotangent of the kernel: the input, its examples as features, under the result's cotangent.
Array transposed_rhs(const Call& c, const Array& ct, const Array& lhs) {
  const auto& p = c.get<Convolution>();
  Convolution q{exchanged(p.lhs), exchanged(p.out), exchanged(p.rhs), p.rhs_dilation, {},
                p.lhs_dilation,   p.strides,        p.batch_groups,   p.groups};
  for (std::size_t d = 0; d < p.strides.size(); ++d) {
    const std::int64_t low = p.padding[d].first;
    q.padding.push_back({low, dilated(ct.shape()[p.out[d + 2]], p.strides[d]) +
                                  dilated(c.operands[1].shape[p.rhs[d + 2]], p.rhs_dilation[d]) - 1 -
                                  dilated(lhs.shape()[p.lhs[d + 2]], p.lhs_dilation[d]) - low});
  }
  return bind1(convolution, q, {lhs, ct});
}

Arrays transpose_convolution(const Call& c, const Arrays& cts, const Arrays& operands, const Flags& undefined) {
  return {undefined[0] ? transposed_lhs(c, cts[0], operands[1]) : Array(),
          undefined[1] ? transposed_rhs(c, cts[0], operands[0]) : Array()};
}

// x, whose dim 0 is a batch, with that as part of dim `dim` of the rest: behind `groups`, before what is in them.
Array batch_within(const Array& x, std::int64_t dim, std::int64_t groups) {
  Shape split = x.shape(), merged = x.shape();
  split[dim + 1] /= groups;
  split.insert(static_cast<int>(dim) + 1, groups);
  merged[dim + 1] *= merged[0];
  merged.erase(0);
  Dims order = range(1, x.ndim() + 1);
  order.insert(order.begin() + dim + 1, 0);
  return lax::reshape(lax::transpose(lax::reshape(x, split), order), merged);
}
// The reverse, of `n` batches.
Array batch_in_front(const Array& x, std::int64_t dim, std::int64_t groups, std::int64_t n) {
  Shape split = x.shape(), merged = x.shape();
  split[dim] /= groups * n;
  split.insert(static_cast<int>(dim), n);
  split.insert(static_cast<int>(dim), groups);
  merged[dim] /= n;
  merged.insert(0, n);
  Dims order = range(0, x.ndim() + 2);
  order.erase(order.begin() + dim + 1);
  order.insert(order.begin(), dim + 1);
  return lax::reshape(lax::transpose(lax::reshape(x, split), order), merged);
}

// Batches of the input are examples, those of the kernel out features, those of both groups.
Batched batch_convolution(const Call& c, const Arrays& operands, const Flags& mapped, const BatchAxis& axis) {
  Convolution p = c.get<Convolution>();
  const std::int64_t n = axis.size, groups = p.groups * p.batch_groups;
  Array lhs = operands[0], rhs = operands[1];
  std::int64_t dim = p.out[1], within = 1;
  if (mapped[0] && mapped[1]) {
    const bool by_batch = p.batch_groups > 1;
    lhs = batch_within(lhs, p.lhs[by_batch ? 0 : 1], 1);
    rhs = batch_within(rhs, p.rhs[0], 1);
    (by_batch ? p.batch_groups : p.groups) *= n;
  } else if (mapped[0]) {
    lhs = batch_within(lhs, p.lhs[0], p.batch_groups);
    dim = p.out[0];
  } else {
    rhs = batch_within(rhs, p.rhs[0], groups);
    within = groups;
  }
  return {{batch_in_front(bind1(convolution, p, {lhs, rhs}), dim, within, n)}, {true}};
}

}  // namespace

constinit const Home convolution = [] {
  Op op;
  op.name = "conv_general_dilated";
  op.infer = infer_convolution;
  op.eval = eval_convolution;
  op.factors = factors_of_convolution;
  op.localize = localize_convolution;
  op.across = std::make_shared<Across>(Across{.dims = convolution_across()});
  op.linear = {{0}, {1}};
  // A partial sum times something large may be infinite where the whole is not.
  op.adds_up = [](const Call& c, const std::vector<int>& set, const std::vector<Magnitude>& operands) {
    return c.operands[0].dtype.is_integer() || operands[1 - set[0]].most <= 1;
  };
  op.spread = Spread::second;
  op.flops = [](const Call& c, const std::vector<Type>& results) {
    const auto& p = c.get<Convolution>();
    double terms = static_cast<double>(c.operands[1].num_elements()) /
                   static_cast<double>(std::max<std::int64_t>(1, c.operands[1].shape[p.rhs[0]]));
    for (std::int64_t n : p.lhs_dilation) terms /= static_cast<double>(n);  // the others are zeros
    return 2 * terms * static_cast<double>(results[0].num_elements());
  };
  op.transpose = transpose_convolution;
  op.batch = batch_convolution;
  const Dims first{0, 1, 2}, last{0, 2, 1}, kernel_last{2, 1, 0}, images{0, 3, 1, 2}, kernels{3, 2, 0, 1};
  auto sample = [](Convolution p, Shape l, Shape r, DType dtype = float32) {
    return Sample{
        .params = std::move(p), .operands = {type(dtype, std::move(l)), type(dtype, std::move(r))}, .ulp = 64};
  };
  op.samples = {
      sample({first, first, first, {1}, {{0, 0}}, {1}, {1}}, {2, 3, 7}, {4, 3, 3}),
      sample({first, first, first, {2}, {{2, 1}}, {3}, {2}}, {2, 3, 5}, {4, 3, 3}),
      sample({last, kernel_last, last, {3}, {{1, -1}}, {2}, {1}}, {2, 6, 3}, {2, 3, 5}),
      sample({first, first, first, {2}, {{1, 1}}, {1}, {1}, 2}, {2, 6, 7}, {4, 3, 3}),
      sample({last, kernel_last, last, {1}, {{1, 1}}, {1}, {1}, 20}, {2, 5, 20}, {3, 1, 20}),
      sample({first, last, kernel_last, {1}, {{1, 0}}, {2}, {1}, 1, 2}, {4, 3, 4}, {6, 2, 3}),
      sample({images, kernels, images, {2, 1}, {{1, 1}, {0, 2}}, {1, 2}, {1, 3}}, {2, 5, 4, 3}, {3, 2, 3, 18}),
      sample({first, first, first, {1}, {{31, 0}}, {1}, {1}}, {1, 1, 40}, {1, 1, 32}),
      sample({first, first, first, {1}, {{0, 0}}, {1}, {1}}, {2, 3, 7}, {4, 3, 3}, int32),
  };
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
