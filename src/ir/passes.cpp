#include "ir/passes.hpp"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/environment.hpp"
#include "base/say.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

thread_local PassesOf* current = nullptr;
thread_local PassWatcher* watcher = nullptr;

bool logged() {
  static const bool on = environment::has_word(environment::log, "passes");
  return on;
}

// The folder of TUTTI_DUMP, made where it is missing; "" for none.
const std::string& dump_folder() {
  static const auto& folder = *new std::string([] {
    std::string wanted = environment::value(environment::dump);
    std::error_code failed;
    if (!wanted.empty()) std::filesystem::create_directories(wanted, failed);
    if (failed)
      raise<ValueError>("TUTTI_DUMP", "the folder " + wanted + " cannot be made: " + failed.message(),
                        "Name a folder that this process may write to.", {});
    return wanted;
  }());
  return folder;
}

int next_program() {
  static std::atomic<int> programs{0};
  return ++programs;
}

std::string time_text(double ms) {
  char out[32];
  std::snprintf(out, sizeof out, "%.3f ms", ms);
  return out;
}

void write(const PassNote& note) {
  char file[64];
  std::snprintf(file, sizeof file, "/%04d-%02d-%s.txt", note.program, note.pass, note.name);
  std::ofstream out(dump_folder() + file);
  out << "# program " << note.program << ", " << note.of << "\n# pass " << note.pass << ", " << note.name << ": "
      << note.size << ", " << time_text(note.ms) << "\n\n"
      << note.text();
  if (!out)
    raise<ValueError>("TUTTI_DUMP", "the file " + dump_folder() + file + " cannot be written",
                      "Name a folder that this process may write to, on a disk with space.", {});
}

std::size_t eqns_in_bodies(const Program& program) {
  std::size_t out = 0;
  for (const Eqn& e : program.eqns)
    for (const ProgramPtr& sub : e.subs) out += sub->eqns.size() + eqns_in_bodies(*sub);
  return out;
}

}  // namespace

std::string size_text(const Program& program) {
  const std::size_t inside = eqns_in_bodies(program);
  return std::to_string(program.eqns.size()) + " Eqns" + (inside ? ", " + std::to_string(inside) + " in bodies" : "");
}

PassesOf::PassesOf(std::string_view of) : around_(current), of_(of) {
  if (passes_are_noted()) program_ = next_program();
  current = this;
}
PassesOf::~PassesOf() { current = around_; }

PassWatcher::PassWatcher(Tell tell) : around_(watcher), tell_(std::move(tell)) { watcher = this; }
PassWatcher::~PassWatcher() { watcher = around_; }

bool passes_are_noted() { return watcher || logged() || !dump_folder().empty(); }

bool passes_are_verified() {
#ifdef NDEBUG
  static const bool on = environment::has_word(environment::check, "passes");
  return on;
#else
  return true;
#endif
}

void note_pass(const char* name, double ms, std::string size, const std::function<std::string()>& text) {
  PassNote note{0, "", 0, name, ms, std::move(size), text};
  if (current) {
    note.program = current->program_;
    note.of = current->of_;
    note.pass = ++current->pass_;
  }
  if (watcher) watcher->tell_(note);
  if (logged())
    say(Message::Kind::log, "tutti: program " + std::to_string(note.program) + " (" + std::string(note.of) + ") " +
                                name + ": " + time_text(ms) + ", " + note.size + "\n");
  if (!dump_folder().empty()) write(note);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
