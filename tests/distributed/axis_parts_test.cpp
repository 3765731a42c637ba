// Axes of which a part lies between processes: 8 devices on a line, in 2 and 4 processes. Dims that are split and
// joined follow parts of axes, and one array lies on meshes of other shapes.
#include <gtest/gtest.h>

#include <map>
#include <tutti/tutti.hpp>

#include "distributed/everywhere.hpp"

namespace tutti {
namespace {

struct Case {
  const char* name;
  std::function<Array(const Array&)> f;
};
std::vector<Case> cases() {
  return {{"split in two dims", [](const Array& v) { return v.reshape(2, 8, 4) * 2.f; }},
          {"split otherwise", [](const Array& v) { return v.reshape(4, 4, 4) + 1.f; }},
          {"joined", [](const Array& v) { return v.reshape(64) + 1.f; }},
          {"summed over the minor part", [](const Array& v) { return v.reshape(2, 8, 4).sum(1); }},
          {"summed over the major part", [](const Array& v) { return v.reshape(2, 8, 4).sum(0); }},
          {"parts in another order",
           [](const Array& v) {
             return v.reshape(2, 2, 4, 4).transpose({1, 0, 2, 3}).reshape(16, 4);
           }},
          {"one of the parts", [](const Array& v) { return v.reshape(4, 16)[1] * 3.f; }}};
}

TEST(AxisParts, DimsAreSplitAndJoined) {
  const Array x = arange(64).astype(float32).reshape(16, 4);
  for (const Mesh& mesh : {make_mesh({8}, {"x"}), make_mesh({2, 4}, {"x", "y"}), make_mesh({4, 2}, {"x", "y"})}) {
    std::vector<P> specs{P("x")};
    if (mesh.ndim() == 2) specs = {P("x"), P(none, "x"), P(Names{"x", "y"}), P(Names{"y", "x"}), P("y", "x")};
    for (const P& spec : specs)
      for (const Case& c : cases()) {
        SCOPED_TRACE(mesh.str() + " " + spec.str() + " " + c.name);
        const Array want = c.f(x), xs = device_put(x, NamedSharding(mesh, spec));
        EXPECT_EQ(everywhere(jit(c.f)(xs)), want.to_vector<float>());
        EXPECT_EQ(everywhere(c.f(xs)), want.to_vector<float>());
      }
  }
}

TEST(AxisParts, OneProgramOverMeshesOfOtherShapes) {
  const Array x = arange(64).astype(float32).reshape(16, 4);
  const Mesh line = make_mesh({8}, {"x"}), cube = make_mesh({2, 2, 2}, {"a", "b", "c"});
  auto f = jit([](const Array& a, const Array& b) { return a.sum(0) + b * 2.f; });
  const Array on_line = device_put(x, NamedSharding(line, P("x")));
  for (const P& spec : {P("a", "b"), P("b", "a"), P("c"), P(Names{"a", "c"}), P(Names{"c", "a"}, "b")}) {
    SCOPED_TRACE(spec.str());
    EXPECT_EQ(everywhere(f(on_line, device_put(on_line, NamedSharding(cube, spec)))), f(x, x).to_vector<float>());
  }
}

Array part(const Array& x, const ShardIndex& index) {
  return x[slice(index[0].start, index[0].stop)].T()[slice(index[1].start, index[1].stop)].T().copy();
}

// Where a dim is cut first over an axis within processes and then over one across, the blocks of a process lie apart.
TEST(AxisParts, BlocksThatLieApartArePutTogether) {
  const Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  const Array whole = arange(128).astype(float32).reshape(16, 8);
  for (const P& spec : {P(Names{"x", "y"}), P(Names{"y", "x"}), P(none, Names{"y", "x"}), P("y", "x"), P("x")}) {
    SCOPED_TRACE(spec.str());
    const NamedSharding s(mesh, spec);
    std::vector<Array> blocks;
    std::map<std::pair<std::int64_t, std::int64_t>, Array> mine;  // by row and column
    for (const auto& [device, index] : s.devices_indices_map(whole.shape()))
      if (device.process_index() == process_index()) {
        blocks.push_back(device_put(part(whole, index), device));
        mine[{index[0].start, index[1].start}] = part(whole, index);
      }
    const Array x = make_array_from_single_device_arrays(whole.shape(), s, blocks);
    EXPECT_EQ(x.sharding(), s);
    EXPECT_EQ(everywhere(x), whole.to_vector<float>());
    EXPECT_EQ(everywhere(jit([](const Array& v) { return v * 2.f; })(x)), (whole * 2.f).to_vector<float>());
    const Array y = make_array_from_callback(whole.shape(), s, [&](const ShardIndex& i) { return part(whole, i); });
    EXPECT_EQ(everywhere(y), whole.to_vector<float>());
    // All of a process's blocks, in order.
    std::vector<Array> rows, columns;
    for (auto at = mine.begin(); at != mine.end(); ++at) {
      columns.push_back(at->second);
      if (std::next(at) != mine.end() && std::next(at)->first.first == at->first.first) continue;
      rows.push_back(concatenate(columns, 1));
      columns.clear();
    }
    const Array z = make_array_from_process_local_data(s, concatenate(rows, 0));
    EXPECT_EQ(z.sharding(), s);
    EXPECT_EQ(everywhere(z), whole.to_vector<float>());
  }
}

TEST(AxisParts, BlocksOfUnequalSizes) {
  const Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  const Array whole = arange(30).astype(float32).reshape(10, 3);
  for (const P& spec : {P(Names{"x", "y"}), P(Names{"y", "x"}), P("x"), P(none, "x"), P("y", "x")}) {
    SCOPED_TRACE(spec.str());
    const NamedSharding s(mesh, spec);
    const Array x = make_array_from_callback(whole.shape(), s, [&](const ShardIndex& i) { return part(whole, i); });
    EXPECT_EQ(everywhere(x), whole.to_vector<float>());
  }
  if (process_count() != 2) return;
  // Process 0 holds rows 0 to 4, and its third device's block is rows 4 and 5.
  const NamedSharding s(mesh, P(Names{"x", "y"}));
  std::vector<Array> blocks;
  for (const auto& [device, index] : s.devices_indices_map(whole.shape()))
    if (device.process_index() == process_index()) blocks.push_back(device_put(part(whole, index), device));
  if (process_index() == 0) {
    EXPECT_THROW(make_array_from_single_device_arrays(whole.shape(), s, blocks), UnsupportedError);
  }
  EXPECT_THROW(make_array_from_single_device_arrays(whole.shape(), NamedSharding(mesh, P(Names{"y", "x"})), blocks),
               Error);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
