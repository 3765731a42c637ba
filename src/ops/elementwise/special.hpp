#pragma once

#include "ir/home.hpp"

namespace tutti::ops {

extern const Home erf, erfc, erf_inv, lgamma, digamma, trigamma, logaddexp, nextafter;

}  // namespace tutti::ops
