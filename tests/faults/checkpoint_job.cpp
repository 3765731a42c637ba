// A job that saves or restores, for checkpoints.py: `mpirun -n N checkpoint_job MODE FOLDER MESH [STEP] [ROWS]`, MESH
// as 4x2, 640 bytes a row. `save` writes the state of a step, `restore` compares what it reads with the state of its
// step, bit for bit; `carry` does, and saves that as STEP; `save_on` saves one step after the other for ever;
// `save_large` saves 64 MiB and says how that ends.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <tutti/tutti.hpp>

namespace {
using namespace tutti;

struct State {
  Array weight, bias, whole, half, step;
};

// All of it differs from that of any other step.
State state_of(int n, const Mesh& mesh, std::int64_t rows) {
  auto put = [&](const Array& x, PartitionSpec spec) { return device_put(x, NamedSharding(mesh, std::move(spec))); };
  const Array base = arange(rows * 64).reshape(rows, 64);
  return {put(base * 3 + n, P("x", "y")), put(arange(24) - n, P(axes("y", "x"))), base + n,
          put((base.astype(float32) + n).astype(bfloat16), P("y")), array(n)};
}

int compare(const State& got, const Mesh& mesh, std::int64_t rows) {
  const int n = got.step.item<int>();
  const State want = state_of(n, mesh, rows);
  const auto a = tree::leaves_with_path(got), b = tree::leaves_with_path(want);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!array_equal(a[i].second, b[i].second).item<bool>() || !(a[i].second.sharding() == b[i].second.sharding())) {
      std::fprintf(stderr, "leaf %zu of step %d differs\n", i, n);
      return 1;
    }
  if (process_index() == 0) std::fprintf(stderr, "step %d is whole\n", n);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argv[1], folder = argv[2], mesh_text = argv[3];
  distributed::initialize({.quiet_others = false});
  set_cpu_devices(8);
  std::fprintf(stderr, "process %d is %d\n", process_index(), static_cast<int>(getpid()));
  const int step = argc > 4 ? std::atoi(argv[4]) : -1;
  const std::int64_t rows = argc > 5 ? std::atoll(argv[5]) : 96;
  const Mesh mesh = mesh_text == "1x1" ? make_mesh({1, 1}, {"x", "y"})
                                       : make_mesh({mesh_text[0] - '0', mesh_text[2] - '0'}, {"x", "y"});
  if (mode == "save") {
    checkpoint::save(folder, state_of(step, mesh, rows), {.step = step});
  } else if (mode == "restore" || mode == "carry") {
    State got = checkpoint::restore(folder, state_of(-1, mesh, rows));
    if (compare(got, mesh, rows)) return 1;
    if (mode == "carry") checkpoint::save(folder, got, {.step = step});
  } else if (mode == "save_on") {
    checkpoint::Manager manager(folder, {.keep = 3});
    for (int n = 1;; ++n) {
      manager.save(n, state_of(n, mesh, rows));
      if (process_index() == 0) std::fprintf(stderr, "saved %d\n", n);
    }
  } else if (mode == "save_large") {
    try {
      checkpoint::save(folder, state_of(0, mesh, 1 << 16), {.step = 1000});
      std::fprintf(stderr, "process %d: it was saved\n", process_index());
    } catch (const FileError& e) {
      std::fprintf(stderr, "process %d: %s\n", process_index(), e.what());
    }
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
