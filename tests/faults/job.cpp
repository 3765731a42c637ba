// A job that something happens to, for faults.py: `mpirun -n 2 fault_job MODE`. It trains for ever. In mode `throw`
// process 1 raises at step 20, in mode `exit` it leaves main with 3, in mode `other` it runs another program; in mode
// `early` devices of the user's own are there before the job is. In modes `finish` and `uneven` a number of devices is.
// In mode `done` process 1 is done at step 20; in mode `order` it calls two programs that all know in another order, in
// mode `value` it gives device_put another array.
#include <unistd.h>

#include <cstdio>
#include <string>

#include <tutti/tutti.hpp>

int main(int, char** argv) {
  using namespace tutti;
  const std::string mode = argv[1];
  if (mode == "early") (void)Mesh({Device(0, "cpu", "cpu"), Device(1, "cpu", "cpu")}, {2}, {"data"});
  if (mode == "finish") set_cpu_devices(2);
  if (mode == "uneven") set_cpu_devices(3);
  distributed::initialize({.quiet_others = false});
  std::fprintf(stderr, "process %d is %d\n", process_index(), static_cast<int>(getpid()));
  const Mesh mesh = make_mesh({2}, {"data"});
  // Of a size at which messages are read from the memory of who sends them.
  const Array x = device_put(ones({64, 256}), NamedSharding(mesh, P("data")));
  auto step = jit([](const Array& w, const Array& v) {
    return w - 0.001f * grad([&](const Array& u) { return square(matmul(v, u)).mean(); })(w);
  });
  auto largest = jit([](const Array& v) { return v.max(); });
  auto smallest = jit([](const Array& v) { return v.min(); });
  Array w = ones({256, 256});
  (void)largest(x);
  (void)smallest(x);
  for (int i = 0; mode == "finish" ? i < 50 : true; ++i) {
    w = step(w, x);
    if (process_index() == 0 && i % 10 == 0) std::fprintf(stderr, "step %d\n", i);
    if (process_index() == 1 && i == 20) {
      if (mode == "throw") throw ValueError("a file is bad");
      if (mode == "exit") return 3;
      if (mode == "done") return 0;
      if (mode == "other") (void)jit([](const Array& v) { return v.max(); })(x);
    }
    if (i == 20 && mode == "other" && process_index() == 0) (void)jit([](const Array& v) { return v.sum(); })(x);
    if (i == 20 && mode == "order") {
      if (process_index() == 1) (void)largest(x);
      (void)smallest(x);
      if (process_index() == 0) (void)largest(x);
      std::fprintf(stderr, "nobody noticed\n");
    }
    if (i == 20 && mode == "value") (void)device_put(full({4}, process_index()), NamedSharding(mesh, P("data")));
    usleep(1000);
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
