#include "tutti/data/progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/say.hpp"

namespace tutti {
namespace {

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "?";
  auto s = static_cast<long>(seconds);
  char buffer[32];
  if (s >= 3600)
    std::snprintf(buffer, sizeof buffer, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  else
    std::snprintf(buffer, sizeof buffer, "%02ld:%02ld", s / 60, s % 60);
  return buffer;
}

int columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
}

}  // namespace

double detail::seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ProgressBar::ProgressBar(std::int64_t total, std::string label, bool on)
    : total_(total), label_(std::move(label)), on_(on || isatty(STDERR_FILENO)), start_(detail::seconds_now()) {}
ProgressBar::~ProgressBar() { finish(); }

void ProgressBar::step(std::int64_t n, const std::string& note) {
  done_ += n;
  if (!note.empty()) note_ = note;
  draw(false);
}
void ProgressBar::fraction(double done, const std::string& note) {
  fraction_ = std::clamp(done, 0.0, 1.0);
  if (!note.empty()) note_ = note;
  draw(false);
}
void ProgressBar::finish() {
  if (std::exchange(finished_, true)) return;
  draw(true);
}

void ProgressBar::draw(bool last) {
  const double now = detail::seconds_now();
  if (!on_ || (!last && now - drawn_ < 0.1)) return;
  drawn_ = now;
  const double elapsed = now - start_;
  double part = fraction_ >= 0 ? fraction_ : total_ > 0 ? static_cast<double>(done_) / static_cast<double>(total_) : -1;
  double rate = elapsed > 0 ? static_cast<double>(done_) / elapsed : 0;
  char right[160];
  std::string count = total_ > 0 ? std::to_string(done_) + "/" + std::to_string(total_) : std::to_string(done_);
  std::snprintf(right, sizeof right, "| %s [%s<%s, %.1f it/s] %s", count.c_str(), clock_text(elapsed).c_str(),
                clock_text(part > 0 ? elapsed / part - elapsed : -1).c_str(), rate, note_.c_str());
  std::string line = label_.empty() ? "" : label_ + ": ";
  if (part >= 0) {
    char percent[16];
    std::snprintf(percent, sizeof percent, "%3.0f%%|", part * 100);
    line += percent;
    int width = std::max(
        5, std::min(40, columns() - 1 - static_cast<int>(line.size() + std::char_traits<char>::length(right))));
    int full = static_cast<int>(std::lround(part * width));
    line += std::string(static_cast<std::size_t>(full), '#') + std::string(static_cast<std::size_t>(width - full), ' ');
  }
  line += right;
  say(Message::Kind::progress,
      "\r" + line.substr(0, static_cast<std::size_t>(std::max(20, columns() - 1))) + "\033[K" + (last ? "\n" : ""));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
