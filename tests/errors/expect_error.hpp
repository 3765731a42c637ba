// What every error of tutti has to say; each test of this folder gives calls that have to fail, and what their texts
// must name.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
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

}  // namespace error_parts

/// `call` throws an E (that very class) whose text opens with `operation`, names all `facts`, bears the line of `call`,
/// so write a lambda here, and ends with a line that says what to do.
template <class E, class F>
void expect_error(const std::string& operation, const std::vector<std::string>& facts, F&& call,
                  Loc here = Loc::current()) {
  testing::ScopedTrace trace(here.file, static_cast<int>(here.line), operation);
  std::string text = error_parts::text_of<E>(call);
  if (text.empty()) return;
  error_parts::expect_text(text, operation, facts);
  EXPECT_TRUE(error_parts::bears_line_of(text, here)) << "not the user's line, " << here.str() << "\n" << text;
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
