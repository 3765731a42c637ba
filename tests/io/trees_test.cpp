// io::save and io::load: trees by path.
#include "io/random_arrays.hpp"

namespace tutti::test {
namespace {

struct Layer {
  Array weight, bias;
};
struct Model {
  std::vector<Layer> layers;
  Array key;
  int width = 3;
};
Model model(int layers = 2) {
  Model out;
  for (int i = 0; i < layers; ++i) out.layers.push_back({ones({3, 4}) * i, zeros({4})});
  out.key = random::key(7);
  return out;
}

TEST(Trees, RandomTreesComeBack) {
  With64 wide;
  RandomArrays random(5);
  const Folder folder;
  for (int i = 0; i < 60; ++i) {
    const Dict tree = random.tree();
    io::save(folder / "tree", tree);
    const Dict back = io::load(folder / "tree", tree);
    EXPECT_EQ(tree::structure(back), tree::structure(tree));
    const auto want = tree::leaves_with_path(tree);
    const auto got = tree::leaves_with_path(back);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t k = 0; k < want.size(); ++k) expect_same(got[k].second, want[k].second, want[k].first.str());
  }
}

// They are int8 and uint8 in the file; what stands there beyond 4 bits is cut off, as by astype.
TEST(Trees, FourBitIntegersAreStoredInBytes) {
  const Folder folder;
  const std::tuple written{array({-9, -1, 7, 8}).astype(int8), array({0, 15, 16, 255}).astype(uint8)};
  io::save(folder / "x", written);
  const auto& [s, u] = written;
  const auto [s4, u4] = io::load(folder / "x", std::tuple{s.astype(int4), u.astype(uint4)});
  expect_same(s4, s.astype(int4));
  expect_same(u4, u.astype(uint4));
  io::save(folder / "y", s4);
  expect_same(io::load_safetensors(folder / "y").at("array"), array({7, -1, 7, -8}).astype(int8));
}

TEST(Trees, NamesArePaths) {
  const Folder folder;
  io::save(folder / "x", model(), {{"note", "hello"}});
  const io::SafetensorsFile file(folder / "x");
  EXPECT_EQ(file.names(), (std::vector<std::string>{"key", "layers[0].bias", "layers[0].weight", "layers[1].bias",
                                                    "layers[1].weight"}));
  EXPECT_EQ(file.metadata().at("note"), "hello");
  io::save(folder / "one", arange(3));
  EXPECT_EQ(io::SafetensorsFile(folder / "one").names(), std::vector<std::string>{"array"});
  expect_same(io::load(folder / "one", zeros({3}, int32)), arange(3));
}

TEST(Trees, LeavesAreAsThoseOfLike) {
  const Folder folder;
  const Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  Model saved = model();
  io::save(folder / "x", saved);
  Model like = saved;
  like.layers[0].weight = device_put(zeros({3, 4}), NamedSharding(mesh, P(none, "x")));
  like.layers[1].bias.delete_();  // no value is needed
  const Model back = io::load(folder / "x", like);
  EXPECT_EQ(back.layers[0].weight.sharding(), Sharding(NamedSharding(mesh, P(none, "x"))));
  EXPECT_TRUE(back.layers[0].weight.committed());
  EXPECT_FALSE(back.layers[0].bias.committed());
  EXPECT_TRUE(bool(array_equal(back.layers[1].weight, ones({3, 4}))));
  expect_same(back.key, saved.key);
  EXPECT_EQ(back.width, 3);
  // Shapes alone will do.
  const Array shaped = io::load(folder / "x", Model{{{ShapeDtypeStruct({3, 4}), ShapeDtypeStruct({4})},
                                                     {ShapeDtypeStruct({3, 4}), ShapeDtypeStruct({4})}},
                                                    ShapeDtypeStruct({}, prng_key)})
                           .layers[1]
                           .weight;
  EXPECT_TRUE(bool(array_equal(shaped, ones({3, 4}))));
  // A weak scalar is weak again: the step that takes it is not traced anew.
  io::save(folder / "weak", Array(2));
  EXPECT_TRUE(io::load(folder / "weak", Array(1)).weak_type());
}

TEST(Trees, OneErrorListsAllThatDiffers) {
  const Folder folder;
  Dict saved, like;
  saved["a"] = ones({2});
  saved["b"] = ones({3});
  saved["only"]["there"] = ones({1});
  like["a"] = ones({2}, int32);
  like["b"] = ones({4});
  like["only"]["here"] = ones({1});
  io::save(folder / "x", saved);
  try {
    io::load(folder / "x", like);
    FAIL();
  } catch (const ValueError& e) {
    const std::string text = e.what();
    for (const char* part : {"io::load", "trees_test.cpp", "a is float32(2,) there, int32(2,) here",
                             "b is float32(3,) there, float32(4,) here", "missing: only.here", "besides: only.there"})
      EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
    EXPECT_NE(text.find(folder / "x"), std::string::npos);
  }
}

TEST(Trees, NothingToSaveAndNoValues) {
  const Folder folder;
  EXPECT_THROW(io::save(folder / "x", Dict()), ValueError);
  EXPECT_THROW(io::load(folder / "x", Dict()), FileError);
  Array gone = ones({2}) + 1;
  gone.delete_();
  EXPECT_THROW(io::save(folder / "x", gone), DeletedError);
  auto inside = jit([&](const Array& x) {
    io::save(folder / "x", x);
    return x;
  });
  EXPECT_THROW(inside(ones({2})), TracerError);
  EXPECT_FALSE(std::filesystem::exists(folder / "x"));
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
