#include "process_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <tutti/distributed/distributed.hpp>
#include <tutti/transform/shard_map.hpp>

#include "mlp_model.hpp"

namespace bench {
namespace {

// Keeps a result until the next one is there, as a Python loop does.
template <class F> std::function<void()> calls(F step) {
  return [step = std::move(step), last = decltype(step()){}]() mutable {
    last = step();
    block_until_ready(last);
  };
}

std::function<void()> gradient(int width, int batch, bool split) {
  const Setup s = setup_of(8);
  const Network network = make_network(s, {width, width, width, width, 10}, split);
  auto [kx, ky] = random::split<2>(random::key(1));
  const NamedSharding rows = s.at(split ? P("x") : P(axes("x", "y")));
  const Array x = device_put(random::normal(kx, {batch, width}), rows);
  const Array y = device_put(random::normal(ky, {batch, 10}), rows);
  return calls([=, step = jit(grad(squared_error))] { return step(network, x, y); });
}

std::function<void()> sum_of_all(int each) {
  const Setup s = setup_of(8);
  auto f = jit(shard_map(
      [](const Array& v) {
        return lax::psum(v, {"x", "y"});
      },
      {.mesh = s.mesh, .in_specs = {P(axes("x", "y"))}, .out_specs = P()}));
  return calls([=, x = s.normal({8 * each}, P(axes("x", "y")))] { return f(x); });
}

// Each process sends `elements` float32 to the next one: one message there and one back.
std::function<void()> exchange(int elements) {
  std::vector<Device> firsts;
  for (const Device& d : devices())
    if (firsts.empty() || firsts.back().process_index() != d.process_index()) firsts.push_back(d);
  const int n = static_cast<int>(firsts.size());
  const Mesh mesh = make_mesh({n}, {"p"}, firsts);
  std::vector<std::pair<int, int>> ring;
  for (int i = 0; i < n; ++i) ring.emplace_back(i, (i + 1) % n);
  auto f = jit(shard_map([ring](const Array& v) { return lax::ppermute(v, "p", ring); },
                         {.mesh = mesh, .in_specs = {P("p")}, .out_specs = P("p")}));
  return calls([=, x = device_put(zeros({n * elements}), NamedSharding(mesh, P("p")))] { return f(x); });
}

std::function<void()> rows_to_columns(int n) {
  const Setup s = setup_of(8);
  auto f = jit([](const Array& v) { return v; }, {.out_shardings = s.at(P(none, axes("x", "y")))});
  return calls([=, x = s.normal({n, n}, P(axes("x", "y")))] { return f(x); });
}

std::vector<double> timed(const std::function<void()>& step, double seconds) {
  using Clock = std::chrono::steady_clock;
  auto once = [&] {
    const Clock::time_point start = Clock::now();
    step();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  once();
  const double one = once();
  // All processes make the same number of calls.
  const int wanted = std::clamp(static_cast<int>(seconds / std::max(one, 1e-7)), one > 0.5 ? 3 : 5, 20000);
  const int count = multihost::broadcast_one_to_all(array(wanted)).item<int>();
  std::vector<double> ms;
  for (int i = 0; i < count; ++i) ms.push_back(1e3 * once());
  std::sort(ms.begin(), ms.end());
  return ms;
}

}  // namespace

std::vector<ProcessCase> process_cases() {
  std::vector<ProcessCase> out{{"initialize", 1, {}},
                               {"mlp_grad_dp_w64_b64", 100, [] { return gradient(64, 64, false); }},
                               {"mlp_grad_tp_w64_b64", 50, [] { return gradient(64, 64, true); }},
                               {"mlp_grad_dp_w512_b256", 8, [] { return gradient(512, 256, false); }},
                               {"mlp_grad_tp_w512_b256", 6, [] { return gradient(512, 256, true); }},
                               {"mlp_grad_dp_w2048_b1024", 3, [] { return gradient(2048, 1024, false); }},
                               {"psum_8x1K", 50, [] { return sum_of_all(1 << 10); }},
                               {"psum_8x1M", 2.5, [] { return sum_of_all(1 << 20); }},
                               {"reshard_2048", 2, [] { return rows_to_columns(2048); }}};
  for (const int elements : {1, 256, 16 << 10, 256 << 10, 4 << 20})
    out.push_back(
        {fmt::format("exchange_{}B", 4 * elements), 0, [=] { return exchange(elements); }, {}, 0, true, true});
  for (ProcessCase& c : process_file_cases()) out.push_back(std::move(c));
  return out;
}

void run_process_cases(const std::vector<std::string>& names, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  distributed::initialize();
  const std::vector<double> initialize{
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count()};
  set_cpu_devices(8);
  const std::vector<ProcessCase> cases = process_cases();
  for (const std::string& name : names) {
    const auto c = std::find_if(cases.begin(), cases.end(), [&](const ProcessCase& p) { return p.name == name; });
    if (c == cases.end()) throw ValueError("there is no case " + name);
    const std::vector<double> ms = c->make ? timed(c->make(), seconds) : initialize;
    fmt::print("{{\"name\": \"{}\", \"min_ms\": {}, \"median_ms\": {}}}\n", name, ms.front(), ms[ms.size() / 2]);
    std::fflush(stdout);
  }
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
