// Shapes and dtypes of results, without computing them.
#pragma once

#include <concepts>
#include <iosfwd>
#include <memory>
#include <string>
#include <type_traits>

#include "tutti/array/array.hpp"
#include "tutti/base/dtype.hpp"
#include "tutti/base/shape.hpp"
#include "tutti/mesh/sharding.hpp"
#include "tutti/transform/callable.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {

/// An array of which shape and dtype are all there is, and where it would lie: device_put of one gives another, also on
/// an abstract_mesh. Where a tree holds arrays it stands for one: `Params{{{784, 512}}, {{512}}}`. Source:
/// jax.ShapeDtypeStruct.
struct ShapeDtypeStruct {
  Shape shape;
  DType dtype = float32;
  Sharding sharding = {};  // empty: it lies nowhere in particular

  ShapeDtypeStruct(Shape of, DType type = float32, Sharding where = {})
      : shape(std::move(of)), dtype(type), sharding(std::move(where)) {}
  explicit ShapeDtypeStruct(const std::same_as<Array> auto& x) : shape(x.shape()), dtype(x.dtype()) {}
  /// An array that has no elements to read: TracerError where somebody needs them.
  operator Array() const;
  /// `float32[784,512]`.
  std::string str() const;
  friend bool operator==(const ShapeDtypeStruct&, const ShapeDtypeStruct&) = default;
};
std::ostream& operator<<(std::ostream& out, const ShapeDtypeStruct& x);

namespace detail {

/// A stand-in for an array, with shape and dtype only: `jit(f).lower(ShapeDtypeStruct({784}))`.
template <> struct Own<ShapeDtypeStruct> { using type = Array; };

/// A call that is recorded for nothing but the types of what it returns.
class ShapeCall {
 public:
  explicit ShapeCall(Loc loc);
  ~ShapeCall();
  ShapeCall(const ShapeCall&) = delete;
  /// The argument inside of the call, and a result outside.
  Array input(const Array& x) const;
  Array output(const Array& x) const { return ShapeDtypeStruct(x); }

 private:
  struct Recorded;
  std::unique_ptr<Recorded> recorded_;
};

template <class T>
using with_arrays_t = std::conditional_t<std::same_as<std::decay_t<T>, ShapeDtypeStruct>, Array, own_t<T>>;

}  // namespace detail

/// The result of `fn(args...)`, computed from types alone: a tree whose arrays have shapes and dtypes and no
/// elements. Arguments are arrays, ShapeDtypeStructs, trees of both, and whatever else `fn` takes.
///
///     auto init = [](const Array& key) { return nn::MLP(784, 10, 512, 3, key); };
///     nn::MLP model = eval_shape(init, random::key(0));     // nothing is drawn
///     ShapeDtypeStruct y{eval_shape(model, ShapeDtypeStruct({784}))};
///
/// Source: jax.eval_shape.
template <class F, class... A> auto eval_shape(const F& fn, const A&... args) {
  if constexpr (detail::check_call<F, detail::with_arrays_t<A>...>()) {
    const detail::ShapeCall call(Loc{});
    auto inside = [&](const auto& tree) {
      if constexpr (std::is_arithmetic_v<std::decay_t<decltype(tree)>>)
        return tree;
      else
        return tree::map([&](const Array& x) { return call.input(x); }, tree);
    };
    return tree::map([&](const Array& x) { return call.output(x); },
                     call_result_t<F, detail::with_arrays_t<A>...>(
                         fn(inside(static_cast<const detail::with_arrays_t<A>&>(args))...)));
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
