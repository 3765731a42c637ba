// Elementwise ops that no loop of the engine computes: functions of arrays of complex numbers, several numbers at a
// time, and evaluations whose elements are shared out among the workers.
#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "backend/cpu/kernels/kernels.hpp"
#include "base/tasks.hpp"
#include "lane/complex_functions.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/hypergeometric.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/elementwise/powers.hpp"
#include "ops/elementwise/trigonometric.hpp"

namespace tutti::kernels {
namespace {

using Functions = std::unordered_map<const Op*, const lane::ComplexFunction*>;

const Functions& functions() {
  static const auto& all =
      *new Functions{{&ops::sqrt, &lane::complex_sqrt},   {&ops::rsqrt, &lane::complex_rsqrt},
                     {&ops::exp2, &lane::complex_exp2},   {&ops::expm1, &lane::complex_expm1},
                     {&ops::log1p, &lane::complex_log1p}, {&ops::logistic, &lane::complex_logistic},
                     {&ops::sinh, &lane::complex_sinh},   {&ops::cosh, &lane::complex_cosh},
                     {&ops::tan, &lane::complex_tan},     {&ops::tanh, &lane::complex_tanh},
                     {&ops::asin, &lane::complex_asin},   {&ops::acos, &lane::complex_acos},
                     {&ops::atan, &lane::complex_atan},   {&ops::asinh, &lane::complex_asinh},
                     {&ops::acosh, &lane::complex_acosh}, {&ops::atanh, &lane::complex_atanh},
                     {&ops::pow, &lane::complex_pow},     {&ops::mul, &lane::complex_mul}};
  return all;
}

// Nanoseconds of an element, about: more than 10 for each that stands here.
const std::unordered_map<const Op*, double>& slow_ops() {
  static const auto& all = *new std::unordered_map<const Op*, double>{
      {&ops::hyp1f1, 500}, {&ops::hyp2f1, 1000}, {&ops::hyp1f1_slope, 10000}, {&ops::hyp2f1_slope, 50000}};
  return all;
}

// Elements begin to end of an operand or result; one number beside arrays is itself.
HostView piece_of(const HostView& x, std::int64_t begin, std::int64_t end) {
  if (x.type.ndim() == 0) return x;
  return {{x.type.dtype, Shape{end - begin}, x.type.weak, {}}, x.as<char>() + begin * x.type.dtype.size()};
}

}  // namespace

bool is_shared_out(const Call& c) {
  return (c.op.pointwise && !c.operands.empty() && c.operands[0].dtype.is_complex()) || slow_ops().contains(&c.op);
}

void elementwise(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto slow = slow_ops().find(&c.op);
  in_pieces(out[0].size(), slow == slow_ops().end() ? 10 : slow->second, [&](std::int64_t begin, std::int64_t end) {
    if (begin == 0 && end == out[0].size()) return c.op.eval(c, in, out);
    std::vector<HostView> part;
    std::vector<Type> types;
    for (const HostView& x : in) types.push_back(part.emplace_back(piece_of(x, begin, end)).type);
    const HostView result = piece_of(out[0], begin, end);
    c.op.eval(Call{c.op, c.params, types, c.subs}, part, {&result, 1});
  });
}

bool has_complex_function(const Call& c) {
  return !c.operands.empty() && c.operands[0].dtype.is_complex() && functions().contains(&c.op);
}

void complex_function(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const lane::ComplexFunction& f = *functions().at(&c.op);
  with_storage<takes_complex>(c.operands[0].dtype, [&]<class T>() {
    const HostView &first = in.front(), &last = in.back();
    const bool same = first.type.ndim() == 0 && out[0].type.ndim() > 0;  // one number beside an array
    const std::int64_t step = last.type.ndim() > 0;
    const T *x = first.template as<const T>(), *y = last.template as<const T>();
    T* z = out[0].as<T>();
    in_pieces(out[0].size(), 4, [&](std::int64_t begin, std::int64_t end) {
      if (!same) return f(x + begin, y + begin * step, step, z + begin, end - begin);
      T numbers[64];
      std::fill(std::begin(numbers), std::end(numbers), *x);
      for (std::int64_t i = begin; i < end; i += 64)
        f(numbers, y + i * step, step, z + i, std::min<std::int64_t>(64, end - i));
    });
  });
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
