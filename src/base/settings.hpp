// The settings of tutti in one word: those of the process, and those that config::Scope puts before them on a thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::settings {

using Word = std::uint64_t;

/// Some bits of the word.
struct Field {
  int at, bits;
  constexpr Word mask() const { return ((Word{1} << bits) - 1) << at; }
  constexpr Word in(Word word) const { return (word & mask()) >> at; }
  constexpr Word of(Word value) const { return value << at; }
};
// 0 is what a process begins with.
inline constexpr Field x64{0, 1}, original_threefry{1, 1}, per_device{2, 1}, nans{3, 1}, infs{4, 1}, no_notes{5, 1};
inline constexpr Field captures{6, 2};   // 0: as the environment says, 1: they are checked, 2: they are not
inline constexpr Field backend{8, 8};    // 0: that of the environment
inline constexpr Field machine{16, 32};  // 0: the default one
inline constexpr Field platform{48, 4};  // 0: that of the environment; else its number + 1
/// What programs depend on.
inline constexpr Word key =
    x64.mask() | original_threefry.mask() | per_device.mask() | backend.mask() | machine.mask() | platform.mask();

inline constinit std::atomic<Word> of_process{0};

/// What a thread has of its own: the bits in `mask`.
struct Own {
  Word mask = 0, bits = 0;
};
inline constinit thread_local Own of_thread;

/// What holds on this thread.
inline Word now() { return (of_process.load(std::memory_order_relaxed) & ~of_thread.mask) | of_thread.bits; }
inline Word get(Field field) { return field.in(now()); }
/// Of the process.
inline void set(Field field, Word value) {
  Word old = of_process.load();
  while (!of_process.compare_exchange_weak(old, (old & ~field.mask()) | field.of(value))) {
  }
}

/// While it lives, this thread has the settings that another one had: work is handed on with them.
class Handed {
 public:
  explicit Handed(const Own& from) : before_(of_thread) { of_thread = from; }
  ~Handed() { of_thread = before_; }
  Handed(const Handed&) = delete;

 private:
  Own before_;
};

}  // namespace tutti::settings

// SPDX-License-Identifier: Apache-2.0
