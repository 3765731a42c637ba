#include "run/transport.hpp"

#include <pthread.h>

#include <mutex>

#include "tutti/base/call_scope.hpp"

namespace tutti::run {
namespace {

std::unique_ptr<Transport>& held() {
  static auto* one = new std::unique_ptr<Transport>;  // until the process is gone: it is closed, not destroyed
  return *one;
}
std::atomic<bool> forked{false};

}  // namespace

bool is_forked() { return forked.load(std::memory_order_relaxed); }

void refuse_in_child() {
  const std::string who = std::to_string(transport()->index()) + " of " + std::to_string(transport()->count());
  raise<DistributedError>("fork", "this is a child of process " + who + ", and takes no part in what processes send",
                          "Compute there with arrays that are whole here, or let the child start another program.");
}

void Transport::Flight::land(const std::string& what, const std::function<void()>& meanwhile) {
  if (is_forked()) refuse_in_child();
  if (const std::string problem = wait(what, meanwhile); !problem.empty())
    raise<DistributedError>(what, problem,
                            "All processes must do the same in the same order, with meshes and shapes equal on all; "
                            "TUTTI_CHECK=processes compares them at each call.");
}

Transport* transport() { return held().get(); }
void set_transport(std::unique_ptr<Transport> transport) {
  held() = std::move(transport);
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, [] { forked.store(held() != nullptr); }); });
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
