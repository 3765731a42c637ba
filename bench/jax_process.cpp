#include "jax_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <vector>
#include <nlohmann/json.hpp>

namespace bench {
namespace {

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

JaxProcess::JaxProcess(const std::string& python, const std::string& script, int devices) {
  std::array<int, 2> to{}, from{};
  if (pipe2(to.data(), O_CLOEXEC) != 0 || pipe2(from.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("cannot make a pipe");
  signal(SIGPIPE, SIG_IGN);  // a JAX that died is told by its missing answer
  child_ = start({python, script, "--devices", std::to_string(devices)}, to[0], from[1], false);
  close(to[0]);
  close(from[1]);
  ask_ = fdopen(to[1], "w");
  answer_ = fdopen(from[0], "r");
}

JaxProcess::~JaxProcess() {
  std::fclose(ask_);  // the end of its input ends it
  std::fclose(answer_);
  waitpid(child_, nullptr, 0);
}

std::optional<double> JaxProcess::round(const std::string& name, std::string& error) {
  std::fprintf(ask_, "%s\n", name.c_str());
  std::fflush(ask_);
  std::string line;
  for (int c; (c = std::fgetc(answer_)) != EOF && c != '\n';) line.push_back(static_cast<char>(c));
  nlohmann::json reply = nlohmann::json::parse(line, nullptr, false);
  if (reply.is_object() && reply.contains("ms")) return reply["ms"].get<double>();
  error = reply.is_object() ? reply.value("error", "no answer") : "JAX ended, or answered \"" + line + "\"";
  return {};
}

}  // namespace bench
