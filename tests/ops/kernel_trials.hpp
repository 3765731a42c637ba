// Kernels of the CPU (backend/cpu/kernels) beside the plain evaluations of their ops, on random operands.
#pragma once

#include <complex>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ir/op.hpp"

namespace tutti::testing {

using Numbers = std::vector<std::complex<double>>;

/// Elements of an operand or result, row-major.
struct Value {
  Type type;
  Numbers numbers;
};

/// One call of an op. `prepare` makes of random operands what the op takes.
struct Trial {
  Params params = {};
  std::vector<Type> operands;
  double lo = -2, hi = 2;
  std::function<void(std::vector<Value>&)> prepare = {};
};

/// What the kernel and eval made of the same operands.
struct Answers {
  Trial trial;
  std::vector<Value> in, plain, fast;
};

/// Runs the trial by the kernel that the op has for it, which is there, and by eval.
Answers answers(const Op& op, const Trial& trial, std::mt19937_64& random);
/// The distance from 1 to the next number of this precision.
double epsilon(DType dtype);
/// Numbers of the trial differ by at most so many epsilons of `scale`; two NaN, and equal infinities, do not differ.
void expect_near(const Value& fast, const Value& plain, double epsilons, double scale);
/// The same elements.
void expect_same(const Answers& a);

inline Type typed(DType dtype, Shape shape) { return {dtype, std::move(shape), false, {}}; }

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
