#include "ops/kernel_trials.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "backend/cpu/kernels/kernels.hpp"
#include "base/half.hpp"
#include "ops/sampled.hpp"

namespace tutti::testing {
namespace {

Numbers numbers_of(const BufferPtr& buffer, const Type& type) {
  Numbers out(static_cast<std::size_t>(type.num_elements()));
  visit_dtype(type.dtype, [&]<class T>(Stored<T>) {
    for (std::size_t i = 0; i < out.size(); ++i)
      if constexpr (is_complex_number<T>)
        out[i] = std::complex<double>(static_cast<const T*>(on_host(buffer).data())[i]);
      else
        out[i] = convert_number<double>(static_cast<const T*>(on_host(buffer).data())[i]);
  });
  return out;
}
BufferPtr buffer_of(const Value& value) {
  HostPtr out = allocate_buffer(static_cast<std::size_t>(value.type.nbytes()));
  visit_dtype(value.type.dtype, [&]<class T>(Stored<T>) {
    for (std::size_t i = 0; i < value.numbers.size(); ++i)
      if constexpr (is_complex_number<T>)
        static_cast<T*>(out->data())[i] = T(value.numbers[i]);
      else
        static_cast<T*>(out->data())[i] = convert_number<T>(value.numbers[i].real());
  });
  return out;
}

Value random_value(const Type& type, const Trial& trial, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(trial.lo, trial.hi);
  Value out{type, Numbers(static_cast<std::size_t>(type.num_elements()))};
  for (std::complex<double>& z : out.numbers) {
    z = type.dtype.is_complex() ? std::complex(uniform(random), uniform(random)) : uniform(random);
    if (type.dtype.is_bool()) z = static_cast<double>(random() & 1);
    if (type.dtype.is_integer()) z = std::round(z.real());
    if (type.dtype.is_unsigned()) z = std::abs(z.real());
  }
  return out;
}

}  // namespace

Answers answers(const Op& op, const Trial& trial, std::mt19937_64& random) {
  Answers out{trial, {}, {}, {}};
  for (const Type& t : trial.operands) out.in.push_back(random_value(t, trial, random));
  if (trial.prepare) trial.prepare(out.in);
  std::vector<BufferPtr> kept;
  std::vector<HostView> in;
  for (Value& v : out.in) {
    kept.push_back(buffer_of(v));
    v.numbers = numbers_of(kept.back(), v.type);  // as they are stored
    in.push_back({v.type, on_host(kept.back()).data()});
  }
  const std::vector<ProgramPtr> none;
  const Call call{op, trial.params, trial.operands, none};
  kernels::Kernel* const kernel = kernels::kernel_of(call);
  EXPECT_TRUE(kernel) << op.name << " has no kernel for " << trial.operands[0].str();
  const std::vector<Type> results = infer_types(op, trial.params, trial.operands, none);
  auto run = [&](auto&& f) {
    std::vector<BufferPtr> made;
    std::vector<HostView> to;
    std::vector<Value> values;
    for (const Type& t : results) {
      made.push_back(allocate_buffer(static_cast<std::size_t>(t.nbytes())));
      to.push_back({t, on_host(made.back()).data()});
    }
    f(call, in, to);
    for (std::size_t i = 0; i < made.size(); ++i) values.push_back({results[i], numbers_of(made[i], results[i])});
    return values;
  };
  out.plain = run(op.eval);
  if (kernel) out.fast = run(*kernel);
  return out;
}

double epsilon(DType dtype) {
  const DType real = real_dtype(dtype);
  return real == float64 ? 0x1p-52 : real == float16 ? 0x1p-10 : real == bfloat16 ? 0x1p-7 : 0x1p-23;
}

void expect_near(const Value& fast, const Value& plain, double epsilons, double scale) {
  ASSERT_EQ(fast.numbers.size(), plain.numbers.size());
  auto is_nan = [](std::complex<double> z) { return std::isnan(z.real()) || std::isnan(z.imag()); };
  for (std::size_t i = 0; i < fast.numbers.size(); ++i) {
    const std::complex<double> x = fast.numbers[i], y = plain.numbers[i];
    if (x == y || (is_nan(x) && is_nan(y))) continue;
    ASSERT_LE(std::abs(x - y), epsilons * epsilon(plain.type.dtype) * scale)
        << "element " << i << ": " << x << " of the kernel, " << y << " of eval";
  }
}

void expect_same(const Answers& a) {
  ASSERT_EQ(a.fast.size(), a.plain.size());
  for (std::size_t r = 0; r < a.plain.size(); ++r) {
    SCOPED_TRACE("result " + std::to_string(r));
    expect_near(a.fast[r], a.plain[r], 0, 0);
  }
}

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
