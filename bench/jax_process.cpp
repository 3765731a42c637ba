#include "jax_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <vector>
#include <nlohmann/json.hpp>

namespace bench {
namespace {

constexpr std::chrono::seconds kPatience(240);  // with one answer, for which JAX may have to compile

pid_t start(const std::vector<std::string>& words, int in, int out, bool quiet) {
  std::vector<char*> argv;
  for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
  argv.push_back(nullptr);
  pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("cannot start " + words[0]);
  if (pid > 0) return pid;
  if (in >= 0) dup2(in, 0);
  if (out >= 0) dup2(out, 1);
  if (quiet) {
    int null = open("/dev/null", O_WRONLY);
    dup2(null, 1);
    dup2(null, 2);
  }
  execvp(argv[0], argv.data());
  _exit(127);
}

}  // namespace

std::optional<std::string> find_jax(const std::string& wanted) {
  std::string python = wanted.empty() ? "python3" : wanted;
  int status = 1;
  waitpid(start({python, "-c", "import jax"}, -1, -1, true), &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return python;
  return {};
}

JaxProcess::JaxProcess(const std::string& python, const std::string& script, int devices)
    : python_(python), script_(script), devices_(devices) {
  signal(SIGPIPE, SIG_IGN);  // a JAX that died is told by its missing answer
  start();
}

JaxProcess::~JaxProcess() { stop(false); }

void JaxProcess::start() {
  std::array<int, 2> to{}, from{};
  if (pipe2(to.data(), O_CLOEXEC) != 0 || pipe2(from.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("cannot make a pipe");
  child_ = bench::start({python_, script_, "--devices", std::to_string(devices_)}, to[0], from[1], false);
  close(to[0]);
  close(from[1]);
  ask_ = to[1];
  answer_ = from[0];
}

void JaxProcess::stop(bool at_once) {
  close(ask_);  // the end of its input ends it
  close(answer_);
  if (at_once) kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

std::optional<std::string> JaxProcess::answer(const std::string& name) {
  using Clock = std::chrono::steady_clock;
  const std::string question = name + "\n";
  if (write(ask_, question.data(), question.size()) != static_cast<ssize_t>(question.size())) return {};
  const Clock::time_point deadline = Clock::now() + kPatience;
  std::string line;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd ready{answer_, POLLIN, 0};
    if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) <= 0) {
      hung_ = true;
      return {};
    }
    char c = 0;
    if (read(answer_, &c, 1) != 1) return {};
    if (c == '\n') return line;
    line.push_back(c);
  }
}

std::optional<double> JaxProcess::round(const std::string& name, std::string& error) {
  hung_ = false;
  std::optional<std::string> line = answer(name);
  for (int again = 0; !line; ++again) {  // a fresh one; what hung once is not waited for again
    stop(true);
    ++restarts_;
    start();
    if (hung_ || again > 0) {
      error = hung_ ? "JAX gave no answer in " + std::to_string(kPatience.count()) + " s" : "JAX died twice";
      return {};
    }
    line = answer(name);
  }
  nlohmann::json reply = nlohmann::json::parse(*line, nullptr, false);
  if (reply.is_object() && reply.contains("ms")) return reply["ms"].get<double>();
  error = reply.is_object() ? reply.value("error", "no answer") : "JAX answered \"" + *line + "\"";
  return {};
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
