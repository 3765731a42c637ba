// Permutations of blocks as rules: what they say device by device is what the blocks' owners say.
#include "partition/permutation.hpp"

#include <gtest/gtest.h>

#include <map>

#include "partition/programs.hpp"

namespace tutti::testing {
namespace {

AxisRefs all_axes(const Mesh& mesh) {
  AxisRefs out;
  for (int a = 0; a < mesh.ndim(); ++a) out.push_back(whole_axis(mesh, a));
  return out;
}
Group group_of(const Mesh& mesh) { return {mesh.axis_names(), mesh.shape().dims()}; }

// The devices that hold each block, in the order of the mesh.
std::map<std::vector<std::int64_t>, std::vector<int>> owners(const Mesh& mesh, const Layout& layout) {
  std::map<std::vector<std::int64_t>, std::vector<int>> out;
  for (int p = 0; p < static_cast<int>(mesh.size()); ++p) {
    const std::vector<std::int64_t> at = coordinates(mesh, p);
    std::vector<std::int64_t> block;
    for (const AxisRefs& refs : layout.dims) block.push_back(block_number(refs, mesh, at));
    out[block].push_back(p);
  }
  return out;
}

// Layouts of two dims that use each axis on a dim or not at all, in any order.
std::vector<Layout> layouts(const Mesh& mesh) {
  std::vector<Layout> out{Layout::replicated(2)};
  for (const AxisRef& axis : all_axes(mesh)) {
    const std::vector<Layout> so_far = out;
    for (const Layout& l : so_far)
      for (int d = 0; d < 2; ++d)
        for (std::size_t at = 0; at <= l.dims[d].size(); ++at) {
          Layout more = l;
          more.dims[d].insert(more.dims[d].begin() + static_cast<std::ptrdiff_t>(at), axis);
          out.push_back(more);
        }
  }
  return out;
}

TEST(Permutation, IsWhatOwnersSay) {
  int rules = 0;
  for (const Shape& shape : {Shape{8}, Shape{4, 2}, Shape{2, 2, 2}, Shape{6, 4}, Shape{2, 3}}) {
    std::vector<std::string> names{"x", "y", "z"};
    names.resize(shape.size());
    const Mesh mesh = grid(shape, Names(names));
    const std::vector<Layout> all = layouts(mesh);
    for (const Layout& from : all)
      for (const Layout& to : all) {
        if (from.ways(0) != to.ways(0) || from.ways(1) != to.ways(1)) continue;
        const auto rule = digits_permuted(group_of(mesh), all_axes(mesh), from, to);
        if (!rule) {
          EXPECT_TRUE(shape == Shape({6, 4}) || shape == Shape({2, 3})) << str(from, mesh) << " " << str(to, mesh);
          continue;
        }
        ++rules;
        const auto have = owners(mesh, from), want = owners(mesh, to);
        for (const auto& [block, devices] : want)
          for (std::size_t k = 0; k < devices.size(); ++k) {
            EXPECT_EQ(rule->source(devices[k]), have.at(block).at(k)) << str(from, mesh) << " " << str(to, mesh);
            EXPECT_EQ(rule->destination(have.at(block)[k]), devices[k]);
          }
        EXPECT_EQ(rule->inverse().inverse(), *rule);
      }
  }
  EXPECT_GT(rules, 100);
}

TEST(Permutation, IsAsShortForManyDevices) {
  const Mesh mesh = abstract_mesh({250, 400}, {"x", "y"});
  // 250 is 2 5 5 5, 400 is 2 2 2 2 5 5: over the first alone, of one dim and of the other.
  Layout from = Layout::replicated(2), to = from;
  from.dims[0] = {whole_axis(mesh, 0)};
  from.dims[1] = {whole_axis(mesh, 1)};
  to = from;
  const auto rule = digits_permuted(group_of(mesh), all_axes(mesh), from, to);
  ASSERT_TRUE(rule);
  EXPECT_TRUE(rule->pairs.empty());
  EXPECT_LT(rule->digits.size(), 20u);
  EXPECT_EQ(rule->destination(99'999), 99'999);
}

TEST(Permutation, TurnsRoundTheGroup) {
  ops::Permute p{{{"x"}, {5}}};
  p.turn = 2;
  EXPECT_EQ(p.destination(4), 1);
  EXPECT_EQ(p.source(1), 4);
  EXPECT_EQ(p.inverse().destination(1), 4);
  EXPECT_EQ(p.list(), (std::vector<std::pair<int, int>>{{0, 2}, {1, 3}, {2, 4}, {3, 0}, {4, 1}}));
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
