// Collectives within groups of devices: the same in shard_map (with the check and without), pmap and vmap; their
// gradients.
#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Arrays = std::vector<Array>;
using Local = std::function<Array(const Array&)>;

// `local` on 6 devices of axis i, one row each; rows of the result side by side.
std::map<std::string, Array> everywhere(const Local& local, const Array& rows) {
  Mesh mesh = make_mesh({6}, "i");
  auto block = [&](const Array& x) { return expand_dims(local(squeeze(x, 0)), 0); };
  std::map<std::string, Array> out;
  out["pmap"] = pmap(local, {.axis_name = "i"})(rows);
  out["vmap"] = vmap(local, {.axis_name = "i"})(rows);
  for (bool check : {true, false})
    out[check ? "checked" : "unchecked"] =
        shard_map(block, {.mesh = mesh, .in_specs = P("i"), .out_specs = P("i"), .check_vma = check})(rows);
  out["jit"] = jit([&](const Array& x) { return vmap(local, {.axis_name = "i"})(x); })(rows);
  return out;
}
void expect(const Local& local, const Array& rows, const Array& want) {
  for (const auto& [how, got] : everywhere(local, rows)) {
    ASSERT_EQ(got.shape(), want.shape()) << how;
    EXPECT_TRUE(allclose(got, want).item<bool>()) << how << "\n" << got << "\n" << want;
  }
}
// Row d of the result is `of` the rows that the device d finds in its group.
Array by_group(const Array& rows, const lax::AxisGroups& groups,
               const std::function<Array(const Array&, int position)>& of) {
  Arrays out(6);
  for (const std::vector<int>& g : groups) {
    Arrays mine;
    for (int d : g) mine.push_back(rows[d]);
    for (std::size_t p = 0; p < g.size(); ++p)
      out[static_cast<std::size_t>(g[p])] = of(stack(mine), static_cast<int>(p));
  }
  return stack(out);
}

const lax::AxisGroups pairs = {{0, 5}, {3, 1}, {2, 4}}, unequal = {{4, 0, 2}, {1}, {3, 5}};

TEST(Groups, Reduce) {
  Array rows = sin(arange(24.f)).reshape(6, 4);
  for (const lax::AxisGroups& groups : {pairs, unequal}) {
    expect([&](const Array& x) { return lax::psum(x, "i", {.axis_index_groups = groups}); }, rows,
           by_group(rows, groups, [](const Array& g, int) { return g.sum(0); }));
    expect([&](const Array& x) { return lax::pmean(x, "i", {.axis_index_groups = groups}); }, rows,
           by_group(rows, groups, [](const Array& g, int) { return g.mean(0); }));
    expect([&](const Array& x) { return lax::pmax(x, "i", {.axis_index_groups = groups}); }, rows,
           by_group(rows, groups, [](const Array& g, int) { return g.max(0); }));
    expect([&](const Array& x) { return lax::pmin(x, "i", {.axis_index_groups = groups}); }, rows,
           by_group(rows, groups, [](const Array& g, int) { return g.min(0); }));
  }
}

TEST(Groups, GatherScatterExchange) {
  Array rows = sin(arange(24.f)).reshape(6, 4);
  expect([](const Array& x) { return lax::all_gather(x, "i", {.axis_index_groups = pairs}); }, rows,
         by_group(rows, pairs, [](const Array& g, int) { return g; }));
  expect(
      [](const Array& x) { return lax::all_gather(x, "i", {.axis = -1, .tiled = true, .axis_index_groups = pairs}); },
      rows, by_group(rows, pairs, [](const Array& g, int) { return g.reshape(8); }));
  expect([](const Array& x) { return lax::psum_scatter(x, "i", {.tiled = true, .axis_index_groups = pairs}); }, rows,
         by_group(rows, pairs, [](const Array& g, int p) { return g.sum(0)(slice(2 * p, 2 * p + 2)); }));
  expect([](const Array& x) { return lax::all_to_all(x, "i", 0, 0, {.tiled = true, .axis_index_groups = pairs}); },
         rows, by_group(rows, pairs, [](const Array& g, int p) { return g(all, slice(2 * p, 2 * p + 2)).reshape(4); }));
}

TEST(Groups, Gradients) {
  Array rows = sin(arange(24.f)).reshape(6, 4);
  auto local = [](const Array& x) { return lax::psum(square(x), "i", {.axis_index_groups = pairs}) * x; };
  auto loss = [&](const Array& v) { return sum(vmap(local, {.axis_name = "i"})(v)); };
  auto written_out = [](const Array& v) {
    return sum(by_group(square(v), pairs, [](const Array& g, int) { return g.sum(0); }) * v);
  };
  EXPECT_TRUE(allclose(grad(loss)(rows), grad(written_out)(rows)).item<bool>());
  auto mapped = [&](const Array& v) { return sum(pmap(local, {.axis_name = "i"})(v)); };
  EXPECT_TRUE(allclose(grad(mapped)(rows), grad(written_out)(rows)).item<bool>());
}

TEST(Groups, Errors) {
  auto with = [](lax::AxisGroups groups) {
    return [=] {
      vmap([&](const Array& x) { return lax::all_gather(x, "i", {.axis_index_groups = groups}); },
           {.axis_name = "i"})(zeros({6}));
    };
  };
  EXPECT_THROW(with({{0, 1}, {2, 3}})(), ValueError);
  EXPECT_THROW(with({{0, 1, 2}, {2, 3, 4}})(), ValueError);
  EXPECT_THROW(with({{0, 1, 2}, {3, 4, 6}})(), ValueError);
  EXPECT_THROW(with(unequal)(), ValueError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
