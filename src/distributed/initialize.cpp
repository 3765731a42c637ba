// How a process finds the others, and how it leaves them.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "base/say.hpp"
#include "device/client.hpp"
#include "distributed/job.hpp"
#include "distributed/start_watch.hpp"
#include "mesh/mesh_node.hpp"
#include "mesh/process.hpp"
#include "run/pool.hpp"
#include "run/processors.hpp"
#include "run/transport.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/distributed/distributed.hpp"

namespace tutti::distributed {
namespace {

std::string folder_of_this_program() {
  std::error_code none;
  return std::filesystem::read_symlink("/proc/self/exe", none).parent_path().string();
}

// Of the program where tutti is a part of it.
std::string folder_of_this_library() {
  Dl_info own;
  if (dladdr(reinterpret_cast<void*>(&folder_of_this_program), &own) == 0 || !own.dli_fname) return {};
  return std::filesystem::path(own.dli_fname).parent_path().string();
}

std::unique_ptr<run::Transport> open_module(int processes, const run::WaitTimes& times) {
  constexpr const char* name = "libtutti_mpi.so";
  const std::string program = folder_of_this_program();
  std::vector<std::string> places{environment::value(environment::mpi_module)};
  // In a build the module is above the programs; installed, in the folder of libraries.
  for (const std::string& folder :
       {program, folder_of_this_library(), program + "/..", program + "/../lib", std::string(TUTTI_MODULE_FOLDER)})
    places.push_back(folder + "/" + name);
  places.push_back(name);
  std::string problems;
  for (const std::string& place : places) {
    if (place.empty() || (place.find('/') != std::string::npos && access(place.c_str(), R_OK) != 0)) continue;
    void* module = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);  // an MPI loads parts of itself, which look there
    if (!module) {
      problems += std::string(problems.empty() ? "" : "; ") + dlerror();
      continue;
    }
    const auto open = reinterpret_cast<run::OpenTransport>(dlsym(module, "tutti_transport"));
    std::string error = "it does not export tutti_transport";
    if (run::Transport* t = open ? open(times, error) : nullptr) return std::unique_ptr<run::Transport>(t);
    problems += (problems.empty() ? "" : "; ") + place + ": " + error;
  }
  raise<DistributedError>("distributed::initialize",
                          "this is one of " + std::to_string(processes) + " processes, and the module " + name +
                              " could not be loaded" + (problems.empty() ? "" : ": " + problems),
                          "Install an MPI (on Debian: libopenmpi-dev openmpi-bin) and build tutti again, or name the "
                          "module in TUTTI_MPI_MODULE.");
}

pid_t own = 0;  // what fork makes of this process is no part of the job, and ends as it likes
std::terminate_handler ends_alone = nullptr;
bool in_job() { return getpid() == own; }

std::string this_one() {
  return "process " + std::to_string(this_process().index) + " of " + std::to_string(this_process().count);
}

// Whoever leaves by an exception takes the others along: they would wait for ever.
[[noreturn]] void end_the_job() {
  if (!in_job()) {
    if (ends_alone) ends_alone();
    std::abort();
  }
  std::string what = "ends without an exception";
  try {
    if (const std::exception_ptr e = std::current_exception()) std::rethrow_exception(e);
  } catch (const std::exception& e) {
    what = std::string("ends by an exception: ") + e.what();
  } catch (...) {
    what = "ends by an exception";
  }
  say(Message::Kind::warning, "tutti: " + this_one() + " " + what + "\n");
  run::transport()->abort(1);
  std::abort();
}

void leave(int status, void*) {
  if (!in_job()) return;
  std::cout.flush();
  std::fflush(nullptr);
  if (status != 0) {
    say(Message::Kind::warning, "tutti: " + this_one() + " exits with " + std::to_string(status) + "\n");
    run::transport()->abort(status);
  }
  run::transport()->close();
}

}  // namespace

void initialize(const Options& options, Loc loc) {
  CallScope scope(loc, Loc{"", "distributed::initialize"});
  const int processes = processes_started();
  if (is_initialized() || processes <= 1) return;
  if (devices_were_used())
    raise<ValueError>("distributed::initialize", "devices were used before",
                      "Call it first in main: only set_cpu_devices may stand before it.");
  if (client_of(Mesh()))
    raise<UnsupportedError>("distributed::initialize",
                            "TUTTI_PLATFORM or config::platform says 'simulated', and this job has " +
                                std::to_string(processes) + " processes: simulated devices are of one",
                            "Run one process, or leave the platform at 'cpu'.");
  if (!(options.wait_limit >= 0))
    raise<ValueError>("distributed::initialize", "wait_limit is " + std::to_string(options.wait_limit),
                      "Give seconds, 0 for none.");
  const run::WaitTimes times{environment::number(environment::collective_timeout, 60),
                             environment::number(environment::wait_limit, options.wait_limit), say_warning};
  std::unique_ptr<run::Transport> t;
  {
    const StartWatch watch(times);
    t = open_module(processes, times);
  }
  own = getpid();
  claim_place();
  set_process({t->index(), t->count()});
  deal_out_devices("distributed::initialize");
  const int share = num_threads() / t->count_here();  // of cores: a process that is bound to some has these alone
  if (environment::value(environment::num_threads).empty() &&
      static_cast<long>(run::affinity_mask().size()) == sysconf(_SC_NPROCESSORS_ONLN))
    set_num_threads(share > 0 ? share : 1);
  run::set_transport(std::move(t));
  ends_alone = std::set_terminate(end_the_job);
  on_exit(leave, nullptr);
  if (options.quiet_others && this_process().index > 0 && !std::freopen("/dev/null", "w", stdout))
    say(Message::Kind::warning, "tutti: " + this_one() + " could not give up its stdout\n");
}

bool is_initialized() { return run::transport() != nullptr; }

}  // namespace tutti::distributed

// SPDX-License-Identifier: Apache-2.0
