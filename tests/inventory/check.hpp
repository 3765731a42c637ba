// What the inventory tests share. Each test is named after its row of the inventory: the functions, classes and
// behaviours that the five documents (Equinox autoparallelism, distributed arrays, pmap, sharded computation, Flax data
// parallelism) name or show.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
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

/// A call whose type is forgotten, and the error that it must throw.
struct Failing {
  const void* call;
  void (*run)(const void* call);
  bool (*is_expected)(const std::exception& error);
};
inline void expect_error_of(const Failing& failing, std::initializer_list<std::string_view> facts) {
  try {
    failing.run(failing.call);
    ADD_FAILURE() << "no error";
  } catch (const std::exception& e) {
    if (!failing.is_expected(e)) {
      ADD_FAILURE() << "an error of another class: " << e.what();
      return;
    }
    for (std::string_view fact : facts)
      EXPECT_NE(std::string_view(e.what()).find(fact), std::string_view::npos)
          << "'" << fact << "' is not in: " << e.what();
  }
}
/// `call` throws E, and its text holds every fact.
template <class E, class F> void expect_error(const F& call, std::initializer_list<std::string_view> facts) {
  expect_error_of({&call, [](const void* f) { (*static_cast<const F*>(f))(); },
                   [](const std::exception& e) { return dynamic_cast<const E*>(&e) != nullptr; }},
                  facts);
}

}  // namespace tutti::inventory

// SPDX-License-Identifier: Apache-2.0
