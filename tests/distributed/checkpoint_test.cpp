// Checkpoints of arrays of which each process holds a part, read under other shardings.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include <tutti/tutti.hpp>

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
std::vector<float> everywhere(const Array& x) { return multihost::process_allgather(x).to_vector<float>(); }

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

TEST(Checkpoint, WhatFailsInTheFirstFailsInAll) {
  const Array x = device_put(zeros({16}), NamedSharding(make_mesh({8}, {"x"}), P("x")));
  EXPECT_THROW(checkpoint::save("/proc/no/such/folder", x, {.step = 1}), Error);
  multihost::sync_global_devices("they go on");
}

}  // namespace
}  // namespace tutti
