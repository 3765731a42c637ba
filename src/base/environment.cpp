#include "base/environment.hpp"

#include <cstdlib>

namespace tutti::environment {

const EnvironmentVariable backend{"TUTTI_BACKEND", "`cpu` (default), `reference`",
                                  "what runs programs; `config::backend(name)` changes it"};
const EnvironmentVariable check{"TUTTI_CHECK", "words with commas: `passes`, `processes`",
                                "verify what every pass of the pipeline hands on (on in debug builds); that all "
                                "processes call the same programs in the same order and give device_put the same"};
const EnvironmentVariable collective_timeout{"TUTTI_COLLECTIVE_TIMEOUT", "seconds, default 60",
                                             "after how long a wait for other processes is told on stderr, and again "
                                             "each time it has lasted twice as long; 0: never"};
const EnvironmentVariable cpu_devices{"TUTTI_CPU_DEVICES", "a number", "how many devices this process has, fixed"};
const EnvironmentVariable cpu_ir{"TUTTI_CPU_IR", "anything", "print the LLVM IR of every kernel to stderr"};
const EnvironmentVariable cpu_isa{"TUTTI_CPU_ISA", "`plain`, `avx2`, `avx512`", "use no more than these instructions"};
const EnvironmentVariable dump{"TUTTI_DUMP", "a folder", "write what every pass of the pipeline hands on, a file each"};
const EnvironmentVariable log{"TUTTI_LOG", "words with commas: `passes`, `recompile`, `stages`, `quiet`",
                              "tell on stderr: time and sizes of passes; why a jit traces again; the time of each "
                              "stage of each program, when the process ends; nothing unasked"};
const EnvironmentVariable job_process{"TUTTI_JOB_PROCESS", "set by tutti",
                                      "that this program was started by a process of a job: it runs alone"};
const EnvironmentVariable mpi_module{"TUTTI_MPI_MODULE", "a file",
                                     "where libtutti_mpi.so is, if neither beside the program nor where it was built"};
const EnvironmentVariable num_threads{"TUTTI_NUM_THREADS", "a number",
                                      "threads of one run; default: the cores of this process"};
const EnvironmentVariable spin_us{"TUTTI_SPIN_US", "a number, default 50",
                                  "microseconds that an idle worker waits awake"};
const EnvironmentVariable wait_limit{"TUTTI_WAIT_LIMIT", "seconds, default 0: none",
                                     "after how long a wait for other processes ends the job, with exit code 124"};

std::span<const EnvironmentVariable* const> all() {
  static constexpr const EnvironmentVariable* table[] = {
      &backend,     &check, &collective_timeout, &cpu_devices, &cpu_ir,  &cpu_isa,   &dump,
      &job_process, &log,   &mpi_module,         &num_threads, &spin_us, &wait_limit};
  return table;
}

std::string value(const EnvironmentVariable& variable) {
  const char* text = std::getenv(variable.name);
  return text ? text : "";
}

bool has_word(const EnvironmentVariable& variable, std::string_view word) {
  std::string text = "," + value(variable) + ",";
  return text.find("," + std::string(word) + ",") != std::string::npos;
}

}  // namespace tutti::environment
