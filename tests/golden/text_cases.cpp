// text.json: lists cases (arrays), objects (meshes, specs, shardings, devices, keys, shards, types), errors (conversions that fail).
#include <fmt/format.h>

#include <functional>
#include <map>
#include <sstream>

#include "array/node.hpp"
#include "golden/golden.hpp"
#include "mesh/text.hpp"
#include "tutti/format.hpp"

namespace golden {
namespace {

using namespace tutti;

void expect_text(const char* what, const std::string& got, const std::string& want) {
  if (got != want) throw Mismatch(fmt::format("{} is\n{}\nexpected\n{}", what, got, want));
}

Array weak(const Array& x) {
  Type type = x.type();
  type.weak = true;
  return make_array(type, buffer_of(x, "weak"));
}

void array_case(const json& test) {
  Array x = array_of(test);
  if (test.at("weak_type").get<bool>()) x = weak(x);
  expect_text("str", str(x), test.at("str"));
  expect_text("repr", repr(x), test.at("repr"));
  std::ostringstream out;
  out << x;
  expect_text("<<", out.str(), test.at("str"));
}

/// What tutti prints; where C++ knows no second text, `repr` stays empty.
struct Texts {
  std::string str, repr;
};
Texts same(const std::string& s) { return {s, s}; }

PartitionSpec spec_of(const json& entries) {
  std::vector<SpecEntry> out;
  for (const json& e : entries) {
    if (e.is_null()) out.push_back(none);
    else if (e.is_string()) out.push_back(e.get<std::string>());
    else out.push_back(Names(e.get<std::vector<std::string>>()));
  }
  return PartitionSpec::from(out);
}
Mesh mesh_of(const json& t) { return make_mesh(shape_of(t.at("mesh_shape")), Names(t.at("mesh_names").get<std::vector<std::string>>())); }
Mesh mesh_4x2() { return make_mesh({4, 2}, {"x", "y"}); }

template <class T>
std::string printed(const T& v) {
  std::ostringstream out;
  out << v;
  return out.str();
}

Texts mesh_object(const json& t) {
  Mesh m = mesh_of(t);
  return {m.str(), m.repr()};
}
Texts named_object(const json& t) { return same(NamedSharding(mesh_of(t), spec_of(t.at("entries"))).str()); }
// The case does not record which of the generator's two meshes it used; the text tells.
Texts memory_kind_object(const json& t) {
  bool tall = t.at("str").get<std::string>().find("'x': 4") != std::string::npos;
  return same(NamedSharding(make_mesh(tall ? Shape{4, 2} : Shape{2, 4}, {"x", "y"}), P("x")).with_memory_kind("unpinned_host").str());
}
Texts array_texts(const Array& x) { return {str(x), repr(x)}; }

Array shard_source(const json& t) {
  Mesh m = t.contains("mesh_shape") ? mesh_of(t) : mesh_4x2();
  Array x = t.contains("array") ? array_of(t["array"]) : array(std::vector<float>(16), Shape{8, 2});
  return device_put(x, NamedSharding(m, spec_of(t.at("entries"))));
}
Shard shard_of(const json& t) { return shard_source(t).addressable_shards().at(t.at("position").get<std::size_t>()); }
Texts shard_index(const json& t) {
  Array x = shard_source(t);
  return same(str(x.sharding().devices_indices_map(x.shape()).at(t.at("position").get<std::size_t>()).second));
}

Texts device_attributes() {
  Device d(3);
  return same(fmt::format("{{'id': {}, 'platform': '{}', 'device_kind': '{}', 'process_index': {}}}", d.id(), d.platform(), d.device_kind(), d.process_index()));
}

Array arange4() { return array(std::vector<float>{0, 1, 2, 3}, Shape{4}); }

using Maker = std::function<Texts(const json&)>;

// By the first part of the name, or by all of it.
const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> table = {
      {"mesh", mesh_object},
      {"mesh/devices", [](const json&) { return Texts{mesh_4x2().devices().str(), {}}; }},
      {"mesh/axis_names", [](const json&) { return same(text::names(mesh_4x2().axis_names())); }},
      {"spec", [](const json& t) { return same(spec_of(t.at("entries")).str()); }},
      {"spec/unconstrained", [](const json&) { return same(P("x", P::unconstrained).str()); }},
      {"named", named_object},
      {"named/memory_kind", memory_kind_object},
      {"single", [](const json& t) { return same(SingleDeviceSharding(Device(t.at("device").get<int>())).str()); }},
      {"devices/all", [](const json&) { return same(str(devices())); }},
      {"devices/two", [](const json&) { return same(str({Device(0), Device(1)})); }},
      {"devices/array", [](const json&) { return Texts{DeviceGrid(devices(), {2, 4}).str(), {}}; }},
      {"device_attrs", [](const json&) { return device_attributes(); }},
      {"key/scalar", [](const json& t) { return array_texts(random::key(t.at("seed").get<int>())); }},
      {"key/split", [](const json& t) { return array_texts(random::split_array(random::key(t.at("seed").get<int>()), Shape{3})); }},
      {"key/2d", [](const json& t) { return array_texts(random::split_array(random::key(t.at("seed").get<int>()), Shape{2, 2})); }},
      {"key/raw", [](const json& t) { return array_texts(random::PRNGKey(t.at("seed").get<int>())); }},
      {"key/dtype", [](const json&) { return same(std::string(random::key(0).dtype().name())); }},
      {"dtype", [](const json& t) { return Texts{fmt::format("{}", dtype_of(t.at("name").get<std::string>().substr(6))), {}}; }},
      {"shard", [](const json& t) { return t.at("what").get<std::string>().starts_with("index") ? shard_index(t) : same(str(shard_of(t))); }},
      {"devices_set/single", [](const json&) { return same(printed(arange4().sharding().device_set())); }},
      {"array_sharding/single", [](const json&) { return same(arange4().sharding().str()); }},
      {"aval/f32", [](const json&) { return Texts{array(std::vector<float>(16), Shape{8, 2}).type().str(), {}}; }},
      {"format/f32_scalar", [](const json&) { return Texts{fmt::format("{}", array(1.5f)), {}}; }},
      {"format/f32_scalar_2f", [](const json&) { return Texts{fmt::format("{:.3f}", array(1.f / 3)), {}}; }},
  };
  return table;
}

void object_case(const json& test) {
  set_cpu_devices(8);
  std::string name = test.at("name");
  if (test.contains("layout")) config::threefry_partitionable(test["layout"] == "partitionable");
  auto at = makers().find(name);
  if (at == makers().end()) at = makers().find(name.substr(0, name.find('/')));
  if (at == makers().end()) throw Unknown("object " + name);
  Texts texts = at->second(test);
  expect_text("str", texts.str, test.at("str"));
  if (!texts.repr.empty()) expect_text("repr", texts.repr, test.at("repr"));
}

void error_case(const json& test) {
  Array floats = array(std::vector<float>{0, 1}, Shape{2}), ints = array(std::vector<int>{0, 1}, Shape{2});
  static const std::map<std::string, std::function<void(const Array&, const Array&)>> calls = {
      {"float_of_vec", [](const Array& f, const Array&) { (void)static_cast<float>(f); }},
      {"int_of_vec", [](const Array&, const Array& i) { (void)static_cast<int>(i); }},
      {"bool_of_vec", [](const Array&, const Array& i) { (void)static_cast<bool>(i); }},
      {"item_of_vec", [](const Array& f, const Array&) { (void)f.item<float>(); }},
      {"bool_empty", [](const Array&, const Array&) { (void)static_cast<bool>(array(std::vector<float>{}, Shape{0})); }},
      {"deleted", [](const Array& f, const Array&) { Array x = f; x.delete_(); (void)str(x); }},
      {"index_float", [](const Array& f, const Array& i) { (void)i[f]; }},
  };
  auto at = calls.find(test.at("name"));
  if (at == calls.end()) throw Unknown("error " + test.at("name").get<std::string>());
  expect_error(test.at("error"), [&] { at->second(floats, ints); });
}

const std::vector<std::string> lists = {"cases", "objects", "errors"};
const Registration cases(lists, "cases", array_case);
const Registration objects(lists, "objects", object_case);
const Registration errors(lists, "errors", error_case);

}  // namespace
}  // namespace golden
