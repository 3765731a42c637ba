// Where the trues stand: counted and written in two passes over the bytes of the mask, which take nothing as long as
// to make the mask.
#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/cpu/kernels/kernels.hpp"
#include "base/tasks.hpp"
#include "ops/reduction/true_positions.hpp"

namespace tutti::kernels {
namespace {

constexpr std::int64_t kPiece = std::int64_t{1} << 18;  // elements of one task

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

}  // namespace

void true_positions(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const std::int64_t size = c.get<TruePositions>().size, n = in[0].type.shape.dims().back();
  const std::int64_t rows = size ? out[0].size() / size : 0;
  for (std::int64_t r = 0; r < rows; ++r)
    row_of_positions(in[0].as<const std::uint8_t>() + r * n, n, out[0].as<std::int32_t>() + r * size, size);
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
