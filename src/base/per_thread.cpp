#include "base/per_thread.hpp"

#include <pthread.h>

#include "base/stay_loaded.hpp"

namespace tutti {
namespace {

struct AtEnd {
  void (*call)();
  AtEnd* next;
};
constinit thread_local AtEnd* first_at_end = nullptr;  // the latest first

void run_at_end(void*) {
  while (AtEnd* a = first_at_end) {
    first_at_end = a->next;
    a->call();
    delete a;
  }
}

pthread_key_t key_of_ends() {
  static const pthread_key_t key = [] {
    stay_loaded();
    pthread_key_t made;
    return pthread_key_create(&made, run_at_end) == 0 ? made : pthread_key_t(-1);  // none left: nothing is destroyed
  }();
  return key;
}

}  // namespace

void at_thread_end(void (*f)()) {
  if (!first_at_end) pthread_setspecific(key_of_ends(), &first_at_end);
  first_at_end = new AtEnd{f, first_at_end};
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
