// Padding row by row.
#include <algorithm>
#include <complex>
#include <cstring>

#include "backend/cpu/kernels/kernels.hpp"
#include "base/tasks.hpp"
#include "ops/movement/movement.hpp"
#include "ops/movement/pad.hpp"

namespace tutti::kernels {
namespace {

template <class T> void fill(const HostView& out, const void* value) {
  T v;
  std::memcpy(&v, value, sizeof v);
  in_pieces(out.size(), 0.1 * sizeof(T),
            [&](std::int64_t begin, std::int64_t end) { std::fill_n(out.as<T>() + begin, end - begin, v); });
}

// n elements of so many bytes, `step` elements apart where they go.
template <std::size_t size> void spread(const char* source, std::int64_t n, std::int64_t step, char* target) {
  constexpr auto bytes = static_cast<std::int64_t>(size);
  in_pieces(n, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) std::memcpy(target + i * step * bytes, source + i * bytes, size);
  });
}

}  // namespace

void pad(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Pad>();
  const Shape &from = in[0].type.shape, &to = out[0].type.shape;
  const std::int64_t size = out[0].type.dtype.size();
  switch (size) {
    case 1: fill<std::uint8_t>(out[0], in[1].data); break;
    case 2: fill<std::uint16_t>(out[0], in[1].data); break;
    case 4: fill<std::uint32_t>(out[0], in[1].data); break;
    case 8: fill<std::uint64_t>(out[0], in[1].data); break;
    default: fill<std::complex<double>>(out[0], in[1].data);
  }
  if (from.num_elements() == 0) return;
  if (from.empty()) return void(std::memcpy(out[0].data, in[0].data, size));
  // The elements of a row that land inside: first to last.
  const std::size_t row = from.size() - 1;
  const std::int64_t low = p.config[row].low, step = p.config[row].interior + 1;
  const std::int64_t first = low >= 0 ? 0 : (-low + step - 1) / step,
                     end = std::min(from[row], to[row] <= low ? 0 : (to[row] - 1 - low) / step + 1);
  if (first >= end) return;
  Dims strides = row_major_strides(to);
  Shape lead = from;
  lead.erase(static_cast<int>(row));
  for_each_index(lead, [&](const Dims& index, std::int64_t flat) {
    std::int64_t at = low + first * step;
    for (std::size_t d = 0; d < row; ++d) {
      std::int64_t i = p.config[d].low + index[d] * (p.config[d].interior + 1);
      if (i < 0 || i >= to[d]) return;
      at += i * strides[d];
    }
    const char* source = in[0].as<char>() + (flat * from[row] + first) * size;
    char* target = out[0].as<char>() + at * size;
    if (step == 1) return void(std::memcpy(target, source, static_cast<std::size_t>((end - first) * size)));
    switch (size) {
      case 1: return spread<1>(source, end - first, step, target);
      case 2: return spread<2>(source, end - first, step, target);
      case 4: return spread<4>(source, end - first, step, target);
      case 8: return spread<8>(source, end - first, step, target);
      default: return spread<16>(source, end - first, step, target);
    }
  });
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
