// Memory of arrays: counted blocks, 64-byte aligned, recycled by the arena (src/run/arena.cpp); or lent by somebody
// else, and aligned as its elements are.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

namespace tutti {

/// One counted block. Its header lies in front of the data, so that one allocation makes both, unless the data are
/// lent.
struct alignas(64) Buffer {
  std::atomic<int> count{0};
  int size_class = 0;         // the arena's own
  std::size_t num_bytes = 0;  // asked for
  std::size_t capacity = 0;   // usable, >= num_bytes; 0 of lent memory
  void* place = this + 1;     // of the data
  bool lent = false;

  void* data() { return place; }
  const void* data() const { return place; }
  std::size_t bytes() const { return num_bytes; }
};
static_assert(sizeof(Buffer) == 64);

/// Gives a block back to the arena; BufferPtr calls it at the last release.
void release_buffer(Buffer* buffer) noexcept;

/// A counted pointer to a Buffer.
class BufferPtr {
 public:
  BufferPtr() = default;
  explicit BufferPtr(Buffer* b) : b_(b) {
    if (b_) b_->count.fetch_add(1, std::memory_order_relaxed);
  }
  BufferPtr(const BufferPtr& o) : BufferPtr(o.b_) {}
  BufferPtr(BufferPtr&& o) noexcept : b_(std::exchange(o.b_, nullptr)) {}
  BufferPtr& operator=(BufferPtr o) noexcept {
    std::swap(b_, o.b_);
    return *this;
  }
  ~BufferPtr() { reset(); }

  void reset() noexcept {
    Buffer* b = std::exchange(b_, nullptr);
    // The only owner needs no atomic write: nobody else can take a share.
    if (b && (b->count.load(std::memory_order_acquire) == 1 || b->count.fetch_sub(1, std::memory_order_acq_rel) == 1))
      release_buffer(b);
  }
  /// Takes over a share that is counted already; and gives one up without counting.
  static BufferPtr adopt(Buffer* b) {
    BufferPtr out;
    out.b_ = b;
    return out;
  }
  Buffer* detach() { return std::exchange(b_, nullptr); }
  Buffer* get() const { return b_; }
  Buffer* operator->() const { return b_; }
  Buffer& operator*() const { return *b_; }
  explicit operator bool() const { return b_ != nullptr; }
  /// Whether the block may be written over once its array is given up: this is the only share, and nobody lent it.
  bool reusable() const { return b_ && !b_->lent && b_->count.load(std::memory_order_acquire) == 1; }
  friend bool operator==(const BufferPtr&, const BufferPtr&) = default;

 private:
  Buffer* b_ = nullptr;
};

/// A block of at least `bytes` bytes, not cleared. Zero bytes give a valid empty block.
BufferPtr allocate_buffer(std::size_t bytes);
/// A block over memory of somebody else, which is read and never written; `release` (no exceptions) runs with the last
/// share, on the thread that gives it up. When this throws it has not run.
BufferPtr lent_buffer(const void* data, std::size_t bytes, std::function<void()> release);

/// What the arena holds now and held at most.
struct MemoryStats {
  std::size_t in_use = 0;     // bytes of live blocks
  std::size_t peak = 0;       // highest in_use so far
  std::size_t committed = 0;  // taken from the system and kept
};
MemoryStats memory_stats();

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
