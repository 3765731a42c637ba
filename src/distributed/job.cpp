#include "distributed/job.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "base/environment.hpp"
#include "base/say.hpp"
#include "tutti/distributed/distributed.hpp"

namespace tutti::distributed {
namespace {

struct Starter {
  const char *count, *index;
};
constexpr Starter starters[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                {"PMI_SIZE", "PMI_RANK"},
                                {"MPI_LOCALNRANKS", "MPI_LOCALRANKID"},
                                {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

int number_in(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::atoi(text) : otherwise;
}

const Starter* starter() {
  for (const Starter& s : starters)
    if (std::getenv(s.count)) return &s;
  return nullptr;
}

// Of the job, as its starter names it: an mpirun within a job starts another one.
std::string job_name() {
  std::string name;
  for (const char* variable : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "PMI_PORT", "PMI_FD",
                               "SLURM_JOB_ID", "SLURM_STEP_ID"})
    if (const char* text = std::getenv(variable)) name += std::string(text) + "/";
  return name;
}

// Another process has the place that the environment, which this one got of it, speaks of.
bool place_is_taken() {
  const std::string claim = environment::value(environment::job_process);
  const std::string::size_type at = claim.rfind(' ');
  return at != std::string::npos && claim.substr(0, at) == job_name() &&
         claim.substr(at + 1) != std::to_string(getpid());
}

}  // namespace

int processes_started() {
  const Starter* s = starter();
  return !s || place_is_taken() ? 1 : number_in(s->count, 1);
}

void claim_place() { setenv(environment::job_process.name, (job_name() + " " + std::to_string(getpid())).c_str(), 1); }

void tell_if_alone() {
  static std::atomic<bool> looked{false};
  if (looked.load(std::memory_order_relaxed) || looked.exchange(true) || is_initialized()) return;
  int count = processes_started();
  // Old versions of SLURM; in a batch script, which is none of its tasks, there is no step.
  if (!starter() && std::getenv("SLURM_STEP_ID") && !place_is_taken()) count = number_in("SLURM_NTASKS", 1);
  const int index = starter() ? number_in(starter()->index, 0) : number_in("SLURM_PROCID", 0);
  if (count <= 1 || index > 0 || environment::has_word(environment::log, "quiet")) return;
  say(Message::Kind::note, "tutti: this is one of " + std::to_string(count) +
                               " processes of a job, and distributed::initialize() was not called: each computes "
                               "everything alone (TUTTI_LOG=quiet keeps this line away)\n");
}

}  // namespace tutti::distributed

// SPDX-License-Identifier: Apache-2.0
