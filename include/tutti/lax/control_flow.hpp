// Loops and branches over arrays. A body or a branch is recorded once and is one operation of the program, inside jit
// and outside: programs do not grow with the number of steps. What a body captures it may read; the values of its
// arguments are not known while it is recorded.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/lax/associative_scan.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/callable.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {
namespace lax {

/// How many steps of a loop may be made as one: so many, all (0 or true), or no more than one (false). A hint, which
/// the engine does not take yet.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Unroll {
 public:
  template <Integer T> Unroll(T steps) : steps_(static_cast<std::int64_t>(steps)) {}
  Unroll(bool all) : steps_(all ? 0 : 1) {}
  /// As a number of steps, of a loop that makes so many. ValueError when it is negative.
  int of(std::int64_t length, const char* what, Loc loc) const;
  bool is_one() const { return steps_ == 1; }

 private:
  std::int64_t steps_;
};

struct ScanOptions {
  std::int64_t length = -1;  // of a scan without xs
  bool reverse = false;
  Unroll unroll = 1;
  /// In reverse mode what the steps compute is kept only at every so many steps, and computed again between them; -1:
  /// about the square root of their number. 0: everything is kept.
  std::int64_t checkpoint_every = 0;
};
struct WhileOptions {
  /// The loop ends after so many steps, whatever the condition says; reverse mode needs to know. It keeps the carries
  /// of about the square root of their number, and computes the steps again. -1: no end, and no reverse mode.
  std::int64_t max_steps = -1;
};
struct ForiOptions {
  Unroll unroll = 1;  // ValueError where the bounds are not known while recording
};
struct MapOptions {
  std::int64_t batch_size = 0;  // so many elements at a time, by vmap
};
}  // namespace lax

namespace detail {

/// What a step or a branch returned: arrays of the next carry, arrays of the rest; and how the tree of the carry
/// differs from the one that came, if it does.
struct StepResult {
  std::vector<Array> carry, rest;
  std::string difference;
};
/// A carry as it begins, and where in it its arrays lie.
struct FirstCarry {
  std::vector<Array> leaves;
  std::function<std::vector<tree::Path>()> paths;
};
using Arrays = std::vector<Array>;

/// The last carry, and what the steps made of the rest, stacked.
std::pair<Arrays, Arrays> scan_call(const FirstCarry& init, const Arrays& xs,
                                    const std::function<StepResult(const Arrays& carry, const Arrays& x)>& step,
                                    const lax::ScanOptions& options, Loc loc);
Arrays while_call(const FirstCarry& init, const std::function<Array(const Arrays&)>& condition,
                  const std::function<StepResult(const Arrays&)>& step, const lax::WhileOptions& options, Loc loc);
Arrays fori_call(const Array& lower, const Array& upper, const FirstCarry& init,
                 const std::function<StepResult(const Array& i, const Arrays&)>& step, const lax::ForiOptions& options,
                 Loc loc);
Arrays map_in_batches(const Arrays& xs, const std::function<StepResult(const Arrays&)>& step,
                      const lax::MapOptions& options, Loc loc);

/// What a branch returned.
struct BranchResult {
  Arrays leaves;
  tree::Structure structure;
};
using Branch = std::function<BranchResult(const Arrays&)>;
/// TypeError unless all branches return one structure and the same types.
Arrays branch_call(const char* what, const Array& index, const Arrays& leaves, const std::vector<Branch>& branches,
                   Loc loc);
/// 1 and 0 for a condition that is known, -1 for one that is not. TypeError unless it is a scalar.
int known_condition(const Array& pred, Loc loc);
/// A condition as int32, 1 or 0: numbers hold when they are not 0.
Array as_index(const Array& pred);
std::int64_t known_index(const Array& index, std::int64_t count, Loc loc);  // clamped; -1 when it is not known

template <class T> using carry_t = std::conditional_t<std::is_arithmetic_v<T>, Array, T>;

template <class R> R no_value();  // after a failed static_assert: a type, so that there is no second error
template <class T>
concept Pair = requires {
  typename T::first_type;
  typename T::second_type;
};
/// What a body or a side returns; void when it cannot be called like that.
template <class F, class... A> struct result_of_call { using type = void; };
template <class F, class... A>
requires std::invocable<const F&, const A&...>
struct result_of_call<F, A...> {
  using type = std::remove_cvref_t<std::invoke_result_t<const F&, const A&...>>;
};
template <class F, class... A> using result_t = typename result_of_call<F, A...>::type;

/// Whether a side or branch is right, or the compiler has said why not.
template <class F, class... A> consteval bool reported_or_callable() {
  if constexpr (std::is_void_v<result_t<F, A...>>)
    return call_was_reported<F, A...>();
  else
    return true;
}
[[noreturn]] void throw_no_branches(Loc loc);
template <class Fn> void check_branches(std::span<const Fn> branches, Loc loc) {
  if (branches.empty()) throw_no_branches(loc);
  for (const Fn& fn : branches) refuse_empty(fn, "switch_", loc);
}

/// Whether a T can be made of what a body returned.
template <class T, class R> inline constexpr bool makes = std::is_constructible_v<T, R>;
template <class T> inline constexpr bool makes<T, void> = false;

template <class T> T with_leaves(const T& like, const Arrays& leaves) {
  return tree::rebuild(like, std::span<const Array>(leaves));
}
template <class Carry> FirstCarry first_carry(const Carry& carry) {
  return {tree::leaves(carry), [&carry] {
            std::vector<tree::Path> out;
            for (auto& [path, leaf] : tree::leaves_with_path(carry)) out.push_back(path);
            return out;
          }};
}
template <class Carry> StepResult step_result(const Carry& before, const Carry& after) {
  return {tree::leaves(after), {}, tree::difference(tree::structure(before), tree::structure(after))};
}

/// lax::scan. R: what the body returns.
template <class Carry, class R, class F, class C, class X>
auto scan_of(const F& fn, const C& init, const X& xs, const lax::ScanOptions& options, Loc loc) {
  using Y = std::remove_cvref_t<typename R::second_type>;
  const Carry first{init};
  std::optional<Y> pattern;
  auto step = [&](const Arrays& carry, const Arrays& x) {
    R r = fn(with_leaves(first, carry), with_leaves(xs, x));
    StepResult out = step_result(first, Carry(r.first));
    pattern = r.second;
    out.rest = tree::leaves(*pattern);
    return out;
  };
  auto [carry, ys] = scan_call(first_carry(first), tree::leaves(xs), step, options, loc);
  return std::pair<Carry, Y>{with_leaves(first, carry), with_leaves(*pattern, ys)};
}

/// One of several functions of the same arguments, each with a result that converts to R.
template <class R, class F, class... A>
Branch branch_of(const F& fn, const std::tuple<A...>& given, std::optional<R>& pattern) {
  return [&](const Arrays& leaves) {
    const R result = std::apply(fn, with_leaves(given, leaves));
    if (!pattern) pattern = result;
    return BranchResult{tree::leaves(result), tree::structure(result)};
  };
}

}  // namespace detail

namespace lax {

/// `fn(carry, x) -> pair(carry, y)` over the leading dim of xs, one element after the other: pair(last carry, all y
/// stacked along a new leading dim). Source: jax.lax.scan.
///
///     auto [total, sums] = lax::scan([](const Array& c, const Array& x) { return std::pair{c + x, c + x}; }, 0., xs);
///
/// Throws ShapeError when leading dims differ, TypeError when the carry changes its type.
template <class F, class C, Tree X>
auto scan(const F& fn, const C& init, const X& xs, ScanOptions options = {}, Loc loc = Loc::current()) {
  detail::refuse_empty(fn, "scan", loc);
  using Carry = detail::carry_t<C>;
  using R = detail::result_t<F, Carry, X>;
  if constexpr (std::is_void_v<R>)
    static_assert(detail::call_was_reported<F, Carry, X>(), "tutti: scan: the body cannot be called as fn(carry, x)");
  static_assert(std::is_void_v<R> || detail::Pair<R>, "tutti: scan: the body must return std::pair{carry, y}");
  if constexpr (detail::Pair<R>) {
    static_assert(std::convertible_to<typename R::first_type, Carry>,
                  "tutti: scan: the body must return a carry of the type that it takes");
    if constexpr (std::convertible_to<typename R::first_type, Carry>)
      return detail::scan_of<Carry, R>(fn, init, xs, options, loc);
    else
      return detail::no_value<std::pair<Carry, typename R::second_type>>();
  } else {
    return detail::no_value<std::pair<Carry, Array>>();
  }
}
/// Without xs: `fn(carry, none)`, options.length times.
template <class F, class C>
auto scan(const F& fn, const C& init, none_t, ScanOptions options, Loc loc = Loc::current()) {
  detail::refuse_empty(fn, "scan", loc);
  auto body = [&](const auto& carry, const std::vector<Array>&) { return fn(carry, none); };
  return scan(body, init, std::vector<Array>(), options, loc);
}

/// `body(i, carry) -> carry` for i from lower to upper - 1. Bounds that are not known while recording make it a
/// while_loop, without reverse mode. Bounds are integers, or floats, which are cut to integers where they are known.
/// Source: jax.lax.fori_loop.
template <class F, class C>
auto fori_loop(const Operand& lower, const Operand& upper, const F& body, const C& init, ForiOptions options = {},
               Loc loc = Loc::current()) {
  using Carry = detail::carry_t<C>;
  using R = detail::result_t<F, Array, Carry>;
  if constexpr (detail::makes<Carry, R>) {
    detail::refuse_empty(body, "fori_loop", loc);
    const Carry first{init};
    auto step = [&](const Array& i, const detail::Arrays& carry) {
      return detail::step_result(first, Carry(body(i, detail::with_leaves(first, carry))));
    };
    return detail::with_leaves(
        first, detail::fori_call(lower.array, upper.array, detail::first_carry(first), step, options, loc));
  } else {
    static_assert(!std::is_void_v<R> || detail::reported_or_callable<F, Array, Carry>(),
                  "tutti: fori_loop: the body cannot be called as body(i, carry), or returns nothing");
    static_assert(std::is_void_v<R>, "tutti: fori_loop: the body must return a carry of the type that it takes");
    return detail::no_value<Carry>();
  }
}

/// `body(carry)` while `cond(carry)` holds. Reverse mode needs options.max_steps. Source: jax.lax.while_loop.
template <class P, class F, class C>
auto while_loop(const P& cond, const F& body, const C& init, WhileOptions options = {}, Loc loc = Loc::current()) {
  using Carry = detail::carry_t<C>;
  using R = detail::result_t<F, Carry>;
  using Holds = detail::result_t<P, Carry>;
  if constexpr (detail::makes<Carry, R> && detail::makes<Array, Holds>) {
    detail::refuse_empty(cond, "while_loop", loc);
    detail::refuse_empty(body, "while_loop", loc);
    const Carry first{init};
    auto condition = [&](const detail::Arrays& carry) { return Array(cond(detail::with_leaves(first, carry))); };
    auto step = [&](const detail::Arrays& carry) {
      return detail::step_result(first, Carry(body(detail::with_leaves(first, carry))));
    };
    return detail::with_leaves(first, detail::while_call(detail::first_carry(first), condition, step, options, loc));
  } else {
    static_assert(detail::reported_or_callable<P, Carry>() && detail::reported_or_callable<F, Carry>(),
                  "tutti: while_loop: the condition or the body cannot be called with the carry, or returns nothing");
    static_assert(std::is_void_v<Holds> || detail::makes<Array, Holds>,
                  "tutti: while_loop: the condition must return a scalar");
    static_assert(std::is_void_v<R> || detail::makes<Carry, R>,
                  "tutti: while_loop: the body must return a carry of the type that it takes");
    return detail::no_value<Carry>();
  }
}

/// yes(args...) or no(args...), by a scalar condition; both must return arrays of the same types. A condition that is
/// known calls one of them. Source: jax.lax.cond.
template <class T, class F, class... A> auto cond(const Operand& pred, const T& yes, const F& no, const A&... args) {
  using R = detail::result_t<T, A...>;
  using S = detail::result_t<F, A...>;
  constexpr bool callable = !std::is_void_v<R> && !std::is_void_v<S>;
  if constexpr (!callable)
    static_assert(detail::reported_or_callable<T, A...>() && detail::reported_or_callable<F, A...>(),
                  "tutti: cond: a side cannot be called with these arguments, or returns nothing");
  static_assert(!callable || std::convertible_to<S, R>, "tutti: cond: both sides must return the same type");
  if constexpr (callable && std::convertible_to<S, R>) {
    detail::refuse_empty(yes, "cond", pred.loc);
    detail::refuse_empty(no, "cond", pred.loc);
    const int known = detail::known_condition(pred.array, pred.loc);
    if (known == 1) return R(yes(args...));
    if (known == 0) return R(no(args...));
    const std::tuple<std::decay_t<A>...> given(args...);
    std::optional<R> pattern;
    const detail::Arrays out = detail::branch_call(
        "cond", detail::as_index(pred.array), tree::leaves(given),
        {detail::branch_of<R>(no, given, pattern), detail::branch_of<R>(yes, given, pattern)}, pred.loc);
    return detail::with_leaves(*pattern, out);
  } else {
    return detail::no_value<std::conditional_t<std::is_void_v<R>, Array, R>>();
  }
}

/// Branch number `index` of a tuple of functions, called with args; an index out of range counts as the first or last.
/// Source: jax.lax.switch.
template <class... Fn, class... A>
auto switch_(const Operand& index, const std::tuple<Fn...>& branches, const A&... args) {
  using R = detail::result_t<std::tuple_element_t<0, std::tuple<Fn...>>, A...>;
  constexpr bool callable = (!std::is_void_v<detail::result_t<Fn, A...>> && ...);
  if constexpr (!callable)
    static_assert((detail::reported_or_callable<Fn, A...>() && ...),
                  "tutti: switch_: a branch cannot be called with these arguments, or returns nothing");
  constexpr bool alike = (std::convertible_to<detail::result_t<Fn, A...>, R> && ...);
  static_assert(!callable || alike, "tutti: switch_: all branches must return the same type");
  if constexpr (callable && alike) {
    std::apply([&](const Fn&... fn) { (detail::refuse_empty(fn, "switch_", index.loc), ...); }, branches);
    const std::int64_t known = detail::known_index(index.array, sizeof...(Fn), index.loc);
    std::optional<R> out;
    if (known >= 0) {
      std::int64_t at = 0;
      std::apply([&](const Fn&... fn) { ((at++ == known ? void(out = R(fn(args...))) : void()), ...); }, branches);
      return *out;
    }
    const std::tuple<std::decay_t<A>...> given(args...);
    auto all = std::apply(
        [&](const Fn&... fn) { return std::vector<detail::Branch>{detail::branch_of<R>(fn, given, out)...}; },
        branches);
    const detail::Arrays leaves = detail::branch_call("switch_", index.array, tree::leaves(given), all, index.loc);
    return detail::with_leaves(*out, leaves);
  } else {
    return detail::no_value<std::conditional_t<std::is_void_v<R>, Array, R>>();
  }
}

/// The same of functions of one type, as many as there are when it is called: a vector of std::function, of
/// tutti::Function or of one lambda's values. ValueError where there is none.
///
///     std::vector<std::function<Array(const Array&)>> experts = ...;
///     Array y = lax::switch_(which, experts, x);
template <class Fn, class... A> auto switch_(const Operand& index, std::span<const Fn> branches, const A&... args) {
  using R = detail::result_t<Fn, A...>;
  constexpr bool callable = !std::is_void_v<R>;
  if constexpr (!callable)
    static_assert(detail::reported_or_callable<Fn, A...>(),
                  "tutti: switch_: the branches cannot be called with these arguments, or return nothing");
  if constexpr (callable) {
    detail::check_branches(branches, index.loc);
    const std::int64_t known = detail::known_index(index.array, static_cast<std::int64_t>(branches.size()), index.loc);
    if (known >= 0) return R(branches[static_cast<std::size_t>(known)](args...));
    const std::tuple<std::decay_t<A>...> given(args...);
    std::optional<R> pattern;
    std::vector<detail::Branch> all;
    for (const Fn& fn : branches) all.push_back(detail::branch_of<R>(fn, given, pattern));
    const detail::Arrays leaves = detail::branch_call("switch_", index.array, tree::leaves(given), all, index.loc);
    return detail::with_leaves(*pattern, leaves);
  } else {
    return detail::no_value<Array>();
  }
}
template <class Fn, class Alloc, class... A>
auto switch_(const Operand& index, const std::vector<Fn, Alloc>& branches, const A&... args) {
  return switch_(index, std::span<const Fn>(branches), args...);
}
template <class Fn, std::size_t n, class... A>
auto switch_(const Operand& index, const std::array<Fn, n>& branches, const A&... args) {
  return switch_(index, std::span<const Fn>(branches), args...);
}

/// fn of each element along the leading dim, one after the other, or `batch_size` of them at a time. Source:
/// jax.lax.map.
template <class F, Tree X> auto map(const F& fn, const X& xs, MapOptions options = {}, Loc loc = Loc::current()) {
  using Y = detail::result_t<F, X>;
  if constexpr (std::is_void_v<Y>)
    static_assert(detail::call_was_reported<F, X>(),
                  "tutti: map: the function cannot be called with one element, or returns nothing");
  if constexpr (std::is_void_v<Y>) {
    return detail::no_value<Array>();
  } else {
    detail::refuse_empty(fn, "map", loc);
    std::optional<Y> pattern;
    auto step = [&](const detail::Arrays& x) {
      pattern = fn(detail::with_leaves(xs, x));
      return detail::StepResult{{}, tree::leaves(*pattern), {}};
    };
    const detail::Arrays ys = detail::map_in_batches(tree::leaves(xs), step, options, loc);
    return detail::with_leaves(*pattern, ys);
  }
}

}  // namespace lax
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
