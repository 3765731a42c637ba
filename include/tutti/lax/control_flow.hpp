// Loops and branches over arrays. A loop is recorded step by step: a program of n steps has n copies of the body, so
// keep the number of steps small inside jit. A branch whose condition is not known while recording computes both sides
// and selects; derivatives of the side that is not taken do not count, whatever they are.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/callable.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {
namespace lax {

struct ScanOptions {
  std::int64_t length = -1;  // of a scan without xs
  bool reverse = false;
};

}  // namespace lax

namespace detail {
using lax::ScanOptions;

/// How many steps the leaves of `xs` make: their common leading extent. ShapeError when they disagree or one is a
/// scalar; `given` >= 0 must agree.
std::int64_t scan_length(const std::vector<Array>& xs, std::int64_t given, Loc loc);
Array scan_element(const Array& x, std::int64_t i, std::int64_t length);
/// Whether a body that got `before` may return `after`; a weak `before` is converted. TypeError names what differs.
bool settle_carry(std::vector<Array>& before, const std::vector<Array>& after, const char* what, Loc loc);
Array stacked(const std::vector<std::vector<Array>>& steps, std::size_t leaf, std::int64_t length, bool reverse);
/// 1 and 0 for a condition that is known, -1 for one that is not. TypeError unless it is a scalar.
int known_condition(const Array& pred, Loc loc);
/// A condition as bool: numbers hold when they are not 0.
Array as_test(const Array& pred);
/// TypeError unless both sides have the same structure and the same types.
std::vector<Array> selected(const char* what, const Array& test, const std::vector<Array>& yes,
                            const std::vector<Array>& no, const std::string& difference, Loc loc);
/// The arrays that `body` returns of `leaves`, recorded so that derivatives by them, and by what the body captured,
/// count only where `taken` holds: those of a side that is not taken may be NaN.
std::vector<Array> branch_arrays(const Array& taken, const std::vector<Array>& leaves,
                                 const std::function<std::vector<Array>(const std::vector<Array>&)>& body, Loc loc);
/// The value of a loop's condition; TypeError unless it is a scalar bool.
bool holds(const Array& condition, Loc loc);
std::int64_t known_index(const Array& index, std::int64_t count, Loc loc);  // clamped; -1 when it is not known
/// Dim 0 of x from `first` to the element before `last`.
Array rows_between(const Array& x, std::int64_t first, std::int64_t last);
Array joined(const Array& x, const Array& y);
/// A bound of a loop; UnsupportedError when it is not known while recording.
std::int64_t known_bound(const Array& x, Loc loc);

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

/// fn(args...) as one side of a choice.
template <class F, class... A> auto branch(const Array& taken, Loc loc, const F& fn, const A&... args) {
  const std::tuple<std::decay_t<A>...> given(args...);
  std::optional<result_t<F, A...>> result;
  auto body = [&](const std::vector<Array>& leaves) {
    result = std::apply(fn, tree::rebuild(given, std::span<const Array>(leaves)));
    return tree::leaves(*result);
  };
  std::vector<Array> out = branch_arrays(taken, tree::leaves(given), body, loc);
  return tree::rebuild(*result, std::span<const Array>(out));
}
/// `yes` where `test` holds, else `no`.
template <class R> R chosen(const char* what, const Array& test, const R& yes, const R& no, Loc loc) {
  const std::string difference = tree::difference(tree::structure(yes), tree::structure(no));
  std::vector<Array> out = selected(what, test, tree::leaves(yes), tree::leaves(no), difference, loc);
  return tree::rebuild(yes, std::span<const Array>(out));
}

/// The loop of lax::scan. R: what the body returns.
template <class Carry, class R, class F, class C, class X>
auto scan_steps(const F& fn, const C& init, const X& xs, const ScanOptions& options, Loc loc) {
  using Y = std::remove_cvref_t<typename R::second_type>;
  Carry carry{init};
  std::int64_t n = scan_length(tree::leaves(xs), options.length, loc);
  std::vector<std::vector<Array>> steps;
  std::optional<Y> pattern;
  for (std::int64_t k = 0; k < std::max<std::int64_t>(n, 1); ++k) {
    std::int64_t i = options.reverse ? n - 1 - k : k;
    X x = tree::map([&](const Array& a) { return scan_element(a, i, n); }, xs);
    R r = fn(carry, x);
    std::vector<Array> before = tree::leaves(carry);
    if (!settle_carry(before, tree::leaves(Carry(r.first)), "scan", loc)) {
      carry = tree::rebuild(carry, std::span<const Array>(before));
      r = fn(carry, x);
    }
    pattern = r.second;
    if (n == 0) {
      steps.push_back(tree::leaves(r.second));
      break;
    }
    carry = r.first;
    steps.push_back(tree::leaves(r.second));
  }
  std::vector<Array> ys;
  for (std::size_t leaf = 0; leaf < steps[0].size(); ++leaf) ys.push_back(stacked(steps, leaf, n, options.reverse));
  return std::pair<Carry, Y>{carry, tree::rebuild(*pattern, std::span<const Array>(ys))};
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
  using Carry = detail::carry_t<C>;
  using R = detail::result_t<F, Carry, X>;
  static_assert(!std::is_void_v<R>, "tutti: scan: the body cannot be called as fn(carry, x)");
  static_assert(std::is_void_v<R> || detail::Pair<R>, "tutti: scan: the body must return std::pair{carry, y}");
  if constexpr (detail::Pair<R>) {
    static_assert(std::convertible_to<typename R::first_type, Carry>,
                  "tutti: scan: the body must return a carry of the type that it takes");
    if constexpr (std::convertible_to<typename R::first_type, Carry>)
      return detail::scan_steps<Carry, R>(fn, init, xs, options, loc);
    else
      return detail::no_value<std::pair<Carry, typename R::second_type>>();
  } else {
    return detail::no_value<std::pair<Carry, Array>>();
  }
}
/// Without xs: `fn(carry, none)`, options.length times.
template <class F, class C>
auto scan(const F& fn, const C& init, none_t, ScanOptions options, Loc loc = Loc::current()) {
  auto body = [&](const auto& carry, const std::vector<Array>&) { return fn(carry, none); };
  return scan(body, init, std::vector<Array>(), options, loc);
}

/// `body(i, carry) -> carry` for i from lower to upper - 1. Source: jax.lax.fori_loop.
template <class F, class C>
auto fori_loop(const Operand& lower, const Operand& upper, const F& body, const C& init, Loc loc = Loc::current()) {
  using Carry = detail::carry_t<C>;
  Carry carry{init};
  std::int64_t last = detail::known_bound(upper.array, loc);
  for (std::int64_t i = detail::known_bound(lower.array, loc); i < last; ++i) {
    Array index = array(i);
    Carry next = body(index, carry);
    std::vector<Array> before = tree::leaves(carry);
    if (!detail::settle_carry(before, tree::leaves(next), "fori_loop", loc))
      next = body(index, tree::rebuild(carry, std::span<const Array>(before)));
    carry = next;
  }
  return carry;
}

/// `body(carry)` while `cond(carry)` holds. The condition must be known: not inside jit. Source: jax.lax.while_loop.
template <class P, class F, class C>
auto while_loop(const P& cond, const F& body, const C& init, Loc loc = Loc::current()) {
  using Carry = detail::carry_t<C>;
  Carry carry{init};
  while (detail::holds(cond(carry), loc)) {
    Carry next = body(carry);
    std::vector<Array> before = tree::leaves(carry);
    if (!detail::settle_carry(before, tree::leaves(next), "while_loop", loc))
      next = body(tree::rebuild(carry, std::span<const Array>(before)));
    carry = next;
  }
  return carry;
}

/// yes(args...) or no(args...), by a scalar condition; both must return arrays of the same types. Source: jax.lax.cond.
template <class T, class F, class... A> auto cond(const Operand& pred, const T& yes, const F& no, const A&... args) {
  using R = detail::result_t<T, A...>;
  using S = detail::result_t<F, A...>;
  constexpr bool callable = !std::is_void_v<R> && !std::is_void_v<S>;
  static_assert(callable, "tutti: cond: a side cannot be called with these arguments, or returns nothing");
  static_assert(!callable || std::convertible_to<S, R>, "tutti: cond: both sides must return the same type");
  if constexpr (callable && std::convertible_to<S, R>) {
    int known = detail::known_condition(pred.array, pred.loc);
    if (known == 1) return R(yes(args...));
    if (known == 0) return R(no(args...));
    const Array test = detail::as_test(pred.array);
    R a = detail::branch(test, pred.loc, yes, args...);
    R b = detail::branch(~test, pred.loc, no, args...);
    return detail::chosen("cond", test, a, b, pred.loc);
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
  static_assert(callable, "tutti: switch_: a branch cannot be called with these arguments, or returns nothing");
  constexpr bool alike = (std::convertible_to<detail::result_t<Fn, A...>, R> && ...);
  static_assert(!callable || alike, "tutti: switch_: all branches must return the same type");
  if constexpr (callable && alike) {
    constexpr auto n = static_cast<std::int64_t>(sizeof...(Fn));
    const std::int64_t known = detail::known_index(index.array, n, index.loc);
    std::optional<R> out;
    std::int64_t at = 0;
    auto take = [&](const auto& fn) {
      const std::int64_t mine = at++;
      if (known >= 0) {
        if (mine == known) out = R(fn(args...));
        return;
      }
      const Array here = n == 1          ? Array(true)
                         : mine == 0     ? index.array <= 0
                         : mine == n - 1 ? index.array >= mine
                                         : index.array == mine;
      R value = detail::branch(here, index.loc, fn, args...);
      out = out ? detail::chosen("switch_", here, value, *out, index.loc) : value;
    };
    std::apply([&](const Fn&... fn) { (take(fn), ...); }, branches);
    return *out;
  } else {
    return detail::no_value<std::conditional_t<std::is_void_v<R>, Array, R>>();
  }
}

/// fn of each element along the leading dim, one after the other. Source: jax.lax.map.
template <class F, Tree X> auto map(const F& fn, const X& xs, Loc loc = Loc::current()) {
  return scan(
             [&](const std::vector<Array>& carry, const X& x) {
               return std::pair{carry, fn(x)};
             },
             std::vector<Array>(), xs, {}, loc)
      .second;
}

/// The running combination along the leading dim: element i is fn over elements 0 to i. `fn(left, right)` must be
/// associative, and takes and returns many elements at once. Source: jax.lax.associative_scan.
template <class F, Tree X> X associative_scan(const F& fn, const X& xs, Loc loc = Loc::current()) {
  std::int64_t n = detail::scan_length(tree::leaves(xs), -1, loc);
  X out = xs;
  for (std::int64_t d = 1; d < n; d *= 2) {
    auto between = [&](std::int64_t first, std::int64_t last) {
      return tree::map([&](const Array& x) { return detail::rows_between(x, first, last); }, out);
    };
    X next = fn(between(0, n - d), between(d, n));
    out = tree::map([](const Array& a, const Array& b) { return detail::joined(a, b); }, between(0, d), next);
  }
  return out;
}

}  // namespace lax
}  // namespace tutti
