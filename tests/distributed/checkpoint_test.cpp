// Checkpoints of arrays of which each process holds a part, read under other shardings.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <tutti/tutti.hpp>

#include "checkpoint/ownership.hpp"
#include "distributed/everywhere.hpp"
#include "run/transport.hpp"

namespace tutti {
namespace {

struct State {
  Array weight, bias, step, key;
};

// A folder that all processes name alike.
std::string folder(const char* name) {
  const Array pid = multihost::broadcast_one_to_all(array(static_cast<int>(getpid())));
  return (std::filesystem::temp_directory_path() / (std::string(name) + std::to_string(pid.item<int>()))).string();
}

TEST(Checkpoint, GoesToEveryOtherSharding) {
  const std::string where = folder("tutti_checkpoint_");
  const Mesh a = make_mesh({4, 2}, {"x", "y"}), b = make_mesh({2, 4}, {"x", "y"});
  const Array weight = random::normal(random::key(1), {16, 8}), bias = random::normal(random::key(2), {8});
  State state{device_put(weight, NamedSharding(a, P("x", "y"))), device_put(bias, NamedSharding(a, P("x"))), array(7),
              random::key(5)};
  checkpoint::save(where, state, {.step = 7});
  for (const auto& [w, v] : std::vector<std::pair<Sharding, Sharding>>{
           {NamedSharding(a, P("x", "y")), NamedSharding(a, P("x"))},
           {NamedSharding(b, P("y", "x")), NamedSharding(b, P())},
           {NamedSharding(b, P(none, axes("x", "y"))), NamedSharding(a, P(axes("x", "y")))},
           {SingleDeviceSharding(devices()[0]), SingleDeviceSharding(devices()[0])}}) {
    State like{device_put(zeros({16, 8}), w), device_put(zeros({8}), v), array(0), random::key(0)};
    const State back = checkpoint::restore(where, like);
    EXPECT_EQ(back.weight.sharding(), w);
    EXPECT_EQ(everywhere(back.weight), weight.to_vector<float>()) << w.str();
    EXPECT_EQ(everywhere(back.bias), bias.to_vector<float>()) << v.str();
    EXPECT_EQ(back.step.item<int>(), 7);
  }
  multihost::sync_global_devices("read");
  if (process_index() == 0) std::filesystem::remove_all(where);
}

TEST(Checkpoint, ManagerInTheBackground) {
  const std::string where = folder("tutti_manager_");
  const NamedSharding rows(make_mesh({8}, {"x"}), P("x"));
  Array x = device_put(zeros({16}), rows);
  auto step = jit([](const Array& v) { return v + 1.f; }, {.donate_argnums = {0}});
  {
    checkpoint::Manager manager(where, {.every = 2, .keep = 2});
    for (int i = 1; i <= 6; ++i) {
      x = step(x);
      manager.save(i, x);
    }
    manager.wait();
    EXPECT_EQ(manager.latest(), 6);
  }
  const Array back = checkpoint::restore(where, device_put(zeros({16}), rows));
  EXPECT_EQ(everywhere(back), std::vector<float>(16, 6.f));
  multihost::sync_global_devices("read");
  if (process_index() == 0) std::filesystem::remove_all(where);
}

// Bytes that this process has read from files so far.
std::int64_t bytes_read() {
  std::ifstream counters("/proc/self/io");
  std::string name;
  std::int64_t value = 0;
  counters >> name >> value;
  return value;
}

TEST(Checkpoint, EachProcessWritesAndReadsItsPart) {
  const std::string where = folder("tutti_parts_");
  const Mesh mesh = make_mesh({8}, {"x"});
  constexpr std::int64_t bytes = 4 * 1024 * 2048;
  const State state{device_put(random::normal(random::key(1), {1024, 2048}), NamedSharding(mesh, P("x"))),
                    random::normal(random::key(2), {1024, 2048}), array(1), random::key(3)};
  const double before = process_count() > 1 ? run::transport()->received().bytes : 0;
  checkpoint::save(where, state);
  if (process_count() > 1) {
    EXPECT_LT(run::transport()->received().bytes - before, 1e5) << "a part was sent";
  }
  for (const auto& file : std::filesystem::directory_iterator(where + "/step_000000"))
    if (file.path().extension() == ".safetensors") {
      EXPECT_NEAR(static_cast<double>(file.file_size()), 2.0 * bytes / process_count(), 1e4) << file.path();
    }
  const Array like = device_put(zeros({1024, 2048}), NamedSharding(mesh, P("x")));
  const std::int64_t start = bytes_read();
  const State back = checkpoint::restore(where, State{like, array(0), array(0), random::key(0)}, {.partial = true});
  EXPECT_LT(bytes_read() - start, bytes / process_count() + 100000);
  EXPECT_EQ(everywhere(back.weight), everywhere(state.weight));
  multihost::sync_global_devices("read");
  if (process_index() == 0) std::filesystem::remove_all(where);
}

TEST(Checkpoint, BlocksOfDifferentSizes) {
  const std::string where = folder("tutti_uneven_");
  const Mesh mesh = make_mesh({8}, {"x"});
  const Array x = random::normal(random::key(1), {13, 3}), y = random::normal(random::key(2), {5, 13});
  const std::pair tree{device_put(x, NamedSharding(mesh, P("x"))), device_put(y, NamedSharding(mesh, P(none, "x")))};
  checkpoint::save(where, tree);
  const std::pair like{device_put(zeros({13, 3}), NamedSharding(mesh, P())),
                       device_put(zeros({5, 13}), NamedSharding(mesh, P("x")))};
  const auto back = checkpoint::restore(where, like);
  EXPECT_EQ(everywhere(back.first), x.to_vector<float>());
  EXPECT_EQ(everywhere(back.second), y.to_vector<float>());
  multihost::sync_global_devices("read");
  if (process_index() == 0) std::filesystem::remove_all(where);
}

// Every element is dealt out once, to one who has it, and nobody gets much more than his share.
TEST(Dealer, DealsEvenly) {
  using namespace checkpoint::detail;
  const int processes = 4;
  Dealer dealer(processes);
  std::int64_t total = 0;
  for (int leaf = 0; leaf < 50; ++leaf) {
    const std::int64_t rows = 1 + leaf * 37 % 900, columns = 1 + leaf * leaf;
    std::vector<HeldRegion> regions;
    if (leaf % 2)
      regions = {{{{0, 0}, {rows, columns}}, {0, 1, 2, 3}}};
    else
      regions = {{{{0, 0}, {rows, columns}}, {0, 2}}, {{{rows, 0}, {rows, columns}}, {1, 3}}};
    std::int64_t elements = 0;
    const std::vector<Assigned> dealt = dealer.deal(regions, 4);
    for (std::size_t i = 0; i < dealt.size(); ++i) {
      elements += dealt[i].region.num_elements();
      for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(common(dealt[i].region, dealt[j].region));
      bool has = false;
      for (const HeldRegion& r : regions)
        if (common(r.region, dealt[i].region) == dealt[i].region)
          has = std::find(r.holders.begin(), r.holders.end(), dealt[i].writer) != r.holders.end();
      EXPECT_TRUE(has);
    }
    EXPECT_EQ(elements, rows * columns * static_cast<std::int64_t>(regions.size()));
    total += 4 * elements;
  }
  for (const std::int64_t bytes : dealer.bytes())
    EXPECT_NEAR(static_cast<double>(bytes), static_cast<double>(total) / processes, 4 << 20);
}

TEST(Checkpoint, WhatFailsInTheLastFailsInAll) {
  const std::string where = folder("tutti_last_");
  const Array x = device_put(zeros({8, 1 << 16}), NamedSharding(make_mesh({8}, {"x"}), P("x")));
  checkpoint::save(where, x, {.step = 1});
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  if (process_index() == process_count() - 1) {
    const rlimit little{1000, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &little);
  }
  try {
    checkpoint::save(where, x, {.step = 2});
    ADD_FAILURE() << "no error";
  } catch (const FileError& e) {
    EXPECT_NE(std::string(e.what()).find("arrays"), std::string::npos) << e.what();
  }
  checkpoint::Manager manager(where);
  manager.save(3, x);
  EXPECT_THROW(manager.wait(), FileError);
  setrlimit(RLIMIT_FSIZE, &before);
  multihost::sync_global_devices("they go on");
  EXPECT_EQ(checkpoint::steps(where), (std::vector<std::int64_t>{1}));
  for (const auto& left : std::filesystem::directory_iterator(where))
    EXPECT_EQ(left.path().filename(), "step_000001") << "half a checkpoint is left";
  multihost::sync_global_devices("looked");
  if (process_index() == 0) std::filesystem::remove_all(where);
}

TEST(Checkpoint, AllSaveTheSameTree) {
  if (process_count() == 1) GTEST_SKIP() << "one process is always of one mind";
  EXPECT_THROW(checkpoint::save("/tmp/never_written", zeros({4 + process_index()})), DistributedError);
}

TEST(Checkpoint, TwoManagersAtOnce) {
  const std::string one = folder("tutti_one_"), other = folder("tutti_other_");
  const Array x = device_put(arange(1 << 16), NamedSharding(make_mesh({8}, {"x"}), P("x")));
  {
    checkpoint::Manager a(one, {.keep = 1}), b(other, {.keep = 1});
    for (int i = 1; i <= 5; ++i) {
      a.save(i, x + i);
      b.save(i, x - i);
      (void)jit([](const Array& v) { return v.sum(); })(x).item<int>();  // messages of programs go on meanwhile
    }
    a.wait();
    b.wait();
  }
  const Array like = device_put(arange(1 << 16), x.sharding());
  EXPECT_TRUE(array_equal(checkpoint::restore(one, like), x + 5).item<bool>());
  EXPECT_TRUE(array_equal(checkpoint::restore(other, like), x - 5).item<bool>());
  multihost::sync_global_devices("read");
  if (process_index() == 0)
    for (const std::string& f : {one, other}) std::filesystem::remove_all(f);
}

TEST(Checkpoint, WhatFailsInTheFirstFailsInAll) {
  const Array x = device_put(zeros({16}), NamedSharding(make_mesh({8}, {"x"}), P("x")));
  EXPECT_THROW(checkpoint::save("/proc/no/such/folder", x, {.step = 1}), Error);
  multihost::sync_global_devices("they go on");
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
