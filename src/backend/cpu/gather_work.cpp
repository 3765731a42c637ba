// Gathers, run by run.
#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/cpu/run_places.hpp"
#include "backend/cpu/window_moves.hpp"
#include "backend/cpu/window_work.hpp"
#include "base/stream.hpp"
#include "lane/side_by_side.hpp"
#include "ops/movement/gather.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kRunsAhead = 16;  // runs that are asked for before they are read
constexpr double kGatherTaskNs = 50e3;
constexpr std::int64_t kGatherTasks = 128;

constexpr std::int64_t kSome = 16;  // elements that may lie side by side

// Single elements of `E`; a place below 0 is filled.
template <class E>
void read_elements(const char* array, const std::int64_t* places, std::int64_t n, const char* fill, char* result) {
  E outside;
  std::memcpy(&outside, fill, sizeof(E));
  const E* from = reinterpret_cast<const E*>(array);
  E* to = reinterpret_cast<E*>(result);
  auto one = [&](std::int64_t i) __attribute__((always_inline)) {
    const bool inside = places[i] >= 0;
    const E value = from[inside ? places[i] : 0];
    to[i] = inside ? value : outside;
  };
  lane::with_widest([&]() __attribute__((always_inline)) {
    std::int64_t i = 0;
    for (; i + kSome <= n; i += kSome)
      if (places[i] >= 0 && counts<kSome>(places + i))
        std::memcpy(to + i, from + places[i], kSome * sizeof(E));
      else
        for (std::int64_t k = i; k < i + kSome; ++k) one(k);
    for (; i < n; ++i) one(i);
  });
}

class GatherWork final : public run::Work {
 public:
  explicit GatherWork(const compile::CallEqn& c)
      : from_(c.operands[0]),
        indices_(c.operands[1]),
        to_(c.results[0]),
        size_(c.operand_types[0].dtype.size()),
        places_(places_of_gather(c)) {
    const std::int64_t bytes = c.result_types[0].nbytes();
    cost_ns = 3.0 * static_cast<double>(places_.count()) + 0.1 * static_cast<double>(bytes);
    tasks =
        static_cast<int>(std::clamp(static_cast<std::int64_t>(cost_ns / kGatherTaskNs), std::int64_t{1}, kGatherTasks));
    streams_ = bytes >= kPastCache && places_.length() * size_ % 64 == 0;
    const std::vector<char> filled = fill_element(c);
    for (std::int64_t i = 0; i < places_.length(); ++i) fill_.insert(fill_.end(), filled.begin(), filled.end());
  }

  void run(char* const* at, int task) const override {
    const std::int64_t begin = places_.count() * task / tasks, end = places_.count() * (task + 1) / tasks;
    const std::int64_t bytes = places_.length() * size_;
    if (read_numbered(at, begin, end)) return;
    std::int64_t places[RunPlaces::kAtOnce + kRunsAhead];
    for (std::int64_t first = begin; first < end; first += RunPlaces::kAtOnce) {
      const std::int64_t n = std::min(RunPlaces::kAtOnce, end - first), known = std::min(n + kRunsAhead, end - first);
      places_.find(at[indices_], first, first + known, places);
      read(at[from_], places, n, known, bytes, at[to_] + first * bytes);
    }
  }

 private:
  // Single elements whose places are the indices themselves.
  bool read_numbered(char* const* at, std::int64_t begin, std::int64_t end) const {
    const std::int64_t n = places_.numbered();
    if (n == 0 || (size_ != 4 && size_ != 8)) return false;
    const auto* indices = reinterpret_cast<const std::int32_t*>(at[indices_]);
    const bool clips = !places_.fills();
    auto read = [&]<class E>(E outside) {
      const E* from = reinterpret_cast<const E*>(at[from_]);
      E* to = reinterpret_cast<E*>(at[to_]);
      std::memcpy(&outside, fill_.data(), sizeof(E));
      const auto last = static_cast<std::int32_t>(n - 1);
      auto one = [&](std::int64_t i) __attribute__((always_inline)) {
        const std::int32_t inside = std::clamp(indices[i], 0, last);
        const E value = from[inside];
        to[i] = clips || inside == indices[i] ? value : outside;
      };
      lane::with_widest([&]() __attribute__((always_inline)) {
        std::int64_t i = begin;
        for (; i + kSome <= end; i += kSome)
          if (indices[i] >= 0 && indices[i] <= n - kSome && counts<kSome>(indices + i))
            std::memcpy(to + i, from + indices[i], kSome * sizeof(E));
          else
            for (std::int64_t k = i; k < i + kSome; ++k) one(k);
        for (; i < end; ++i) one(i);
      });
    };
    size_ == 4 ? read(std::uint32_t{}) : read(std::uint64_t{});
    return true;
  }
  // `known`: places that there are, of which those behind n are only asked for.
  void read(const char* from, const std::int64_t* places, std::int64_t n, std::int64_t known, std::int64_t bytes,
            char* to) const {
    if (places_.length() == 1) switch (size_) {
        case 1: return read_elements<std::uint8_t>(from, places, n, fill_.data(), to);
        case 2: return read_elements<std::uint16_t>(from, places, n, fill_.data(), to);
        case 4: return read_elements<std::uint32_t>(from, places, n, fill_.data(), to);
        case 8: return read_elements<std::uint64_t>(from, places, n, fill_.data(), to);
        default: break;
      }
    const bool past = streams_ && reinterpret_cast<std::uintptr_t>(to) % 64 == 0;
    for (std::int64_t i = 0; i < n; ++i, to += bytes) {
      if (i + kRunsAhead < known && places[i + kRunsAhead] >= 0)
        for (std::int64_t line = 0; line < std::min<std::int64_t>(bytes, 512); line += 64)
          __builtin_prefetch(from + places[i + kRunsAhead] * size_ + line);
      const char* run = places[i] < 0 ? fill_.data() : from + places[i] * size_;
      if (past)
        stream_lines(run, bytes, to);
      else
        std::memcpy(to, run, static_cast<std::size_t>(bytes));
    }
    if (past) processor::finish_streams();
  }

  int from_, indices_, to_;
  std::int64_t size_;
  RunPlaces places_;
  bool streams_ = false;
  std::vector<char> fill_;
};

}  // namespace

RunPlaces places_of_gather(const compile::CallEqn& c) {
  const auto& p = c.eqn.params.get<ops::Gather>();
  return {p.dims, p.mode, p.sizes, c.operand_types[0].shape, c.operand_types[1], c.result_types[0].shape};
}

std::unique_ptr<run::Work> gather_work(const compile::CallEqn& c) { return std::make_unique<GatherWork>(c); }

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
