// What every error of tutti has to say; each test of this folder gives calls that have to fail, and what their texts
// must name.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/mesh/mesh.hpp"

namespace tutti {

inline Mesh grid() { return make_mesh({4, 2}, {"x", "y"}); }

namespace error_parts {

/// A call whose type is forgotten: hundreds of lambdas are expected to throw, and one function looks at what comes.
struct Call {
  const void* object;
  void (*run)(const void* object);
  template <class F>
  explicit Call(const F& f) : object(&f), run([](const void* o) { (*static_cast<const F*>(o))(); }) {}
};
using Facts = std::initializer_list<std::string_view>;

inline std::string text_of(const Call& call, const std::type_info& error) {
  std::string text;
  try {
    call.run(call.object);
  } catch (const Error& e) {
    text = e.what();
    EXPECT_TRUE(typeid(e) == error) << "the class is " << typeid(e).name() << "\n" << text;
  }
  EXPECT_FALSE(text.empty()) << "nothing was thrown";
  return text;
}

inline void expect_text(const std::string& text, std::string_view operation, Facts facts) {
  EXPECT_EQ(text.substr(0, operation.size()), operation) << text;
  EXPECT_TRUE(text.size() > operation.size() && (text[operation.size()] == ':' || text[operation.size()] == ' '))
      << text;
  for (std::string_view fact : facts) EXPECT_NE(text.find(fact), text.npos) << "not said: " << fact << "\n" << text;
  std::size_t last = text.rfind('\n');
  ASSERT_NE(last, text.npos) << text;
  EXPECT_TRUE(text.compare(last, 3, "\n  ") == 0 && text.compare(last, 6, "\n  at ") != 0 && text.back() == '.')
      << "no advice\n"
      << text;
}

/// The lines on which the lambda stands of the expectation that begins at `here`: from its `[` to the end of the
/// statement. Read from the source, since an expectation may be laid out over several lines.
inline std::vector<Loc> lines_of_call(Loc here) {
  const std::filesystem::path name = std::filesystem::path(here.file).filename();
  std::filesystem::path path = "tests/errors" / name;  // from the root of the repository, where ctest runs the tests
  if (!std::filesystem::exists(path)) path = here.file;
  std::ifstream source(path);
  EXPECT_TRUE(source) << "run the tests from the root of the repository: there is no " << path;
  std::string line;
  for (unsigned n = 1; n < here.line; ++n) std::getline(source, line);
  std::vector<Loc> out;
  int depth = 0;
  bool text = false;
  for (Loc at = here; std::getline(source, line); ++at.line) {
    const bool lambda = line.find("[&") != line.npos || line.find("[] ") != line.npos;
    if (!out.empty() || lambda) out.push_back(at);
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) text = !text;
      if (!text) depth += (line[i] == '(') - (line[i] == ')');
      if (!text && line[i] == ';' && depth == 0) return out;
    }
  }
  return out;
}

inline bool bears_line_of(const std::string& text, Loc here) {
  const std::vector<Loc> lines = lines_of_call(here);
  return std::any_of(lines.begin(), lines.end(),
                     [&](const Loc& at) { return text.find("\n  at " + at.str() + "\n") != text.npos; });
}

inline void expect(const std::type_info& error, bool has_line, std::string_view operation, Facts facts,
                   const Call& call, Loc here) {
  testing::ScopedTrace trace(here.file, static_cast<int>(here.line), std::string(operation));
  std::string text = text_of(call, error);
  if (text.empty()) return;
  expect_text(text, operation, facts);
  if (has_line)
    EXPECT_TRUE(bears_line_of(text, here)) << "not the user's line, " << here.str() << "\n" << text;
  else
    EXPECT_EQ(text.find("\n  at "), text.npos) << "a line that is not the user's\n" << text;
}

}  // namespace error_parts

/// `call` throws an E (that very class) whose text opens with `operation`, names all `facts`, bears the line of `call`,
/// so write a lambda here, and ends with a line that says what to do.
template <class E, class F>
void expect_error(std::string_view operation, error_parts::Facts facts, const F& call, Loc here = Loc::current()) {
  error_parts::expect(typeid(E), true, operation, facts, error_parts::Call(call), here);
}

/// The same of a call that has no place for a line, such as one of any number of trees: it names none.
template <class E, class F>
void expect_error_without_line(std::string_view operation, error_parts::Facts facts, const F& call,
                               Loc here = Loc::current()) {
  error_parts::expect(typeid(E), false, operation, facts, error_parts::Call(call), here);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
