// What callbacks were told, and what was printed.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::testing {

/// Numbers that a callback got, in order.
struct Heard {
  std::vector<float> values;
  /// A function that notes its argument, a scalar.
  auto note() {
    return [this](const Array& x) { values.push_back(float(x)); };
  }
};

inline std::string printed(const std::function<void()>& run) {
  ::testing::internal::CaptureStdout();
  run();
  return ::testing::internal::GetCapturedStdout();
}

/// The text of the E that `run` throws; a failure when it throws none.
template <class E> std::string error_of(const std::function<void()>& run) {
  try {
    run();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another exception: " << e.what();
    return "";
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
