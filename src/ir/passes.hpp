// Running a pass of the list (ir/pass_list.hpp). A pass is a pure function from one value of the pipeline to the next;
// run_pass(PassId::fuse, fuse, program) runs it, unless it is left out (TUTTI_PASSES), and on request verifies its
// result (TUTTI_CHECK=passes, debug builds), prints time and sizes (TUTTI_LOG=passes) and writes the result to a file
// (TUTTI_DUMP=FOLDER). Passes that run inside another one, such as those of the body of a loop inside `lower`, are
// reported before it, under its name. A value of the pipeline has
//   std::string str(const T&)        its printed form
//   std::string size_text(const T&)  how much it is: `31 Eqns`
//   void verify(const T&)            InternalError where it is wrong
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "ir/pass_list.hpp"
#include "ir/program.hpp"

namespace tutti {

/// What is told of a pass that has run.
struct PassNote {
  int program;          // counts the programs of the process that were looked at; 0: outside of any
  std::string_view of;  // what the program is: `the function jitted at train.cpp:41`
  int pass;             // counts the passes of the program, from 1
  const char* name;     // `fuse`
  std::string path;     // with those around it: `lower.fuse`
  double ms;            // with passes inside it
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
  friend void note_pass(PassId, double, std::string, const std::function<std::string()>&);
  PassesOf* around_;
  std::string_view of_;
  int program_ = 0, pass_ = 0;
  std::string written_;  // the text of the last pass that was written to a file
};

/// While one lives, it is told of each pass of this thread.
class PassWatcher {
 public:
  using Tell = std::function<void(const PassNote&)>;
  explicit PassWatcher(Tell tell);
  ~PassWatcher();
  PassWatcher(const PassWatcher&) = delete;

 private:
  friend void note_pass(PassId, double, std::string, const std::function<std::string()>&);
  PassWatcher* around_;
  Tell tell_;
};

/// Whether somebody wants to know of the passes of this thread.
bool passes_are_noted();
bool passes_are_verified();
/// Off: passes are not verified, whatever the build; for tests that count work.
inline std::atomic<bool> verification = true;
void note_pass(PassId id, double ms, std::string size, const std::function<std::string()>& text);

/// While one lives, passes of this thread run inside this one.
class InsidePass {
 public:
  explicit InsidePass(PassId id);
  ~InsidePass();
  InsidePass(const InsidePass&) = delete;

 private:
  friend void note_pass(PassId, double, std::string, const std::function<std::string()>&);
  InsidePass* around_;
  PassId id_;
};

/// `31 Eqns`, `31 Eqns, 12 in bodies`.
std::string size_text(const Program& program);

namespace detail {
template <class T> const T& product_of(const T& value) { return value; }
template <class T> const T& product_of(const std::shared_ptr<T>& value) { return *value; }

/// Whether a pass takes a value of the type that it makes: only such a pass can be left out.
template <class Out, class... Args> inline constexpr bool keeps_type = false;
template <class Out, class First, class... Rest>
inline constexpr bool keeps_type<Out, First, Rest...> = std::is_same_v<Out, std::remove_cvref_t<First>>;
template <class First, class... Rest> First&& first_of(First&& first, Rest&&...) { return std::forward<First>(first); }
}  // namespace detail

template <class F, class... Args> auto run_pass(PassId id, F&& pass, Args&&... args) {
  using Out = std::remove_cvref_t<std::invoke_result_t<F, Args...>>;
  if constexpr (detail::keeps_type<Out, Args...>)
    if (is_left_out(id)) return Out(detail::first_of(std::forward<Args>(args)...));
  const bool noted = passes_are_noted();
  const auto start = noted ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  Out out = [&] {
    const InsidePass inside(id);
    return std::invoke(std::forward<F>(pass), std::forward<Args>(args)...);
  }();
  const auto& product = detail::product_of(out);
  if (noted) {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    note_pass(id, took.count(), size_text(product), [&] { return str(product); });
  }
  if (passes_are_verified()) verify(product);
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
