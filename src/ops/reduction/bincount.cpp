// How often each small number stands in an array. Source: jax.numpy.bincount.
#include "ops/reduction/bincount.hpp"

#include <algorithm>
#include <vector>

#include "base/half.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> infer_bincount(const Call& c) {
  const auto& p = c.get<Bincount>();
  const Type& x = c.operands[0];
  if (!x.dtype.is_integer()) raise<TypeError>(c.op.name, "the array is " + x.str(), "It takes integers.");
  if (!p.counts.is_integer())
    raise<TypeError>(c.op.name, "counts cannot be " + std::string(p.counts.name()), "Ask for an integer dtype.");
  if (p.length < 0)
    raise<ValueError>(c.op.name, "the length is " + std::to_string(p.length), "Ask for 0 numbers or more.");
  Shape shape(Dims(x.shape.begin(), x.shape.begin() + p.batch));
  shape.push_back(p.length);
  return {type(p.counts, shape)};
}

// Numbers below 0 count as 0.
void eval_bincount(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Bincount>();
  const std::int64_t rows = p.length ? out[0].size() / p.length : 0;
  const std::int64_t n = rows ? in[0].size() / rows : 0;
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(out[0].size()), 0);
  visit_arithmetic_dtype(in[0].type.dtype, [&]<class T>(Stored<T>) {
    if constexpr (std::integral<T>)
      for (std::int64_t i = 0; i < rows * n; ++i) {
        const auto number = static_cast<std::uint64_t>(std::max<T>(in[0].as<const T>()[i], 0));
        if (number < static_cast<std::uint64_t>(p.length)) ++counts[i / n * p.length + number];
      }
  });
  visit_arithmetic_dtype(p.counts, [&]<class T>(Stored<T>) {
    if constexpr (std::integral<T>)
      for (std::size_t i = 0; i < counts.size(); ++i) out[0].as<T>()[i] = static_cast<T>(counts[i]);
  });
}

Factors factors_bincount(const Call& c, const std::vector<Type>& results) {
  const int batch = c.get<Bincount>().batch;
  FactorBuilder b(c, results);
  for (int d = 0; d < c.operands[0].ndim(); ++d) {
    if (d < batch)
      b.share(0, d, d, results[0].shape[d]);
    else  // with a factor behind it blocks are equal: what fills up a shorter one would be counted
      b.f.operands[0][d] = {b.add(c.operands[0].shape[d], Factors::Kind::sum), b.add(1)};
  }
  b.fixed_result(batch, c.get<Bincount>().length);
  return b.f;
}

}  // namespace

constinit const Home bincount = [] {
  Op op;
  op.name = "bincount";
  op.infer = infer_bincount;
  op.eval = eval_bincount;
  op.factors = factors_bincount;
  op.jvp = [](const Call&, const auto&, const auto&, const auto&) { return std::vector<Array>(1); };
  op.batch = [](const Call& c, const std::vector<Array>& x, const std::vector<bool>&, const BatchAxis&) -> Batched {
    Bincount p = c.get<Bincount>();
    ++p.batch;
    return {{bind1(c.op, p, x)}, {true}};
  };
  op.flops = [](const Call& c, const std::vector<Type>&) { return static_cast<double>(c.operands[0].num_elements()); };
  auto sample = [&](Bincount p, DType dtype, Shape shape) {
    op.samples.push_back(
        {.params = p, .operands = {type(dtype, std::move(shape))}, .lo = -2, .hi = 6, .differentiable = false});
  };
  sample({4}, int32, {30});
  sample({5}, int8, {3, 7});
  sample({5, int32, 1}, uint8, {3, 7});
  sample({3, uint32, 2}, int32, {2, 3, 4});
  sample({0}, int32, {4});
  sample({4}, int32, {0});
  sample({4}, int32, {});
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
