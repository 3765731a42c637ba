// Several host threads at once, over the same arrays and the same functions. Values are checked, nothing waits for
// time; the sanitizers see the rest.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "run/pool.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

constexpr int kThreads = 8, kRounds = 12;

// f(thread) on kThreads threads; the first failure's text.
template <class F> void on_threads(F f) {
  std::vector<std::string> failed(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      try {
        f(t);
      } catch (const std::exception& e) {
        failed[static_cast<std::size_t>(t)] = e.what();
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& text : failed) EXPECT_EQ(text, "");
}

bool same(const Array& x, const Array& y) { return bool(array_equal(x, y)); }

Array loss(const Array& w, const Array& x) { return square(tanh(matmul(x, w))).mean(); }

// Workers as well, so that threads meet in the pool.
class threads : public testing::Test {
 protected:
  threads() { set_num_threads(3); }
  ~threads() override { set_num_threads(default_num_threads()); }
};

}  // namespace

TEST_F(threads, one_jit_traces_and_runs_for_all) {
  auto step = jit([](const Array& w, const Array& x) { return w - 0.1 * grad(loss)(w, x); });
  const Array w = arange(24.f).reshape(6, 4) / 24;
  std::vector<Array> inputs, wanted;
  for (int n = 1; n <= kRounds; ++n) {
    inputs.push_back(arange(6.f * n).reshape(n, 6) / (6 * n));
    wanted.push_back(step(w, inputs.back()));
  }
  step.clear_cache();
  on_threads([&](int t) {
    for (int round = 0; round < kRounds; ++round) {
      const auto k = static_cast<std::size_t>((round + t) % kRounds);  // each meets shapes that others are tracing
      EXPECT_TRUE(same(step(w, inputs[k]), wanted[k]));
      if (t == 0 && round % 4 == 3) step.clear_cache();
    }
  });
}

TEST_F(threads, every_transformation_over_shared_arrays) {
  const Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  const Array x = device_put(arange(64.f).reshape(8, 8) / 64, NamedSharding(mesh, P("x", "y")));
  const Array w = arange(32.f).reshape(8, 4) / 32;
  auto all_of_it = [&] {
    auto rows = vmap([](const Array& row) { return sort(row).sum() + cumsum(row)(3); });
    auto mapped = shard_map([](const Array& block) { return lax::psum(block.sum(0), "x"); },
                            {.mesh = mesh, .in_specs = P("x"), .out_specs = P()});
    auto [value, gradient] = value_and_grad([&](const Array& w) { return loss(w, x); })(w);
    auto [primal, tangent] = jvp([&](const Array& w) { return exp(w).sum(); }, std::tuple{w}, std::tuple{w});
    return std::vector<Array>{jit(rows)(x),
                              mapped(x),
                              value,
                              gradient,
                              primal,
                              tangent,
                              x + 2,
                              x * x.mean(),
                              random::normal(random::key(7), {5}),
                              lax::scan(
                                  [](Array c, Array row) {
                                    c = c * 0.5 + row;
                                    return std::pair{c, c.sum()};
                                  },
                                  zeros({8}), x)
                                  .second};
  };
  const std::vector<Array> wanted = all_of_it();
  on_threads([&](int) {
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<Array> got = all_of_it();
      for (std::size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(same(got[i], wanted[i])) << "result " << i;
    }
  });
}

TEST_F(threads, each_donates_its_own) {
  auto step = jit([](const Array& x, const Array& shared) { return sin(x) + shared; }, {.donate_argnums = {0}});
  const Array shared = arange(1000.f);
  const Array wanted = sin(sin(zeros({1000})) + shared) + shared;
  on_threads([&](int) {
    for (int round = 0; round < kRounds; ++round) {
      Array first = zeros({1000});
      Array second = step(first, shared);
      EXPECT_TRUE(first.is_deleted());
      Array third = step(std::move(second), shared);
      EXPECT_TRUE(same(third, wanted));
    }
  });
}

// Who reads an array while another thread gives it away gets its values or a DeletedError.
TEST_F(threads, one_donates_what_others_read) {
  auto give = jit([](const Array& x) { return x * 2; }, {.donate_argnums = {0}});
  auto total = jit([](const Array& x) { return x.sum(); });
  Array x;
  std::atomic<int> donated{0};
  std::barrier next(kThreads, [&]() noexcept { donated = 0; });
  std::barrier ready(kThreads);
  on_threads([&](int t) {
    for (int round = 0; round < 4 * kRounds; ++round) {
      next.arrive_and_wait();
      if (t == round % kThreads) x = ones({4096}) + 0;
      ready.arrive_and_wait();
      try {
        if (t % 4 == 0) {
          EXPECT_EQ(give(x).sum().item<float>(), 8192);
          ++donated;
        } else if (t % 4 == 1) {
          EXPECT_EQ(total(x).item<float>(), 4096);
        } else if (t % 4 == 2) {
          EXPECT_EQ((x + 1)(17).item<float>(), 2);
        } else {
          EXPECT_EQ(x.to_vector<float>()[4095], 1);
        }
      } catch (const DeletedError&) {
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();  // and on to the barrier
      }
      ready.arrive_and_wait();
      EXPECT_EQ(donated.load(), 1);  // of those who tried, one
      EXPECT_TRUE(x.is_deleted());
    }
  });
}

TEST_F(threads, one_deletes_what_others_read) {
  Array x;
  std::barrier step(kThreads);
  on_threads([&](int t) {
    for (int round = 0; round < 4 * kRounds; ++round) {
      if (t == 0) x = arange(4096.f) + 1;
      step.arrive_and_wait();
      try {
        if (t == round % kThreads)
          x.delete_();
        else
          EXPECT_EQ(x.max().item<float>(), 4096);
      } catch (const DeletedError&) {
      } catch (const std::exception& e) {
        ADD_FAILURE() << e.what();  // and on to the barrier
      }
      step.arrive_and_wait();
      EXPECT_TRUE(x.is_deleted());
      step.arrive_and_wait();
    }
  });
}

// A literal gets its memory when it is first used: here by all at once.
TEST_F(threads, literals_are_made_once) {
  std::vector<Array> numbers(kRounds);
  for (int i = 0; i < kRounds; ++i) numbers[static_cast<std::size_t>(i)] = Array(i + 0.5);
  std::barrier step(kThreads);
  on_threads([&](int) {
    for (int i = 0; i < kRounds; ++i) {
      const Array& x = numbers[static_cast<std::size_t>(i)];
      step.arrive_and_wait();
      EXPECT_EQ(jit([](const Array& x) { return x * 2; })(x).item<float>(), 2 * i + 1);
      EXPECT_EQ(x.item<float>(), i + 0.5f);
    }
  });
}

TEST_F(threads, the_last_handle_dies_anywhere) {
  for (int round = 0; round < kRounds; ++round) {
    auto same_array = [](const Array& x) { return x; };
    std::shared_ptr<Jitted<decltype(same_array)>> f(new auto(jit(same_array)));
    std::vector<std::shared_ptr<Jitted<decltype(same_array)>>> functions(kThreads, f);
    std::vector<Array> arrays(kThreads, arange(100.f) + round);
    f = nullptr;
    on_threads([&](int t) {
      const auto k = static_cast<std::size_t>(t);
      EXPECT_EQ((*functions[k])(arrays[k])(99).item<float>(), 99 + round);
      arrays[k] = Array();
      functions[k] = nullptr;
    });
  }
}

TEST_F(threads, settings_change_while_others_run) {
  const std::string before = config::backend();
  on_threads([&](int t) {
    for (int round = 0; round < kRounds; ++round) {
      if (t == 0) config::backend(round % 2 ? before : "reference");
      if (t == 1) set_num_threads(1 + round % 4);
      if (t == 2) config::isolation(round % 2 ? Isolation::shared : Isolation::per_device);
      EXPECT_EQ((arange(100.f) + 1).sum().item<float>(), 5050);
      EXPECT_EQ(jit([](const Array& x) { return x.sum(); })(ones({4, 4})).item<float>(), 16);
    }
  });
  config::backend(before);
  config::isolation(Isolation::shared);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
