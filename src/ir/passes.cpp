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
thread_local InsidePass* inside = nullptr;

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

// Where the text is that of the file before, `(unchanged)` stands in its place.
void write(const PassNote& note, std::string& written) {
  char number[32];
  std::snprintf(number, sizeof number, "/%04d-%02d-", note.program, note.pass);
  const std::string file = dump_folder() + number + note.path + ".txt";
  std::string text = note.text();
  std::ofstream out(file);
  out << "# program " << note.program << ", " << note.of << "\n# pass " << note.pass << ", " << note.path << ": "
      << note.size << ", " << time_text(note.ms) << "\n\n"
      << (text == written ? "(unchanged)\n" : text);
  if (!out)
    raise<ValueError>("TUTTI_DUMP", "the file " + file + " cannot be written",
                      "Name a folder that this process may write to, on a disk with space.", {});
  written = std::move(text);
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
  return on && verification;
#else
  return verification;
#endif
}

InsidePass::InsidePass(PassId id) : around_(inside), id_(id) { inside = this; }
InsidePass::~InsidePass() { inside = around_; }

void note_pass(PassId id, double ms, std::string size, const std::function<std::string()>& text) {
  std::string path = pass(id).name;
  for (const InsidePass* p = inside; p; p = p->around_) path = pass(p->id_).name + ("." + path);
  PassNote note{0, "", 0, pass(id).name, std::move(path), ms, std::move(size), text};
  if (current) {
    note.program = current->program_;
    note.of = current->of_;
    note.pass = ++current->pass_;
  }
  if (watcher) watcher->tell_(note);
  if (logged())
    say(Message::Kind::log, "tutti: program " + std::to_string(note.program) + " (" + std::string(note.of) + ") " +
                                note.path + ": " + time_text(ms) + ", " + note.size + "\n");
  std::string none;
  if (!dump_folder().empty()) write(note, current ? current->written_ : none);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
