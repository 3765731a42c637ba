// Operations along a dim that is cut: what each device does with its block, and what it sends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ir/op.hpp"

namespace tutti {

/// Devices that hold equal blocks of one dim, one behind the other, as an op sees them that needs its neighbours'
/// elements.
struct Line {
  int dim = 0;
  std::int64_t blocks = 1, extent = 0;  // extent: of the whole dim; where blocks are longer, padding ends the last
  std::function<Array(const Array&, std::int64_t by)> shifted;   // what the device `by` places before has, all round
  std::function<Array(const Array&, std::int64_t by)> mirrored;  // what the one at place by - position has, all round
  std::function<Array(const Array&)> gathered;                   // of all devices, with a dim for them in front
  std::function<Array(const Array&)> summed;                     // over all devices
  std::function<Array()> position;                               // int32[]: the device's place, from 0
};
/// A dim of operand 0 that is cut, before anything runs.
struct LineExtent {
  int dim = 0;
  std::int64_t blocks = 1, extent = 0;  // as of Line
};

/// Types of what blocks are part of.
struct WholeTypes {
  std::vector<Type> operands, results;
};

/// How an op is computed on blocks of any number of dims at once: locally, and by messages of its own. The call has
/// parameters and types of the blocks. Results and operands are cut along all dims that have the factor of such a dim,
/// whatever their extents; the last blocks may end in padding, which may be anything.
struct AcrossDims {
  std::function<std::vector<Array>(const Call&, const WholeTypes&, const std::vector<Array>& blocks,
                                   const std::vector<Line>&)>
      run;
  // Bytes by each device, dim by dim; nothing where it cannot be done.
  std::function<std::optional<std::vector<double>>(const Call&, const WholeTypes&, const std::vector<LineExtent>&)>
      received;
};

/// How an op is computed on blocks of a dim that its factors call replicated, all the same: locally, and by messages of
/// its own. The call has the parameters of the whole and the types of the blocks. A result is cut as operand 0 is where
/// it is as long; else every device makes all of it.
struct Across {
  std::function<std::vector<Array>(const Call&, const std::vector<Array>& blocks, const Line&)> run;
  // Bytes by each device along dim `dim` of operand 0; nothing where it cannot be done.
  std::function<std::optional<double>(const Call&, int dim, std::int64_t blocks)> received;
  // Whether along `dim` the result's elements are the first of operand 0: where its blocks are as long, they are there.
  std::function<bool(const Call&, int dim)> first = {};
  // Whether the last blocks may end in padding, which may be anything. Results may have it there, too.
  bool padded = false;
  // Beside `run` and `received`, or instead.
  std::optional<AcrossDims> dims = {};
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
