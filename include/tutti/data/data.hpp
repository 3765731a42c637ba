// A host loader: batches of rows of arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::data {

struct BatchOptions {
  bool shuffle = false;
  std::uint64_t seed = 0;
  bool drop_last = false;
};

namespace detail {
/// Order of the rows of one epoch, counted from 0.
std::vector<std::int64_t> order(std::int64_t rows, const BatchOptions& options, std::uint64_t epoch);
std::vector<Array> take_rows(std::span<const Array> leaves, std::span<const std::int64_t> rows);
/// The common leading extent; throws ShapeError when the arrays disagree or one is a scalar, ValueError for a batch
/// size below 1.
std::int64_t check(std::span<const Array> leaves, std::int64_t batch_size, Loc loc);
}  // namespace detail

/// The rows of a tree of arrays in batches; an item has the type of the tree. Each loop over it is an epoch: with
/// `shuffle` the next one has another order, and the same seed gives the same orders.
///
///     for (auto [x, y] : data::batches(std::tuple{xs, ys}, 32, {.shuffle = true})) ...
///
/// Threads: one at a time uses an object.
template <Tree T> class Batches {
 public:
  Batches(T arrays, std::int64_t batch_size, BatchOptions options, Loc loc = Loc::current())
      : arrays_(std::move(arrays)),
        leaves_(tree::leaves(arrays_)),
        batch_(batch_size),
        rows_(detail::check(leaves_, batch_size, loc)),
        options_(options) {}
  std::int64_t size() const { return options_.drop_last ? rows_ / batch_ : extent::ceil_div(rows_, batch_); }

  struct End {};
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    Iterator(const Batches* all, std::vector<std::int64_t> order)
        : all_(all), order_(std::make_shared<const std::vector<std::int64_t>>(std::move(order))) {}
    T operator*() const {
      std::int64_t first = at_ * all_->batch_, n = std::min(all_->batch_, all_->rows_ - first);
      return tree::rebuild(all_->arrays_,
                           detail::take_rows(all_->leaves_, std::span(*order_).subspan(static_cast<std::size_t>(first),
                                                                                       static_cast<std::size_t>(n))));
    }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    void operator++(int) { ++at_; }
    bool operator==(End) const { return at_ >= all_->size(); }

   private:
    const Batches* all_;
    std::shared_ptr<const std::vector<std::int64_t>> order_;  // copies of an iterator are cheap
    std::int64_t at_ = 0;
  };
  /// Begins an epoch.
  Iterator begin() { return {this, detail::order(rows_, options_, epochs_++)}; }
  End end() const { return {}; }

 private:
  T arrays_;
  std::vector<Array> leaves_;
  std::int64_t batch_, rows_;
  BatchOptions options_;
  std::uint64_t epochs_ = 0;  // begun
};

template <Tree T>
Batches<T> batches(const T& arrays, std::int64_t batch_size, BatchOptions options = {}, Loc loc = Loc::current()) {
  return Batches<T>(arrays, batch_size, options, loc);
}

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
