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

// hostile-3, L3
TEST(Environment, RefusesValuesThatMeanNothing) {
  for (const char* good : {"", "captures", "passes", "processes", "processes,passes,captures"})
    EXPECT_EQ(environment::problem(environment::check, good), "") << good;
  EXPECT_EQ(environment::problem(environment::check, "process"),
            "'process' is not one of its words: captures, passes, processes");
  for (const char* bad : {"stage", "passes,", "passes, stages", "Passes", ","})
    EXPECT_NE(environment::problem(environment::log, bad), "") << bad;
  for (const char* good : {"1", "64", "1e3"})
    EXPECT_EQ(environment::problem(environment::num_threads, good), "") << good;
  for (const char* bad : {"abc", "0", "-5", "1.5", "4 ", " 4", "4x", "nan", "inf", "1e30", "0x4"})
    EXPECT_NE(environment::problem(environment::num_threads, bad), "") << bad;
  for (const char* good : {"0", "0.5", "60"})
    EXPECT_EQ(environment::problem(environment::collective_timeout, good), "") << good;
  for (const char* bad : {"x", "-1", "nan", "1s"})
    EXPECT_NE(environment::problem(environment::collective_timeout, bad), "") << bad;
  EXPECT_EQ(environment::problem(environment::spin_us, "abc"), "'abc' is no whole number from 0 to a billion");
}

TEST(Environment, KnowsTheNearestName) {
  EXPECT_STREQ(environment::nearest("TUTTI_CHEK"), "TUTTI_CHECK");
  EXPECT_STREQ(environment::nearest("TUTTI_THREADS"), "TUTTI_NUM_THREADS");
  EXPECT_STREQ(environment::nearest("TUTTI_CPUISA"), "TUTTI_CPU_ISA");
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

// SPDX-License-Identifier: Apache-2.0
