// A progress bar on stderr: silent when it is not a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <ranges>
#include <string>

namespace tutti {

/// ` 42%|########            | 420/1000 [00:12<00:17, 34.1 it/s] loss 1.93`. Drawn at most ten times a second.
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
  using Clock = std::chrono::steady_clock;
  void draw(bool last);
  std::int64_t total_, done_ = 0;
  double fraction_ = -1;
  std::string label_, note_;
  bool on_, finished_ = false;
  Clock::time_point start_ = Clock::now(), drawn_{};
};

/// `for (int i : progress(std::views::iota(0, 100)))`: the elements of a range, with a bar.
template <std::ranges::viewable_range R> auto progress(R&& range, std::string label = "") {
  std::int64_t total = -1;
  if constexpr (std::ranges::sized_range<R>) total = static_cast<std::int64_t>(std::ranges::size(range));
  auto bar = std::make_shared<ProgressBar>(total, std::move(label));
  return std::views::all(std::forward<R>(range)) |
         std::views::transform([bar, first = true](auto&& x) mutable -> decltype(auto) {
           if (!first) bar->step();
           first = false;
           return std::forward<decltype(x)>(x);
         });
}

}  // namespace tutti
