// What the compiler says where C++ expects more of an Array than it is, and what a constructor says of doubles.
#pragma once

#include <cstddef>
#include <type_traits>

#include "tutti/base/dtype.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

class Array;

namespace detail {
/// Of `x[1] = v`, where x[1] is an array of its own that would be thrown away.
template <class T> void refuse_assignment() {
  static_assert(sizeof(T) == 0,
                "tutti: an Array does not change, and x[i] is a new one: write x = x.at(i).set(v) in place of "
                "x[i] = v, and x = x.at(i).add(v) in place of x[i] += v");
}
/// Of `for (row : x)`: no iterator for any concept, and enough for the compiler to say nothing after the message.
struct NoIterator {
  const Array& operator*() const;
  void operator++();
  bool operator!=(const NoIterator&) const;
};
template <class T> NoIterator refuse_iteration() {
  static_assert(!std::is_void_v<T>,
                "tutti: an Array is no range: write for (const Array& row : unstack(x)), index x[i], or read the "
                "elements on the host with host_span, host_data or to_vector");
  return {};
}
/// The caller's line behind arguments that may be braces, from which it cannot be made.
class CallersLoc {
 public:
  constexpr explicit CallersLoc(Loc loc) : loc_(loc) {}
  constexpr operator Loc() const { return loc_; }

 private:
  Loc loc_;
};
/// A note, once for each place, where doubles of the host become float32; not inside functions of tutti.
void note_narrowing(DType dtype, std::size_t size, Loc loc);
}  // namespace detail

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
