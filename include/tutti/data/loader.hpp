// Batches that are prepared while the program computes.
//
//     auto text = data::windows(data::map_file("corpus.txt"), 128);
//     auto batches = data::loader(text, 32, {.shuffle = true, .key = random::key(1)});
//     while (batches.epoch() < 3)
//       for (auto [x, y] : batches) step(x, y);             // uint8[32, 128]; one epoch, or what is left of it
//     data::LoaderState at = batches.state();               // a tree: save it beside the model
//     batches.resume(at);                                   // the batches that would have come
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/data/source.hpp"

namespace tutti::data {

struct LoaderOptions {
  bool shuffle = false;  // another order every epoch (Permutation: nothing is stored for it)
  Array key = {};        // of these orders; empty: random::key(0)
  bool drop_last = false;
  int workers = 1;   // threads that prepare batches
  int prefetch = 2;  // batches that are prepared or ready besides those handed out; 0: by next() itself, no threads
  int process_index = 0, process_count = 1;  // who of how many that share every batch
};

/// Position of a loader: a tree of arrays for checkpoints. It fits the same data and batch size with any number of
/// processes and workers.
struct LoaderState {
  Array epoch, step;  // int32[]: of the next batch
  Array key;          // uint32[2]
};

/// Position of a batch.
struct Position {
  std::int64_t epoch = 0, step = 0;  // counted from 0; steps within the epoch
  std::int64_t first_row = 0;        // of this process within the batch of all
};

namespace detail {

/// The part of a Loader that does not depend on its types.
class LoaderCore {
 public:
  using Made = std::shared_ptr<void>;
  using Make = std::function<Made(const std::vector<Array>& leaves, const Position& at)>;
  LoaderCore(RowsPtr rows, std::int64_t batch_size, const LoaderOptions& options, Make make, Loc loc);
  ~LoaderCore();
  LoaderCore(const LoaderCore&) = delete;
  std::int64_t size() const;
  std::int64_t epoch() const;
  std::int64_t step() const;
  Made next();
  LoaderState state() const;
  void resume(const LoaderState& state, Loc loc);

 private:
  struct Self;
  std::unique_ptr<Self> self_;
};

template <class F, class T> auto transformed(F& f, T&& batch, const Position& at) {
  if constexpr (std::invocable<F&, T, const Position&>)
    return f(std::forward<T>(batch), at);
  else
    return f(std::forward<T>(batch));
}

}  // namespace detail

/// Batches of T, one after the other without an end; a loop over it ends with the epoch. Made by loader().
///
/// Batch k of an epoch is the same for any number of processes: process p of n holds rows [p * c, (p + 1) * c) of its r
/// rows, with c = ceil(r / n), as a sharding over n devices cuts it. The last batch of an epoch may be smaller.
/// Threads begin with the first batch and end with the loader, which waits for those that are being made.
/// Threads: one at a time uses an object.
template <class T> class Loader {
 public:
  explicit Loader(std::unique_ptr<detail::LoaderCore> core) : core_(std::move(core)) {}

  /// Batches in an epoch.
  std::int64_t size() const { return core_->size(); }
  /// The next batch; those of the next epoch follow the last of an epoch. What its making threw is thrown here, and the
  /// loader stays where it is. ValueError when an epoch has no batches.
  T next() { return std::move(*static_cast<T*>(core_->next().get())); }
  /// Position of the next batch.
  std::int64_t epoch() const { return core_->epoch(); }
  std::int64_t step() const { return core_->step(); }

  /// Position of the batch that next() gives, whatever is being prepared.
  LoaderState state() const { return core_->state(); }
  /// Goes where `state` was taken. ValueError when there is no such place here.
  void resume(const LoaderState& state, Loc loc = Loc::current()) { core_->resume(state, loc); }

  struct End {};
  /// The rest of an epoch.
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    explicit Iterator(Loader* loader) : loader_(loader), epoch_(loader->epoch()) {
      if (loader->size() > 0) now_ = loader->next();
    }
    T& operator*() { return *now_; }
    Iterator& operator++() {
      now_.reset();  // its memory can hold the next one
      if (loader_->epoch() == epoch_) now_ = loader_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(End) const { return !now_; }

   private:
    Loader* loader_;
    std::int64_t epoch_;
    std::optional<T> now_;
  };
  Iterator begin() { return Iterator(this); }
  End end() const { return {}; }

 private:
  std::unique_ptr<detail::LoaderCore> core_;
};

/// Batches of `batch_size` rows of a source.
/// Throws ValueError for a batch size below 1, for invalid numbers of workers, batches or processes, and for an
/// invalid key.
template <Tree T>
Loader<T> loader(const Source<T>& source, std::int64_t batch_size, const LoaderOptions& options = {},
                 Loc loc = Loc::current()) {
  auto make = [like = source.like](const std::vector<Array>& leaves, const Position&) {
    return std::make_shared<T>(tree::rebuild(like, leaves));
  };
  return Loader<T>(std::make_unique<detail::LoaderCore>(source.rows, batch_size, options, std::move(make), loc));
}
/// Batches as `transform` makes them of those: T -> U, or (T, const Position&) -> U for what depends on chance, whose
/// key is then random::fold_in(key, ...) of the position. It runs on the workers, several at a time if there are
/// several.
template <Tree T, class F>
auto loader(const Source<T>& source, std::int64_t batch_size, const LoaderOptions& options, F transform,
            Loc loc = Loc::current()) {
  using U = decltype(detail::transformed(transform, std::declval<T>(), Position()));
  auto make = [like = source.like, transform = std::move(transform)](const std::vector<Array>& leaves,
                                                                     const Position& at) mutable {
    return std::make_shared<U>(detail::transformed(transform, tree::rebuild(like, leaves), at));
  };
  return Loader<U>(std::make_unique<detail::LoaderCore>(source.rows, batch_size, options, std::move(make), loc));
}

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
