// Checkpoints in a loop: which are kept, donated arrays, errors in the background.
#include <sys/wait.h>
#include <unistd.h>

#include "io/random_arrays.hpp"

namespace tutti::test {
namespace {

TEST(Manager, EveryNStepsAndTheLastK) {
  for (bool asynchronous : {true, false}) {
    const Folder folder;
    checkpoint::Manager manager(folder / "run", {.every = 3, .keep = 2, .asynchronous = asynchronous});
    EXPECT_EQ(manager.latest(), std::nullopt);
    int saved = 0;
    for (int step = 1; step <= 14; ++step) saved += manager.save(step, full({4}, float(step)));
    EXPECT_EQ(saved, 4);
    EXPECT_EQ(manager.latest(), 12);
    EXPECT_EQ(checkpoint::steps(folder / "run"), (std::vector<std::int64_t>{9, 12}));
    manager.save_now(14, full({4}, float(14)), R"({"done":true})");
    EXPECT_EQ(manager.restore(zeros({4})).to_vector<float>()[0], 14);
    EXPECT_EQ(checkpoint::extra(folder / "run"), R"({"done":true})");
    EXPECT_EQ(manager.restore(zeros({4}), {.step = 12}).to_vector<float>()[0], 12);
  }
  EXPECT_THROW(checkpoint::Manager("x", {.every = 0}), ValueError);
  EXPECT_THROW(checkpoint::Manager("x", {.keep = -1}), ValueError);
}

TEST(Manager, TheDestructorWaits) {
  const Folder folder;
  const Array x = ones({1 << 20});
  checkpoint::Manager(folder.path()).save(1, x);
  EXPECT_EQ(checkpoint::latest(folder.path()), 1);
}

// What is being written does not change, though the next steps are given the arrays to write on.
TEST(Manager, DonatedArraysAreSavedAsTheyWere) {
  const Folder folder;
  checkpoint::Manager manager(folder.path(), {.keep = 0});
  auto step =
      jit([](const std::vector<Array>& state) { return tree::map([](const Array& x) { return x + 1; }, state); },
          {.donate = Donate::all});
  std::vector<Array> state;
  for (int i = 0; i < 8; ++i) state.push_back(full({1 << 18}, float(i)));
  for (int n = 0; n < 12; ++n) {
    const std::vector<Array> before = state;
    manager.save(n, state);
    for (int i = 0; i < 3; ++i) state = step(state);
    EXPECT_TRUE(before[0].is_deleted());
  }
  manager.wait();
  for (int n = 0; n < 12; ++n) {
    const auto back = manager.restore(state, {.step = n});
    for (int i = 0; i < 8; ++i) {
      const auto values = back[static_cast<std::size_t>(i)].to_vector<float>();
      EXPECT_EQ(std::count(values.begin(), values.end(), static_cast<float>(i + 3 * n)), 1 << 18) << n << " " << i;
    }
  }
}

TEST(Manager, ASnapshotHoldsTheMemoryOfADonatedArray) {
  auto step = jit([](const Array& x) { return x * 2; }, {.donate = Donate::all});
  Array x = ones({1 << 16}) + 1;
  const auto content = io::detail::content_of(x);
  const Array y = step(x);
  EXPECT_TRUE(x.is_deleted());
  EXPECT_EQ(*reinterpret_cast<const float*>(content.bytes().data()), 2.f);
  EXPECT_EQ(y.to_vector<float>()[0], 4.f);
}

TEST(Manager, WhatGoesWrongInTheBackgroundIsThrownByTheNextCall) {
  const Folder folder;
  write_bytes(folder / "file", "");
  const Array state = ones({4});
  {
    checkpoint::Manager manager(folder / "file");  // no folder can be made there
    EXPECT_TRUE(manager.save(1, state));
    EXPECT_THROW(manager.save(2, state), FileError);
    EXPECT_TRUE(manager.save(3, state));  // told once, then it is tried again
    EXPECT_THROW(manager.wait(), FileError);
    manager.wait();
    manager.save(4, state);
    ::testing::internal::CaptureStderr();
  }
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(printed.find("manager_test.cpp"), std::string::npos) << printed;  // the line of the save
  EXPECT_NE(printed.find(folder / "file"), std::string::npos) << printed;
  EXPECT_EQ(state.to_vector<float>()[3], 1.f);
  // What is wrong with the tree itself is known at once.
  checkpoint::Manager manager(folder / "run");
  Array gone = ones({4}) + 1;
  gone.delete_();
  EXPECT_THROW(manager.save(1, gone), DeletedError);
  EXPECT_THROW(manager.save(1, Dict()), ValueError);
}

TEST(Manager, WhatDeadWritersLeftGoes) {
  const Folder folder;
  std::filesystem::create_directories(folder / "step_000007.tmp-dead");
  write_bytes(folder / "step_000007.tmp-dead/arrays.safetensors", "x");
  std::filesystem::create_directories(folder / "other.tmp-mine");
  checkpoint::Manager manager(folder.path());
  manager.save(1, ones({4}));
  manager.wait();
  EXPECT_FALSE(std::filesystem::exists(folder / "step_000007.tmp-dead"));
  EXPECT_TRUE(std::filesystem::exists(folder / "other.tmp-mine"));
}

// A child of fork() neither waits for the parent's thread nor ends with it.
TEST(Manager, AChildOfForkGoesItsOwnWay) {
  const Folder folder;
  checkpoint::Manager manager(folder / "run", {.keep = 0});
  manager.save(1, ones({1 << 20}));
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    manager.save(2, ones({4}));
    manager.wait();
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(manager.latest(), 2);
  EXPECT_EQ(checkpoint::steps(folder / "run"), (std::vector<std::int64_t>{1, 2}));
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
