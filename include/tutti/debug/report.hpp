// Reports of timings and errors.
#pragma once

#include <concepts>
#include <exception>
#include <iosfwd>
#include <iostream>
#include <string>
#include <type_traits>
#include <vector>

#include "tutti/array/placement.hpp"
#include "tutti/data/progress.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {

struct TimeitOptions {
  int runs = 7;
  int loops = 0;  // calls per run; 0: as many powers of ten as make a run of 0.2 seconds
};
/// Seconds per call, run by run.
struct Timing {
  std::vector<double> seconds;
  int loops = 1;
  double mean() const;
  double deviation() const;  // of the runs, divided by their number
  double best() const;
  double worst() const;
  /// `2.4 ms ± 61.4 µs per loop (mean ± std. dev. of 5 runs, 5 loops each)`; before it a line that warns when the worst
  /// run took more than four times as long as the best.
  std::string str() const;
};
std::ostream& operator<<(std::ostream& out, const Timing& t);

namespace detail {
/// `name`: the class that is printed; empty: that of the error. Not by typeid here, for programs without it.
void print_error(std::string name, const std::exception& error, std::ostream& out);

template <class F> void call_and_wait(F& fn) {
  using R = std::remove_cvref_t<std::invoke_result_t<F&>>;
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>)
    fn();
  else if constexpr (Tree<R>)
    block_until_ready(R(fn()));
  else
    fn();
}
}  // namespace detail

/// Times a function of no arguments; arrays in its result are waited for. Source: IPython's %timeit.
///
///     std::cout << timeit([&] { return sin(x); }, {.runs = 5, .loops = 5}) << "\n";
template <std::invocable F> Timing timeit(F&& fn, TimeitOptions options = {}) {
  auto run = [&](int loops) {
    const double start = detail::seconds_now();
    for (int i = 0; i < loops; ++i) detail::call_and_wait(fn);
    return detail::seconds_now() - start;
  };
  Timing out{{}, options.loops > 0 ? options.loops : 1};
  if (options.loops <= 0)
    while (run(out.loops) < 0.2 && out.loops < 1'000'000'000) out.loops *= 10;
  for (int r = 0; r < options.runs; ++r) out.seconds.push_back(run(out.loops) / out.loops);
  return out;
}

/// `text` (UTF-8) in lines of at most `width` characters, as Python's textwrap.fill makes them: lines end at blanks,
/// behind hyphens of words and around dashes `--`; longer words are cut; blanks in the text stay, tabs and line ends
/// become blanks. Throws ValueError when width is not positive.
std::string wrap(const std::string& text, int width = 70);

/// Prints the class of an error, in red and without `tutti::`, and its text, each line wrapped at 70 columns. The class
/// is the one that the handler names; where it names no more than that there is an error (Error, std::exception), that
/// of the error itself.
///
///     try { y + z; } catch (const ValueError& e) { print_exception(e); }
template <std::derived_from<std::exception> E> void print_exception(const E& e, std::ostream& out = std::cout) {
  constexpr bool told = std::derived_from<E, Error> && !std::same_as<E, Error>;
  detail::print_error(std::string(told ? tree::detail::type_name<E>() : ""), e, out);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
