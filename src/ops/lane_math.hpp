// Elementary functions over lanes. Double goes to the C library.
#pragma once

#include "ops/lane.hpp"

namespace tutti::lane {

template <AnyLane L> L exp(L x) { return library(lib_exp, x); }
template <AnyLane L> L exp2(L x) { return library(lib_exp2, x); }
template <AnyLane L> L expm1(L x) { return library(lib_expm1, x); }
template <AnyLane L> L log(L x) { return library(lib_log, x); }
template <AnyLane L> L log1p(L x) { return library(lib_log1p, x); }
template <AnyLane L> L sin(L x) { return library(lib_sin, x); }
template <AnyLane L> L cos(L x) { return library(lib_cos, x); }
template <AnyLane L> L tanh(L x) { return library(lib_tanh, x); }
template <AnyLane L> L erf(L x) { return library(lib_erf, x); }
template <AnyLane L> L erf_inv(L x) { return library(lib_erf_inv, x); }
template <AnyLane L> L logistic(L x) { return 1 / (exp(-x) + 1); }

}  // namespace tutti::lane
