// visualize.json: lists cases and ansi (pictures of shardings, plain and as on a terminal) and programs (pictures of results, also inside jit).
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

debug::VisualizeOptions options_of(const json& test) {
  return {.use_color = test.at("use_color").get<bool>(), .scale = test.at("scale").get<double>(), .min_width = test.at("min_width").get<int>(), .max_width = test.at("max_width").get<int>()};
}

void expect_picture(const std::string& got, const std::string& want) {
  if (got != want) throw Mismatch("the picture is\n" + got + "expected\n" + want);
}

// Where JAX's table loses devices, or refuses the shape: ours shows every device of the sharding, in the width.
void expect_complete(const std::string& text, const Sharding& s, const debug::VisualizeOptions& options) {
  std::set<std::string> seen = tutti::testing::numbers_in(text);
  for (const Device& d : s.device_list())
    if (!seen.count(std::to_string(d.id()))) throw Mismatch(fmt::format("device {} is not in the picture\n{}", d.id(), text));
  if (tutti::testing::widest_line(text) > static_cast<std::size_t>(options.max_width)) throw Mismatch("the picture is too wide\n" + text);
}

bool shows_all(const std::string& text, const Sharding& s) {
  std::set<std::string> seen = tutti::testing::numbers_in(text);
  for (const Device& d : s.device_list())
    if (!seen.count(std::to_string(d.id()))) return false;
  return text.find("…") == std::string::npos;
}

std::set<std::string> backgrounds(const std::string& text) {
  std::set<std::string> out;
  for (std::size_t at = 0; (at = text.find(";48;2;", at)) != std::string::npos; ++at) out.insert(text.substr(at, text.find('m', at) - at));
  return out;
}

void picture(const json& test, bool terminal) {
  set_cpu_devices(64);
  Sharding s = place::sharding(test.at("sharding"));
  Shape shape = shape_of(test.at("shape"));
  debug::VisualizeOptions options = options_of(test);
  std::string text = debug::sharding_text(shape, s, options, terminal);
  if (test.contains("text") && shows_all(tutti::testing::unescaped(test["text"]), s)) {
    const std::string& want = test["text"].get_ref<const std::string&>();
    if (text != want && tutti::testing::unescaped(text) == tutti::testing::unescaped(want) && backgrounds(text).size() > backgrounds(want).size()) throw Different("tiles of one colour");
    return expect_picture(text, want);
  }
  if (shape.num_elements() == 0) {
    if (text.find(shape.str()) == std::string::npos) throw Mismatch("an empty array is not told\n" + text);
    throw Different("an empty array");
  }
  expect_complete(tutti::testing::unescaped(text), s, options);
  throw Different(test.contains("text") ? "a table too narrow" : "a rank JAX refuses");
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
Array on(const PartitionSpec& spec) { return device_put(arange(64 * 64.0).reshape(64, 64), NamedSharding(mesh_ab(), spec)); }
Array square64() { return on(P("a", "b")); }
Array pmapped() { return pmap([](const Array& v) { return v * 2; })(ones({8, 3})); }

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

void program_case(const json& test) {
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
    if (c.hex() == "#" + color.get<std::string>()) return;
  throw Mismatch("no tile of 20 has the colour " + color.get<std::string>());
}

const std::vector<std::string> lists = {"cases", "programs", "ansi"};
const Registration cases(lists, "cases", [](const json& t) { picture(t, false); });
const Registration ansi(lists, "ansi", [](const json& t) { picture(t, true); });
const Registration colors(lists, "tab20b", color_case);
const Registration programs(lists, "programs", program_case);

}  // namespace
}  // namespace golden
