// Functions of elements, or of small arrays, on arrays of them. Source: jax.numpy.vectorize, jax.numpy.fromfunction.
#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti {

struct VectorizeOptions {
  /// The dims that `fn` sees of each array, by name: "(n),(n)->()". Without it, none: fn is a function of scalars.
  std::string signature{};
  /// Positions of arguments that `fn` gets as they are.
  std::vector<int> excluded{};
};

namespace detail {

/// The arrays with their leading dims broadcast, and made one.
struct VectorizedArguments {
  Shape loop;                        // the leading dims
  std::vector<Array> flat;           // one leading dim, then those that fn sees; empty at positions that are not mapped
  std::vector<std::string> results;  // per result its dims by name, joined by commas; empty without a signature
  std::vector<std::pair<std::string, std::int64_t>> sizes;  // extents by name
};
VectorizedArguments vectorized_arguments(const VectorizeOptions& options, const std::vector<Array>& arguments,
                                         Loc made);
/// A result with its leading dim put back to `loop`; checked against the signature.
Array vectorized_result(const VectorizedArguments& call, const Array& result, std::size_t index, std::size_t count,
                        Loc made);

template <std::size_t> using IndexArray = Array;

template <class F> class Vectorized {
 public:
  Vectorized(F fn, VectorizeOptions options, Loc made) : fn_(std::move(fn)), options_(std::move(options)), made_(made) {
    refuse_empty(fn_, "vectorize", made);
  }
  template <class... A> auto operator()(const A&... args) const {
    if constexpr (std::same_as<params_t<F>, UnknownParams>)
      return mapped(std::index_sequence_for<A...>{}, lift_t<A>(args)...);
    else
      return converted(params_t<F>{}, args...);
  }

 private:
  // Numbers are arrays where fn takes arrays.
  template <class... P, class... A> auto converted(ParamList<P...>, const A&... args) const {
    static_assert(sizeof...(P) == sizeof...(A), "tutti: vectorize: the function takes another number of arguments");
    if constexpr (sizeof...(P) == sizeof...(A)) return mapped(std::index_sequence_for<A...>{}, own_t<P>(args)...);
  }
  template <std::size_t... K, class... A> auto mapped(std::index_sequence<K...>, const A&... args) const {
    std::vector<Array> arrays;
    (arrays.push_back(array_or_nothing(args)), ...);
    const VectorizedArguments call = vectorized_arguments(options_, arrays, made_);
    // Only what is mapped comes as an argument; the rest is captured.
    auto one = [&](const std::vector<Array>& elements) {
      std::size_t next = 0;
      std::tuple<A...> all{args...};
      ((call.flat[K].has_value() ? put(std::get<K>(all), elements[next++]) : void()), ...);
      return std::apply(fn_, all);
    };
    std::vector<Array> given;
    for (const Array& x : call.flat)
      if (x.has_value()) given.push_back(x);
    const InsideCall inside("vectorize", made_);
    auto out = given.empty() ? one({}) : vmap(one)(given);
    std::size_t index = 0;
    const std::size_t count = tree::leaves(out).size();
    return tree::map([&](const Array& x) { return vectorized_result(call, x, index++, count, made_); }, out);
  }
  template <class T> static Array array_or_nothing(const T& x) {
    if constexpr (std::same_as<T, Array>)
      return x;
    else
      return {};
  }
  template <class T> static void put(T& place, const Array& element) {
    if constexpr (std::same_as<T, Array>) place = element;
  }

  F fn_;
  VectorizeOptions options_;
  Loc made_;
};

}  // namespace detail

/// `fn` over all elements of arrays, which broadcast: a function of scalars or, with a signature, of arrays with the
/// dims that it names; what stands before them is mapped. The result may be an Array or several. Arguments that are no
/// Array are passed as they are.
///
///     auto f = vectorize([](const Array& a, const Array& b) { return where(a > b, a - b, a + b); });
///     auto distance = vectorize([](const Array& x, const Array& y) { return sqrt(sum(square(x - y))); },
///                               {.signature = "(n),(n)->()"});
///
/// Throws ValueError for a signature that cannot be read or does not fit, ShapeError where extents differ. Source:
/// jax.numpy.vectorize.
template <class F> auto vectorize(F&& fn, const VectorizeOptions& options = {}, Loc made = Loc::current()) {
  return detail::Vectorized<std::decay_t<F>>(std::forward<F>(fn), options, made);
}

/// fn(i, j, ...) of the indices of every element, as scalars: one call, mapped. `fn` takes as many as `shape` has dims;
/// the dims of its result stand behind.
///
///     Array table = fromfunction([](const Array& i, const Array& j) { return i + j; }, {3, 3});
template <class F> Array fromfunction(F&& fn, const Shape& shape, DType dtype = float32, Loc loc = Loc::current()) {
  CallScope scope(loc);
  std::vector<Array> indices;
  for (int d = 0; d < shape.ndim(); ++d) indices.push_back(reshape(lax::iota(dtype, shape, d), {-1}));
  using Fn = std::decay_t<F>;
  constexpr std::size_t most = 8;
  auto call = [&]<std::size_t... I>(const std::vector<Array>& at, std::index_sequence<I...>) { return fn(at[I]...); };
  Array out;
  auto with = [&]<std::size_t n>() {
    if constexpr ([]<std::size_t... I>(std::index_sequence<I...>) {
                    return std::is_invocable_v<const Fn&, detail::IndexArray<I>...>;
                  }(std::make_index_sequence<n>{}))
      if (shape.ndim() == static_cast<int>(n))
        out = n == 0 ? call({}, std::make_index_sequence<n>{}) : vmap([&](const std::vector<Array>& at) {
          return call(at, std::make_index_sequence<n>{});
        })(indices);
  };
  [&]<std::size_t... N>(std::index_sequence<N...>) { (with.template operator()<N>(), ...); }
  (std::make_index_sequence<most + 1>{});
  if (!out.has_value())
    raise<ValueError>("fromfunction", "the function does not take " + std::to_string(shape.ndim()) + " indices",
                      "It gets one per dim of the shape, at most " + std::to_string(most) + ".", loc);
  if (shape.ndim() == 0) return out;
  Shape whole = shape;
  for (int d = 1; d < out.ndim(); ++d) whole.push_back(out.shape()[static_cast<std::size_t>(d)]);
  return reshape(out, whole);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
