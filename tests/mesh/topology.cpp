// The order in which described devices fill a mesh, against JAX's own (mesh_utils_cases.inc), and what JAX does not
// have.
#include "mesh/topology.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "mesh/torus.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

struct Case {
  const char *platform, *kind;
  std::array<int, 3> box;
  int cores;
  std::array<int, 3> origin;
  int per_process, slices, stride, drop;
  std::vector<std::int64_t> inner, outer;
  std::string options, error, ids;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
#include "mesh_utils_cases.inc"
  };
  return all;
}

// The devices of a case, as record_mesh_utils.py makes them.
std::vector<Device> described(const Case& c) {
  std::vector<Device> all, out;
  for (int slice = 0; slice < c.slices; ++slice)
    for (int z = 0; z < c.box[2]; ++z)
      for (int y = 0; y < c.box[1]; ++y)
        for (int x = 0; x < c.box[0]; ++x)
          for (int core = 0; core < c.cores; ++core) {
            const int id = static_cast<int>(all.size());
            all.push_back(Device(id, c.platform, c.kind,
                                 {.process_index = id / c.per_process,
                                  .coords = {x + c.origin[0], y + c.origin[1], z + c.origin[2]},
                                  .core_on_chip = core,
                                  .slice_index = c.slices > 1 ? slice : -1}));
          }
  for (std::size_t i = 0; i < all.size(); ++i) out.push_back(all[i * static_cast<std::size_t>(c.stride) % all.size()]);
  out.resize(out.size() - static_cast<std::size_t>(c.drop));
  return out;
}

bool has(const Case& c, const char* option) {
  std::istringstream words(c.options);
  for (std::string word; words >> word;)
    if (word == option) return true;
  return false;
}

DeviceGrid grid_of(const Case& c) {
  const Shape inner(c.inner), outer(c.outer);
  if (has(c, "make_mesh")) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < c.inner.size(); ++i) names.push_back("a" + std::to_string(i));
    return make_mesh(inner, Names(names), described(c)).devices();
  }
  if (c.outer.empty())
    return mesh_utils::create_device_mesh(
        inner, described(c),
        {.contiguous_submeshes = has(c, "contiguous"), .allow_split_physical_axes = has(c, "split")});
  return mesh_utils::create_hybrid_device_mesh(inner, outer, described(c),
                                               {.process_is_granule = has(c, "process"),
                                                .should_sort_granules_by_key = !has(c, "unsorted"),
                                                .allow_split_physical_axes = has(c, "split")});
}

std::string ids_of(const std::vector<Device>& devices) {
  std::string out;
  for (const Device& d : devices) out += (out.empty() ? "" : " ") + std::to_string(d.id());
  return out;
}

TEST(Topology, OrdersDevicesAsJaxDoes) {
  EXPECT_GT(cases().size(), 300u);
  for (const Case& c : cases()) {
    SCOPED_TRACE(std::string(c.kind) + " " + std::to_string(c.box[0]) + "x" + std::to_string(c.box[1]) + "x" +
                 std::to_string(c.box[2]) + "x" + std::to_string(c.cores) + ", mesh " + Shape(c.inner).str() + " of " +
                 Shape(c.outer).str() + " " + c.options);
    try {
      EXPECT_EQ(ids_of(grid_of(c).flat()), c.ids);
      EXPECT_EQ(c.error, "");
    } catch (const UnsupportedError& e) {
      EXPECT_EQ(c.error, "NotImplementedError") << e.what();
    } catch (const DeviceError& e) {
      EXPECT_TRUE(c.error == "ValueError" || c.error == "AssertionError") << e.what();
    }
  }
}

// What the order is for: neighbours on a mesh that is one ring are joined by a link.
TEST(Topology, RingsWalkAlongLinks) {
  int rings = 0;
  for (const Case& c : cases()) {
    if (std::string(c.kind) != "TPU v5 lite" || c.inner.size() != 1 || c.box[0] < c.box[1] || c.box[2] > 1 ||
        c.options != "")
      continue;
    std::vector<Device> devices = grid_of(c).flat();
    ++rings;
    for (std::size_t i = 0; i + 1 < devices.size(); ++i) {
      int steps = 0;
      for (std::size_t axis = 0; axis < 3; ++axis)
        steps += std::abs(devices[i].coords()[axis] - devices[i + 1].coords()[axis]);
      EXPECT_EQ(steps, 1) << devices[i] << " and " << devices[i + 1];
    }
  }
  EXPECT_GE(rings, 5);
}

TEST(Torus, SharesMultiplyToBothSidesAndPlacesAreAPermutation) {
  for (Extents torus : {Extents{4, 4, 4}, Extents{2, 8, 4}, Extents{12, 1, 2}, Extents{10, 14}, Extents{30, 7}})
    for (Extents mesh : {Extents{64}, Extents{2, 32}, Extents{4, 2, 8}, Extents{24}, Extents{3, 8}, Extents{140},
                         Extents{28, 5}, Extents{7, 20}, Extents{210}, Extents{6, 35}, Extents{1, 2, 3, 5, 7}}) {
      if (Shape(torus).num_elements() != Shape(mesh).num_elements()) continue;
      AxisShares shares = split_axis_shares(torus, mesh);
      for (std::size_t p = 0; p < torus.size(); ++p) EXPECT_EQ(Shape(shares[p]).num_elements(), torus[p]);
      for (std::size_t l = 0; l < mesh.size(); ++l) {
        std::int64_t size = 1;
        for (const Extents& row : shares) size *= row[l];
        EXPECT_EQ(size, mesh[l]);
      }
      std::vector<std::int64_t> places = places_on_torus(torus, mesh, shares);
      EXPECT_EQ(std::set<std::int64_t>(places.begin(), places.end()).size(), places.size());
      EXPECT_EQ(static_cast<std::int64_t>(places.size()), Shape(mesh).num_elements());
    }
}

// Of CPU devices every process holds a box of the mesh, all boxes of one shape: for every mesh that has a multiple of
// its devices.
TEST(Topology, EveryProcessHoldsABox) {
  for (int processes : {2, 3, 4, 6})
    for (int share : {1, 2, 4, 6})
      for (Shape sizes : {Shape{2, 6},
                          {6, 2},
                          {3, 4},
                          {4, 3},
                          {12},
                          {2, 2, 3},
                          {2, 3, 4},
                          {4, 6},
                          {3, 8},
                          {6, 4},
                          {3, 12},
                          {2, 4},
                          {8, 3}}) {
        if (sizes.num_elements() != processes * share) continue;
        for (bool dealt : {false, true}) {  // process by process, or one device of each in turn
          std::vector<Device> given;
          for (int i = 0; i < processes * share; ++i)
            given.push_back(Device(i, "cpu", "cpu", {.process_index = dealt ? i % processes : i / share}));
          std::vector<Device> ordered = mesh_utils::create_device_mesh(sizes, given).flat();
          std::map<int, std::vector<std::vector<std::int64_t>>> of_process;
          for (std::size_t at = 0; at < ordered.size(); ++at) {
            std::vector<std::int64_t> coords;
            auto rest = static_cast<std::int64_t>(at);
            for (std::size_t i = sizes.size(); i-- > 0; rest /= sizes[i])
              coords.insert(coords.begin(), rest % sizes[i]);
            of_process[ordered[at].process_index()].push_back(coords);
          }
          std::set<std::vector<std::int64_t>> extents;
          for (const auto& [process, places] : of_process) {
            std::vector<std::int64_t> low = places.front(), high = low, extent;
            for (const auto& c : places)
              for (std::size_t i = 0; i < c.size(); ++i) {
                low[i] = std::min(low[i], c[i]);
                high[i] = std::max(high[i], c[i]);
              }
            for (std::size_t i = 0; i < low.size(); ++i) {
              extent.push_back(high[i] - low[i] + 1);
              EXPECT_EQ(low[i] % extent.back(), 0);
            }
            EXPECT_EQ(Shape(extent).num_elements(), share) << sizes << ", process " << process;
            extents.insert(extent);
          }
          EXPECT_EQ(extents.size(), 1u) << sizes << ", " << processes << " processes";
        }
      }
  std::vector<Device> uneven = {Device(0), Device(1), Device(2, "cpu", "cpu", {.process_index = 1})};
  EXPECT_THROW(mesh_utils::create_device_mesh({3}, uneven), DeviceError);
}

TEST(Topology, DescribedDevicesPrintWhereTheySit) {
  Device d(5, "tpu", "TPU v4", {.process_index = 1, .coords = {1, 0, 2}, .core_on_chip = 0});
  EXPECT_EQ(d.str(), "TpuDevice(id=5, process_index=1, coords=(1,0,2), core_on_chip=0)");
  EXPECT_EQ(d.coords(), (std::array<int, 3>{1, 0, 2}));
  EXPECT_EQ(d.slice_index(), -1);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
