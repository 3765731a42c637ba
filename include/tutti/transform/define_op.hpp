// Operations of your own: a C++ function over memory that is an operation like tutti's.
//
//     const auto cube = define_op({
//         .name = "cube",
//         .result_types = [](const std::vector<ShapeDtypeStruct>& x) { return std::vector{x[0]}; },
//         .compute = [](std::span<const OpOperand> in, std::span<const OpResult> out) {
//           std::ranges::transform(in[0].as<float>(), out[0].as<float>().begin(), [](float v) { return v * v * v; });
//         },
//         .jvp = [](const auto& x, const auto&, const auto& dx) { return std::vector{3 * square(x[0]) * dx[0]}; },
//         .factors = "i -> i",
//     });
//     Array y = jit(grad([&](const Array& x) { return cube(x).sum(); }))(x);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/transform/eval_shape.hpp"

namespace tutti {

namespace detail {
struct DefinedState;
/// Throws TypeError unless `asked` is `dtype`.
void check_element(DType dtype, DType asked);
}  // namespace detail

/// An operand as the function of an operation reads it: dense, row-major. Good during the call.
/// Threads: as std::span.
class OpOperand {
 public:
  OpOperand(ShapeDtypeStruct type, const void* data, std::size_t bytes)
      : type_(std::move(type)), data_(data), bytes_(bytes) {}
  const Shape& shape() const { return type_.shape; }
  DType dtype() const { return type_.dtype; }
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), bytes_}; }
  /// The elements. TypeError unless T is exactly the dtype; those of 16-bit floats are in bytes().
  template <Number T> std::span<const T> as() const {
    detail::check_element(dtype(), dtype_of<T>());
    return {static_cast<const T*>(data_), bytes_ / sizeof(T)};
  }

 private:
  ShapeDtypeStruct type_;
  const void* data_;
  std::size_t bytes_;
};
/// A result, to be written whole; what stands there before means nothing.
/// Threads: as std::span.
class OpResult {
 public:
  OpResult(ShapeDtypeStruct type, void* data, std::size_t bytes) : type_(std::move(type)), data_(data), bytes_(bytes) {}
  const Shape& shape() const { return type_.shape; }
  DType dtype() const { return type_.dtype; }
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(data_), bytes_}; }
  template <Number T> std::span<T> as() const {
    detail::check_element(dtype(), dtype_of<T>());
    return {static_cast<T*>(data_), bytes_ / sizeof(T)};
  }

 private:
  ShapeDtypeStruct type_;
  void* data_;
  std::size_t bytes_;
};

/// What an operation is. `result_types` and one of `compute` and `expression` are needed, all else is optional. Each
/// function may be called at any time, more than once, or not at all; it must depend on its arguments alone.
struct OpDefinition {
  using Arrays = std::vector<Array>;
  /// In programs, plans and errors.
  std::string name;
  /// From the operands' shapes and dtypes to the results'. It throws where they do not fit.
  std::function<std::vector<ShapeDtypeStruct>(const std::vector<ShapeDtypeStruct>& operands)> result_types = {};
  /// Writes the results, on the thread that calls the program. What it throws comes out of that call as it is.
  std::function<void(std::span<const OpOperand> operands, std::span<const OpResult> results)> compute = {};
  /// The same in known operations: taken where there is no `compute`, for derivatives where none is given, and under
  /// vmap where there is no `batch`.
  std::function<Arrays(const Arrays& operands)> expression = {};
  /// Tangents of the results, linear in `tangents`, those of the operands (zeros where there is none; empty Arrays for
  /// operands that are not of floating point). Both modes follow from it, of any order.
  std::function<Arrays(const Arrays& operands, const Arrays& results, const Arrays& tangents)> jvp = {};
  /// Instead of it: cotangents of the operands (an empty Array is zero). Reverse mode only, as custom_vjp; of second
  /// order only where it does not use `results`, or where there is an `expression`.
  std::function<Arrays(const Arrays& operands, const Arrays& results, const Arrays& cotangents)> vjp = {};
  /// Under vmap: operands with `mapped` have a dim of `size` in front, which all results have as well. Left out, and
  /// without an `expression`: one call per element.
  std::function<Arrays(std::int64_t size, const Arrays& operands, const std::vector<bool>& mapped)> batch = {};
  /// How it may be cut over devices, a name per dim: `"b t d, d -> b t"`. A dim may be cut where `compute`, called on
  /// blocks of it, gives the blocks of the results; every name of the results' is such. With a plus, `"b t+ -> b"`,
  /// blocks give parts of the results that are added up. Dims named `_`, and names that no result has, stay whole.
  /// Left out: everything stays whole.
  std::string factors = "";
};

/// Made by define_op. Copies are the same operation.
/// Threads: many may call one object at once; so its functions are called by several.
class DefinedOp {
 public:
  /// Of an operation with one result. ValueError when it has others: results() gives all.
  Array operator()(const Array& x, Loc loc = Loc::current()) const { return one({x}, loc); }
  Array operator()(const Array& x, const Array& y, Loc loc = Loc::current()) const { return one({x, y}, loc); }
  Array operator()(const Array& x, const Array& y, const Array& z, Loc loc = Loc::current()) const {
    return one({x, y, z}, loc);
  }
  /// All results, from any number of operands.
  std::vector<Array> results(const std::vector<Array>& operands, Loc loc = Loc::current()) const;
  const std::string& name() const;

 private:
  friend DefinedOp define_op(OpDefinition definition, Loc made);
  explicit DefinedOp(const detail::DefinedState* state) : state_(state) {}
  Array one(const std::vector<Array>& operands, Loc loc) const;

  const detail::DefinedState* state_;  // lives as long as the process: programs name it
};

/// A new operation, usable as tutti's own: at once, under jit, grad, vmap, shard_map, in loops and branches, on many
/// devices. Define it once, at namespace scope or as a static: it stays until the process ends.
///
/// Throws ValueError when `name`, `result_types` or both of `compute` and `expression` are missing, when there are two
/// derivatives, or when `factors` cannot be read. Calls throw ShapeError, TypeError and ValueError where functions
/// return something else than they said, with the line of the call.
DefinedOp define_op(OpDefinition definition, Loc made = Loc::current());

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
