// What the golden runner and the handlers of its schemas share. A handler runs one case and throws Mismatch, or any
// other error, when tutti does not do what the file says.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "tutti/format.hpp"
#include "tutti/tutti.hpp"

namespace golden {

using json = nlohmann::json;

struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The case's kind is not known to its handler.
struct Unknown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What the handler found, and checked, is a deliberate difference: the row `(kind)` of differences.md gives the
/// reason, without a kind the row of the case's name.
struct Different : std::runtime_error {
  explicit Different(const std::string& kind = "") : std::runtime_error(kind) {}
};

using Handler = std::function<void(const json& test)>;
/// Says that the cases of list `list` are run by `handler`, in files that hold all of `lists` (a file's schema is told
/// by its top-level lists).
struct Registration {
  Registration(std::vector<std::string> lists, std::string list, Handler handler);
};

/// Cases, by globs of their names, in which tutti does something else than JAX. `check` runs instead of the handler and
/// throws Mismatch unless tutti does what differences.md says, and JAX what it is said to do. Each needs a row of its
/// name there.
struct Deviations {
  Deviations(std::vector<std::string> lists, std::string list, std::vector<std::pair<std::string, Handler>> checks);
};
/// JAX refuses this call; in C++ it cannot be written, or does not compile, for this reason.
Handler not_in_cpp(const std::string& reason);
/// Throws Mismatch unless the case records an error of JAX's class `type`.
void expect_jax_refuses(const json& test, const std::string& type);

/// Tolerance of floating values.
struct Tolerance {
  double rtol = 0, atol = 0;
};
/// An array of the files: {"dtype", "shape", "data"}.
tutti::Array array_of(const json& a);
tutti::DType dtype_of(const std::string& name);
tutti::Shape shape_of(const json& list);
double number_of(const json& v);
/// That of ../shared/golden/README.md: relative, and as much of the largest magnitude.
Tolerance tolerance_of(const json& want, double rtol = 1e-5);
/// The largest finite magnitude in the data of an array.
double largest_magnitude(const json& array);
/// Of a list with an entry for each device those whose part of `x` is in this process.
json of_this_process(const json& per_device, const tutti::Array& x);
/// Shape, dtype, weak type and elements, also the signs of zeros. Throws Mismatch, naming the first element that
/// differs.
void expect_equal(const tutti::Array& got, const json& want, Tolerance tolerance = {});
/// Runs `call` and expects tutti's counterpart of the error that the file records.
template <class F> void expect_error(const json& error, F call);
void check_error_class(const json& error, const std::exception& thrown);
/// What JAX's message tells about the user's input: types, lists of sizes or ids, names, numbers. The rules stand in
/// facts.cpp.
std::vector<std::string> facts_of(const std::string& message);
/// Throws Mismatch when a fact of JAX's message is missing in `text`.
void check_facts(const std::string& message, const std::string& text);
/// expect_error, and the text must hold the facts of JAX's. A null `error`: the call must go through.
template <class F> void expect_error_with_facts(const json& error, F call);

template <class F> void expect_error(const json& error, F call) {
  try {
    call();
  } catch (const tutti::Error& e) {
    return check_error_class(error, e);
  }
  throw Mismatch("no error, JAX has " + error.at("type").get<std::string>());
}

template <class F> void expect_error_with_facts(const json& error, F call) {
  if (error.is_null()) return call();
  std::string text;
  expect_error(error, [&] {
    try {
      call();
    } catch (const tutti::Error& e) {
      text = e.what();
      throw;
    }
  });
  check_facts(error.at("message"), text);
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
