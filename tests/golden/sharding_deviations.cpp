// shardings.json: where tutti does something else than JAX, and what (the reasons: differences.md).
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <regex>

#include "golden/device.hpp"
#include "golden/golden.hpp"
#include "golden/sharding_cases.hpp"

namespace golden {
namespace {

// The facts of JAX's refusal of dims that do not divide.
struct Uneven {
  std::string message;
  Shape shape, parts;
};
Shape numbers_of(const std::string& text) {
  Shape out;
  static const std::regex digits("\\d+");
  for (auto at = std::sregex_iterator(text.begin(), text.end(), digits); at != std::sregex_iterator(); ++at)
    out.push_back(std::stoll(at->str()));
  return out;
}
Uneven uneven_of(const json& test) {
  expect_jax_refuses(test, "IndivisibleError");
  std::string message = test["error"]["message"];
  static const std::regex facts(
      "array axis (\\d+) is partitioned (\\d+) times, but the dimension size is (\\d+) \\(full shape: (\\([\\d, "
      "]*\\)), per-dimension tiling factors: (\\[[\\d, ]*\\]) should");
  std::smatch m;
  if (!std::regex_search(message, m, facts)) throw Unknown("JAX's message: " + message);
  Uneven out{message, numbers_of(m[4]), numbers_of(m[5])};
  auto axis = static_cast<int>(std::stoll(m[1]));
  std::int64_t times = std::stoll(m[2]), size = std::stoll(m[3]);
  if (out.parts[axis] != times || out.shape[axis] != size || size % times == 0)
    throw Mismatch("JAX's message contradicts itself: " + message);
  if (test.contains("shape") && shape_of(test["shape"]) != out.shape)
    throw Mismatch("JAX's message is of another shape: " + message);
  return out;
}
Shape ceil_block(const Shape& shape, const Shape& parts) {
  Shape out;
  for (int d = 0; d < shape.ndim(); ++d) out.push_back((shape[d] + parts[d] - 1) / parts[d]);
  return out;
}

Array counted(const Shape& shape) { return arange(static_cast<double>(shape.num_elements())).reshape(shape); }

// `placed` holds counted() in blocks of ceil size, the last ones smaller or empty, each element in one of them.
void check_blocks(const Array& placed, const Shape& parts, std::int64_t plus = 0) {
  const Shape& shape = placed.shape();
  Shape block = ceil_block(shape, parts);
  if (placed.sharding().shard_shape(shape) != block)
    throw Mismatch("shard_shape is " + placed.sharding().shard_shape(shape).str() + ", expected " + block.str());
  std::vector<float> all = (counted(shape) + static_cast<double>(plus)).to_vector<float>();
  if (multihost::process_allgather(placed).to_vector<float>() != all) throw Mismatch("the values differ");
  if (!placed.is_fully_addressable()) return;  // of several processes: blocks that differ may lie in another one
  std::vector<float> held;
  for (const Shard& s : placed.addressable_shards()) {
    std::vector<float> data = s.data().to_vector<float>(), want;
    for (std::int64_t i = 0; i < shape.num_elements(); ++i) {
      std::int64_t rest = i;
      bool inside = true;
      for (int d = shape.ndim(); d-- > 0; rest /= shape[d])
        inside = inside && rest % shape[d] >= s.index[static_cast<std::size_t>(d)].first &&
                 rest % shape[d] < s.index[static_cast<std::size_t>(d)].second;
      if (inside) want.push_back(all[static_cast<std::size_t>(i)]);
    }
    if (s.data().shape().num_elements() > block.num_elements())
      throw Mismatch(fmt::format("the block of device {} is too large", s.device.id()));
    if (data != want) throw Mismatch(fmt::format("the block of device {} holds other values", s.device.id()));
    if (s.replica_id == 0) held.insert(held.end(), data.begin(), data.end());
  }
  std::sort(held.begin(), held.end());  // counted() is sorted
  if (held != all) throw Mismatch(fmt::format("the blocks hold {} of {} elements", held.size(), all.size()));
}

void accepts_uneven(const json& test, const std::function<Array(const Shape&)>& place) {
  set_cpu_devices(8);
  Uneven jax = uneven_of(test);
  Array placed = place(jax.shape);
  if (jax.message.find(placed.sharding().str()) == std::string::npos)
    throw Mismatch("JAX refuses another sharding than " + placed.sharding().str());
  if (!placed.committed()) throw Mismatch("it is uncommitted");
  check_blocks(placed, jax.parts);
}
Handler uneven_put(Mesh (*mesh)(), PartitionSpec spec) {
  return [=](const json& test) {
    accepts_uneven(test, [&](const Shape& s) { return device_put(counted(s), NamedSharding(mesh(), spec)); });
  };
}
Handler uneven(Array (*place)(const Shape&)) {
  return [=](const json& test) { accepts_uneven(test, place); };
}
Sharding rows_of_8() { return NamedSharding(mesh_8(), P("x")); }
Array same(const Array& x) { return x; }
Handler uneven_shard_shape(Mesh (*mesh)(), PartitionSpec spec) {
  return [=](const json& test) {
    set_cpu_devices(8);
    Uneven jax = uneven_of(test);
    NamedSharding s(mesh(), spec);
    if (jax.message.find(s.str()) == std::string::npos) throw Mismatch("JAX refuses another sharding than " + s.str());
    if (s.shard_shape(jax.shape) != ceil_block(jax.shape, jax.parts))
      throw Mismatch("shard_shape is " + s.shard_shape(jax.shape).str());
  };
}

template <class Class> void expect_refused(const std::function<void()>& call, const std::vector<std::string>& words) {
  try {
    call();
  } catch (const Class& e) {
    for (const std::string& word : words)
      if (std::string(e.what()).find(word) == std::string::npos) throw Mismatch("`" + word + "` is not in " + e.what());
    return;
  }
  throw Mismatch("no error");
}
void jax_allows(const json& test) {
  if (!test.contains("error") || !test["error"].is_null()) throw Mismatch("JAX refuses it too");
}

const Deviations error_deviations(
    shardings_lists, "errors",
    {
        {"indivisible_1d", uneven_put(mesh_8, P("x"))},
        {"indivisible_2d_dim1", uneven_put(mesh_42, P("x", "y"))},
        {"indivisible_2d_both", uneven_put(mesh_42, P("x", "y"))},
        {"indivisible_tuple", uneven_put(mesh_42, P(axes("x", "y")))},
        {"indivisible_tree", uneven([](const Shape& s) {
           return std::get<1>(device_put(std::tuple{zeros({8}), counted(s)}, rows_of_8()));
         })},
        {"indivisible_dict", uneven([](const Shape& s) -> Array {
           return device_put(Dict{{"w", zeros({8})}, {"b", counted(s)}}, rows_of_8())["b"];
         })},
        {"shard_shape_indivisible", uneven_shard_shape(mesh_8, P("x"))},
        {"shard_shape_indivisible_2d", uneven_shard_shape(mesh_42, P("x", "y"))},
        {"constraint_indivisible_eager",
         uneven([](const Shape& s) { return lax::with_sharding_constraint(counted(s), rows_of_8()); })},
        {"in_shardings_indivisible",
         uneven([](const Shape& s) { return jit(same, {.in_shardings = rows_of_8()})(counted(s)); })},
        {"out_shardings_indivisible",
         uneven([](const Shape& s) { return jit(same, {.out_shardings = rows_of_8()})(counted(s)); })},
        {"nested_tuple_spec", not_in_cpp("an entry of a spec is none, a name or a list of names")},
        {"bad_spec_entry", not_in_cpp("a number is no entry of a spec")},
        {"constraint_spec_no_mesh", not_in_cpp("a constraint is a Sharding, which names its mesh")},
        {"device_put_bad_tree", not_in_cpp("device_put takes one sharding, a function of the path, or path patterns")},
        {"spec_as_tuple",
         [](const json& test) {
           expect_jax_refuses(test, "AttributeError");
           if (NamedSharding(mesh_42(), {"x", "y"}) != NamedSharding(mesh_42(), P("x", "y")))
             throw Mismatch("the braces are another spec");
         }},
        {"spec_as_empty_tuple",
         [](const json& test) {
           expect_jax_refuses(test, "AttributeError");
           if (NamedSharding(mesh_42(), {}) != NamedSharding(mesh_42(), P()))
             throw Mismatch("the braces are another spec");
         }},
        {"mesh_duplicate_name",
         [](const json& test) {
           jax_allows(test);
           expect_refused<ValueError>([] { Mesh(devices(), {4, 2}, {"x", "x"}); }, {"x"});
         }},
        {"mesh_duplicate_device",
         [](const json& test) {
           jax_allows(test);
           expect_refused<ValueError>([] { Mesh({device(0), device(0)}, "x"); }, {"0"});
         }},
        {"create_device_mesh_int",
         [](const json& test) {
           set_cpu_devices(8);
           expect_jax_refuses(test, "TypeError");
           if (Mesh(mesh_utils::create_device_mesh({8}), "x") != mesh_8())
             throw Mismatch("it is no row of the devices");
         }},
        {"pmap_scalar",
         [](const json& test) {
           set_cpu_devices(8);
           expect_jax_refuses(test, "IndexError");
           expect_refused<ShapeError>([] { pmap(same)(array(1.f)); }, {"pmap", "float32[]"});
         }},
        {"positional_removed",
         [](const json& test) {
           set_cpu_devices(8);
           expect_jax_refuses(test, "AttributeError");
           if (PositionalSharding{devices()}.shape() != Shape{8}) throw Mismatch("its shape");
         }},
    });

// --- device_put

// What JAX records of a result that it places as `theirs`; ours has the same type, and the values and the sharding that
// we promise.
void expect_placed(const json& test, const Array& x, const Sharding& ours, bool committed, const Array& values,
                   const Sharding& theirs) {
  expect_type(x, test);
  if (x.dtype() != float32) throw Mismatch(fmt::format("dtype {}", x.dtype()));
  if (multihost::process_allgather(x).to_vector<float>() != values.to_vector<float>())
    throw Mismatch("the values differ");
  if (x.sharding() != ours) throw Mismatch(fmt::format("{}, expected {}", x.sharding(), ours));
  if (x.committed() != committed) throw Mismatch(committed ? "it is uncommitted" : "it is committed");
  check_recorded(test.at("sharding"), result_sharding(test.at("sharding")));
  if (!result_sharding(test["sharding"]).is_equivalent_to(theirs, x.ndim()) || !test.at("committed").get<bool>())
    throw Mismatch("JAX places it otherwise than differences.md says");
  const json blocks = test["sharding"].value("indices", json::array());
  for (std::size_t at = 0; at < blocks.size(); ++at) {
    const json& shard = blocks[at];
    auto [device, index] = theirs.devices_indices_map(x.shape()).at(at);
    bool same = device.id() == shard.at(0).get<int>() && index.size() == shard.at(1).size();
    for (std::size_t d = 0; same && d < index.size(); ++d)
      same = index[d].start == shard[1][d].at(0).get<std::int64_t>() &&
             index[d].stop == shard[1][d].at(1).get<std::int64_t>();
    if (!same) throw Mismatch("JAX's blocks are not those of its sharding");
  }
}
Handler pmap_row(int row) {
  return [row](const json& test) {
    set_cpu_devices(8);
    Shape shape = shape_of(test.at("shape"));
    std::vector<std::int64_t> whole = {8};
    whole.insert(whole.end(), shape.begin(), shape.end());
    Array x = counted(Shape(whole));
    Array got = pmap([](const Array& v) { return v * 2; })(x)[row];
    std::vector<float> all = (x * 2).to_vector<float>();
    auto count = static_cast<std::ptrdiff_t>(shape.num_elements());
    std::vector<float> part(all.begin() + row * count, all.begin() + (row + 1) * count);
    expect_placed(test, got, SingleDeviceSharding(devices()[static_cast<std::size_t>(row)]), false, array(part, shape),
                  NamedSharding(mesh_8(), P()));
  };
}

const Deviations device_put_cases(
    shardings_lists, "device_put",
    {
        {"wsc_jit_uneven",
         [](const json& test) {
           set_cpu_devices(8);
           Array x = counted(shape_of(test.at("shape"))),
                 got = jit([](const Array&v) { return lax::with_sharding_constraint(v + 1, rows_of_8()); })(x);
           expect_placed(test, got, rows_of_8(), true, x + 1, NamedSharding(mesh_8(), P()));
           check_blocks(got, {8}, 1);
         }},
        {"device_put_in_jit",
         [](const json& test) {
           set_cpu_devices(8);
           Array x = counted(shape_of(test.at("shape"))),
                 got = jit([](const Array&v) { return device_put(v, rows_of_8()); })(x);
           expect_placed(test, got, rows_of_8(), true, x, NamedSharding(mesh_8(), P()));
         }},
        {"device_put_in_jit_resharding",
         [](const json& test) {
           set_cpu_devices(8);
           Sharding from = NamedSharding(mesh_42(), P("x", "y")), to = NamedSharding(mesh_42(), P("y", "x"));
           Array x = counted(shape_of(test.at("shape"))),
                 got = jit([&](const Array&v) { return device_put(v, to); })(device_put(x, from));
           expect_placed(test, got, to, true, x, from);
         }},
        {"pmap_index0", pmap_row(0)},
        {"pmap_index3", pmap_row(3)},
    });

// --- conflicts of devices

const Deviations conflict_deviations(
    shardings_lists, "incompatible",
    {
        {"in_shardings",
         [](const json& test) {
           set_cpu_devices(8);
           jax_allows(test);
           Array x = device_put(arange(test.at("n").get<int>()), NamedSharding(mesh_4(), P("x")));
           auto f = jit([](const Array& v) { return v + 1; },
                        {.in_shardings = Sharding(NamedSharding(mesh_4({4, 5, 6, 7}), P("x")))});
           expect_refused<DeviceError>([&] { f(x); }, {"[0, 1, 2, 3]", "[4, 5, 6, 7]"});
         }},
    });

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
