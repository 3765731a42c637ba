// What the programs that train have in common: options, the loop with its printed lines, files, and errors.
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <tutti/tutti.hpp>

#include "corpus.hpp"
#include "mesh.hpp"
#include "options/command_line.hpp"

namespace text {
using namespace tutti;

/// Options of every training run.
struct RunOptions {
  std::vector<std::string> files;
  std::string mesh = "data=4,model=2", out = "out", save;
  int steps = -1, batch = 512, context = 32, save_every = 100;
  int goal = 0;  // steps of a run that is given neither steps nor seconds, which are then infinite
  double seconds = 90, rate = 2e-3;
  std::uint64_t seed = 0;
  bool isolated = false, explain = false, resume = false;
  /// A number of steps is given: only their losses are printed.
  bool counted() const { return steps > 0; }
  /// The steps of the whole run; 0: it ends by the clock.
  int whole() const { return counted() ? steps : std::isfinite(seconds) ? 0 : goal; }
};

inline void add_options(CommandLine& line, RunOptions& o) {
  line.add("--text", o.files, "files to learn (default: the C++ headers of the compiler)");
  line.add("--mesh", o.mesh, "devices per axis, data=4,model=2 or 4x2").with_default();
  line.add("--steps", o.steps, "train this many steps and print every loss");
  line.add("--seconds", o.seconds,
           o.goal ? fmt::format("train this long, in place of {} steps", o.goal)
                  : "train this long, unless --steps is given");
  line.add("--batch", o.batch, "examples per step").with_default();
  line.add("--context", o.context, "bytes the model sees").with_default();
  line.add("--rate", o.rate, "learning rate at its highest").with_default();
  line.add("--seed", o.seed, "of parameters and batches").with_default();
  line.add("--out", o.out, "folder for pictures").with_default();
  line.add("--save", o.save, "folder for checkpoints of the run");
  line.flag("--resume", o.resume, "go on from the last checkpoint there, if there is one");
  line.add("--save-every", o.save_every, "steps from one checkpoint to the next").with_default();
  line.flag("--isolated", o.isolated, "every device runs its own program; bytes are counted");
  line.flag("--explain", o.explain, "print every collective of a step, not only the largest");
}

/// UsageError unless each number is from 1 to 2^20.
inline void check_sizes(std::initializer_list<std::pair<const char*, int>> sizes) {
  for (auto [name, value] : sizes)
    if (value < 1 || value > 1 << 20)
      throw UsageError(fmt::format("{} {}: give a number from 1 to {}", name, value, 1 << 20));
}
inline void check(const RunOptions& o) {
  if (o.steps == 0) throw UsageError("--steps 0: give at least one step");
  check_sizes({{"--batch", o.batch}, {"--context", o.context}});
  if (!(o.rate > 0 && o.rate < 1e6)) throw UsageError("--rate must be positive");
  if (!(o.seconds > 0)) throw UsageError("--seconds must be positive");
}

/// By the first process, of several.
inline void write_file(const std::string& path, const std::string& content) {
  if (process_index() > 0) return;
  std::ofstream out(path, std::ios::binary);
  if (!(out << content)) throw UsageError("cannot write " + path);
}
inline void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw UsageError("cannot make the folder " + path + ": " + error.message());
}

/// The text and the devices of a run.
struct Opening {
  Corpus corpus;
  Mesh mesh;
};

/// Makes them and the folder for pictures, sets the isolation, and prints what there is.
inline Opening open_run(const RunOptions& o) {
  Opening out{read_corpus(o.files, static_cast<std::size_t>(o.context)), parse_mesh(o.mesh)};
  if (o.isolated) config::isolation(Isolation::per_device);
  make_folder(o.out);
  std::cout << fmt::format("text      {} files, {:.2f} MB to learn, {:.2f} MB held out\n", out.corpus.files,
                           out.corpus.train.size() / 1e6, out.corpus.held_out.size() / 1e6)
            << devices_text(out.mesh);
  return out;
}

/// Where a run goes on: how many steps it has made, and in how many seconds.
struct Begin {
  int steps = 0;
  double seconds = 0;
};

/// How training went, from where it began.
struct Curve {
  std::vector<double> seen, bits;  // examples so far, and bits per byte, step by step
  int steps = 0;                   // of the whole run
  double seconds = 0;
};

/// What a run does in each step: `step(i, part)` is step number i, `part` of the run being done, and returns the loss
/// in nats per byte; `after(i, seconds, last)` follows when i steps are made, and may save.
struct Steps {
  std::function<float(int i, double part)> step;
  std::function<void(int i, double seconds, bool last)> after;
};

/// Makes steps until their number or the time is over. A bar shows how far it is; with --steps every loss is printed.
/// `bytes`: learnt per example. UsageError when the run was over before.
inline Curve train_loop(const RunOptions& o, int bytes, const Begin& begin, const Steps& run) {
  using Clock = std::chrono::steady_clock;
  Curve curve;
  curve.steps = begin.steps;
  curve.seconds = begin.seconds;
  const int whole = o.whole();
  auto part = [&] { return whole ? static_cast<double>(curve.steps) / whole : curve.seconds / o.seconds; };
  auto over = [&] { return part() >= 1; };
  if (over())
    throw UsageError(
        fmt::format("--resume: the run was over after {} steps: give more --steps or --seconds", begin.steps));
  ProgressBar bar(whole ? whole - begin.steps : -1, "training");
  double average = 0;
  auto start = Clock::now();
  while (!over()) {
    debug::reset_traffic();
    const float loss = run.step(curve.steps, part());
    ++curve.steps;
    const double seconds = begin.seconds + std::chrono::duration<double>(Clock::now() - start).count();
    // The clock decides when to stop: that of the first process, for all.
    curve.seconds = multihost::broadcast_one_to_all(array(static_cast<float>(seconds))).item<float>();
    const double bits = loss / std::log(2.0);
    average = curve.bits.empty() ? bits : average + 0.02 * (bits - average);
    curve.seen.push_back(static_cast<double>(curve.steps) * o.batch);
    curve.bits.push_back(bits);
    if (o.counted())
      std::cout << fmt::format("step {:4d} loss {:.9g}", curve.steps, loss)
                << (o.isolated || process_count() > 1
                        ? fmt::format(", received {:.0f} bytes in {} messages per device", debug::traffic().bytes(),
                                      debug::traffic().messages())
                        : "")
                << std::endl;
    else if (!whole)
      bar.fraction(part());
    bar.step(1, fmt::format("loss {:.3f}, {:.3f} bits/byte, {:.0f} bytes/s", loss, average,
                            curve.seen.back() * bytes / curve.seconds));
    run.after(curve.steps, curve.seconds, over());
  }
  bar.finish();
  return curve;
}

/// Parses the arguments and runs the program: 0, 1 for what went wrong on the way, 2 for a mistake of the user, which
/// is one line on stderr.
inline int run_program(const char* name, CommandLine& line, int argc, char** argv,
                       const std::function<int()>& program) {
  try {
    distributed::initialize();
    if (line.parse(argc, argv)) return 0;
    if (line.given("--steps").starts_with('-')) throw UsageError("--steps must be positive");
    const int code = program();
    if (!std::cout.flush()) throw std::runtime_error("the output could not be written");
    return code;
  } catch (const CommandLineError& e) {
    std::cerr << name << ": " << e.what() << "\n";
  } catch (const UsageError& e) {
    std::cerr << name << ": " << e.what() << "\n";
  } catch (const tutti::Error& e) {
    std::cerr << name << ": " << e.what() << "\n";
  } catch (const std::exception& e) {
    std::cerr << name << ": " << e.what() << "\n";
    return 1;
  }
  return 2;
}

}  // namespace text

// SPDX-License-Identifier: Apache-2.0
