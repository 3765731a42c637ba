// Checkpoints of a run: --save FOLDER, --resume, --save-every.
#pragma once

#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <string>

#include <tutti/tutti.hpp>

#include "program.hpp"

namespace text {

/// All that the next step depends on: a batch's place in the text follows from the number of steps before it.
template <class Model, class State> struct SavedRun {
  Model model;
  State optimiser;
  Array steps{}, seconds{};  // int32[], float32[]
};

/// Saves a run every few steps, and finds it again. Does nothing without --save.
class Saving {
 public:
  /// `text_bytes`: of the text that is learnt. UsageError where --save and --resume do not fit what is in the folder.
  Saving(const RunOptions& o, std::size_t text_bytes)
      : folder_(o.save),
        same_(
            fmt::format(R"({{"batch":{},"context":{},"seed":{},"text":{}}})", o.batch, o.context, o.seed, text_bytes)) {
    if (o.resume && folder_.empty()) throw UsageError("--resume: name the folder with --save");
    if (o.save_every < 1) throw UsageError("--save-every: give 1 step or more");
    if (folder_.empty()) return;
    manager_.emplace(folder_, checkpoint::ManagerOptions{.every = o.save_every});
    found_ = manager_->latest();
    if (found_ && !o.resume)
      throw UsageError(fmt::format("--save {}: a run is saved there: add --resume, or name another folder", folder_));
    if (found_ && checkpoint::extra(folder_) != same_)
      throw UsageError(fmt::format("--resume: the run in {} has other options: {}, not {}", folder_,
                                   checkpoint::extra(folder_), same_));
  }
  /// What was saved last, placed as `model` and `state` are; where the run goes on.
  template <class Model, class State> Begin resume(Model& model, State& state) {
    if (!found_) return {};
    const SavedRun run = manager_->restore(SavedRun<Model, State>{model, state, array(0), array(0.f)});
    model = run.model;
    state = run.optimiser;
    const Begin begin{run.steps.template item<int>(), double(run.seconds.template item<float>())};
    std::cout << fmt::format("resumed   {} after {} steps\n", folder_, begin.steps);
    return begin;
  }
  /// After so many steps: saves when it is time to, or at the end of the run.
  template <class Model, class State>
  void after(int steps, double seconds, bool last, const Model& model, const State& state) {
    if (!manager_ || !(last || manager_->due(steps))) return;
    manager_->save_now(steps, SavedRun<Model, State>{model, state, array(steps), array(static_cast<float>(seconds))},
                       same_);
    if (last) manager_->wait();
  }

 private:
  std::string folder_, same_;  // the options that decide what is learnt in which order
  std::optional<checkpoint::Manager> manager_;
  std::optional<std::int64_t> found_;
};

}  // namespace text

// SPDX-License-Identifier: Apache-2.0
