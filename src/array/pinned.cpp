#include "array/pinned.hpp"

#include "base/half.hpp"
#include "device/client.hpp"
#include "mesh/places.hpp"
#include "tree/absent.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

HostPtr buffer_of_literal(const ArrayNode& n) {
  HostPtr b = allocate_buffer(static_cast<std::size_t>(n.type.nbytes()));
  visit_dtype(n.type.dtype, [&]<class T>(Stored<T>) {
    const Scalar& s = *n.literal;
    T& element = *static_cast<T*>(b->data());
    if constexpr (is_complex_number<T>)
      element = T(typename T::value_type(s.real), typename T::value_type(s.imag));
    else if constexpr (is_small_float<T>)
      element = T(float(s.real));
    else if constexpr (std::is_floating_point_v<T>)
      element = static_cast<T>(s.real);
    else
      element = static_cast<T>(s.integer);
  });
  return b;
}

[[noreturn]] void refuse_deleted(const ArrayNode& n, const char* what) {
  raise<DeletedError>(what, "the array " + n.type.str() + " has been deleted by " + n.memory.taken_by(),
                      "Keep a copy() before it is donated or deleted, or use the result instead.");
}

// The buffer of `x`, pinned.
Buffer* pin(const Array& x, const char* what) {
  refuse_absent(x);
  if (!x.has_value()) raise<ValueError>(what, "the array is empty (no array here)", "Test has_value() first.");
  const ArrayNode& n = *x.node();
  if (!n.memory.pin()) refuse_deleted(n, what);
  if (Buffer* b = n.memory.buffer()) return b;
  if (n.literal) {
    n.memory.offer(buffer_of_literal(n));
    return n.memory.buffer();
  }
  n.memory.unpin();
  raise<TracerError>(what, n.type.str() + " has no value here, it is being recorded",
                     "Return it from the function, and read it outside.");
}

}  // namespace

BufferPtr buffer_of(const Array& x, const char* what) {
  BufferPtr share(pin(x, what));
  x.node()->memory.unpin();
  return share;
}

HostPtr held_buffer_of(const Array& x, const char* what) {
  BufferPtr buffer = buffer_of(x, what);
  if (buffer->memory) return fetched(buffer, x.dtype(), x.shape());
  return host_share(std::move(buffer));
}

HostPtr whole_buffer_of(const Array& x, const char* what) {
  HostPtr buffer = held_buffer_of(x, what);
  if (const std::optional<Held> held = held_of(x.node()->sharding, x.shape()))
    raise<ShardingError>(what,
                         "this process holds " + held->box.str() + " of " + x.type().str() + ", which is placed by " +
                             x.sharding().str(),
                         "Bring it here with multihost::process_allgather(x), or look at addressable_shards().");
  return buffer;
}

Pinned::Pinned(std::span<const Array> arrays, std::span<const bool> donated, const Takers& by, const char* what)
    : arrays_(arrays) {
  if (arrays.size() > few_.size()) many_.resize(arrays.size());
  buffers_ = arrays.size() > few_.size() ? std::span(many_) : std::span(few_).first(arrays.size());
  try {
    for (; pinned_ < arrays.size(); ++pinned_) buffers_[pinned_] = BufferPtr::adopt(pin(arrays[pinned_], what));
    if (donated.empty()) return;
    own_.assign(arrays.size(), false);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (!donated[i]) continue;
      buffers_[i].detach();
      own_[i] = true;
      buffers_[i] = arrays[i].node()->memory.donate({by, &(*by)[i]});
      if (!buffers_[i]) refuse_deleted(*arrays[i].node(), what);  // by another thread, after it was pinned
    }
  } catch (...) {
    let_go();
    throw;
  }
}

Pinned::~Pinned() { let_go(); }

void Pinned::let_go() {
  for (std::size_t i = 0; i < pinned_; ++i) {
    if (!own_.empty() && own_[i]) continue;
    buffers_[i].detach();
    arrays_[i].node()->memory.unpin();
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
