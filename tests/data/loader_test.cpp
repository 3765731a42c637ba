// Loaders: every row once an epoch, the same batches for everybody, and a place that can be saved.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include <tutti/tutti.hpp>

namespace tutti::test {
namespace {

using data::LoaderOptions;

std::vector<int> numbers(const Array& x) { return x.to_vector<int>(); }

/// The next `count` batches, as numbers.
std::vector<std::vector<int>> take(data::Loader<Array>& loader, int count) {
  std::vector<std::vector<int>> out;
  for (int i = 0; i < count; ++i) out.push_back(numbers(loader.next()));
  return out;
}

struct Sizes {
  std::int64_t rows, batch;
};
const Sizes sizes[] = {{1, 1}, {1, 7}, {2, 1}, {7, 3}, {12, 4}, {64, 64}, {100, 9}, {257, 16}};

TEST(Permutation, HasEveryNumberOnce) {
  for (std::int64_t n : {0, 1, 2, 3, 4, 5, 8, 9, 31, 64, 65, 1000, 4097, 100000})
    for (std::uint32_t k : {0u, 1u, 0xffffffffu}) {
      const data::Permutation order(n, {k, 7}, k % 3);
      std::vector<bool> seen(static_cast<std::size_t>(n));
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t j = order(i);
        ASSERT_TRUE(j >= 0 && j < n && !seen[static_cast<std::size_t>(j)]) << n << " " << j;
        seen[static_cast<std::size_t>(j)] = true;
      }
    }
  EXPECT_THROW(data::Permutation(-1, {0, 0}), ValueError);
  // Without a table: 2^62 rows.
  const data::Permutation huge(std::int64_t(1) << 62, {1, 2});
  std::set<std::int64_t> some;
  for (std::int64_t i = 0; i < 1000; ++i) some.insert(huge(i));
  EXPECT_EQ(some.size(), 1000u);
  EXPECT_GT(*some.rbegin(), std::int64_t(1) << 61);
}

// Chi-squared over keys and over epochs: where a number comes, and what comes after it, are uniform.
TEST(Permutation, PlacesAndNeighboursAreUniform) {
  for (std::int64_t n : {2, 3, 5, 8, 10, 33})
    for (bool by_epoch : {false, true}) {
      const auto cells = static_cast<std::size_t>(n);
      std::vector<double> place(cells * cells), follows(cells * cells);
      const int draws = 4000;
      for (int k = 0; k < draws; ++k) {
        const data::Permutation order(n, {by_epoch ? 5u : static_cast<std::uint32_t>(k), 0}, by_epoch ? k : 0);
        for (std::int64_t i = 0; i < n; ++i) {
          ++place[static_cast<std::size_t>(i * n + order(i))];
          ++follows[static_cast<std::size_t>(order(i) * n + order((i + 1) % n))];
        }
      }
      const auto chi = [&](const std::vector<double>& counts, double expected, bool diagonal) {
        double sum = 0;
        for (std::size_t c = 0; c < counts.size(); ++c)
          if (diagonal || c / cells != c % cells) sum += (counts[c] - expected) * (counts[c] - expected) / expected;
        return sum;
      };
      const double m = static_cast<double>(n), free = (m - 1) * (m - 1);
      EXPECT_LT(chi(place, draws / m, true), free + 5 * std::sqrt(2 * free) + 5) << n;
      const double pairs = m * (m - 1);
      EXPECT_LT(chi(follows, draws / (m - 1), false), 2 * pairs + 10 * std::sqrt(2 * pairs) + 10) << n;
    }
}

TEST(Loader, GivesEveryRowOnceAnEpochAndAnotherOrderEach) {
  for (auto [rows, batch] : sizes)
    for (bool drop : {false, true})
      for (int workers : {1, 3}) {
        auto all = data::loader(data::rows(arange(rows)), batch,
                                {.shuffle = true, .drop_last = drop, .workers = workers, .prefetch = 4});
        EXPECT_EQ(all.size(), drop ? rows / batch : (rows + batch - 1) / batch);
        std::vector<std::vector<int>> orders;
        for (int epoch = 0; epoch < 3; ++epoch) {
          EXPECT_EQ(all.epoch(), all.size() > 0 ? epoch : 0);
          std::vector<int> order;
          for (const Array& x : all) {
            EXPECT_LE(x.shape(0), batch);
            for (int i : numbers(x)) order.push_back(i);
          }
          const std::set<int> once(order.begin(), order.end());
          EXPECT_EQ(once.size(), order.size());
          EXPECT_EQ(static_cast<std::int64_t>(order.size()), drop ? rows / batch * batch : rows);
          orders.push_back(std::move(order));
        }
        if (rows > 50 && !drop) {
          EXPECT_NE(orders[0], orders[1]);
          EXPECT_NE(orders[1], orders[2]);
        }
      }
}

TEST(Loader, InOrderUnlessShuffled) {
  std::vector<int> seen;
  auto plain = data::loader(data::rows(arange(10)), 4);
  for (const Array& x : plain)
    for (int i : numbers(x)) seen.push_back(i);
  EXPECT_EQ(seen, numbers(arange(10)));
}

TEST(Loader, ProcessesShareTheSameBatches) {
  for (auto [rows, batch] : sizes)
    for (bool shuffle : {false, true}) {
      LoaderOptions one{.shuffle = shuffle, .key = random::key(9), .prefetch = 0};
      auto whole = data::loader(data::rows(arange(rows)), batch, one);
      const auto wanted = take(whole, static_cast<int>(2 * whole.size() + 1));
      for (int count : {2, 4, 8}) {
        std::vector<std::vector<int>> joined(wanted.size());
        for (int p = 0; p < count; ++p) {
          LoaderOptions part = one;
          part.process_index = p;
          part.process_count = count;
          part.prefetch = p % 3;
          auto mine = data::loader(data::rows(arange(rows)), batch, part);
          EXPECT_EQ(mine.size(), whole.size());
          const auto batches = take(mine, static_cast<int>(wanted.size()));
          for (std::size_t k = 0; k < wanted.size(); ++k) {
            EXPECT_LE(batches[k].size(), (wanted[k].size() + count - 1) / count);
            joined[k].insert(joined[k].end(), batches[k].begin(), batches[k].end());
          }
        }
        EXPECT_EQ(joined, wanted);
      }
    }
}

TEST(Loader, ResumesAtAnyPlaceWithBatchesInFlight) {
  for (auto [rows, batch] : sizes) {
    LoaderOptions options{.shuffle = true, .key = random::key(4), .workers = 2, .prefetch = 5};
    auto source = data::rows(arange(rows));
    auto whole = data::loader(source, batch, options);
    const int total = static_cast<int>(std::min<std::int64_t>(2 * whole.size() + 2, 25));
    const auto wanted = take(whole, total);
    auto again = data::loader(source, batch, {.shuffle = true});  // of another key: that is saved too
    for (int at = 0; at <= total; ++at) {
      auto first = data::loader(source, batch, options);
      take(first, at);
      // A checkpoint holds the leaves of the tree.
      std::vector<Array> saved;
      for (const Array& x : tree::leaves(first.state())) saved.push_back(x.copy());
      again.resume(tree::rebuild(data::LoaderState{array(0), array(0), random::PRNGKey(0)}, saved));
      const auto rest = take(again, total - at);
      EXPECT_EQ(rest, (std::vector<std::vector<int>>(wanted.begin() + at, wanted.end()))) << rows << " at " << at;
    }
  }
}

TEST(Loader, StateInALoopIsThatOfTheNextBatch) {
  auto all = data::loader(data::rows(arange(10)), 2, {.shuffle = true});
  std::vector<data::LoaderState> states;
  std::vector<std::vector<int>> seen;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (const Array& x : all) {
      seen.push_back(numbers(x));
      states.push_back(all.state());
    }
  EXPECT_EQ(states[4].epoch.item<int>(), 1);  // after the last of an epoch comes the first of the next
  EXPECT_EQ(states[4].step.item<int>(), 0);
  for (std::size_t k = 0; k + 1 < seen.size(); ++k) {
    all.resume(states[k]);
    EXPECT_EQ(numbers(all.next()), seen[k + 1]);
  }
  // A loop that was left goes on where it was left.
  all.resume(states[0]);
  for (const Array& x : all) {
    EXPECT_EQ(numbers(x), seen[1]);
    break;
  }
  std::vector<std::vector<int>> rest;
  for (const Array& x : all) rest.push_back(numbers(x));
  EXPECT_EQ(rest, (std::vector<std::vector<int>>(seen.begin() + 2, seen.begin() + 5)));
}

TEST(Loader, RefusesPlacesThatItHasNot) {
  auto all = data::loader(data::rows(arange(10)), 4);
  const Array key = random::PRNGKey(0);
  EXPECT_THROW(all.resume({array(0), array(3), key}), ValueError);
  EXPECT_THROW(all.resume({array(-1), array(0), key}), ValueError);
  EXPECT_THROW(all.resume({array(0), array(-1), key}), ValueError);
  EXPECT_THROW(all.resume({array(0), array(0), array(3)}), ValueError);
  EXPECT_EQ(numbers(all.next()), (std::vector<int>{0, 1, 2, 3}));  // it stands where it stood
}

TEST(Loader, TransformsOnWorkersWithTheirPosition) {
  struct Batch {
    Array x;
    std::vector<Array> rest;
    std::string name;
  };
  auto source = data::rows(std::pair{arange(20).reshape(10, 2), arange(10)});
  const auto here = std::this_thread::get_id();
  for (int prefetch : {0, 3}) {
    auto all = data::loader(
        source, 4, {.workers = 2, .prefetch = prefetch}, [&](std::pair<Array, Array> b, const data::Position& at) {
          EXPECT_EQ(std::this_thread::get_id() == here, prefetch == 0);
          return Batch{b.first * 2, {b.second + 1}, std::to_string(at.epoch) + std::to_string(at.step)};
        });
    std::string names;
    for (const Batch& b : all) {
      names += b.name + " ";
      EXPECT_TRUE(bool(array_equal(b.x(tutti::all, 0), 4 * (b.rest[0] - 1)))) << names;
    }
    EXPECT_EQ(names, "00 01 02 ");
  }
}

TEST(Loader, WhatAWorkerThrowsComesOutAtItsBatch) {
  for (int prefetch : {0, 1, 4})
    for (int workers : {1, 3}) {
      std::atomic<int> bad = 2;
      auto all = data::loader(data::rows(arange(24)), 4, {.workers = workers, .prefetch = prefetch}, [&](Array x) {
        if (x[0].item<int>() == 4 * bad) throw std::runtime_error("no such picture");
        return x;
      });
      EXPECT_EQ(numbers(all.next())[0], 0);
      EXPECT_EQ(numbers(all.next())[0], 4);
      for (int i = 0; i < 3; ++i) EXPECT_THROW(all.next(), std::runtime_error);
      EXPECT_EQ(all.step(), 2);
      bad = 100;
      for (int first : {8, 12, 16, 20, 0}) EXPECT_EQ(numbers(all.next())[0], first);
    }
}

TEST(Loader, AheadIsBoundedAndTheEndWaitsForNobodyElse) {
  for (int left = 0; left < 20; ++left) {
    std::atomic<int> made = 0;
    {
      auto all = data::loader(data::rows(arange(1000)), 1, {.workers = 3, .prefetch = 4}, [&](Array x) {
        ++made;
        return x;
      });
      for (int i = 0; i < left; ++i) all.next();
      EXPECT_LE(made, left + 4);
    }
    const int after = made;
    EXPECT_LE(after, left ? left + 4 : 0);  // and nothing is made any more
    std::this_thread::yield();
    EXPECT_EQ(made, after);
  }
}

// Memory of batches is used again, and only once their arrays are gone.
TEST(Loader, BatchesKeepTheirMemory) {
  auto all = data::loader(data::rows(arange(4096)), 64, {.workers = 2, .prefetch = 3});
  std::vector<Array> kept;
  std::set<const void*> places;
  for (int epoch = 0; epoch < 4; ++epoch)
    for (const Array& x : all) {
      places.insert(host_data<int>(x).data());
      if (epoch == 1) kept.push_back(x);
    }
  EXPECT_LE(places.size(), 64u + 3 * 12u);
  for (std::size_t k = 0; k < kept.size(); ++k) EXPECT_EQ(numbers(kept[k])[5], static_cast<int>(64 * k + 5));
  Array last = all.next();
  { auto gone = std::move(all); }
  EXPECT_EQ(numbers(last)[1], 1);
}

TEST(LoaderFork, AChildHasThreadsOfItsOwn) {
  for (int taken : {0, 1, 3}) {
    auto all = data::loader(data::rows(arange(40)), 4, {.workers = 2, .prefetch = 4});
    take(all, taken);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      bool good = true;
      {
        auto mine = std::move(all);
        for (int k = taken; k < 10; ++k) good = good && numbers(mine.next())[0] == 4 * k;
      }
      _exit(good ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(numbers(all.next())[0], 4 * taken);
  }
}

TEST(Loader, EmptyAndRefused) {
  auto none = data::loader(data::rows(zeros({0, 3})), 4, {.shuffle = true});
  EXPECT_EQ(none.size(), 0);
  for (const Array& x : none) ADD_FAILURE() << x;
  EXPECT_THROW(none.next(), ValueError);
  none.resume(none.state());
  auto source = data::rows(arange(3));
  EXPECT_EQ(data::loader(source, 4, {.drop_last = true}).size(), 0);
  EXPECT_THROW(data::loader(source, 0), ValueError);
  EXPECT_THROW(data::loader(source, 1, {.workers = 0}), ValueError);
  EXPECT_THROW(data::loader(source, 1, {.prefetch = -1}), ValueError);
  EXPECT_THROW(data::loader(source, 1, {.process_index = 2, .process_count = 2}), ValueError);
  EXPECT_THROW(data::loader(source, 1, {.key = arange(5)}), ValueError);
  EXPECT_THROW(data::rows(std::pair{arange(3), arange(4)}), ShapeError);
  EXPECT_THROW(data::rows(array(1)), ShapeError);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
