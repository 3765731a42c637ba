#include "tutti/mesh/sharding.hpp"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "mesh/checks.hpp"
#include "mesh/samples.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

Mesh xy() { return samples::mesh({4, 2}); }

TEST(PartitionSpec, TakesNamesNoneAndAxes) {
  EXPECT_EQ(P().str(), "P()");
  EXPECT_EQ(P("x").str(), "P('x',)");
  EXPECT_EQ(P(none, "y").str(), "P(None, 'y')");
  EXPECT_EQ(P(axes("x", "y"), none).str(), "P(('x', 'y'), None)");
  EXPECT_EQ(P(axes("x")), P("x"));
  EXPECT_EQ(P(std::string("x"), P::unconstrained).str(), "P('x', UNCONSTRAINED)");
  EXPECT_NE(P("x"), P("x", none));
  PartitionSpec copy = P("x", "y"), again(copy);
  EXPECT_EQ(again, copy);
  EXPECT_EQ(std::hash<PartitionSpec>{}(again), std::hash<PartitionSpec>{}(copy));
}

TEST(NamedSharding, SaysWhatEachDeviceHolds) {
  NamedSharding s(xy(), P("x", "y"));
  EXPECT_EQ(s.shard_shape({8, 16}), (Shape{2, 8}));
  EXPECT_FALSE(s.is_fully_replicated());
  auto map = s.devices_indices_map({8, 2});
  EXPECT_EQ(str(map[3].second), "(slice(2, 4, None), slice(1, 2, None))");
  EXPECT_EQ(str(NamedSharding(xy(), P("x")).devices_indices_map({8, 2})[3].second),
            "(slice(2, 4, None), slice(None, None, None))");
  EXPECT_EQ(s.num_devices(), 8);
  EXPECT_EQ(s.device_set().size(), 8u);
}

TEST(NamedSharding, AcceptsSizesThatDoNotDivide) {
  NamedSharding s(samples::mesh({8}), P("x"));
  EXPECT_EQ(s.shard_shape({10}), (Shape{2}));
  auto map = s.devices_indices_map({10});
  EXPECT_EQ(str(map[4].second), "(slice(8, 10, None),)");
  EXPECT_EQ(str(map[7].second), "(slice(10, 10, None),)");
  EXPECT_THROW(check_divides(s, {10}), ShardingError);
  EXPECT_NO_THROW(check_divides(s, {16}));
}

TEST(NamedSharding, RefusesAxesItCannotUse) {
  EXPECT_THROW(NamedSharding(xy(), P("z")), ShardingError);
  EXPECT_THROW(NamedSharding(xy(), P("x", "x")), ShardingError);
  EXPECT_THROW(NamedSharding(xy(), P(axes("x", "y"), "x")), ShardingError);
  EXPECT_THROW(NamedSharding(Mesh(), P("x")), ValueError);
  EXPECT_THROW(NamedSharding(xy(), P("x", "y")).shard_shape({8}), ShardingError);
  EXPECT_THROW(check_constrained(NamedSharding(xy(), P("x", P::unconstrained))), ShardingError);
  EXPECT_NO_THROW(check_constrained(NamedSharding(xy(), P("x", none))));
}

TEST(Sharding, EmptyHandlesAreEqualAndRefuseQuestions) {
  Sharding none_yet;
  EXPECT_FALSE(none_yet.has_value());
  EXPECT_EQ(none_yet, Sharding());
  EXPECT_NE(none_yet, Sharding(Device(0)));
  EXPECT_EQ(none_yet.hash(), Sharding().hash());
  EXPECT_THROW(none_yet.num_devices(), ValueError);
  EXPECT_THROW(none_yet.is_fully_replicated(), ValueError);
}

TEST(Sharding, EqualityIsOfTheTextEquivalenceOfThePlacement) {
  NamedSharding a(xy(), P("x")), b(xy(), P("x", none));
  EXPECT_NE(a, b);
  EXPECT_TRUE(a.is_equivalent_to(b, 2));
  EXPECT_FALSE(a.is_equivalent_to(b, 1)) << "b has no meaning for vectors";
  EXPECT_EQ(a, NamedSharding(xy(), P("x")));
  EXPECT_EQ(a.hash(), NamedSharding(xy(), P("x")).hash());
  EXPECT_NE(a, a.with_memory_kind("unpinned_host"));
  EXPECT_FALSE(a.is_equivalent_to(a.with_memory_kind("unpinned_host"), 1));
  NamedSharding line(samples::mesh({8}), P("x"));
  EXPECT_TRUE(NamedSharding(xy(), P(axes("x", "y"))).is_equivalent_to(line, 1));
  EXPECT_FALSE(NamedSharding(xy(), P(axes("y", "x"))).is_equivalent_to(line, 1));
  EXPECT_TRUE(SingleDeviceSharding(Device(0)).is_equivalent_to(NamedSharding(samples::mesh({1}), P("x")), 1));
}

TEST(Sharding, IsEquivalentExactlyWhenDevicesHoldTheSame) {
  std::mt19937 rng(11);
  int equal = 0;
  auto draw = [&](const Mesh& mesh) { return sharding_from_layout(mesh, samples::layout(mesh, 2, rng, false)); };
  for (const Mesh& a : samples::meshes())
    for (const Mesh& b : samples::meshes()) {
      if (a.size() != b.size()) continue;
      for (int i = 0; i < 25; ++i) {
        Sharding s = draw(a), t = draw(b);
        Shape shape{a.size() * 12, a.size() * 12};
        bool same = s.devices_indices_map(shape) == t.devices_indices_map(shape);
        equal += same;
        EXPECT_EQ(s.is_equivalent_to(t, 2), same) << s << " and " << t;
        EXPECT_EQ(t.is_equivalent_to(s, 2), same) << s << " and " << t;
      }
    }
  EXPECT_GT(equal, 100);
}

TEST(SingleDeviceSharding, HoldsEverything) {
  Sharding s = SingleDeviceSharding(Device(3));
  EXPECT_EQ(s, Sharding(Device(3)));
  EXPECT_EQ(s.str(), "SingleDeviceSharding(device=CpuDevice(id=3), memory_kind=device)");
  EXPECT_TRUE(s.is_fully_replicated());
  EXPECT_EQ(s.shard_shape({4, 5}), (Shape{4, 5}));
  EXPECT_THROW(s.mesh(), ValueError);
  EXPECT_THROW(s.spec(), ValueError);
}

// ---- PositionalSharding ---------------------------------------------------------------------------------------------
PositionalSharding eight() { return PositionalSharding(samples::devices(8)); }

TEST(PositionalSharding, SplitsLikeItsGrid) {
  PositionalSharding s = eight().reshape(8, 1);
  EXPECT_EQ(s.shape(), (Shape{8, 1}));
  EXPECT_EQ(s.shard_shape({16, 4}), (Shape{2, 4}));
  EXPECT_EQ(eight().reshape(-1, 2).shape(), (Shape{4, 2}));
  EXPECT_TRUE(s.is_equivalent_to(NamedSharding(samples::mesh({8}), P("x")), 2));
  EXPECT_TRUE(eight().reshape(4, 2).T().is_equivalent_to(NamedSharding(xy(), P("y", "x")), 2));
  EXPECT_TRUE(eight().reshape(4, 2).replicate(0).is_equivalent_to(NamedSharding(xy(), P(none, "y")), 2));
  EXPECT_TRUE(eight().reshape(4, 2).replicate(-1, false).is_equivalent_to(NamedSharding(xy(), P("x")), 1));
}

TEST(PositionalSharding, ReplicatedFitsEveryRankOthersTheirOwn) {
  PositionalSharding all = eight().reshape(8, 1).replicate();
  EXPECT_EQ(all.shape(), (Shape{1, 1}));
  EXPECT_TRUE(all.is_fully_replicated());
  for (Shape shape : {Shape{}, {3}, {3, 3}, {3, 3, 3}}) EXPECT_EQ(all.shard_shape(shape), shape);
  EXPECT_THROW(eight().reshape(8, 1).shard_shape({8}), ShardingError);
  EXPECT_THROW(eight().shard_shape({8, 8}), ShardingError);
  EXPECT_FALSE(eight().is_equivalent_to(NamedSharding(samples::mesh({8}), P("x")), 2));
}

TEST(PositionalSharding, Prints) {
  EXPECT_EQ(eight().reshape(2, 4).replicate(1).str(),
            "PositionalSharding([[{CPU 0, 1, 2, 3}]\n                    [{CPU 4, 5, 6, 7}]], shape=(2, 1))");
  EXPECT_EQ(PositionalSharding(samples::devices(2)).str(), "PositionalSharding([{CPU 0} {CPU 1}], shape=(2,))");
}

TEST(PositionalSharding, RefusesWrongGrids) {
  EXPECT_THROW(PositionalSharding(std::vector<Device>{}), ValueError);
  EXPECT_THROW(PositionalSharding({Device(0), Device(0)}), DeviceError);
  EXPECT_THROW(eight().reshape(3, 2), ShardingError);
  EXPECT_THROW(eight().reshape(-1, -1), ShardingError);
  EXPECT_THROW(eight().reshape(0, 8), ShardingError);
  EXPECT_THROW(eight().transpose({0, 0}), ShardingError);
  EXPECT_THROW(eight().replicate(1), ShardingError);
}

// Every chain of views, against cells kept as plain lists.
TEST(PositionalSharding, ViewsMoveCellsAsArraysDo) {
  std::mt19937 rng(1);
  for (std::int64_t n : {6, 8, 12})
    for (int trial = 0; trial < 60; ++trial) {
      PositionalSharding s(samples::devices(n));
      for (int step = 0; step < 4; ++step) {
        Shape old = s.shape();
        std::int64_t cells = old.num_elements();
        switch (rng() % 3) {
          case 0: {
            std::vector<std::int64_t> divisors;
            for (std::int64_t k = 1; k <= cells; ++k)
              if (cells % k == 0) divisors.push_back(k);
            std::int64_t k = divisors[rng() % divisors.size()];
            s = s.reshape(k, -1);
            break;
          }
          case 1: s = s.T(); break;
          default:
            if (step == 3) s = s.replicate(static_cast<int>(rng() % old.size()));
        }
        // The grid's own text and what devices hold must agree: cell (i, j) holds block (i, j).
        Shape shape = s.shape();
        auto map = s.devices_indices_map(shape);
        std::int64_t total = 0;
        for (const auto& [device, index] : map) {
          std::int64_t cell = 0;
          for (std::size_t d = 0; d < shape.size(); ++d) {
            EXPECT_EQ(index[d].stop - index[d].start, 1);
            cell = cell * shape[d] + index[d].start;
          }
          std::stringstream text(s.str());
          std::string ids;
          for (std::int64_t i = 0; i <= cell; ++i) {
            std::getline(text, ids, '{');
            std::getline(text, ids, '}');
          }
          EXPECT_NE((" " + ids.substr(4) + ",").find(" " + std::to_string(device.id()) + ","), std::string::npos)
              << s << " cell " << cell;
          ++total;
        }
        EXPECT_EQ(total, n);
      }
    }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
