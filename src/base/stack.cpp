#include "base/stack.hpp"

#include <pthread.h>

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "base/settings.hpp"
#include "base/stay_loaded.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

// The lowest address of this thread's stack; 0: not known.
std::uintptr_t lowest_address() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* begin = nullptr;
  std::size_t size = 0, guard = 0;
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_getguardsize(&attributes, &guard);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(begin) + guard;
}

// A thread with a large stack; nonzero: none can be had.
int create_thread(pthread_t* thread, int detach_state, void* (*run)(void*), void* argument) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return -1;
  pthread_attr_setstacksize(&attributes, kLargeStack);
  pthread_attr_setdetachstate(&attributes, detach_state);
  const int failed = pthread_create(thread, &attributes, run, argument);
  pthread_attr_destroy(&attributes);
  return failed;
}

}  // namespace

std::size_t stack_left() {
  static constinit thread_local std::uintptr_t lowest = 0;
  if (lowest == 0) lowest = lowest_address();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here > lowest ? here - lowest : 0;
}

bool start_thread(std::function<void()> f) {
  stay_loaded();
  auto owned = std::make_unique<std::function<void()>>(std::move(f));
  pthread_t thread;
  const auto run = [](void* p) -> void* {
    const std::unique_ptr<std::function<void()>> mine(static_cast<std::function<void()>*>(p));
    (*mine)();
    return nullptr;
  };
  if (create_thread(&thread, PTHREAD_CREATE_DETACHED, run, owned.get()) != 0) return false;
  (void)owned.release();  // of the thread
  return true;
}

void with_stack(std::size_t bytes, const std::function<void()>& f) {
  if (stack_left() >= bytes) return f();
  struct Call {
    const std::function<void()>& f;
    settings::Own own = settings::of_thread;
    std::exception_ptr failure{};
  } call{f};
  pthread_t thread;
  const auto run = [](void* p) -> void* {
    Call& c = *static_cast<Call*>(p);
    const settings::Handed settings(c.own);
    try {
      c.f();
    } catch (...) {
      c.failure = std::current_exception();
    }
    return nullptr;
  };
  if (create_thread(&thread, PTHREAD_CREATE_JOINABLE, run, &call) != 0)
    raise<Error>("out of memory", "the stack of this thread is too small, and no other thread can be started",
                 "Call from a thread with a larger stack, or raise the limits of the process.");
  pthread_join(thread, nullptr);
  if (call.failure) std::rethrow_exception(call.failure);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
