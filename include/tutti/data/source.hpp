// Sources of examples: arrays in memory, windows of a text, files of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::data {

namespace detail {

/// Shape and dtype of one array of a row.
struct Column {
  DType dtype;
  Shape shape;  // of one row
};

/// Rows that several threads may read at once.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual std::int64_t size() const = 0;
  virtual const std::vector<Column>& columns() const = 0;
  /// Writes those rows of one column to `out`, one after the other.
  virtual void read(std::size_t column, std::span<const std::int64_t> rows, std::byte* out) const = 0;
};
using RowsPtr = std::shared_ptr<const Rows>;

RowsPtr rows_of(std::span<const Array> leaves, Loc loc);
RowsPtr both(RowsPtr first, RowsPtr second, Loc loc);

}  // namespace detail

/// Examples, numbered from 0. A batch of them is a T.
template <Tree T> struct Source {
  T like;  // any T with as many arrays
  detail::RowsPtr rows;
  std::int64_t size() const { return rows->size(); }
};

/// The rows of a tree of arrays, whose memory is kept. Throws ShapeError when they have not equally many.
template <Tree T> Source<T> rows(const T& arrays, Loc loc = Loc::current()) {
  return {arrays, detail::rows_of(tree::leaves(arrays), loc)};
}

/// The bytes of a file as dtype[size / bytes of one], little endian, mapped into memory: pages are read when they are
/// looked at, and nothing is copied. Truncating the file while it is mapped raises SIGBUS; sources of
/// such an array, and npy_shards, look at the file's size before they read a batch, and throw FileError.
///
///     Array text = data::map_file("corpus.txt");                // uint8
///     Array tokens = data::map_file("train.bin", uint16);
///
/// Throws ValueError when it cannot be read or ends within an element, TypeError for bools, keys, and 64-bit elements
/// without enable_x64(true).
Array map_file(const std::string& path, DType dtype = uint8, Loc loc = Loc::current());

/// Targets of a window: the token after each of its tokens, or the one after the last.
enum class Targets { every, last };
constexpr Choices choices_of(Targets) { return {"windows", "targets", "every last"}; }
struct WindowOptions {
  std::int64_t stride = 1;  // from the begin of one window to that of the next
  OneOf<Targets> targets = Targets::every;
};
/// Windows of `context` tokens (a one-dimensional array: map_file(path), or any other) and the tokens that follow, as
/// batches [n, context] and [n, context] or [n]. A text of no more than `context` tokens has none.
/// Throws ShapeError for tokens of other dims, ValueError for a context or stride below 1.
Source<std::pair<Array, Array>> windows(const Array& tokens, std::int64_t context, WindowOptions options = {},
                                        Loc loc = Loc::current());

/// The rows of .npy files, one file after the other, mapped into memory. All have one dtype, and one shape but for the
/// first dim. Without enable_x64(true), 64-bit numbers become 32-bit ones as batches are made, as in array().
/// Throws ValueError, which names the file, when one cannot be read, is damaged, or is unlike the first; TypeError for
/// elements that no dtype is like, those of other byte orders, and for Fortran's order.
Source<Array> npy_shards(const std::vector<std::string>& paths, Loc loc = Loc::current());

/// Rows of two sources, side by side. ShapeError when they have not equally many.
template <Tree A, Tree B>
Source<std::pair<A, B>> zip(const Source<A>& a, const Source<B>& b, Loc loc = Loc::current()) {
  return {std::pair{a.like, b.like}, detail::both(a.rows, b.rows, loc)};
}

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
