// Transformations of functions: gradients, directional derivatives, linear maps, Jacobians, batches. They compose in
// any order, with jit too.
//
// Any callable whose arguments and result are trees. Only floating and complex arrays are differentiated; the others,
// and what lies in a Frozen, come back empty, and static leaves are copied.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/transform/callable.hpp"
#include "tutti/transform/prefix.hpp"
#include "tutti/transform/transform_core.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {
namespace detail {

/// Whether T is a tree; the reason why not as a message otherwise.
template <class T> consteval bool check_tree() {
  tree::detail::refuse<tree::detail::class_of<T>.problem>();
  return Tree<T>;
}

/// All places for arrays in a tree, empty ones too.
template <class T> std::vector<Array> places(const T& t) { return tree::detail::places_of(tree::detail::ref(t)); }

/// One call of fn with arguments A: takes the arguments apart, calls fn on others, puts results together.
template <class F, class... A> class TreeCall : public UntypedCall {
 public:
  using R = call_result_t<F, A...>;

  TreeCall(const F& fn, const A&... args) : UntypedCall(&again), fn_(fn), trees_{tree::detail::ref(args)...} {
    take(trees_);
  }
  TreeCall(const F& fn, const std::tuple<A...>& args)
      : UntypedCall(&again),
        fn_(fn),
        trees_(std::apply([](const A&... a) { return Trees{tree::detail::ref(a)...}; }, args)) {
    take(trees_);
  }
  template <std::size_t I> const auto& argument() const {
    return *static_cast<const std::tuple_element_t<I, std::tuple<A...>>*>(trees_[I].object);
  }
  /// The result with other arrays.
  R with(const std::vector<Array>& leaves) const { return tree::rebuild(*result, std::span<const Array>(leaves)); }

  std::optional<R> result;  // as traced

 private:
  using Trees = std::array<tree::detail::Ref, sizeof...(A)>;

  static tree::detail::Ref again(UntypedCall& self, std::span<const Array> leaves) {
    return [&]<std::size_t... I>(TreeCall & call, std::index_sequence<I...>) {
      return call.on(leaves, tree::detail::copy_of(call.argument<I>())...);
    }
    (static_cast<TreeCall&>(self), std::index_sequence_for<A...>{});
  }
  tree::detail::Ref on(std::span<const Array> leaves, A... copies) {
    const Trees trees{tree::detail::ref(copies)...};
    tree::detail::assign_all(trees, leaves);
    result.emplace(invoke(fn_, copies...));
    return tree::detail::ref(*result);
  }

  const F& fn_;
  Trees trees_;
};

template <int I, int... J> inline constexpr bool is_one_of = ((I == J) || ...);

// An argument as the function gets it: a bare number in a differentiated place of a generic function is an Array.
template <class P, bool Differentiated, class A>
using argument_t = std::conditional_t<std::same_as<P, UnknownParams> && Differentiated, lift_t<A>, A>;

template <class R> inline constexpr bool scalar_result = std::same_as<R, Array>;
template <class Aux> inline constexpr bool scalar_result<std::pair<Array, Aux>> = true;

template <class R> inline constexpr bool has_aux = false;
template <class Aux> inline constexpr bool has_aux<std::pair<Array, Aux>> = true;

template <class F, class... A, int... I> consteval bool check_gradient(std::integer_sequence<int, I...>) {
  constexpr bool in_range = ((I >= 0 && I < static_cast<int>(sizeof...(A))) && ...);
  static_assert(in_range,
                "tutti: the index of the argument to differentiate by is not smaller than the number of arguments");
  if constexpr (in_range) {
    constexpr bool arrays = (!Number<std::tuple_element_t<std::size_t{I}, std::tuple<A...>>> && ...);
    static_assert(arrays, "tutti: the argument to differentiate by is a number; give the parameter the type Array");
    if constexpr (arrays && check_call<F, A...>()) {
      constexpr bool scalar = scalar_result<call_result_t<F, A...>>;
      static_assert(scalar,
                    "tutti: a function to differentiate must return an Array of shape (), or std::pair{Array, more}");
      if constexpr (scalar) return (check_tree<A>() && ...) && check_tree<call_result_t<F, A...>>();
    }
  }
  return false;
}

// Value and gradient of one call: `pair(R, gradient)`, the gradient a tuple when there are several indices.
template <int... I, class F, class... A>
auto call_gradient(TreeCall<F, A...>& call, const char* what, bool holomorphic, Loc made) {
  const Gradient g = gradient(call.arrays, {I...}, call.body(), what, holomorphic, made);
  std::size_t at = 0;
  [[maybe_unused]] auto next = [&](int index) {
    const int count = call.arrays.counts[static_cast<std::size_t>(index)];
    std::span<const Array> mine(g.gradients.data() + at, static_cast<std::size_t>(count));
    at += mine.size();
    return mine;
  };
  if constexpr (sizeof...(I) == 1)
    return std::pair{call.with(g.results), tree::rebuild(call.template argument<I>(), next(I))...};
  else
    return std::pair{call.with(g.results), std::tuple<std::tuple_element_t<std::size_t{I}, std::tuple<A...>>...>{
                                               tree::rebuild(call.template argument<I>(), next(I))...}};
}

template <bool Value, class F, int... I> class Gradients : public CallWith<Gradients<Value, F, I...>, params_t<F>> {
 public:
  Gradients(F fn, Loc made, bool holomorphic = false) : fn_(std::move(fn)), made_(made), holomorphic_(holomorphic) {
    refuse_empty(fn_, "grad", made);
  }
  template <class... A> auto call(const A&... args) const { return lifted(std::index_sequence_for<A...>{}, args...); }

 private:
  template <std::size_t... K, class... A> auto lifted(std::index_sequence<K...>, const A&... args) const {
    return checked<argument_t<params_t<F>, is_one_of<static_cast<int>(K), I...>, A>...>(args...);
  }
  template <class... A> auto checked(const A&... args) const {
    if constexpr (check_gradient<F, A...>(std::integer_sequence<int, I...>{})) {
      TreeCall<F, A...> call(fn_, args...);
      auto out = call_gradient<I...>(call, Value ? "value_and_grad" : "grad", holomorphic_, made_);
      if constexpr (Value)
        return out;
      else if constexpr (has_aux<call_result_t<F, A...>>)
        return std::pair{std::move(out.second), std::move(out.first.second)};
      else
        return std::move(out.second);
    } else {
      return FailedCall();
    }
  }
  F fn_;
  Loc made_;
  bool holomorphic_;
};

template <class F, class... A> consteval bool check_trees() {
  if constexpr (check_call<F, A...>())
    return (check_tree<A>() && ...) && check_tree<call_result_t<F, A...>>();
  else
    return false;
}

}  // namespace detail

/// The gradient of `fn` by its first argument, or by arguments I...: then a tuple. `fn` returns an Array of shape (),
/// or `std::pair{Array, more}`: then so is the gradient, `pair(gradient, more)`.
///
///     Array dy = grad([](const Array& x) { return sum(sin(x)); })(x);
///     auto [dw, db] = grad<0, 1>(loss)(w, b, batch);
///
/// A gradient has its argument's type. Throws TypeError when the result is no real scalar, or an argument has no
/// floating array. Source: jax.grad, equinox.filter_grad.
template <int... I, class F> auto grad(F&& fn, Loc made = Loc::current()) {
  if constexpr (sizeof...(I) == 0)
    return detail::Gradients<false, std::decay_t<F>, 0>(std::forward<F>(fn), made);
  else
    return detail::Gradients<false, std::decay_t<F>, I...>(std::forward<F>(fn), made);
}

struct GradOptions {
  bool holomorphic = false;  // complex arguments and result: the complex derivative, without a conjugation
};
template <int... I, class F> auto grad(F&& fn, const GradOptions& options, Loc made = Loc::current()) {
  if constexpr (sizeof...(I) == 0)
    return detail::Gradients<false, std::decay_t<F>, 0>(std::forward<F>(fn), made, options.holomorphic);
  else
    return detail::Gradients<false, std::decay_t<F>, I...>(std::forward<F>(fn), made, options.holomorphic);
}

/// The result of `fn`, and its gradient as in grad: `pair(value, gradient)`.
///
///     auto [loss, grads] = value_and_grad(loss_fn)(params, x, y);
template <int... I, class F> auto value_and_grad(F&& fn, Loc made = Loc::current()) {
  if constexpr (sizeof...(I) == 0)
    return detail::Gradients<true, std::decay_t<F>, 0>(std::forward<F>(fn), made);
  else
    return detail::Gradients<true, std::decay_t<F>, I...>(std::forward<F>(fn), made);
}

/// `fn` at `primals` and its derivative there in the direction `tangents`: `pair(result, tangent)`. Both are tuples of
/// arguments. Tangents of arrays that are not floating are ignored; those of results that are not floating are empty.
///
///     auto [y, dy] = jvp(f, std::tuple{x}, std::tuple{v});
///
/// Throws ShapeError and TypeError when shapes or dtypes of a primal and its tangent differ. Source: jax.jvp.
template <class F, class... A, class... T>
auto jvp(const F& fn, const std::tuple<A...>& primals, const std::tuple<T...>& tangents, Loc made = Loc::current()) {
  static_assert(sizeof...(A) == sizeof...(T),
                "tutti: jvp: primals and tangents must have the same number of arguments");
  if constexpr (sizeof...(A) == sizeof...(T)) {
    constexpr bool same = (std::same_as<lift_t<A>, lift_t<T>> && ...);
    static_assert(same, "tutti: jvp: a tangent must have the type of its primal");
    if constexpr (same && detail::check_trees<F, lift_t<A>...>()) {
      detail::refuse_empty(fn, "jvp", made);
      std::tuple<lift_t<A>...> args(primals), directions(tangents);
      detail::TreeCall<F, lift_t<A>...> call(fn, args);
      std::vector<Array> given = detail::matching(call.present(), detail::places(directions), "jvp", made);
      detail::Pushed pushed = detail::push_forward(call.arrays, given, call.body(), made);
      return std::pair{call.with(pushed.results), call.with(pushed.tangents)};
    }
  }
}

/// Says that a function returns pair(result, more), of which only the result is differentiated:
/// `auto [y, dy, more] = jvp(has_aux, f, ...)`.
struct has_aux_t {};
inline constexpr has_aux_t has_aux{};

namespace detail {
// The type of the differentiated result of a function that returns pair(result, more).
template <class R> consteval bool check_aux() {
  static_assert(is_pair<R>, "tutti: with has_aux the function returns std::pair{result, more}");
  return is_pair<R>;
}
template <class T> std::size_t count_arrays(const T& tree) { return tree::leaves(tree).size(); }
}  // namespace detail

/// The same for a function that returns pair(result, more): `tuple(result, tangent, more)`.
template <class F, class... A, class... T>
auto jvp(has_aux_t, const F& fn, const std::tuple<A...>& primals, const std::tuple<T...>& tangents,
         Loc made = Loc::current()) {
  auto [y, dy] = jvp(fn, primals, tangents, made);
  if constexpr (detail::check_aux<decltype(y)>())
    return std::tuple{std::move(y.first), std::move(dy.first), std::move(y.second)};
}

struct VmapOptions {
  TreeOf<int> in_axes = 0;
  TreeOf<int> out_axes = 0;
  std::string axis_name{};
  std::int64_t axis_size = 0;
};

namespace detail {

MapOptions map_options(const VmapOptions& options);

template <class F> class Mapped : public CallWith<Mapped<F>, params_t<F>> {
 public:
  Mapped(F fn, const VmapOptions& options, Loc made) : fn_(std::move(fn)), options_(map_options(options)), made_(made) {
    refuse_empty(fn_, "vmap", made);
  }
  template <class... A> auto call(const A&... args) const {
    if constexpr (check_trees<F, A...>()) {
      TreeCall<F, A...> call(fn_, args...);
      std::vector<Array> out = map_call(call.arrays, options_, call.body(), made_);
      return call.with(out);
    } else {
      return FailedCall();
    }
  }

 private:
  F fn_;
  MapOptions options_;
  Loc made_;
};

}  // namespace detail

/// `fn` over a batch: it sees arrays without the mapped axis, and runs once for all of the batch.
///
///     Array ys = vmap(f)(xs);                                   // over axis 0 of everything
///     Array ys = vmap(f, {.in_axes = {0, none}})(xs, w);        // w is the same for all
///     vmap([](const Array& x) { return x / lax::psum(x, "i"); }, {.axis_name = "i"})(xs);
///
/// in_axes and out_axes: a number for all, one entry per argument (result), a function of the path, or path patterns;
/// negative axes count from the end. Throws ShapeError when mapped axes have different sizes (it names them) or an axis
/// does not exist. Source: jax.vmap.
template <class F> auto vmap(F&& fn, const VmapOptions& options = {}, Loc made = Loc::current()) {
  return detail::Mapped<std::decay_t<F>>(std::forward<F>(fn), options, made);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
