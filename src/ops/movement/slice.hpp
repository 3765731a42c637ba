#pragma once

#include <span>
#include <vector>

#include "ir/home.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {

struct SliceParams {
  lax::Dims start, limit, strides;  // one each per dim; strides positive
  friend bool operator==(const SliceParams&, const SliceParams&) = default;
};

extern const Home slice;

/// The program of a dynamic_slice with these operands, a box and a start for each dim, as a slice. Nothing while a
/// start is not known.
ProgramPtr slice_at(const std::vector<Type>& operands, const Shape& sizes, std::span<const Atom> starts);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
