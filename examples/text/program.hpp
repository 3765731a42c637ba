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
#include <CLI/CLI.hpp>

#include <tutti/tutti.hpp>

#include "corpus.hpp"
#include "mesh.hpp"

namespace text {
using namespace tutti;

/// Options of every training run.
struct RunOptions {
  std::vector<std::string> files;
  std::string mesh = "data=4,model=2", out = "out";
  int steps = -1, batch = 512, context = 32;
  double seconds = 90, rate = 2e-3;
  std::uint64_t seed = 0;
  bool isolated = false, explain = false;
  /// A number of steps is given: only their losses are printed.
  bool counted() const { return steps > 0; }
};

inline void add_options(CLI::App& app, RunOptions& o) {
  app.add_option("--text", o.files, "files to learn (default: the C++ headers of the compiler)");
  app.add_option("--mesh", o.mesh, "devices per axis, data=4,model=2 or 4x2")->capture_default_str();
  app.add_option("--steps", o.steps, "train this many steps and print every loss");
  app.add_option("--seconds", o.seconds, "train this long, unless --steps is given")->capture_default_str();
  app.add_option("--batch", o.batch, "examples per step")->capture_default_str();
  app.add_option("--context", o.context, "bytes the model sees")->capture_default_str();
  app.add_option("--rate", o.rate, "learning rate at its highest")->capture_default_str();
  app.add_option("--seed", o.seed, "of parameters and batches")->capture_default_str();
  app.add_option("--out", o.out, "folder for pictures")->capture_default_str();
  app.add_flag("--isolated", o.isolated, "every device runs its own program; bytes are counted");
  app.add_flag("--explain", o.explain, "print every collective of a step, not only the largest");
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

/// How training went.
struct Curve {
  std::vector<double> seen, bits;  // examples so far, and bits per byte, step by step
  double seconds = 0;
};

/// `step(i, part)` until the steps or the time are over: step number i, `part` of the run being done, returns the loss
/// in nats per byte. A bar shows how far it is; with --steps every loss is printed. `bytes`: learnt per example.
inline Curve train_loop(const RunOptions& o, int bytes, const std::function<float(int i, double part)>& step) {
  using Clock = std::chrono::steady_clock;
  ProgressBar bar(o.steps, "training");
  Curve curve;
  double average = 0;
  auto start = Clock::now();
  for (int i = 0; o.counted() ? i < o.steps : curve.seconds < o.seconds; ++i) {
    debug::reset_traffic();
    const float loss = step(i, o.counted() ? static_cast<double>(i) / o.steps : curve.seconds / o.seconds);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    // The clock decides when to stop: that of the first process, for all.
    curve.seconds = multihost::broadcast_one_to_all(array(static_cast<float>(seconds))).item<float>();
    const double bits = loss / std::log(2.0);
    average = i == 0 ? bits : average + 0.02 * (bits - average);
    curve.seen.push_back(static_cast<double>(i + 1) * o.batch);
    curve.bits.push_back(bits);
    if (o.counted())
      std::cout << fmt::format("step {:4d} loss {:.9g}", i + 1, loss)
                << (o.isolated || process_count() > 1
                        ? fmt::format(", received {:.0f} bytes in {} messages per device", debug::traffic().bytes(),
                                      debug::traffic().messages())
                        : "")
                << std::endl;
    else
      bar.fraction(curve.seconds / o.seconds);
    bar.step(1, fmt::format("loss {:.3f}, {:.3f} bits/byte, {:.0f} bytes/s", loss, average,
                            curve.seen.back() * bytes / curve.seconds));
  }
  bar.finish();
  return curve;
}

/// Parses the arguments and runs the program: 0, 1 for what went wrong on the way, 2 for a mistake of the user, which
/// is one line on stderr.
inline int run_program(const char* name, CLI::App& app, int argc, char** argv, const std::function<int()>& program) {
  try {
    distributed::initialize();
    app.parse(argc, argv);
    const CLI::Option* steps = app.get_option_no_throw("--steps");
    if (steps && steps->count() && steps->as<int>() < 0) throw UsageError("--steps must be positive");
    const int code = program();
    if (!std::cout.flush()) throw std::runtime_error("the output could not be written");
    return code;
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
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
