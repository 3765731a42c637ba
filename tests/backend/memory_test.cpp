// What happens when the compiler runs out of memory: an error, and the library works on.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include "run/pool.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

// Of the process, in bytes.
rlim_t address_space() {
  std::ifstream in("/proc/self/statm");
  rlim_t pages = 0;
  in >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void limit(rlim_t bytes) {
  rlimit now;
  getrlimit(RLIMIT_AS, &now);
  now.rlim_cur = bytes;
  setrlimit(RLIMIT_AS, &now);
}

// A chain of n steps, which no other n shares its machine code with.
auto chain(int n) {
  return jit([n](Array x) {
    for (int i = 0; i < n; ++i) x = i % 2 ? sin(x) + x : cos(x) * x;
    return x;
  });
}

[[noreturn]] void run_short_of_memory() {
  set_num_threads(1);  // no thread has to be started under the limit
  const Array x = zeros({8});
  auto before = chain(3);
  const bool good = before(x).shape() == Shape({8});
  int refused = 0;
  limit(address_space());
  for (int n = 20; n < 420 && refused < 3; ++n) try {
      chain(n)(x);
    } catch (const Error&) {
      ++refused;
    } catch (const std::bad_alloc&) {  // on the way to the compiler
      ++refused;
    }
  limit(RLIM_INFINITY);
  const bool again = before(x)(0).item<float>() == before(x)(0).item<float>() && bool(all(isfinite(chain(7)(x))));
  std::exit(good && again && refused > 0 ? 0 : 1);
}

}  // namespace

TEST(memory, compiling_without_is_an_error) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own memory does not fit under a limit";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run_short_of_memory(), testing::ExitedWithCode(0), "");
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
