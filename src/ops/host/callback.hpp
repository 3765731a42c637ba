// Calls of the user's functions from a program: debug_callback, which is told values; io_callback, which gives some as
// well; pure_callback, whose results depend on its operands alone, so that it may be left out or shared. Source:
// jax.debug.callback, jax.experimental.io_callback, jax.pure_callback.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/home.hpp"

namespace tutti::ops {

/// From operands, and the device's coordinates along the manual axes around the call, to results. Equal only to itself:
/// a Program that holds one is shared with no other.
class HostFunction {
 public:
  using Coordinates = std::vector<std::int64_t>;
  using Call = std::function<std::vector<Array>(const std::vector<Array>& operands, const Coordinates& coordinates)>;
  /// `what` it is called by, and where: for errors.
  HostFunction(Call call, const char* what, Loc loc)
      : call_(std::make_shared<const Call>(std::move(call))), what_(what), loc_(loc) {}
  std::vector<Array> operator()(const std::vector<Array>& operands, const Coordinates& at) const {
    const InsideCall inside(what_, loc_);  // it may call what calls it
    return (*call_)(operands, at);
  }
  const char* what() const { return what_; }
  Loc loc() const { return loc_; }

  friend bool operator==(const HostFunction& a, const HostFunction& b) { return a.call_ == b.call_; }
  friend std::size_t hash(const HostFunction& f) { return std::hash<const void*>{}(f.call_.get()); }
  friend std::string text(const HostFunction&) { return "function"; }

 private:
  std::shared_ptr<const Call> call_;
  const char* what_;
  Loc loc_;
};

/// What vmap makes of a call: an error; one call per element; one call with all elements in front, where operands that
/// are not mapped have one element in front, or are repeated.
enum class MapMethod { refuse, sequential, expand_dims, broadcast_all };

/// Operands: a bool scalar for each of `guards`, all of which have to hold; `coordinates` int32 scalars; those of the
/// function. All have `batch.size()` dims in front, of these extents or 1: there is one call per element, and results
/// have these dims, too. A guard has the first of these dims only, as many as its entry says: it holds for all elements
/// of those that were mapped before it was given. A result of an element that is not called for is 0.
struct Callback {
  HostFunction function;
  std::vector<std::pair<DType, Shape>> results = {};  // of one call
  std::vector<std::int64_t> batch = {};
  std::vector<int> guards = {};
  int coordinates = 0;
  bool ordered = false;
  MapMethod map = MapMethod::sequential;
  friend bool operator==(const Callback&, const Callback&) = default;
};

extern const Home debug_callback, io_callback, pure_callback;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
