// Passes have names. A pass is a pure function from one value of the pipeline to the next; run_pass("fuse", fuse,
// program) runs it and, where somebody asked, verifies what it hands on (TUTTI_CHECK=passes, debug builds), prints its
// time and sizes (TUTTI_LOG=passes) and writes it to a file (TUTTI_DUMP=FOLDER). A value of the pipeline has
//   std::string str(const T&)        its printed form
//   std::string size_text(const T&)  how much it is: `31 Eqns`
//   void verify(const T&)            InternalError where it is wrong
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ir/program.hpp"

namespace tutti {

/// What is told of a pass that has run.
struct PassNote {
  int program;          // counts the programs of the process that were looked at; 0: outside of any
  std::string_view of;  // what the program is: `the function jitted at train.cpp:41`
  int pass;             // counts the passes of the program, from 1
  const char* name;     // `fuse`
  double ms;
  std::string size;
  const std::function<std::string()>& text;
};

/// While one lives, the passes of this thread are about one program, which is called `of` (which must outlive this).
class PassesOf {
 public:
  explicit PassesOf(std::string_view of);
  ~PassesOf();
  PassesOf(const PassesOf&) = delete;

 private:
  friend void note_pass(const char*, double, std::string, const std::function<std::string()>&);
  PassesOf* around_;
  std::string_view of_;
  int program_ = 0, pass_ = 0;
};

/// While one lives, it is told of each pass of this thread.
class PassWatcher {
 public:
  using Tell = std::function<void(const PassNote&)>;
  explicit PassWatcher(Tell tell);
  ~PassWatcher();
  PassWatcher(const PassWatcher&) = delete;

 private:
  friend void note_pass(const char*, double, std::string, const std::function<std::string()>&);
  PassWatcher* around_;
  Tell tell_;
};

/// Whether somebody wants to know of the passes of this thread.
bool passes_are_noted();
bool passes_are_verified();
void note_pass(const char* name, double ms, std::string size, const std::function<std::string()>& text);

/// `31 Eqns`, `31 Eqns, 12 in bodies`.
std::string size_text(const Program& program);

namespace detail {
template <class T> const T& product_of(const T& value) { return value; }
template <class T> const T& product_of(const std::shared_ptr<T>& value) { return *value; }
}  // namespace detail

template <class Pass, class... Args> auto run_pass(const char* name, Pass&& pass, Args&&... args) {
  const bool noted = passes_are_noted();
  const auto start = noted ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  auto out = std::invoke(std::forward<Pass>(pass), std::forward<Args>(args)...);
  const auto& product = detail::product_of(out);
  if (noted) {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    note_pass(name, took.count(), size_text(product), [&] { return str(product); });
  }
  if (passes_are_verified()) verify(product);
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
