// Reading and writing windows as loops: which run of a window lies where in the array, by numbers that only the starts
// are missing of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compile/plan.hpp"
#include "ir/op.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::cpu {

/// Run (i0, i1, ...) of the windows' array, `length` elements in one piece, is at
/// sum clamp(start_k, 0, last_k) * stride_k + sum i_d * array_d of the array, in elements.
struct WindowMoves {
  struct Dim {
    std::int64_t extent, windows, array, indices;  // steps in the windows' array, in the array and among the starts
  };
  struct Start {
    int operand;      // where it is read,
    std::int64_t at;  // at this element and the steps of the dims
    DType dtype;      // an integer
    std::int64_t last, stride;
  };
  enum class Kind { read, write, add };
  Kind kind = Kind::read;
  Type array;
  int windows_operand = -1;  // of what is written; -1: the result has the windows
  std::vector<Dim> dims;     // those of more than one run
  std::vector<Start> starts;
  std::int64_t length = 1;
  bool leaves_out = false;  // windows that are not inside: filled, or not written; else they are moved inside
  std::int64_t runs() const {
    std::int64_t n = 1;
    for (const Dim& d : dims) n *= d.extent;
    return n;
  }
};

/// Of a call that moves windows (Op::window) which are not empty. Nothing for other calls, and where a sum of windows
/// that meet has to be rounded once.
std::optional<WindowMoves> window_moves(const compile::CallEqn& call);

/// The element that stands in a gather's result for one out of range.
std::vector<char> fill_element(const compile::CallEqn& gather);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
