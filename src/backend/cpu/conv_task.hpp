// One block of a convolution's results.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/cpu/conv_blocks.hpp"
#include "backend/cpu/conv_tiles.hpp"
#include "device/buffer.hpp"

namespace tutti::cpu {

template <class T> struct ConvArrays {
  const T *left, *right;
  const T* panels;  // the right operand, where that was brought to panels
  T* out;
  T* parts;  // sums of parts, task by task
};

/// All sums of one ConvSums, cut as its ConvBlocks say.
template <class T> class ConvLoops {
 public:
  ConvLoops(ConvSums sums, ConvBlocks blocks);

  std::int64_t tasks() const { return b_.outer.count * b_.row_blocks * b_.column_blocks * b_.parts; }
  void run(const ConvArrays<T>& arrays, std::int64_t task) const;

  /// Where parts are added up apart: elements of a task's sums; what adds a piece of those of one block together; and
  /// what writes a block.
  std::int64_t part_elements() const { return b_.parts > 1 ? block_elements_ : 0; }
  std::int64_t pieces() const { return b_.parts > 1 ? results() * pieces_of_block() : 0; }
  void add_piece(const ConvArrays<T>& arrays, std::int64_t piece) const;
  std::int64_t results() const { return b_.parts > 1 ? tasks() / b_.parts : 0; }
  void write_block(const ConvArrays<T>& arrays, std::int64_t block) const;

  /// Where the right operand is brought to panels: elements of all, and one panel of one group.
  std::int64_t panel_elements() const { return b_.right_once ? b_.outer.count * panels_ * panel_size_ : 0; }
  std::int64_t panels() const { return b_.right_once ? b_.outer.count * panels_ : 0; }
  void make_panel(const ConvArrays<T>& arrays, T* panels, std::int64_t panel) const;

 private:
  struct Range {
    std::int64_t begin, count;
  };
  struct Block {
    std::vector<Range> rows;  // by dim
    Range columns;
    std::int64_t padded = 0;  // columns, of whole vectors
    std::int64_t left, right, out, outer;
  };
  // Operands as tiles read them, for a block of terms.
  struct Operand {
    const T* at;
    std::vector<std::int64_t> row, term;  // strides by dim
    std::int64_t panel;                   // from one panel to the next
    std::int64_t outs;                    // from one out feature to the next
  };
  // Memory of a task, one vector's load longer than what is used.
  struct Room {
    HostPtr left, right, sums;
    std::vector<std::int64_t> a, c;
    std::vector<TermRun> runs;

    static T* of(HostPtr& buffer, std::int64_t n) {
      const std::size_t bytes = static_cast<std::size_t>(n + 64) * sizeof(T);
      if (!buffer.get() || buffer->bytes() < bytes) buffer = allocate_buffer(bytes);
      return static_cast<T*>(buffer->data());
    }
  };

  static constexpr std::int64_t kPieceElements = 4096;
  std::int64_t pieces_of_block() const { return blocks_of(block_elements_, kPieceElements); }

  Block block(std::int64_t number) const;
  std::vector<Range> terms(std::int64_t number) const;
  Operand left(const ConvArrays<T>& arrays, const Block& b, const std::vector<Range>& terms, Room& room) const;
  Operand right(const ConvArrays<T>& arrays, const Block& b, const std::vector<Range>& terms, Room& room) const;
  bool is_direct(const Block& b) const;
  void sum(const Block& b, const std::vector<Range>& terms, Operand left, Operand right, T* to, bool adds,
           Room& room) const;
  void sum_dots(const Block& b, const Tile<T>& tile, const Room& room) const;
  void write(const Block& b, const T* sums, T* out) const;
  std::vector<std::int64_t> offsets(const Block& b, const std::vector<std::int64_t>& strides, int without) const;

  ConvSums s_;
  ConvBlocks b_;
  std::vector<int> order_;  // of dims where the left operand is copied, innermost first; then that of terms
  std::vector<int> row_order_;
  std::int64_t lanes_, panels_ = 1, panel_size_ = 0, block_elements_ = 0;
  std::vector<std::int64_t> panel_terms_;  // strides in a panel, by dim
};

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
