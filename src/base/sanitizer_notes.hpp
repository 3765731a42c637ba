// Notes to ThreadSanitizer about atomics that it does not see, where it watches a program but not this library.
#pragma once

extern "C" {
[[gnu::weak]] void AnnotateHappensBefore(const char* file, int line, const volatile void* address);
[[gnu::weak]] void AnnotateHappensAfter(const char* file, int line, const volatile void* address);
}

namespace tutti {

/// What this thread has done happens before what another does after happens_after(address), to be called after a store
/// was seen that follows this call.
inline void happens_before(const volatile void* address) {
  if (AnnotateHappensBefore) AnnotateHappensBefore(__FILE__, __LINE__, address);
}
inline void happens_after(const volatile void* address) {
  if (AnnotateHappensAfter) AnnotateHappensAfter(__FILE__, __LINE__, address);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
