#include "tutti/checkpoint/manager.hpp"

#include <unistd.h>

#include <exception>
#include <thread>
#include <utility>

#include "base/say.hpp"
#include "base/settings.hpp"
#include "checkpoint/step_folder.hpp"
#include "checkpoint/write.hpp"
#include "tutti/distributed/distributed.hpp"

namespace tutti::checkpoint {

// The thread that writes, while it does.
struct Manager::Writer {
  std::thread thread;
  pid_t owner = 0;             // a child of fork() does not have the thread
  std::exception_ptr failure;  // written before the thread ends, read after it was joined

  void finish() {
    if (!thread.joinable()) return;
    if (owner == ::getpid()) {
      thread.join();
    } else {
      new std::thread(std::move(thread));  // neither to be joined nor destroyed: it runs in the parent
    }
  }
};

Manager::Manager(std::string folder, const ManagerOptions& options, Loc loc)
    : folder_(std::move(folder)), options_(options), writer_(std::make_unique<Writer>()) {
  CallScope scope(loc);
  io::detail::check_path(folder_);
  if (options.every < 1 || options.keep < 0)
    raise<ValueError>(call_name("Manager"),
                      "every is " + std::to_string(options.every) + " and keep is " + std::to_string(options.keep),
                      "Save every 1 or more steps, and keep 1 or more checkpoints; 0 keeps all.");
}

Manager::~Manager() {
  writer_->finish();
  if (!writer_->failure) return;
  try {
    std::rethrow_exception(writer_->failure);
  } catch (const std::exception& e) {
    say(Message::Kind::warning, std::string(e.what()) + "\n");
  }
}

void Manager::wait() {
  writer_->finish();
  if (writer_->failure) std::rethrow_exception(std::exchange(writer_->failure, nullptr));
}

std::optional<std::int64_t> Manager::latest(Loc loc) {
  wait();
  return checkpoint::latest(folder_, loc);
}

void Manager::save_leaves(const detail::Leaves& leaves, const SaveOptions& options, Loc loc) {
  wait();
  detail::Snapshot snapshot = detail::snapshot_of(folder_, leaves, options);
  auto write = [folder = folder_, keep = options_.keep, snapshot = std::move(snapshot)]() mutable {
    detail::write_snapshot(folder, std::move(snapshot), keep);
  };
  if (!options_.asynchronous) {
    try {
      write();
    } catch (...) {
      writer_->failure = std::current_exception();
    }
    return wait();
  }
  auto shared = std::make_shared<decltype(write)>(std::move(write));
  auto attempt = [loc, &failure = writer_->failure, shared, own = settings::of_thread] {
    const settings::Handed settings(own);
    CallScope scope(loc, Loc{"", "tutti::checkpoint::Manager::save"});
    try {
      (*shared)();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  writer_->owner = ::getpid();
  try {
    writer_->thread = std::thread(attempt);
  } catch (const std::system_error&) {  // no thread can be started
    attempt();
  }
}

}  // namespace tutti::checkpoint

// SPDX-License-Identifier: Apache-2.0
