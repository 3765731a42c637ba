// Any name that is accepted can be read again; any other is refused before something is written (hostile-3, F2).
#include "io/random_arrays.hpp"

namespace tutti::test {
namespace {

std::vector<std::string> odd_names() {
  std::vector<std::string> out{"",
                               "a",
                               "a.npy",
                               "a.npy.npy",
                               ".npy",
                               "/a",
                               "a/",
                               "a/b",
                               "../a",
                               ".",
                               "..",
                               " ",
                               "a b",
                               "ü",
                               "日本語",
                               "😀",
                               "a\\b",
                               "\"q\"",
                               "'q'",
                               "a\nb",
                               "a\tb",
                               "\x01",
                               "\x7f",
                               "ü\x01",
                               "\xff",
                               "\xc3",
                               "a\xed\xa0\x80",
                               "\xc0\xaf",
                               "__metadata__",
                               std::string("a\0b", 3),
                               std::string(1, '\0'),
                               std::string("a\0.npy", 6)};
  for (const std::size_t size : {254u, 255u, 256u, 65530u, 65531u, 65532u, 65535u, 70000u}) out.emplace_back(size, 'n');
  out.push_back("ü" + std::string(65529, 'n'));
  out.push_back("ü" + std::string(65530, 'n'));
  RandomArrays random(9);
  for (int i = 0; i < 80; ++i) {
    std::string name;
    for (int n = 1 + random.below(6); n-- > 0;)
      name += static_cast<char>(i % 2 ? random.below(128) : random.below(256));
    out.push_back(name);
  }
  return out;
}

// Saves it, alone and beside "a": whether it was accepted. What is accepted comes back under its name.
template <class Save, class Load> bool accepted(const std::string& name, const Folder& folder, Save save, Load load) {
  const std::string path = folder / "x";
  for (const io::Arrays& all : {io::Arrays{{name, arange(3)}}, io::Arrays{{name, arange(3)}, {"a", ones({2})}}}) {
    std::filesystem::remove(path);
    try {
      save(path, all);
    } catch (const ValueError& e) {
      const std::string text = e.what();
      EXPECT_LT(text.size(), 1500u);
      EXPECT_FALSE(std::filesystem::exists(path)) << text;
      return false;
    }
    const io::Arrays back = load(path);
    EXPECT_EQ(back.size(), all.size()) << name.substr(0, 100);
    for (const auto& [key, x] : all) {
      const auto at = back.find(key);
      EXPECT_TRUE(at != back.end()) << name.substr(0, 100);
      if (at != back.end()) expect_same(at->second, x, name.substr(0, 100));
    }
  }
  return true;
}

TEST(Names, OfArchives) {
  const Folder folder;
  std::size_t refused = 0;
  for (const std::string& name : odd_names()) {
    const bool taken = accepted(
        name, folder, [](const auto& path, const io::Arrays& all) { io::save_npz(path, all); },
        [](const auto& path) { return io::load_npz(path); });
    refused += !taken;
    if (name.find('\0') != name.npos || name.size() > 65531) {
      EXPECT_FALSE(taken) << name.substr(0, 100);
    }
    const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return c > 0; });
    if (ascii && name.size() <= 65531) {
      EXPECT_TRUE(taken) << name.substr(0, 100);
    }
  }
  EXPECT_LT(refused, 80u);
  for (const char* name : {"ü", "日本語", "😀"})
    EXPECT_TRUE(accepted(
        name, folder, [](const auto& path, const io::Arrays& all) { io::save_npz(path, all); },
        [](const auto& path) { return io::load_npz(path); }));
}

TEST(Names, OfSafetensors) {
  const Folder folder;
  for (const std::string& name : odd_names()) {
    const bool taken = accepted(
        name, folder, [](const auto& path, const io::Arrays& all) { io::save_safetensors(path, all); },
        [](const auto& path) { return io::load_safetensors(path); });
    const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
    if (ascii) {
      EXPECT_EQ(taken, name != "__metadata__") << name.substr(0, 100);
    }
  }
  const std::string huge(100'000'000, 'n');  // readers refuse such a header
  EXPECT_THROW(io::save_safetensors(folder / "x", {{huge, ones({1})}}), ValueError);
}

TEST(Names, OfLeavesInTreesAndCheckpoints) {
  const Folder folder;
  for (const std::string& name : odd_names()) {
    Dict tree;
    tree[name] = arange(3);
    tree["inner"][name] = ones({2});
    try {
      io::save(folder / "x", tree);
    } catch (const ValueError&) {
      EXPECT_THROW(checkpoint::save(folder / "run", tree), ValueError) << name.substr(0, 100);
      continue;
    }
    const Dict back = io::load(folder / "x", tree);
    expect_same(back[name].array(), tree[name].array(), name.substr(0, 100));
    checkpoint::save(folder / "run", tree);
    const Dict restored = checkpoint::restore(folder / "run", tree);
    expect_same(restored[name].array(), tree[name].array(), name.substr(0, 100));
    expect_same(restored["inner"][name].array(), tree["inner"][name].array(), name.substr(0, 100));
  }
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
