// Blocks of the left operand stay in the second-level cache, panels of the right one pass by; tiles of sums stay in
// registers. What is packed next comes from memory while tiles are computed: nothing is waited for.
#include "backend/cpu/large_product.hpp"

#include <algorithm>

#include "backend/cpu/isa.hpp"
#include "backend/cpu/large_tiles.hpp"
#include "backend/cpu/packed_product.hpp"
#include "device/buffer.hpp"

namespace tutti::cpu {

constexpr std::int64_t kFewestLarge = 192;  // rows, columns and inner elements from which packing pays
bool is_large_product(std::int64_t m, std::int64_t n, std::int64_t k) { return std::min({m, n, k}) >= kFewestLarge; }

#if TUTTI_X86
namespace {

constexpr std::uintptr_t kLineBytes = 64;
constexpr std::int64_t kMostBlockRows = 280, kMostPanelColumns = 2048;

// What `pack_panel` will read and, where that is not written already, write.
NextRead read_by_packing(std::int64_t k, std::int64_t n, const float* x, std::int64_t x_l, std::int64_t x_j,
                         const float* to) {
  const auto rows = [&](std::int64_t count, std::int64_t elements, std::int64_t apart) {
    const bool cut = reinterpret_cast<std::uintptr_t>(x) % kLineBytes != 0 || apart % kSumLanes != 0;
    return NextRead{x, apart, (elements + kSumLanes - 1) / kSumLanes + cut, count, to};
  };
  return x_j == 1 ? rows(k, n, x_l) : rows(n, k, x_j);
}

std::int64_t whole_lines(std::int64_t elements) { return (elements + kSumLanes - 1) / kSumLanes * kSumLanes; }

class LargeProduct {
 public:
  LargeProduct(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
               std::int64_t c_row, Sums sums)
      : m_(m), n_(n), k_(k), a_(a), b_(b), c_(c), c_row_(c_row), sums_(sums) {
    const std::int64_t left = whole_lines(rows_ * inner_),
                       right = whole_lines((many_blocks_ ? columns_ : kSumColumns) * inner_);
    room_ = allocate_buffer(static_cast<std::size_t>(left + right + kSumLanes) * sizeof(float));
    const auto address = reinterpret_cast<std::uintptr_t>(room_->data());
    left_ = reinterpret_cast<float*>((address + kLineBytes - 1) / kLineBytes * kLineBytes);
    right_ = left_ + left;
  }
  void run() const {
    for (std::int64_t j = 0; j < n_; j += columns_)
      for (std::int64_t l = 0; l < k_; l += inner_)
        for (std::int64_t i = 0; i < m_; i += rows_)
          block({i, std::min(m_, i + rows_)}, {j, std::min(n_, j + columns_)}, l, std::min(inner_, k_ - l));
  }

 private:
  struct Range {
    std::int64_t begin, end;
  };

  const float* from_b(std::int64_t l, std::int64_t j) const { return b_.data + l * b_.row + j * b_.column; }

  // Rows i of some columns j, summed up over `deep` inner elements from l on.
  void block(Range i, Range j, std::int64_t l, std::int64_t deep) const {
    for (std::int64_t r = i.begin; r < i.end; r += kSumRows)
      pack_panel<kSumRows>(deep, std::min(kSumRows, i.end - r), a_.data + r * a_.row + l * a_.column, a_.column, a_.row,
                           left_ + (r - i.begin) * deep);
    const bool is_first = i.begin == 0;  // the others find panels packed
    for (std::int64_t q = j.begin; q < j.end; q += kSumColumns) {
      float* const panel = many_blocks_ ? right_ + (q - j.begin) * deep : right_;
      const std::int64_t here = std::min(kSumColumns, j.end - q), then = q + kSumColumns;
      if (is_first) pack_panel<kSumColumns>(deep, here, from_b(l, q), b_.row, b_.column, panel);
      NextRead next;
      if (then < j.end && is_first)
        next = read_by_packing(deep, std::min(kSumColumns, j.end - then), from_b(l, then), b_.row, b_.column,
                               many_blocks_ ? panel + kSumColumns * deep : nullptr);
      else if (then < j.end)
        next = {panel + kSumColumns * deep, kSumColumns, kSumColumns / kSumLanes, deep};
      column({i, {q, q + here}, l, deep}, panel, next);
    }
  }

  struct Part {
    Range i, j;
    std::int64_t l, deep;
  };
  void column(const Part& p, const float* panel, NextRead& next) const {
    const std::int64_t tiles = (p.i.end - p.i.begin + kSumRows - 1) / kSumRows,
                       steps = tiles * ((p.deep + kLookAhead - 1) / kLookAhead),
                       asked = (next.rows * next.lines + steps - 1) / steps, columns = p.j.end - p.j.begin;
    const bool is_wide = columns > kSumLanes;
    const __mmask16 last = first_of_lanes(is_wide ? columns - kSumLanes : columns);
    const Sums sums = p.l > 0 ? Sums::added : sums_;
    for (std::int64_t r = p.i.begin; r < p.i.end; r += kSumRows) {
      const LargeTile tile =
          (is_wide ? wide_tiles : narrow_tiles)[static_cast<std::size_t>(std::min(kSumRows, p.i.end - r) - 1)];
      tile(p.deep, left_ + (r - p.i.begin) * p.deep, panel, {c_ + r * c_row_ + p.j.begin, c_row_, last, sums}, next,
           asked);
    }
  }

  std::int64_t m_, n_, k_;
  Matrix a_, b_;
  float* c_;
  std::int64_t c_row_;
  Sums sums_;
  // Of a block. inner_ depends on k alone.
  std::int64_t inner_ = even_blocks(k_, kMostDeep, 4), rows_ = even_blocks(m_, kMostBlockRows, kSumRows),
               columns_ = even_blocks(n_, kMostPanelColumns, kSumColumns);
  bool many_blocks_ = rows_ < m_;
  HostPtr room_;
  float *left_, *right_;  // packed
};

}  // namespace

bool has_large_product() {
  static const bool wide = isa() == Isa::avx512;
  return wide;
}

void large_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                   std::int64_t c_row, Sums sums) {
  LargeProduct(m, n, k, a, b, c, c_row, sums).run();
}

#else
bool has_large_product() { return false; }
void large_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                   std::int64_t c_row, Sums sums) {
  own_product(m, n, k, a, b, c, c_row, sums);
}
#endif

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
