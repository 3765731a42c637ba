// Functions of the user's inside of programs, whose results the program goes on with; and conditions that must hold.
#pragma once

#include <string>
#include <utility>

#include "tutti/debug/format_text.hpp"
#include "tutti/transform/eval_shape.hpp"
#include "tutti/transform/host_call.hpp"

namespace tutti {

struct PureCallbackOptions {
  OneOf<VmapMethod> vmap_method = VmapMethod::none;
};
struct IoCallbackOptions {
  bool ordered = false;  // calls keep the order of the program, also from one run to the next
};

namespace detail {

/// The result of a call: a tree of arrays, or of ShapeDtypeStructs that become arrays; and the user's line.
template <class R> struct ResultShapes {
  R like;
  Loc loc;
  template <class T>
  requires std::is_convertible_v<T, R> ResultShapes(T&& shapes, Loc l = Loc::current())
      : like(std::forward<T>(shapes)), loc(l) {}
};
template <> struct ResultShapes<void> {
  Loc loc;
  ResultShapes(none_t, Loc l = Loc::current()) : loc(l) {}
};

template <class R, class F, class... Args>
R give_host(HostCall call, F f, const ResultShapes<R>& shapes, const Args&... args) {
  call.loc = shapes.loc;
  const std::vector<Array> operands = tree::leaves(std::tuple<Args...>(args...));
  auto on = on_leaves(std::move(f), args...);
  if constexpr (std::is_void_v<R>) {
    host_call(call,
              [on](const std::vector<Array>& xs, const CallSite& site) mutable {
                on(xs, site);
                return std::vector<Array>();
              },
              operands, {});
  } else {
    const std::vector<Array> made = host_call(
        call,
        [on](const std::vector<Array>& xs, const CallSite& site) mutable { return tree::leaves(R(on(xs, site))); },
        operands, tree::leaves(shapes.like));
    return tree::rebuild(shapes.like, std::span<const Array>(made), shapes.loc);
  }
}

void watch(const Array& pred, const FormatText& message, std::vector<TextValue> values);

}  // namespace detail

/// The result of `f(args...)`, a function of concrete arrays on the host that has no effect besides: it may be called
/// any number of times, or not at all where nobody needs the result. `result_shapes` is the tree that it returns, with
/// a ShapeDtypeStruct (or an array of that type) for each array.
///
///     auto sorted = [](const Array& x) { return array(by_my_library(x.to_vector<float>())); };
///     Array y = pure_callback(sorted, ShapeDtypeStruct({4}), x);        // float32[4]
///     Array z = pure_callback(sorted, ShapeDtypeStruct({4}), {.vmap_method = VmapMethod::sequential}, x);
///
/// `f` is called on the thread that calls the program. What it throws comes out of that call as it is; ShapeError and
/// TypeError say where it returned something else than it said. It has no derivative (UnsupportedError): put
/// custom_jvp or custom_vjp around it. vmap is an UnsupportedError unless `vmap_method` says what it means. Inside
/// shard_map it may be called once for devices whose arguments are the same. Source: jax.pure_callback.
template <class F, class... Args>
requires detail::takes_host<F, Args...>
auto pure_callback(F f, std::type_identity_t<detail::ResultShapes<detail::host_result_t<F, Args...>>> result_shapes,
                   PureCallbackOptions options, const Args&... args) {
  detail::refuse_empty(f, "pure_callback", result_shapes.loc);
  return detail::give_host<detail::host_result_t<F, Args...>>(
      {"pure_callback", detail::HostKind::pure, {}, false, options.vmap_method}, std::move(f), result_shapes, args...);
}
template <class F, class... Args>
requires detail::takes_host<F, Args...>
auto pure_callback(F f, std::type_identity_t<detail::ResultShapes<detail::host_result_t<F, Args...>>> result_shapes,
                   const Args&... args) {
  return pure_callback(std::move(f), std::move(result_shapes), PureCallbackOptions{}, args...);
}

/// The same for a function that has effects: it is called once wherever the program comes by, also if nobody needs the
/// result, and is neither shared nor computed again; remat and loops that keep checkpoints refuse it where a derivative
/// is taken. In shard_map each device has its call, under vmap each element (ValueError where `ordered`). A function
/// that returns nothing has `none` for `result_shapes`. Source: jax.experimental.io_callback.
///
///     Array batch = io_callback([&] { return reader.next(); }, ShapeDtypeStruct({32, 784}), {.ordered = true});
template <class F, class... Args>
requires detail::takes_host<F, Args...>
auto io_callback(F f, std::type_identity_t<detail::ResultShapes<detail::host_result_t<F, Args...>>> result_shapes,
                 IoCallbackOptions options, const Args&... args) {
  detail::refuse_empty(f, "io_callback", result_shapes.loc);
  return detail::give_host<detail::host_result_t<F, Args...>>(
      {"io_callback", detail::HostKind::ask, {}, options.ordered, VmapMethod::sequential}, std::move(f), result_shapes,
      args...);
}
template <class F, class... Args>
requires detail::takes_host<F, Args...>
auto io_callback(F f, std::type_identity_t<detail::ResultShapes<detail::host_result_t<F, Args...>>> result_shapes,
                 const Args&... args) {
  return io_callback(std::move(f), std::move(result_shapes), IoCallbackOptions{}, args...);
}

/// `x`; and where `pred`, a bool of any shape, is true anywhere, CheckError comes out of the running call: with the
/// message, the steps of the loops around, inside shard_map the device, and the user's line. It is looked at whether or
/// not somebody needs the result, in loops at every step, in branches when they are taken, under vmap for each element,
/// once in the forward pass of a gradient.
///
///     x = error_if(x, x < 0, "negative: {}", x);
///
/// Fields are those of debug::print. Source: equinox.error_if.
template <Tree T, class... Args>
T error_if(const T& x, const Array& pred, const detail::FormatText& message, const Args&... args) {
  detail::watch(pred, message, {detail::text_value(args)...});
  return x;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
