// The memory of one array: threads read it while another may take it away, by deletion or donation.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "device/buffer.hpp"

namespace tutti {

/// Who reads pins the memory first. Once it is taken away no pin succeeds, and the buffer goes with the last reader.
class ArrayMemory {
 public:
  ArrayMemory() = default;
  ArrayMemory(const ArrayMemory&) = delete;
  ~ArrayMemory() { BufferPtr::adopt(buffer_.load(std::memory_order_relaxed)).reset(); }

  /// Sets the buffer of an array that no other thread has seen yet.
  void set(BufferPtr buffer) { buffer_.store(buffer.detach(), std::memory_order_relaxed); }
  /// Sets it unless another thread was quicker: for a caller who has a pin.
  void offer(BufferPtr buffer) {
    Buffer* none = nullptr;
    if (buffer_.compare_exchange_strong(none, buffer.get(), std::memory_order_acq_rel)) buffer.detach();
  }

  /// False when it has been taken away; else it stays until unpin().
  bool pin() {
    std::uint32_t s = state_.load(std::memory_order_relaxed);
    while (!(s & kGone))
      if (state_.compare_exchange_weak(s, s + 1, std::memory_order_acquire, std::memory_order_relaxed)) return true;
    return false;
  }
  void unpin() {
    const std::uint32_t s = state_.fetch_sub(1, std::memory_order_acq_rel);
    if ((s & kGone) && (s & kPins) == 1) drop();
  }
  /// For a caller who has a pin; nullptr when a literal has none yet.
  Buffer* buffer() const { return buffer_.load(std::memory_order_acquire); }

  bool gone() const { return state_.load(std::memory_order_acquire) & kGone; }
  /// Who took it away.
  std::string taken_by() const { return state_.load(std::memory_order_acquire) & kTold ? *by_ : "another thread"; }

  /// Deletion: false when that was done before.
  bool remove(std::shared_ptr<const std::string> by) {
    const std::uint32_t s = state_.fetch_or(kGone, std::memory_order_acq_rel);
    if (s & kGone) return false;
    if ((s & kPins) == 0) drop();
    tell(std::move(by));
    return true;
  }
  /// Donation by a caller who has a pin, which ends. The only share when nobody else has a pin or a share; empty when
  /// somebody else took it away.
  BufferPtr donate(std::shared_ptr<const std::string> by) {
    const std::uint32_t s = state_.fetch_or(kGone, std::memory_order_acq_rel);
    BufferPtr share;
    if (!(s & kGone)) {
      tell(std::move(by));
      if ((s & kPins) == 1)
        share = BufferPtr::adopt(buffer_.exchange(nullptr, std::memory_order_acq_rel));
      else
        share = BufferPtr(buffer());
    }
    unpin();
    return share;
  }

 private:
  static constexpr std::uint32_t kGone = 1u << 31, kTold = 1u << 30, kPins = kTold - 1;
  void tell(std::shared_ptr<const std::string> by) {
    by_ = std::move(by);
    state_.fetch_or(kTold, std::memory_order_release);
  }
  void drop() { BufferPtr::adopt(buffer_.exchange(nullptr, std::memory_order_acq_rel)).reset(); }

  std::atomic<Buffer*> buffer_{nullptr};   // one share is ours
  std::atomic<std::uint32_t> state_{0};    // how many read, and what has happened
  std::shared_ptr<const std::string> by_;  // set once, before kTold
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
