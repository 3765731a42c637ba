// Arrays and programs on devices whose memories the host cannot touch.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "array/node.hpp"
#include "device/client.hpp"
#include "simulated/client.hpp"
#include "simulated/faults.hpp"
#include "simulated/memory.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

const config::Settings on_simulated{.platform = "simulated"};

std::vector<float> counted(std::int64_t n) {
  std::vector<float> out(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(i % 17) - 8;
  return out;
}

// Whether this process can read a byte there: the kernel looks, without a signal.
bool is_readable(const void* address) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const bool read = write(ends[1], address, 1) == 1;
  if (!read) {
    EXPECT_EQ(errno, EFAULT);
  }
  close(ends[0]);
  close(ends[1]);
  return read;
}

TEST(Simulated, HostCodeCannotReadWhatLiesThere) {
  config::Scope scope(on_simulated);
  const Mesh mesh = make_mesh({4}, {"x"});
  const Array x = device_put(array(counted(16)), NamedSharding(mesh, P("x")));
  EXPECT_EQ(mesh.device_list()[2].str(), "SimDevice(id=2)");
  const BufferPtr buffer = buffer_of(x, "test");
  EXPECT_THROW(on_host(buffer), InternalError);
  x.block_until_ready();
  const auto& sharded = static_cast<const ShardedBuffer&>(*buffer);
  ASSERT_EQ(sharded.blocks.size(), 4u);
  for (const BufferPtr& block : sharded.blocks) {
    EXPECT_EQ(block->bytes(), 16u);
    EXPECT_THROW(on_host(block), InternalError);
    EXPECT_FALSE(is_readable(block->address));
    EXPECT_TRUE(is_readable(simulated::inside(block)));
  }
  EXPECT_EQ(x.to_vector<float>(), counted(16));
  EXPECT_EQ(host_bytes(x).data(), host_bytes(x).data()) << "what was read stays as long as the array";
}

TEST(Simulated, NewArraysLieThere) {
  config::Scope on_the_cpu({.platform = "cpu"});
  const Array on_cpu = array(1.5f) + array({1.f, 2.f});
  config::Scope scope(on_simulated);
  for (const Array& x :
       {array({1.f, 2.f}), zeros({3}), random::normal(random::key(1), {2}), on_cpu * 2.f, on_cpu + on_cpu})
    EXPECT_NE(buffer_of(x, "test")->memory, nullptr) << x;
  EXPECT_EQ(array({1.f, 2.f}).devices().begin()->str(), "SimDevice(id=0)");
}

Array loss(const Array& w, const Array& x) {
  const Array h = tanh(matmul(x, w));
  return mean(h * h) + sum(cumsum(h, 0)) * 1e-3f;
}

TEST(Simulated, ValuesAsOnTheCpu) {
  auto run = [](bool cut) {
    const Mesh mesh = make_mesh({4, 2}, {"x", "y"});
    const Array w =
        device_put(array(counted(64)).reshape({8, 8}) * 0.1f, NamedSharding(mesh, cut ? P(none, "y") : P()));
    const Array x = device_put(array(counted(128)).reshape({16, 8}), NamedSharding(mesh, cut ? P("x") : P()));
    const auto [value, gradient] = jit(value_and_grad(loss))(w, x);
    const Array mapped = vmap([](const Array& row) { return sort(row); })(x);
    return std::vector<Array>{value, gradient, mapped, x[3], x.T(), real(fft::rfft(x))};
  };
  const std::vector<Array> want = run(true);
  config::Scope scope(on_simulated);
  for (bool cut : {false, true}) {
    const std::vector<Array> got = run(cut);
    for (std::size_t k = 0; k < want.size(); ++k) {
      const std::vector<float> a = got[k].to_vector<float>(), b = want[k].to_vector<float>();
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-5f * (1 + std::abs(b[i]))) << k << " " << i;
    }
  }
}

TEST(Simulated, PlannedBytesAreSentAndCopiesAreCounted) {
  config::Scope scope(on_simulated);
  const Mesh mesh = make_mesh({8}, {"x"});
  synchronize_clients();
  simulated::Transfers before = simulated::transfers();
  auto copied = [&] {
    synchronize_clients();
    const simulated::Transfers now = simulated::transfers();
    const std::pair<std::int64_t, std::int64_t> out{now.to_devices - before.to_devices, now.to_host - before.to_host};
    before = now;
    return out;
  };
  const Array host = array(counted(64 * 64)).reshape({64, 64});
  EXPECT_EQ(copied().first, 64 * 64 * 4);
  const Array x = device_put(host, NamedSharding(mesh, P("x"))), w = device_put(host, NamedSharding(mesh, P()));
  const std::int64_t bytes = 64 * 64 * 4;
  EXPECT_EQ(copied(), std::pair(bytes + 8 * bytes, bytes));  // each back once, cut once and copied eight times
  auto f = jit([](const Array& a, const Array& b) { return sum(matmul(a, b), 0); });
  debug::reset_traffic();
  const Array y = f(x, w);
  EXPECT_EQ(copied().first + copied().second, 0) << "what lies right is not moved";
  EXPECT_EQ(debug::traffic().bytes(), f.explain(x, w).planned_bytes);
  EXPECT_GT(debug::traffic().bytes(), 0);
  y.to_vector<float>();
  EXPECT_EQ(copied().first, 0);
}

TEST(Simulated, BesideTheCpu) {
  config::Scope on_the_cpu({.platform = "cpu"});
  const Array on_cpu = device_put(array({1.f, 2.f}), SingleDeviceSharding(devices()[0]));
  const Device far(1, "simulated", "simulated");
  set_cpu_devices(8);
  const Array there = device_put(on_cpu, SingleDeviceSharding(far));
  EXPECT_EQ(there.devices().begin()->str(), "SimDevice(id=1)");
  EXPECT_EQ((there * 2.f).to_vector<float>(), (std::vector<float>{2, 4})) << "computation follows data";
  EXPECT_EQ((there * 2.f).devices().begin()->str(), "SimDevice(id=1)");
  EXPECT_THROW(there + on_cpu, DeviceError);
  EXPECT_EQ((there + array({1.f, 1.f})).to_vector<float>(), (std::vector<float>{2, 3})) << "the other is nobody's yet";
  EXPECT_EQ(device_put(there, SingleDeviceSharding(devices()[0])).to_vector<float>(), (std::vector<float>{1, 2}));
  Array uncommitted;
  {
    config::Scope scope(on_simulated);
    uncommitted = array({3.f, 4.f});
  }
  EXPECT_EQ((uncommitted + on_cpu).to_vector<float>(), (std::vector<float>{4, 6}));
  EXPECT_EQ((uncommitted + uncommitted).to_vector<float>(), (std::vector<float>{6, 8}));
}

TEST(Simulated, DonatedArraysAreGone) {
  config::Scope scope(on_simulated);
  const Mesh mesh = make_mesh({8}, {"x"});
  const std::size_t before = simulated::bytes_in_use();
  {
    const Array x = device_put(array(counted(64)), NamedSharding(mesh, P("x")));
    const Array y = jit([](const Array& a) { return a + 1.f; }, {.donate_argnums = {0}})(x);
    EXPECT_THROW(x.to_vector<float>(), DeletedError);
    y.block_until_ready();
    EXPECT_EQ(simulated::bytes_in_use(), before + 64 * 4);
  }
  EXPECT_EQ(simulated::bytes_in_use(), before);
}

// Whatever fails, and when: who calls learns it, and has what he had.
TEST(Simulated, FailuresAndDelays) {
  config::Scope scope(on_simulated);
  const Mesh mesh = make_mesh({4}, {"x"});
  const Array w = device_put(array(counted(64)).reshape({8, 8}), NamedSharding(mesh, P(none, "x")));
  const Array x = device_put(array(counted(128)).reshape({16, 8}), NamedSharding(mesh, P("x")));
  const std::vector<float> wide = w.to_vector<float>(), given = x.to_vector<float>();
  auto step = jit(grad(loss));
  const std::vector<float> want = step(w, x).to_vector<float>();
  const std::size_t before = simulated::bytes_in_use();
  int failed = 0, passed = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    simulated::set_faults({.failures = 0.004, .delays = 5, .seed = seed});
    try {
      const Array again = seed % 2 ? device_put(x, NamedSharding(mesh, P(none, "x"))) : x;
      EXPECT_EQ(step(w, again).to_vector<float>().size(), want.size());
      ++passed;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("SimDevice(id="), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("simulated_test.cpp"), std::string::npos) << e.what();
      ++failed;
    }
    synchronize_clients();
    simulated::set_faults({});
    ASSERT_EQ(simulated::bytes_in_use(), before) << "seed " << seed;
  }
  EXPECT_GT(failed, 50);
  EXPECT_GT(passed, 50);
  EXPECT_EQ(w.to_vector<float>(), wide);
  EXPECT_EQ(x.to_vector<float>(), given);
  EXPECT_EQ(step(w, x).to_vector<float>(), want);
}

double seconds_of(const std::function<void()>& f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// A call returns when it is enqueued: what it makes is waited for where it is read.
TEST(Simulated, CallsReturnBeforeTheyAreDone) {
  config::Scope scope(on_simulated);
  auto step = jit([](const Array& x) { return x * 2.f + 1.f; });
  Array x = array(counted(8));
  std::vector<float> want = counted(8);
  step(x).block_until_ready();
  constexpr int kSteps = 20;
  for (int k = 0; k < kSteps; ++k)
    for (float& v : want) v = v * 2 + 1;
  simulated::set_faults({.delays = 2e4, .seed = 3});  // 10 ms on average, at a launch and at each allocation
  const double asked = seconds_of([&] {
    for (int k = 0; k < kSteps; ++k) x = step(x);
  });
  const double waited = seconds_of([&] { x.block_until_ready(); });
  simulated::set_faults({});
  EXPECT_GT(waited, 0.2);
  EXPECT_LT(asked, waited / 4);
  EXPECT_EQ(x.to_vector<float>(), want);
}

// What goes wrong comes out where the value is read, again and again, and names the call that it went wrong in.
TEST(Simulated, ErrorsComeOutWhereValuesAreRead) {
  config::Scope scope(on_simulated);
  const Array x = array(counted(8));
  x.block_until_ready();
  const unsigned line = __LINE__ + 1;
  const auto step = jit([](const Array& v) { return v * 2.f; });
  simulated::set_faults({.failures = 1});
  const Array y = step(x);
  EXPECT_NO_THROW(synchronize_clients());
  simulated::set_faults({});
  const Array z = y + 1.f, w = x + 1.f;
  const std::string where = "simulated_test.cpp:" + std::to_string(line);
  for (int k = 0; k < 2; ++k)
    for (const Array& broken : {y, z}) {
      try {
        if (k)
          broken.block_until_ready();
        else
          str(broken);
        FAIL();
      } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find(where), std::string::npos) << e.what();
      }
    }
  EXPECT_EQ(w.to_vector<float>()[0], -7) << "what does not depend on it is there";
}

TEST(Simulated, EffectsKeepTheirOrder) {
  config::Scope scope(on_simulated);
  std::vector<int> told;
  auto tells = [&](int k) {
    return jit([&told, k](const Array& x) {
      debug::callback([&told, k](const Array&) { told.push_back(k); }, x);
      return x + 1.f;
    });
  };
  Array x = array(1.f);
  for (int k = 0; k < 4; ++k) x = tells(k)(x * 1.f);
  EXPECT_EQ(told, (std::vector<int>{0, 1, 2, 3})) << "before anything is read";
  EXPECT_EQ(x.item<float>(), 5);
}

// On the thread that calls the program, which may hold locks, wait for other threads and compute.
TEST(Simulated, FunctionsOfTheUserAreCalledByTheCaller) {
  config::Scope scope(on_simulated);
  const auto caller = std::this_thread::get_id();
  auto squares = jit([&](const Array& v) {
    return pure_callback(
        [&](const Array& y) {
          EXPECT_EQ(std::this_thread::get_id(), caller);
          float helped = 0;
          std::thread helper([&] {
            config::Scope inner(on_simulated);
            helped = (array(1.f) + 1.f).item<float>();
          });
          helper.join();
          return sum(y * y) + helped;
        },
        ShapeDtypeStruct({}, float32), v);
  });
  Array x = array({1.f, 2.f});
  for (int k = 0; k < 3; ++k) x = x * 1.f;  // queued
  EXPECT_EQ(squares(x).item<float>(), 7);
  // Also where it has no result.
  auto fails = jit([](const Array& v) {
    debug::callback([](const Array&) { throw std::runtime_error("of the user's"); }, v);
    return std::vector<Array>{};
  });
  EXPECT_THROW(fails(x), std::runtime_error);
}

TEST(SimulatedForks, AChildComputes) {
  config::Scope scope(on_simulated);
  auto step = jit([](const Array& v) { return v * 2.f + 1.f; });
  for (int round = 0; round < 10; ++round) {
    Array x = array(counted(64));
    for (int k = 0; k < 8; ++k) x = step(x);
    const pid_t child = fork();
    if (child == 0) {
      const bool right = step(x).to_vector<float>()[0] == -8 * 512 + 511;
      _exit(right ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(step(x).to_vector<float>()[0], -8 * 512 + 511);
  }
}

TEST(SimulatedForks, WithoutThreadsTheCallerComputes) {
  config::Scope scope(on_simulated);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(2);
    if (setrlimit(RLIMIT_NPROC, &none) != 0) _exit(3);
    const bool right = (array(counted(8)) * 2.f + 1.f).to_vector<float>()[0] == -15;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Simulated, MemoryOfOthers) {
  config::Scope scope(on_simulated);
  const std::vector<float> data = counted(32);
  bool released = false;
  {
    const Array x = from_host(std::span(data), {32}, [&] { released = true; });
    EXPECT_EQ((x + 1.f).to_vector<float>()[0], -7);
    synchronize_clients();
    EXPECT_TRUE(released) << "it has been copied";
    auto* const tensor = to_dlpack(x);
    const Array back = from_dlpack(tensor);
    EXPECT_EQ(back.to_vector<float>(), data);
  }
  const Array far = array(1.f) + 1.f;
  config::Scope on_the_cpu({.platform = "cpu"});
  EXPECT_EQ(far.devices().begin()->str(), "SimDevice(id=0)") << "where it lies, whoever asks";
  EXPECT_EQ((array(1.f) + 1.f).devices().begin()->str(), "CpuDevice(id=0)");
}

// What failed on the way to the host is tried again by the next who reads.
TEST(Simulated, ACopyThatFailsIsTriedAgain) {
  config::Scope scope(on_simulated);
  const Array x = array({1.f, 2.f}) * 2.f;
  x.block_until_ready();
  simulated::set_faults({.failures = 1});
  EXPECT_THROW(x.to_vector<float>(), Error);
  EXPECT_THROW(x.to_vector<float>(), Error);
  simulated::set_faults({});
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 4}));
}

TEST(Simulated, FromSeveralThreads) {
  const std::vector<float> want = [] {
    const Array x = array(counted(256));
    return (x * x + 1.f).to_vector<float>();
  }();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      config::Scope scope(on_simulated);
      const Mesh mesh = make_mesh({8}, {"x"});
      const Array x = device_put(array(counted(256)), NamedSharding(mesh, P("x")));
      for (int k = 0; k < 20; ++k) EXPECT_EQ((x * x + 1.f).to_vector<float>(), want);
    });
  for (std::thread& t : threads) t.join();
}

TEST(Simulated, PlatformsHaveNames) {
  config::Scope on_the_cpu({.platform = "cpu"});
  EXPECT_THROW(config::platform("gpu"), ValueError);
  EXPECT_THROW(config::Scope({.platform = "Simulated"}), ValueError);
  EXPECT_EQ(config::platform(), "cpu");
  config::Scope scope(on_simulated);
  EXPECT_EQ(config::platform(), "simulated");
  EXPECT_THROW(jit([](const Array& x) {
                 config::platform("cpu");
                 return x;
               })(array(1.f)),
               ValueError);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
