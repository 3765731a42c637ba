// collectives.json: where tutti does something else than JAX, and what (the reasons: differences.md).
#include <regex>

#include "golden/collective_functions.hpp"
#include "tutti/tutti.hpp"

namespace golden {
namespace {

using namespace tutti;

// The first input in equal blocks, one a device (of a mesh with one axis, or of pmap's or vmap's).
struct Blocks {
  std::vector<std::vector<double>> of;
  Shape shape;  // of one, with its leading dim
};
Blocks blocks_of(const json& test) {
  const json& x = test.at("inputs").at(0);
  Shape shape = shape_of(x.at("shape"));
  bool manual = test.at("kind") == "shard_map";
  if (manual && test.at("mesh").at("shape").size() != 1) throw Unknown("a mesh with several axes");
  std::int64_t n = manual ? test["mesh"]["shape"][0].get<std::int64_t>() : shape[0];
  std::size_t each = static_cast<std::size_t>(shape.num_elements() / n);
  Blocks out{{}, shape};
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    out.of.emplace_back();
    for (std::size_t k = 0; k < each; ++k) out.of.back().push_back(number_of(x.at("data").at(i * each + k)));
  }
  return out;
}
json array_json(const Shape& shape, const std::vector<std::vector<double>>& blocks) {
  json data = json::array();
  for (const auto& block : blocks)
    for (double v : block) data.push_back(static_cast<float>(v));
  return {{"dtype", "float32"}, {"shape", shape.dims()}, {"data", data}};
}
std::string captured(const json& test, const std::string& pattern) {
  std::smatch m;
  std::string define = test.at("define");
  if (!std::regex_search(define, m, std::regex(pattern))) throw Unknown("define: " + define);
  return m[1];
}

// tutti takes the call and gives `want`, also compiled, whatever the isolation.
void gives(const json& test, const json& want, bool exact = true) {
  set_cpu_devices(8);
  Arrays inputs;
  for (const json& a : test.at("inputs")) inputs.push_back(array_of(a));
  with_both_isolations([&] {
    auto f = collective_call(test);
    Tolerance t = exact ? Tolerance{} : tolerance_of(want);
    expect_equal(f(inputs).at(0), want, t);
    expect_equal(jit([&](const Arrays& a) { return f(a); })(inputs).at(0), want, t);
  });
}
// tutti refuses the call, in words that hold these.
template <class Class> void refuses(const json& test, const std::vector<std::string>& words) {
  set_cpu_devices(8);
  Arrays inputs;
  for (const json& a : test.at("inputs")) inputs.push_back(array_of(a));
  auto call = collective_call(test);
  try {
    call(inputs).at(0).block_until_ready();
  } catch (const Class& e) {
    for (const std::string& word : words)
      if (std::string(e.what()).find(word) == std::string::npos) throw Mismatch("`" + word + "` is not in " + e.what());
    return;
  }
  throw Mismatch("no error");
}
void jax_accepts(const json& test) {
  if (test.contains("error") || !test.contains("outputs")) throw Mismatch("JAX refuses it too");
}

void sums_of_groups(const json& test) {
  expect_jax_refuses(test, "NotImplementedError");
  Blocks x = blocks_of(test);
  auto sums = x.of;
  for (const json& group : json::parse(captured(test, "axis_index_groups=(\\[\\[.*\\]\\])")))
    for (std::size_t to : group)
      for (std::size_t k = 0; k < sums[to].size(); ++k) {
        sums[to][k] = 0;
        for (std::size_t from : group) sums[to][k] += x.of[from][k];
      }
  gives(test, array_json(x.shape, sums), false);
}
void broadcast(const json& test) {
  if (test.at("error").at("type") != "NotImplementedError") throw Mismatch("JAX refuses it in another way");
  Blocks x = blocks_of(test);
  std::size_t from = std::stoul(captured(test, "pbroadcast\\(x, '\\w+', (\\d+)\\)"));
  gives(test, array_json(x.shape, std::vector(x.of.size(), x.of.at(from))));
}
void partial_permutation(const json& test) {
  expect_jax_refuses(test, "AssertionError");
  Blocks x = blocks_of(test);
  std::vector moved(x.of.size(), std::vector<double>(x.of[0].size(), 0));
  std::string pairs = captured(test, "(\\[\\(.*\\)\\])");
  static const std::regex pair("\\((\\d+), (\\d+)\\)");
  for (auto at = std::sregex_iterator(pairs.begin(), pairs.end(), pair); at != std::sregex_iterator(); ++at)
    moved.at(std::stoul((*at)[2])) = x.of.at(std::stoul((*at)[1]));
  gives(test, array_json(x.shape, moved));
}
void false_promise(const json& test) {
  jax_accepts(test);
  if (test.at("define").get<std::string>().find("return x * 1.") == std::string::npos)
    throw Unknown("another function");
  Blocks x = blocks_of(test);
  json first = array_json({static_cast<std::int64_t>(x.of[0].size())}, {x.of[0]});
  expect_equal(array_of(test["outputs"].at(0)), first);
  for (std::size_t i = 0; i < x.of.size(); ++i)
    expect_equal(array_of(test.at("output_shards").at(i)),
                 array_json({static_cast<std::int64_t>(x.of[i].size())}, {x.of[i]}));
  // Of several processes each takes the block of its own first device for all.
  const std::vector<double>& own = x.of[static_cast<std::size_t>(local_devices()[0].id())];
  json mine = array_json({static_cast<std::int64_t>(own.size())}, {own});
  gives(test, mine);
  for (const Shard& s : collective_call(test)({array_of(test["inputs"][0])})[0].addressable_shards())
    expect_equal(s.data(), mine);
}
// The carry of a loop over the blocks' elements: `times` the sum of each.
void varying_carry(const json& test, double times) {
  expect_jax_refuses(test, "TypeError");
  Blocks x = blocks_of(test);
  std::vector<std::vector<double>> sums;
  for (const auto& block : x.of) {
    sums.push_back({0});
    for (double v : block) sums.back()[0] += times * v;
  }
  gives(test, array_json({static_cast<std::int64_t>(sums.size())}, sums), false);
}

Array unchanged(const Array& x) { return x; }

const Deviations collective_deviations(
    {"cases"}, "cases",
    {
        {"psum_groups_*_checked", sums_of_groups},
        {"vmap_groups", sums_of_groups},
        {"pbroadcast_*", broadcast},
        {"vmap_ppermute_partial", partial_permutation},
        {"vmap_error_scatter_size",
         [](const json& test) {
           jax_accepts(test);
           const json& shape = test.at("inputs").at(0).at("shape");
           refuses<ShapeError>(test, {shape.at(0).dump(), shape.at(1).dump()});
         }},
        {"false_replication_unchecked_*", false_promise},
        {"pmap_error_out_axes_none",
         [](const json& test) {
           jax_accepts(test);
           refuses<ValueError>(test, {"out_axes"});
         }},
        {"pmap_error_scalar_argument",
         [](const json& test) {
           expect_jax_refuses(test, "IndexError");
           refuses<ShapeError>(test, {"pmap", "float32[]"});
         }},
        {"error_pmap_devices_empty",
         [](const json& test) {
           set_cpu_devices(8);
           expect_jax_refuses(test, "ValueError");
           Array x = pmap(unchanged, {.devices = {}})(ones({8}));
           if (x.sharding().device_list() != devices() ||
               multihost::process_allgather(x).to_vector<float>() != std::vector<float>(8, 1))
             throw Mismatch("it does not run on the first devices");
         }},
        {"error_shard_map_in_specs_none",
         [](const json& test) {
           set_cpu_devices(8);
           jax_accepts(test);
           try {
             (void)shard_map(unchanged,
                             {.mesh = make_mesh({8}, "x"), .in_specs = none, .out_specs = P("x")})(ones({8}));
           } catch (const ValueError& e) {
             if (std::string(e.what()).find("in_specs") == std::string::npos)
               throw Mismatch(std::string("in_specs is not in ") + e.what());
             return;
           }
           throw Mismatch("no error");
         }},
        {"error_cond_varying_types",
         [](const json& test) {
           expect_jax_refuses(test, "TypeError");
           Blocks x = blocks_of(test);
           gives(test, array_json(x.shape, x.of));  // the condition is True: the first branch
         }},
        {"error_scan_carry_varying", [](const json& test) { varying_carry(test, 1); }},
        {"error_while_carry_varying", [](const json& test) { varying_carry(test, 3); }},
        {"error_pmap_static_missing", not_in_cpp("there is no static_broadcasted_argnums")},
        {"error_pmap_in_axes_type", not_in_cpp("in_axes is made of integers and none")},
        {"error_shard_map_not_spec", not_in_cpp("in_specs is made of specs")},
        {"error_shard_map_mesh_type", not_in_cpp("mesh is a Mesh")},
        {"error_shard_map_keyword", not_in_cpp("ShardMapOptions has no such member")},
    });

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
