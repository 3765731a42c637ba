#include "job.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <nlohmann/json.hpp>

namespace bench {
namespace {

constexpr std::chrono::seconds kSilence(150);  // with one answer, for which JAX may have to compile

// A child with a process group of its own, whose lines are read.
class Child {
 public:
  Child(const Job& job, const std::vector<std::string>& cases) {
    std::array<int, 2> from{};
    if (pipe2(from.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe");
    std::vector<char*> argv;
    for (const std::string& w : job.command) argv.push_back(const_cast<char*>(w.c_str()));
    for (const std::string& c : cases) argv.push_back(const_cast<char*>(c.c_str()));
    argv.push_back(nullptr);
    const pid_t driver = getpid();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("cannot start " + job.command[0]);
    if (pid_ == 0) {
      setpgid(0, 0);
      // It ends with the driver, however that ends: mpirun takes its processes along.
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != driver) _exit(127);
      dup2(from[1], 1);
      const int null = open("/dev/null", O_RDWR);
      dup2(null, 0);
      dup2(null, 2);
      for (const auto& [name, value] : job.environment) setenv(name.c_str(), value.c_str(), 1);
      execvp(argv[0], argv.data());
      _exit(127);
    }
    setpgid(pid_, pid_);
    close(from[1]);
    read_ = from[0];
  }
  ~Child() {
    close(read_);
    using namespace std::chrono;
    // Asked first: what starts processes of its own in other groups, as mpirun does, ends them.
    const auto deadline = steady_clock::now() + (ended_ ? seconds(20) : seconds(0));
    while (steady_clock::now() < deadline && waitpid(pid_, nullptr, WNOHANG) == 0) usleep(10000);
    if (kill(-pid_, SIGTERM) == 0) {
      for (int i = 0; i < 100 && waitpid(pid_, nullptr, WNOHANG) == 0; ++i) usleep(20000);
      kill(-pid_, SIGKILL);
    }
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;

  /// Nothing when it ended or took too long.
  std::optional<std::string> line() {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point deadline = Clock::now() + kSilence;
    std::string out;
    while (true) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
      pollfd ready{read_, POLLIN, 0};
      if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) <= 0) return {};
      char c = 0;
      if (read(read_, &c, 1) != 1) {
        ended_ = true;
        return {};
      }
      if (c == '\n') return out;
      out.push_back(c);
    }
  }

 private:
  pid_t pid_ = -1;
  int read_ = -1;
  bool ended_ = false;
};

}  // namespace

Answers run_job(const Job& job, std::vector<std::string> cases) {
  Answers out;
  std::string failed;  // the case in which the job before this one ended
  while (!cases.empty()) {
    Child child(job, cases);
    while (!cases.empty()) {
      const std::optional<std::string> line = child.line();
      if (!line) break;
      const nlohmann::json reply = nlohmann::json::parse(*line, nullptr, false);
      if (!reply.is_object() || reply.value("name", "") != cases.front()) continue;
      if (reply.contains("median_ms"))
        out.times[cases.front()] = {reply["min_ms"], reply["median_ms"]};
      else
        out.missing[cases.front()] = reply.value("error", "no time");
      cases.erase(cases.begin());
    }
    if (cases.empty()) break;
    ++out.restarts;
    if (failed == cases.front()) {
      out.missing[failed] = "died or hung twice";
      cases.erase(cases.begin());
    } else {
      failed = cases.front();
    }
  }
  return out;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
