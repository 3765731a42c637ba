// Computing while and after main returns, and in programs whose environment is odd: each case is a process of its own,
// tests/ends/job.cpp. hostile-3, S1 and users-3, 1.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <vector>

extern "C" void __asan_init() __attribute__((weak));  // where the address sanitizer is

namespace tutti::test {
namespace {

struct Ended {
  int code = -1, signal = 0;
  std::vector<std::string> lines;  // of stdout and stderr
};

// The job with these variables set; killed after two minutes.
Ended run_job(const std::vector<std::string>& environment) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const std::string job = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "ends_job";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    close(ends[0]);
    close(ends[1]);
    for (const std::string& e : environment) putenv(strdup(e.c_str()));
    alarm(120);  // it stays after exec
    execl(job.c_str(), job.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) text.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  Ended out;
  int status = 0;
  waitpid(child, &status, 0);
  (WIFEXITED(status) ? out.code : out.signal) = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.lines.push_back(line);
  return out;
}

std::string text(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& l : lines) out += "  " + l + "\n";
  return out;
}

struct Pattern {
  const char* name;
  std::vector<std::string> lines;
  int code = 0, signal = 0;
};
class Ends : public ::testing::TestWithParam<Pattern> {};

TEST_P(Ends, compute) {
  const Pattern& p = GetParam();
  const std::string name = p.name;
  if (&__asan_init && (name == "memory_limit" || name == "least_stack"))
    GTEST_SKIP() << "the address sanitizer takes more than the limit itself";
  // They leave objects of their own; without threads the search for leaks cannot start its own process.
  const std::set<std::string> unsearched{"cycle", "fork", "without_threads"};
  const bool leaks = unsearched.contains(p.name);
  const Ended ended = run_job({std::string("ENDS=") + p.name, leaks ? "ASAN_OPTIONS=detect_leaks=0" : "ENDS_LEAKS=0"});
  EXPECT_EQ(ended.code, p.signal ? -1 : p.code) << text(ended.lines);
  EXPECT_EQ(ended.signal, p.signal) << text(ended.lines);
  if (!p.signal) {
    EXPECT_EQ(ended.lines, p.lines) << "it printed\n" << text(ended.lines);
  }
}

const std::string in_main = "main: right", in_handler = "handler: right", in_destructor = "destructor: right",
                  in_thread = "thread: right", in_plugin = "plugin: right", of_plugin = "plugin's destructor: right",
                  local_of_plugin = "plugin's thread_local";

INSTANTIATE_TEST_SUITE_P(
    Of, Ends,
    ::testing::Values(
        Pattern{"global", {in_main, in_destructor}}, Pattern{"another_file", {in_main, in_destructor}},
        Pattern{"global_that_computed", {"constructor: right", in_main, in_destructor}},
        Pattern{"nothing_in_main", {in_handler}}, Pattern{"local_static_first", {in_main, in_destructor}},
        Pattern{"local_static_last", {in_main, in_destructor}}, Pattern{"atexit_first", {in_main, in_handler}},
        Pattern{"atexit_last", {in_main, in_handler}}, Pattern{"quick_exit", {in_main, in_handler}},
        Pattern{"thread_local_first", {in_main, in_destructor}}, Pattern{"thread_local_last", {in_main, in_destructor}},
        Pattern{"thread_local_of_a_thread", {in_thread, in_destructor, in_main}},
        Pattern{"only_in_a_thread", {in_thread, in_handler}}, Pattern{"thread_key", {in_thread, "key: right"}},
        Pattern{"async", {in_main, "async: right"}}, Pattern{"detached", {in_main, in_handler}},
        Pattern{"exit_in_a_thread", {in_thread, in_handler}, 3}, Pattern{"exit_in_a_callback", {in_handler}, 3},
        Pattern{"exit_in_a_body_of_a_gradient", {in_main, in_thread}, 3},
        Pattern{"pthread_exit_in_main", {in_main, in_thread, in_handler}, 3}, Pattern{"least_stack", {in_thread}},
        Pattern{"terminate", {}, 0, SIGABRT}, Pattern{"terminate_handler", {"terminate: right"}, 4},
        Pattern{"held", {"held: right", in_destructor}}, Pattern{"singleton_saves", {"saved: 12"}},
        Pattern{"manager", {in_main}}, Pattern{"loader", {"batch: 28", in_destructor}}, Pattern{"cycle", {in_handler}},
        Pattern{"fork", {in_main, in_handler, in_handler}},
        Pattern{"without_threads", {in_main, "large: 1.2e+07", "batch: 28", in_destructor}},
        Pattern{"memory_limit", {in_main, "bincount: out of memory", "sum: out of memory", in_main}}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    OfPlugins, Ends,
    ::testing::Values(Pattern{"plugin", {in_plugin, local_of_plugin, of_plugin}},
                      Pattern{"plugin_closed", {in_plugin, "closed", in_plugin, local_of_plugin, of_plugin}},
                      Pattern{"plugin_in_a_thread", {in_plugin, local_of_plugin, in_main, of_plugin}}),
    [](const auto& info) { return std::string(info.param.name); });

// What cannot be computed is refused with a sentence.
TEST(EndsRefused, WithASentence) {
  const Ended recorded = run_job({"ENDS=exit_while_recording"});
  EXPECT_EQ(recorded.code, 3) << text(recorded.lines);
  EXPECT_NE(text(recorded.lines).find("handler: wrong item: the value of float32[] is not known here"),
            std::string::npos)
      << text(recorded.lines);
  if (&__asan_init) return;  // whose frames are larger
  const Ended small = run_job({"ENDS=too_small_a_stack"});
  EXPECT_EQ(small.code, 0) << text(small.lines);
  EXPECT_NE(text(small.lines).find("128 KB or more"), std::string::npos) << text(small.lines);
}

// hostile-3, L3
TEST(Variables, ThatMeanNothingAreTold) {
  Ended told = run_job({"ENDS=nothing_in_main", "TUTTI_CHEK=passes"});
  EXPECT_EQ(told.lines,
            (std::vector<std::string>{
                "tutti: the environment variable TUTTI_CHEK means nothing; the nearest is TUTTI_CHECK", in_handler}));
  EXPECT_EQ(run_job({"ENDS=nothing_in_main", "TUTTI_CHEK=passes", "TUTTI_LOG=quiet"}).lines,
            std::vector<std::string>{in_handler});
  for (const char* wrong : {"TUTTI_CHECK=process", "TUTTI_LOG=stage", "TUTTI_NUM_THREADS=abc", "TUTTI_NUM_THREADS=0",
                            "TUTTI_COLLECTIVE_TIMEOUT=-1", "TUTTI_SPIN_US=abc"}) {
    const Ended ended = run_job({"ENDS=nothing_in_main", wrong});
    ASSERT_FALSE(ended.lines.empty()) << wrong;
    const std::string setting = wrong, name = setting.substr(0, setting.find('=')),
                      value = "'" + setting.substr(name.size() + 1) + "'";
    EXPECT_EQ(ended.lines[0].find("handler: wrong"), 0u) << text(ended.lines);
    EXPECT_NE(ended.lines[0].find(name), std::string::npos) << text(ended.lines);
    EXPECT_NE(ended.lines[0].find(value), std::string::npos) << text(ended.lines);
  }
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
