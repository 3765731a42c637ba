#include "simulated/faults.hpp"

#include <atomic>
#include <charconv>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>

#include "base/environment.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::simulated {
namespace {

// `failures=0.01,delays=100,seed=3`
Faults of_environment() {
  Faults out;
  const std::string text = environment::value(environment::simulated);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin), name = word.substr(0, word.find('='));
    double number = -1;
    if (name.size() < word.size()) std::from_chars(word.data() + name.size() + 1, word.data() + word.size(), number);
    if (number < 0 || (name != "failures" && name != "delays" && name != "seed"))
      raise<ValueError>("TUTTI_SIMULATED", "'" + word + "' means nothing",
                        "Give words with commas of: failures=0.01, delays=100, seed=3.");
    if (name == "failures") out.failures = number;
    if (name == "delays") out.delays = number;
    if (name == "seed") out.seed = static_cast<std::uint64_t>(number);
    begin = end + 1;
  }
  return out;
}

struct State {
  std::mutex mutex;
  Faults faults = of_environment();
  std::mt19937_64 random{faults.seed};
  std::atomic<bool> any{faults.failures > 0 || faults.delays > 0};
};
State& state() {
  static auto& s = *new State;
  return s;
}

}  // namespace

void set_faults(const Faults& faults) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.faults = faults;
  s.random.seed(faults.seed);
  s.any = faults.failures > 0 || faults.delays > 0;
}

void fault(const Device& device, const std::string& what) {
  State& s = state();
  if (!s.any.load(std::memory_order_relaxed)) return;
  double delay = 0;
  bool fails = false;
  {
    std::lock_guard lock(s.mutex);
    std::uniform_real_distribution<double> part(0, 1);
    fails = part(s.random) < s.faults.failures;
    delay = part(s.random) * s.faults.delays;
  }
  if (delay > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(delay));
  if (fails)
    raise<Error>(call_name("call"), device.str() + " failed at " + what,
                 "It is simulated, and fails at random because TUTTI_SIMULATED or a test asks for it.");
}

}  // namespace tutti::simulated

// SPDX-License-Identifier: Apache-2.0
