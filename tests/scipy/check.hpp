// What the tests of SciPy's modules share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <stdexcept>
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

/// What tools/record_scipy.py wrote.
inline const io::Arrays& records() {
  static const io::Arrays& all = *new io::Arrays(io::load_npz("tests/scipy/recorded.npz"));
  return all;
}
inline const Array& recorded(const std::string& name) {
  const auto at = records().find(name);
  if (at == records().end()) throw std::runtime_error("nothing is recorded as '" + name + "'");
  return at->second;
}
/// Real parts, and where there are some imaginary parts behind them.
inline std::vector<double> parts_of(const Array& x) {
  const Array flat = ravel(x);
  const Array parts = iscomplexobj(flat) ? concatenate({real(flat), imag(flat)}) : flat;
  return parts.astype(canonical(float64)).to_vector<double>();
}
/// x has the recorded shape, is complex where that is, and is as near to the values as expect_close says.
inline void expect_recorded(const std::string& name, const Array& x, double relative = 3e-6) {
  SCOPED_TRACE(name);
  const Array& want = recorded(name);
  EXPECT_EQ(iscomplexobj(x), iscomplexobj(want));
  EXPECT_EQ(x.shape(), want.shape());
  expect_close(iscomplexobj(x) ? concatenate({real(ravel(x)), imag(ravel(x))}) : x, parts_of(want), relative);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
