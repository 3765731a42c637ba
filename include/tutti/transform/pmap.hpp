// pmap: a function mapped over a leading axis, one element per device.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/transform/jit.hpp"
#include "tutti/transform/prefix.hpp"
#include "tutti/transform/transforms.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {

struct PmapOptions {
  std::string axis_name{};  // what collectives in the function call the mapped axis
  TreeOf<int> in_axes = 0;  // `none`: the same on all devices
  TreeOf<int> out_axes = 0;
  std::vector<Device> devices{};  // the first ones when left out
  std::vector<int> donate_argnums{};
};

namespace detail {

std::vector<Array> pmap_call(const CallArrays& args, const PmapOptions& options, const Body& body, Loc made);

/// Marks an array that was just made: along dim 0 every device has an element of its own, and `x[i]` is that,
/// uncommitted, on its device.
void mark_rows(const Array& x);

// The mapped function; jit compiles it once per signature.
template <class F> class PmapBody {
 public:
  PmapBody(F fn, PmapOptions options, Loc made) : fn_(std::move(fn)), options_(std::move(options)), made_(made) {
    refuse_empty(fn_, "pmap", made);
  }
  template <class... A> auto operator()(const A&... args) const -> call_result_t<F, A...> {
    TreeCall<F, A...> call(fn_, args...);
    std::vector<Array> out = pmap_call(call.arrays, options_, call.body(), made_);
    return call.with(out);
  }

 private:
  F fn_;
  PmapOptions options_;
  Loc made_;
};

template <class F> class Pmapped : public CallWith<Pmapped<F>, params_t<F>> {
 public:
  Pmapped(F fn, PmapOptions options, Loc made)
      : jitted_(PmapBody<F>(std::move(fn), options, made), JitOptions{.donate_argnums = options.donate_argnums}, made,
                "pmap"),
        out_axes_(options.out_axes) {}
  template <class... A> auto call(const A&... args) const {
    if constexpr (check_trees<F, A...>()) {
      auto result = jitted_(args...);
      if (out_axes_.kind() == TreeOf<int>::Kind::value) {
        for (const Array* x : tree::detail::slots_of(tree::detail::ref(result)))
          if (out_axes_.at(-1, {}, *x) == 0) mark_rows(*x);
      } else {
        for (const auto& [path, x] : tree::leaves_with_path(result))
          if (out_axes_.at(-1, path, x) == 0) mark_rows(x);
      }
      return result;
    }
  }
  std::size_t cache_size() const { return jitted_.cache_size(); }

 private:
  Jitted<PmapBody<F>> jitted_;
  TreeOf<int> out_axes_;
};

}  // namespace detail

/// `fn` over axis 0 of its arguments, element i on device i; results are put together along a new axis 0, which lies
/// over the devices. Compiled once per signature.
///
///     auto update = pmap([](const Array& w, const Array& x) { return lax::pmean(grad(loss)(w, x), "i"); }, {.axis_name
///     = "i", .in_axes = {none, 0}});
///
/// The mapped axes must have one size: the number of `devices`, or at most the number of all devices. With `none` in
/// out_axes a result must be equal on all devices, and comes back once. Throws ShapeError and DeviceError otherwise.
/// Source: jax.pmap.
template <class F> auto pmap(F&& fn, PmapOptions options = {}, Loc made = Loc::current()) {
  return detail::Pmapped<std::decay_t<F>>(std::forward<F>(fn), std::move(options), made);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
