// What every error of tutti has to say; each test of this folder gives calls that have to fail, and what their texts
// must name.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tutti/base/error.hpp"

namespace tutti {

namespace error_parts {

template <class E, class F> std::string text_of(F&& call) {
  std::string text;
  try {
    call();
  } catch (const Error& e) {
    text = e.what();
    EXPECT_TRUE(typeid(e) == typeid(E)) << "the class is " << typeid(e).name() << "\n" << text;
  }
  EXPECT_FALSE(text.empty()) << "nothing was thrown";
  return text;
}

inline void expect_text(const std::string& text, const std::string& operation, const std::vector<std::string>& facts) {
  EXPECT_EQ(text.substr(0, operation.size()), operation) << text;
  EXPECT_TRUE(text.size() > operation.size() && (text[operation.size()] == ':' || text[operation.size()] == ' '))
      << text;
  for (const std::string& fact : facts) EXPECT_NE(text.find(fact), text.npos) << "not said: " << fact << "\n" << text;
  std::size_t last = text.rfind('\n');
  ASSERT_NE(last, text.npos) << text;
  EXPECT_TRUE(text.compare(last, 3, "\n  ") == 0 && text.compare(last, 6, "\n  at ") != 0 && text.back() == '.')
      << "no advice\n"
      << text;
}

}  // namespace error_parts

/// `call` throws an E (that very class) whose text opens with `operation`, names all `facts`, bears the line of the
/// expectation, so write the call on that line, and ends with a line that says what to do.
template <class E, class F>
void expect_error(const std::string& operation, const std::vector<std::string>& facts, F&& call,
                  Loc here = Loc::current()) {
  testing::ScopedTrace trace(here.file, static_cast<int>(here.line), operation);
  std::string text = error_parts::text_of<E>(call);
  if (text.empty()) return;
  error_parts::expect_text(text, operation, facts);
  EXPECT_NE(text.find("\n  at " + here.str() + "\n"), text.npos) << "not the user's line, " << here.str() << "\n"
                                                                 << text;
}

/// The same of a call that has no place for a line, such as one of any number of trees: it names none.
template <class E, class F>
void expect_error_without_line(const std::string& operation, const std::vector<std::string>& facts, F&& call,
                               Loc here = Loc::current()) {
  testing::ScopedTrace trace(here.file, static_cast<int>(here.line), operation);
  std::string text = error_parts::text_of<E>(call);
  if (text.empty()) return;
  error_parts::expect_text(text, operation, facts);
  EXPECT_EQ(text.find("\n  at "), text.npos) << "a line that is not the user's\n" << text;
}

}  // namespace tutti
