// A leaf in blocks over several files, as several processes write it: any part of it is read back, and little else.
#include <algorithm>
#include <functional>
#include <numeric>

#include "checkpoint/blocks.hpp"
#include "io/random_arrays.hpp"

namespace tutti::test {
namespace {
using namespace checkpoint::detail;

constexpr std::size_t kPiece = 64;

// Cuts of [0, n): at least one part.
std::vector<std::pair<std::int64_t, std::int64_t>> cuts(RandomArrays& random, std::int64_t n) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  for (std::int64_t at = 0; at < n;) {
    const std::int64_t size = std::min<std::int64_t>(n - at, 1 + random.below(static_cast<int>(n)));
    out.emplace_back(at, size);
    at += size;
  }
  return out;
}

// A grid of blocks that covers the shape.
std::vector<Region> grid(RandomArrays& random, const Shape& shape) {
  std::vector<Region> out{{{}, {}}};
  for (std::int64_t n : shape) {
    std::vector<Region> finer;
    for (const auto& [start, extent] : cuts(random, n))
      for (Region r : out) {
        r.start.push_back(start);
        r.extent.push_back(extent);
        finer.push_back(r);
      }
    out = finer;
  }
  return out;
}

// The elements of a region, one by one: the oracle.
std::vector<std::byte> elements(const std::vector<std::byte>& all, const Shape& shape, const Region& r, std::size_t w) {
  std::vector<std::byte> out;
  for (std::int64_t i = 0, n = r.num_elements(); i < n; ++i) {
    std::int64_t rest = i, at = 0, stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      at += (r.start[d] + rest % r.extent[d]) * stride;
      rest /= r.extent[d];
      stride *= shape[d];
    }
    const auto from = all.begin() + at * static_cast<std::ptrdiff_t>(w);
    out.insert(out.end(), from, from + static_cast<std::ptrdiff_t>(w));
  }
  return out;
}

io::detail::Content content(const Array& whole, const Region& r) {
  const auto bytes = elements(bits(whole), whole.shape(), r, static_cast<std::size_t>(whole.dtype().size()));
  HostPtr memory = allocate_buffer(bytes.size());
  std::memcpy(memory->data(), bytes.data(), bytes.size());
  return {io::detail::stored_dtype(whole.dtype()), io::detail::stored_shape(whole.dtype(), r.extent), memory};
}

TEST(Blocks, AnyPartOfAnyGridIsReadBack) {
  With64 wide;
  RandomArrays random(1);
  const Folder folder;
  for (int round = 0; round < 60; ++round) {
    Manifest manifest;
    manifest.piece_bytes = kPiece;
    std::vector<Array> arrays;
    std::vector<std::vector<OwnedBlock>> files(static_cast<std::size_t>(1 + random.below(3)));
    for (std::size_t leaf = 0; leaf < 3; ++leaf) {
      Shape shape;
      for (int d = random.below(4); d-- > 0;) shape.push_back(1 + random.below(9));
      arrays.push_back(random.array(random.one_of(tree_dtypes()), shape));
      manifest.leaves.push_back({"leaf" + std::to_string(leaf), arrays.back().dtype(), shape, "anywhere"});
      for (const Region& r : grid(random, shape))
        files[static_cast<std::size_t>(random.below(static_cast<int>(files.size())))].push_back(
            {leaf, r, content(arrays.back(), r)});
    }
    for (std::size_t f = 0; f < files.size(); ++f) {
      const std::string name = "part" + std::to_string(f) + ".safetensors";
      const auto blocks = write_blocks(folder.path(), name, manifest.leaves, files[f], kPiece);
      for (std::size_t b = 0; b < blocks.size(); ++b) manifest.leaves[files[f][b].leaf].blocks.push_back(blocks[b]);
    }
    manifest = parse_manifest("manifest", manifest_text(manifest));
    const io::detail::InputFolder in(folder.path());
    BlockReader reader(in, manifest);
    for (std::size_t leaf = 0; leaf < 3; ++leaf) {
      const SavedLeaf& saved = manifest.leaves[leaf];
      const auto width = static_cast<std::size_t>(saved.dtype.size());
      for (int i = 0; i < 8; ++i) {
        Region wanted = Region::whole(saved.shape);
        for (std::size_t d = 0; i > 0 && d < saved.shape.size(); ++d) {
          wanted.start[d] = random.below(static_cast<int>(saved.shape[d]));
          wanted.extent[d] = 1 + random.below(static_cast<int>(saved.shape[d] - wanted.start[d]));
        }
        std::vector<std::byte> got(static_cast<std::size_t>(wanted.num_elements()) * width);
        reader.read(saved, wanted, got);
        EXPECT_EQ(got, elements(bits(arrays[leaf]), saved.shape, wanted, width)) << wanted.str() << saved.shape;
      }
    }
  }
}

TEST(Blocks, OnlyPiecesThatAreNeededAreRead) {
  const Folder folder;
  Manifest manifest;
  manifest.piece_bytes = 4096;
  const Array x = arange(1 << 16).reshape(256, 256);  // 256 KiB
  manifest.leaves.push_back({"x", int32, x.shape(), "anywhere"});
  std::vector<OwnedBlock> halves;
  for (std::int64_t row : {0, 128}) halves.push_back({0, {{row, 0}, {128, 256}}, content(x, {{row, 0}, {128, 256}})});
  manifest.leaves[0].blocks = write_blocks(folder.path(), "x", manifest.leaves, halves, 4096);
  const auto read = [&](const Region& wanted) {
    const io::detail::InputFolder in(folder.path());
    BlockReader reader(in, manifest);
    std::vector<std::byte> out(static_cast<std::size_t>(wanted.num_elements() * 4));
    reader.read(manifest.leaves[0], wanted, out);
    return reader.bytes_read();
  };
  EXPECT_EQ(read(Region::whole(x.shape())), 1u << 18);
  EXPECT_EQ(read({{0, 0}, {4, 256}}), 4096u);        // four rows are a piece
  EXPECT_EQ(read({{126, 0}, {4, 256}}), 2 * 4096u);  // two rows of each half
  EXPECT_EQ(read({{5, 7}, {1, 1}}), 4096u);          // an element
  EXPECT_EQ(read({{0, 0}, {256, 1}}), 1u << 18);     // a column has elements in all of them
  EXPECT_EQ(read({{0, 0}, {0, 256}}), 0u);
}

TEST(Blocks, AManifestThatMakesNoSenseIsRefused) {
  Manifest good;
  good.piece_bytes = kPiece;
  good.leaves.push_back({"x",
                         float32,
                         {4, 4},
                         "anywhere",
                         {{"f", "x[0:2,0:4]", {{0, 0}, {2, 4}}, {1}}, {"f", "x[2:4,0:4]", {{2, 0}, {2, 4}}, {2}}}});
  EXPECT_EQ(parse_manifest("m", manifest_text(good)).leaves[0].blocks.size(), 2u);
  const std::vector<std::function<void(Manifest&)>> changes{
      [](Manifest& m) { m.leaves[0].blocks.pop_back(); },
      [](Manifest& m) { m.leaves[0].blocks[1].region.start[0] = 1; },
      [](Manifest& m) { m.leaves[0].blocks[1].region.start[0] = 3; },
      [](Manifest& m) { m.leaves[0].blocks[1].region.start[0] = -1; },
      [](Manifest& m) { m.leaves[0].blocks[1].region.extent = {2}; },
      [](Manifest& m) { m.leaves[0].blocks[1].region.extent[1] = INT64_MAX; },
      [](Manifest& m) { m.leaves[0].blocks[1].file = "../f"; },
      [](Manifest& m) { m.leaves[0].blocks[1].file = ""; },
      [](Manifest& m) { m.leaves[0].blocks[1].sums.push_back(1); },
      [](Manifest& m) { m.leaves[0].blocks[1].sums.clear(); },
      [](Manifest& m) {
        m.leaves[0].shape = {std::int64_t(1) << 40, std::int64_t(1) << 40};
      },
      [](Manifest& m) { m.leaves[0].shape[0] = -4; },
      [](Manifest& m) { m.piece_bytes = 0; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Manifest bad = good;
    changes[i](bad);
    EXPECT_THROW(parse_manifest("m", manifest_text(bad)), ValueError) << i;
  }
  for (const char* text : {"", "[]", "{}", "{\"format\":\"tutti checkpoint\",\"version\":2}",
                           "{\"format\":\"tutti checkpoint\",\"version\":1}", "{\"format\":1}"})
    EXPECT_THROW(parse_manifest("m", text), ValueError) << text;
}

// Blocks of one leaf: their number may be large, and whether they overlap is still found out.
TEST(Blocks, ManyOfOneLeaf) {
  RandomArrays random(3);
  Manifest manifest;
  manifest.piece_bytes = 1 << 20;
  manifest.leaves.push_back({"x", int8, {120, 120, 2}, "anywhere"});
  for (std::int64_t i = 0; i < 120; ++i)
    for (std::int64_t j = 0; j < 120; ++j) manifest.leaves[0].blocks.push_back({"f", "x", {{i, j, 0}, {1, 1, 2}}, {1}});
  EXPECT_EQ(parse_manifest("m", manifest_text(manifest)).leaves[0].blocks.size(), 14400u);
  for (int i = 0; i < 3; ++i) {
    Manifest bad = manifest;
    auto& blocks = bad.leaves[0].blocks;
    blocks[static_cast<std::size_t>(random.below(14400))] = blocks[static_cast<std::size_t>(random.below(14400))];
    const auto differs = [](const Block& a, const Block& b) { return !(a.region == b.region); };
    if (std::equal(blocks.begin(), blocks.end(), manifest.leaves[0].blocks.begin(), std::not_fn(differs))) continue;
    EXPECT_THROW(parse_manifest("m", manifest_text(bad)), ValueError);
  }
}

// A text that is nested too deeply for the stack is refused: written by a user, or in a file.
TEST(Blocks, DeepJson) {
  const Folder folder;
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  EXPECT_THROW(parse_manifest("m", deep), ValueError);
  EXPECT_THROW(parse_manifest("m", R"({"format":"tutti checkpoint","version":1,"leaves":)" + deep + "}"), ValueError);
  EXPECT_THROW(checkpoint::save(folder.path(), ones({1}), {.extra = deep}), ValueError);
  const std::string text = R"(["[[[[\"[[", {"a": [1]}])";
  checkpoint::save(folder.path(), ones({1}), {.extra = text});
  EXPECT_EQ(checkpoint::extra(folder.path()), R"(["[[[[\"[[",{"a":[1]}])");
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
