#include "ops/elementwise/pointwise.hpp"

#include <limits>
#include <numeric>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/complex.hpp"
#include "ops/elementwise/powers.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::ops {

unsigned class_of(DType d) {
  if (d.is_bool()) return takes_bool;
  if (d.is_signed()) return takes_signed;
  if (d.is_unsigned()) return takes_unsigned;
  if (d.is_floating()) return takes_floating;
  return d.is_complex() ? takes_complex : takes_key;
}

namespace {

std::string listed(const std::vector<Type>& types) {
  std::string out;
  for (std::size_t i = 0; i < types.size(); ++i)
    out += (i == 0 ? "" : i + 1 == types.size() ? " and " : ", ") + types[i].str();
  return out;
}
std::string words(unsigned mask) {
  std::string out;
  auto word = [&](unsigned c, const char* w) {
    if ((mask & c) == c) out += (out.empty() ? "" : ", ") + std::string(w);
  };
  word(takes_bool, "bool");
  if ((mask & takes_integer) == takes_integer)
    out += out.empty() ? "integers" : ", integers";
  else {
    word(takes_signed, "signed integers");
    word(takes_unsigned, "unsigned integers");
  }
  word(takes_floating, "floating types");
  word(takes_complex, "complex types");
  return out;
}

}  // namespace

void check_equal_dtypes(const Call& c, std::size_t first) {
  for (std::size_t i = first + 1; i < c.operands.size(); ++i)
    if (c.operands[i].dtype != c.operands[first].dtype)
      raise<TypeError>(c.op.name, "operands have different dtypes: " + listed(c.operands),
                       "Use astype() on one of them, or the functions of namespace tutti, which promote.");
}

Shape pointwise_shape(const Call& c, unsigned mask) {
  Shape shape;
  bool found = false;
  for (const Type& t : c.operands) {
    if (!(mask & class_of(t.dtype)))
      raise<TypeError>(c.op.name,
                       "does not take " + std::string(t.dtype.name()) + ": operands are " + listed(c.operands),
                       "It takes " + words(mask) + ": convert with astype().");
    if (t.ndim() == 0) continue;
    if (found && t.shape != shape)
      raise<ShapeError>(
          c.op.name, "operands have different shapes: " + listed(c.operands),
          "Use broadcast_to() or reshape() on one of them; extents must be equal, or 1 where functions broadcast.");
    shape = t.shape;
    found = true;
  }
  return shape;
}

Factors pointwise_factors(const Call& c, const std::vector<Type>& results) {
  Factors f;
  Factors::Dims dims;
  for (int d = 0; d < results[0].ndim(); ++d) {
    f.factors.push_back({results[0].shape[d]});
    dims.push_back({d});
  }
  for (const Type& t : c.operands) f.operands.push_back(t.ndim() == 0 ? Factors::Dims{} : dims);
  f.results.push_back(dims);
  return f;
}

Batched pointwise_batch(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped,
                        const BatchAxis& axis) {
  Shape shape;
  for (const Type& t : c.operands)
    if (t.ndim() > 0) shape = t.shape;
  Shape full = shape;
  full.insert(0, axis.size);
  std::vector<Array> in;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    int ndim = c.operands[i].ndim();
    bool whole = ndim == shape.ndim();
    if (mapped[i] ? whole : ndim == 0) {
      in.push_back(operands[i]);
      continue;
    }
    lax::Dims dims(static_cast<std::size_t>(
        ndim +
        mapped[i]));  // an unmapped array keeps its dims behind the new one; a mapped scalar has the new one only
    std::iota(dims.begin(), dims.end(), mapped[i] ? 0 : 1);
    in.push_back(lax::broadcast_in_dim(operands[i], full, dims));
  }
  return {{bind1(c.op, c.params, std::move(in))}, {true}};
}

Array cotangent_for(const Array& cotangent, const Type& operand) {
  if (!cotangent.has_value() || operand.ndim() == cotangent.ndim()) return cotangent;
  lax::Dims axes(static_cast<std::size_t>(cotangent.ndim()));
  std::iota(axes.begin(), axes.end(), 0);
  return lax::reduce_sum(cotangent, axes);
}

namespace {

// A tangent in the shape of the result: rules of scalar operands may give a scalar.
Array shaped(const Array& t, const Array& like) {
  return t.ndim() == like.ndim() ? t : lax::broadcast_in_dim(t, like.shape(), {});
}

}  // namespace

Op pointwise_frame(std::string name) {
  Op op;
  op.name = std::move(name);
  op.factors = pointwise_factors;
  op.batch = pointwise_batch;
  return op;
}

Op pointwise_frame(std::string name, std::size_t arity, unsigned mask, Rules rules) {
  Op op = pointwise_frame(std::move(name));
  op.linear = rules.linear;
  op.signs = rules.signs;
  op.transpose = rules.transpose;
  op.adds_up = rules.adds_up;
  op.magnitude = rules.magnitude;
  op.not_differentiable = rules.not_differentiable;
  if (!(mask & takes_inexact)) op.not_differentiable = "it takes no inexact numbers";
  op.samples = pointwise_samples(arity, mask, rules);
  if (rules.flat) op.jvp = [](const Call&, const auto&, const auto&, const auto&) { return std::vector<Array>(1); };
  if (rules.d)
    op.jvp = [d = rules.d](const Call&, const std::vector<Array>& x, const std::vector<Array>& y,
                           const std::vector<Array>& t) -> std::vector<Array> {
      if (!t[0].has_value()) return {Array()};
      return {lax::mul(t[0], d({x[0]}, {y[0]}).a)};
    };
  if (rules.dx || rules.dy)
    op.jvp = [dx = rules.dx, dy = rules.dy](const Call&, const std::vector<Array>& x, const std::vector<Array>& z,
                                            const std::vector<Array>& t) -> std::vector<Array> {
      Array sum;
      auto term = [&](const Array& tangent, const auto& d) {
        if (!d || !tangent.has_value()) return;
        Array part = shaped(lax::mul(tangent, d(V{x[0]}, V{x[1]}, V{z[0]}).a), z[0]);
        sum = sum.has_value() ? lax::add(sum, part) : part;
      };
      term(t[0], dx);
      term(t[1], dy);
      return {sum};
    };
  return op;
}

std::vector<Sample> pointwise_samples(std::size_t arity, unsigned mask, const Rules& rules) {
  std::vector<Sample> out;
  auto sample = [&](DType dtype, std::vector<Shape> shapes) {
    Sample s;
    for (std::size_t i = 0; i < arity; ++i) s.operands.push_back(Type{dtype, shapes[i % shapes.size()], false, {}});
    s.lo = rules.lo;
    s.hi = rules.hi;
    s.ulp = rules.ulp;
    s.differentiable = rules.smooth && dtype == float32;
    out.push_back(std::move(s));
  };
  DType main = mask & takes_floating ? float32 : mask & takes_signed ? int32 : bool_;
  sample(main, {Shape{3, 4}});
  sample(main, {Shape{}});
  sample(main, {Shape{0, 2}});
  sample(main, {Shape{37}});  // more than one vector, and a rest
  if (arity > 1) {
    sample(main, {Shape{2, 3}, Shape{}});
    sample(main, {Shape{}, Shape{5}});
  }
  if (mask & takes_floating) {
    sample(bfloat16, {Shape{4, 3}});
    sample(float16, {Shape{7}});
  }
  if (mask & takes_signed) {
    sample(int32, {Shape{9}});
    sample(int8, {Shape{2, 2}});
  }
  if (mask & takes_unsigned) {
    sample(uint32, {Shape{9}});
    sample(uint8, {Shape{3}});
  }
  if (mask & takes_complex) {
    sample(complex64, {Shape{3, 2}});
    sample(complex128, {Shape{5}});
  }
  if (mask & takes_bool) sample(bool_, {Shape{2, 3}});
  return out;
}

V magnitude_of(const Parts& z) {
  const Array x = apply(abs, z.re).a, y = apply(abs, z.im).a;
  const V high{lax::max(x, y)}, low{lax::min(x, y)}, ratio = low / high;
  const V size = high * apply(sqrt, ratio * ratio + 1.0);
  const V plain{lax::bitwise_or((high == 0.0).a, (high == std::numeric_limits<double>::infinity()).a)};
  return choose(plain, high, size);
}

Parts quotient_of(const Parts& x, const Parts& y) {
  auto part = [&](const Home& of) { return V{bind1(of, {}, {x.re.a, x.im.a, y.re.a, y.im.a})}; };
  return {part(quotient_real), part(quotient_imag)};
}

Reg complex_word(VectorIR& ir, Reg re, Reg im) {
  auto word = [&](Reg x) { return ir.convert(ir.bitcast(x, uint32), uint64); };
  return ir.binary(VectorIR::Bin::or_, word(re), ir.binary(VectorIR::Bin::shl, word(im), ir.constant_int(uint64, 32)));
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
