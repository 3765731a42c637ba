// What is under way during a run: it goes on with everything else, and nothing is left at the end.
#include <gtest/gtest.h>

#include <stdexcept>

#include "run/flights.hpp"

namespace tutti::test {
namespace {

struct Log {
  std::vector<int> finished;
  std::vector<int> advanced = std::vector<int>(4, 0);
};

// Is over after `turns` advances, or when it is finished.
class Journey final : public run::UnderWay {
 public:
  Journey(int number, int turns, Log& log) : number_(number), turns_(turns), log_(log) {}
  bool advance() override {
    ++log_.advanced[static_cast<std::size_t>(number_)];
    return --turns_ <= 0;
  }
  void finish(const std::function<void()>& meanwhile) override {
    for (; turns_ > 0; --turns_) meanwhile();
    log_.finished.push_back(number_);
  }

 private:
  int number_, turns_;
  Log& log_;
};

void add(run::Flights& f, int number, int turns, Log& log) {
  f.add(number, static_cast<std::size_t>(10 + number), std::make_unique<Journey>(number, turns, log));
}

}  // namespace

TEST(flights, others_go_on_while_one_is_waited_for) {
  Log log;
  run::Flights f;
  add(f, 0, 3, log);
  add(f, 1, 2, log);
  EXPECT_EQ(f.stage_of(1), 11u);
  f.finish(0);
  EXPECT_EQ(log.advanced[1], 2) << "over after two turns, and not asked again";
  EXPECT_EQ(f.next(), 1);
  f.finish(1);
  EXPECT_EQ(log.finished, std::vector{0}) << "the other one was over";
  EXPECT_TRUE(f.empty());
}

TEST(flights, those_of_runs_around_go_on) {
  Log log;
  run::Flights outer;
  add(outer, 0, 9, log);
  {
    run::Flights inner;
    add(inner, 1, 9, log);
    run::Flights::advance_mine();
  }
  EXPECT_EQ(log.advanced[0], 1 + 8) << "also while the inner one was waited for";
  EXPECT_EQ(log.finished, std::vector{1});
}

TEST(flights, what_an_exception_leaves_is_finished) {
  Log log;
  try {
    run::Flights f;
    add(f, 0, 1, log);
    add(f, 1, 1, log);
    throw std::runtime_error("a step");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(log.finished.size() + static_cast<std::size_t>(log.advanced[1] > 0 && log.finished.size() == 1), 2u);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
