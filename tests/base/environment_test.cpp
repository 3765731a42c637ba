// docs/environment.md is the table of the code.
#include "base/environment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace tutti {
namespace {

TEST(Environment, IsDocumentedInOneTable) {
  std::ifstream file("docs/environment.md");  // tests run at the root of the repository
  std::stringstream read;
  read << file.rdbuf();
  const std::string text = read.str();
  for (const EnvironmentVariable* v : environment::all()) {
    std::string row = std::string("| `") + v->name + "` | " + v->values + " | " + v->meaning + " |\n";
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
  std::size_t rows = 0;
  for (std::size_t at = text.find("\n| `TUTTI_"); at != std::string::npos; at = text.find("\n| `TUTTI_", at + 1))
    ++rows;
  EXPECT_EQ(rows, environment::all().size());
}

TEST(Environment, ListsWords) {
  setenv("TUTTI_LOG", "recompile,passes", 1);
  EXPECT_TRUE(environment::has_word(environment::log, "passes"));
  EXPECT_TRUE(environment::has_word(environment::log, "recompile"));
  EXPECT_FALSE(environment::has_word(environment::log, "pass"));
  unsetenv("TUTTI_LOG");
  EXPECT_FALSE(environment::has_word(environment::log, "passes"));
}

}  // namespace
}  // namespace tutti
