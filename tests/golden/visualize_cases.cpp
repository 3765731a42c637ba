// visualize.json: lists cases and ansi (pictures of shardings, plain and as on a terminal) and programs (pictures of
// results, also inside jit).
#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include "debug/colors.hpp"
#include "golden/golden.hpp"
#include "golden/sharding_cases.hpp"
#include "mesh/picture_text.hpp"

namespace golden {
namespace {

// The colour maps of cases that name one; the others have JAX's own, tab20b.
debug::ColorMap color_map_of(const json& test) {
  if (!test.contains("color_map")) return {};
  if (test["color_map"] == "ramp")
    return [](double v) { return debug::Rgb{static_cast<int>(v * 255), static_cast<int>((1 - v) * 255), 127}; };
  throw Unknown("colour map " + test["color_map"].dump());
}

debug::VisualizeOptions options_of(const json& test) {
  return {.use_color = test.at("use_color").get<bool>(),
          .scale = test.at("scale").get<double>(),
          .min_width = test.at("min_width").get<int>(),
          .max_width = test.at("max_width").get<int>(),
          .color_map = color_map_of(test)};
}

void expect_picture(const std::string& got, const std::string& want) {
  if (got != want) throw Mismatch("the picture is\n" + got + "expected\n" + want);
}

// JAX's table has every label whole, and apart from its neighbours'.
bool whole_labels(const std::string& text, const Sharding& s, const Shape& shape) {
  std::vector<std::string> found = tutti::testing::labels_in(text), want = tutti::testing::labels_of(s, shape);
  return found == want;
}

// Ours always has: in the width, unless a single label is longer.
void expect_whole_labels(const std::string& text, const Sharding& s, const Shape& shape,
                         const debug::VisualizeOptions& options) {
  std::vector<std::string> found = tutti::testing::labels_in(text), want = tutti::testing::labels_of(s, shape);
  if (found != want)
    throw Mismatch(fmt::format("the labels are\n{}\nexpected\n{}\nthe picture\n{}", fmt::join(found, "\n"),
                               fmt::join(want, "\n"), text));
  std::size_t room = static_cast<std::size_t>(options.max_width);
  for (const std::string& label : want) room = std::max(room, label.size() + 2);
  if (tutti::testing::widest_line(text) > room) throw Mismatch("the picture is too wide\n" + text);
}

std::set<std::string> backgrounds(const std::string& text) {
  std::set<std::string> out;
  for (std::size_t at = 0; (at = text.find(";48;2;", at)) != std::string::npos; ++at)
    out.insert(text.substr(at, text.find('m', at) - at));
  return out;
}

// Equal, but for colours that JAX gives to several tiles; says whether there were any.
bool repeats_colors(const std::string& text, const std::string& want) {
  if (text == want) return false;
  bool more = backgrounds(text).size() > backgrounds(want).size();
  if (!more || tutti::testing::unescaped(text) != tutti::testing::unescaped(want)) expect_picture(text, want);
  return true;
}

void picture(const json& test, bool terminal) {
  set_cpu_devices(64);
  Sharding s = place::sharding(test.at("sharding"));
  Shape shape = shape_of(test.at("shape"));
  debug::VisualizeOptions options = options_of(test);
  std::string text = debug::sharding_text(shape, s, options, terminal);
  if (!test.contains("text")) {
    if (shape.num_elements() != 0) {
      expect_whole_labels(text, s, shape, options);
      throw Different("a rank JAX refuses");
    }
    if (text.find(shape.str()) == std::string::npos) throw Mismatch("an empty array is not told\n" + text);
    throw Different("an empty array");
  }
  // With its way of breaking labels the picture is always JAX's.
  const std::string& want = test["text"].get_ref<const std::string&>();
  options.wrap_labels = true;
  bool repeats = repeats_colors(debug::sharding_text(shape, s, options, terminal), want);
  expect_whole_labels(text, s, shape, options);
  if (!whole_labels(want, s, shape)) throw Different("a table too narrow");
  repeats_colors(text, want);
  if (repeats) throw Different("tiles of one colour");
}

// --- programs

std::string printed(const std::function<void()>& f) {
  std::ostringstream out;
  std::streambuf* before = std::cout.rdbuf(out.rdbuf());
  try {
    f();
  } catch (...) {
    std::cout.rdbuf(before);
    throw;
  }
  std::cout.rdbuf(before);
  return tutti::testing::unescaped(out.str());
}

void draw(const Array& x) { debug::visualize_array_sharding(x, {.use_color = false}); }
void print(const Sharding& s) { std::cout << s << "\n"; }

// The array of these cases: float32[64,64], P('a','b') on (4,2).
Mesh mesh_ab() { return make_mesh({4, 2}, {"a", "b"}); }
Array on(const PartitionSpec& spec) {
  return device_put(arange(64 * 64.0).reshape(64, 64), NamedSharding(mesh_ab(), spec));
}
Array square64() { return on(P("a", "b")); }
Array pmapped() {
  return pmap([](const Array& v) { return v * 2; })(ones({8, 3}));
}

void draw_in_jit() {
  auto f = jit([](const Array& x) {
    Array y = sin(x);
    draw(y);
    return y;
  });
  Array x = square64();
  f(x);
  std::cout << "second call\n";
  f(x);
}

void draw_constrained_in_jit() {
  auto f = jit([](const Array& x) {
    Array y = lax::with_sharding_constraint(x + 1, NamedSharding(mesh_ab(), P("b", "a")));
    draw(y);
    return y;
  });
  f(square64());
}

void inspect_in_jit() {
  auto f = jit([](const Array& v) {
    debug::inspect_array_sharding(sin(v), print);
    return v;
  });
  f(square64());
  f(square64());
}

void visualize_program(const json& test) {
  set_cpu_devices(64);
  static const std::map<std::string, std::function<void()>> programs = {
      {"in_jit", draw_in_jit},
      {"in_jit_constraint", draw_constrained_in_jit},
      {"sin", [] { draw(sin(square64())); }},
      {"sum0", [] { draw(square64().sum(0)); }},
      {"sum1", [] { draw(square64().sum(1)); }},
      {"transpose", [] { draw(transpose(square64())); }},
      {"dot", [] { draw(dot(on(P("a", none)), on(P(none, "b")))); }},
      {"copy", [] { draw(square64().copy()); }},
      {"row", [] { draw(square64()[0]); }},
      {"pmap", [] { draw(pmapped()); }},
      {"pmap_row", [] { draw(pmapped()[1]); }},
      {"inspect", [] { debug::inspect_array_sharding(square64(), print); }},
      {"inspect_jit", inspect_in_jit},
  };
  auto at = programs.find(test.at("name"));
  if (at == programs.end()) throw Unknown("program " + test.at("name").get<std::string>());
  expect_picture(printed(at->second), test.at("text"));
}

// The colour map: its colours are those of as many tiles.
void color_case(const json& color) {
  for (const debug::Rgb& c : debug::tile_colors(20))
    if (debug::hex(c) == "#" + color.get<std::string>()) return;
  throw Mismatch("no tile of 20 has the colour " + color.get<std::string>());
}

const std::vector<std::string> visualize_lists = {"cases", "programs", "ansi"};
const Registration visualize_cases(visualize_lists, "cases", [](const json& t) { picture(t, false); });
const Registration ansi(visualize_lists, "ansi", [](const json& t) { picture(t, true); });
const Registration colors(visualize_lists, "tab20b", color_case);
const Registration programs(visualize_lists, "programs", visualize_program);

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
