// What gather and scatter share: where each element of the windows lies in the operand.
#pragma once

#include <complex>
#include <concepts>
#include <map>
#include <type_traits>
#include <vector>

#include "base/half.hpp"
#include "ir/home.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {

struct Gather {  // operands: x, indices (last dim: the index vector)
  lax::GatherDims dims;
  Shape sizes;
  lax::GatherMode mode = lax::GatherMode::fill;
  bool zero_fill = false;  // fill with zeros instead of NaN and the like
  friend bool operator==(const Gather&, const Gather&) = default;
};
extern const Home gather;

/// The dims of a gather's result (a scatter's updates): `window[i]` runs over operand dim `operand[i]`, `batch[i]` over
/// dim i of the indices.
struct WindowDims {
  Dims window, operand, batch;
  WindowDims(const lax::GatherDims& dims, int operand_ndim, int result_ndim);
};

/// Positions in the row-major operand of the elements of all windows.
class Windows {
 public:
  Windows(const lax::GatherDims& dims, lax::GatherMode mode, const Shape& sizes, const Shape& from,
          const HostView& indices, int result_ndim);
  /// The position for an index into result (updates); -1 when the window is out of range and the mode is `fill`.
  std::int64_t at(const Dims& index) const;

 private:
  const lax::GatherDims& dims_;
  lax::GatherMode mode_;
  const Shape& sizes_;
  const Shape& from_;
  const HostView& indices_;
  WindowDims w_;
  Dims strides_, index_strides_;
};

/// Sums of runs of numbers that are added to places of an array, in double until each place is rounded once: many may
/// meet in one place.
template <class T> class PlaceSums {
 public:
  using Sum = std::conditional_t<is_complex_number<T>, std::complex<double>, double>;

  /// `runs` runs of `length` each to an array of `elements`. Where they touch little of it, it has no copy here.
  PlaceSums(std::int64_t elements, std::int64_t runs, std::int64_t length)
      : dense_(elements / 8 <= extent::mul(runs, length)), length_(length) {
    if (dense_) sums_.resize(static_cast<std::size_t>(elements));
  }
  void add(std::int64_t place, const T* run) {
    std::size_t at = static_cast<std::size_t>(place);
    if (!dense_) {
      at = first_.try_emplace(place, sums_.size()).first->second;
      if (at == sums_.size()) sums_.resize(at + static_cast<std::size_t>(length_));
    }
    for (std::int64_t i = 0; i < length_; ++i) sums_[at + static_cast<std::size_t>(i)] += static_cast<Sum>(run[i]);
  }
  void add_to(T* out) const {
    if (dense_) return write(out, 0, static_cast<std::int64_t>(sums_.size()));
    for (const auto& [place, at] : first_) write(out + place, at, length_);
  }

 private:
  void write(T* out, std::size_t at, std::int64_t n) const {
    for (std::int64_t i = 0; i < n; ++i) {
      const Sum& sum = sums_[at + static_cast<std::size_t>(i)];
      if (sum == Sum(0)) continue;  // nothing came, or nothing that counts: -0 stays
      const Sum all = static_cast<Sum>(out[i]) + sum;
      if constexpr (is_small_float<T>)
        out[i] = T(static_cast<float>(all));
      else
        out[i] = static_cast<T>(all);
    }
  }
  bool dense_;
  std::int64_t length_;
  std::vector<Sum> sums_;
  std::map<std::int64_t, std::size_t> first_;  // place to its sums; in order, as runs may overlap
};

/// Factors between operand 0, the indices (operand 1) and the windows (`result`): batch dims of the indices, and window
/// dims taken whole.
void window_factors(FactorBuilder& b, const Call& call, const lax::GatherDims& dims, const Shape& sizes,
                    Factors::Dims& result);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
