#include "backend/cpu/transpose_work.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "backend/cpu/isa.hpp"
#include "lane/square16.hpp"

namespace tutti::cpu {
namespace {

using compile::Extents;

// out[i * out_row + j] = in[j * in_row + i] for i < rows, j < columns; strides in elements.
template <class T>
void block(const T* in, std::int64_t in_row, T* out, std::int64_t out_row, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) out[i * out_row + j] = in[j * in_row + i];
}

template <class T>
void tile(const char* from, std::int64_t in_row, char* to, std::int64_t out_row, std::int64_t rows,
          std::int64_t columns, bool far) {
  const T* in = reinterpret_cast<const T*>(from);
  T* out = reinterpret_cast<T*>(to);
  constexpr std::int64_t kSide = 16;
  static const bool wide = sizeof(T) == 4 && has_square16();
  // Along the columns of the tile, so that lines of the result are completed one after the other.
  for (std::int64_t i = 0; i < rows; i += kSide)
    for (std::int64_t j = 0; j < columns; j += kSide) {
      const std::int64_t r = std::min(kSide, rows - i), c = std::min(kSide, columns - j);
      if constexpr (sizeof(T) == 4)
        if (wide && r == kSide && c == kSide) {
          (far ? lane::square16<true> : lane::square16<false>)(reinterpret_cast<const float*>(in + j * in_row + i),
                                                               in_row, reinterpret_cast<float*>(out + i * out_row + j),
                                                               out_row);
          continue;
        }
      block(in + j * in_row + i, in_row, out + i * out_row + j, out_row, r, c);
    }
}

class TransposeWork final : public run::Work {
 public:
  TransposeWork(const compile::Loop& l, int turned, bool far) : in_(l.accesses[0]), out_(l.accesses[1]) {
    const int last = static_cast<int>(l.extents.size()) - 1;
    size_ = in_.dtype.size();
    rows_ = l.extents[turned];
    columns_ = l.extents[last];
    in_row_ = in_.strides[last] / size_;
    out_row_ = out_.strides[turned] / size_;
    if (in_.strides[turned] < 0) {  // the rows of the result from the last to the first
      in_.offset += (rows_ - 1) * in_.strides[turned];
      out_.offset += (rows_ - 1) * out_.strides[turned];
      out_row_ = -out_row_;
    }
    for (int d = 0; d < last; ++d)
      if (d != turned) {
        outer_.push_back(l.extents[d]);
        in_outer_.push_back(in_.strides[d]);
        out_outer_.push_back(out_.strides[d]);
      }
    calls_ = compile::product(outer_);
    far_ = far && size_ == 4 && out_.offset % 64 == 0 && out_row_ % 16 == 0;
    for (std::int64_t step : out_outer_) far_ &= step % 64 == 0;
    row_tiles_ = (rows_ + kRows - 1) / kRows;
    column_tiles_ = (columns_ + kColumns - 1) / kColumns;
    const std::int64_t pieces = calls_ * row_tiles_ * column_tiles_, elements = calls_ * rows_ * columns_;
    tasks = static_cast<int>(std::clamp<std::int64_t>(elements >> 16, 1, pieces));
    pieces_ = pieces;
    cost_ns = static_cast<double>(elements) * 0.5;
  }

  void run(char* const* at, int task) const override {
    for (std::int64_t p = pieces_ * task / tasks, end = pieces_ * (task + 1) / tasks; p < end; ++p) {
      std::int64_t in = in_.offset, out = out_.offset, rest = p / (row_tiles_ * column_tiles_);
      for (std::size_t d = outer_.size(); d-- > 0; rest /= outer_[d]) {
        in += rest % outer_[d] * in_outer_[d];
        out += rest % outer_[d] * out_outer_[d];
      }
      const std::int64_t i = p / column_tiles_ % row_tiles_ * kRows, j = p % column_tiles_ * kColumns;
      const char* from = at[in_.storage] + in + (j * in_row_ + i) * size_;
      char* to = at[out_.storage] + out + (i * out_row_ + j) * size_;
      const std::int64_t rows = std::min(kRows, rows_ - i), columns = std::min(kColumns, columns_ - j);
      switch (size_) {
        case 1: tile<std::uint8_t>(from, in_row_, to, out_row_, rows, columns, far_); break;
        case 2: tile<std::uint16_t>(from, in_row_, to, out_row_, rows, columns, far_); break;
        case 4: tile<std::uint32_t>(from, in_row_, to, out_row_, rows, columns, far_); break;
        default: tile<std::uint64_t>(from, in_row_, to, out_row_, rows, columns, far_);
      }
    }
    if (far_) processor::finish_streams();
  }

 private:
  static constexpr std::int64_t kRows = 512, kColumns = 64;  // of a tile of the result
  compile::Access in_, out_;
  std::int64_t size_ = 4, rows_ = 1, columns_ = 1, in_row_ = 0, out_row_ = 0, calls_ = 1, row_tiles_ = 1,
               column_tiles_ = 1, pieces_ = 1;
  bool far_ = false;
  Extents outer_, in_outer_, out_outer_;
};

}  // namespace

std::unique_ptr<run::Work> transpose_work(const compile::Loop& l, bool far) {
  using Kind = compile::Access::Kind;
  if (l.reduced >= 0 || l.extents.size() < 2 || l.accesses.size() != 2 || l.body.insts.size() != 1) return nullptr;
  const compile::Access &in = l.accesses[0], &out = l.accesses[1];
  if (in.kind != Kind::load || out.kind != Kind::store || in.dtype.size() != out.dtype.size()) return nullptr;
  const std::int64_t size = in.dtype.size();
  const int last = static_cast<int>(l.extents.size()) - 1;
  if (in.strides[last] == 0 || std::abs(in.strides[last]) == size || out.strides[last] != size || l.extents[last] < 8)
    return nullptr;
  for (int d = last; d-- > 0;)
    if (std::abs(in.strides[d]) == size && l.extents[d] >= 8) return std::make_unique<TransposeWork>(l, d, far);
  return nullptr;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
