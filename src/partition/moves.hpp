// Moves between layouts, and masks, as operations on a device's block: recorded into the local program.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/across.hpp"
#include "ir/collective.hpp"
#include "ir/op.hpp"
#include "partition/homes.hpp"
#include "partition/planner.hpp"
#include "tutti/array/array.hpp"

namespace tutti {

/// Records operations of the local program. `on_collective` sees each collective with its operand's local type.
class Emitter {
 public:
  explicit Emitter(Mesh mesh) : mesh_(std::move(mesh)) {}
  std::function<void(const Move&, const Op&, const Params&, const Type& operand)> on_collective;

  /// `x`, the block of a value of shape `global` under `before`, as the block under move.after.
  Array apply(const Move& move, const Layout& before, const Array& x, const Shape& global);
  /// The same where dims may have homes (partition/homes.hpp).
  Array apply(const Move& move, const Layout& before, const Array& x, const Shape& global, const Homes& homes);
  /// `x` with `fill` in the places of dim `d` that lie beyond the end of the array; `x` itself where there are none.
  Array mask_padding(const Array& x, const Layout& layout, const Shape& global, int d, const Scalar& fill);
  /// The devices along axes that cut dim `dim`.
  Line line(const AxisRefs& axes, int dim, std::int64_t extent);
  /// int32 scalar: the device's coordinate on a mesh axis, or a part of one.
  Array coordinate(const AxisRef& axis);
  /// int32 scalar: where this device's block of dim `d` starts.
  Array block_start(const Layout& layout, const Shape& global, int d);

 private:
  Group group_of(const AxisRefs& axes) const;
  Array collective(const Move& move, const Op& op, Params params, const Array& x);
  Array scattered(const Move& move, Reduce kind, const Array& x, int d);
  Array slice(const Move& move, const Array& x, const Shape& block);
  Array mask(const Move& move, const Array& x);
  Array embed(const Move& move, const Array& x);
  Array exchange_two(const Move& move, const Array& x);
  Array apply_in_parts(Move move, const Layout& before, const Array& x, const Shape& global, const Homes& homes);
  Array exchange_parts(Move move, const Layout& before, const Array& x, const Shape& global, const Homes& homes);
  Array permute(Move move, const Layout& before, const Array& x);
  // The devices that hold each block, by the block's number along every dim.
  std::map<std::vector<std::int64_t>, std::vector<int>> owners(const Layout& layout) const;

  Mesh mesh_;
  std::map<AxisRef, Array> coordinates_;
  const Move* meant_ = nullptr;  // while it is made of others
};

/// Whether some device's block of dim `d` is smaller than the others.
bool is_uneven(const Layout& layout, const Shape& global, int d);
/// Zero, or the identity of max or min, of a dtype.
Scalar identity_of(Reduce kind, DType dtype);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
