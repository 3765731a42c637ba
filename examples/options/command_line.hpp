// Command lines of the programs of this repository: what they use of CLI11, which takes seconds to compile, compiled
// once for all of them.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// A mistake on the command line; the text is one line.
struct CommandLineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Options that write what is given into variables.
///
///     CommandLine line("Does this and that.");
///     int steps = 10;
///     line.add("--steps", steps, "how many").between(1, 1000).with_default();
///     if (auto code = line.parse_or_exit_code(argc, argv)) return *code;
class CommandLine {
 public:
  /// What else is known of an option.
  class Option {
   public:
    explicit Option(CLI::Option* option) : option_(option) {}
    Option& with_default();  // the help shows it
    Option& one_of(std::vector<std::string> values);
    Option& between(double least, double most);
    Option& required();
    Option& hidden();  // the help does not show it

   private:
    CLI::Option* option_;
  };

  explicit CommandLine(const std::string& purpose);
  ~CommandLine();

  /// `name`: "--steps", or "files" for what stands without a name. T: int, unsigned, int64,
  /// uint64, double, string, or a vector of strings.
  template <class T> Option add(const std::string& name, T& value, const std::string& help);
  /// "--verbose", "-v,--verbose", or "!--no-one", which makes it false.
  Option flag(const std::string& name, bool& value, const std::string& help);
  /// "--remat{nothing}": `nothing` when it is given without a value.
  Option flag(const std::string& name, std::string& value, const std::string& help);

  /// What was given, as it was written; empty when nothing was.
  std::string given(const std::string& name) const;
  /// Reads the arguments. True after --help, which it prints: then there is nothing to do. Throws CommandLineError.
  bool parse(int argc, char** argv);
  /// The same for a program that has nothing to say of mistakes: prints them. An exit code when it is to end.
  std::optional<int> parse_or_exit_code(int argc, char** argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

// SPDX-License-Identifier: Apache-2.0
