// What gather and scatter share: where each element of the windows lies in the operand.
#pragma once

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

/// Factors between operand 0, the indices (operand 1) and the windows (`result`): batch dims of the indices, and window
/// dims taken whole.
void window_factors(FactorBuilder& b, const Call& call, const lax::GatherDims& dims, const Shape& sizes,
                    Factors::Dims& result);

}  // namespace tutti::ops
