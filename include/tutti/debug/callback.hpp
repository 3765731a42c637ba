// Looking into programs while they run: debug::print and debug::callback, inside jit, grad, vmap, loops, branches and
// shard_map, and outside of them at once.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/debug/format_text.hpp"
#include "tutti/transform/callable.hpp"
#include "tutti/transform/host_call.hpp"

namespace tutti {
namespace debug {

struct CallbackOptions {
  bool ordered = false;  // calls keep the order of the program, also from one run to the next
};
struct PrintOptions {
  bool ordered = false;
  bool device = false;  // inside shard_map and pmap each line begins with the device whose values it has
};

}  // namespace debug

namespace detail {

/// A function of these arguments whose result nobody uses, and the user's line.
template <class... Args> struct DebugFunction {
  std::function<void(const CallSite&, const Args&...)> f;
  Loc loc;
  template <class F>
  requires takes_host<F, Args...> DebugFunction(F fn, Loc l = Loc::current()) : loc(l) {
    tutti::detail::refuse_empty(fn, "debug::callback", l);
    f = [fn = std::move(fn)](const CallSite& site, const Args&... args) mutable { call_host(fn, site, args...); };
  }
};

void print_call(const FormatText& format, std::vector<TextValue> values, const debug::PrintOptions& options);

}  // namespace detail

namespace debug {

/// Calls `f(args...)` with the values that the arguments have when the program comes by: trees of concrete arrays. It
/// is called on the thread that calls the program: in a loop at every step, in a branch when that is taken, under vmap
/// once per element (not for elements that a mapped condition leaves out), inside shard_map once per device, under grad
/// in the forward pass, once also where remat computes the function again. It stays where nobody needs anything of it,
/// and calls of one program keep their order. `f` may take a `const CallSite&` before the arguments: device, steps,
/// line.
///
///     jit([&](const Array& x) {
///       Array y = sin(x);
///       debug::callback([&](const Array& v) { history.push_back(v); }, y);
///       return y;
///     })(x);
///
/// An exception of `f` leaves the call of the program unchanged; the call ends there, arguments stay but for donated
/// ones. Nothing is recorded in `f`: operations on its arrays run at once. Outside of everything recorded `f` is called
/// at once. Source: jax.debug.callback.
template <class... Args>
void callback(std::type_identity_t<tutti::detail::DebugFunction<Args...>> f, CallbackOptions options,
              const Args&... args) {
  auto on = tutti::detail::on_leaves(std::move(f.f), args...);
  tutti::detail::host_call({"debug::callback", tutti::detail::HostKind::tell, f.loc, options.ordered},
                           [on](const std::vector<Array>& xs, const CallSite& site) mutable {
                             on(xs, site);
                             return std::vector<Array>();
                           },
                           tree::leaves(std::tuple<Args...>(args...)), {});
}
template <class... Args>
void callback(std::type_identity_t<tutti::detail::DebugFunction<Args...>> f, const Args&... args) {
  callback<Args...>(std::move(f), CallbackOptions{}, args...);
}

/// Prints a line to std::cout: `{}` is the next value, `{0}` one by place, `{name}` that of `named("name", x)`,
/// `{:.3f}` has a format for a number or an array without dims, `{{` is a brace. Values are arrays, trees, numbers and
/// text. When and how often: see `callback`.
///
///     debug::print("loss {:.3f} at {}", loss, i);
///     debug::print("x = {}", {.device = true}, x);        // CpuDevice(id=3): x = [6. 7.]
///
/// Throws ValueError, when it is recorded, where fields and values do not agree. Source: jax.debug.print.
template <class... Args>
void print(const tutti::detail::FormatText& format, PrintOptions options, const Args&... args) {
  tutti::detail::print_call(format, {tutti::detail::text_value(args)...}, options);
}
template <class... Args> void print(const tutti::detail::FormatText& format, const Args&... args) {
  tutti::detail::print_call(format, {tutti::detail::text_value(args)...}, {});
}

}  // namespace debug
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
