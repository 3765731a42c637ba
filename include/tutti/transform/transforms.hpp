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
template <class T> std::vector<Array> places(const T& t) {
  std::vector<Array> out;
  for (const Array* slot : tree::detail::slots_of(tree::detail::ref(t))) out.push_back(*slot);
  return out;
}

/// One call of fn with arguments A: takes the arguments apart, calls fn on others, puts results together.
template <class F, class... A> class TreeCall {
 public:
  using R = call_result_t<F, A...>;

  TreeCall(const F& fn, const std::tuple<A...>& args) : fn_(fn), args_(args) {
    std::apply(
        [&](const A&... a) {
          tree::Flat flat = tree::flatten(a...);
          arrays.leaves = std::move(flat.leaves);
          arrays.frozen = std::move(flat.frozen);
          (arrays.counts.push_back(static_cast<int>(tree::leaves(a).size())), ...);
        },
        args);
    arrays.paths = [&args] {
      std::vector<std::pair<int, tree::Path>> out;
      int arg = 0;
      [[maybe_unused]] auto add = [&](const auto& a) {
        for (auto& [path, leaf] : tree::leaves_with_path(a)) out.emplace_back(arg, path);
        ++arg;
      };
      std::apply([&](const A&... a) { (add(a), ...); }, args);
      return out;
    };
  }
  Body body() {
    return [this](const std::vector<Array>& leaves) {
      result.emplace(std::apply(fn_, rebuild(leaves, std::index_sequence_for<A...>{})));
      return BodyResult{tree::leaves(*result), [this] {
                          std::vector<tree::Path> out;
                          for (auto& [path, leaf] : tree::leaves_with_path(*result)) out.push_back(path);
                          return out;
                        }};
    };
  }
  /// For each place of the arguments whether an array is there.
  std::vector<bool> present() const { return tree::structure(args_).present(); }
  /// The result with other arrays.
  R with(const std::vector<Array>& leaves) const { return tree::rebuild(*result, std::span<const Array>(leaves)); }

  CallArrays arrays;
  std::optional<R> result;  // as traced

 private:
  template <std::size_t... I>
  std::tuple<A...> rebuild(const std::vector<Array>& leaves, std::index_sequence<I...>) const {
    std::size_t at = 0;
    [[maybe_unused]] auto next = [&](std::size_t i) {
      std::span<const Array> mine(leaves.data() + at, static_cast<std::size_t>(arrays.counts[i]));
      at += mine.size();
      return mine;
    };
    return std::tuple<A...>{tree::rebuild(std::get<I>(args_), next(I))...};
  }

  const F& fn_;
  const std::tuple<A...>& args_;
};

template <int I, int... J> inline constexpr bool is_one_of = ((I == J) || ...);

// The arguments as the function gets them: bare numbers in differentiated places of a generic function are Arrays.
template <class P, int... I, class... A, std::size_t... K> auto lifted(std::index_sequence<K...>, const A&... args) {
  constexpr bool generic = std::same_as<P, UnknownParams>;
  return std::tuple<std::conditional_t<generic && is_one_of<static_cast<int>(K), I...>, lift_t<A>, A>...>{args...};
}

template <class R> inline constexpr bool scalar_result = std::same_as<R, Array>;
template <class Aux> inline constexpr bool scalar_result<std::pair<Array, Aux>> = true;

template <class R> inline constexpr bool has_aux = false;
template <class Aux> inline constexpr bool has_aux<std::pair<Array, Aux>> = true;

template <class F, class... A, int... I> consteval bool check_gradient(std::integer_sequence<int, I...>) {
  constexpr bool in_range = ((I >= 0 && I < static_cast<int>(sizeof...(A))) && ...);
  static_assert(in_range,
                "tutti: the index of the argument to differentiate by is not smaller than the number of arguments");
  if constexpr (in_range) {
    constexpr bool arrays = (!Number<std::tuple_element_t<I, std::tuple<A...>>> && ...);
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

template <class T> std::size_t leaf_count(const T& tree) { return tree::leaves(tree).size(); }

// Value and gradient of one call: `pair(R, gradient)`, the gradient a tuple when there are several indices.
template <int... I, class F, class... A>
auto call_gradient(const F& fn, const std::tuple<A...>& args, const char* what, Loc made) {
  TreeCall<F, A...> call(fn, args);
  Gradient g = gradient(call.arrays, {I...}, call.body(), what, made);
  std::size_t at = 0;
  [[maybe_unused]] auto next = [&](const auto& tree) {
    std::span<const Array> mine(g.gradients.data() + at, leaf_count(tree));
    at += mine.size();
    return tree::rebuild(tree, mine);
  };
  if constexpr (sizeof...(I) == 1)
    return std::pair{call.with(g.results), next(std::get<I...>(args))};
  else
    return std::pair{call.with(g.results),
                     std::tuple<std::tuple_element_t<I, std::tuple<A...>>...>{next(std::get<I>(args))...}};
}

template <bool Value, class F, int... I> class Gradients : public CallWith<Gradients<Value, F, I...>, params_t<F>> {
 public:
  Gradients(F fn, Loc made) : fn_(std::move(fn)), made_(made) { refuse_empty(fn_, "grad", made); }
  template <class... A> auto call(const A&... args) const {
    auto lifted_args = lifted<params_t<F>, I...>(std::index_sequence_for<A...>{}, args...);
    return checked(lifted_args);
  }

 private:
  template <class... A> auto checked(const std::tuple<A...>& args) const {
    if constexpr (check_gradient<F, A...>(std::integer_sequence<int, I...>{})) {
      auto out = call_gradient<I...>(fn_, args, Value ? "value_and_grad" : "grad", made_);
      if constexpr (Value)
        return out;
      else if constexpr (has_aux<call_result_t<F, A...>>)
        return std::pair{std::move(out.second), std::move(out.first.second)};
      else
        return std::move(out.second);
    }
  }
  F fn_;
  Loc made_;
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

/// The linear part of a function at some point: a function of tangents, one per argument.
template <class R, class... A> class LinearMap {
 public:
  LinearMap(detail::LinearFunction map, std::vector<bool> present, R result)
      : map_(std::move(map)), present_(std::move(present)), result_(std::move(result)) {}
  using tutti_params = ParamList<A...>;
  R operator()(const A&... tangents, Loc loc = Loc::current()) const {
    std::vector<Array> out =
        map_(detail::matching(present_, detail::places(std::tuple<A...>{tangents...}), "linearize", loc), loc);
    return tree::rebuild(result_, std::span<const Array>(out));
  }

 private:
  detail::LinearFunction map_;
  std::vector<bool> present_;  // places of the arguments that had arrays
  R result_;
};

/// What vjp returns beside the result: from a cotangent of the result to the cotangents of the arguments, as a tuple.
template <class R, class... A> class Pullback {
 public:
  Pullback(detail::LinearFunction map, std::vector<bool> present, std::tuple<A...> args)
      : map_(std::move(map)), present_(std::move(present)), args_(std::move(args)) {}
  using tutti_params = ParamList<R>;
  std::tuple<A...> operator()(const R& cotangent, Loc loc = Loc::current()) const {
    std::vector<Array> out = map_(detail::matching(present_, detail::places(cotangent), "vjp", loc), loc);
    std::size_t at = 0;
    return std::apply(
        [&](const A&... a) {
          [[maybe_unused]] auto next = [&](const auto& t) {
            std::span<const Array> mine(out.data() + at, detail::leaf_count(t));
            at += mine.size();
            return tree::rebuild(t, mine);
          };
          return std::tuple<A...>{next(a)...};
        },
        args_);
  }

 private:
  detail::LinearFunction map_;
  std::vector<bool> present_;  // places of the result that had arrays
  std::tuple<A...> args_;
};

/// `pair(result, pullback)`: `pullback(cotangent)` gives the cotangents of all arguments as a tuple, and may be called
/// many times.
///
///     auto [y, pullback] = vjp(f, x, w);
///     auto [dx, dw] = pullback(ones_like(y));
///
/// Source: jax.vjp.
template <class F, class... A> auto vjp(const F& fn, const A&... args) {
  if constexpr (detail::check_trees<F, lift_t<A>...>()) {
    using R = call_result_t<F, lift_t<A>...>;
    std::tuple<lift_t<A>...> lifted{args...};
    detail::TreeCall<F, lift_t<A>...> call(fn, lifted);
    detail::LinearizedCall out = detail::pull_back(call.arrays, call.body(), {});
    return std::pair{call.with(out.results),
                     Pullback<R, lift_t<A>...>(out.map, tree::structure(*call.result).present(), lifted)};
  }
}

/// `pair(result, map)`: `map(tangents...)` is the derivative at this point in any direction; `fn` itself runs once.
///
///     auto [y, df] = linearize(f, x);
///
/// Source: jax.linearize.
template <class F, class... A> auto linearize(const F& fn, const A&... args) {
  if constexpr (detail::check_trees<F, lift_t<A>...>()) {
    using R = call_result_t<F, lift_t<A>...>;
    std::tuple<lift_t<A>...> lifted{args...};
    detail::TreeCall<F, lift_t<A>...> call(fn, lifted);
    detail::LinearizedCall out = detail::linearize_call(call.arrays, call.body(), {});
    R result = call.with(out.results);
    return std::pair{result, LinearMap<R, lift_t<A>...>(out.map, call.present(), result)};
  }
}

namespace detail {

template <bool Forward, class F> class Jacobian : public CallWith<Jacobian<Forward, F>, params_t<F>> {
 public:
  Jacobian(F fn, Loc made) : fn_(std::move(fn)), made_(made) { refuse_empty(fn_, "jacobian", made); }
  template <class... A> auto call(const A&... args) const {
    static_assert(sizeof...(A) > 0, "tutti: a Jacobian needs an argument to differentiate by");
    return checked(lifted<params_t<F>, 0>(std::index_sequence_for<A...>{}, args...));
  }

 private:
  template <class... A> auto checked(const std::tuple<A...>& args) const {
    if constexpr (check_trees<F, A...>()) {
      constexpr bool array = std::same_as<call_result_t<F, A...>, Array>;
      static_assert(array, "tutti: the function of a Jacobian must return an Array");
      if constexpr (array) {
        TreeCall<F, A...> call(fn_, args);
        std::vector<Array> out = jacobian(call.arrays, call.body(), Forward, made_);
        return tree::rebuild(std::get<0>(args), std::span<const Array>(out));
      }
    }
  }
  F fn_;
  Loc made_;
};

}  // namespace detail

/// The Jacobian by the first argument, column by column (forward mode): shape of the result, then shape of the array.
/// Source: jax.jacfwd.
template <class F> auto jacfwd(F&& fn, Loc made = Loc::current()) {
  return detail::Jacobian<true, std::decay_t<F>>(std::forward<F>(fn), made);
}
/// The Jacobian by the first argument, row by row (reverse mode). Source: jax.jacrev.
template <class F> auto jacrev(F&& fn, Loc made = Loc::current()) {
  return detail::Jacobian<false, std::decay_t<F>>(std::forward<F>(fn), made);
}
/// The second derivatives by the first argument, an Array: forward over reverse. Source: jax.hessian.
template <class F> auto hessian(F&& fn, Loc made = Loc::current()) {
  return jacfwd(jacrev(std::forward<F>(fn), made), made);
}

struct VmapOptions {
  TreeOf<int> in_axes = 0;
  TreeOf<int> out_axes = 0;
  std::string axis_name{};
  std::int64_t axis_size = 0;
};

namespace detail {

template <class F> class Mapped : public CallWith<Mapped<F>, params_t<F>> {
 public:
  Mapped(F fn, VmapOptions options, Loc made)
      : fn_(std::move(fn)),
        options_{options.in_axes, options.out_axes, options.axis_name, options.axis_size},
        made_(made) {
    refuse_empty(fn_, "vmap", made);
  }
  template <class... A> auto call(const A&... args) const {
    if constexpr (check_trees<F, A...>()) {
      std::tuple<A...> own{args...};
      TreeCall<F, A...> call(fn_, own);
      std::vector<Array> out = map_call(call.arrays, options_, call.body(), made_);
      return call.with(out);
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
template <class F> auto vmap(F&& fn, VmapOptions options = {}, Loc made = Loc::current()) {
  return detail::Mapped<std::decay_t<F>>(std::forward<F>(fn), std::move(options), made);
}

}  // namespace tutti
