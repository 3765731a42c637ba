// Settings of a thread for a while.
#include <gtest/gtest.h>

#include <thread>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

// A library that wants x64 for itself.
Array precise_sum(const Array& x) {
  config::Scope scope({.x64 = true});
  return x.astype(float64).sum();
}

TEST(Scope, ChangesItsThreadOnly) {
  EXPECT_FALSE(x64_enabled());
  {
    config::Scope scope({.x64 = true, .isolation = Isolation::per_device, .backend = "reference", .debug_nans = true});
    EXPECT_TRUE(x64_enabled());
    EXPECT_EQ(config::isolation(), Isolation::per_device);
    EXPECT_EQ(config::backend(), "reference");
    EXPECT_TRUE(config::debug_nans());
    EXPECT_FALSE(config::debug_infs());
    EXPECT_EQ(array(std::vector<double>{0.1}).dtype(), float64);
    EXPECT_EQ((arange(4) * 2).dtype(), int64);
    std::thread([] {
      EXPECT_FALSE(x64_enabled());
      EXPECT_EQ(config::isolation(), Isolation::shared);
      EXPECT_EQ(config::backend(), "cpu");
      EXPECT_EQ((arange(4) * 2).dtype(), int32);
    }).join();
    {
      config::Scope inner({.x64 = false, .machine = Machine{.flops = 1e12}});
      EXPECT_FALSE(x64_enabled());
      EXPECT_EQ(config::isolation(), Isolation::per_device);
      EXPECT_EQ(config::machine().flops, 1e12);
    }
    EXPECT_TRUE(x64_enabled());
    EXPECT_EQ(config::machine(), Machine());
  }
  EXPECT_FALSE(x64_enabled());
  EXPECT_EQ(config::isolation(), Isolation::shared);
  EXPECT_EQ(config::backend(), "cpu");
  EXPECT_FALSE(config::debug_nans());
}

TEST(Scope, EndsByAnException) {
  try {
    config::Scope scope({.x64 = true, .threefry_partitionable = false});
    EXPECT_FALSE(config::threefry_partitionable());
    throw 1;
  } catch (int) {
  }
  EXPECT_FALSE(x64_enabled());
  EXPECT_TRUE(config::threefry_partitionable());
}

// Two libraries with different x64 in one process give right dtypes, and calls find what they compiled.
TEST(Scope, ProgramsAreFoundAgain) {
  int recorded = 0;
  auto f = jit([&](const Array& x) {
    ++recorded;
    return x * array(std::vector<int>{1, 2}).astype(int64);
  });
  const Array x = arange(2);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(f(x).dtype(), int32);
    config::Scope scope({.x64 = true});
    EXPECT_EQ(f(x).dtype(), int64);
  }
  EXPECT_EQ(recorded, 2);
  EXPECT_EQ(precise_sum(ones({3})).dtype(), float64);
  EXPECT_FALSE(x64_enabled());
  // The same of the settings of the process: back and forth is where it was.
  const unsigned long before = config::generation();
  config::isolation(Isolation::per_device);
  EXPECT_NE(config::generation(), before);
  config::isolation(Isolation::shared);
  EXPECT_EQ(config::generation(), before);
}

TEST(Scope, IsHandedToThreadsOfTutti) {
  config::Scope scope({.x64 = true});
  auto loader = data::loader(data::rows(arange(8)), 2, {.workers = 2}, [](const Array& rows) { return rows * 0.5; });
  for (int i = 0; i < 4; ++i) EXPECT_EQ(loader.next().dtype(), float64);
}

TEST(Scope, IsRefusedWhileRecording) {
  EXPECT_THROW(jit([](const Array& x) {
                 config::Scope scope({.x64 = true});
                 return x;
               })(ones({2})),
               ValueError);
  EXPECT_FALSE(x64_enabled());
  jit([](const Array& x) {
    config::Scope same({.x64 = false, .debug_nans = true, .notes = false});  // no other programs by these
    return x;
  })(ones({2}));
  EXPECT_THROW(config::Scope({.backend = "gpu"}), ValueError);
  EXPECT_THROW(config::Scope({.machine = Machine{.flops = 0}}), ValueError);
  EXPECT_EQ(config::backend(), "cpu");
}

// What is set for the process does not reach a thread in whose scope it says otherwise.
TEST(Scope, WinsOverTheProcess) {
  {
    config::Scope scope({.x64 = false});
    enable_x64(true);
    EXPECT_FALSE(x64_enabled());
    std::thread([] { EXPECT_TRUE(x64_enabled()); }).join();
  }
  EXPECT_TRUE(x64_enabled());
  enable_x64(false);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
