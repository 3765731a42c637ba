// What is kept of what was compiled: found at the cost of one comparison, the least recently used out first.
#include <gtest/gtest.h>

#include <thread>

#include "errors/expect_error.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

std::size_t programs(const std::function<void()>& f) {
  const std::size_t before = debug::cache_stats().programs_run;
  f();
  return debug::cache_stats().programs_run - before;
}

TEST(Caches, AHitCostsTheSameHoweverManySignaturesThereAre) {
  auto fn = [](const Array& x, int) { return x * 2; };
  detail::JitCore core({}, Loc());
  Array x = ones({2});
  auto find = [&](int n) { return core.find(detail::JitCallOf(fn, x, n)); };
  constexpr int many = 4000;
  for (int n = 0; n < many; ++n) find(n);
  ASSERT_EQ(core.size(), static_cast<std::size_t>(many));
  const std::size_t before = core.comparisons();
  for (int n = 0; n < many; ++n) ASSERT_NE(find(n), nullptr);
  EXPECT_EQ(core.comparisons() - before, static_cast<std::size_t>(many));  // from the oldest to the newest
  EXPECT_EQ(core.size(), static_cast<std::size_t>(many));
}

TEST(Caches, BoundsHoldAndMachineCodeEndsWithItsPlans) {
  const config::CacheBounds usual = config::cache_bounds();
  config::cache_bounds({.signatures = 4, .plans = 8, .operations = 8});
  const debug::CacheStats before = debug::cache_stats();
  {
    auto f = jit([](const Array& x, int n) {  // a body of its own for every n
      Array y = x;
      for (int bit = 0; bit < 6; ++bit) y = n >> bit & 1 ? sin(y) + x : exp(y) - x;
      return y;
    });
    config::notes(false);
    for (int n = 0; n < 40; ++n) {
      f(ones({8}), n);
      ones({n + 11}) + 1;
    }
    config::notes(true);
    EXPECT_EQ(f.cache_size(), 4u);
  }
  const debug::CacheStats after = debug::cache_stats();
  EXPECT_LE(after.plans, 8u);
  EXPECT_LE(after.operations, 8u);
  EXPECT_GE(after.kernels_compiled - before.kernels_compiled, 40u);
  EXPECT_GE(after.kernels_freed - before.kernels_freed, 30u);
  config::cache_bounds(usual);
}

TEST(Caches, LiteralsThatChangeAreArgumentsOfTheMachineCode) {
  config::notes(false);
  auto step = jit([](const Array& x, double rate) { return exp(sin(x) * rate) - cos(x) / (x * x + rate); });
  auto reference = jit([](const Array& x, const Array& rate) { return exp(sin(x) * rate) - cos(x) / (x * x + rate); });
  Array x = arange(1., 100.);
  step(x, 0.1);
  step(x, 0.2);
  const std::size_t before = debug::cache_stats().kernels_compiled;
  for (int n = 3; n < 30; ++n) EXPECT_EQ(str(step(x, n * 0.1)), str(reference(x, n * 0.1))) << n;
  EXPECT_LE(debug::cache_stats().kernels_compiled - before, 1u);  // that of the reference
  config::notes(true);
}

TEST(Caches, EqualShardingsAreOne) {
  Mesh mesh = make_mesh({4}, {"x"});
  auto fresh = [&] { return NamedSharding(mesh, P("x")); };
  EXPECT_EQ(fresh().node(), fresh().node());
  EXPECT_NE(fresh().node(), NamedSharding(mesh, P("x", none)).node());
  device_put(ones({8}), fresh()) + 1;
  const std::size_t before = debug::cache_stats().operations;
  for (int i = 0; i < 10; ++i) device_put(ones({8}), fresh()) + 1;
  EXPECT_EQ(debug::cache_stats().operations, before);
}

TEST(Caches, NumbersForArrayParametersAreTraced) {
  auto f = jit([](const Array& x, const Array& rate) { return x * rate; });
  for (float rate : {0.1f, 0.2f, 0.3f, 0.4f}) EXPECT_FLOAT_EQ(f(ones({2}), rate).to_vector<float>()[1], rate);
  EXPECT_EQ(f.cache_size(), 1u);
}

struct Settings {
  Array x;
  double rate;
};

TEST(Notes, SayOnceWhatCompilesAgain) {
  auto text = [](auto calls) {
    testing::internal::CaptureStderr();
    calls();
    return testing::internal::GetCapturedStderr();
  };
  auto f = jit([](const Array& x, const Settings& s) { return x * s.rate + s.x; });
  Array one = ones({2});
  EXPECT_EQ(text([&] {
              f(one, Settings{one, 0.5});
              f(one, Settings{one, 0.25});
            }),
            "");
  const std::string note = text([&] { f(one, Settings{one, 0.125}); });
  for (const char* part : {"cache_test.cpp:", "third time: arg1.rate was 0.25 and is 0.125", "the type Array"})
    EXPECT_NE(note.find(part), std::string::npos) << part << "\n" << note;
  EXPECT_EQ(text([&] { f(one, Settings{one, 2}); }), "");

  auto g = jit([](const Array& x) { return x + 1; });
  const std::string shapes = text([&] {
    for (int n = 1; n < 6; ++n) g(ones({n}));
  });
  EXPECT_NE(shapes.find("arg0 was float32[2] and is float32[3]"), std::string::npos) << shapes;
  EXPECT_EQ(shapes.find("third time"), shapes.rfind("third time"));

  // Beside the nearest program, not the last (users-3, 10).
  auto k = jit([](const Array& x, const Array& y) { return x.sum() + y.sum(); });
  const std::string dtypes = text([&] {
    k(ones({4}, bfloat16), ones({2}));
    k(ones({4}), ones({3}));
    k(ones({4}, bfloat16), ones({5}));
  });
  EXPECT_NE(dtypes.find("arg1 was float32[2] and is float32[5]"), std::string::npos) << dtypes;

  config::notes(false);
  auto h = jit([](const Array& x) { return x - 1; });
  EXPECT_EQ(text([&] {
              for (int n = 1; n < 6; ++n) h(ones({n}));
            }),
            "");
  config::notes(true);
}

template <class E> void expect_facts(const std::function<void()>& call, const std::vector<std::string>& facts) {
  const std::string text = error_parts::text_of(error_parts::Call(call), typeid(E));
  for (const std::string& fact : facts) EXPECT_NE(text.find(fact), text.npos) << "not said: " << fact << "\n" << text;
}

// --- arrays that go away

TEST(Donation, WhileOthersReadIsADeletedErrorOrWorks) {
  auto step = jit([](const Array& x) { return x + 1; }, {.donate = Donate::all});
  std::atomic<int> read = 0, refused = 0;
  for (int round = 0; round < 300; ++round) {
    Array x = full({257}, 3.f), y = full({257}, 5.f);
    std::atomic<bool> go = false;
    auto reader = [&] {
      while (!go) std::this_thread::yield();
      for (const Array* a : {&x, &y}) try {
          ASSERT_EQ((*a * 2).to_vector<float>()[256], a == &x ? 6 : 10);
          ++read;
        } catch (const DeletedError&) {
          ++refused;
        }
    };
    std::thread one(reader), two(reader);
    go = true;
    try {
      EXPECT_EQ(step(x).to_vector<float>()[256], 4);
    } catch (const DeletedError&) {
    }
    y.delete_();
    one.join();
    two.join();
    EXPECT_TRUE(x.is_deleted() && y.is_deleted());
    EXPECT_THROW(x + 1, DeletedError);
  }
  EXPECT_EQ(read + refused, 1200);
}

TEST(Donation, OfManyLeavesFindsTheOneGivenTwice) {
  auto f = jit([](const std::vector<Array>& a, const std::vector<Array>& b) { return std::pair(a, b[0] + 1); },
               {.donate_argnums = {0}});
  std::vector<Array> a, b;
  for (int i = 0; i < 800; ++i) {
    a.push_back(full({2}, i));
    b.push_back(full({2}, -i));
  }
  b[700] = a[3];
  expect_facts<ValueError>([&] { f(a, b); }, {"arg0[3]", "is donated and also given as arg1[700]"});
  for (const Array& x : a) EXPECT_FALSE(x.is_deleted());
  b[700] = ones({2});
  EXPECT_EQ(f(a, b).first[799].to_vector<std::int32_t>()[0], 799);
  for (const Array& x : a) EXPECT_TRUE(x.is_deleted());
  expect_facts<DeletedError>([&] { a[5] + 1; }, {"donation as arg0[5] to jit cache_test.cpp"});
}

TEST(Donation, ADeletedNumberIsNotRecorded) {
  Array two = 2.f;
  two.delete_();
  EXPECT_THROW(jit([&](const Array& x) { return x * two; })(ones({2})), DeletedError);
}

TEST(Arrays, ANumberIsReadByManyThreads) {
  for (int round = 0; round < 100; ++round) {
    Array two = 2.f;
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int t = 0; t < 4; ++t) threads.emplace_back([&] { right += (two + 1).item<float>() == 3; });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(right, 4);
  }
}

// --- recording

TEST(Recording, WhatDoesNotFitCapturesNothing) {
  Array big = ones({1000}), x = ones({3});
  auto f = jit([&](const Array& a) {
    try {
      return a + big;
    } catch (const ShapeError&) {
      return a + 1;
    }
  });
  EXPECT_EQ(f(x).to_vector<float>(), std::vector<float>(3, 2.f));
  EXPECT_EQ(f.lower(x).text().find("1000"), std::string::npos) << f.lower(x).text();
}

TEST(Recording, SettingsStayAsTheyAre) {
  auto change = [](const Array& x) {
    enable_x64(!x64_enabled());
    return x * 2;
  };
  expect_facts<ValueError>([&] { grad([&](const Array& x) { return change(x).sum(); })(ones({2})); },
                           {"enable_x64", "while a function is being recorded"});
  expect_facts<ValueError>([&] { jit(change)(ones({2})); }, {"enable_x64"});
  EXPECT_FALSE(x64_enabled());
}

TEST(Recording, AnEmptyFunctionIsRefusedWhereItIsGiven) {
  std::function<Array(const Array&)> none_at_all;
  Array (*pointer)(const Array&) = nullptr;
  for (auto make : std::vector<std::function<void()>>{[&] { jit(none_at_all); }, [&] { grad(none_at_all); },
                                                      [&] { vmap(none_at_all); }, [&] { jit(pointer); },
                                                      [&] { remat(none_at_all); }})
    expect_facts<ValueError>(make, {"the function is empty", "cache_test.cpp"});
}

Array deep(const Array& x, int n) {
  return n == 0 ? x : jit([n](const Array& y) { return deep(y, n - 1) + 1; })(x);
}
TEST(Recording, ADepthWithoutAnEndIsAnError) {
  EXPECT_EQ(deep(Array(0), 50).item<int>(), 50);
  expect_facts<ValueError>([&] { deep(Array(0), 5000); }, {"others that are being recorded", "recursion"});
}

// --- composites

TEST(Composites, RunAsOneProgramWhereNothingIsRecorded) {
  Array key = random::key(1), x = arange(12.f).reshape(3, 4), labels = array({0, 1, 2});
  const std::vector<std::pair<const char*, std::function<Array()>>> cases = {
      {"normal",
       [&] {
         return random::normal(key, {3, 4});
       }},
      {"uniform", [&] { return random::uniform(key, {5}, -1, 1); }},
      {"truncated_normal", [&] { return random::truncated_normal(key, -2, 2, {7}); }},
      {"randint", [&] { return random::randint(key, {9}, 0, 10); }},
      {"bernoulli", [&] { return random::bernoulli(key, 0.3f, {8}); }},
      {"permutation", [&] { return random::permutation(key, 10); }},
      {"categorical", [&] { return random::categorical(key, x); }},
      {"fold_in",
       [&] {
         return random::key_data(random::fold_in(random::wrap_key_data(array({1u, 2u})), 3));
       }},
      {"softmax", [&] { return nn::softmax(x); }},
      {"log_softmax", [&] { return nn::log_softmax(x, 0); }},
      {"logsumexp", [&] { return nn::logsumexp(x, 1); }},
      {"gelu", [&] { return nn::gelu(x); }},
      {"elu", [&] { return nn::elu(x, 0.5); }},
      {"cross entropy", [&] { return optim::softmax_cross_entropy_with_integer_labels(x, labels); }},
      {"huber", [&] { return optim::huber_loss(x, x * 2, 0.7); }},
      {"layer norm",
       [&] {
         return nn::LayerNorm::init({3, 4})(x);
       }},
  };
  for (const auto& [name, fn] : cases) {
    Array eager = fn();  // compiles
    std::string text(name);
    const std::size_t more = text == "fold_in" ? 2 : text == "huber" ? 1 : text == "layer norm" ? 2 : 0;  // made beside
    EXPECT_EQ(programs(fn), 1 + more) << name;
    Array whole = jit([&, fn = fn](const Array&) { return fn(); })(x);
    EXPECT_EQ(str(eager), str(whole)) << name;
  }
}

TEST(Composites, ResultsLieWhereJitPutsThem) {
  Mesh mesh = make_mesh({4}, {"x"});
  Array x = device_put(arange(32.f).reshape(8, 4), NamedSharding(mesh, P("x", none)));
  EXPECT_EQ(nn::softmax(x).sharding(), jit([](const Array& v) { return nn::softmax(v); })(x).sharding());
  EXPECT_TRUE(nn::softmax(x).committed());
  EXPECT_FALSE(random::normal(random::key(0), {4}).committed());
}

struct Params {
  Array w, b;
};

TEST(Composites, OptimisersUpdateAsOneProgram) {
  Params p{ones({4, 4}), zeros({4})}, g{full({4, 4}, 0.1f), full({4}, 0.2f)};
  auto opt = optim::adam(1e-3);
  auto state = opt.init(p);
  auto update = [&] { std::tie(g, state) = opt.update(g, state, p); };
  update();
  EXPECT_EQ(programs(update), 1u);
  EXPECT_EQ(state.count.item<int>(), 2);
  EXPECT_EQ(programs([&] { p = optim::apply_updates(p, g); }), 1u);

  // What users wrote is asked at each step: it may read values, and change.
  double rate = 1;
  auto own = optim::sgd([&](const Array& step) { return Array(step.item<int>() < 2 ? rate : 0.); });
  auto s = own.init(p);
  auto stepped = [&] {
    auto [u, next] = own.update(Params{ones({4, 4}), ones({4})}, s, p);
    s = next;
    return u.b.to_vector<float>()[0];
  };
  EXPECT_EQ(stepped(), -1);
  rate = 3;
  EXPECT_EQ(stepped(), -3);
  EXPECT_EQ(stepped(), 0);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
