#include "mesh/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "mesh/samples.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

// Calls f(mesh, layout, rng) for many meshes and layouts of rank 0 to 3.
template <class F> void for_layouts(F f, bool parts = true, bool pending = false) {
  std::mt19937 rng(7);
  for (const Mesh& mesh : samples::meshes())
    for (int i = 0; i < 60; ++i) {
      Layout layout = samples::layout(mesh, static_cast<int>(rng() % 4), rng, parts, pending);
      SCOPED_TRACE(str(layout, mesh) + " on " + mesh.str());
      f(mesh, layout, rng);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(Layout, SamplesAreValidAndCanonical) {
  for_layouts(
      [](const Mesh& mesh, const Layout& layout, std::mt19937&) {
        std::string why;
        EXPECT_TRUE(is_valid(layout, mesh, &why)) << why;
        EXPECT_EQ(canonical(layout), layout);
        EXPECT_EQ(canonical(layout).hash(), layout.hash());
      },
      true, true);
}

TEST(Layout, BlocksCoverTheArrayOnceAndTheFirstIsTheLargest) {
  for_layouts([](const Mesh& mesh, const Layout& layout, std::mt19937& rng) {
    Shape shape = samples::shape(layout.ndim(), rng);
    std::map<std::vector<std::int64_t>, Box> blocks;  // by block numbers
    for (std::int64_t p = 0; p < mesh.size(); ++p) {
      Box box = box_of(layout, mesh, shape, p);
      std::vector<std::int64_t> number;
      for (const AxisRefs& refs : layout.dims) number.push_back(block_number(refs, mesh, coordinates(mesh, p)));
      EXPECT_EQ(blocks.emplace(number, box).first->second, box) << "copies hold one block";
      for (int d = 0; d < layout.ndim(); ++d) {
        auto at = static_cast<std::size_t>(d);
        EXPECT_LE(box.start[at], box.stop[at]);
        EXPECT_LE(box.stop[at] - box.start[at], block_shape(layout, shape)[at]);
      }
    }
    std::int64_t total = 0, expected = 1;
    for (int d = 0; d < layout.ndim(); ++d) expected *= layout.ways(d);
    for (const auto& [number, box] : blocks) total += box.num_elements();
    EXPECT_EQ(static_cast<std::int64_t>(blocks.size()), expected);
    EXPECT_EQ(total, shape.num_elements());
    for (auto a = blocks.begin(); a != blocks.end(); ++a)
      for (auto b = std::next(a); b != blocks.end(); ++b) EXPECT_TRUE(intersection(a->second, b->second).empty());
    EXPECT_EQ(box_of(layout, mesh, shape, 0).shape(), block_shape(layout, shape));
    if (divides(layout, shape)) {
      for (const auto& [number, box] : blocks) EXPECT_EQ(box.shape(), block_shape(layout, shape));
    }
  });
}

TEST(Layout, WithoutItsMinorAxisABlockIsTheUnionOfTheBlocks) {
  for_layouts(
      [](const Mesh& mesh, const Layout& layout, std::mt19937& rng) {
        Shape shape = samples::shape(layout.ndim(), rng);
        for (std::size_t d = 0; d < layout.dims.size(); ++d) {
          if (layout.dims[d].empty()) continue;
          Layout gathered = layout;
          AxisRef minor = gathered.dims[d].back();
          gathered.dims[d].pop_back();
          for (std::int64_t p = 0; p < mesh.size(); ++p) {
            Box big = box_of(gathered, mesh, shape, p);
            std::int64_t covered = 0;
            std::map<std::int64_t, Box> parts;
            for (std::int64_t q = 0; q < mesh.size(); ++q) {
              if (box_of(gathered, mesh, shape, q) != big) continue;
              Box box = box_of(layout, mesh, shape, q);
              EXPECT_EQ(intersection(box, big), box);
              if (block_number(gathered.dims[d], mesh, coordinates(mesh, q)) ==
                  block_number(gathered.dims[d], mesh, coordinates(mesh, p)))
                parts[coordinate(minor, mesh, coordinates(mesh, q))] = box;
            }
            for (const auto& [c, box] : parts) covered += box.stop[d] - box.start[d];
            EXPECT_EQ(covered, big.stop[d] - big.start[d]);
          }
        }
      },
      /*parts=*/false);
}

TEST(Layout, UnevenBlocksAreNested) {
  Mesh mesh = samples::mesh({2, 4});
  Layout layout{{{whole_axis(mesh, 0), whole_axis(mesh, 1)}}, {}, {}};
  std::vector<std::int64_t> sizes;
  for (std::int64_t p = 0; p < 8; ++p) sizes.push_back(box_of(layout, mesh, {10}, p).shape()[0]);
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{2, 2, 1, 0, 2, 2, 1, 0}));
}

TEST(Layout, TheShardingOfALayoutHasThatLayout) {
  for_layouts([](const Mesh& mesh, const Layout& layout, std::mt19937&) {
    Sharding s = sharding_from_layout(mesh, layout);
    EXPECT_EQ(s.device_list(), mesh.device_list());
    auto back = layout_of(s, layout.ndim(), mesh);
    ASSERT_TRUE(back.has_value()) << s.str();
    EXPECT_EQ(*back, layout) << s.str();
  });
}

TEST(Layout, PartsOfAnAxisGiveAxesNamedAfterIt) {
  Mesh mesh = samples::mesh({8, 2});
  Layout layout{{{{0, 2, 2}}, {{0, 1, 2}}}, {}, {}};
  EXPECT_EQ(str(layout, mesh), "[{x:(2)2}, {x:(1)2}]");
  Sharding s = sharding_from_layout(mesh, layout);
  EXPECT_EQ(s.spec().str(), "P('x.1', 'x.0')");
  EXPECT_EQ(s.mesh().shape(), (Shape{2, 2, 2, 2}));
  layout.pending = {{1, 1, 2}};
  EXPECT_EQ(str(layout, mesh), "[{x:(2)2}, {x:(1)2}] + sum{y}");
  EXPECT_THROW(sharding_from_layout(mesh, layout), InternalError);
}

TEST(Layout, FreeAxesAreWhatIsLeft) {
  for_layouts(
      [](const Mesh& mesh, const Layout& layout, std::mt19937&) {
        AxisRefs free = free_axes(layout, mesh);
        Layout full = layout;
        full.dims.push_back(free);
        EXPECT_TRUE(is_valid(full, mesh));
        std::int64_t all = ways(layout.pending);
        for (int d = 0; d < full.ndim(); ++d) all *= full.ways(d);
        EXPECT_EQ(all, mesh.size());
      },
      true, true);
}

TEST(Layout, InvalidLayoutsAreTold) {
  Mesh mesh = samples::mesh({12, 2});
  std::string why;
  EXPECT_FALSE(is_valid({{{{0, 1, 12}}, {{0, 1, 2}}}, {}, {}}, mesh, &why));
  EXPECT_EQ(why, "x:(1)2 and x overlap");
  EXPECT_FALSE(is_valid({{{{0, 1, 5}}}, {}, {}}, mesh));
  EXPECT_FALSE(is_valid({{{{2, 1, 2}}}, {}, {}}, mesh));
  EXPECT_FALSE(is_valid({{{{0, 1, 4}}, {{0, 6, 2}}}, {}, {}}, mesh, &why));
  EXPECT_FALSE(is_valid({{{{0, 1, 3}}}, {{0, 1, 2}}, {}}, mesh)) << "pending counts too";
  EXPECT_TRUE(is_valid({{{{0, 1, 4}}, {{0, 4, 3}}}, {}, {}}, mesh, &why)) << why;
}

TEST(Layout, CommonPrefixAndRestGiveTheWhole) {
  std::mt19937 rng(3);
  for (const Mesh& mesh : samples::meshes())
    for (int i = 0; i < 60; ++i) {
      AxisRefs a = samples::layout(mesh, 1, rng).dims[0], b = samples::layout(mesh, 1, rng).dims[0];
      AxisRefs prefix = common_prefix(a, b);
      EXPECT_EQ(common_prefix(b, a), prefix);
      EXPECT_EQ(common_prefix(a, a), a);
      for (const AxisRefs& refs : {a, b}) {
        auto rest = without_prefix(refs, prefix);
        ASSERT_TRUE(rest.has_value());
        AxisRefs both = prefix;
        both.insert(both.end(), rest->begin(), rest->end());
        EXPECT_EQ(merged(both), refs);
      }
      EXPECT_EQ(*without_prefix(a, a), AxisRefs{});
      if (ways(prefix) < ways(b)) {
        EXPECT_FALSE(without_prefix(a, b).has_value());
      }
    }
  EXPECT_EQ(common_prefix({{0, 1, 8}}, {{0, 1, 2}, {1, 1, 2}}), (AxisRefs{{0, 1, 2}}));
  EXPECT_EQ(*without_prefix({{0, 1, 8}}, {{0, 1, 2}}), (AxisRefs{{0, 2, 4}}));
}

TEST(Layout, TranslationKeepsPlacement) {
  int translated = 0, refused = 0;
  for_layouts(
      [&](const Mesh& from, const Layout& layout, std::mt19937&) {
        for (const Mesh& to : samples::meshes()) {
          auto there = translate(layout, from, to);
          if (from.size() != to.size()) {
            EXPECT_FALSE(there.has_value());
            continue;
          }
          if (!there) {
            ++refused;
            continue;
          }
          ++translated;
          EXPECT_TRUE(is_valid(*there, to));
          // Equal blocks on every device, for a shape that divides.
          Shape shape(std::vector<std::int64_t>(static_cast<std::size_t>(layout.ndim()), from.size()));
          for (std::int64_t p = 0; p < from.size(); ++p)
            EXPECT_EQ(box_of(layout, from, shape, p), box_of(*there, to, shape, p)) << str(*there, to);
          EXPECT_EQ(ways(there->pending), ways(layout.pending));
          auto back = translate(*there, to, from);
          ASSERT_TRUE(back.has_value());
          EXPECT_EQ(*back, layout);
        }
      },
      true, true);
  EXPECT_GT(translated, 1000);
  EXPECT_GT(refused, 100);
}

TEST(Layout, PendingAxesHaveNoOrder) {
  Mesh mesh = samples::mesh({4, 2});
  Layout a{{{}}, {{1, 1, 2}, {0, 1, 4}}, Reduce::max}, b{{{}}, {{0, 1, 4}, {1, 1, 2}}, Reduce::max};
  EXPECT_EQ(canonical(a), canonical(b));
  Layout line{{{}}, {{0, 1, 8}}, Reduce::max};
  EXPECT_EQ(*translate(a, mesh, samples::mesh({8})), line);
  a.pending.clear();
  EXPECT_EQ(canonical(a), Layout::replicated(1)) << "nothing pending has no kind";
}

TEST(Layout, ACommonRefinementSaysBoth) {
  int found = 0;
  for (const Mesh& a : samples::meshes())
    for (const Mesh& b : samples::meshes()) {
      auto common = common_refinement(a, b);
      EXPECT_EQ(common.has_value(), common_refinement(b, a).has_value());
      if (a.size() != b.size()) {
        EXPECT_FALSE(common.has_value());
      }
      if (!common) continue;
      ++found;
      std::mt19937 rng(5);
      for (const Mesh& from : {a, b})
        for (int i = 0; i < 20; ++i)
          EXPECT_TRUE(translate(samples::layout(from, 2, rng, false), from, *common).has_value());
    }
  EXPECT_GT(found, 30);
  EXPECT_EQ(*common_refinement(samples::mesh({8}), samples::mesh({4, 2})), samples::mesh({4, 2}));
  EXPECT_EQ(common_refinement(samples::mesh({2, 4}), samples::mesh({4, 2}))->shape(), (Shape{2, 2, 2}));
  EXPECT_FALSE(common_refinement(samples::mesh({2, 3}), samples::mesh({3, 2})).has_value());
}

TEST(Layout, CoordinatesAndPositionsAreInverse) {
  for (const Mesh& mesh : samples::meshes())
    for (std::int64_t p = 0; p < mesh.size(); ++p) {
      EXPECT_EQ(position(mesh, coordinates(mesh, p)), p);
      AxisRefs all;
      for (int axis = 0; axis < mesh.ndim(); ++axis) all.push_back(whole_axis(mesh, axis));
      EXPECT_EQ(block_number(all, mesh, coordinates(mesh, p)), p);
    }
}

// A placement that one of the user's meshes says with its own axes is said so, wherever it was computed.
TEST(Faces, AreSaidWithAxesThatTheUserKnows) {
  Mesh ab(samples::devices(8), {4, 2}, {"a", "b"}), cd(samples::devices(8), {2, 4}, {"c", "d"});
  Layout halves{{{whole_axis(cd, 0)}, {whole_axis(cd, 1)}}, {}, {}};
  Layout on_ab = translate(halves, cd, ab).value();
  EXPECT_NE(sharding_from_layout(ab, on_ab).mesh(), ab) << "a cut mesh with names of ours";
  EXPECT_EQ(sharding_from_layout(ab, on_ab, {ab, cd}), NamedSharding(cd, P("c", "d")));
  std::mt19937 rng(22);
  for (const Mesh& from : samples::meshes())
    for (int i = 0; i < 20; ++i) {
      Layout layout = samples::layout(from, 2, rng);
      std::vector<Mesh> known;
      for (const Mesh& m : samples::meshes())
        if (m.device_list() == from.device_list()) known.push_back(m);
      std::shuffle(known.begin(), known.end(), rng);
      Sharding face = sharding_from_layout(from, layout, known);
      EXPECT_TRUE(face.is_equivalent_to(sharding_from_layout(from, layout), 2)) << face << " for " << str(layout, from);
      bool said = std::find(known.begin(), known.end(), face.mesh()) != known.end();
      for (const Mesh& m : known) {
        std::optional<Layout> there = translate(layout, from, m);
        EXPECT_TRUE(said || !there || sharding_from_layout(m, *there).mesh() != m) << face;
      }
    }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
