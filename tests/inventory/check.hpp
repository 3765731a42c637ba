// What the inventory tests share. Each test is named after its row of the inventory: the functions, classes and
// behaviours that the five documents (Equinox autoparallelism, distributed arrays, pmap, sharded computation, Flax data
// parallelism) name or show.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::inventory {

inline Mesh mesh42() { return make_mesh({4, 2}, {"x", "y"}); }
inline Mesh line8() { return make_mesh({8}, {"x"}); }

template <class T = float> void expect_values(const Array& x, const std::vector<T>& want, double tolerance = 0) {
  std::vector<T> got = x.to_vector<T>();
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    EXPECT_NEAR(static_cast<double>(got[i]), static_cast<double>(want[i]), tolerance) << "element " << i;
}

/// `call` throws E, and its text holds every fact.
template <class E, class F> void expect_error(F&& call, std::initializer_list<std::string> facts) {
  try {
    call();
    ADD_FAILURE() << "no error";
  } catch (const E& e) {
    for (const std::string& fact : facts)
      EXPECT_NE(std::string(e.what()).find(fact), std::string::npos) << "'" << fact << "' is not in: " << e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "an error of another class: " << e.what();
  }
}

}  // namespace tutti::inventory
