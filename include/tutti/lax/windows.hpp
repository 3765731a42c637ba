// Convolutions and reductions over windows. Sources: jax.lax.conv_general_dilated, jax.lax.conv_transpose,
// jax.lax.reduce_window.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::lax {

/// Padding of the spatial dims: "VALID" (nothing), "SAME" (as many windows as there are elements over the
/// stride; where the two sides differ the end gets more), "SAME_LOWER" (the start gets more), a number for all sides,
/// or (before, after) per dim; negative numbers cut off.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Padding {
 public:
  Padding(const char* name = "VALID") : name_(name) {}
  Padding(std::string name) : name_(std::move(name)) {}
  template <Integer T> Padding(T all) : all_(static_cast<std::int64_t>(all)) {}
  Padding(std::initializer_list<std::pair<std::int64_t, std::int64_t>> pairs) : pairs_(pairs) {}
  Padding(std::vector<std::pair<std::int64_t, std::int64_t>> pairs) : pairs_(std::move(pairs)) {}
  /// (before, after) per dim, for windows of extents `window` over `shape`. Throws ValueError for another name,
  /// ShapeError for another number of pairs.
  std::vector<std::pair<std::int64_t, std::int64_t>> resolve(const std::string& op, const Dims& shape,
                                                             const Dims& window, const Dims& strides) const;
  /// The name; empty for numbers.
  const std::string& name() const { return name_; }
  std::size_t hash() const;
  friend bool operator==(const Padding&, const Padding&) = default;

 private:
  std::string name_;
  std::optional<std::int64_t> all_;
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs_;
};

/// Meaning of the dims, one letter each: N batch, C feature and other letters spatial in inputs and results; O, I and
/// the same letters in kernels. Empty: batch, feature, spatial and out feature, in feature, spatial ("NCHW", "OIHW",
/// "NCHW").
struct ConvDims {
  std::string lhs{}, rhs{}, out{};
};
/// Empty lists are ones. `lhs_dilation` - 1 zeros lie between the elements of the input, `rhs_dilation` - 1 between
/// those of the kernel.
struct ConvOptions {
  Dims window_strides{};
  Padding padding = "VALID";
  Dims lhs_dilation{}, rhs_dilation{};
  ConvDims dimension_numbers{};
  std::int64_t feature_group_count = 1, batch_group_count = 1;
  std::optional<DType> preferred_element_type{};  // of the result, in which sums are kept; unless given that of lhs
};
/// The products of a kernel with every window of `lhs`, summed over window and input features. lhs: batch, feature and
/// spatial dims; rhs: out feature, in feature (over `feature_group_count`) and spatial dims. A kernel is not reversed.
/// Throws ShapeError when extents do not fit.
///
///     Array y = lax::conv_general_dilated(images, kernel, {.window_strides = {2, 2}, .padding = "SAME"});      //
///     NCHW, OIHW
Array conv_general_dilated(const In& lhs, const In& rhs, const ConvOptions& options = {});

struct ConvTransposeOptions {
  Dims strides{};
  Padding padding = "SAME";
  Dims rhs_dilation{};
  ConvDims dimension_numbers{};
  bool transpose_kernel = false;  // the kernel of the convolution whose gradient this is: reversed, I and O exchanged
  std::optional<DType> preferred_element_type{};
  bool use_consistent_padding = false;  // numbers are the padding of the convolution whose gradient this is
};
/// A convolution with a fractional stride: `strides` times as many elements. "SAME" and "VALID" give the extents that
/// the convolution with these strides would have as input.
Array conv_transpose(const In& lhs, const In& rhs, const ConvTransposeOptions& options = {});

struct PatchOptions {
  Padding padding = "VALID";
  Dims lhs_dilation{}, rhs_dilation{};
  ConvDims dimension_numbers{};
  std::optional<DType> preferred_element_type{};
};
/// Elements of every window of extents `filter_shape`, as features of the result: input features times elements of the
/// window, the latter varying faster. They are read, not multiplied by ones and zeros: what is not finite stays in its
/// features. Source: jax.lax.conv_general_dilated_patches.
Array conv_general_dilated_patches(const In& lhs, const Dims& filter_shape, const Dims& window_strides,
                                   const PatchOptions& options = {});
/// A convolution with a kernel of its own for every window: rhs has an out feature dim, one of input features times
/// elements of the window, and the spatial dims of the result. Source: jax.lax.conv_general_dilated_local.
Array conv_general_dilated_local(const In& lhs, const In& rhs, const Dims& window_strides, const Padding& padding,
                                 const Dims& filter_shape, const PatchOptions& options = {});

enum class WindowReduction { sum, max, min };
constexpr Choices choices_of(WindowReduction) { return {"reduce_window", "reduction", "sum|add max min"}; }
struct WindowOptions {
  Dims window_dimensions{};  // one per dim of x
  Dims window_strides{};     // and so on; empty lists are ones
  Padding padding = "VALID";
  Dims base_dilation{}, window_dilation{};
};
/// Sum, maximum or minimum over every window. What padding adds counts as 0, the least or the greatest number. At a tie
/// the first element of a window gets the gradient. Throws ShapeError.
Array reduce_window(const In& x, OneOf<WindowReduction> reduction, const WindowOptions& options);

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
