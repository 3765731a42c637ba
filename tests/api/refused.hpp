// Calls that have to fail, and what their errors have to say.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <string>

#include "tutti/base/error.hpp"

namespace tutti::testing {

/// `call` throws an E whose text holds all `parts` and says what to do in its last line.
template <class E> void expect_refused(const std::function<void()>& call, std::initializer_list<const char*> parts) {
  std::string text;
  try {
    call();
  } catch (const E& e) {
    text = e.what();
  }
  ASSERT_FALSE(text.empty()) << "nothing of that class was thrown";
  for (const char* part : parts) EXPECT_NE(text.find(part), text.npos) << "not said: " << part << "\n" << text;
  EXPECT_NE(text.rfind("\n  "), text.npos) << "no advice\n" << text;
}

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
