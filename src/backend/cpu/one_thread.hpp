#pragma once

#include <omp.h>

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
