// What every error of tutti has to say; each test of this folder gives calls that have to fail, and what their texts must name.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tutti/error.hpp"

namespace tutti {

/// `call` throws an E (that very class) whose text opens with `operation`, names all `facts`, bears the line of the expectation, so write
/// the call on that line, and ends with a line that says what to do.
template <class E, class F>
void expect_error(const std::string& operation, const std::vector<std::string>& facts, F&& call, Loc here = Loc::current()) {
  testing::ScopedTrace trace(here.file, static_cast<int>(here.line), operation);
  std::string text;
  try {
    call();
  } catch (const Error& e) {
    text = e.what();
    EXPECT_TRUE(typeid(e) == typeid(E)) << "the class is " << typeid(e).name() << "\n" << text;
  }
  ASSERT_FALSE(text.empty()) << "nothing was thrown";
  EXPECT_EQ(text.substr(0, operation.size()), operation) << text;
  EXPECT_TRUE(text.size() > operation.size() && (text[operation.size()] == ':' || text[operation.size()] == ' ')) << text;
  for (const std::string& fact : facts) EXPECT_NE(text.find(fact), text.npos) << "not said: " << fact << "\n" << text;
  EXPECT_NE(text.find("at " + here.str()), text.npos) << "not the user's line, " << here.str() << "\n" << text;
  std::size_t last = text.rfind('\n');
  ASSERT_NE(last, text.npos) << text;
  EXPECT_TRUE(text.compare(last, 3, "\n  ") == 0 && text.compare(last, 6, "\n  at ") != 0 && text.back() == '.') << "no advice\n" << text;
}

}  // namespace tutti
