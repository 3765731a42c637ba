// Blocks of memory that arrays consist of: counted, each in the memory of a device or of the host. Their addresses are
// for whoever runs programs on the device; host code reads and writes through HostBuffer alone, and on_host() is the
// one way there.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace tutti {

struct Buffer;
class Client;

/// Where blocks lie that are not the host's: the memory of a device, or those of several that share an array.
class Memory {
 public:
  virtual ~Memory() = default;
  /// Whose ShardedBuffers these are (device/client.hpp); nullptr where they are blocks of one device.
  virtual Client* client() { return nullptr; }
  /// "the memory of SimDevice(id=0)", for errors.
  virtual std::string name() const = 0;
  /// Takes a block back; called at the last release, on any thread.
  virtual void release(Buffer* buffer) noexcept = 0;
};

/// One counted block.
struct alignas(64) Buffer {
  std::atomic<int> count{0};
  int size_class = 0;         // the arena's own
  std::size_t num_bytes = 0;  // asked for
  std::size_t capacity = 0;   // usable, >= num_bytes; 0 of lent memory
  void* address = nullptr;    // of the first byte, in its memory
  Memory* memory = nullptr;   // none: the host's
  bool lent = false;          // somebody else's: read and never written

  std::size_t bytes() const { return num_bytes; }
};
static_assert(sizeof(Buffer) == 64);

/// A block of host memory. Its header lies in front of the data, so that one allocation makes both, unless the data are
/// lent.
struct HostBuffer : Buffer {
  HostBuffer() { address = this + 1; }
  void* data() { return address; }
  const void* data() const { return address; }
};

/// Gives a block back to its memory; CountedPtr calls it at the last release.
void release_buffer(Buffer* buffer) noexcept;

/// A counted pointer to a Buffer.
template <class B> class CountedPtr {
 public:
  CountedPtr() = default;
  explicit CountedPtr(B* b) : b_(b) {
    if (b_) b_->count.fetch_add(1, std::memory_order_relaxed);
  }
  CountedPtr(const CountedPtr& o) : CountedPtr(o.b_) {}
  CountedPtr(CountedPtr&& o) noexcept : b_(std::exchange(o.b_, nullptr)) {}
  template <std::derived_from<B> D>
  requires(!std::same_as<D, B>) CountedPtr(CountedPtr<D> o)
  noexcept : b_(o.detach()) {}
  CountedPtr& operator=(CountedPtr o) noexcept {
    std::swap(b_, o.b_);
    return *this;
  }
  ~CountedPtr() { reset(); }

  void reset() noexcept {
    B* b = std::exchange(b_, nullptr);
    // The only owner needs no atomic write: nobody else can take a share.
    if (b && (b->count.load(std::memory_order_acquire) == 1 || b->count.fetch_sub(1, std::memory_order_acq_rel) == 1))
      release_buffer(b);
  }
  /// Takes over a share that is counted already; and gives one up without counting.
  static CountedPtr adopt(B* b) {
    CountedPtr out;
    out.b_ = b;
    return out;
  }
  B* detach() { return std::exchange(b_, nullptr); }
  B* get() const { return b_; }
  B* operator->() const { return b_; }
  B& operator*() const { return *b_; }
  explicit operator bool() const { return b_ != nullptr; }
  /// Whether the block may be written over once its array is given up: this is the only share, and nobody lent it.
  bool reusable() const { return b_ && !b_->lent && b_->count.load(std::memory_order_acquire) == 1; }
  template <class D> bool operator==(const CountedPtr<D>& o) const { return b_ == o.get(); }

 private:
  B* b_ = nullptr;
};
using BufferPtr = CountedPtr<Buffer>;
using HostPtr = CountedPtr<HostBuffer>;

/// InternalError: `buffer` lies where host code cannot read.
[[noreturn]] void refuse_on_host(const Buffer& buffer);

/// The block as host code may read it; InternalError where it lies in another memory: whoever holds an array takes it
/// from there by its client first.
inline HostBuffer& on_host(Buffer& buffer) {
  if (buffer.memory) refuse_on_host(buffer);
  return static_cast<HostBuffer&>(buffer);
}
inline HostBuffer& on_host(const BufferPtr& buffer) { return on_host(*buffer); }
/// The same, with the share.
inline HostPtr host_share(BufferPtr buffer) {
  on_host(*buffer);
  return HostPtr::adopt(static_cast<HostBuffer*>(buffer.detach()));
}

/// A block of host memory of at least `bytes` bytes, aligned to 64, not cleared. Zero bytes give a valid empty block.
HostPtr allocate_buffer(std::size_t bytes);
/// A block over host memory of somebody else, aligned as its elements are; `release` (no exceptions) runs with the last
/// share, on the thread that gives it up. When this throws it has not run.
HostPtr lent_buffer(const void* data, std::size_t bytes, std::function<void()> release);

/// What the arena of host memory holds now and held at most.
struct MemoryStats {
  std::size_t in_use = 0;     // bytes of live blocks
  std::size_t peak = 0;       // highest in_use so far
  std::size_t committed = 0;  // taken from the system and kept
};
MemoryStats memory_stats();

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
