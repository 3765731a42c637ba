// text.json: lists text_cases (arrays), objects (meshes, specs, shardings, devices, keys, shards, types), errors
// (conversions that fail).
#include <fmt/format.h>

#include <functional>
#include <map>
#include <regex>
#include <sstream>

#include "array/node.hpp"
#include "golden/device.hpp"
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

PartitionSpec spec_of_entries(const json& entries) {
  std::vector<SpecEntry> out;
  for (const json& e : entries) {
    if (e.is_null())
      out.push_back(none);
    else if (e.is_string())
      out.push_back(e.get<std::string>());
    else
      out.push_back(Names(e.get<std::vector<std::string>>()));
  }
  return PartitionSpec::from(out);
}
Mesh mesh_of(const json& t) {
  return make_mesh(shape_of(t.at("mesh_shape")), Names(t.at("mesh_names").get<std::vector<std::string>>()));
}
Mesh mesh_4x2() { return make_mesh({4, 2}, {"x", "y"}); }

template <class T> std::string printed(const T& v) {
  std::ostringstream out;
  out << v;
  return out.str();
}

Texts mesh_object(const json& t) {
  for (const json& type : t.value("axis_types", json::array()))
    if (type != "Auto") throw Mismatch("an axis of the type " + type.dump());
  Mesh m = mesh_of(t);
  return {m.str(), m.repr()};
}
Texts named_object(const json& t) { return same(NamedSharding(mesh_of(t), spec_of_entries(t.at("entries"))).str()); }
// The case does not record which of the generator's two meshes it used; the text tells.
Texts memory_kind_object(const json& t) {
  bool tall = t.at("str").get<std::string>().find("'x': 4") != std::string::npos;
  return same(NamedSharding(make_mesh(tall ? Shape{4, 2} : Shape{2, 4}, {"x", "y"}), P("x"))
                  .with_memory_kind("unpinned_host")
                  .str());
}
Texts array_texts(const Array& x) { return {str(x), repr(x)}; }

Array shard_source(const json& t) {
  Mesh m = t.contains("mesh_shape") ? mesh_of(t) : mesh_4x2();
  Array x = t.contains("array") ? array_of(t["array"]) : array(std::vector<float>(16), Shape{8, 2});
  return device_put(x, NamedSharding(m, spec_of_entries(t.at("entries"))));
}
Shard shard_of(const json& t) { return shard_source(t).addressable_shards().at(t.at("position").get<std::size_t>()); }
Texts shard_index(const json& t) {
  Array x = shard_source(t);
  return same(str(x.sharding().devices_indices_map(x.shape()).at(t.at("position").get<std::size_t>()).second));
}

Texts device_attributes() {
  Device d(3);
  return same(fmt::format("{{'id': {}, 'platform': '{}', 'device_kind': '{}', 'process_index': {}}}", d.id(),
                          d.platform(), d.device_kind(), d.process_index()));
}

Array arange4() { return array(std::vector<float>{0, 1, 2, 3}, Shape{4}); }

using Maker = std::function<Texts(const json&)>;

// By the first part of the name, or by all of it.
const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> table = {
      {"mesh", mesh_object},
      {"mesh/devices",
       [](const json&) {
         return Texts{mesh_4x2().devices().str(), {}};
       }},
      {"mesh/axis_names", [](const json&) { return same(text::names(mesh_4x2().axis_names())); }},
      {"spec", [](const json& t) { return same(spec_of_entries(t.at("entries")).str()); }},
      {"spec/unconstrained", [](const json&) { return same(P("x", P::unconstrained).str()); }},
      {"named", named_object},
      {"named/memory_kind", memory_kind_object},
      {"single", [](const json& t) { return same(SingleDeviceSharding(device(t.at("device").get<int>())).str()); }},
      {"devices/all", [](const json&) { return same(str(devices())); }},
      {"devices/two",
       [](const json&) {
         return same(str({device(0), device(1)}));
       }},
      {"devices/array",
       [](const json&) {
         return Texts{DeviceGrid(devices(), {2, 4}).str(), {}};
       }},
      {"device_attrs", [](const json&) { return device_attributes(); }},
      {"key/scalar", [](const json& t) { return array_texts(random::key(t.at("seed").get<int>())); }},
      {"key/split",
       [](const json& t) { return array_texts(random::split_array(random::key(t.at("seed").get<int>()), Shape{3})); }},
      {"key/2d",
       [](const json& t) {
         return array_texts(random::split_array(random::key(t.at("seed").get<int>()), Shape{2, 2}));
       }},
      {"key/raw", [](const json& t) { return array_texts(random::PRNGKey(t.at("seed").get<int>())); }},
      {"key/dtype", [](const json&) { return same(std::string(random::key(0).dtype().name())); }},
      {"dtype",
       [](const json& t) {
         return Texts{fmt::format("{}", dtype_of(t.at("name").get<std::string>().substr(6))), {}};
       }},
      {"shard",
       [](const json& t) {
         return t.at("what").get<std::string>().starts_with("index") ? shard_index(t) : same(str(shard_of(t)));
       }},
      {"devices_set/single", [](const json&) { return same(printed(arange4().sharding().device_set())); }},
      {"array_sharding/single", [](const json&) { return same(arange4().sharding().str()); }},
      {"aval/f32",
       [](const json&) {
         return Texts{array(std::vector<float>(16), Shape{8, 2}).type().str(), {}};
       }},
      {"format/f32_scalar",
       [](const json&) {
         return Texts{fmt::format("{}", array(1.5f)), {}};
       }},
      {"format/f32_scalar_2f",
       [](const json&) {
         return Texts{fmt::format("{:.3f}", array(1.f / 3)), {}};
       }},
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

// The length of the vector that JAX's message is about; the generator's have 3 elements.
std::int64_t length_of(const json& error) {
  std::smatch m;
  std::string message = error.at("message");
  return std::regex_search(message, m, std::regex("\\[(\\d+)\\]")) ? std::stoll(m[1]) : 3;
}

void text_error_case(const json& test) {
  std::int64_t n = length_of(test.at("error"));
  Array floats = arange(n, float32), ints = arange(n, int32);
  static const std::map<std::string, std::function<void(const Array&, const Array&)>> calls = {
      {"float_of_vec", [](const Array& f, const Array&) { (void)static_cast<float>(f); }},
      {"int_of_vec", [](const Array&, const Array& i) { (void)static_cast<int>(i); }},
      {"bool_of_vec", [](const Array&, const Array& i) { (void)static_cast<bool>(i); }},
      {"item_of_vec", [](const Array& f, const Array&) { (void)f.item<float>(); }},
      {"bool_empty",
       [](const Array&, const Array&) { (void)static_cast<bool>(array(std::vector<float>{}, Shape{0})); }},
      {"deleted",
       [](const Array& f, const Array&) {
         Array x = f;
         x.delete_();
         (void)str(x);
       }},
      {"index_float", [](const Array& f, const Array& i) { (void)i[f]; }},
  };
  auto at = calls.find(test.at("name"));
  if (at == calls.end()) throw Unknown("error " + test.at("name").get<std::string>());
  expect_error_with_facts(test.at("error"), [&] { at->second(floats, ints); });
}

// --- what differs, and how

// The text of an Auto mesh stands where JAX has other axis types.
std::string with_auto_axes(const json& text) {
  return std::regex_replace(text.get<std::string>(), std::regex("Explicit"), "Auto");
}
void expect_other_axes(const json& test) {
  for (const char* text : {"str", "repr"})
    if (test.at(text) == with_auto_axes(test[text])) throw Mismatch("JAX's axes are Auto too");
}
void mesh_with_other_axes(const json& test) {
  expect_other_axes(test);
  expect_text("str", mesh_of(test).str(), with_auto_axes(test["str"]));
  expect_text("repr", mesh_of(test).repr(), with_auto_axes(test["repr"]));
  std::string types;
  for (const json& type : test.at("axis_types")) types += (types.empty() ? "" : ", ") + type.get<std::string>();
  if (test["str"].get<std::string>().find("axis_types=(" + types + ")") == std::string::npos)
    throw Mismatch("JAX's text has other axis types");
}
void sharding_with_other_axes(const json& test) {
  set_cpu_devices(8);
  expect_other_axes(test);
  for (const char* text : {"str", "repr"})
    expect_text(text, NamedSharding(mesh_4x2(), P("x", "y")).str(), with_auto_axes(test[text]));
}
void sizes_of_mesh(const json& test) {
  set_cpu_devices(8);
  Mesh m = mesh_4x2();
  std::string dictionary;
  for (std::size_t i = 0; i < m.axis_names().size(); ++i)
    dictionary += fmt::format("{}('{}', {})", i ? ", " : "", m.axis_names()[i], m.shape()[static_cast<int>(i)]);
  for (const char* text : {"str", "repr"}) expect_text(text, "OrderedDict([" + dictionary + "])", test.at(text));
  expect_text("shape()", m.shape().str(), "(4, 2)");
}
void device_text(const json& test) {
  set_cpu_devices(8);
  const Device d = device(std::stoi(test.at("name").get<std::string>().substr(7)));  // device/5
  expect_text("repr", str(std::vector<Device>{d}), "[" + test.at("repr").get<std::string>() + "]");
  if (d.platform() == "cpu") expect_text("JAX's str", fmt::format("{}:{}", d.platform(), d.id()), test.at("str"));
}
void weak_type(const json& test) {
  Array x = weak(array(1.f));
  if (!x.weak_type()) throw Mismatch("weak_type() is false");
  expect_text("JAX's str", "~" + x.type().str(), test.at("str"));
  expect_text("JAX's repr", "ShapedArray(" + x.type().str() + ", weak_type=True)", test.at("repr"));
}
// JAX has a thing with a text that tutti has not.
Handler no_such_thing(const std::string& name) {
  return [name](const json& test) {
    for (const char* text : {"str", "repr"})
      if (!test.at(text).get<std::string>().starts_with(name + "(")) throw Mismatch("JAX's text is no " + name);
  };
}
void sizes_of_scalar(const json& test) {
  expect_jax_refuses(test, "TypeError");
  Array x = array(1.f);
  if (x.size() != 1 || x.shape() != Shape{}) throw Mismatch("its size or shape");
}
void set_of_value(const json& test) {
  expect_jax_refuses(test, "TypeError");
  if (array(std::vector<float>{5, 6}, Shape{2}).at(0).set(1).to_vector<float>() != std::vector<float>{1, 6})
    throw Mismatch("at(0).set(1)");
}

const std::vector<std::string> text_lists = {"cases", "objects", "errors"};
const Registration text_cases(text_lists, "cases", array_case);
const Registration objects(text_lists, "objects", object_case);
const Registration text_errors(text_lists, "errors", text_error_case);
const Deviations other_objects(text_lists, "objects",
                               {
                                   {"mesh/explicit", mesh_with_other_axes},
                                   {"mesh/mixed", mesh_with_other_axes},
                                   {"named/explicit", sharding_with_other_axes},
                                   {"mesh/abstract", no_such_thing("AbstractMesh")},
                                   {"mesh/shape", sizes_of_mesh},
                                   {"device/*", device_text},
                                   {"sds*", no_such_thing("ShapeDtypeStruct")},
                                   {"aval/weak", weak_type},
                               });
const Deviations other_errors(text_lists, "errors",
                              {
                                  {"len_0d", sizes_of_scalar},
                                  {"hash", not_in_cpp("there is no std::hash of an array")},
                                  {"iter_0d", not_in_cpp("arrays are no ranges")},
                                  {"setitem", set_of_value},
                              });

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
