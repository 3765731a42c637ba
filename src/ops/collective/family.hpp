// What the homes of the collectives share: their frame and checks, moves of data among the devices of a group, and
// steps of batching.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/collective/collective.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {

// --- the frame

/// The group in parameters that are one or have one.
template <class P> auto& group_of(P& params) {
  if constexpr (std::is_same_v<std::remove_const_t<P>, Group>)
    return params;
  else
    return params.group;
}

Op collective_frame(std::string name, Collective says);
/// An op whose parameters are a P, which is a Group or has one: `says` without `group` and `over`.
template <class P> Op collective_op(std::string name, Collective says) {
  says.group = [](const Params& params) -> const Group& { return group_of(params.get<P>()); };
  says.over = [](const Params& params, Group group) -> Params {
    P out = params.get<P>();
    group_of(out) = std::move(group);
    return out;
  };
  return collective_frame(std::move(name), std::move(says));
}
/// Linear in its operand, with this transpose.
void set_linear(Op& op, std::function<Array(const Call&, const Array& cotangent)> transpose);

void check_dim(const Call& c, int dim, int ndim, const char* what);
/// The dim that is dealt out to the devices must have a block for each.
void check_blocks(const Call& c, const Group& group, int dim, bool tiled);

// --- among the devices of a group

/// One round in which a device sends a part to each, itself included, and gets one from each.
template <class PartFor, class PlaceOf> Round to_each(std::int64_t n, PartFor part_for, PlaceOf place_of) {
  Round out;
  for (std::int64_t k = 0; k < n; ++k) {
    out.send.push_back({k, part_for(k)});
    out.receive.push_back({k, place_of(k)});
  }
  return out;
}
/// The k-th of the n blocks [rows, ...] that `type`, seen as [rows, n, ...], is dealt out in; and all of it.
Runs block_of(const Type& type, std::int64_t rows, std::int64_t n, std::int64_t k);
Runs all_of(const Type& type);
/// What a device receives of an operand that is dealt out in a block for each.
Received received_in_blocks(double bytes, double n);
/// The product of the extents in front of dim `dim`.
std::int64_t rows_before(const Shape& shape, int dim);
/// The type of the only result.
Type result_type(const Call& c);

/// Element by element what `combine` makes of the blocks, in the order of the devices.
template <unsigned mask, class Combine> decltype(Collective::combine) combined_by(Combine combine) {
  return [combine](DType dtype, std::span<const char* const> blocks, std::int64_t n, char* out) {
    with_storage<mask>(dtype, [&]<class T>() {
      using C = typename Element<T>::Compute;
      constexpr std::int64_t tile = 1024;  // of sums, which stay in the cache while one block after the other is read
      C sums[tile];
      for (std::int64_t from = 0; from < n; from += tile) {
        const std::int64_t count = std::min(tile, n - from);
        auto block = [&](std::size_t d) { return reinterpret_cast<const T*>(blocks[d]) + from; };
        for (std::int64_t i = 0; i < count; ++i) sums[i] = Element<T>::load(block(0)[i]);
        for (std::size_t d = 1; d < blocks.size(); ++d) {
          const T* x = block(d);
          for (std::int64_t i = 0; i < count; ++i)
            sums[i] = static_cast<C>(combine(lane::Host<C>{sums[i]}, lane::Host<C>{Element<T>::load(x[i])}).v);
        }
        T* y = reinterpret_cast<T*>(out) + from;
        for (std::int64_t i = 0; i < count; ++i) y[i] = Element<T>::store(sums[i]);
      }
    });
  };
}

// --- batching: a collective over the axis that is being batched reads the whole batch (psum is a sum, all_gather a
// transpose, ppermute an index map). One over several axes is taken apart into steps of one axis each; the steps over
// other axes stay collectives.

/// A value on its way through the steps.
struct Lanes {
  Array x;
  bool mapped;  // the lanes are its leading dim
};
inline Batched result(const Lanes& v) { return {{v.x}, {v.mapped}}; }

struct Steps {
  const Group& group;
  const BatchAxis& batch;
  int count() const { return static_cast<int>(group.axes.size()); }
  bool mine(int i) const { return !batch.name.empty() && group.axes[i] == batch.name; }
  bool any() const;
  Group one(int i) const { return {{group.axes[i]}, {group.sizes[i]}}; }
  /// The group without the axis of the batch.
  Group others() const;
};

Array move_dim(const Array& x, int from, int to);
/// Dim `dim` taken apart into `sizes` and what is left of it (the last one, dropped when `whole`).
Array split_dim(const Array& x, int dim, const std::vector<std::int64_t>& sizes, bool whole);
/// `count` dims from `dim` on made one.
Array merge_dims(const Array& x, int dim, int count);

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
