// What an Array handle points to: a concrete array (type, sharding, buffer) or a value of a trace.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "array/memory.hpp"
#include "device/buffer.hpp"
#include "ir/program.hpp"
#include "ir/type.hpp"
#include "tutti/array/array.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

class Trace;

struct ArrayNode {
  Type type;

  // Concrete
  Sharding sharding;  // empty: uncommitted on the default device
  bool committed = false;
  bool rows = false;  // pmap made it: along dim 0 every device has an element of its own, and indexing gives it out
                      // where it lies
  mutable ArrayMemory memory;     // one dense row-major buffer for the whole array on this host, whatever its
                                  // sharding; none for a literal nobody has read yet
  std::optional<Scalar> literal;  // made from a C++ number: recorded as text-free literal of an Eqn

  // Stands for an array of its type and sharding that has no elements (ShapeDtypeStruct): a value of a trace that is
  // never open.
  bool stand_in = false;

  // Traced: a value of a Program being recorded.
  std::shared_ptr<Trace> trace;
  ValueId value = -1;

  bool traced() const { return trace != nullptr; }
};

/// A concrete array over `buffer`, which lies where `sharding` says.
Array make_array(Type type, BufferPtr buffer, Sharding sharding = {}, bool committed = false);
/// The same of elements of the host: over `buffer` itself where host memory is the devices' own, else copied to them.
Array make_array(Type type, HostPtr buffer, Sharding sharding = {}, bool committed = false);
/// The elements of `x`, an array that this process holds whole, as an array on other devices: nothing is copied where
/// host memory is theirs. DeletedError names `what`.
Array moved_to(const Array& x, const Sharding& sharding, bool committed, const char* what);
/// A stand-in; committed where it has a sharding.
Array make_stand_in(Type type, Sharding sharding = {});
/// ValueError when an integer does not fit an integer dtype.
void check_fits(const Scalar& value, DType dtype, Loc loc = {});
/// The buffer of a concrete array (a literal's is made on first use); DeletedError, TracerError (names `what`)
/// otherwise.
BufferPtr buffer_of(const Array& x, const char* what);
/// What this process holds of it, as host code reads it: all of it, or the block of held_of (mesh/places.hpp).
HostPtr held_buffer_of(const Array& x, const char* what);
/// The same of an array that this process holds whole; ShardingError else.
HostPtr whole_buffer_of(const Array& x, const char* what);
/// `x` as a concrete array: itself, or its value evaluated on demand when the trace allows it; TracerError otherwise.
Array concrete(const Array& x, const char* what);
/// What loops expect of the address of elements, as C++ does; keys are two words of 32 bits, complex numbers two
/// of their parts.
constexpr std::size_t alignment_of(DType dtype) {
  return dtype.is_key() ? 4 : static_cast<std::size_t>(real_dtype(dtype).size());
}
bool is_aligned(const void* data, DType dtype);
/// Copies with numeric conversion between dense host buffers.
void convert_elements(DType from, const void* in, DType to, void* out, std::int64_t n);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
