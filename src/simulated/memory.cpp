#include "simulated/memory.hpp"

#include <sys/mman.h>

#include <map>
#include <memory>
#include <mutex>

#include "simulated/faults.hpp"

namespace tutti::simulated {
namespace {

struct Block final : Buffer {
  HostPtr inside;
};

// Addresses that mean nothing to the host: a stretch that is only reserved, given out again from its start when it
// ends.
void* address_without_memory(std::size_t bytes) {
  constexpr std::size_t kReserved = std::size_t{1} << 36, kStep = 64;
  static char* const begin = [] {
    void* at = mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
  }();
  static std::atomic<std::size_t> next{0};
  const std::size_t at = next.fetch_add((bytes / kStep + 1) * kStep) % kReserved;
  return begin ? begin + (at + bytes <= kReserved ? at : 0) : nullptr;
}

struct Memories {
  std::mutex mutex;
  std::map<int, std::unique_ptr<DeviceMemory>> by_device;
};
Memories& memories() {
  static auto& all = *new Memories;  // arrays may outlive every static
  return all;
}

}  // namespace

BufferPtr DeviceMemory::allocate(std::size_t bytes) {
  fault(device(), "an allocation of " + std::to_string(bytes) + " bytes");
  auto block = std::make_unique<Block>();
  block->inside = allocate_buffer(bytes);
  block->num_bytes = bytes;
  block->address = address_without_memory(bytes);
  block->memory = this;
  in_use_ += bytes;
  return BufferPtr(block.release());
}

void DeviceMemory::release(Buffer* buffer) noexcept {
  in_use_ -= buffer->num_bytes;
  delete static_cast<Block*>(buffer);
}

DeviceMemory& memory_of(int id) {
  Memories& all = memories();
  std::lock_guard lock(all.mutex);
  std::unique_ptr<DeviceMemory>& memory = all.by_device[id];
  if (!memory) memory = std::make_unique<DeviceMemory>(id);
  return *memory;
}

std::size_t bytes_in_use() {
  Memories& all = memories();
  std::lock_guard lock(all.mutex);
  std::size_t bytes = 0;
  for (const auto& [id, memory] : all.by_device) bytes += memory->in_use();
  return bytes;
}

char* inside(const BufferPtr& block) { return static_cast<char*>(static_cast<Block&>(*block).inside->data()); }

}  // namespace tutti::simulated

// SPDX-License-Identifier: Apache-2.0
