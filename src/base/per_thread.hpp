// State of a thread that may be used until the very end of the process, also by destructors of users' objects.
#pragma once

#include <utility>

namespace tutti {

/// Calls f when this thread ends, after the destructors of its thread_locals; at the end of the process not at all.
void at_thread_end(void (*f)());

/// The T of this thread, made when it is first asked for; T names its use. A C++ thread_local of the main thread is
/// destroyed before the first static object and the first atexit handler, which may compute. This one lives as long as
/// the process there, and in other threads longer than all thread_locals; asked for later still, it is made anew.
template <class T> T& per_thread() {
  static constinit thread_local T* value = nullptr;
  if (!value) [[unlikely]] {
    value = new T;
    at_thread_end([] { delete std::exchange(value, nullptr); });
  }
  return *value;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
