#include "backend/cpu/conv_task.hpp"

#include <algorithm>

#include "backend/cpu/conv_copy.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kFewestTogether = 96, kResultsTogether = std::int64_t{128} << 10;  // rows; bytes of results

}  // namespace

template <class T>
ConvLoops<T>::ConvLoops(ConvSums sums, ConvBlocks blocks)
    : s_(std::move(sums)), b_(std::move(blocks)), lanes_(tile_lanes<T>()) {
  const int dims = static_cast<int>(s_.dims.size());
  const bool by_batch = s_.dims[0].extent > 1 && (s_.dims[1].extent == 1 || s_.dims[0].stride < s_.dims[1].stride);
  if (b_.column_dim >= 0)
    order_.push_back(b_.column_dim);
  else
    order_.push_back(by_batch ? 0 : 1);
  for (int d = dims; d-- > 2;)
    if (d != order_[0]) order_.push_back(d);
  for (int d : {by_batch ? 0 : 1, by_batch ? 1 : 0})
    if (d != order_[0]) order_.push_back(d);
  for (int d = 0; d < dims; ++d)
    if (d != b_.column_dim) row_order_.push_back(d);
  std::stable_sort(row_order_.begin(), row_order_.end(), [&](int x, int y) {
    return s_.dims[static_cast<std::size_t>(x)].row_out > s_.dims[static_cast<std::size_t>(y)].row_out;
  });
  panels_ = blocks_of(b_.column.count, b_.panel);
  panel_terms_.resize(s_.dims.size());
  const bool by_terms = b_.columns == ConvColumns::terms;
  panel_size_ = by_terms ? 1 : b_.panel;
  for (int d : order_) {
    panel_terms_[static_cast<std::size_t>(d)] = panel_size_;
    panel_size_ *= std::max<std::int64_t>(1, s_.dims[static_cast<std::size_t>(d)].terms);
  }
  if (by_terms) panel_size_ *= s_.outs.count;
  block_elements_ = b_.columns == ConvColumns::outs ? b_.width : s_.outs.count;
  if (b_.columns == ConvColumns::groups) block_elements_ *= b_.width;
  for (int d = 0; d < dims; ++d) {
    const std::int64_t n = b_.rows[static_cast<std::size_t>(d)];
    block_elements_ *= d == b_.column_dim ? blocks_of(n, lanes_) * lanes_ : n;
  }
}

template <class T> typename ConvLoops<T>::Block ConvLoops<T>::block(std::int64_t number) const {
  Block out;
  const std::int64_t column = number % b_.column_blocks;
  number /= b_.column_blocks;
  out.rows.resize(s_.dims.size());
  out.out = s_.out;
  for (std::size_t d = s_.dims.size(); d-- > 0;) {
    const std::int64_t n = blocks_of(s_.dims[d].rows, b_.rows[d]), begin = number % n * b_.rows[d];
    number /= n;
    out.rows[d] = {begin, std::min(b_.rows[d], s_.dims[d].rows - begin)};
    out.out += begin * s_.dims[d].row_out;
  }
  out.outer = number;
  out.columns = {column * b_.width, std::min(b_.width, b_.column.count - column * b_.width)};
  if (b_.column_dim >= 0) out.columns = {0, out.rows[static_cast<std::size_t>(b_.column_dim)].count};
  out.padded = b_.columns == ConvColumns::terms ? out.columns.count : blocks_of(out.columns.count, lanes_) * lanes_;
  out.left = out.outer * b_.outer.left + out.columns.begin * b_.column.left;
  out.right = s_.right + out.outer * b_.outer.right + out.columns.begin * b_.column.right;
  out.out += out.outer * b_.outer.out + out.columns.begin * b_.column.out;
  return out;
}

template <class T> std::vector<typename ConvLoops<T>::Range> ConvLoops<T>::terms(std::int64_t number) const {
  std::vector<Range> out(s_.dims.size());
  for (std::size_t d = s_.dims.size(); d-- > 0;) {
    if (s_.dims[d].terms == 0) return {};
    const std::int64_t n = blocks_of(s_.dims[d].terms, b_.terms[d]), begin = number % n * b_.terms[d];
    number /= n;
    out[d] = {begin, std::min(b_.terms[d], s_.dims[d].terms - begin)};
  }
  return out;
}

// Of all rows of the block, in row_order_; `without` one dim.
template <class T>
std::vector<std::int64_t> ConvLoops<T>::offsets(const Block& b, const std::vector<std::int64_t>& strides,
                                                int without) const {
  std::vector<std::int64_t> out{0};
  for (int d : row_order_) {
    const std::int64_t n = b.rows[static_cast<std::size_t>(d)].count, stride = strides[static_cast<std::size_t>(d)];
    if (n == 1 || d == without) continue;
    std::vector<std::int64_t> finer;
    finer.reserve(out.size() * static_cast<std::size_t>(n));
    for (std::int64_t x : out)
      for (std::int64_t i = 0; i < n; ++i) finer.push_back(x + i * stride);
    out = std::move(finer);
  }
  return out;
}

// Whether tiles write their sums where they belong.
template <class T> bool ConvLoops<T>::is_direct(const Block& b) const {
  return b_.columns == ConvColumns::terms || (b_.parts == 1 && b_.column.out == 1 && b.columns.count == b.padded);
}

template <class T>
void ConvLoops<T>::sum(const Block& b, const std::vector<Range>& terms, Operand left, Operand right, T* to, bool adds,
                       Room& room) const {
  const bool by_place = b_.columns == ConvColumns::places, direct = is_direct(b);
  const std::size_t n = s_.dims.size();
  std::vector<std::int64_t> at{0}, c_at{0};  // of the columns, where there are several lots
  std::vector<std::int64_t> out_strides(n);
  for (std::size_t d = 0; d < n; ++d) out_strides[d] = s_.dims[d].row_out;
  const auto unit_rows = [&](std::int64_t count, std::int64_t stride) {
    std::vector<std::int64_t> x(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = i * stride;
    return x;
  };
  if (by_place) {
    at = offsets(b, left.row, b_.column_dim);
    room.a = unit_rows(s_.outs.count, s_.outs.right);
    if (direct)
      c_at = offsets(b, out_strides, b_.column_dim);
    else
      c_at = unit_rows(static_cast<std::int64_t>(at.size()), s_.outs.count * b.padded);
    room.c = unit_rows(s_.outs.count, direct ? s_.outs.out : b.padded);
    std::swap(left, right);
  } else {
    room.a = offsets(b, left.row, -1);
    const auto rows = static_cast<std::int64_t>(room.a.size());
    room.c = direct ? offsets(b, out_strides, -1) : unit_rows(rows, b.padded);
    if (b_.columns == ConvColumns::groups) {
      at = unit_rows(s_.outs.count, right.outs);
      c_at = unit_rows(s_.outs.count, direct ? s_.outs.out : rows * b.padded);
    }
  }
  // Terms that lie one behind the other on both sides are one run.
  Tile<T> tile{left.at, right.at, nullptr, nullptr, 0, 1, 0, 0, to, nullptr, adds};
  room.runs.clear();
  if (!terms.empty()) {
    bool is_run = true;
    room.runs.push_back({0, 0});
    for (int k : order_) {
      const auto d = static_cast<std::size_t>(k);
      const std::int64_t count = terms[d].count, x = left.term[d], y = right.term[d];
      if (count == 1) continue;
      if (is_run && tile.length == 1) {
        tile.a_step = x;
        tile.b_step = y;
        tile.length = count;
      } else if (is_run && x == tile.a_step * tile.length && y == tile.b_step * tile.length) {
        tile.length *= count;
      } else {
        is_run = false;
        std::vector<TermRun> more;
        more.reserve(room.runs.size() * static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count; ++i)
          for (const TermRun& r : room.runs) more.push_back({r.a + i * x, r.b + i * y});
        room.runs = std::move(more);
      }
    }
  }
  tile.runs = room.runs.data();
  tile.num_runs = static_cast<std::int64_t>(room.runs.size());
  if (b_.columns == ConvColumns::terms) return sum_dots(b, tile, room);
  // So many rows that their results stay in a cache from one panel to the next.
  const auto rows = static_cast<std::int64_t>(room.a.size()),
             together = std::max(kFewestTogether, kResultsTogether / static_cast<std::int64_t>(sizeof(T)) / b.padded);
  for (std::size_t p = 0; p < at.size(); ++p)
    for (std::int64_t first = 0; first < rows; first += together)
      for (std::int64_t v = 0; v < b.padded; v += b_.panel) {
        const std::int64_t vectors = std::min(b_.panel, b.padded - v) / lanes_, end = std::min(rows, first + together);
        tile.a = left.at + v / b_.panel * left.panel;
        tile.b = right.at + v / b_.panel * right.panel + at[p];
        tile.c = to + v + c_at[p];
        for (std::int64_t r = first, count; r < end; r += count) {
          count = tile_rows(end - r, vectors);
          tile.rows = room.a.data() + r;
          tile.c_rows = room.c.data() + r;
          run_tile(tile, count, vectors, b_.columns == ConvColumns::groups);
        }
      }
}

template <class T> void ConvLoops<T>::sum_dots(const Block& b, const Tile<T>& t, const Room& room) const {
  std::vector<std::int64_t> columns, c_columns;
  for (std::int64_t o = 0; o < b.columns.count; ++o) {
    columns.push_back(o * (panel_size_ / s_.outs.count));
    c_columns.push_back(o * s_.outs.out);
  }
  DotTile<T> tile{t.a, t.b, nullptr, nullptr, t.runs, t.num_runs, t.length, t.c, nullptr, nullptr, t.adds};
  const auto rows = static_cast<std::int64_t>(room.a.size());
  for (std::int64_t r = 0, count; r < rows; r += count) {
    count = dot_rows(rows - r);
    tile.rows = room.a.data() + r;
    tile.c_rows = room.c.data() + r;
    for (std::int64_t o = 0, some; o < b.columns.count; o += some) {
      some = dot_columns(b.columns.count - o);
      tile.columns = columns.data() + o;
      tile.c_columns = c_columns.data() + o;
      run_dots(tile, count, some);
    }
  }
}

template <class T> void ConvLoops<T>::write(const Block& b, const T* sums, T* out) const {
  std::vector<CopyDim> dims{{b.columns.count, 1, b_.column.out}};
  std::int64_t stride = b.padded;
  if (b_.columns == ConvColumns::places) {
    dims.push_back({s_.outs.count, stride, s_.outs.out});
    stride *= s_.outs.count;
  }
  for (std::size_t k = row_order_.size(); k-- > 0;) {
    const auto d = static_cast<std::size_t>(row_order_[k]);
    dims.push_back({b.rows[d].count, stride, s_.dims[d].row_out});
    stride *= b.rows[d].count;
  }
  if (b_.columns == ConvColumns::groups) dims.push_back({s_.outs.count, stride, s_.outs.out});
  copy_dims(sums, out + b.out, std::span<const CopyDim>(dims));
}

template <class T> void ConvLoops<T>::run(const ConvArrays<T>& arrays, std::int64_t task) const {
  Room room;
  const Block b = block(task / b_.parts);
  const std::int64_t part = task % b_.parts;
  T* const to = b_.parts > 1   ? arrays.parts + task * block_elements_
                : is_direct(b) ? arrays.out + b.out
                               : Room::of(room.sums, block_elements_);
  const std::int64_t begin = b_.term_blocks * part / b_.parts, end = b_.term_blocks * (part + 1) / b_.parts;
  for (std::int64_t k = begin; k < end; ++k) {
    const std::vector<Range> some = terms(k);
    if (some.empty()) {
      const std::vector<std::int64_t> none(s_.dims.size());
      sum(b, some, {arrays.left, none, none, 0, 0}, {arrays.right, none, none, 0, 0}, to, false, room);
    } else {
      sum(b, some, left(arrays, b, some, room), right(arrays, b, some, room), to, k > begin, room);
    }
  }
  if (b_.parts == 1 && !is_direct(b)) write(b, to, arrays.out);
}

template <class T> void ConvLoops<T>::add_piece(const ConvArrays<T>& arrays, std::int64_t piece) const {
  const std::int64_t begin = piece % pieces_of_block() * kPieceElements,
                     end = std::min(block_elements_, begin + kPieceElements);
  T* const sums = arrays.parts + piece / pieces_of_block() * b_.parts * block_elements_;
  for (std::int64_t p = 1; p < b_.parts; ++p) {
    const T* more = sums + p * block_elements_;
    for (std::int64_t i = begin; i < end; ++i) sums[i] += more[i];
  }
}

template <class T> void ConvLoops<T>::write_block(const ConvArrays<T>& arrays, std::int64_t number) const {
  write(block(number), arrays.parts + number * b_.parts * block_elements_, arrays.out);
}

// Not the whole class: conv_operands.cpp has members too, and the two may be compiled as one.
template ConvLoops<float>::ConvLoops(ConvSums, ConvBlocks);
template void ConvLoops<float>::run(const ConvArrays<float>&, std::int64_t) const;
template void ConvLoops<float>::add_piece(const ConvArrays<float>&, std::int64_t) const;
template void ConvLoops<float>::write_block(const ConvArrays<float>&, std::int64_t) const;
template ConvLoops<double>::ConvLoops(ConvSums, ConvBlocks);
template void ConvLoops<double>::run(const ConvArrays<double>&, std::int64_t) const;
template void ConvLoops<double>::add_piece(const ConvArrays<double>&, std::int64_t) const;
template void ConvLoops<double>::write_block(const ConvArrays<double>&, std::int64_t) const;

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
