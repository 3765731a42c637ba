// Files and windows: what is read, and what is refused.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include <tutti/tutti.hpp>

namespace tutti::test {
namespace {

/// A folder of this test's own, gone at its end.
struct Folder {
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tutti_source_XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path / name, std::ios::binary) << content;
    return (path / name).string();
  }
  std::filesystem::path path;
};

std::string head(const std::string& dict, int version = 1) {
  std::string text = dict;
  while ((text.size() + 11) % 64) text += ' ';
  text += '\n';
  std::string out = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out += static_cast<char>(text.size() >> (8 * i));
  return out + text;
}
std::string dict(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}
template <class T> std::string bytes(const std::vector<T>& v) {
  return {reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T)};
}

TEST(MapFile, IsTheBytesWithoutACopy) {
  Folder folder;
  const std::string path = folder.file("a.txt", "tutti suonano");
  Array x = data::map_file(path);
  EXPECT_EQ(x.dtype(), uint8);
  EXPECT_EQ(x.to_vector<unsigned char>()[6], 's');
  std::filesystem::remove(path);  // mapped all the same
  EXPECT_EQ(x.sum().item<int>() > 0, true);
  EXPECT_EQ(data::map_file(folder.file("empty", "")).shape(), Shape{0});
  EXPECT_THROW(data::map_file(path), ValueError);
  EXPECT_THROW(data::map_file(folder.path.string()), ValueError);
  EXPECT_THROW(data::map_file("/dev/zero"), ValueError);
  const std::string words = folder.file("w", bytes(std::vector<std::uint16_t>{1, 500, 65535}));
  EXPECT_EQ(data::map_file(words, uint16).to_vector<int>(), (std::vector<int>{1, 500, 65535}));
  EXPECT_EQ(data::map_file(words, bfloat16).shape(), Shape{3});
  EXPECT_THROW(data::map_file(words, float32), ValueError);
  EXPECT_THROW(data::map_file(words, bool_), TypeError);
  EXPECT_THROW(data::map_file(folder.file("eight", "12345678"), int64), TypeError);
}

TEST(Windows, HoldTheTokensAndThoseThatFollow) {
  for (std::int64_t n : {0, 1, 4, 5, 6, 7, 50})
    for (std::int64_t stride : {1, 2, 4, 100})
      for (data::Targets targets : {data::Targets::every, data::Targets::last}) {
        const std::int64_t context = 4;
        auto source = data::windows(arange(n), context, {.stride = stride, .targets = targets});
        std::int64_t count = 0;
        auto loader = data::loader(source, 3);
        for (auto [x, y] : loader)
          for (std::int64_t i = 0; i < x.shape(0); ++i, ++count) {
            Array wanted = arange(count * stride, count * stride + context);
            EXPECT_TRUE(bool(array_equal(x[i], wanted)));
            if (targets == data::Targets::every)
              EXPECT_TRUE(bool(array_equal(y[i], wanted + 1)));
            else
              EXPECT_EQ(y[i].item<int>(), count * stride + context);
          }
        // As many as begin before the last begin that has a token behind it.
        EXPECT_EQ(count, n > context ? (n - context - 1) / stride + 1 : 0) << n;
      }
  EXPECT_THROW(data::windows(arange(9), 0), ValueError);
  EXPECT_THROW(data::windows(arange(9), 2, {.stride = 0}), ValueError);
  EXPECT_THROW(data::windows(ones({3, 3}), 2), ShapeError);
}

TEST(Windows, OfAShuffledTextAreEachThereOnce) {
  Folder folder;
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i);
  auto all = data::loader(data::windows(data::map_file(folder.file("t", text)), 8, {.targets = data::Targets::last}), 7,
                          {.shuffle = true});
  std::vector<int> begins;
  for (auto [x, y] : all) {
    EXPECT_TRUE(bool(array_equal(x(tutti::all, -1) + 1, y)));
    for (unsigned char c : x(tutti::all, 0).to_vector<unsigned char>()) begins.push_back(c);
  }
  EXPECT_FALSE(std::is_sorted(begins.begin(), begins.end()));
  std::sort(begins.begin(), begins.end());
  EXPECT_EQ(begins, arange(192).to_vector<int>());
}

TEST(NpyShards, AreTheRowsOfAllFiles) {
  Folder folder;
  std::vector<std::string> paths;
  std::vector<float> row{0, 1};
  float next = 0;
  for (int rows : {3, 0, 5, 1}) {
    std::vector<float> numbers;
    for (int i = 0; i < 2 * rows; ++i) numbers.push_back(next++);
    paths.push_back(
        folder.file(std::to_string(paths.size()) + ".npy",
                    head(dict("<f4", "(" + std::to_string(rows) + ", 2)"), static_cast<int>(paths.size() % 3) + 1) +
                        bytes(numbers)));
  }
  auto source = data::npy_shards(paths);
  EXPECT_EQ(source.size(), 9);
  std::vector<Array> parts;
  auto all = data::loader(source, 4);
  for (const Array& x : all) parts.push_back(x);
  EXPECT_TRUE(bool(array_equal(concatenate(parts), arange(18.0).reshape(9, 2))));
  auto both = data::loader(data::zip(source, data::rows(arange(9))), 2, {.shuffle = true});
  for (auto [x, i] : both) EXPECT_TRUE(bool(array_equal(x(tutti::all, 0), (2 * i).astype(float32))));
  EXPECT_THROW(data::zip(source, data::rows(arange(8))), ShapeError);
}

TEST(NpyShards, DtypesAsTheyAreStored) {
  Folder folder;
  const auto read = [&](const std::string& descr, const std::string& content, const std::string& shape = "(2,)") {
    return data::loader(data::npy_shards({folder.file("x.npy", head(dict(descr, shape)) + content)}), 2).next();
  };
  EXPECT_EQ(read("|b1", std::string("\0\7", 2)).to_vector<bool>(), (std::vector<bool>{false, true}));
  EXPECT_EQ(read("<u2", bytes(std::vector<std::uint16_t>{7, 65535})).to_vector<int>()[1], 65535);
  EXPECT_EQ(read("<f2", bytes(std::vector<std::uint16_t>{0x3c00, 0xc000})).to_vector<float>()[1], -2);
  EXPECT_EQ(read("<i8", bytes(std::vector<std::int64_t>{7, -9})).to_vector<int>()[1], -9);
  EXPECT_EQ(read("<f8", bytes(std::vector<double>{7, .5})).to_vector<float>()[1], .5f);
  EXPECT_THROW(read("<i8", bytes(std::vector<std::int64_t>{7, std::int64_t(1) << 40})), ValueError);  // by a worker
  EXPECT_EQ(read(">i1", "ab").dtype(), int8);
  for (const char* descr : {"f4", "<f", "float32"})
    EXPECT_EQ(read(descr, bytes(std::vector<float>{7, -2})).to_vector<float>()[1], -2) << descr;
  EXPECT_EQ(read("<f4", "", "(2, 0)").shape(), (Shape{2, 0}));
}

TEST(NpyShards, HostileFilesAreRefused) {
  Folder folder;
  const auto refused = [&](const std::string& content) {
    const std::string path = folder.file("x.npy", content);
    try {
      data::npy_shards({path});
      ADD_FAILURE() << "accepted " << content.substr(0, 80);
    } catch (const ValueError& e) {
      EXPECT_NE(std::string(e.what()).find(path), std::string::npos) << e.what();
    } catch (const TypeError& e) {
      EXPECT_NE(std::string(e.what()).find(path), std::string::npos) << e.what();
    }
  };
  const std::string four(16, '\1');
  for (const char* descr : {">f4", "<f16", "<c16", "|O", "<U3", "", "Float32", "<f44", "|V2", "<M8[ns]"})
    refused(head(dict(descr, "(4,)")) + four);
  for (const char* shape : {"(5,)", "()", "(-1,)", "(4", "4", "(4,,)", "(9223372036854775807, 4)",
                            "(99999999999999999999,)", "(1e3,)", "(4;)", "('4',)", "(3037000500, 3037000500)"})
    refused(head(dict("<f4", shape)) + four);
  refused(head(dict("<f4", "(2, 2)", "True")) + four);
  refused(head(dict("<f4", "(4,)", "Maybe")) + four);
  for (const char* text : {"", "{", "{}", "[1]", "{'descr': '<f4'}", "{'descr': '<f4", "{'shape': (4,), 'shape': (4,)}",
                           "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (4,)}",
                           "{'descr': '<f4', 'fortran_order': False, 'shape': (4,)} 7",
                           "{'descr': '<f4' 'fortran_order': False, 'shape': (4,)}",
                           "{'x': '<f4', 'fortran_order': False, 'shape': (4,)}"})
    refused(head(text) + four);
  for (int version : {0, 4, 255}) refused(head(dict("<f4", "(4,)"), version) + four);
  const std::string good = head(dict("<f4", "(4,)")) + four;
  for (std::size_t n = 0; n < good.size(); ++n) refused(good.substr(0, n));
  EXPECT_EQ(data::npy_shards({folder.file("x.npy", good)}).size(), 4);
  EXPECT_THROW(data::npy_shards({}), ValueError);
  EXPECT_THROW(data::npy_shards({folder.file("a.npy", good), folder.file("b.npy", head(dict("<i4", "(4,)")) + four)}),
               ValueError);
  // Whatever bytes change: an array of some size, or an error; never anything else.
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    std::string bad = good;
    for (int k = 0; k < 1 + i % 3; ++k) bad[random() % 80] = static_cast<char>(random());
    try {
      auto some = data::npy_shards({folder.file("x.npy", bad)});
      EXPECT_LE(some.size(), 16);
      data::loader(some, 16, {.prefetch = 0}).next();
    } catch (const ValueError&) {
    } catch (const TypeError&) {
    }
  }
}

// A mapped file that is cut short is an error for what copies from it, no SIGBUS (hostile-3, L5).
TEST(Sources, AFileThatWasCutShort) {
  const Folder folder;
  const std::string text = folder.file("text", std::string(100000, 'x'));
  const std::string npy = folder.file("x.npy", head(dict("<f4", "(5000, 4)")) + bytes(std::vector<float>(20000, 1.f)));
  const Array mapped = data::map_file(text);
  const auto windows = data::windows(mapped, 10);
  const auto rows = data::rows(mapped);
  const auto shards = data::npy_shards({npy});
  const std::int64_t last[] = {windows.size() - 1};
  std::vector<std::byte> out(100);
  windows.rows->read(0, last, out.data());
  std::filesystem::resize_file(text, 10);
  std::filesystem::resize_file(npy, 200);
  EXPECT_THROW(windows.rows->read(0, last, out.data()), FileError);
  const std::int64_t row[] = {4000};
  EXPECT_THROW(rows.rows->read(0, row, out.data()), FileError);
  EXPECT_THROW(shards.rows->read(0, row, out.data()), FileError);
  EXPECT_THROW(for ([[maybe_unused]] const auto& batch : data::loader(shards, 16)){}, FileError);
  // Another file of that name is none of theirs.
  std::filesystem::rename(folder.file("other", "short"), text);
  windows.rows->read(0, std::vector<std::int64_t>{}, out.data());
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
