// What the homes of the collectives share: their frame and checks, moves of data among the devices of a group, and
// steps of batching.
#pragma once

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

using Views = std::span<const HostView>;
using Block = std::vector<char>;    // dense elements
using Blocks = std::vector<Block>;  // one for (or from) each device of the group

/// `x`, seen as [rows, n, ...], cut into the n blocks [rows, ...]; and one of such blocks at its place in `x`.
Blocks deal(const HostView& x, std::int64_t rows, std::int64_t n);
void place(const Block& block, std::int64_t rows, std::int64_t n, std::int64_t at, const HostView& x);
/// What a device receives of an operand that is dealt out in a block for each.
Received received_in_blocks(double bytes, double n);
/// Every device sends a block to each: out[from][to] becomes in[to][from].
std::vector<Blocks> deliver(const std::vector<Blocks>& out, Messages& messages);
/// The product of the extents in front of dim `dim`.
std::int64_t rows_before(const Shape& shape, int dim);

/// Element by element what `combine` makes of the blocks, in the order of the devices, to `out`.
template <unsigned mask, class Combine>
void combine_blocks(DType dtype, const Blocks& blocks, void* out, Combine combine) {
  with_storage<mask>(dtype, [&]<class T>() {
    using C = typename Element<T>::Compute;
    auto at = [&](std::size_t d, std::size_t i) {
      return Element<T>::load(reinterpret_cast<const T*>(blocks[d].data())[i]);
    };
    for (std::size_t i = 0, n = blocks[0].size() / sizeof(T); i < n; ++i) {
      C sum = at(0, i);
      for (std::size_t d = 1; d < blocks.size(); ++d)
        sum = static_cast<C>(combine(lane::Host<C>{sum}, lane::Host<C>{at(d, i)}).v);
      static_cast<T*>(out)[i] = Element<T>::store(sum);
    }
  });
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
