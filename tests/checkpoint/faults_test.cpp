// A process is killed while it saves; the disk is full. The last complete checkpoint stands, bit for bit.
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "io/random_arrays.hpp"

namespace tutti::test {
namespace {

// The state after step n, all of it different from that of any other.
Dict state_of(int n) {
  Dict out;
  out["large"] = array(std::vector<int>(300000, n), {300000});
  out["layers"]["w"] = array(std::vector<float>(5000, 0.5f * static_cast<float>(n)), {50, 100});
  out["step"] = Array(n);
  return out;
}
void expect_state(const Dict& got, int n) {
  const Dict want = state_of(n);
  const auto a = tree::leaves_with_path(got), b = tree::leaves_with_path(want);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(bits(a[i].second), bits(b[i].second)) << n << b[i].first;
}

// Forks a child that does `work` until it is killed after `delay`.
void kill_during(const std::function<void()>& work, std::chrono::microseconds delay) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    try {
      work();
    } catch (...) {
    }
    ::_exit(1);
  }
  std::this_thread::sleep_for(delay);
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "the child ended before it was killed";
}

TEST(Faults, KilledInTheMiddleOfASave) {
  const Folder folder;
  std::mt19937_64 random(1);
  std::int64_t last = 0;
  int interrupted = 0;
  std::uint64_t longest = 40000;  // until the kill; more on a disk so busy that no save is done by then
  checkpoint::save(folder.path(), state_of(0), {.step = 0});
  for (int round = 0; round < 40; ++round) {
    kill_during(
        [&] {
          checkpoint::Manager manager(folder.path(), {.keep = 3, .asynchronous = round % 2 == 0});
          for (int n = static_cast<int>(last) + 1;; ++n) manager.save(n, state_of(n));
        },
        std::chrono::microseconds(random() % longest));
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
      interrupted += entry.path().string().find(".tmp-") != std::string::npos;
    const auto steps = checkpoint::steps(folder.path());
    ASSERT_FALSE(steps.empty());
    EXPECT_GE(steps.back(), last);
    last = steps.back();
    if (last == 0 && round % 10 == 9) longest *= 3;
    for (std::int64_t n : steps)
      expect_state(checkpoint::restore(folder.path(), state_of(0), {.step = n}), static_cast<int>(n));
  }
  EXPECT_GT(last, 0);
  EXPECT_GT(interrupted, 0) << "no save was ever interrupted";
}

TEST(Faults, KilledWhileAStepIsReplaced) {
  const Folder folder;
  std::mt19937_64 random(2);
  checkpoint::save(folder.path(), state_of(1), {.step = 5});
  for (int round = 0; round < 15; ++round) {
    kill_during(
        [&] {
          for (int n = 1;; ++n) checkpoint::save(folder.path(), state_of(n), {.step = 5});
        },
        std::chrono::microseconds(random() % 30000));
    const Dict back = checkpoint::restore(folder.path(), state_of(0));
    expect_state(back, back["step"].array().item<int>());
  }
}

void expect_disk_full(const std::string& folder, const char* why) {
  const Dict small = state_of(1);
  Dict large;
  large["x"] = ones({4 << 20});  // 16 MiB
  checkpoint::save(folder, small, {.step = 1});
  checkpoint::Manager manager(folder, {.asynchronous = true});
  manager.save(2, large);
  for (const auto& save : std::vector<std::function<void()>>{
           [&] { manager.wait(); }, [&] { checkpoint::save(folder, large, {.step = 2}); },
           [&] { io::save(folder + "/x", large); },
           [&] {
             io::save_npz(folder + "/x", {{"x", large["x"].array()}});
           },
           [&] { io::save_npy(folder + "/x", large["x"].array()); }}) {
    try {
      save();
      ADD_FAILURE() << "no error";
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find(folder), std::string::npos) << e.what();
    }
  }
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator(folder)) ++entries;
  EXPECT_EQ(entries, 1u) << "something half written is left";
  expect_state(checkpoint::restore(folder, state_of(0)), 1);
  EXPECT_EQ(large["x"].array().to_vector<float>()[12345], 1.f);  // training goes on
  checkpoint::save(folder, small, {.step = 3});
  EXPECT_EQ(checkpoint::latest(folder), 3);
}

TEST(Faults, DiskFull) {
  const Folder folder;
  const std::string disk = folder / "disk";
  std::filesystem::create_directories(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=8m") != 0)
    GTEST_SKIP() << "mounting a small disk is not permitted";
  expect_disk_full(disk, "No space left");
  EXPECT_EQ(::umount(disk.c_str()), 0);
}

TEST(Faults, FilesMayNotGrow) {
  const Folder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 4 << 20;
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);  // whose default is to end the process
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_disk_full(folder.path(), "File too large");
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
}

TEST(Faults, WhereNothingMayBeWritten) {
  EXPECT_THROW(checkpoint::save("/proc/tutti", ones({2})), FileError);
  EXPECT_THROW(checkpoint::save("/dev/null/run", ones({2})), FileError);
  EXPECT_THROW(checkpoint::steps("/dev/null"), FileError);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
