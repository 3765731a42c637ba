// Basis of calls of the user's functions from inside of programs: functions of arrays, types forgotten.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/mesh/mesh.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {

/// From where a function is called. A function that takes a `const CallSite&` before its arguments is given one.
struct CallSite {
  std::optional<Device> device;     // inside shard_map and pmap: whose values these are
  std::vector<std::int64_t> steps;  // of the loops around, from the outside in, counted from 0
  Loc loc;                          // of the call in the program
};

/// What vmap makes of a call of a function whose results are used.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // of GCC 12: by enumerators, which are in a scope of their own
enum class VmapMethod {
  none,           // an error
  sequential,     // one call per element
  expand_dims,    // one call: arguments have the batch in front, those that are not mapped a dim of extent 1
  broadcast_all,  // one call: all arguments have the batch in front
};
#pragma GCC diagnostic pop
constexpr Choices choices_of(VmapMethod) {
  return {"callback", "vmap_method", "none sequential|sequential_unrolled expand_dims broadcast_all"};
}

namespace detail {

using HostFn = std::function<std::vector<Array>(const std::vector<Array>&, const CallSite&)>;

/// Kind of call: one that reports (no results, once each time execution reaches it), one that gives results
/// as well, one whose results depend on its arguments alone.
enum class HostKind { tell, ask, pure };
struct HostCall {
  const char* what;  // for errors
  HostKind kind;
  Loc loc;
  bool ordered = false;
  VmapMethod map = VmapMethod::sequential;
};
/// Calls `f` on these arrays, at once or, where something is recorded, when the program runs. `like` says the types of
/// the results: TypeError or ShapeError where the function gives others.
std::vector<Array> host_call(const HostCall& call, HostFn f, const std::vector<Array>& operands,
                             const std::vector<Array>& like);

template <class F, class... Args>
inline constexpr bool takes_site = std::is_invocable_v<F&, const CallSite&, const Args&...>;
template <class F, class... Args>
inline constexpr bool takes_host = std::is_invocable_v<F&, const Args&...> || takes_site<F, Args...>;

template <class F, class... Args> decltype(auto) call_host(F& f, const CallSite& site, const Args&... args) {
  if constexpr (takes_site<F, Args...>)
    return f(site, args...);
  else
    return f(args...);
}
template <class F, class... Args>
using host_result_t = std::decay_t<decltype(call_host(std::declval<F&>(), std::declval<const CallSite&>(),
                                                      std::declval<const Args&>()...))>;

/// `f` on arguments like these, with other arrays.
template <class F, class... Args> auto on_leaves(F f, const Args&... args) {
  return [f = std::move(f), given = tree::structure(std::tuple<Args...>(args...))](const std::vector<Array>& leaves,
                                                                                   const CallSite& site) mutable {
    return std::apply([&](const auto&... a) -> decltype(auto) { return call_host(f, site, a...); },
                      tree::unflatten(given, std::span<const Array>(leaves)));
  };
}

}  // namespace detail
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
