// A progress bar on stderr: silent when it is not a terminal.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace tutti {

/// ` 42%|########            | 420/1000 [00:12<00:17, 34.1 it/s] loss 1.93`. Drawn at most ten times a second.
/// Threads: one at a time uses an object.
class ProgressBar {
 public:
  /// `total` below 0: unknown. `on`: draw although stderr is no terminal.
  explicit ProgressBar(std::int64_t total, std::string label = "", bool on = false);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  /// One step is done (or `n`); `note` stands at the end of the line.
  void step(std::int64_t n = 1, const std::string& note = "");
  /// For work measured in time: a fraction from 0 to 1 takes the place of done/total.
  void fraction(double done, const std::string& note = "");
  /// Draws the last state and ends the line.
  void finish();

 private:
  void draw(bool last);
  std::int64_t total_, done_ = 0;
  double fraction_ = -1;
  std::string label_, note_;
  bool on_, finished_ = false;
  double start_, drawn_ = 0;  // seconds, see detail::seconds_now
};

namespace detail {
/// Seconds on a clock that never goes back.
double seconds_now();
}  // namespace detail

/// The elements of a range R (by reference where it is an lvalue), and a bar that takes a step behind each.
/// Threads: one at a time uses an object.
template <class R> class ProgressRange {
 public:
  ProgressRange(R&& range, std::int64_t total, std::string label)
      : range_(std::forward<R>(range)), bar_(std::make_shared<ProgressBar>(total, std::move(label))) {}

  template <class It> struct Iterator {
    using value_type = std::remove_cvref_t<decltype(*std::declval<It&>())>;
    using difference_type = std::ptrdiff_t;
    It at{};
    ProgressBar* bar = nullptr;
    decltype(auto) operator*() const { return *at; }
    Iterator& operator++() {
      bar->step();
      ++at;
      return *this;
    }
    void operator++(int) { ++*this; }
    template <class End> bool operator==(const End& end) const { return at == end; }
  };
  auto begin() { return Iterator<decltype(std::begin(range_of()))>{std::begin(range_of()), bar_.get()}; }
  auto end() { return std::end(range_of()); }

 private:
  std::remove_reference_t<R>& range_of() { return range_; }
  R range_;
  std::shared_ptr<ProgressBar> bar_;
};

/// `for (int i : progress(std::views::iota(0, 100)))`: the elements of a range, with a bar.
template <class R> ProgressRange<R> progress(R&& range, std::string label = "") {
  std::int64_t total = -1;
  if constexpr (requires { std::size(range); }) total = static_cast<std::int64_t>(std::size(range));
  return {std::forward<R>(range), total, std::move(label)};
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
