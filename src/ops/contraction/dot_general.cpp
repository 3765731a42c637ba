// Sums of products over paired dims. Result dims: batch, free dims of lhs, free dims of rhs. Source:
// jax.lax.dot_general.
#include <algorithm>

#include "base/half.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/movement/movement.hpp"
#include "ops/wide.hpp"
#include "tutti/lax/complex.hpp"

namespace tutti::ops {

Dims free_dims(int ndim, const Dims& contract, const Dims& batch) {
  Dims out;
  for (int d = 0; d < ndim; ++d)
    if (!contains(contract, d) && !contains(batch, d)) out.push_back(d);
  return out;
}

namespace {

void check_pairs(const Call& c, const char* what, const Dims& l, const Dims& r) {
  const Type& lhs = c.operands[0];
  const Type& rhs = c.operands[1];
  if (l.size() != r.size())
    raise<ShapeError>("dot",
                      std::string(what) + " dims " + text(l) + " of lhs and " + text(r) + " of rhs are not pairs",
                      "Name as many on either side.");
  for (std::size_t i = 0; i < l.size(); ++i) {
    std::int64_t a = lhs.shape[l[i]], b = rhs.shape[r[i]];
    if (a == b) continue;
    std::string remedy = "The extents must be equal.";
    if (lhs.ndim() == 2 && rhs.ndim() == 2 && rhs.shape[1 - r[i]] == a)
      remedy = "Or did you mean the transpose of rhs? Write .T().";
    raise<ShapeError>("dot",
                      std::string(what) + " dimensions differ: lhs " + lhs.str() + " dim " + std::to_string(l[i]) +
                          " is " + std::to_string(a) + ", rhs " + rhs.str() + " dim " + std::to_string(r[i]) + " is " +
                          std::to_string(b),
                      remedy);
  }
}

std::vector<Type> infer(const Call& c) {
  const auto& p = c.get<DotGeneral>();
  const Type& lhs = c.operands[0];
  const Type& rhs = c.operands[1];
  if (lhs.dtype != rhs.dtype || lhs.dtype.is_key())
    raise<TypeError>("dot", "lhs is " + lhs.str() + ", rhs " + rhs.str(), "Convert them to one number type.");
  Dims l = p.dims.lhs_batch, r = p.dims.rhs_batch;
  l.insert(l.end(), p.dims.lhs_contract.begin(), p.dims.lhs_contract.end());
  r.insert(r.end(), p.dims.rhs_contract.begin(), p.dims.rhs_contract.end());
  check_dims("dot", "dims of lhs", l, lhs.ndim());
  check_dims("dot", "dims of rhs", r, rhs.ndim());
  check_pairs(c, "contracting", p.dims.lhs_contract, p.dims.rhs_contract);
  check_pairs(c, "batch", p.dims.lhs_batch, p.dims.rhs_batch);
  Shape shape;
  for (std::int64_t d : p.dims.lhs_batch) shape.push_back(lhs.shape[d]);
  for (std::int64_t d : free_dims(lhs.ndim(), p.dims.lhs_contract, p.dims.lhs_batch)) shape.push_back(lhs.shape[d]);
  for (std::int64_t d : free_dims(rhs.ndim(), p.dims.rhs_contract, p.dims.rhs_batch)) shape.push_back(rhs.shape[d]);
  return {type(p.preferred.value_or(lhs.dtype), shape)};
}

struct Walk {
  Shape shape;
  Dims lhs, rhs;
};  // extents, and the strides of both operands

// Floats are summed in double and rounded once: what an oracle says should not depend on the order.
template <class T>
using SumOf = std::conditional_t<is_complex_number<T>, std::complex<double>,
                                 std::conditional_t<std::integral<T>, Wide<T>, double>>;

// Writes a sum as element `at` of the result. A function apart: products are many templates already.
template <class Sum> using Store = void (*)(const HostView& out, std::int64_t at, Sum sum);

template <class Sum> Store<Sum> store_as(DType dtype) {
  return visit_arithmetic_dtype(dtype, []<class Out>(Stored<Out>) -> Store<Sum> {
    return [](const HostView& out, std::int64_t at, Sum sum) {
      if constexpr (std::same_as<Sum, std::complex<double>>) {
        if constexpr (is_complex_number<Out>) out.as<Out>()[at] = Out(sum);
      } else if constexpr (std::same_as<Out, BFloat16> || std::same_as<Out, Float16>) {
        out.as<Out>()[at] = Out(static_cast<float>(sum));
      } else {
        out.as<Out>()[at] = static_cast<Out>(sum);
      }
    };
  });
}

// T: element of the operands; Sum: what is accumulated.
template <class T, class Sum>
void products(const HostView& l, const HostView& r, const HostView& out, const Walk& outer, const Walk& inner) {
  const Store<Sum> store = store_as<Sum>(out.type.dtype);
  for_each_index(outer.shape, [&](const Dims& index, std::int64_t flat) {
    std::int64_t a = 0, b = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      a += index[d] * outer.lhs[d];
      b += index[d] * outer.rhs[d];
    }
    Sum sum{};
    for_each_index(inner.shape, [&](const Dims& k, std::int64_t) {
      std::int64_t i = a, j = b;
      for (std::size_t d = 0; d < k.size(); ++d) {
        i += k[d] * inner.lhs[d];
        j += k[d] * inner.rhs[d];
      }
      sum = static_cast<Sum>(sum + static_cast<Sum>(l.as<T>()[i]) * static_cast<Sum>(r.as<T>()[j]));
    });
    store(out, flat, sum);
  });
}

void eval(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& d = c.get<DotGeneral>().dims;
  const HostView &l = in[0], &r = in[1];
  Dims ls = row_major_strides(l.type.shape), rs = row_major_strides(r.type.shape);
  Walk outer, inner;
  for (std::size_t i = 0; i < d.lhs_batch.size(); ++i) {
    outer.shape.push_back(l.type.shape[d.lhs_batch[i]]);
    outer.lhs.push_back(ls[d.lhs_batch[i]]);
    outer.rhs.push_back(rs[d.rhs_batch[i]]);
  }
  for (std::int64_t f : free_dims(l.type.ndim(), d.lhs_contract, d.lhs_batch)) {
    outer.shape.push_back(l.type.shape[f]);
    outer.lhs.push_back(ls[f]);
    outer.rhs.push_back(0);
  }
  for (std::int64_t f : free_dims(r.type.ndim(), d.rhs_contract, d.rhs_batch)) {
    outer.shape.push_back(r.type.shape[f]);
    outer.lhs.push_back(0);
    outer.rhs.push_back(rs[f]);
  }
  for (std::size_t i = 0; i < d.lhs_contract.size(); ++i) {
    inner.shape.push_back(l.type.shape[d.lhs_contract[i]]);
    inner.lhs.push_back(ls[d.lhs_contract[i]]);
    inner.rhs.push_back(rs[d.rhs_contract[i]]);
  }
  visit_arithmetic_dtype(l.type.dtype, [&]<class T>(Stored<T>) {
    if constexpr (std::signed_integral<T>)
      if (out[0].type.dtype.is_inexact()) return products<T, double>(l, r, out[0], outer, inner);
    products<T, SumOf<T>>(l, r, out[0], outer, inner);
  });
}

Factors factors(const Call& c, const std::vector<Type>& results) {
  const auto& d = c.get<DotGeneral>().dims;
  const Type &l = c.operands[0], &r = c.operands[1];
  FactorBuilder b(c, results);
  int at = 0;
  for (std::size_t i = 0; i < d.lhs_batch.size(); ++i) {
    int factor = b.share(0, static_cast<int>(d.lhs_batch[i]), at++, l.shape[d.lhs_batch[i]]);
    b.f.operands[1][d.rhs_batch[i]] = {factor};
  }
  for (std::int64_t f : free_dims(l.ndim(), d.lhs_contract, d.lhs_batch))
    b.share(0, static_cast<int>(f), at++, l.shape[f]);
  for (std::int64_t f : free_dims(r.ndim(), d.rhs_contract, d.rhs_batch))
    b.share(1, static_cast<int>(f), at++, r.shape[f]);
  for (std::size_t i = 0; i < d.lhs_contract.size(); ++i) {
    // Bools are combined by "or", which is a max.
    int factor = b.add(l.shape[d.lhs_contract[i]], l.dtype.is_bool() ? Factors::Kind::max : Factors::Kind::sum);
    b.f.operands[0][d.lhs_contract[i]] = b.f.operands[1][d.rhs_contract[i]] = {factor};
  }
  return b.f;
}

// The cotangent of one operand: contract the result's cotangent with the other operand over that one's free dims. Its
// dims come out as batch, own free, and contracted dims in the order of the other operand; a transpose puts them in
// place.
Array transposed_side(const Call& c, Array ct, const Array& other, bool left) {
  const auto& d = c.get<DotGeneral>().dims;
  const Type& self = c.operands[left ? 0 : 1];
  const Dims &my_batch = left ? d.lhs_batch : d.rhs_batch, &other_batch = left ? d.rhs_batch : d.lhs_batch;
  const Dims &my_contract = left ? d.lhs_contract : d.rhs_contract,
             &other_contract = left ? d.rhs_contract : d.lhs_contract;
  Dims my_free = free_dims(self.ndim(), my_contract, my_batch),
       other_free = free_dims(other.ndim(), other_contract, other_batch);
  std::int64_t nb = my_batch.size(), nl = left ? my_free.size() : other_free.size();
  Dims batch = range(0, nb);
  Dims over = left ? range(nb + nl, ct.ndim()) : range(nb, nb + nl);
  if (ct.dtype() != self.dtype) ct = lax::convert_element_type(ct, self.dtype);
  Array out = lax::dot_general(ct, other, lax::DotDims{over, other_free, batch, other_batch});
  // `out` dims: batch, my_free, then other_contract sorted by position in `other`.
  Dims sorted = other_contract;
  std::sort(sorted.begin(), sorted.end());
  Dims source(self.ndim());  // self dim -> dim of out
  std::int64_t at = 0;
  for (std::int64_t b : my_batch) source[b] = at++;
  for (std::int64_t f : my_free) source[f] = at++;
  for (std::int64_t o : sorted)
    source[my_contract[std::find(other_contract.begin(), other_contract.end(), o) - other_contract.begin()]] = at++;
  return source == range(0, self.ndim()) ? out : lax::transpose(out, source);
}

std::vector<Array> transposed(const Call& c, const std::vector<Array>& cts, const std::vector<Array>& operands,
                              const std::vector<bool>& undefined) {
  std::vector<Array> out(2);
  for (int i : {0, 1})
    if (undefined[i]) out[i] = transposed_side(c, cts[0], operands[1 - i], i == 0);
  return out;
}

Batched batch(const Call& c, const std::vector<Array>& operands, const std::vector<bool>& mapped, const BatchAxis&) {
  DotGeneral p = c.get<DotGeneral>();
  bool both = mapped[0] && mapped[1];
  std::int64_t nb = p.dims.lhs_batch.size();
  std::int64_t lhs_free = c.operands[0].ndim() - nb - static_cast<std::int64_t>(p.dims.lhs_contract.size());
  if (mapped[0]) {
    p.dims.lhs_contract = shifted(p.dims.lhs_contract);
    p.dims.lhs_batch = shifted(p.dims.lhs_batch, 1, both);
  }
  if (mapped[1]) {
    p.dims.rhs_contract = shifted(p.dims.rhs_contract);
    p.dims.rhs_batch = shifted(p.dims.rhs_batch, 1, both);
  }
  Array out = bind1(dot_general, p, operands);
  return {{to_front(out, both ? 0 : static_cast<int>(mapped[0] ? nb : nb + lhs_free))}, {true}};
}

}  // namespace

constinit const Home dot_general = [] {
  Op op;
  op.name = "dot_general";
  op.infer = infer;
  op.eval = eval;
  op.factors = factors;
  op.linear = {{0}, {1}};
  // A partial sum times something large may be infinite where the whole is not.
  op.adds_up = [](const Call& c, const std::vector<int>& set, const std::vector<Magnitude>& operands) {
    return c.operands[0].dtype.is_integer() || operands[1 - set[0]].most <= 1;
  };
  op.spread = Spread::second;
  op.flops = [](const Call& c, const std::vector<Type>& results) {
    double terms = 1;
    for (std::int64_t d : c.get<DotGeneral>().dims.lhs_contract)
      terms *= static_cast<double>(c.operands[0].shape[static_cast<int>(d)]);
    return 2 * terms * static_cast<double>(results[0].num_elements());
  };
  op.transpose = transposed;
  op.batch = batch;
  lax::DotDims matrix = {{1}, {0}, {}, {}}, many = {{2}, {1}, {0}, {0}}, two = {{2, 0}, {0, 1}, {1}, {2}};
  auto pair = [](DType dtype, Shape l, Shape r) {
    return std::vector{type(dtype, std::move(l)), type(dtype, std::move(r))};
  };
  op.samples = {
      {.params = DotGeneral{matrix, {}}, .operands = pair(float32, {3, 5}, {5, 4}), .ulp = 32},
      {.params = DotGeneral{{{0}, {0}, {}, {}}, {}}, .operands = pair(float32, {6}, {6}), .ulp = 32},
      {.params = DotGeneral{{{0}, {1}, {}, {}}, {}}, .operands = pair(float32, {5, 3}, {2, 5}), .ulp = 32},
      {.params = DotGeneral{many, {}}, .operands = pair(float32, {2, 3, 4}, {2, 4, 5}), .ulp = 32},
      {.params = DotGeneral{two, {}}, .operands = pair(float32, {2, 3, 4}, {4, 2, 3}), .ulp = 32},
      {.params = DotGeneral{{{}, {}, {}, {}}, {}}, .operands = pair(float32, {3}, {2}), .ulp = 32},
      {.params = DotGeneral{matrix, {}}, .operands = pair(float32, {3, 0}, {0, 2}), .ulp = 32},
      {.params = DotGeneral{matrix, {}}, .operands = pair(float32, {1, 7}, {7, 1}), .ulp = 32},
      {.params = DotGeneral{matrix, {}}, .operands = pair(int32, {3, 4}, {4, 2})},
      {.params = DotGeneral{matrix, {}}, .operands = pair(bfloat16, {3, 4}, {4, 2}), .ulp = 32},
      {.params = DotGeneral{matrix, float32}, .operands = pair(bfloat16, {3, 4}, {4, 2}), .ulp = 32},
  };
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

namespace {

// Products of complex numbers are four of real ones, which the engine has.
Array of_parts(const Array& lhs, const Array& rhs, const DotDims& dims, std::optional<DType> preferred) {
  if (preferred) preferred = real_dtype(*preferred);
  const Array a = real(lhs), b = imag(lhs), c = real(rhs), d = imag(rhs);
  auto product = [&](const Array& x, const Array& y) { return dot_general(x, y, dims, preferred); };
  return complex(sub(product(a, c), product(b, d)), add(product(a, d), product(b, c)));
}

}  // namespace

Array dot_general(const In& lhs, const In& rhs, const DotDims& dims, std::optional<DType> preferred) {
  CallScope scope(lhs.loc);
  if (preferred && *preferred == lhs.array.dtype()) preferred = {};  // one spelling for one meaning
  if (preferred && arithmetic_dtype(*preferred) != *preferred)
    return convert_element_type(dot_general(lhs, rhs, dims, arithmetic_dtype(*preferred)), *preferred);
  if (preferred && preferred->is_complex() && !lhs.array.dtype().is_complex())
    return convert_element_type(dot_general(lhs, rhs, dims, real_dtype(*preferred)), *preferred);
  if (preferred && !preferred->is_complex() && lhs.array.dtype().is_complex()) {  // the real part
    const std::optional<DType> wide = *preferred == float64 ? std::optional<DType>(complex128) : std::nullopt;
    return convert_element_type(dot_general(lhs, rhs, dims, wide), *preferred);
  }
  const ops::DotGeneral form{dims, preferred};
  const Type &l = lhs.array.type(), &r = rhs.array.type();
  if (l.dtype.is_complex() && l.dtype == r.dtype && (!preferred || preferred->is_complex())) {
    const Op& op = ops::dot_general;
    const Params params = form;
    const std::vector<ProgramPtr> no_subs;
    op.infer(Call{op, params, {l, r}, no_subs});  // what does not fit is refused by its own types
    return of_parts(lhs.array, rhs.array, dims, preferred);
  }
  return bind1(ops::dot_general, form, {lhs.array, rhs.array});
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
