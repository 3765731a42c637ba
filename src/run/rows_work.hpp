// A stage of loops and products that run a few rows at a time, one step after the other.
#pragma once

#include "run/executor.hpp"
#include "run/shared_jobs.hpp"

namespace tutti::run {

/// The loop over `count` of its rows only, from the first one.
compile::Loop loop_of_rows(const compile::Loop& loop, std::int64_t rows, std::int64_t count);

struct RowsStep {
  std::vector<int> storages;            // by access (of a product: both operands, the result); -1: index
  std::vector<std::int64_t> row_steps;  // by access, of one row
  std::int64_t group_step = 0;          // of the last access, of one group
  struct Part {
    Nest nest, fine;             // fine: the same, in parts for several threads
    std::unique_ptr<Work> work;  // in place of the nest; its storages are the numbers of accesses
    std::unique_ptr<Work> more;  // in place of the work, behind the first chunk of a group: adds to what stands there
  };
  Part chunk, rest;  // over a whole chunk, over the last one when that is shorter
};

class RowsWork final : public Work {
 public:
  RowsWork(const compile::Plan& plan, const compile::Stage& stage, std::vector<RowsStep> steps, double cost_ns);
  void run(char* const* at, int task) const override;
  /// With many threads those that have no task of their own help others with the parts of each step.
  bool run_all(char* const* at) const override;
  /// The same steps in shorter chunks, which many threads run instead.
  void set_fine(std::unique_ptr<RowsWork> fine) { fine_ = std::move(fine); }

 private:
  struct Place {
    int group;
    bool is_first;  // chunk of the group
  };
  void run_task(char* const* at, int task, SharedJobs::Job* job) const;
  // Rows from `row` on.
  void run_step(const RowsStep& step, char* const* at, std::int64_t row, Place place, SharedJobs::Job* job) const;

  struct Local {
    int storage;
    std::int64_t offset, row_bytes;
  };
  std::unique_ptr<RowsWork> fine_;
  std::vector<RowsStep> steps_;
  std::vector<Local> locals_;
  std::int64_t rows_, chunk_, chunks_, scratch_bytes_;
  std::size_t storages_;
  StageTimes* times_;  // nothing unless they are asked for
};

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
