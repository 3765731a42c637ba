#include "options/command_line.hpp"

#include <cstdint>
#include <utility>
#include <CLI/CLI.hpp>

CommandLine::Option& CommandLine::Option::with_default() {
  option_->capture_default_str();
  return *this;
}
CommandLine::Option& CommandLine::Option::one_of(std::vector<std::string> values) {
  option_->check(CLI::IsMember(std::move(values)));
  return *this;
}
CommandLine::Option& CommandLine::Option::between(double least, double most) {
  option_->check(CLI::Range(least, most));
  return *this;
}
CommandLine::Option& CommandLine::Option::required() {
  option_->required();
  return *this;
}
CommandLine::Option& CommandLine::Option::hidden() {
  option_->group("");
  return *this;
}

CommandLine::CommandLine(const std::string& purpose) : app_(std::make_unique<CLI::App>(purpose)) {}
CommandLine::~CommandLine() = default;

template <class T> CommandLine::Option CommandLine::add(const std::string& name, T& value, const std::string& help) {
  return Option(app_->add_option(name, value, help));
}
template CommandLine::Option CommandLine::add(const std::string&, int&, const std::string&);
template CommandLine::Option CommandLine::add(const std::string&, unsigned&, const std::string&);
template CommandLine::Option CommandLine::add(const std::string&, std::int64_t&, const std::string&);
template CommandLine::Option CommandLine::add(const std::string&, std::uint64_t&, const std::string&);
template CommandLine::Option CommandLine::add(const std::string&, double&, const std::string&);
template CommandLine::Option CommandLine::add(const std::string&, std::string&, const std::string&);
template CommandLine::Option CommandLine::add(const std::string&, std::vector<std::string>&, const std::string&);

CommandLine::Option CommandLine::flag(const std::string& name, bool& value, const std::string& help) {
  return Option(app_->add_flag(name, value, help));
}

CommandLine::Option CommandLine::flag(const std::string& name, std::string& value, const std::string& help) {
  return Option(app_->add_flag(name, value, help));
}

std::string CommandLine::given(const std::string& name) const {
  const CLI::Option* option = app_->get_option_no_throw(name);
  return option && option->count() > 0 ? option->results().back() : "";
}

bool CommandLine::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    app_->exit(e);
    return true;
  } catch (const CLI::Error& e) {
    throw CommandLineError(e.what());
  }
  return false;
}
std::optional<int> CommandLine::parse_or_exit_code(int argc, char** argv) {
  CLI11_PARSE(*app_, argc, argv);
  return std::nullopt;
}

// SPDX-License-Identifier: Apache-2.0
