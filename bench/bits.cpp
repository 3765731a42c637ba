#include "bits.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>

namespace bench {
namespace {

// Of an array: its type, and its bytes as a number (FNV-1a over words).
std::string digest(const Array& a) {
  const std::span<const std::byte> bytes = host_bytes(a);
  std::uint64_t h = 14695981039346656037u;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof h) {
    std::uint64_t word = 0;
    std::copy_n(bytes.data() + at, std::min(sizeof word, bytes.size() - at), reinterpret_cast<std::byte*>(&word));
    h = (h ^ word) * 1099511628211u;
    h ^= h >> 32;
  }
  return fmt::format("{}[{}] {:016x}", a.dtype().name(), fmt::join(a.shape(), ","), h);
}

std::vector<std::string> seen;
void look(const std::vector<Array>& leaves) {
  for (const Array& a : leaves) seen.push_back(digest(a));
}

std::vector<std::string> results(const Case& c, const Setup& s, int threads) {
  set_num_threads(threads);
  const config::CacheBounds bounds = config::cache_bounds();
  config::cache_bounds({1, 1, 1});  // so that nothing is taken over that another number of threads has chosen
  (void)jit([](const Array& x) { return x + 1; })(ones({threads}));
  seen.clear();
  {
    const Batch run = c.make(s);
    run(1);
    if (!c.once) run(1);
  }
  config::cache_bounds(bounds);
  return std::move(seen);
}

}  // namespace

int compare_bits(const std::vector<Case>& cases, const std::vector<int>& threads, int devices) {
  const Setup s = setup_of(devices);
  look_at_results = look;
  int compared = 0, without = 0, wrong = 0;
  for (const Case& c : cases) {
    if (c.alone) continue;
    std::string text;
    try {
      std::optional<std::vector<std::string>> first;
      for (const int n : threads) {
        const std::vector<std::string> now = results(c, s, n);
        if (first && now != *first) text += fmt::format(" {} threads differ from {}", n, threads.front());
        if (!first) first = now;
      }
      if (first && first->empty()) {
        ++without;
        continue;
      }
    } catch (const std::exception& e) {
      text = fmt::format(" {}", e.what());
    }
    ++compared;
    wrong += !text.empty();
    fmt::print("{:<36}{}\n", c.name, text.empty() ? " equal" : text);
    std::fflush(stdout);
  }
  look_at_results = nullptr;
  set_num_threads(default_num_threads());
  fmt::print("{} of {} cases have the same bits with {} threads, {} devices; {} have no results\n", compared - wrong,
             compared, fmt::join(threads, ", "), devices, without);
  return wrong > 0 || compared == 0 ? 1 : 0;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
