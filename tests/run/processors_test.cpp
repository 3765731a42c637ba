#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "run/processors.hpp"
#include "tutti/base/threads.hpp"

namespace tutti::test {
namespace {

namespace fs = std::filesystem;

// A made-up machine: files below a folder that goes away with it.
class Root {
 public:
  Root() : path_(folder() / ("tutti_root_" + std::to_string(getpid()))) { fs::remove_all(path_); }
  ~Root() { fs::remove_all(path_); }
  Root(const Root&) = delete;
  std::string path() const { return path_.string(); }
  void write(const std::string& file, const std::string& text) const {
    const fs::path at = path_ / file;
    fs::create_directories(at.parent_path());
    std::ofstream(at) << text << '\n';
  }
  void remove(const std::string& file) const { fs::remove_all(path_ / file); }
  run::Processors read(const std::vector<int>& mask = {}) const { return run::read_processors(mask, path()); }

 private:
  static fs::path folder() {  // in memory if there is such a one: these are thousands of files
    return fs::is_directory("/dev/shm") ? fs::path("/dev/shm") : fs::temp_directory_path();
  }
  fs::path path_;
};

std::string cpu(int p) { return "sys/devices/system/cpu/cpu" + std::to_string(p); }
std::string range(int first, int last) { return std::to_string(first) + "-" + std::to_string(last); }

// Sockets of `cores` cores of two hyper-threads each, numbered as Linux does: the second thread of core c of all is
// processor sockets * cores + c.
void two_threads_a_core(const Root& root, int sockets, int cores, const char* file = "core_cpus_list") {
  const int all = sockets * cores;
  root.write("sys/devices/system/cpu/online", range(0, 2 * all - 1));
  root.write("sys/devices/system/node/online", sockets > 1 ? range(0, sockets - 1) : "0");
  for (int p = 0; p < 2 * all; ++p)
    root.write(cpu(p) + "/topology/" + file, std::to_string(p % all) + "," + std::to_string(p % all + all));
  for (int s = 0; s < sockets; ++s)
    root.write("sys/devices/system/node/node" + std::to_string(s) + "/cpulist",
               range(s * cores, (s + 1) * cores - 1) + "," + range(all + s * cores, all + (s + 1) * cores - 1));
}

std::vector<int> numbers(int first, int last) {
  std::vector<int> out;
  for (int p = first; p <= last; ++p) out.push_back(p);
  return out;
}

}  // namespace

TEST(processors, hyper_threads_are_left_out) {
  for (const char* file : {"core_cpus_list", "thread_siblings_list"}) {  // before Linux 5.3 there was the second alone
    const Root root;
    two_threads_a_core(root, 2, 32, file);
    const run::Processors p = root.read();
    EXPECT_EQ(p.threads(), 64);
    ASSERT_EQ(p.nodes.size(), 2u);
    EXPECT_EQ(p.nodes[1].cores, 32);
    EXPECT_EQ(p.nodes[1].processors.size(), 64u);
    EXPECT_TRUE(std::isinf(p.quota));
  }
}

TEST(processors, threads_fill_node_after_node) {
  const Root root;
  two_threads_a_core(root, 2, 32);
  const run::Processors p = root.read();
  for (const int thread : {0, 31, 64, 95}) EXPECT_EQ(p.node_of(thread).processors.front(), 0) << thread;
  for (const int thread : {32, 63, 96}) EXPECT_EQ(p.node_of(thread).processors.front(), 32) << thread;
}

TEST(processors, affinity_is_respected) {
  const Root root;
  two_threads_a_core(root, 2, 32);
  EXPECT_EQ(root.read({0, 64}).threads(), 1);  // both threads of a core
  EXPECT_EQ(root.read({0, 1, 2, 3}).threads(), 4);
  EXPECT_EQ(root.read(numbers(64, 127)).threads(), 64);  // the second threads alone
  const run::Processors far = root.read({40, 41, 105});
  EXPECT_EQ(far.threads(), 2);
  ASSERT_EQ(far.nodes.size(), 1u);  // a node without processors is none
  EXPECT_EQ(far.nodes[0].processors, (std::vector{40, 41, 105}));
}

TEST(processors, offline_ones_do_not_count) {
  const Root root;
  two_threads_a_core(root, 1, 8);
  root.write("sys/devices/system/cpu/online", "0-3,6,8-11");
  EXPECT_EQ(root.read().threads(), 5);
  EXPECT_EQ(root.read(numbers(0, 15)).threads(), 5);
  EXPECT_EQ(root.read({4, 5, 6}).threads(), 1);
}

TEST(processors, quota_of_version_2) {
  const Root root;
  two_threads_a_core(root, 2, 32);
  root.write("proc/self/cgroup", "0::/pods/one/container");
  root.write("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw");
  const std::string own = "sys/fs/cgroup/pods/one/container/cpu.max", pod = "sys/fs/cgroup/pods/one/cpu.max";
  root.write(own, "max 100000");
  EXPECT_EQ(root.read().threads(), 64);
  root.write(own, "250000 100000");
  EXPECT_EQ(root.read().threads(), 2);
  EXPECT_EQ(root.read().quota, 2.5);
  root.write(own, "50000 100000");  // half a processor
  EXPECT_EQ(root.read().threads(), 1);
  root.write(own, "9000000 100000");  // more than there are
  EXPECT_EQ(root.read().threads(), 64);
  root.write(pod, "600000 200000");  // of a parent: the least counts
  EXPECT_EQ(root.read().threads(), 3);
  root.remove("sys/fs/cgroup/pods/one/container");
  EXPECT_EQ(root.read().threads(), 3);
  root.write(pod, "nonsense");
  EXPECT_EQ(root.read().threads(), 64);
}

// A container sees its own group at the mount, under the name that the machine has for it or under none.
TEST(processors, quota_seen_from_within_a_container) {
  for (const char* group : {"/", "/docker/0123", "/docker/0123/inner", "/../other"})
    for (const char* top : {"/", "/docker/0123"}) {
      const Root root;
      two_threads_a_core(root, 1, 8);
      root.write("proc/self/cgroup", std::string("0::") + group);
      root.write("proc/self/mountinfo", std::string("30 23 0:26 ") + top + " /sys/fs/cgroup ro - cgroup2 cgroup rw");
      root.write("sys/fs/cgroup/cpu.max", "300000 100000");
      EXPECT_EQ(root.read().threads(), 3) << group << " " << top;
    }
}

TEST(processors, quota_of_version_1) {
  const Root root;
  two_threads_a_core(root, 1, 16);
  root.write("proc/self/cgroup", "11:memory:/m\n4:cpu,cpuacct:/box\n1:name=systemd:/s\n0::/unified");
  root.write("proc/self/mountinfo",
             "32 23 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
             "33 23 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
             "34 23 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw");
  const std::string box = "sys/fs/cgroup/cpu,cpuacct/box/";
  root.write(box + "cpu.cfs_quota_us", "-1");
  root.write(box + "cpu.cfs_period_us", "100000");
  EXPECT_EQ(root.read().threads(), 16);
  root.write(box + "cpu.cfs_quota_us", "450000");
  EXPECT_EQ(root.read().threads(), 4);
  root.remove("proc/self/mountinfo");  // where it is mounted as a rule
  EXPECT_EQ(root.read().threads(), 16);
  root.write("sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "200000");
  EXPECT_EQ(root.read().threads(), 2);  // of the usual period
}

TEST(processors, missing_files_do_not_restrict) {
  const Root root;
  EXPECT_EQ(root.read({0, 1, 5}).threads(), 3);
  EXPECT_GE(root.read().threads(), 1);
  root.write("proc/self/cgroup", "0::/nowhere\nnonsense\n1:\n:");
  root.write("proc/self/mountinfo", "nonsense\n - \n30 - cgroup2");
  root.write("sys/devices/system/cpu/online", "a-b");
  root.write("sys/devices/system/node/online", "0-1");
  EXPECT_EQ(root.read({0, 1, 5}).threads(), 3);
}

TEST(processors, a_thread_is_bound_to_some) {
  for (const int p : run::affinity_mask()) {
    int on = -1, count = -1;
    std::thread([&] {
      run::run_on({p});
      cpu_set_t set;
      if (sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
      on = sched_getcpu();
    }).join();
    EXPECT_EQ(on, p);
    EXPECT_EQ(count, 1);
    if (p > 8) break;
  }
}

TEST(processors, of_this_machine) {
  const run::Processors p = run::read_processors(run::affinity_mask());
  EXPECT_GE(p.threads(), 1);
  EXPECT_LE(p.threads(), static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
