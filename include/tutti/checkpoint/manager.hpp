// Checkpoints in a training loop: every n steps, the last k kept, written while training goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "tutti/checkpoint/checkpoint.hpp"

namespace tutti::checkpoint {

struct ManagerOptions {
  std::int64_t every = 1;    // steps from one checkpoint to the next
  int keep = 3;              // complete checkpoints that stay, the newest; 0: all
  bool asynchronous = true;  // a thread writes while training goes on
};

/// Saves a tree every n steps. In asynchronous saves a thread of its own writes; it has shares of the arrays' memory,
/// which is read-only, so training may go on and may donate the arrays: a step to which one is donated while it is
/// being written puts its result into memory of its own. One save runs at a time: the next one waits for it. What goes
/// wrong in the background is thrown by the next call; training state is untouched. The destructor waits, and prints
/// what went wrong to stderr when no call was left to throw it.
///
///     checkpoint::Manager manager("run", {.every = 100, .keep = 3});
///     if (manager.latest()) state = manager.restore(state);
///     for (...) {
///       state = step(state, batch);
///       manager.save(++n, state);          // does nothing unless n is a multiple of 100
///     }
///
/// Source: orbax.checkpoint.CheckpointManager.
/// Threads: one at a time uses an object.
class Manager {
 public:
  /// Throws ValueError for `every` below 1 or `keep` below 0.
  explicit Manager(std::string folder, const ManagerOptions& options = {}, Loc loc = Loc::current());
  ~Manager();
  Manager(const Manager&) = delete;

  /// True if `step` is one that is saved.
  bool due(std::int64_t step) const { return step % options_.every == 0; }
  /// Saves when `step` is due; whether it did. `extra`: JSON of the user's own.
  template <class T>
  bool save(std::int64_t step, const T& tree, const std::string& extra = {}, Loc loc = Loc::current()) {
    if (!due(step)) return false;
    save_now(step, tree, extra, loc);
    return true;
  }
  /// Saves in any case: the end of training.
  template <class T>
  void save_now(std::int64_t step, const T& tree, const std::string& extra = {}, Loc loc = Loc::current()) {
    CallScope scope(loc, Loc{"", "tutti::checkpoint::Manager::save"});
    save_leaves(tree::leaves_with_path(tree), {step, extra}, loc);
  }
  /// Returns when all that was saved is on the disk. Throws what went wrong.
  void wait();
  /// Step of the latest complete checkpoint; waits for the one that is being written.
  std::optional<std::int64_t> latest(Loc loc = Loc::current());
  template <class T> T restore(const T& like, const RestoreOptions& options = {}, Loc loc = Loc::current()) {
    wait();
    return checkpoint::restore(folder_, like, options, loc);
  }

 private:
  struct Writer;
  void save_leaves(const detail::Leaves& leaves, const SaveOptions& options, Loc loc);

  std::string folder_;
  ManagerOptions options_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace tutti::checkpoint

// SPDX-License-Identifier: Apache-2.0
