// Convolutions: what callers say, brought to the one form that the operation has.
#include <algorithm>
#include <string_view>

#include "lax/conv_order.hpp"
#include "lax/windows.hpp"
#include "ops/contraction/convolution.hpp"
#include "ops/movement/movement.hpp"
#include "tutti/base/extent.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::lax {
namespace {

std::string spatial_letters(const std::string& spec, std::string_view others) {
  std::string out;
  for (char c : spec)
    if (others.find(c) == others.npos) out += c;
  return out;
}

// Positions of the letters `order` in `spec`.
Dims positions(const char* op, const std::string& spec, const std::string& order) {
  Dims out;
  for (char c : order) {
    if (std::count(spec.begin(), spec.end(), c) != 1 || spec.size() != order.size())
      raise<ValueError>(
          op, "the dimension numbers \"" + spec + "\" do not name the dims " + order,
          "Each letter stands once in the specs of input, kernel and result, with N C and O I for batch and features.");
    out.push_back(static_cast<std::int64_t>(spec.find(c)));
  }
  return out;
}

}  // namespace

Order order_of(const char* op, const ConvDims& d, int ndim) {
  if (d.lhs.empty() && d.rhs.empty() && d.out.empty()) {
    Dims same = ops::range(0, ndim);
    return {same, same, same};
  }
  const std::string spatial =
      !d.rhs.empty() ? spatial_letters(d.rhs, "OI") : spatial_letters(d.lhs.empty() ? d.out : d.lhs, "NC");
  const std::string lhs = d.lhs.empty() ? "NC" + spatial : d.lhs;
  for (const std::string& spec : {d.lhs, d.rhs, d.out})
    if (!spec.empty() && static_cast<int>(spec.size()) != ndim)
      raise<ValueError>(op, "the dimension numbers \"" + spec + "\" for arrays of " + std::to_string(ndim) + " dims",
                        "Give one letter per dim, such as \"NCHW\".");
  return {positions(op, lhs, "NC" + spatial), positions(op, d.rhs.empty() ? "OI" + spatial : d.rhs, "OI" + spatial),
          positions(op, d.out.empty() ? lhs : d.out, "NC" + spatial)};
}

Array arranged(const Array& x, const Dims& permutation) {
  return permutation == ops::range(0, x.ndim()) ? x : lax::transpose(x, permutation);
}

namespace {

void check_operands(const char* op, const Array& lhs, const Array& rhs) {
  if (lhs.ndim() != rhs.ndim() || lhs.ndim() < 2)
    raise<ShapeError>(op, "lhs has shape " + lhs.shape().str() + ", rhs " + rhs.shape().str(),
                      "Both need a batch (out feature) dim, a feature dim and the same number of spatial dims.");
  if (lhs.dtype() != rhs.dtype())
    raise<TypeError>(op, "lhs is " + std::string(lhs.dtype().name()) + ", rhs " + std::string(rhs.dtype().name()),
                     "Convert one of them: lax functions do not promote.");
}

void check_groups(const char* op, const Shape& lhs, const Shape& rhs, const ops::Convolution& c) {
  const std::int64_t batch = lhs[c.lhs[0]], features = lhs[c.lhs[1]], outs = rhs[c.rhs[0]], ins = rhs[c.rhs[1]];
  if (c.groups < 1 || c.batch_groups < 1 || (c.groups > 1 && c.batch_groups > 1))
    raise<ValueError>(
        op,
        "feature_group_count is " + std::to_string(c.groups) + ", batch_group_count " + std::to_string(c.batch_groups),
        "Both are at least 1, and one of them is 1.");
  if (features != extent::mul(ins, c.groups) || outs % c.groups || batch % c.batch_groups || outs % c.batch_groups)
    raise<ShapeError>(
        op,
        "lhs has " + std::to_string(batch) + " examples of " + std::to_string(features) + " features, rhs " +
            std::to_string(ins) + " in and " + std::to_string(outs) + " out features, in " + std::to_string(c.groups) +
            " feature and " + std::to_string(c.batch_groups) + " batch groups",
        "lhs features = rhs in features times feature_group_count; the groups divide out features and batch.");
}

Dims spatial_of(const Shape& shape, const Dims& order) {
  Dims out;
  for (std::size_t d = 2; d < order.size(); ++d) out.push_back(shape[order[d]]);
  return out;
}

ops::Convolution form_of(const char* op, const Array& lhs, const Array& rhs, const ConvOptions& o) {
  check_operands(op, lhs, rhs);
  const Order order = order_of(op, o.dimension_numbers, lhs.ndim());
  const std::size_t spatial = lhs.shape().size() - 2;
  ops::Convolution c{.lhs = order.lhs, .rhs = order.rhs, .out = order.out};
  c.groups = o.feature_group_count;
  c.batch_groups = o.batch_group_count;
  c.strides = ones_or(op, "window_strides", o.window_strides, spatial);
  c.rhs_dilation = ones_or(op, "rhs_dilation", o.rhs_dilation, spatial);
  c.lhs_dilation = ones_or(op, "lhs_dilation", o.lhs_dilation, spatial);
  check_groups(op, lhs.shape(), rhs.shape(), c);
  c.padding = o.padding.resolve(op, spread(spatial_of(lhs.shape(), c.lhs), c.lhs_dilation),
                                spread(spatial_of(rhs.shape(), c.rhs), c.rhs_dilation), c.strides);
  return c;
}

// Where every window is one element, the same as in the result, it is a matrix product.
bool is_product(const ops::Convolution& c, const Array& lhs, const Array& rhs) {
  Dims left = c.lhs, out = c.out;
  left.erase(left.begin() + 1);
  out.erase(out.begin() + 1);
  const bool in_order =
      c.out[1] == lhs.ndim() - 1 && std::is_sorted(out.begin(), out.end()) && std::is_sorted(left.begin(), left.end());
  const auto ones = [](const Dims& d) { return std::all_of(d.begin(), d.end(), [](auto n) { return n == 1; }); };
  const auto bare = [](const auto& pair) { return pair.first == 0 && pair.second == 0; };
  return in_order && c.groups == 1 && c.batch_groups == 1 && ones(spatial_of(rhs.shape(), c.rhs)) && ones(c.strides) &&
         ones(c.lhs_dilation) && std::all_of(c.padding.begin(), c.padding.end(), bare);
}

Array of_real(const ops::Convolution& c, const Array& lhs, const Array& rhs) {
  if (is_product(c, lhs, rhs)) {
    const bool outs_first = c.rhs[0] < c.rhs[1];
    const std::int64_t outs = rhs.shape()[c.rhs[0]], ins = rhs.shape()[c.rhs[1]];
    const Array matrix = lax::reshape(rhs, outs_first ? Shape{outs, ins} : Shape{ins, outs});
    return lax::dot_general(lhs, matrix, {{c.lhs[1]}, {outs_first ? 1 : 0}, {}, {}});
  }
  const Op& op = ops::convolution;
  const Params params = c;
  const std::vector<ProgramPtr> none;
  const Type result = op.infer(Call{op, params, {lhs.type(), rhs.type()}, none})[0];
  if (result.num_elements() == 0 || lhs.shape().num_elements() == 0 || rhs.shape().num_elements() == 0)
    return ops::zeros(result);
  return bind1(ops::convolution, c, {lhs, rhs});
}

// Sums of 16-bit floats are kept in float32; those of complex numbers are four of real ones.
Array convolved(const ops::Convolution& c, const Array& lhs, const Array& rhs, const std::optional<DType>& preferred) {
  const DType result = preferred.value_or(lhs.dtype());
  if (lhs.dtype().is_complex()) {
    const Array a = lax::real(lhs), b = lax::imag(lhs), x = lax::real(rhs), y = lax::imag(rhs);
    return lax::convert_element_type(
        lax::complex(lax::sub(of_real(c, a, x), of_real(c, b, y)), lax::add(of_real(c, a, y), of_real(c, b, x))),
        result);
  }
  const DType sums = result.is_floating() && result.size() < 4 ? float32 : result;
  auto in_sums = [&](const Array& x) { return lax::convert_element_type(x, sums); };
  return lax::convert_element_type(of_real(c, in_sums(lhs), in_sums(rhs)), result);
}

}  // namespace

Array conv_general_dilated(const In& lhs, const In& rhs, const ConvOptions& o) {
  CallScope scope(lhs.loc);
  const ops::Convolution c = form_of("conv_general_dilated", lhs.array, rhs.array, o);
  return composite(
      "conv_general_dilated",
      [](const Array& lhs, const Array& rhs, const ops::Convolution& c, const std::optional<DType>& preferred) {
        return convolved(c, lhs, rhs, preferred);
      },
      lhs.array, rhs.array, c, o.preferred_element_type);
}

Array conv_transpose(const In& lhs, const In& rhs, const ConvTransposeOptions& o) {
  CallScope scope(lhs.loc);
  const char* op = "conv_transpose";
  check_operands(op, lhs.array, rhs.array);
  const std::size_t spatial = lhs.array.shape().size() - 2;
  const Order order = order_of(op, o.dimension_numbers, lhs.array.ndim());
  const Dims strides = ones_or(op, "strides", o.strides, spatial),
             dilation = ones_or(op, "rhs_dilation", o.rhs_dilation, spatial);
  Dims window(spatial);
  for (std::size_t d = 0; d < spatial; ++d)
    window[d] = spread(rhs.array.shape()[static_cast<std::size_t>(order.rhs[2 + d])], dilation[d]);
  Pairs pairs;
  if (o.padding.name().empty()) {
    pairs = o.padding.resolve(op, Dims(spatial, 0), {}, {});
    if (o.use_consistent_padding)
      for (std::size_t d = 0; d < spatial; ++d)
        pairs[d] = {window[d] - 1 - pairs[d].first, window[d] - 1 - pairs[d].second};
  } else {
    if (o.padding.name() != "SAME" && o.padding.name() != "VALID")
      raise<ValueError>(op, "there is no padding \"" + o.padding.name() + "\"",
                        "Give \"SAME\", \"VALID\" or (before, after) per dim.");
    for (std::size_t d = 0; d < spatial; ++d) {
      const std::int64_t k = window[d], s = strides[d];
      std::int64_t sum = extent::add(k, s - 2), low = k - 1;
      if (o.padding.name() == "VALID")
        sum = extent::add(sum, std::max<std::int64_t>(k - s, 0));
      else if (s <= k - 1)
        low = sum / 2 + sum % 2;
      pairs.push_back({low, sum - low});
    }
  }
  Array kernel = rhs.array;
  if (o.transpose_kernel) {
    kernel = lax::rev(kernel, Dims(order.rhs.begin() + 2, order.rhs.end()));
    Dims exchanged = ops::range(0, kernel.ndim());
    std::swap(exchanged[static_cast<std::size_t>(order.rhs[0])], exchanged[static_cast<std::size_t>(order.rhs[1])]);
    kernel = lax::transpose(kernel, exchanged);
  }
  return conv_general_dilated(lhs, kernel,
                              {.padding = pairs,
                               .lhs_dilation = strides,
                               .rhs_dilation = dilation,
                               .dimension_numbers = o.dimension_numbers,
                               .preferred_element_type = o.preferred_element_type});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
