// How a case is timed: batches long enough for the clock, a few of them a round.
#pragma once

#include "case.hpp"

namespace bench {

double median(std::vector<double> values);

/// A case that is set up, compiled and warm; `round` times it again.
class Timed {
 public:
  Timed(const Case& c, const Setup& s);
  /// Milliseconds of one run: the median of a few batches of at least 50 ms each (expensive cases: of single runs).
  double round();

 private:
  double batch(std::int64_t n);

  Batch run_;
  bool once_;
  std::string alone_;  // the command that times it, if it wants a process of its own
  std::int64_t per_batch_ = 1;
};

/// What `tutti_bench --alone NAME` does in such a process: milliseconds of the first run, with an engine that is warm.
double first_run(const Case& c, const Setup& s);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
