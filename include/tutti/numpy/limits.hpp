// Ranges of dtypes. Source: jax.numpy.finfo, iinfo, can_cast.
#pragma once

#include <cstdint>

#include "tutti/base/choice.hpp"
#include "tutti/base/dtype.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

/// The limits of a floating dtype; of a complex one those of its parts. TypeError for others.
///
///     finfo(float32).eps      // 2^-23
struct finfo {
  explicit finfo(DType dtype, Loc loc = Loc::current());
  DType dtype;
  int bits = 0;
  int nmant = 0, nexp = 0;     // bits of the fraction and of the exponent
  int minexp = 0, maxexp = 0;  // of the least normal number, and of the first power of 2 that is infinite
  int precision = 0;           // decimal digits that are sure
  double eps = 0, epsneg = 0;  // to the number after 1, and to the one before
  double max = 0, min = 0;     // finite
  double smallest_normal = 0, tiny = 0, smallest_subnormal = 0;
  double resolution = 0;  // 10^-precision
};

/// The limits of an integer dtype. TypeError for others.
struct iinfo {
  explicit iinfo(DType dtype, Loc loc = Loc::current());
  DType dtype;
  int bits = 0;
  std::int64_t min = 0;
  std::uint64_t max = 0;
};

/// Conversions that are meant: to the same dtype, without loss, to one of the same kind (float64 to float32, integer to
/// floating), or any.
enum class Casting { no, equiv, safe, same_kind, unsafe };
constexpr Choices choices_of(Casting) { return {"can_cast", "casting", "no equiv safe same_kind unsafe"}; }
/// True if a conversion is one of these.
bool can_cast(DType from, DType to, OneOf<Casting> casting = Casting::safe);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
