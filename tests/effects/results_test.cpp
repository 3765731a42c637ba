// pure_callback and io_callback: functions whose results the program goes on with.
#include "effects/heard.hpp"

namespace tutti {
namespace {

using testing::error_of;
using testing::Heard;

Array twice(const Array& x) { return x * 2; }

TEST(PureCallback, GivesWhatTheFunctionReturns) {
  auto f = [](const Array& x) { return pure_callback(twice, ShapeDtypeStruct({3}), x) + 1; };
  EXPECT_EQ(f(arange(3.0f)).to_vector<float>(), (std::vector<float>{1, 3, 5}));
  EXPECT_EQ(jit(f)(arange(3.0f)).to_vector<float>(), (std::vector<float>{1, 3, 5}));
  struct Both {
    Array sum;
    std::vector<Array> parts;
  };
  auto g = jit([](const Array& x) {
    return pure_callback(
        [](const Array& v, int n) {
          return Both{v.sum(), {v, v * n}};
        },
        Both{ShapeDtypeStruct({}), {ShapeDtypeStruct({2}), ShapeDtypeStruct({2})}}, x, 10);
  });
  const Both b = g(array({1.0f, 2.0f}));
  EXPECT_EQ(float(b.sum), 3);
  EXPECT_EQ(b.parts[1].to_vector<float>(), (std::vector<float>{10, 20}));
}

TEST(PureCallback, IsLeftOutWhereNobodyNeedsItAndSharedWhereItIsTheSame) {
  int calls = 0;
  auto f = jit([&](const Array& x) {
    pure_callback(
        [&](const Array& v) {
          ++calls;
          return v;
        },
        ShapeDtypeStruct({3}), x);
    return x;
  });
  f(arange(3.0f));
  EXPECT_EQ(calls, 0);
}

TEST(PureCallback, WrongResultsAreTold) {
  auto f = jit([](const Array& x) { return pure_callback(twice, ShapeDtypeStruct({4}), x); });
  std::string text = error_of<ShapeError>([&] { f(arange(3.0f)); });
  EXPECT_NE(
      text.find("pure_callback: the function returned float32[3] as result 0, and said that it would be float32[4]"),
      text.npos)
      << text;
  EXPECT_NE(text.find("results_test.cpp:"), text.npos) << text;
  EXPECT_EQ(f(arange(4.0f)).to_vector<float>(), (std::vector<float>{0, 2, 4, 6}));
  text = error_of<TypeError>(
      [&] { jit([](const Array& x) { return pure_callback(twice, ShapeDtypeStruct({3}, int32), x); })(arange(3.0f)); });
  EXPECT_NE(text.find("float32[3]"), text.npos) << text;
}

TEST(PureCallback, HasNoDerivativeButThatOfARuleAround) {
  auto f = [](const Array& x) { return pure_callback(twice, ShapeDtypeStruct({}), x); };
  const std::string text = error_of<UnsupportedError>([&] { grad(f)(array(1.0f)); });
  EXPECT_NE(text.find("custom_jvp or custom_vjp"), text.npos) << text;
  auto g = custom_jvp(f, [&](std::tuple<Array> x, std::tuple<Array> dx) {
    return std::pair{f(std::get<0>(x)), std::get<0>(dx) * 2};
  });
  EXPECT_EQ(float(jit(grad(g))(array(3.0f))), 2);
  EXPECT_EQ(float(grad([&](const Array& x) { return f(lax::stop_gradient(x)) * x; })(array(3.0f))), 6);
}

TEST(PureCallback, VmapDoesWhatItsMethodSays) {
  std::vector<std::string> shapes;
  auto times = [&](const Array& x, const Array& w) {
    shapes.push_back(x.shape().str() + w.shape().str());
    return x * w;
  };
  auto mapped = [&](VmapMethod method) {
    shapes.clear();
    return jit(vmap(
        [&](const Array& x, const Array& w) {
          return pure_callback(times, ShapeDtypeStruct({}), {.vmap_method = method}, x, w);
        },
        {.in_axes = {0, none}}))(arange(3.0f), array(5.0f))
        .to_vector<float>();
  };
  const std::vector<float> expected{0, 5, 10};
  EXPECT_EQ(mapped(VmapMethod::sequential), expected);
  EXPECT_EQ(shapes, (std::vector<std::string>{"()()", "()()", "()()"}));
  EXPECT_EQ(mapped(VmapMethod::expand_dims), expected);
  EXPECT_EQ(shapes, (std::vector<std::string>{"(3,)(1,)"}));
  EXPECT_EQ(mapped(VmapMethod::broadcast_all), expected);
  EXPECT_EQ(shapes, (std::vector<std::string>{"(3,)(3,)"}));
  const std::string text = error_of<UnsupportedError>([&] { mapped(VmapMethod::none); });
  EXPECT_NE(text.find("vmap_method"), text.npos) << text;
}

TEST(IoCallback, HappensOnceAndGivesAResult) {
  int calls = 0;
  auto next = [&] { return array(++calls); };
  auto f = jit([&](const Array& x) {
    io_callback(next, ShapeDtypeStruct({}, int32), {.ordered = true});  // nobody needs it
    return x + io_callback(next, ShapeDtypeStruct({}, int32));
  });
  EXPECT_EQ(int(f(array(0))), 2);
  EXPECT_EQ(int(f(array(0))), 4);
  auto scanned = jit([&](const Array& x) {
    return lax::scan(
        [&](const Array& c, none_t) {
          Array n = io_callback(next, ShapeDtypeStruct({}, int32));
          return std::pair{c + n, n};
        },
        x, none, {.length = 3});
  })(array(0));
  EXPECT_EQ(scanned.second.to_vector<int>(), (std::vector<int>{5, 6, 7}));
  EXPECT_EQ(int(scanned.first), 18);
  io_callback([&](const Array& v) { calls = int(v); }, none, array(40));
  EXPECT_EQ(calls, 40);
}

TEST(IoCallback, VmapCallsPerElementUnlessOrderCounts) {
  auto f = [](IoCallbackOptions options) {
    return jit(vmap([=](const Array& x) { return io_callback(twice, ShapeDtypeStruct({}), options, x); }))(
        arange(3.0f));
  };
  EXPECT_EQ(f({}).to_vector<float>(), (std::vector<float>{0, 2, 4}));
  EXPECT_THROW(f({.ordered = true}), ValueError);
}

TEST(IoCallback, IsNotComputedAgain) {
  auto random = [](const Array& x) {
    return io_callback([](const Array&) { return array(2.0f); }, ShapeDtypeStruct({}), x);
  };
  const std::string text = error_of<UnsupportedError>(
      [&] { grad(remat([&](const Array& x) { return sin(x) * random(lax::stop_gradient(x)); }))(array(1.0f)); });
  EXPECT_NE(text.find("happens only once"), text.npos) << text;
  EXPECT_EQ(float(grad([&](const Array& x) { return x * random(lax::stop_gradient(x)); })(array(1.0f))), 2);
}

TEST(HostCalls, UnjittedTransformationsCallToo) {
  Heard heard;
  auto f = [&](const Array& x) {
    Array y = pure_callback(twice, ShapeDtypeStruct({}), lax::stop_gradient(x));
    debug::callback(heard.note(), y);
    return y * x;
  };
  EXPECT_EQ(float(grad(f)(array(3.0f))), 6);
  EXPECT_EQ(heard.values, (std::vector<float>{6}));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
