// shard_map: a function written for one device, run on all devices of a mesh, each with its own blocks.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/mesh/sharding.hpp"
#include "tutti/transform/callable.hpp"
#include "tutti/transform/prefix.hpp"
#include "tutti/transform/transforms.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {

struct ShardMapOptions {
  Mesh mesh{};
  TreeOf<PartitionSpec> in_specs{};   // how each argument is cut into blocks
  TreeOf<PartitionSpec> out_specs{};  // how the blocks of each result are put together
  bool check_vma = true;  // variance is typed: results are checked, gradients of what all devices share are summed
  Names axis_names{};     // the axes that the function may name; all axes of the mesh when left out
};

namespace detail {

std::vector<Array> shard_map_call(const CallArrays& args, const ShardMapOptions& options, const Body& body, Loc made);

template <class F> class ShardMapped : public CallWith<ShardMapped<F>, params_t<F>> {
 public:
  ShardMapped(F fn, ShardMapOptions options, Loc made) : fn_(std::move(fn)), options_(std::move(options)), made_(made) {
    refuse_empty(fn_, "shard_map", made);
  }
  template <class... A> auto call(const A&... args) const {
    if constexpr (check_trees<F, A...>()) {
      TreeCall<F, A...> call(fn_, args...);
      std::vector<Array> out = shard_map_call(call.arrays, options_, call.body(), made_);
      return call.with(out);
    }
  }

 private:
  F fn_;
  ShardMapOptions options_;
  Loc made_;
};

}  // namespace detail

/// `fn` on every device of a mesh. It sees blocks: an argument with spec P("x") arrives as the share of dim 0 that the
/// device has along axis x, one with P() whole. Its results are put together by out_specs; an axis that a spec does not
/// mention promises equal content along it. Inside, collectives (lax::psum and so on) name the mesh axes.
///
///     auto f = shard_map([](const Array& x) { return lax::psum(x.sum(), "x"); }, {.mesh = mesh, .in_specs = P("x"),
///     .out_specs = P()});
///
/// Works outside and inside jit, grad and vmap, and they inside it. Throws ShardingError when a dim does not divide, a
/// spec is longer than its array's rank or names an axis that is not there, or (check_vma) a result may differ along an
/// axis that its spec does not mention. With check_vma off that result is the content at coordinate 0. Source:
/// jax.shard_map.
template <class F> auto shard_map(F&& fn, ShardMapOptions options, Loc made = Loc::current()) {
  return detail::ShardMapped<std::decay_t<F>>(std::forward<F>(fn), std::move(options), made);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
