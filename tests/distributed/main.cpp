// Tests that all processes of a job run together: `mpirun -n 4 test_distributed`. Every process asserts; the first one
// prints the list, the others only what fails.
#include <gtest/gtest.h>

#include <cstdio>

#include <tutti/distributed/distributed.hpp>
#include <tutti/mesh/mesh.hpp>

namespace {

class OnlyFailures final : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& r) override {
    if (r.failed())
      std::fprintf(stderr, "process %d: %s:%d: %s\n", tutti::process_index(), r.file_name() ? r.file_name() : "?",
                   r.line_number(), r.message());
  }
};

}  // namespace

int main(int argc, char** argv) {
  tutti::distributed::initialize({.quiet_others = false});
  tutti::set_cpu_devices(8);
  testing::InitGoogleTest(&argc, argv);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (tutti::process_index() > 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new OnlyFailures);
  return RUN_ALL_TESTS();
}

// SPDX-License-Identifier: Apache-2.0
