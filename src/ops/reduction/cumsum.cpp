// Running sums along one dim, from the front or (reverse) from the back. Floats accumulate in float64, block by block,
// and are rounded once. Source: jax.lax.cumsum.
#include "ops/reduction/cumsum.hpp"

#include "base/stream.hpp"
#include "base/tasks.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/reduction/running_block.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

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

void eval_cumsum(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
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

// The sums of each block, and the totals of those before it.
Across across_blocks_of_cumsum() {
  Across out;
  out.run = [](const Call& c, const Arrays& blocks, const Line& line) -> Arrays {
    const auto& p = c.get<Cumulative>();
    const Array sums = lax::cumsum(blocks[0], p.axis, p.reverse);
    lax::Dims start(static_cast<std::size_t>(sums.ndim()), 0), limit(sums.shape().begin(), sums.shape().end());
    start[p.axis] = p.reverse ? 0 : sums.shape()[p.axis] - 1;
    limit[p.axis] = start[p.axis] + 1;
    const Array totals = line.gathered(lax::slice(sums, start, limit));
    const Array place = lax::iota(int32, totals.shape(), 0);
    const Array here = lax::broadcast_in_dim(line.position(), totals.shape(), {});
    const Array zero = lax::sub(totals, totals);
    const Array before = lax::select(p.reverse ? lax::gt(place, here) : lax::lt(place, here), totals, zero);
    lax::Dims all;
    for (int d = 0; d < sums.ndim(); ++d) all.push_back(d);
    return {lax::add(sums, lax::broadcast_in_dim(lax::reduce_sum(before, {0}), sums.shape(), all))};
  };
  out.received = [](const Call& c, int, std::int64_t blocks) {
    const double rows = static_cast<double>(c.operands[0].shape[c.get<Cumulative>().axis]);
    return static_cast<double>(blocks - 1) * static_cast<double>(c.operands[0].nbytes()) / rows;
  };
  return out;
}

}  // namespace

Op running_frame(std::string name, unsigned mask, const std::vector<DType>& samples) {
  Op op;
  op.name = std::move(name);
  op.own_weak = true;
  op.infer = [mask](const Call& c) -> std::vector<Type> {
    const int axis = c.get<Cumulative>().axis;
    pointwise_shape(c, mask);
    if (axis < 0 || axis >= c.operands[0].ndim())
      raise<IndexError>(c.op.name, "axis " + std::to_string(axis) + " is out of range for " + c.operands[0].str(),
                        "Axes count from 0 here, up to ndim - 1.");
    return {Type{c.operands[0].dtype, c.operands[0].shape, false, {}}};
  };
  op.factors = [](const Call& c, const std::vector<Type>&) {
    Factors f;
    f.operands.resize(1);
    for (int d = 0; d < c.operands[0].ndim(); ++d) {
      f.factors.push_back({c.operands[0].shape[d],
                           d == c.get<Cumulative>().axis ? Factors::Kind::replicated : Factors::Kind::parallel});
      f.operands[0].push_back({d});
    }
    f.results = f.operands;
    return f;
  };
  op.batch = [](const Call& c, const Arrays& x, const std::vector<bool>&, const BatchAxis&) -> Batched {
    Cumulative p = c.get<Cumulative>();
    ++p.axis;
    return {{bind1(c.op, p, x)}, {true}};
  };
  for (DType d : samples)
    for (bool reverse : {false, true})
      for (int axis : {0, 1}) {
        Sample s;
        s.params = Cumulative{axis, reverse};
        s.operands = {Type{d, Shape{3, 5}, false, {}}};
        s.differentiable = d == float32;
        op.samples.push_back(s);
      }
  return op;
}

constinit const Home cumsum = [] {
  Op op = running_frame("cumsum", takes_number, {float32, bfloat16, int32});
  op.eval = eval_cumsum;
  op.across = std::make_shared<Across>(across_blocks_of_cumsum());
  op.linear = {{0}};
  op.transpose = [](const Call& c, const Arrays& ct, const Arrays&, const std::vector<bool>&) -> Arrays {
    const auto& p = c.get<Cumulative>();
    return {ct[0].has_value() ? lax::cumsum(ct[0], p.axis, !p.reverse) : Array()};
  };
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
