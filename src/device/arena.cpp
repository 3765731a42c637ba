// The arena of host memory: blocks for arrays and temporaries, recycled by size, in huge pages. Fresh pages cost more
// than arithmetic, so memory stays here below a cap once it was touched (design: cpu-engine.md 4.2).
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "base/per_thread.hpp"
#include "device/buffer.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

constexpr std::size_t kHuge = std::size_t{2} << 20, kSmallLimit = std::size_t{1} << 20, kPage = 4096;
constexpr int kClasses = 57;  // 128 B to 1 MiB in four steps a doubling

// Class c holds blocks (header included) of class_bytes(c): 128, 160, 192, 224, 256, 320, ...
constexpr std::size_t class_bytes(int c) { return (std::size_t{128} << (c / 4)) / 4 * (4 + c % 4); }
int class_of(std::size_t total) {
  if (total <= 128) return 0;
  const int doubling = std::bit_width(total - 1) - 8;  // 128 << doubling < total <= 256 << doubling
  const std::size_t step = (std::size_t{128} << doubling) / 4;
  return doubling * 4 + static_cast<int>((total - (std::size_t{128} << doubling) + step - 1) / step);
}
static_assert(class_bytes(0) == 128 && class_bytes(1) == 160 && class_bytes(52) == kSmallLimit &&
              class_bytes(kClasses - 1) == 2 * kSmallLimit);

HostBuffer*& next_of(HostBuffer* b) {
  return *static_cast<HostBuffer**>(b->data());
}  // free blocks are linked through their data

struct Global {
  std::mutex mutex;
  std::array<HostBuffer*, kClasses> free{};
  std::multimap<std::size_t, HostBuffer*>
      large;  // free large blocks by capacity; of equal ones the last given is first
  std::size_t large_free = 0;
  char* cursor = nullptr;
  char* end = nullptr;
  std::atomic<std::size_t> in_use{0}, peak{0}, committed{0};
  std::size_t cap =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)) / 3;

  static Error out_of_memory(std::size_t bytes) {
    return Error(error_text("out of memory", "there is no room for a block of " + std::to_string(bytes) + " bytes",
                            "Use smaller arrays, or cut them over more devices."));
  }

  void* map(std::size_t bytes) {  // aligned to 2 MiB, so that huge pages can be used from the first byte
    if (bytes > 3 * cap + kHuge)
      throw out_of_memory(
          bytes);  // more than the machine has: the pages would be promised, and the process killed at their first use
    const std::size_t reserve = bytes + kHuge;
    void* raw = mmap(nullptr, reserve, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) throw out_of_memory(bytes);
    char* begin = static_cast<char*>(raw);
    char* aligned = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(begin) + kHuge - 1) / kHuge * kHuge);
    if (aligned != begin) munmap(begin, static_cast<std::size_t>(aligned - begin));
    if (aligned + bytes != begin + reserve)
      munmap(aligned + bytes, static_cast<std::size_t>(begin + reserve - aligned - bytes));
    madvise(aligned, bytes, MADV_HUGEPAGE);
    committed += bytes;
    return aligned;
  }

  HostBuffer* take_small(int c) {  // under the mutex
    if (HostBuffer* b = free[c]) {
      free[c] = next_of(b);
      return b;
    }
    const std::size_t bytes = (class_bytes(c) + 63) / 64 * 64;
    if (static_cast<std::size_t>(end - cursor) <
        bytes) {  // the rest of the old extent is lost: under one block of this class
      cursor = static_cast<char*>(map(2 * kHuge));
      end = cursor + 2 * kHuge;
    }
    HostBuffer* b = new (cursor) HostBuffer;
    cursor += bytes;
    b->size_class = c;
    b->capacity = bytes - sizeof(Buffer);
    return b;
  }

  HostBuffer* take_large(std::size_t total) {
    {
      std::lock_guard lock(mutex);
      auto it = large.lower_bound(total - sizeof(Buffer));
      if (it != large.end() && it->first <= (total + total / 4)) {
        HostBuffer* b = it->second;
        large_free -= it->first;
        large.erase(it);
        return b;
      }
    }
    const std::size_t unit = total > 32 * kSmallLimit ? kHuge : 16 * kPage, bytes = (total + unit - 1) / unit * unit;
    HostBuffer* b = new (map(bytes)) HostBuffer;
    b->size_class = -1;
    b->capacity = bytes - sizeof(Buffer);
    return b;
  }

  void give_large(HostBuffer* b) {
    std::lock_guard lock(mutex);
    large.emplace_hint(large.lower_bound(b->capacity), b->capacity, b);  // what was used last is still in the caches
    large_free += b->capacity;
    while (large_free > cap) {  // the largest goes back first
      auto it = std::prev(large.end());
      large_free -= it->first;
      committed -= it->first + sizeof(Buffer);
      munmap(it->second, it->first + sizeof(Buffer));
      large.erase(it);
    }
  }
};

Global& global() {
  static Global* g = new Global;  // never destroyed: arrays may outlive every static
  return *g;
}

// A thread keeps some blocks of each class for itself; at its end they go to the global lists.
struct ThreadCache {
  std::array<HostBuffer*, kClasses> free{};
  std::array<int, kClasses> count{};
  ~ThreadCache();
};

ThreadCache::~ThreadCache() {
  std::lock_guard lock(global().mutex);
  for (int c = 0; c < kClasses; ++c)
    while (HostBuffer* b = free[c]) {
      free[c] = next_of(b);
      next_of(b) = global().free[c];
      global().free[c] = b;
    }
}

struct LentBuffer : HostBuffer {
  std::function<void()> release;
};

int cache_limit(int c) { return std::clamp(static_cast<int>((std::size_t{1} << 20) / class_bytes(c)), 4, 256); }

}  // namespace

HostPtr allocate_buffer(std::size_t bytes) {
  Global& g = global();
  const std::size_t total = std::max(bytes, sizeof(void*)) + sizeof(Buffer);
  HostBuffer* b = nullptr;
  if (total > kSmallLimit) {
    b = g.take_large(total);
  } else {
    const int c = class_of(total);
    if (ThreadCache& cache = per_thread<ThreadCache>(); cache.free[c]) {
      b = cache.free[c];
      cache.free[c] = next_of(b);
      --cache.count[c];
    } else {
      std::lock_guard lock(g.mutex);
      b = g.take_small(c);
    }
  }
  b->num_bytes = bytes;
  b->count.store(0, std::memory_order_relaxed);
  const std::size_t now = g.in_use.fetch_add(b->capacity, std::memory_order_relaxed) + b->capacity;
  for (std::size_t p = g.peak.load(std::memory_order_relaxed);
       now > p && !g.peak.compare_exchange_weak(p, now, std::memory_order_relaxed);) {
  }
  return HostPtr(b);
}

HostPtr lent_buffer(const void* data, std::size_t bytes, std::function<void()> release) {
  auto* b = new LentBuffer;
  b->release = std::move(release);
  b->num_bytes = bytes;
  if (data) b->address = const_cast<void*>(data);
  b->lent = true;
  return HostPtr(b);
}

void refuse_on_host(const Buffer& buffer) { throw InternalError("host code reads " + buffer.memory->name()); }

void release_buffer(Buffer* any) noexcept {
  if (any->memory) return any->memory->release(any);
  auto* const b = static_cast<HostBuffer*>(any);
  if (b->lent) {
    const std::unique_ptr<LentBuffer> last(static_cast<LentBuffer*>(b));
    if (last->release) last->release();
    return;
  }
  Global& g = global();
  g.in_use.fetch_sub(b->capacity, std::memory_order_relaxed);
  const int c = b->size_class;
  if (c < 0) return g.give_large(b);
  if (ThreadCache& cache = per_thread<ThreadCache>(); cache.count[c] < cache_limit(c)) {
    next_of(b) = cache.free[c];
    cache.free[c] = b;
    ++cache.count[c];
    return;
  }
  std::lock_guard lock(g.mutex);
  next_of(b) = g.free[c];
  g.free[c] = b;
}

MemoryStats memory_stats() {
  Global& g = global();
  return {g.in_use.load(), g.peak.load(), g.committed.load()};
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
