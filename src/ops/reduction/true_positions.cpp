// Where the trues stand. Source: jax.numpy.flatnonzero. Counted and written in two passes over the bytes of the mask:
// nothing else as long as the mask is made.
#include "ops/reduction/true_positions.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "base/tasks.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

constexpr std::int64_t kPiece = std::int64_t{1} << 18;  // elements of one task

std::vector<Type> infer_true_positions(const Call& c) {
  const Type& mask = c.operands[0];
  const std::int64_t size = c.get<TruePositions>().size;
  if (!mask.dtype.is_bool() || mask.ndim() == 0)
    raise<TypeError>(c.op.name, "the mask is " + mask.str(), "Give bools with one dim or more.");
  if (mask.shape.dims().back() > std::numeric_limits<std::int32_t>::max())
    raise<ShapeError>(c.op.name, "the mask is " + mask.str() + ", of which no int32 says every place",
                      "Look in parts of it.");
  Shape shape = mask.shape;
  shape[shape.ndim() - 1] = size;
  return {type(int32, shape)};
}

std::int64_t count_trues(const std::uint8_t* x, std::int64_t n) {
  std::int64_t out = 0;
  for (std::int64_t i = 0; i < n; ++i) out += x[i];
  return out;
}

void write_trues(const std::uint8_t* x, std::int64_t begin, std::int64_t end, std::int32_t* to, std::int64_t room) {
  std::int64_t i = begin, k = 0;
  while (i < end && k < room) {
    std::uint64_t word = 0;
    if (end - i >= 8) std::memcpy(&word, x + i, 8);
    if (end - i >= 8 && word == 0) {  // most masks are mostly false
      i += 8;
      continue;
    }
    for (const std::int64_t stop = std::min(end, i + 8); i < stop && k < room; ++i)
      if (x[i]) to[k++] = static_cast<std::int32_t>(i);
  }
}

void row_of_positions(const std::uint8_t* x, std::int64_t n, std::int32_t* to, std::int64_t size) {
  const std::int64_t pieces = (n + kPiece - 1) / kPiece;
  std::vector<std::int64_t> before(static_cast<std::size_t>(pieces) + 1, 0);  // trues in front of a piece
  const double work = n < kPiece ? 0 : 1e6;
  in_pieces(pieces, work, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p)
      before[static_cast<std::size_t>(p) + 1] = count_trues(x + p * kPiece, std::min(kPiece, n - p * kPiece));
  });
  for (std::int64_t p = 0; p < pieces; ++p)
    before[static_cast<std::size_t>(p) + 1] += before[static_cast<std::size_t>(p)];
  in_pieces(pieces, work, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int64_t first = before[static_cast<std::size_t>(p)];
      if (first < size)
        write_trues(x, p * kPiece, std::min(n, (p + 1) * kPiece), to + first,
                    std::min(size, before[static_cast<std::size_t>(p) + 1]) - first);
    }
  });
  const std::int64_t found = std::min(size, before.back());
  std::fill(to + found, to + size, static_cast<std::int32_t>(n));
}

void eval_true_positions(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const std::int64_t size = c.get<TruePositions>().size, n = in[0].type.shape.dims().back();
  const std::int64_t rows = size ? out[0].size() / size : 0;
  for (std::int64_t r = 0; r < rows; ++r)
    row_of_positions(in[0].as<const std::uint8_t>() + r * n, n, out[0].as<std::int32_t>() + r * size, size);
}

Factors factors_true_positions(const Call& c, const std::vector<Type>& results) {
  FactorBuilder b(c, results);
  const int last = c.operands[0].ndim() - 1;
  for (int d = 0; d < last; ++d) b.share(0, d, d, results[0].shape[d]);
  b.f.operands[0][last] = {b.add(c.operands[0].shape[last], Factors::Kind::replicated)};
  b.fixed_result(last, results[0].shape[last]);
  return b.f;
}

}  // namespace

constinit const Home true_positions = [] {
  Op op;
  op.name = "true_positions";
  op.infer = infer_true_positions;
  op.eval = eval_true_positions;
  op.factors = factors_true_positions;
  op.jvp = [](const Call&, const auto&, const auto&, const auto&) { return std::vector<Array>(1); };
  op.batch = [](const Call& c, const std::vector<Array>& x, const std::vector<bool>&, const BatchAxis&) -> Batched {
    return {{bind1(c.op, c.params, x)}, {true}};
  };
  op.flops = [](const Call& c, const std::vector<Type>&) { return static_cast<double>(c.operands[0].num_elements()); };
  for (std::int64_t size : {0, 3, 40})
    op.samples.push_back({.params = TruePositions{size}, .operands = {type(bool_, {30})}, .differentiable = false});
  op.samples.push_back({.params = TruePositions{4}, .operands = {type(bool_, {2, 3, 7})}, .differentiable = false});
  op.samples.push_back({.params = TruePositions{2}, .operands = {type(bool_, {0})}, .differentiable = false});
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
