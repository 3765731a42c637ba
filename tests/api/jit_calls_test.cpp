// A call of a jitted function, whatever it was traced for before, and what such calls refuse.
#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

template <class E, class F> std::string refusal(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "";
}

// What a signature was first used for (inside grad, jit, vmap) must not decide how a later call with arrays runs.
TEST(JitCalls, DonateAlsoAfterUseInsideTransformations) {
  for (int i = 0; i < 5; ++i) {
    auto f = jit([](const Array& a) { return a + 1; }, {.donate_argnums = {-1}});
    if (i == 1) grad([&](const Array& a) { return (f(a) * a).sum(); })(ones({4}));
    if (i == 2) jit([&](const Array& a) { return f(a * 2); })(ones({4}));
    if (i == 3) vmap([&](const Array& a) { return f(a); })(ones({3, 4}));
    if (i == 4) jvp([&](const Array& a) { return f(a); }, std::tuple{ones({4})}, std::tuple{ones({4})});
    Array x = ones({4}), y = f(x);
    EXPECT_EQ(y.to_vector<float>(), std::vector<float>(4, 2.f)) << i;
    EXPECT_TRUE(x.is_deleted()) << i;
  }
}

struct Scaled {
  Array x;
  int by;
};

// A compiled signature reads buffers of its own sizes: anything else is refused.
TEST(JitCalls, CompiledTakesWhatItWasCompiledFor) {
  Mesh mesh = make_mesh({4}, {"x"});
  auto f = jit([](const Scaled& s) { return s.x * s.by; });
  auto compiled = f.lower(Scaled{ones({8}), 2}).compile();
  EXPECT_EQ(compiled(Scaled{ones({8}) * 3, 2}).to_vector<float>(), std::vector<float>(8, 6.f));
  EXPECT_NE(refusal<TypeError>([&] {
              compiled(Scaled{ones({4}), 2});
            }).find("arg0.x is float32[4], but it was compiled for float32[8]"),
            std::string::npos);
  EXPECT_NE(refusal<TypeError>([&] { compiled(Scaled{arange(8), 2}); }), "");
  EXPECT_NE(refusal<TypeError>([&] { compiled(Scaled{ones({8}), 3}); }), "");
  EXPECT_NE(refusal<TypeError>([&] { compiled(Scaled{Array{}, 2}); }), "");
  EXPECT_NE(
      refusal<TracerError>([&] { grad([&](const Array& x) {
                                   return compiled(Scaled{x, 2}).sum();
                                 })(ones({8})); }), "");
  Array cut = device_put(ones({8}), NamedSharding(mesh, P("x")));
  EXPECT_NE(refusal<ShardingError>([&] { compiled(Scaled{cut, 2}); }), "");
  auto on_mesh = f.lower(Scaled{cut, 2}).compile();
  EXPECT_EQ(on_mesh(Scaled{ones({8}), 2}).sharding(), cut.sharding());  // not committed: it goes along
}

TEST(JitCalls, MayReturnNoArray) {
  auto f = jit([](const Array&) { return Array{}; });
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(f(ones({2})).has_value());
}

// A collective counts the places of its axis, also for what is equal everywhere.
TEST(JitCalls, ReduceUnmappedValuesOverANamedAxis) {
  auto total = jit([](const Array& a) { return lax::psum(a, "b"); });
  Array c = array({1.f, 2.f});
  for (int i = 0; i < 2; ++i) {
    Array y = vmap([&](const Array& a) { return a + total(c); }, {.axis_name = "b"})(zeros({3, 2}));
    EXPECT_EQ(y.to_vector<float>(), (std::vector<float>{3, 6, 3, 6, 3, 6}));
  }
  EXPECT_NE(refusal<NameError>([&] { total(c); }).find("unbound axis name: b"), std::string::npos);
}

TEST(JitCalls, ValuesThatOutliveTheirRecordingSayWhereTheyCameFrom) {
  Array kept;
  jit([&](const Array& a) { return kept = a * 2; })(ones({2}));
  std::string text = refusal<TracerError>([&] { kept + 1; });
  EXPECT_NE(text.find("recorded by jit (jit_calls_test.cpp"), std::string::npos) << text;
  EXPECT_NE(text.find("after that call has ended"), std::string::npos) << text;
}

TEST(JitCalls, DonatedArgumentsExist) {
  for (int wrong : {2, -3}) {
    auto f = jit([](const Array& a, const Array& b) { return a + b; }, {.donate_argnums = {wrong}});
    EXPECT_NE(refusal<ValueError>([&] { f(ones({2}), ones({2})); }).find("donate_argnums"), std::string::npos) << wrong;
  }
}

TEST(JitCalls, DeletedArraysAreNamedWithTheOperation) {
  Array x = ones({4});
  x.delete_();
  std::string text = refusal<DeletedError>([&] { x + 1; });
  EXPECT_EQ(text.substr(0, 4), "add:") << text;
  EXPECT_NE(text.find("jit_calls_test.cpp"), std::string::npos) << text;
}

TEST(JitCalls, SizesThatWrapAroundAreRefused) {
  const std::int64_t big = std::int64_t{1} << 32;
  for (const Shape& shape : {Shape{big, big}, Shape{big, big + 1}, Shape{3, big, big}}) {
    std::string text = refusal<ShapeError>([&] { zeros(shape); });
    EXPECT_NE(text.find("float32["), std::string::npos) << text;
    EXPECT_NE(refusal<ShapeError>([&] { jit([&](const Array& a) { return broadcast_to(a, shape).sum(); })(ones({})); }),
              "");
  }
  EXPECT_EQ(zeros({big, 0, big}).size(), 0);
}

TEST(JitCalls, MeshesHaveASimulatableSize) {
  const std::int64_t big = std::int64_t{1} << 40;
  const int before = device_count();
  for (const Shape& sizes : {Shape{big, big}, Shape{big, 1}, Shape{2000, 1000}})
    EXPECT_NE(refusal<DeviceError>([&] { make_mesh(sizes, {"x", "y"}); }), "") << sizes.str();
  EXPECT_EQ(device_count(), before);
}

TEST(JitCalls, MoreMemoryThanThereIsIsAnError) {
  EXPECT_NE(refusal<Error>([] { zeros({std::int64_t{1} << 50}); }).find("out of memory"), std::string::npos);
  EXPECT_EQ(ones({2}).sum().item<float>(), 2);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
