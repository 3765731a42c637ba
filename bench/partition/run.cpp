#include "run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "plan.hpp"
#include "tutti/array/placement.hpp"
#include "tutti/base/config.hpp"
#include "tutti/debug/debug.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/numpy/complex.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/random.hpp"
#include "tutti/transform/jit.hpp"

namespace bench {
namespace {

Row with_extents_over_8(Row row) {
  for (Input& i : row.inputs)
    for (std::int64_t& n : i.shape)
      if (n >= 64) n /= 8;
  return row;
}

bool is_small(const Row& row) {
  double elements = 0;
  for (const Input& i : row.inputs) elements += static_cast<double>(i.shape.num_elements());
  return elements <= 3e6 && product_flops(*plan_of(row).program) <= 3e8;
}

// Integers are places in the first input, unless the row says what they are below.
Arrays inputs_of(const Row& row) {
  std::int64_t most = 1;
  for (std::int64_t n : row.inputs[0].shape) most = std::max(most, n);
  const std::vector<Array> keys = random::split(random::key(7), static_cast<int>(row.inputs.size()));
  Arrays out;
  for (std::size_t i = 0; i < row.inputs.size(); ++i) {
    const Input& in = row.inputs[i];
    if (in.dtype == int32)
      out.push_back(random::randint(keys[i], in.shape, 0, in.below > 0 ? in.below : most));
    else if (in.dtype == complex64)
      out.push_back(lax::complex(random::normal(keys[i], in.shape), random::uniform(keys[i], in.shape)));
    else
      out.push_back(in.positive ? random::uniform(keys[i], in.shape) : random::normal(keys[i], in.shape) * 0.1);
    if (in.sorted) out.back() = sort(out.back());
  }
  return out;
}

struct Isolated {
  Isolated() { config::isolation(Isolation::per_device); }
  ~Isolated() { config::isolation(Isolation::shared); }
};

std::vector<float> elements_of(const Array& x) {
  const Array numbers =
      x.dtype() == complex64 ? concatenate({ravel(tutti::real(x)), ravel(imag(x))}) : x.astype(float32);
  return numbers.to_vector<float>();
}

double largest_difference(const Array& got, const Array& want) {
  if (got.shape() != want.shape()) return INFINITY;
  const std::vector<float> a = elements_of(got), b = elements_of(want);
  double scale = 0, out = 0;
  for (float v : b) scale = std::max(scale, std::abs(double(v)));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(double(a[i]) - double(b[i]));
    out = std::isnan(d) ? INFINITY : std::max(out, d);
  }
  return scale > 0 ? out / scale : out;
}

}  // namespace

Jitted<Function> compiled(const Row& row, const Mesh& mesh) {
  if (row.outputs.empty()) return jit(row.program);
  std::vector<Sharding> to;
  for (const PartitionSpec& s : row.outputs) to.push_back(NamedSharding(mesh, s));
  // One result after the other: which sharding is a result's is its place in the list.
  auto placed = [to](const tree::Path& path, const Array&) -> Sharding {
    return to[static_cast<std::size_t>(path.keys().back().index)];
  };
  return jit(row.program, {.out_shardings = placed});
}

Ran run_on_devices(const Row& row, const Function& reference) {
  Ran out;
  out.row = row;
  const std::vector<Sharding> in = input_shardings(row);
  Arrays args = inputs_of(row);
  const Arrays want = jit(reference)(args);
  for (std::size_t i = 0; i < args.size(); ++i) args[i] = device_put(args[i], in[i]);
  const auto program = compiled(row, mesh_of(row.mesh));
  const Isolated isolated;
  debug::reset_traffic();
  const auto start = std::chrono::steady_clock::now();
  const Arrays got = program(args);
  block_until_ready(got);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  out.sent = debug::traffic().bytes();
  out.planned = program.explain(args).bytes();
  for (std::size_t i = 0; i < got.size(); ++i)
    out.difference = std::max(out.difference, largest_difference(got[i], want[i]));
  return out;
}

Ran run_both_ways(const Row& asked) {
  const Row row = is_small(asked) ? asked : with_extents_over_8(asked);
  Ran out = run_on_devices(row, row.program);
  // What the table says is planned by the stages themselves: the same.
  out.planned = plan_of(row).bytes;
  return out;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
