// Callables and their parameter types: what every wrapper (jit, grad, vmap, ...) needs to convert its arguments.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {

/// The parameter types of a callable, as it declares them.
template <class... P> struct ParamList { static constexpr std::size_t size = sizeof...(P); };
/// The callable is generic or overloaded: only a call says which types it takes.
struct UnknownParams {};

namespace detail {

template <class M> struct MemberParams {
  using type = UnknownParams;
};  // mutable, volatile, &&: refused later, by is_invocable
template <class R, class C, class... P> struct MemberParams<R (C::*)(P...) const> { using type = ParamList<P...>; };
template <class R, class C, class... P> struct MemberParams<R (C::*)(P...) const noexcept> {
  using type = ParamList<P...>;
};
template <class R, class C, class... P> struct MemberParams<R (C::*)(P...) const&> { using type = ParamList<P...>; };

template <class F> struct ParamsOf { using type = UnknownParams; };
template <class R, class... P> struct ParamsOf<R (*)(P...)> { using type = ParamList<P...>; };
template <class R, class... P> struct ParamsOf<R (*)(P...) noexcept> { using type = ParamList<P...>; };
template <class F>
requires requires { typename F::tutti_params; }
struct ParamsOf<F> {
  using type = typename F::tutti_params;
};
template <class F>
requires(
    std::is_class_v<F> && !requires { typename F::tutti_params; } && requires { &F::operator(); }) struct ParamsOf<F> {
  using type = typename MemberParams<decltype(&F::operator())>::type;
};

template <class T> struct Own { using type = std::decay_t<T>; };
template <> struct Own<In> { using type = Array; };
template <> struct Own<Operand> { using type = Array; };

}  // namespace detail

/// ParamList of a callable with one call operator or of a function pointer, else UnknownParams.
template <class F> using params_t = typename detail::ParamsOf<std::decay_t<F>>::type;

/// The type that holds an argument for a parameter of type T. In and Operand refer to their Array: stored, they would
/// dangle.
template <class T> using own_t = typename detail::Own<std::decay_t<T>>::type;

/// T in a differentiated place or as a carry: a bare number is an Array.
template <class T> using lift_t = std::conditional_t<Number<std::decay_t<T>>, Array, own_t<T>>;

/// The result type of `const F&` for these arguments, without references.
template <class F, class... A> using call_result_t = std::decay_t<std::invoke_result_t<const F&, const A&...>>;

/// Gives `Derived` its operator(): calls `call(const A&...)` with arguments of the parameter types. Conversions, braces
/// and numbers for Array parameters therefore work as in a call of the wrapped function itself.
template <class Derived, class P> struct CallWith;

template <class Derived> struct CallWith<Derived, UnknownParams> {
  using tutti_params = UnknownParams;
  template <class... A> auto operator()(const A&... args) const {
    return static_cast<const Derived&>(*this).call(static_cast<const own_t<const A&>&>(args)...);
  }
};

template <class Derived, class... P> struct CallWith<Derived, ParamList<P...>> {
  using tutti_params = ParamList<P...>;
  auto operator()(const own_t<P>&... args) const { return static_cast<const Derived&>(*this).call(args...); }

  // Default arguments of fn leave some out; and what does not convert gets `call`'s message instead of "no match".
  template <class... A>
  requires(sizeof...(A) != sizeof...(P)) auto operator()(const A&... args) const {
    return static_cast<const Derived&>(*this).call(static_cast<const own_t<const A&>&>(args)...);
  }
  template <class... A>
  requires(sizeof...(A) == sizeof...(P) && !(std::is_convertible_v<const A&, own_t<P>> && ...)) auto operator()(
      const A&... args) const {
    return static_cast<const Derived&>(*this).call(static_cast<const own_t<const A&>&>(args)...);
  }
};

namespace detail {

/// fn(args...); of a pointer to a member too.
template <class F, class... A> decltype(auto) invoke(const F& fn, const A&... args) {
  if constexpr (std::is_member_pointer_v<F>)
    return std::invoke(fn, args...);
  else
    return fn(args...);
}

/// ValueError of the transformation `what` for a std::function, or a pointer, that holds no function.
template <class F> void refuse_empty(const F& fn, const char* what, Loc made) {
  if constexpr (std::is_pointer_v<F> || requires {
                  typename F::result_type;
                  fn.target_type();
                })
    if (!fn)
      raise<ValueError>(what, "the function is empty: there is nothing to call",
                        "Give a std::function or a pointer that holds a function.", made);
}

template <class T> inline constexpr bool is_pair = false;
template <class A, class B> inline constexpr bool is_pair<std::pair<A, B>> = true;
template <class T> inline constexpr bool is_tuple = false;
template <class... T> inline constexpr bool is_tuple<std::tuple<T...>> = true;

/// The result of a call that does not compile and whose error was given: converts to everything, so that no other error
/// follows.
struct FailedCall {
  template <class T> operator T() const;
};

/// Of an F that cannot be called with const A&...: whether the compiler itself has said why. A lambda with a mistake in
/// its body, and one without parameter types of its own, cannot be told from one that takes other arguments, but a
/// plain call can: it is silent about what was reported already.
template <class F, class... A> consteval bool call_was_reported() {
  if constexpr (std::is_class_v<F> && !requires { &F::operator(); }) {
    using Call [[maybe_unused]] = decltype(std::declval<const F&>()(std::declval<const A&>()...));
    return true;
  } else {
    return false;
  }
}

/// Whether a function that declares P... was given as many arguments.
template <class P> inline constexpr int declared_parameters = -1;
template <class... P> inline constexpr int declared_parameters<ParamList<P...>> = static_cast<int>(sizeof...(P));
/// Names both numbers in the compiler's message.
template <int takes, int given> struct NumberOfArguments { static constexpr bool fits = takes == given; };

/// Whether F can be called with const A&...; the wrapper's message otherwise, and only this one.
template <class F, class... A> consteval bool check_call() {
  constexpr bool ok = std::is_invocable_v<const F&, const A&...>;
  constexpr int takes = declared_parameters<params_t<F>>;
  if constexpr (!ok && takes >= 0 && takes != static_cast<int>(sizeof...(A)))
    static_assert(NumberOfArguments<takes, static_cast<int>(sizeof...(A))>::fits,
                  "tutti: the function takes another number of arguments than the call gives it: "
                  "NumberOfArguments<what it takes, what it is given>");
  else if constexpr (!ok)
    static_assert(
        call_was_reported<F, A...>(),
        "tutti: the function cannot be called with these arguments (they are const: no `mutable` lambda, no Array&)");
  if constexpr (ok) {
    if constexpr (std::same_as<call_result_t<F, A...>, FailedCall>) return false;
    constexpr bool value = !std::is_void_v<std::invoke_result_t<const F&, const A&...>>;
    static_assert(value, "tutti: the function returns nothing; return its result");
    return value;
  } else {
    return false;
  }
}

}  // namespace detail
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
