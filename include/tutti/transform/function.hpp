// Function<R(Args...)>: a named type for jitted functions, as members of classes and in containers have to have one.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "tutti/transform/jit.hpp"

namespace tutti {

template <class Signature> class Function;

/// The compiled program of a lowered Function.
/// Threads: many may call one object at once.
template <class R, class... P, class... A> class Compiled<Function<R(P...)>, A...> : public detail::CompiledProgram {
 public:
  using Call = std::function<R(const A&..., Loc)>;
  Compiled(detail::CompiledProgram program, Call call)
      : detail::CompiledProgram(std::move(program)), call_(std::move(call)) {}
  using tutti_params = ParamList<A...>;
  R operator()(const A&... args, Loc loc = Loc::current()) const { return call_(args..., loc); }

 private:
  Call call_;
};

namespace detail {

template <class T> inline constexpr bool is_jitted = false;
template <class F> inline constexpr bool is_jitted<Jitted<F>> = true;
template <class T> inline constexpr bool is_function = false;
template <class S> inline constexpr bool is_function<Function<S>> = true;

/// A jitted function whose own type is forgotten.
template <class Signature> class AnyJitted;
template <class R, class... A> class AnyJitted<R(A...)> {
 public:
  using Program = Compiled<Function<R(A...)>, own_t<A>...>;
  virtual ~AnyJitted() = default;
  virtual R call(const own_t<A>&... args) const = 0;
  virtual Program lower(const own_t<A>&... args) const = 0;
  virtual Explanation plan(const own_t<A>&... args) const = 0;
  virtual std::size_t cache_size() const = 0;
  virtual void clear_cache() const = 0;
};

template <class F, class Signature> class JittedAs;
template <class F, class R, class... A> class JittedAs<F, R(A...)> final : public AnyJitted<R(A...)> {
 public:
  using Program = typename AnyJitted<R(A...)>::Program;
  explicit JittedAs(Jitted<F> jitted) : jitted_(std::move(jitted)) {}
  R call(const own_t<A>&... args) const override { return jitted_(args...); }
  Program lower(const own_t<A>&... args) const override {
    auto compiled = jitted_.lower(args...).compile();
    return Program(compiled, [compiled](const own_t<A>&... a, Loc loc) -> R { return compiled(a..., loc); });
  }
  Explanation plan(const own_t<A>&... args) const override { return jitted_.plan(args...); }
  std::size_t cache_size() const override { return jitted_.cache_size(); }
  void clear_cache() const override { jitted_.clear_cache(); }

 private:
  Jitted<F> jitted_;
};

}  // namespace detail

/// A jitted function of that signature, whatever was jitted: R and Args are arrays, trees of them (structs, tuples),
/// and static arguments. It shares its cache with the object that jit gave, and copies share it too. Empty unless one
/// is given; a call is then a ValueError. Another callable is jitted.
///
///     class Trainer {
///       tutti::Function<std::pair<Array, Model>(const Model&, const Array&)> step_ = jit(value_and_grad(loss));
///     };
///
/// explain, plan, lower, cache_size and clear_cache are those of jit's object.
/// Threads: many may call one object at once; assigning to it and clear_cache exclude calls.
template <class R, class... A> class Function<R(A...)> {
 public:
  using tutti_params = ParamList<A...>;
  Function() = default;
  template <class F> Function(Jitted<F> jitted) {
    if constexpr (check<Jitted<F>>()) jitted_ = std::make_shared<const detail::JittedAs<F, R(A...)>>(std::move(jitted));
  }
  template <class F>
  requires(!detail::is_jitted<std::decay_t<F>> && !std::same_as<std::decay_t<F>, Function> &&
           std::invocable<const std::decay_t<F>&, const own_t<A>&...>)
      Function(F&& fn, const JitOptions& options = {}, Loc made = Loc::current())
      : Function(jit(std::forward<F>(fn), options, made)) {}

  explicit operator bool() const { return jitted_ != nullptr; }
  R operator()(const own_t<A>&... args) const {
    if (!jitted_) detail::throw_empty_function();
    return jitted_->call(args...);
  }
  /// Source: Jitted::lower; ShapeDtypeStructs stand for arrays.
  Lowered<Function, own_t<A>...> lower(const own_t<A>&... args) const {
    return Lowered<Function, own_t<A>...>(get().lower(args...));
  }
  Explanation explain(const own_t<A>&... args) const { return lower(args...).explain(); }
  Explanation plan(const own_t<A>&... args) const { return get().plan(args...); }
  std::size_t cache_size() const { return get().cache_size(); }
  void clear_cache() const { get().clear_cache(); }

 private:
  template <class J> static consteval bool check() {
    constexpr bool callable = std::is_invocable_v<const J&, const own_t<A>&...>;
    static_assert(callable, "tutti: Function: the jitted function cannot be called with arguments of these types");
    if constexpr (callable) {
      constexpr bool converts = std::is_convertible_v<std::invoke_result_t<const J&, const own_t<A>&...>, R>;
      static_assert(converts, "tutti: Function: the jitted function returns another type");
      return converts;
    } else {
      return false;
    }
  }
  const detail::AnyJitted<R(A...)>& get() const {
    if (!jitted_) detail::throw_empty_function();
    return *jitted_;
  }

  std::shared_ptr<const detail::AnyJitted<R(A...)>> jitted_;
};

namespace detail {
template <class F, class P> struct SignatureOf;
template <class F, class... P> struct SignatureOf<F, ParamList<P...>> {
  using type = call_result_t<Jitted<F>, own_t<P>...>(P...);
};
}  // namespace detail
template <class F> Function(Jitted<F>) -> Function<typename detail::SignatureOf<F, params_t<F>>::type>;

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
