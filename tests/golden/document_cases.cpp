// documents.json: values, shardings, printed texts and errors of every step.
#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <sstream>

#include "golden/collective_functions.hpp"
#include "golden/document_steps.hpp"
#include "tutti/tutti.hpp"

namespace golden {

using namespace tutti;

void expect_that(bool holds, const std::string& otherwise) {
  if (!holds) throw Mismatch(otherwise);
}

json json_of(const Array& x) {
  json data = json::array();
  if (x.dtype().is_inexact()) {
    for (float v : lax::convert_element_type(x, float32).to_vector<float>())
      data.push_back(std::isfinite(v) ? json(static_cast<double>(v))
                                      : json(std::isnan(v) ? "nan"
                                             : v > 0       ? "inf"
                                                           : "-inf"));
  } else if (x.dtype() == bool_) {
    for (bool v : x.to_vector<bool>()) data.push_back(v);
  } else {
    for (std::int32_t v : lax::convert_element_type(x, int32).to_vector<std::int32_t>()) data.push_back(v);
  }
  return {{"dtype", x.dtype().name()}, {"shape", x.shape().dims()}, {"data", data}};
}

std::vector<std::string> match(const std::string& text, const std::string& pattern) {
  std::smatch m;
  if (!std::regex_match(text, m, std::regex(pattern))) return {};
  return {m.begin(), m.end()};
}

std::string document_words(const std::string& text) {
  std::string out = std::regex_replace(text, std::regex("argument x of"), "argument x1 of");
  out = std::regex_replace(out, std::regex("argument y of"), "argument x2 of");
  return std::regex_replace(out, std::regex("and with device ids"), "and device ids");
}

PartitionSpec spec_of_text(const std::string& text) {
  std::vector<std::string> m = match(text, R"(P\((.*)\))");
  if (m.empty()) throw Unknown("spec " + text);
  std::vector<SpecEntry> entries;
  for (const json& e : parse_arguments(m[1]).positional)
    entries.push_back(e.is_null()     ? SpecEntry(none)
                      : e.is_string() ? SpecEntry(e.get<std::string>())
                                      : SpecEntry(Names(e.get<std::vector<std::string>>())));
  return PartitionSpec::from(entries);
}

namespace {

// That of the golden files' README for contractions, reductions and training.
constexpr double tolerance = 1e-5;
double spread = 0;  // of runs from starts that differ in their last bits; not 0 only to tell a jump from an error

double as_number(const json& v) { return v.is_boolean() ? v.get<bool>() : number_of(v); }
bool near(double a, double b, double scale) {
  return a == b || (std::isnan(a) && std::isnan(b)) ||
         (std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= tolerance * (std::abs(b) + scale) + spread);
}
bool is_array(const json& v) { return v.is_object() && v.contains("dtype") && v.contains("shape"); }

void compare_array(const json& got, const json& want, const std::string& where) {
  if (!is_array(got)) throw Mismatch(where + ": not an array: " + got.dump());
  if (got["dtype"] != want["dtype"] || got["shape"] != want["shape"])
    throw Mismatch(fmt::format("{}: {}{}, expected {}{}", where, got["dtype"].dump(), got["shape"].dump(),
                               want["dtype"].dump(), want["shape"].dump()));
  bool floating = want["dtype"].get<std::string>().find("float") != std::string::npos;
  std::vector<double> v;
  for (const json& e : got["data"]) v.push_back(as_number(e));
  double largest = 0, sum = 0, sum_abs = 0, sum_sq = 0;
  for (double e : v) {
    if (std::isfinite(e)) largest = std::max(largest, std::abs(e));
    sum += e;
    sum_abs += std::abs(e);
    sum_sq += e * e;
  }
  auto element = [&](std::size_t i, const json& w) {
    double expected = as_number(w);
    if (floating ? !near(v.at(i), expected, largest) : v.at(i) != expected)
      throw Mismatch(fmt::format("{}: element {} is {:.9g}, expected {:.9g}", where, i, v[i], expected));
  };
  if (want.contains("data")) {
    for (std::size_t i = 0; i < v.size(); ++i) element(i, want["data"].at(i));
    return;
  }
  for (std::size_t i = 0; i < want["first"].size(); ++i) element(i, want["first"][i]);
  for (std::size_t i = 0; i < want["last"].size(); ++i) element(v.size() - want["last"].size() + i, want["last"][i]);
  for (auto [name, mine] : {std::pair{"sum", sum}, {"sum_abs", sum_abs}, {"sum_sq", sum_sq}})
    if (!near(mine, want[name], name == std::string("sum_sq") ? sum_sq : sum_abs))
      throw Mismatch(fmt::format("{}: its {} is {}, expected {}", where, name, mine, want[name].get<double>()));
}

void compare(const json& got, const json& want, const std::string& where) {
  if (is_array(want)) return compare_array(got, want, where);
  if (want.is_array()) {
    if (!got.is_array() || got.size() != want.size())
      throw Mismatch(fmt::format("{}: {} entries, expected {}", where, got.size(), want.size()));
    for (std::size_t i = 0; i < want.size(); ++i) compare(got[i], want[i], fmt::format("{}[{}]", where, i));
  } else if (want.is_object()) {
    for (const auto& [key, value] : want.items()) {
      if (!got.contains(key)) throw Mismatch(where + ": nothing for " + key);
      compare(got[key], value, where + "." + key);
    }
  } else if (want.is_number_float()) {
    if (!got.is_number() || !near(got, want, 0))
      throw Mismatch(where + ": " + got.dump() + ", expected " + want.dump());
  } else if (got != want) {
    throw Mismatch(where + ": " + got.dump() + ", expected " + want.dump());
  }
}

// The labels of a picture's tiles, row by row; the lines of a label are joined by spaces.
using Picture = std::vector<std::vector<std::string>>;

std::vector<Picture> pictures_in(const std::string& text) {
  std::vector<Picture> out;
  std::istringstream in(text);
  const std::string bar = "│";
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("┌")) out.emplace_back(1);
    if (line.starts_with("├") && !out.empty()) out.back().emplace_back();
    if (!line.starts_with(bar) || out.empty()) continue;
    std::vector<std::string>& row = out.back().back();
    std::size_t column = 0;
    for (std::size_t at = 0, end; (end = line.find(bar, at + bar.size())) != std::string::npos; at = end, ++column) {
      std::string cell = line.substr(at + bar.size(), end - at - bar.size());
      std::size_t a = cell.find_first_not_of(' '), b = cell.find_last_not_of(' ');
      if (column == row.size()) row.emplace_back();
      if (a != std::string::npos) row[column] += (row[column].empty() ? "" : " ") + cell.substr(a, b - a + 1);
    }
  }
  return out;
}
bool is_whole(const std::string& label) {
  static const std::regex whole("[A-Z]+ \\d+(,\\d+)*");
  return std::regex_match(label, whole);
}
// Pictures in which JAX's table breaks, cuts or loses labels. (Broken at its blank a label is not whole either: its
// lines say so.)
bool has_broken_labels(const std::string& text) {
  static const std::regex cell("\\s*([A-Z]+ \\d+(,\\d+)*)?\\s*");
  for (const Picture& p : pictures_in(text))
    for (const auto& row : p)
      for (const std::string& label : row)
        if (!is_whole(label)) return true;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("│")) continue;
    std::string content;
    for (std::size_t at = 0, end; (end = line.find("│", at + 3)) != std::string::npos; at = end)
      if (content = line.substr(at + 3, end - at - 3); !std::regex_match(content, cell)) return true;
  }
  return false;
}
// Whether `whole` is the label that JAX shows as `shown`: lost, broken, or cut with an ellipsis.
bool is_part_of(const std::string& shown, const std::string& whole) {
  auto without_blanks = [](const std::string& s) { return std::regex_replace(s, std::regex(" "), ""); };
  std::string pattern = std::regex_replace(without_blanks(shown), std::regex("…(?=\\d)"), "\\D*");
  pattern = std::regex_replace(pattern, std::regex("…"), ".*");
  return shown.empty() || std::regex_match(without_blanks(whole), std::regex(pattern));
}
// Ours has the same tiles in the same places, each with its whole label, of which JAX's is a part.
void expect_same_tiles(const std::string& got, const std::string& want) {
  std::vector<Picture> ours = pictures_in(got), theirs = pictures_in(want);
  auto fail = [&](const std::string& why) { throw Mismatch(why + "\n" + got + "JAX has\n" + want); };
  if (ours.size() != theirs.size()) fail("another count of pictures");
  for (std::size_t p = 0; p < ours.size(); ++p) {
    if (ours[p].size() != theirs[p].size()) fail("another count of rows");
    for (std::size_t r = 0; r < ours[p].size(); ++r) {
      if (ours[p][r].size() != theirs[p][r].size()) fail("another count of columns");
      for (std::size_t c = 0; c < ours[p][r].size(); ++c) {
        if (!is_whole(ours[p][r][c])) fail("a broken label");
        if (!is_part_of(theirs[p][r][c], ours[p][r][c]))
          fail("another label in row " + std::to_string(r) + ", column " + std::to_string(c));
      }
    }
  }
}
std::string without_pictures(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (!line.starts_with("│") && !line.starts_with("├") && !line.starts_with("┌") && !line.starts_with("└"))
      out += line + "\n";
  return out;
}

// Equal, but for floating numbers in the text, which may differ by the tolerance of their arrays.
void compare_text(const std::string& got, const std::string& want) {
  if (got == want) return;
  static const std::regex number(R"(-?\d+\.\d*(?:e[+-]?\d+)?)");
  auto numbers = [&](const std::string& s) {
    std::vector<double> out;
    for (auto at = std::sregex_iterator(s.begin(), s.end(), number); at != std::sregex_iterator(); ++at)
      out.push_back(std::stod(at->str()));
    return out;
  };
  // Where a number is printed with another count of digits, there are other blanks beside it.
  auto lengths = [&](const std::string& s) {
    std::vector<std::ptrdiff_t> out;
    for (auto at = std::sregex_iterator(s.begin(), s.end(), number); at != std::sregex_iterator(); ++at)
      out.push_back(at->length());
    return out;
  };
  bool blanks = lengths(got) == lengths(want);
  auto words = [&](const std::string& s) {
    std::string out = std::regex_replace(s, number, "#");
    return blanks ? out : std::regex_replace(out, std::regex(" *# *"), "#");
  };
  std::vector<double> a = numbers(got), b = numbers(want);
  double largest = 0;
  for (double v : b) largest = std::max(largest, std::abs(v));
  bool same = words(got) == words(want) && a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = near(a[i], b[i], largest);
  if (!same) throw Mismatch("printed\n" + got + "expected\n" + want);
}

Sharding sharding_of(const json& s) {
  auto device = [](int id) { return devices().at(static_cast<std::size_t>(id)); };
  if (s.contains("single_device")) return SingleDeviceSharding(device(s["single_device"]));
  if (!s.contains("mesh")) throw Unknown("sharding " + s.dump());
  std::vector<Device> list;
  for (int id : s["mesh"]["device_ids"]) list.push_back(device(id));
  std::vector<SpecEntry> entries;
  for (const json& e : s["spec"])
    entries.push_back(e.is_null()     ? SpecEntry(none)
                      : e.is_string() ? SpecEntry(e.get<std::string>())
                                      : SpecEntry(Names(e.get<std::vector<std::string>>())));
  return NamedSharding(
      Mesh(list, shape_of(s["mesh"]["shape"]), Names(s["mesh"]["names"].get<std::vector<std::string>>())),
      PartitionSpec::from(entries));
}

void compare_placement(const Array& got, const json& want, const std::string& where) {
  if (got.shape() != shape_of(want.at("shape"))) throw Mismatch(where + ": shape " + got.shape().str());
  if (got.committed() != want.at("committed").get<bool>())
    throw Mismatch(where + (got.committed() ? ": committed" : ": uncommitted"));
  if (want.contains("text")) {  // neither named nor of one device: JAX's text is its own, the blocks are not
    auto map = got.sharding().devices_indices_map(got.shape());
    if (map.size() != want.at("indices").size())
      throw Mismatch(where + ": on " + std::to_string(map.size()) + " devices");
    for (const auto& [device, index] : map) {
      const json& block = want["indices"].at(std::to_string(device.id()));
      for (std::size_t d = 0; d < index.size(); ++d)
        if (index[d].start != block.at(d).at(0).get<std::int64_t>() ||
            index[d].stop != block[d].at(1).get<std::int64_t>())
          throw Mismatch(fmt::format("{}: the block of device {}", where, device.id()));
    }
    return;
  }
  Sharding mine = got.sharding(), other = sharding_of(want);
  if (!mine.is_equivalent_to(other, got.ndim()))
    throw Mismatch(where + ": " + mine.str() + ", expected " + other.str());
}

struct Captured {
  std::ostringstream text;
  std::streambuf* before = std::cout.rdbuf(text.rdbuf());
  ~Captured() { std::cout.rdbuf(before); }
};

Document& document_of(const json& test) {
  static std::map<std::string, std::unique_ptr<Document>> open;
  std::string id = test.at("document"), name = test.at("name"), key = id + test.value("layout", "");
  // The plain half of S2 has no layout, its other half has both.
  bool begins = name.starts_with(id + ".01");
  if (begins || !open[key]) {
    open[key] = id == "S0"   ? equinox_document()
                : id == "S1" ? arrays_document()
                : id == "S2" ? pmap_document()
                : id == "S3" ? sharded_document()
                             : flax_document();
  }
  return *open[key];
}

void run_document(const json& test) {
  if (!test.contains("document") || !test.contains("what")) throw Unknown("not a step");
  set_cpu_devices(test["document"] == "S4" ? 2 : 8);
  struct Layout {
    bool before = config::threefry_partitionable();
    ~Layout() { config::threefry_partitionable(before); }
  } layout;
  config::threefry_partitionable(test.value("layout", "partitionable") == "partitionable");
  Document& document = document_of(test);
  std::string what = test["what"];
  if (document.instead(what, test)) throw Different();
  if (test.contains("error")) {
    json error = test["error"];
    error["message"] = document_words(error["message"]);
    return expect_error_with_facts(error, [&] {
      Captured quiet;
      document.step(what, test);
    });
  }
  StepResult got;
  std::string printed;
  {
    Captured out;
    got = document.step(what, test);
    printed = out.text.str();
  }
  const json values = test.value("values", json::object()), shardings = test.value("sharding", json::object());
  bool jumps = false;
  for (const auto& [name, want] : values.items()) {
    if (!got.values.count(name)) throw Mismatch("nothing for " + name);
    try {
      compare(got.values[name], want, name);
    } catch (const Mismatch&) {
      if (!got.spread.count(name)) throw;
      spread = got.spread[name];
      struct Exact {
        ~Exact() { spread = 0; }
      } exact;
      compare(got.values[name], want, name);
      jumps = true;
    }
  }
  for (const auto& [name, want] : shardings.items()) {
    if (!got.placed.count(name)) throw Mismatch("no sharding for " + name);
    compare_placement(got.placed[name], want, name);
  }
  if (jumps) throw Different("a unit at its kink");
  if (!test.contains("printed")) return;
  if (has_broken_labels(test["printed"])) {
    compare_text(without_pictures(printed), without_pictures(test["printed"]));
    expect_same_tiles(printed, test["printed"]);
    throw Different("a table too narrow");
  }
  if (what.starts_with("np.allclose") && printed == "True\n" && test["printed"] == "False\n")
    throw Different("dots that agree");
  if (!test.contains("error_text")) return compare_text(printed, test["printed"]);
  // Conflicts of devices: the document's words, wrapped as it does; then what to do.
  std::istringstream expected(test["printed"].get<std::string>());
  std::string all, message, at = printed;
  for (std::string line; std::getline(expected, line);)
    all += (all.empty() || line.starts_with("\x1b") ? "\n" : " ") + line;
  std::istringstream messages(all.substr(1));
  while (std::getline(messages, message)) {
    std::size_t found = at.find(wrap(document_words(message)) + "\n");
    if (found == std::string::npos) throw Mismatch("printed\n" + printed + "without\n" + wrap(document_words(message)));
    at.erase(0, found + 1);
  }
}
const Registration document_registration({"steps"}, "steps", run_document);

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
