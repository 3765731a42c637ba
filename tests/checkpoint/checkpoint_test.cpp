// A tree is saved and comes back: whole, in part, on another mesh; and never wrongly.
#include <fstream>

#include "io/random_arrays.hpp"

namespace tutti::test {
namespace {

void expect_same_tree(const Dict& got, const Dict& want) {
  EXPECT_EQ(tree::structure(got), tree::structure(want));
  const auto a = tree::leaves_with_path(got), b = tree::leaves_with_path(want);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i].second, b[i].second, b[i].first.str());
}
Dict cleared(const Dict& tree) {
  return tree::map(
      [](const Array& x) {
        return x.dtype().is_key() ? random::wrap_key_data(zeros_like(random::key_data(x))) : zeros_like(x);
      },
      tree);
}
std::string message(const std::function<void()>& call) {
  try {
    call();
  } catch (const ValueError& e) {
    return e.what();
  }
  ADD_FAILURE() << "no ValueError";
  return "";
}

TEST(Checkpoint, RandomTreesComeBack) {
  With64 wide;
  RandomArrays random(1);
  const Folder folder;
  for (int step = 0; step < 30; ++step) {
    const Dict tree = random.tree();
    checkpoint::save(folder / "run", tree, {.step = step});
    EXPECT_EQ(checkpoint::latest(folder / "run"), step);
    expect_same_tree(checkpoint::restore(folder / "run", cleared(tree)), tree);
  }
  EXPECT_EQ(checkpoint::steps(folder / "run").size(), 30u);
}

TEST(Checkpoint, ItsArraysAreAPlainSafetensorsFile) {
  const Folder folder;
  const std::vector<Array> tree{arange(6).reshape(2, 3), ones({4}, bfloat16)};
  checkpoint::save(folder.path(), tree, {.step = 100, .extra = R"({"loss": 1.5})"});
  const io::SafetensorsFile file(folder / "step_000100/arrays.safetensors");
  EXPECT_EQ(file.names(), (std::vector<std::string>{"[0]", "[1]"}));
  expect_same(file.get("[0]"), tree[0]);
  EXPECT_EQ(checkpoint::extra(folder.path()), R"({"loss":1.5})");
  const std::string manifest = read_bytes(folder / "step_000100/manifest.json");
  for (const char* part : {"\"tutti\"", "\"bfloat16\"", "\"xxhash64\"", "\"SingleDeviceSharding(", "\"step\": 100"})
    EXPECT_NE(manifest.find(part), std::string::npos) << part << " in\n" << manifest;
}

TEST(Checkpoint, ComesBackOnAnyMesh) {
  const Folder folder;
  const Array x = arange(64.0).reshape(8, 8);
  const auto on = [](std::vector<std::int64_t> shape, PartitionSpec spec) {
    return Sharding(NamedSharding(make_mesh(Shape(shape), {"x", "y"}), std::move(spec)));
  };
  const std::vector<Sharding> all{on({4, 2}, P("x", "y")), on({2, 4}, P("y", "x")), on({1, 1}, P("x")),
                                  on({8, 1}, P(none, "x"))};
  for (const Sharding& from : all) {
    checkpoint::save(folder.path(), device_put(x, from));
    for (const Sharding& to : all) {
      const Array y = checkpoint::restore(folder.path(), device_put(zeros({8, 8}), to));
      EXPECT_EQ(y.sharding(), to);
      EXPECT_TRUE(y.committed());
      EXPECT_EQ(bits(y), bits(x));
    }
  }
}

TEST(Checkpoint, OneErrorListsAllThatDiffersAndPartialTakesTheRest) {
  const Folder folder;
  Dict saved, like;
  saved["same"] = ones({2});
  saved["shape"] = ones({3});
  saved["there"] = ones({1});
  like["same"] = zeros({2});
  like["shape"] = zeros({4});
  like["here"] = zeros({1});
  checkpoint::save(folder.path(), saved);
  const std::string text = message([&] { checkpoint::restore(folder.path(), like); });
  for (const char* part : {"checkpoint::restore", "shape is float32(3,) there, float32(4,) here", "missing: here",
                           "besides: there", "partial"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  const Dict some = checkpoint::restore(folder.path(), like, {.partial = true});
  expect_same(some["same"].array(), ones({2}));
  expect_same(some["shape"].array(), zeros({4}));
  expect_same(some["here"].array(), zeros({1}));
}

TEST(Checkpoint, StepsAndWhatIsWrongWithThem) {
  const Folder folder;
  EXPECT_EQ(checkpoint::latest(folder / "none"), std::nullopt);
  EXPECT_NE(message([&] { checkpoint::restore(folder / "none", ones({1})); }).find(folder / "none"), std::string::npos);
  for (int step : {5, 1000000, 20}) checkpoint::save(folder / "a/b", full({2}, float(step)), {.step = step});
  // What is not complete, or not ours, is none of them.
  std::filesystem::create_directories(folder / "a/b/step_000030.tmp-abc");
  std::filesystem::create_directories(folder / "a/b/step_000040");
  std::filesystem::create_directories(folder / "a/b/step_x");
  write_bytes(folder / "a/b/step_000050", "");
  EXPECT_EQ(checkpoint::steps(folder / "a/b"), (std::vector<std::int64_t>{5, 20, 1000000}));
  EXPECT_EQ(checkpoint::restore(folder / "a/b", zeros({2})).to_vector<float>(), (std::vector<float>{1e6f, 1e6f}));
  EXPECT_EQ(checkpoint::restore(folder / "a/b", zeros({2}), {.step = 20}).to_vector<float>(),
            (std::vector<float>{20, 20}));
  EXPECT_NE(message([&] { checkpoint::restore(folder / "a/b", zeros({2}), {.step = 7}); }).find("1000000"),
            std::string::npos);
  EXPECT_THROW(checkpoint::save(folder / "a/b", ones({1}), {.step = -1}), ValueError);
  EXPECT_THROW(checkpoint::save(folder / "a/b", ones({1}), {.step = 8, .extra = "{"}), ValueError);
  EXPECT_THROW(checkpoint::save(folder / "a/b", Dict(), {.step = 8}), ValueError);
  EXPECT_EQ(checkpoint::steps(folder / "a/b").size(), 3u);
}

TEST(Checkpoint, TheSameStepAgainReplacesIt) {
  const Folder folder;
  for (int i = 0; i < 3; ++i) {
    checkpoint::save(folder.path(), full({3}, float(i)), {.step = 1});
    EXPECT_EQ(checkpoint::restore(folder.path(), zeros({3})).to_vector<float>()[0], static_cast<float>(i));
  }
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator(folder.path())) ++entries;
  EXPECT_EQ(entries, 1u);
}

// Any bit of any file: an error, or all values as they were.
TEST(Checkpoint, ADamagedOneIsNeverRestoredWrongly) {
  const Folder folder;
  Dict tree;
  tree["a"] = arange(40).reshape(5, 8);
  tree["b"] = ones({7}, bfloat16);
  checkpoint::save(folder.path(), tree, {.step = 1, .extra = "[1,2]"});
  std::mt19937_64 random(1);
  for (const char* name : {"manifest.json", "arrays.safetensors"}) {
    const std::string path = folder / "step_000001/" + name, whole = read_bytes(path);
    int refused = 0;
    for (int i = 0; i < 400; ++i) {
      std::string bytes = whole;
      const std::size_t at = random() % bytes.size();
      if (i % 4 == 0)
        bytes.resize(at);
      else if (i % 4 == 1)
        bytes.erase(at, 1 + random() % 3);
      else
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
      write_bytes(path, bytes);
      try {
        expect_same_tree(checkpoint::restore(folder.path(), cleared(tree)), tree);
        EXPECT_EQ(checkpoint::extra(folder.path()), "[1,2]");
      } catch (const ValueError& e) {
        EXPECT_NE(std::string(e.what()).find("step_000001"), std::string::npos) << e.what();
        ++refused;
      }
    }
    EXPECT_GT(refused, 200);
    write_bytes(path, whole);
  }
  expect_same_tree(checkpoint::restore(folder.path(), cleared(tree)), tree);
  std::filesystem::remove(folder / "step_000001/arrays.safetensors");
  EXPECT_THROW(checkpoint::restore(folder.path(), tree), FileError);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
