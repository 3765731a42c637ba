// The memories of simulated devices. What lies in them is reached from here alone, by the device's own code: the
// address that a block shows to everybody else is one at which nothing can be read or written.
#pragma once

#include <atomic>
#include <string>

#include "device/buffer.hpp"
#include "tutti/mesh/mesh.hpp"

namespace tutti::simulated {

class DeviceMemory final : public Memory {
 public:
  explicit DeviceMemory(int device) : device_(device) {}
  std::string name() const override { return "the memory of " + device().str(); }
  void release(Buffer* buffer) noexcept override;
  Device device() const { return Device(device_, "simulated", "simulated"); }

  /// Not cleared. Throws the Error of an allocation that set_faults lets fail.
  BufferPtr allocate(std::size_t bytes);
  /// Bytes of live blocks.
  std::size_t in_use() const { return in_use_; }

 private:
  int device_;
  std::atomic<std::size_t> in_use_{0};
};

/// The memory of simulated device `id`; it lives as long as the process.
DeviceMemory& memory_of(int id);
/// Of all devices: bytes of live blocks.
std::size_t bytes_in_use();
/// Where the elements of a block really are, for what stands for the device and its copies.
char* inside(const BufferPtr& block);

}  // namespace tutti::simulated

// SPDX-License-Identifier: Apache-2.0
