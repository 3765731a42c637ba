#pragma once

// Of the OpenMP runtime that oneDNN uses. Declared here: omp.h comes with a compiler, and clang's is a package of its
// own.
extern "C" {
int omp_get_max_threads() noexcept;
void omp_set_num_threads(int) noexcept;
}

namespace tutti::cpu {

/// oneDNN would start threads of its own. The caller's setting comes back afterwards: it belongs to the user's program.
class OneThread {
 public:
  OneThread() : saved_(omp_get_max_threads()) {
    if (saved_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (saved_ != 1) omp_set_num_threads(saved_);
  }
  OneThread(const OneThread&) = delete;

 private:
  int saved_;
};

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
