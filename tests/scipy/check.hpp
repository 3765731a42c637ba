// What the tests of SciPy's modules share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti {

/// Elements as recorded, up to `relative` of the larger of 1 and their size.
inline void expect_close(const Array& x, const std::vector<double>& want, double relative = 1e-5) {
  const std::vector<double> got = ravel(x).astype(canonical(float64)).to_vector<double>();
  ASSERT_EQ(got.size(), want.size()) << type_text(x);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isfinite(want[i]))
      EXPECT_NEAR(got[i], want[i], relative * std::max(1., std::abs(want[i]))) << i;
    else
      EXPECT_TRUE(got[i] == want[i] || (std::isnan(got[i]) && std::isnan(want[i]))) << i << " is " << got[i];
  }
}
inline void expect_close(const Array& x, const Shape& shape, const std::vector<double>& want, double relative = 1e-5) {
  EXPECT_EQ(x.shape(), shape);
  expect_close(x, want, relative);
}
/// `call` throws E, and its text holds every fact.
template <class E, class F> void expect_thrown(const F& call, const std::vector<std::string>& facts) {
  try {
    call();
    ADD_FAILURE() << "no error";
  } catch (const E& e) {
    for (const std::string& fact : facts)
      EXPECT_NE(std::string(e.what()).find(fact), std::string::npos) << "'" << fact << "' is not in: " << e.what();
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
