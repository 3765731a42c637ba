// Values and gradients that JAX gave, in cases.json (chosen from the golden collectives).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Arrays = std::vector<Array>;
using Fn = std::function<Arrays(const Arrays&)>;
using Json = nlohmann::json;

Array shift(const Array& x, const char* axis, int by) {
  int n = static_cast<int>(lax::axis_size(axis));
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < n; ++i) pairs.emplace_back(i, ((i + by) % n + n) % n);
  return lax::ppermute(x, axis, pairs);
}
Array loss(const Array& w, const Array& x) { return mean(square(matmul(x, w))); }
Array sum_of_squares(const Array& x, const char* axis) { return lax::psum(sum(square(x)), axis); }

Fn one(std::function<Array(const Array&)> f) {
  return [f](const Arrays& a) { return Arrays{f(a[0])}; };
}
Fn two(std::function<Array(const Array&, const Array&)> f) {
  return [f](const Arrays& a) { return Arrays{f(a[0], a[1])}; };
}

// The functions of the cases, by name. Those of pmap and vmap cases are the same, over axis i.
std::map<std::string, Fn> functions() {
  std::map<std::string, Fn> f;
  for (std::string s : {"8", "8_int", "8_unchecked", "4x2_x", "4x2_y", "4x2_xy", "2x2x2_xz"}) {
    Names axes = s == "4x2_y" ? Names("y") : s == "4x2_xy" ? Names{"x", "y"} : s == "2x2x2_xz" ? Names{"x", "z"} : Names("x");
    f["psum_" + s] = one([=](const Array& x) { return lax::psum(x, axes); });
    f["pmean_" + s] = one([=](const Array& x) { return lax::pmean(x, axes); });
    f["pmax_" + s] = one([=](const Array& x) { return lax::pmax(x, axes); });
    f["pmin_" + s] = one([=](const Array& x) { return lax::pmin(x, axes); });
  }
  f["psum_bool_8"] = f["psum_bf16_8"] = f["partial_manual_4x2"] = f["error_psum_not_varying"] = f["psum_8"];
  f["psum_constant_8"] = one([](const Array& x) { return x + lax::psum(1, "x"); });
  f["psum_keeps_local_8"] = one([](const Array& x) { return x / lax::psum(sum(x), "x"); });
  f["psum_order_tuple_2x2x2"] = one([](const Array& x) { return lax::psum(x, {"z", "x"}); });
  f["psum_tree_8"] = [](const Arrays& a) {
    auto t = lax::psum(std::pair{a[0], a[1]}, "x");
    return Arrays{t.second + lax::psum(a[0], "x")};
  };
  auto gather = [](Names axes, lax::GatherOptions o) { return one([=](const Array& x) { return lax::all_gather(x, axes, o); }); };
  f["all_gather_8_untiled"] = gather("x", {});
  f["all_gather_8_axis1"] = gather("x", {.axis = 1});
  f["all_gather_8_tiled"] = f["all_gather_4x2_x"] = f["all_gather_8_replicated_unchecked"] = gather("x", {.tiled = true});
  f["all_gather_8_tiled_axis1"] = gather("x", {.axis = 1, .tiled = true});
  f["all_gather_4x2_xy"] = gather({"x", "y"}, {});
  f["all_gather_4x2_yx"] = gather({"y", "x"}, {});
  f["all_gather_2x2x2_y_axis1"] = gather("y", {.axis = 1, .tiled = true});
  f["all_gather_negative_axis"] = gather("x", {.axis = -1});
  f["all_gather_matmul_8"] = two([](const Array& x, const Array& w) { return matmul(x, lax::all_gather(w, "x", {.tiled = true})); });
  auto scatter = [](Names axes, lax::ScatterOptions o) { return one([=](const Array& x) { return lax::psum_scatter(x, axes, o); }); };
  f["psum_scatter_8_untiled"] = scatter("x", {});
  f["psum_scatter_8_tiled"] = f["psum_scatter_4x2_x"] = f["psum_scatter_int_8"] = scatter("x", {.tiled = true});
  f["psum_scatter_8_dim1"] = scatter("x", {.scatter_dimension = 1});
  f["psum_scatter_8_dim1_tiled"] = scatter("x", {.scatter_dimension = 1, .tiled = true});
  f["psum_scatter_4x2_xy"] = scatter({"x", "y"}, {.tiled = true});
  f["psum_scatter_2x2x2_z"] = scatter("z", {.tiled = true});
  f["ppermute_8_shift_1"] = f["ppermute_4x2_x"] = one([](const Array& x) { return shift(x, "x", 1); });
  f["ppermute_8_shift_m1"] = one([](const Array& x) { return shift(x, "x", -1); });
  f["ppermute_8_shift_3"] = one([](const Array& x) { return shift(x, "x", 3); });
  f["ppermute_8_partial"] = one([](const Array& x) { return lax::ppermute(x, "x", {{0, 1}, {1, 2}, {5, 0}}); });
  f["ppermute_8_empty"] = one([](const Array& x) { return lax::ppermute(x, "x", {}); });
  f["ppermute_4x2_y_swap"] = one([](const Array& x) { return shift(x, "y", 1); });
  f["ppermute_4x2_xy"] = one([](const Array& x) { return lax::ppermute(x, {"x", "y"}, {{0, 3}, {3, 5}, {5, 0}}); });
  f["ppermute_int_8"] = one([](const Array& x) { return lax::ppermute(x, "x", {{7, 0}}); });
  auto exchange = [](Names axes, int split, int concat, bool tiled) { return one([=](const Array& x) { return lax::all_to_all(x, axes, split, concat, {.tiled = tiled}); }); };
  f["all_to_all_8_untiled"] = exchange("x", 0, 0, false);
  f["all_to_all_8_untiled_01"] = exchange("x", 0, 1, false);
  f["all_to_all_8_untiled_10"] = exchange("x", 1, 0, false);
  f["all_to_all_8_tiled_00"] = exchange("x", 0, 0, true);
  f["all_to_all_8_tiled_01"] = exchange("x", 0, 1, true);
  f["all_to_all_8_tiled_10"] = f["all_to_all_4x2_x"] = exchange("x", 1, 0, true);
  f["all_to_all_4x2_xy"] = exchange({"x", "y"}, 1, 0, true);
  f["all_to_all_2x2x2_y"] = exchange("y", 2, 1, true);
  f["all_to_all_3d_8"] = exchange("x", 1, 2, false);
  auto index = [](Names axes) { return [=](const Arrays&) { return Arrays{lax::axis_index(axes).reshape(1)}; }; };
  f["axis_index_8"] = index("x");
  f["axis_index_4x2_y"] = index("y");
  f["axis_index_4x2_xy"] = index({"x", "y"});
  f["axis_index_4x2_yx"] = index({"y", "x"});
  f["axis_index_2x2x2"] = [](const Arrays&) { return Arrays{(lax::axis_index("x") * 100 + lax::axis_index("y") * 10 + lax::axis_index("z")).reshape(1, 1, 1)}; };
  f["axis_size_4x2"] = one([](const Array& x) { return x * lax::axis_size("x") + lax::axis_size({"x", "y"}); });
  f["pcast_varying_8"] = one([](const Array& w) { return lax::pvary(w, "x") * (1.f + lax::axis_index("x")); });
  f["pvary_implicit_8"] = two([](const Array& w, const Array& x) { return w * x; });
  f["replicated_weight_loss_8"] = two([](const Array& w, const Array& x) { return lax::pmean(loss(w, x), "x"); });
  f["grad_inside_8_summed"] = two([](const Array& w, const Array& x) { return grad([&](const Array& v) { return loss(v, x); })(w); });
  f["grad_inside_8"] = f["grad_inside_8_unchecked"] = two([](const Array& w, const Array& x) { return lax::pmean(grad([&](const Array& v) { return loss(v, x); })(w), "x"); });
  f["grad_inside_of_psum_8"] = f["grad_inside_of_psum_8_unchecked"] = one([](const Array& x) { return grad([](const Array& v) { return sum_of_squares(v, "x"); })(x); });
  f["unmentioned_axis_4x2"] = one([](const Array& x) { return x * 2.f; });
  f["two_outputs_4x2"] = [](const Arrays& a) { return Arrays{a[0] + a[1], lax::psum(a[0] * a[1], "y")}; };
  f["matmul_contracting_4x2"] = two([](const Array& x, const Array& w) { return lax::psum(matmul(x, w), "y"); });
  f["matmul_reduce_scatter_4x2"] = two([](const Array& x, const Array& w) { return lax::psum_scatter(matmul(x, w), "y", {.scatter_dimension = 1, .tiled = true}); });
  f["softmax_sharded_8"] = one([](const Array& x) {
    Array e = exp(x - lax::pmax(lax::stop_gradient(max(x)), "x"));
    return e / lax::psum(sum(e), "x");
  });
  f["scalar_result_8"] = one([](const Array& x) { return lax::psum(sum(x), "x"); });
  f["false_replication_unchecked_8"] = one([](const Array& x) { return x * 1.f; });

  for (std::string kind : {"pmap_", "vmap_"}) {
    f[kind + "psum"] = f[kind + "out_axes_none"] = f[kind + "fewer_than_devices"] = one([](const Array& x) { return lax::psum(x, "i"); });
    f[kind + "pmean"] = one([](const Array& x) { return lax::pmean(x, "i"); });
    f[kind + "pmax"] = one([](const Array& x) { return lax::pmax(x, "i"); });
    f[kind + "all_gather"] = gather("i", {});
    f[kind + "all_gather_axis1"] = gather("i", {.axis = 1});
    f[kind + "all_gather_tiled"] = gather("i", {.tiled = true});
    f[kind + "shift"] = one([](const Array& x) { return shift(x, "i", 1); });
    f[kind + "normalize"] = one([](const Array& x) { return x / lax::psum(square(x), "i"); });
    f[kind + "ppermute_partial"] = one([](const Array& x) { return lax::ppermute(x, "i", {{0, 1}, {2, 0}}); });
    f[kind + "psum_scatter"] = scatter("i", {});
    f[kind + "psum_scatter_tiled"] = scatter("i", {.tiled = true});
    f[kind + "psum_scatter_dim1"] = scatter("i", {.scatter_dimension = 1});
    f[kind + "all_to_all"] = exchange("i", 0, 0, false);
    f[kind + "all_to_all_01"] = exchange("i", 0, 1, false);
    f[kind + "all_to_all_tiled"] = exchange("i", 0, 1, true);
    f[kind + "axis_index"] = one([](const Array& x) { return x + lax::axis_index("i"); });
    f[kind + "psum_constant"] = one([](const Array& x) { return x + lax::psum(1, "i"); });
    f[kind + "in_axes_none"] = [](const Arrays& a) { return Arrays{lax::pmean(matmul(a[0], a[1]), "i"), matmul(a[0], a[1])}; };
    f[kind + "in_axes_1_out_axes_1"] = one([](const Array& x) { return x * 2.f + lax::psum(x, "i"); });
    f[kind + "grad_of_psum_inside"] = one([](const Array& x) { return grad([](const Array& v) { return sum_of_squares(v, "i"); })(x); });
    f[kind + "grad_pmean"] = [](const Arrays& a) {
      auto [v, g] = value_and_grad([&](const Array& w) { return mean(square(matmul(a[1], w) - a[2])); })(a[0]);
      return Arrays{a[0] - .1f * lax::pmean(g, "i"), lax::pmean(v, "i")};
    };
  }
  return f;
}

Array array_of(const Json& j) {
  Shape shape(j["shape"].get<std::vector<std::int64_t>>());
  std::string dtype = j["dtype"];
  if (dtype == "bool") return array(j["data"].get<std::vector<bool>>(), shape);
  if (dtype == "int32") return array(j["data"].get<std::vector<std::int32_t>>(), shape);
  Array x = array(j["data"].get<std::vector<float>>(), shape);
  return dtype == "bfloat16" ? x.astype(bfloat16) : x;
}
PartitionSpec spec_of(const Json& j) {
  std::vector<SpecEntry> entries;
  for (const Json& e : j) entries.push_back(e.is_null() ? SpecEntry(none) : e.is_string() ? SpecEntry(e.get<std::string>()) : SpecEntry(Names(e.get<std::vector<std::string>>())));
  return PartitionSpec::from(entries);
}
// The i-th entry for the i-th array.
TreeOf<PartitionSpec> specs_of(const Json& j) {
  return [j](const tree::Path& path, const Array&) { return spec_of(j.at(static_cast<std::size_t>(path.keys().at(0).index))); };
}
TreeOf<int> axes_of(const Json& j) {
  if (j.is_null()) return none;
  if (j.is_number()) return j.get<int>();
  return {TreeOf<int>{j[0].is_null() ? TreeOf<int>(none) : TreeOf<int>(j[0].get<int>()), j[1].is_null() ? TreeOf<int>(none) : TreeOf<int>(j[1].get<int>())}};
}

void expect_near(const Array& got, const Array& want, const std::string& what) {
  ASSERT_EQ(got.shape().str(), want.shape().str()) << what;
  double tolerance = got.dtype() == bfloat16 ? 1. / 128 : 1e-5, largest = 0;
  std::vector<float> a = got.astype(float32).to_vector<float>(), b = want.astype(float32).to_vector<float>();
  for (float v : b) largest = std::max(largest, std::abs(static_cast<double>(v)));
  if (!got.dtype().is_inexact()) tolerance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance * (std::abs(b[i]) + largest)) << what << ", element " << i;
}

// The whole function from global arrays to global arrays.
Fn whole(const Json& c, const Fn& local) {
  if (c["kind"] == "shard_map") {
    Mesh mesh = make_mesh(Shape(c["mesh"]["shape"].get<std::vector<std::int64_t>>()), Names(c["mesh"]["axes"].get<std::vector<std::string>>()));
    Json out = c["out_specs"].is_object() ? c["out_specs"]["tree"] : Json::array({c["out_specs"]});
    Names manual = c.contains("axis_names") ? Names(c["axis_names"].get<std::vector<std::string>>()) : Names();
    return shard_map(local, {.mesh = mesh, .in_specs = specs_of(c["in_specs"]), .out_specs = specs_of(out), .check_vma = c["check_vma"].get<bool>(), .axis_names = manual});
  }
  TreeOf<int> in = axes_of(c["in_axes"]), out = axes_of(c["out_axes"]);
  if (c["kind"] == "pmap") return pmap(local, {.axis_name = "i", .in_axes = in, .out_axes = out});
  return vmap(local, {.in_axes = in, .out_axes = out, .axis_name = "i"});
}

Arrays arrays_of(const Json& j) {
  Arrays out;
  for (const Json& a : j) out.push_back(array_of(a));
  return out;
}
void expect_all(const Arrays& got, const Arrays& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) expect_near(got[i], want[i], what + " " + std::to_string(i));
}

TEST(Golden, ValuesAndGradients) {
  std::ifstream in(std::filesystem::path(__FILE__).parent_path() / "cases.json");
  ASSERT_TRUE(in);
  std::map<std::string, Fn> local = functions();
  const Json file = Json::parse(in);
  ASSERT_GT(file["cases"].size(), 80u);
  for (const Json& c : file["cases"]) {
    std::string name = c["name"];
    SCOPED_TRACE(name);
    ASSERT_TRUE(local.count(name));
    try {
      Fn f = whole(c, local.at(name));
      Arrays inputs = arrays_of(c["inputs"]), outputs = arrays_of(c["outputs"]);
      expect_all(f(inputs), outputs, "eager result");
      expect_all(jit([&](const Arrays& a) { return f(a); })(inputs), outputs, "jit result");
      if (!c.contains("vjp")) continue;
      Arrays cotangents = arrays_of(c["vjp"]["cotangents"]), gradients = arrays_of(c["vjp"]["outputs"]);
      expect_all(std::get<0>(vjp(f, inputs).second(cotangents)), gradients, "gradient");
      expect_all(jit([&](const Arrays& a, const Arrays& ct) { return std::get<0>(vjp(f, a).second(ct)); })(inputs, cotangents), gradients, "jit gradient");
    } catch (const Error& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

}  // namespace
}  // namespace tutti
