// TUTTI_CHECK=captures: what a jitted function captured and what has changed since.
#include <gtest/gtest.h>

#include "base/caught_messages.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using testing::CaughtMessages;

struct Captures : ::testing::Test {
  config::Scope checked{{.check_captures = true}};
  CaughtMessages messages;
  void expect_warned(std::initializer_list<const char*> parts) {
    EXPECT_EQ(messages.count(Message::Kind::warning), 1) << messages.text();
    for (const char* part : parts)
      EXPECT_NE(messages.text().find(part), std::string::npos) << part << "\n" << messages.text();
    messages.clear();
  }
  void expect_silent() { EXPECT_EQ(messages.text(), ""); }
  static std::string line(int n) { return "captures_test.cpp:" + std::to_string(n); }
};

// The program of ecosystem-2, section 5.
TEST_F(Captures, NumbersAndArraysByReference) {
  double rate = 0.1;
  Array shift = array(1.f);
  const int jitted = __LINE__ + 1;
  auto step = jit([&](const Array& x) { return x - rate * x + shift; });
  EXPECT_EQ(float(step(array(10.f))), 10);
  EXPECT_EQ(float(step(array(10.f))), 10);
  expect_silent();
  rate = 0.5;
  shift = array(100.f);
  EXPECT_EQ(float(step(array(10.f))), 10);  // the call is what it is without the check
  expect_warned(
      {("jit (" + line(jitted) + ")").c_str(), ("mul at " + line(jitted) + ": 0.1 when recorded, 0.5 now").c_str(),
       ("add at " + line(jitted) + ": ").c_str(), "1.0 when recorded, 100.0 now", "Pass what changes as an argument"});
  step(array(10.f));  // said once
  rate = 0.7;
  step(array(10.f));
  expect_silent();
}

TEST_F(Captures, ElementsOfArrays) {
  Array w = arange(4.f);
  auto f = jit([&](const Array& x) { return x * w; });
  f(ones({4}));
  w = w + 0;  // another array, the same elements
  f(ones({4}));
  expect_silent();
  w = w.at(2).set(7);
  f(ones({4}));
  expect_warned({"mul", "the array float32[4], element 2 of it: 2.0 when recorded, 7.0 now"});
  w = ones({1, 4});
  auto g = jit([&](const Array& x) { return x * w; });
  g(ones({4, 4}));
  w = ones({4, 1});
  g(ones({4, 4}));
  expect_warned({"float32[1,4] when recorded, float32[4,1] now"});
}

TEST_F(Captures, BranchesShapesAndStaticResults) {
  bool fancy = false;
  int rows = 2;
  auto f = jit([&](const Array& x) { return fancy ? sin(x) : cos(x); });
  f(ones({4}));
  fancy = true;
  f(ones({4}));
  expect_warned({"cos at ", "when recorded, sin at "});
  auto g = jit([&](const Array& x) { return x.reshape(rows, -1); });
  g(ones({4}));
  rows = 4;
  g(ones({4}));
  expect_warned({"reshape at ", "(2, 2)", "(4, 1)"});
  int count = 1;
  auto h = jit([&](const Array& x) { return std::pair{x * 2, count}; });
  h(ones({4}));
  count = 2;
  EXPECT_EQ(h(ones({4})).second, 1);
  expect_warned({"the result", "1 when recorded, 2 now"});
}

TEST_F(Captures, ThrowingNow) {
  Array w = ones({4});
  auto f = jit([&](const Array& x) { return x + w; });
  f(ones({4}));
  w = ones({3});
  EXPECT_EQ(float(f(ones({4})).sum()), 8);
  expect_warned({"the function returned when recorded, and throws now", "float32[3]"});
}

TEST_F(Captures, InsideLoopsAndTransformations) {
  double rate = 0.1;
  auto loss = [&](const Array& w) { return (w * w * rate).sum(); };
  auto step = jit([&](const Array& w) { return w - grad(loss)(w); });
  auto loop = jit([&](const Array& x) {
    return lax::fori_loop(
        0, 3, [&](const Array&, const Array& c) { return c * rate; }, x);
  });
  step(ones({4}));
  loop(ones({4}));
  rate = 0.5;
  step(ones({4}));
  expect_warned({"0.1 when recorded, 0.5 now"});
  loop(ones({4}));
  expect_warned({"mul", "0.1 when recorded, 0.5 now"});
}

// What is made anew at each recording, and equal, is no change; nor are functions of the user's.
TEST_F(Captures, AreSilentWhereNothingChanged) {
  auto f = jit([](const Array& x) {
    debug::print("{}", x.sum());
    Array table = array({1.f, 2.f, std::nanf("")}), key = random::key(0);
    Array y = pure_callback([](const Array& a) { return a; }, ShapeDtypeStruct({3}), x);
    return table * y + random::normal(key, {3});
  });
  ::testing::internal::CaptureStdout();
  for (int i = 0; i < 3; ++i) f(ones({3}));
  ::testing::internal::GetCapturedStdout();
  expect_silent();
  int calls = 0;
  config::Scope off({.check_captures = false});
  auto g = jit([&](const Array& x) {
    ++calls;
    return x * calls;
  });
  g(ones({3}));
  g(ones({3}));
  EXPECT_EQ(calls, 1);  // without the check it is recorded once
  expect_silent();
}

TEST_F(Captures, OfCompiledPrograms) {
  double rate = 0.1;
  auto f = jit([&](const Array& x) { return x * rate; });
  auto compiled = f.lower(ones({2})).compile();
  compiled(ones({2}));
  expect_silent();
  rate = 0.5;
  compiled(ones({2}));
  expect_warned({"0.1 when recorded, 0.5 now"});
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
