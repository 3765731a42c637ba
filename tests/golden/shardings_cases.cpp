// shardings.json: lists layouts, errors, equivalence, device_put and incompatible. (Programs: sharding_programs.cpp.)
#include <fmt/format.h>

#include <functional>
#include <map>
#include <tuple>

#include "golden/device.hpp"
#include "golden/golden.hpp"
#include "golden/sharding_cases.hpp"

namespace golden {

Sharding result_sharding(const json& s) {
  if (s.contains("device_id")) return SingleDeviceSharding(device(s["device_id"].get<int>()));
  if (!s.contains("spec")) throw Unknown("sharding " + s.dump());
  return place::sharding(s);
}

void expect_type(const Array& x, const json& want) {
  if (x.shape() != shape_of(want.at("shape")))
    throw Mismatch("shape " + x.shape().str() + ", expected " + shape_of(want["shape"]).str());
  if (want.contains("dtype") && x.dtype() != dtype_of(want["dtype"]))
    throw Mismatch(fmt::format("dtype {}, expected {}", x.dtype(), want["dtype"].get<std::string>()));
}

void check_recorded(const json& recorded, const Sharding& s) {
  std::string kind = recorded.contains("device_id") ? "SingleDeviceSharding" : "NamedSharding";
  if (recorded.at("kind") != kind) throw Mismatch("its kind is " + recorded["kind"].dump());
  if (s.is_fully_replicated() != recorded.at("is_fully_replicated").get<bool>())
    throw Mismatch("is_fully_replicated differs");
  if (s.num_devices() != recorded.at("num_devices").get<int>()) throw Mismatch("num_devices differs");
}

Mesh mesh_of(const Shape& shape, Names names, const std::vector<int>& ids) {
  std::vector<Device> devices;
  for (int i = 0; i < shape.num_elements(); ++i)
    devices.push_back(device(ids.empty() ? i : ids[static_cast<std::size_t>(i)]));
  return Mesh(devices, shape, names);
}

Array program_values(const Shape& shape, DType dtype) {
  std::vector<float> v;
  for (std::int64_t i = 0; i < shape.num_elements(); ++i) {
    float n = static_cast<float>((7919 * i) % 23 - 11);
    v.push_back(dtype.is_floating() ? n / 8 : n);
  }
  return lax::convert_element_type(array(v, shape), dtype);
}

namespace {

NamedSharding on(const Mesh& mesh, const PartitionSpec& spec) { return NamedSharding(mesh, spec); }

// --- layouts, equivalence

void layout_case(const json& test) {
  set_cpu_devices(8);
  NamedSharding s(place::mesh(test.at("mesh")), place::spec(test.at("spec")));
  Shape shape = shape_of(test.at("shape"));
  if (s.shard_shape(shape) != shape_of(test.at("shard_shape")))
    throw Mismatch("shard_shape is " + s.shard_shape(shape).str());
  if (s.is_fully_replicated() != test.at("is_fully_replicated").get<bool>())
    throw Mismatch("is_fully_replicated differs");
  auto map = s.devices_indices_map(shape);
  std::vector<Shard> shards = device_put(zeros(shape), s).addressable_shards();
  const json& devices = test.at("devices");
  // Recorded in one process. Of several, each has the shards of its own devices, of all of which one has what it has.
  const bool all_here = process_count() == 1;
  const bool addressable = shards.size() == devices.size();
  if (all_here && !addressable) throw Mismatch(fmt::format("{} shards", shards.size()));
  if (s.is_fully_addressable() != (test.at("is_fully_addressable").get<bool>() && addressable))
    throw Mismatch("is_fully_addressable differs");
  if (map.size() != devices.size()) throw Mismatch(fmt::format("{} devices", map.size()));
  std::size_t next = 0;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const json& want = devices[i];
    std::string where = fmt::format("device {} of the assignment: ", i);
    if (map[i].first.id() != want.at("id").get<int>()) throw Mismatch(where + fmt::format("id {}", map[i].first.id()));
    std::vector<std::pair<std::int64_t, std::int64_t>> index, wanted;
    for (const IndexRange& r : map[i].second) index.emplace_back(r.start, r.stop);
    for (const json& r : want.at("index"))
      wanted.emplace_back(r.at(0).get<std::int64_t>(), r.at(1).get<std::int64_t>());
    if (index != wanted) throw Mismatch(where + "index " + str(map[i].second));
    if (next == shards.size() || shards[next].device.id() != map[i].first.id()) {
      if (all_here) throw Mismatch(where + "no shard");
      continue;
    }
    const Shard& shard = shards[next++];
    if (shard.replica_id != want.at("replica_id").get<int>())
      throw Mismatch(where + fmt::format("replica_id {}", shard.replica_id));
    if (shard.index != wanted) throw Mismatch(where + "the shard's index");
  }
  if (next != shards.size()) throw Mismatch(fmt::format("{} of {} shards are of devices", next, shards.size()));
}

void equivalence_case(const json& test) {
  set_cpu_devices(8);
  Sharding a = place::sharding(test.at("a")), b = place::sharding(test.at("b"));
  int ndim = test.at("ndim").get<int>();
  if ((a == b) != test.at("equal").get<bool>()) throw Mismatch(fmt::format("{} == {} is {}", a, b, a == b));
  const json& equivalent = test.at("equivalent");
  bool ours = a.is_equivalent_to(b, ndim);
  // A spec with more entries than the array has dims fits no such array: they are not equivalent.
  auto longer = [&](const json& s) { return s.contains("spec") && static_cast<int>(s["spec"].size()) > ndim; };
  if ((longer(test["a"]) || longer(test["b"])) && !ours &&
      (equivalent == true || (equivalent.is_object() && equivalent.at("type") == "IndexError")))
    throw Different("a spec longer than the rank");
  if (equivalent.is_object()) return expect_error_with_facts(equivalent, [&] { (void)a.is_equivalent_to(b, ndim); });
  if (ours != equivalent.get<bool>())
    throw Mismatch(fmt::format("is_equivalent_to of {} and {} is {}", a, b, !equivalent.get<bool>()));
}

// --- device_put

// What a case of device_put works on: vectors and matrices of the case's size, on the generator's meshes.
struct Source {
  const json& test;
  std::int64_t rows() const {
    const json& shape = test.at("shape");
    return shape.empty() ? 16 : shape.at(0).get<std::int64_t>();
  }
  Array vector() const { return arange(rows(), float32); }
  Array matrix() const { return reshape(arange(rows() * 4, float32), {rows(), 4}); }
  Array sharded_vector() const { return device_put(vector(), on(mesh_8(), P("x"))); }
  Array sharded() const { return device_put(matrix(), on(mesh_42(), P("x", "y"))); }
  Array rows_on_8() const { return device_put(matrix(), on(mesh_8(), P("x"))); }
  Mesh permuted() const { return place::mesh(test.at("sharding").at("mesh")); }
  Shape shape() const { return shape_of(test.at("shape")); }
};
using Placed = std::function<Array(const Source&)>;

Array plus_one(const Array& x) { return x + 1; }
Array twice(const Array& x) { return x * 2; }

std::map<std::string, Placed> put_cases() {
  return {
      {"none_jax", [](const Source& s) { return device_put(s.vector()); }},
      {"none_numpy",
       [](const Source& s) {
         return device_put(array(std::vector<float>(static_cast<std::size_t>(s.rows())), s.shape()));
       }},
      {"none_scalar", [](const Source&) { return device_put(2.5); }},
      {"device0", [](const Source& s) { return device_put(s.vector(), devices()[0]); }},
      {"device3", [](const Source& s) { return device_put(s.vector(), devices()[3]); }},
      {"single_sharding", [](const Source& s) { return device_put(s.vector(), SingleDeviceSharding(devices()[2])); }},
      {"named_x", [](const Source& s) { return s.sharded_vector(); }},
      {"named_rep", [](const Source& s) { return device_put(s.vector(), on(mesh_8(), P())); }},
      {"named_xy", [](const Source& s) { return s.sharded(); }},
      {"named_xnone", [](const Source& s) { return device_put(s.matrix(), on(mesh_42(), P("x", none))); }},
      {"reshard", [](const Source& s) { return device_put(s.sharded(), on(mesh_42(), P("y", "x"))); }},
      {"reshard_subset",
       [](const Source& s) {
         return device_put(s.rows_on_8(), on(mesh_4({4, 5, 6, 7}), P("x")));
       }},
      {"reshard_permuted", [](const Source& s) { return device_put(s.rows_on_8(), on(s.permuted(), P("x"))); }},
      {"back_to_single", [](const Source& s) { return device_put(s.rows_on_8(), devices()[0]); }},
      {"none_after_named", [](const Source& s) { return device_put(s.rows_on_8()); }},
      {"scalar_rep", [](const Source&) { return device_put(3.0, on(mesh_42(), P())); }},
  };
}

std::map<std::string, Placed> created_cases() {
  return {
      {"zeros", [](const Source& s) { return zeros(s.shape()); }},
      {"arange", [](const Source& s) { return arange(s.rows()); }},
      {"array",
       [](const Source&) {
         return array({1, 2});
       }},
      {"random", [](const Source& s) { return random::normal(random::key(0), s.shape()); }},
      {"zeros_like_sharded", [](const Source& s) { return zeros_like(s.sharded()); }},
      {"ones_like_sharded", [](const Source& s) { return ones_like(s.sharded()); }},
      {"full_like_sharded",
       [](const Source& s) { return full_like(device_put(s.matrix(), on(mesh_42(), P("x"))), 2.0); }},
      {"zeros_device", [](const Source& s) { return zeros(s.shape(), on(mesh_8(), P("x"))); }},
      {"copy_sharded", [](const Source& s) { return s.sharded().copy(); }},
      {"copy_plain", [](const Source& s) { return s.matrix().copy(); }},
      {"copy_committed", [](const Source& s) { return device_put(s.matrix(), devices()[3]).copy(); }},
      {"array_of_sharded", [](const Source& s) { return Array(s.sharded()).copy(); }},
      {"asarray_of_sharded", [](const Source& s) { return Array(s.sharded()); }},
      {"from_single",
       [](const Source& s) {
         std::vector<Array> parts;
         for (int i = 0; i < 4; ++i)
           parts.push_back(device_put(zeros({s.rows() / 4}), devices()[static_cast<std::size_t>(i)]));
         return make_array_from_single_device_arrays(s.shape(), on(mesh_4(), P("x")), parts);
       }},
      {"callback",
       [](const Source& s) {
         auto block = [](const ShardIndex& i) { return zeros({i[0].stop - i[0].start, i[1].stop - i[1].start}); };
         return make_array_from_callback(s.shape(), on(mesh_42(), P("x", "y")), block);
       }},
  };
}

std::map<std::string, Placed> computed_cases() {
  return {
      {"jit_uncommitted", [](const Source& s) { return jit(plus_one)(s.vector()); }},
      {"jit_device3", [](const Source& s) { return jit(plus_one)(device_put(s.vector(), devices()[3])); }},
      {"eager_device3", [](const Source& s) { return device_put(s.vector(), devices()[3]) + 1; }},
      {"eager_mixed", [](const Source& s) { return s.sharded_vector() + ones({s.rows()}); }},
      {"eager_mixed_device3", [](const Source& s) { return device_put(s.vector(), devices()[3]) + ones({s.rows()}); }},
      {"jit_const", [](const Source& s) { return jit([shape = s.shape()] { return zeros(shape); })(); }},
      {"jit_const_with_sharded_arg",
       [](const Source& s) {
         return jit([shape = s.shape()](const Array&) { return zeros(shape); })(s.sharded_vector());
       }},
      {"jit_out_shardings",
       [](const Source& s) { return jit(plus_one, {.out_shardings = Sharding(on(mesh_8(), P("x")))})(s.vector()); }},
      {"jit_in_shardings",
       [](const Source& s) { return jit(plus_one, {.in_shardings = Sharding(on(mesh_8(), P("x")))})(s.vector()); }},
      {"wsc_eager", [](const Source& s) { return lax::with_sharding_constraint(s.vector(), on(mesh_8(), P("x"))); }},
      {"wsc_jit",
       [](const Source& s) {
         return jit([](const Array& x) { return lax::with_sharding_constraint(x, on(mesh_8(), P("x"))); })(s.vector());
       }},
      {"donated", [](const Source& s) { return jit(plus_one, {.donate_argnums = {0}})(s.sharded()); }},
      {"shard_map_x",
       [](const Source& s) {
         return shard_map(twice, {.mesh = mesh_8(), .in_specs = P("x"), .out_specs = P("x")})(s.vector());
       }},
      {"shard_map_psum",
       [](const Source& s) {
         return shard_map([](const Array& x) { return lax::psum(x.sum(), "x"); },
                          {.mesh = mesh_8(), .in_specs = P("x"), .out_specs = P()})(s.vector());
       }},
      {"shard_map_xy",
       [](const Source& s) {
         return shard_map(twice, {.mesh = mesh_42(), .in_specs = P("x", "y"), .out_specs = P("x", "y")})(s.matrix());
       }},
      {"pmap", [](const Source& s) { return pmap(twice)(s.vector()); }},
      {"pmap4", [](const Source& s) { return pmap(twice)(s.vector()); }},
      {"pmap_2d", [](const Source& s) { return pmap(twice)(ones(s.shape())); }},
      {"pmap_in_axes1",
       [](const Source& s) {
         return pmap(twice, {.in_axes = 1})(ones({s.shape()[1], s.shape()[0]}));
       }},
      {"pmap_out_axes1",
       [](const Source& s) {
         return pmap(twice, {.out_axes = 1})(ones({s.shape()[1], s.shape()[0]}));
       }},
  };
}

void device_put_case(const json& test) {
  set_cpu_devices(8);
  static const std::map<std::string, Placed> all = [] {
    std::map<std::string, Placed> out = put_cases();
    out.merge(created_cases());
    out.merge(computed_cases());
    return out;
  }();
  auto at = all.find(test.at("name"));
  if (at == all.end()) throw Unknown("placement " + test.at("name").get<std::string>());
  Array x = at->second(Source{test});
  expect_type(x, test);
  if (x.committed() != test.at("committed").get<bool>())
    throw Mismatch(fmt::format("it is {}committed", x.committed() ? "" : "un"));
  const json& s = test.at("sharding");
  Sharding want = result_sharding(s);
  // pmap's axis has no name that anybody gave; other specs are equal as written.
  bool named = s.contains("mesh") && !s["mesh"].at("names").at(0).get<std::string>().starts_with("_");
  if (named ? x.sharding() != want : !x.sharding().is_equivalent_to(want, x.ndim()))
    throw Mismatch(fmt::format("{}, expected {}", x.sharding(), want));
  if (s.contains("device_id") != (x.sharding().kind() == Sharding::Kind::single_device))
    throw Mismatch(fmt::format("{}: another kind of sharding", x.sharding()));
  check_recorded(s, x.sharding());
  if (!s.contains("indices")) return;
  std::vector<Shard> shards = x.addressable_shards();
  const json indices = of_this_process(s["indices"], x);
  if (shards.size() != indices.size()) throw Mismatch(fmt::format("{} shards", shards.size()));
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const json& one = indices.at(i);
    if (shards[i].device.id() != one.at(0).get<int>())
      throw Mismatch(fmt::format("shard {} is on {}", i, shards[i].device));
    for (std::size_t d = 0; d < shards[i].index.size(); ++d)
      if (shards[i].index[d].first != one.at(1).at(d).at(0).get<std::int64_t>() ||
          shards[i].index[d].second != one.at(1).at(d).at(1).get<std::int64_t>())
        throw Mismatch(fmt::format("the index of shard {} differs in dim {}", i, d));
  }
}

// --- errors

using Wrong = std::function<void(const Shape& shape)>;

void put(const Shape& shape, const Mesh& mesh, const PartitionSpec& spec) {
  (void)device_put(zeros(shape), on(mesh, spec));
}
Wrong puts(Mesh (*mesh)(), PartitionSpec spec) {
  return [mesh, spec](const Shape& s) { put(s, mesh(), spec); };
}
Wrong spec_on_42(PartitionSpec spec) {
  return [spec](const Shape&) { on(mesh_42(), spec); };
}
Mesh mesh_8_() { return mesh_8(); }
Mesh two_equal_devices() { return Mesh({device(0), device(0)}, "x"); }

std::map<std::string, Wrong> placement_errors() {
  return {
      {"zero_dim", puts(mesh_8_, P("x"))},
      {"unknown_axis", spec_on_42(P("z"))},
      {"unknown_axis_tuple", spec_on_42(P(axes("x", "q")))},
      {"duplicate_axis", spec_on_42(P("x", "x"))},
      {"duplicate_axis_tuple", spec_on_42(P(axes("x", "y"), "x"))},
      {"duplicate_inside_tuple", spec_on_42(P(axes("x", "x")))},
      {"rank_small", puts(mesh_42, P("x", "y"))},
      {"rank_small_none", puts(mesh_42, P("x", none))},
      {"rank_scalar", puts(mesh_8_, P("x"))},
      {"rank_scalar_none", puts(mesh_8_, P(none))},
      {"mesh_rank",
       [](const Shape&) {
         Mesh(devices(), {"x", "y"});
       }},
      {"mesh_rank2",
       [](const Shape&) {
         Mesh(devices(), {4, 2}, "x");
       }},
      {"mesh_none_name", [](const Shape&) { Mesh(devices(), ""); }},
      {"mesh_duplicate_device_put", puts(two_equal_devices, P("x"))},
      {"make_mesh_too_many",
       [](const Shape&) {
         make_mesh({4, 4}, {"x", "y"});
       }},
      {"make_mesh_len",
       [](const Shape&) {
         make_mesh({4, 2}, "x");
       }},
      {"create_device_mesh_mismatch",
       [](const Shape&) {
         mesh_utils::create_device_mesh({2, 2});
       }},
      {"reshape_devices",
       [](const Shape&) {
         Mesh(DeviceGrid(devices(), {8}).reshape({3, 2}), {"x", "y"});
       }},
      {"constraint_rank_jit",
       [](const Shape& s) {
         jit([](const Array& x) { return lax::with_sharding_constraint(x, on(mesh_42(), P("x", "y"))); })(zeros(s));
       }},
      {"constraint_indivisible_jit",
       [](const Shape& s) {
         jit([](const Array& x) { return lax::with_sharding_constraint(x + 1, on(mesh_8(), P("x"))) * 2; })(zeros(s));
       }},
  };
}

Array itself(const Array& x) { return x; }
Array first_of_two(const Array& x, const Array&) { return x; }

std::map<std::string, Wrong> jit_errors() {
  return {
      {"in_shardings_rank",
       [](const Shape&) { jit(itself, {.in_shardings = Sharding(on(mesh_42(), P("x", "y")))})(zeros({8})); }},
      {"in_shardings_committed_mismatch",
       [](const Shape&) {
         jit(plus_one, {.in_shardings = Sharding(on(mesh_8(), P("x")))})(device_put(zeros({8}), on(mesh_8(), P())));
       }},
      {"in_shardings_tree_mismatch",
       [](const Shape&) {
         Sharding s = on(mesh_8(), P("x"));
         jit(first_of_two, {.in_shardings = {s, s, s}})(zeros({8}), zeros({8}));
       }},
      {"donated_reuse",
       [](const Shape&) {
         Array x = device_put(zeros({8}), on(mesh_8(), P("x")));
         jit(plus_one, {.donate_argnums = {0}})(x);
         (void)(x + 1);
       }},
  };
}

// A wrong shard_map of one argument over the mesh of 8, with these specs.
Wrong mapped(Array (*f)(const Array&), PartitionSpec in, PartitionSpec out, Shape shape) {
  return [=](const Shape& given) {
    shard_map(f, {.mesh = mesh_8(), .in_specs = in, .out_specs = out})(zeros(shape.empty() ? given : shape));
  };
}

std::map<std::string, Wrong> shard_map_errors() {
  return {
      {"shard_map_in_indivisible", mapped(itself, P("x"), P("x"), {})},
      {"shard_map_in_rank", mapped(itself, P("x", none), P("x"), {8})},
      {"shard_map_out_rank", mapped([](const Array& x) { return x.sum(); }, P("x"), P("x"), {8})},
      {"shard_map_out_varying", mapped([](const Array& x) { return x.sum(); }, P("x"), P(), {8})},
      {"shard_map_unknown_axis", mapped(itself, P("q"), P("q"), {8})},
      {"shard_map_args_mismatch",
       [](const Shape&) {
         shard_map(first_of_two, {.mesh = mesh_8(), .in_specs = {P("x")}, .out_specs = P("x")})(zeros({8}), zeros({8}));
       }},
      {"shard_map_out_tree",
       [](const Shape&) {
         shard_map(itself, {.mesh = mesh_8(), .in_specs = P("x"), .out_specs = {P("x"), P("x")}})(zeros({8}));
       }},
      {"psum_unbound", [](const Shape&) { jit([](const Array& x) { return lax::psum(x, "x"); })(zeros({8})); }},
      {"psum_unbound_shard_map", mapped([](const Array& x) { return lax::psum(x, "q"); }, P("x"), P(), {8})},
      {"psum_invarying", mapped([](const Array& x) { return lax::psum(x, "x"); }, P(), P(), {8})},
      {"all_gather_out_P",
       mapped([](const Array& x) { return lax::all_gather(x, "x", {.tiled = true}); }, P("x"), P(), {8})},
      {"ppermute_duplicate", mapped(
                                 [](const Array& x) {
                                   return lax::ppermute(x, "x", {{0, 1}, {2, 1}});
                                 },
                                 P("x"), P("x"), {8})},
      {"psum_scatter_size", mapped([](const Array& x) { return lax::psum_scatter(x, "x"); }, P("x"), P("x"), {24})},
      {"all_to_all_size", mapped([](const Array& x) { return lax::all_to_all(x, "x", 0, 0); }, P("x"), P("x"), {24})},
  };
}

std::map<std::string, Wrong> mapping_errors() {
  return {
      {"pmap_too_many", [](const Shape&) { pmap(itself)(zeros({16})); }},
      {"pmap_size_mismatch", [](const Shape&) { pmap(first_of_two)(zeros({8}), zeros({4})); }},
      {"pmap_no_mapped", [](const Shape&) { pmap(itself, {.in_axes = none})(zeros({8})); }},
      {"vmap_size_mismatch",
       [](const Shape&) {
         vmap([](const Array& x, const Array& y) { return x + y; })(zeros({3, 2}), zeros({4, 2}));
       }},
      {"vmap_rank", [](const Shape&) { vmap(itself, {.in_axes = 1})(zeros({3})); }},
      {"dot_mismatch",
       [](const Shape&) {
         dot(zeros({4, 3}), zeros({4, 3}));
       }},
      {"add_mismatch",
       [](const Shape&) {
         (void)(zeros({4, 3}) + zeros({2}));
       }},
      {"split_uneven", [](const Shape&) { split(zeros({16}), 5); }},
  };
}

// Four arrays of shape (2,) on devices 0 to 3.
std::vector<Array> on_four_devices() {
  std::vector<Array> out;
  for (int i = 0; i < 4; ++i) out.push_back(device_put(zeros({2}), device(i)));
  return out;
}
Wrong assembled(Shape shape, std::vector<int> mesh, std::vector<int> parts) {
  return [=](const Shape&) {
    std::vector<Array> given;
    for (int i : parts) given.push_back(on_four_devices()[static_cast<std::size_t>(i)]);
    make_array_from_single_device_arrays(shape, on(mesh_4(mesh), P("x")), given);
  };
}
std::map<std::string, Wrong> assembly_errors() {
  return {
      {"from_single_count", assembled({8}, {}, {0, 1, 2})},
      {"from_single_shape", assembled({12}, {}, {0, 1, 2, 3})},
      {"from_single_duplicate", assembled({8}, {}, {0, 0, 0, 0})},
      {"from_single_devices", assembled({8}, {4, 5, 6, 7}, {0, 1, 2, 3})},
  };
}

void error_case(const json& test) {
  set_cpu_devices(8);
  static const std::map<std::string, Wrong> all = [] {
    std::map<std::string, Wrong> out = placement_errors();
    out.merge(jit_errors());
    out.merge(shard_map_errors());
    out.merge(mapping_errors());
    out.merge(assembly_errors());
    return out;
  }();
  auto at = all.find(test.at("name"));
  if (at == all.end()) throw Unknown("error " + test.at("name").get<std::string>());
  Shape shape = test.contains("shape")                     ? shape_of(test["shape"])
                : at->first == "mesh_duplicate_device_put" ? Shape{4}
                                                           : Shape{};
  expect_error_with_facts(test.at("error"), [&] { at->second(shape); });
}

// --- incompatible devices

// The arrays of these cases: int32[n] on devices 0-3, 4-7, all 8, and all 8 in another order.
struct Conflict {
  std::int64_t n;
  std::vector<int> permutation;
  Array values() const { return arange(n); }
  Array left() const { return device_put(values(), on(mesh_4(), P("x"))); }
  Array right() const { return device_put(values(), on(mesh_4({4, 5, 6, 7}), P("x"))); }
  Array whole() const { return device_put(values(), on(mesh_8(), P("x"))); }
  Mesh permuted_mesh() const { return mesh_of({8}, "x", permutation); }
  Array permuted() const { return device_put(values(), on(permuted_mesh(), P("x"))); }
  Array matrix(const Mesh& mesh) const {
    return device_put(reshape(values(), {-1, 8}).astype(float32), on(mesh, P(none, "x")));
  }
};
using Clash = std::function<void(const Conflict&)>;

struct Pair {
  Array a;
  std::tuple<Array> b;
};
Array f_two(const Array& first, const Array& second) { return first + second; }

std::map<std::string, Clash> eager_clashes() {
  return {
      {"add_disjoint", [](const Conflict& c) { (void)(c.left() + c.right()); }},
      {"add_permuted", [](const Conflict& c) { (void)(c.whole() + c.permuted()); }},
      {"add_single",
       [](const Conflict& c) { (void)(device_put(c.values(), device(0)) + device_put(c.values(), device(1))); }},
      {"mul_subset", [](const Conflict& c) { (void)(c.whole() * c.left()); }},
      {"sub_float", [](const Conflict& c) { (void)(c.matrix(mesh_8()) - c.matrix(mesh_4())); }},
      {"dot", [](const Conflict& c) { dot(c.left(), c.right()); }},
      {"maximum", [](const Conflict& c) { maximum(c.left(), c.right()); }},
      {"where", [](const Conflict& c) { where(c.left() > 0, c.left(), c.right()); }},
      {"concatenate",
       [](const Conflict& c) {
         concatenate({c.left(), c.right()});
       }},
      {"stack",
       [](const Conflict& c) {
         stack({c.left(), c.right()});
       }},
      {"replicated_orders",
       [](const Conflict& c) {
         (void)(device_put(c.values(), on(mesh_8(), P())) + device_put(c.values(), on(c.permuted_mesh(), P())));
       }},
      {"at_set", [](const Conflict& c) { (void)c.left().at(all).set(c.right()); }},
      {"index_with", [](const Conflict& c) { (void)c.left()[c.right() % 4]; }},
      {"mesh_shapes_ok", [](const Conflict& c) { (void)(device_put(c.values(), on(mesh_42(), P("x"))) + c.whole()); }},
      {"uncommitted_ok", [](const Conflict& c) { (void)(c.left() + c.values()); }},
      {"scalar_committed", [](const Conflict& c) { (void)(c.left() + device_put(array(1), device(0))); }},
  };
}

std::map<std::string, Clash> compiled_clashes() {
  return {
      {"jit_two", [](const Conflict& c) { jit(f_two)(c.left(), c.right()); }},
      {"jit_kwarg", [](const Conflict& c) { jit(f_two)(c.left(), c.right()); }},
      {"jit_tree",
       [](const Conflict& c) {
         jit([](const Pair& tree) { return tree.a + std::get<0>(tree.b); })(Pair{c.left(), {c.right()}});
       }},
      {"jit_lambda",
       [](const Conflict& c) { jit([](const Array& p, const Array& q) { return p + q; })(c.left(), c.right()); }},
      {"jit_three_last",
       [](const Conflict& c) {
         jit([](const Array& p, const Array& q, const Array& r) { return p + q + r; })(c.left(), c.left(), c.right());
       }},
      {"constraint_inside",
       [](const Conflict& c) {
         jit([](const Array& v) {
           return lax::with_sharding_constraint(v * 2, on(mesh_4({4, 5, 6, 7}), P("x")));
         })(c.left());
       }},
      {"out_shardings",
       [](const Conflict& c) {
         jit(plus_one, {.out_shardings = Sharding(on(mesh_4({4, 5, 6, 7}), P("x")))})(c.left());
       }},
      {"shard_map",
       [](const Conflict& c) {
         shard_map(itself, {.mesh = mesh_4({4, 5, 6, 7}), .in_specs = P("x"), .out_specs = P("x")})(c.left());
       }},
  };
}

void incompatible_case(const json& test) {
  set_cpu_devices(8);
  static const std::map<std::string, Clash> all = [] {
    std::map<std::string, Clash> out = eager_clashes();
    out.merge(compiled_clashes());
    return out;
  }();
  auto at = all.find(test.at("name"));
  if (at == all.end()) throw Unknown("conflict " + test.at("name").get<std::string>());
  Conflict conflict{test.at("n").get<std::int64_t>(), test.at("permutation").get<std::vector<int>>()};
  expect_error_with_facts(test.at("error"), [&] { at->second(conflict); });
}

const Registration layouts(shardings_lists, "layouts", layout_case);
const Registration equivalences(shardings_lists, "equivalence", equivalence_case);
const Registration placements(shardings_lists, "device_put", device_put_case);
const Registration errors(shardings_lists, "errors", error_case);
const Registration conflicts(shardings_lists, "incompatible", incompatible_case);

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
