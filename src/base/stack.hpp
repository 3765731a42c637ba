// The stack of a thread: how much is left, and a larger one for those who need it.
#pragma once

#include <cstddef>
#include <functional>

namespace tutti {

/// Bytes that are left on the stack of this thread, about.
std::size_t stack_left();

/// Of the workers, and of those who ask for a large stack.
constexpr std::size_t kLargeStack = std::size_t{8} << 20;

/// Starts a thread that nobody joins, with a stack of kLargeStack whatever the limits of the process say; false where
/// no thread can be started. f does not throw.
bool start_thread(std::function<void()> f);

/// Calls f where at least `bytes` are left: here, or on a thread of its own, for which this one waits. What f throws
/// comes out here. Error where a thread is needed and none can be started.
void with_stack(std::size_t bytes, const std::function<void()>& f);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
