// What a process of a job makes of itself, for children.py: `mpirun -n 2 fault_children CASE`. Process 1 forks, or
// starts another program, in the middle of sharded sums; whatever the child does, both processes go on and end well.
// In case `uninitialized` nobody calls distributed::initialize.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

#include <tutti/tutti.hpp>

namespace {

using namespace tutti;

struct Case {
  const char* name;
  std::function<void(const Array& sharded)> child;  // returns to exit(0)
};

const Case cases[] = {
    {"exit(0)", [](const Array&) { std::exit(0); }},
    {"exit(3)", [](const Array&) { std::exit(3); }},
    {"_exit", [](const Array&) { _exit(4); }},
    {"quick_exit", [](const Array&) { std::quick_exit(0); }},
    {"abort", [](const Array&) { std::abort(); }},
    {"an exception", [](const Array&) { throw ValueError("of the child"); }},
    {"exec", [](const Array&) { execl("/bin/true", "true", static_cast<char*>(nullptr)); }},
    {"computes and prints",
     [](const Array&) {
       const Array x = jit([](const Array& v) { return tanh(v).sum(); })(ones({300, 300}));
       std::cerr << "child: " << (x + 1) << "\n";
     }},
    {"a sharded sum is refused",
     [](const Array& x) {
       try {
         (void)(x * 3).sum().item<float>();
       } catch (const DistributedError& e) {
         std::fprintf(stderr, "child: %s\n", e.what());
         return;
       }
       std::fprintf(stderr, "child: nobody minds\n");
     }},
    {"a sharded sum is not caught", [](const Array& x) { (void)(x * 3).sum(); }},
    {"a grandchild",
     [](const Array&) {
       const pid_t pid = fork();
       if (pid == 0) std::exit(5);
       waitpid(pid, nullptr, 0);
       std::exit(6);
     }},
    {"a thread", [](const Array&) { std::thread([] {
                                      (void)(ones({200, 200}) + 1).sum().item<float>();
                                    }).join(); }},
    {"a thread that ends all", [](const Array&) { std::thread([] { std::exit(7); }).join(); }},
    {"a barrier is refused",
     [](const Array&) {
       try {
         multihost::sync_global_devices("child");
       } catch (const DistributedError& e) {
         std::fprintf(stderr, "child: %s\n", e.what());
       }
     }},
};

void start_programs(const char* self) {
  if (std::system((std::string(self) + " alone").c_str()) != 0) std::fprintf(stderr, "nobody started\n");
  if (FILE* f = popen("exit 3", "r")) pclose(f);
}

}  // namespace

int main(int, char** argv) {
  const std::string number = argv[1];
  if (number == "alone") {  // started by a process of a job
    distributed::initialize();
    std::fprintf(stderr, "started: %d of %d says %g\n", process_index(), process_count(),
                 static_cast<double>((ones({3}) + 1).sum().item<float>()));
    return 0;
  }
  if (number == "uninitialized") {
    (void)(ones({3}) + 1).sum().item<float>();
    return 0;
  }
  distributed::initialize({.quiet_others = false});
  const Array x = device_put(ones({64, 256}), NamedSharding(make_mesh({2}, {"data"}), P("data")));
  const std::size_t first = number == "all" ? 0 : std::stoul(number);
  const std::size_t last = number == "all" ? std::size(cases) : first + 1;
  for (std::size_t k = first; k < last; ++k) {
    if (process_index() == 1) {
      std::fflush(nullptr);
      const pid_t pid = fork();
      if (pid == 0) {
        cases[k].child(x);
        std::exit(0);
      }
      int status = 0;
      waitpid(pid, &status, 0);
      std::fprintf(stderr, "%s: %s %d\n", cases[k].name, WIFEXITED(status) ? "exit" : "signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
    if ((x + static_cast<float>(k)).sum().item<float>() != 64 * 256 * (1 + static_cast<float>(k))) return 9;
  }
  if (number == "all" && process_index() == 1) start_programs(argv[0]);
  if (x.sum().item<float>() != 64 * 256) return 9;
  std::fprintf(stderr, "process %d is done\n", process_index());
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
