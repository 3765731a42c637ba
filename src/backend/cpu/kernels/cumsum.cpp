// Running sums: block by block, chains side by side, long lines by all workers.
#include <algorithm>
#include <vector>

#include "backend/cpu/kernels/kernels.hpp"
#include "backend/cpu/kernels/running_block.hpp"
#include "base/stream.hpp"
#include "base/tasks.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/reduction/cumsum.hpp"

namespace tutti::kernels {
namespace {

constexpr std::int64_t kBlock = RunningBlock::size;  // elements that are added up before they join the sum
constexpr std::int64_t kRun = 16;                    // elements of one chain, before the next one has its turn
constexpr std::int64_t kMostChains = 16;             // side by side: one need not wait for the others' additions
constexpr std::int64_t kFewLines = 8;                // longer than some blocks: their blocks are shared out
constexpr std::int64_t kRound = 2048 * kBlock;       // elements of a line that are gone through twice, from a cache

// Sums along chains of elements that lie `step` apart: lines, or blocks of one line.
template <class T> struct Chains {
  using Compute = typename Element<T>::Compute;
  using Sum = typename Accumulator<Compute>::type;
  const T* in[kMostChains];
  T* out[kMostChains];
  lane::Host<Sum> before[kMostChains]{}, block[kMostChains]{};
  std::int64_t count = 0, step = 1;

  void add(const T* from, T* to, Sum sum) {
    in[count] = from;
    out[count] = to;
    before[count++] = {sum};
  }

  template <bool write> void run(std::int64_t length) {
    for (std::int64_t i = 0; i < length; i += kRun)
      for (std::int64_t c = 0; c < count; ++c) run<write>(c, i, std::min(i + kRun, length));
  }
  template <bool write> void run(std::int64_t c, std::int64_t begin, std::int64_t end) {
    const T* from = in[c];
    T* to = out[c];
    lane::Host<Sum> sum = block[c];
    const lane::Host<Sum> so_far = before[c];
    for (std::int64_t i = begin; i < end; ++i) {
      sum = sum + lane::Host<Sum>{static_cast<Sum>(Element<T>::load(from[i * step]))};
      if constexpr (write) to[i * step] = Element<T>::store(static_cast<Compute>((so_far + sum).v));
    }
    block[c] = sum;
    if (end % kBlock != 0) return;
    before[c] = so_far + sum;
    block[c] = {};
  }
};

// One line: the totals of its blocks, what is before each of them, then their running sums.
template <class T> void sum_blocks(const T* in, T* out, std::int64_t n, std::int64_t step) {
  using Sum = typename Chains<T>::Sum;
  constexpr std::int64_t kTogether = 4;
  const bool in_lanes = std::same_as<T, float> && step == 1,
             past = in_lanes && n * static_cast<std::int64_t>(sizeof(T)) >= kPastCache &&
                    reinterpret_cast<std::uintptr_t>(out) % 64 == 0;
  std::vector<Sum> before(static_cast<std::size_t>(kRound / kBlock + 1));
  for (std::int64_t first = 0; first < n; first += kRound) {
    const std::int64_t length = std::min(kRound, n - first), blocks = (length + kBlock - 1) / kBlock;
    auto each = [&](double ns, bool known, auto&& what) {
      in_pieces((blocks + kTogether - 1) / kTogether, ns * kTogether * kBlock,
                [&](std::int64_t begin, std::int64_t end) {
                  for (std::int64_t g = begin; g < end; ++g) {
                    Chains<T> chains, last;
                    chains.step = last.step = step;
                    const std::int64_t from = g * kTogether, whole = std::min(from + kTogether, length / kBlock);
                    auto add = [&](Chains<T>& to, std::int64_t b) {
                      const std::int64_t at = (first + b * kBlock) * step;
                      to.add(in + at, out + at, known ? before[static_cast<std::size_t>(b)] : Sum{});
                    };
                    for (std::int64_t b = from; b < whole; ++b) add(chains, b);
                    what(chains, from, kBlock);
                    if (whole == from + kTogether || whole * kBlock >= length) continue;
                    add(last, whole);
                    what(last, whole, length % kBlock);
                  }
                });
    };
    each(0.3, false, [&](Chains<T>& chains, std::int64_t from, std::int64_t size) {
      if constexpr (std::same_as<T, float>)
        if (in_lanes && size == kBlock) {
          for (std::int64_t c = 0; c < chains.count; ++c)
            before[static_cast<std::size_t>(from + c + 1)] = RunningBlock::total(chains.in[c]);
          return;
        }
      chains.template run<false>(size);
      for (std::int64_t c = 0; c < chains.count; ++c)
        before[static_cast<std::size_t>(from + c + 1)] = (chains.before[c] + chains.block[c]).v;
    });
    for (std::int64_t b = 0; b < blocks; ++b) {
      const auto k = static_cast<std::size_t>(b);
      before[k + 1] = (lane::Host<Sum>{before[k]} + lane::Host<Sum>{before[k + 1]}).v;
    }
    each(0.6, true, [&](Chains<T>& chains, std::int64_t, std::int64_t size) {
      if constexpr (std::same_as<T, float>)
        if (in_lanes && size == kBlock) {
          for (std::int64_t c = 0; c < chains.count; ++c)
            RunningBlock::sums(chains.in[c], chains.before[c].v, past, chains.out[c]);
          if (past) processor::finish_streams();
          return;
        }
      chains.template run<true>(size);
    });
    before[0] = before[static_cast<std::size_t>(blocks)];
  }
}

// Lines whose elements lie `inner` apart, some of them side by side.
template <class T>
void sum_lines(const T* in, T* out, std::int64_t n, std::int64_t inner, std::int64_t lines, bool reverse) {
  const std::int64_t within = inner == 1 ? lines : inner, together = inner == 1 ? 4 : kMostChains;
  const std::int64_t groups = (within + together - 1) / together;
  in_pieces(
      lines / within * groups, 0.8 * static_cast<double>(n * together), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t g = begin; g < end; ++g) {
          Chains<T> chains;
          chains.step = reverse ? -inner : inner;
          const std::int64_t first = g % groups * together;
          for (std::int64_t k = first; k < std::min(first + together, within); ++k) {
            const std::int64_t at = (inner == 1 ? k * n : g / groups * n * inner + k) + (reverse ? (n - 1) * inner : 0);
            chains.add(in + at, out + at, typename Chains<T>::Sum{});
          }
          chains.template run<true>(n);
        }
      });
}

}  // namespace

void cumsum(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Cumulative>();
  const Shape& shape = c.operands[0].shape;
  std::int64_t n = shape[p.axis], inner = 1;
  for (int d = p.axis + 1; d < shape.ndim(); ++d) inner *= shape[d];
  if (shape.num_elements() == 0) return;
  const std::int64_t lines = shape.num_elements() / n;
  with_storage<takes_number>(c.operands[0].dtype, [&]<class T>() {
    const T* from = in[0].as<const T>();
    T* to = out[0].as<T>();
    if (inner > 1 || lines >= kFewLines || n <= kFewLines * kBlock)
      return sum_lines(from, to, n, inner, lines, p.reverse);
    for (std::int64_t k = 0; k < lines; ++k) {
      const std::int64_t at = k * n + (p.reverse ? n - 1 : 0);
      sum_blocks(from + at, to + at, n, p.reverse ? -1 : 1);
    }
  });
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
