// Arrays go to files and come back bit for bit, in every format and dtype.
#include <sys/stat.h>

#include <fstream>
#include <optional>
#include <thread>

#include "io/random_arrays.hpp"

namespace tutti::test {
namespace {

TEST(Npy, AnyArrayComesBack) {
  With64 wide;
  RandomArrays random(1);
  const Folder folder;
  for (int i = 0; i < 200; ++i) {
    const Array x = random.any();
    if (x.dtype() == bfloat16) {
      EXPECT_THROW(io::save_npy(folder / "x.npy", x), TypeError);
      continue;
    }
    io::save_npy(folder / "x.npy", x);
    const Array y = io::load_npy(folder / "x.npy");
    expect_same(x.dtype().is_key() ? random::wrap_key_data(y) : y, x);
  }
}

TEST(Npz, AnyArraysComeBack) {
  With64 wide;
  RandomArrays random(2);
  const Folder folder;
  for (int i = 0; i < 30; ++i) {
    io::Arrays all;
    for (int n = random.below(6); n-- > 0;) {
      const Array x = random.any();
      if (x.dtype() != bfloat16 && !x.dtype().is_key()) all["x" + std::to_string(n)] = x;
    }
    io::save_npz(folder / "x.npz", all, {.compress = i % 2 == 0});
    const io::Arrays back = io::load_npz(folder / "x.npz");
    ASSERT_EQ(back.size(), all.size());
    for (const auto& [name, x] : all) expect_same(back.at(name), x, name);
    EXPECT_THROW(io::NpzFile(folder / "x.npz").get("none"), ValueError);
  }
  io::save_npz(folder / "small.npz", {{"x", zeros({100000})}}, {.compress = true});
  EXPECT_LT(std::filesystem::file_size(folder / "small.npz"), 2000u);
}

TEST(Safetensors, AnyArraysComeBack) {
  With64 wide;
  RandomArrays random(3);
  const Folder folder;
  for (int i = 0; i < 60; ++i) {
    io::Arrays all;
    for (int n = random.below(8); n-- > 0;) all["x" + std::to_string(n)] = random.any();
    const io::Metadata metadata{{"step", std::to_string(i)}, {"\"ü\n", "\\"}};
    io::save_safetensors(folder / "x.safetensors", all, metadata);
    const io::SafetensorsFile file(folder / "x.safetensors");
    EXPECT_EQ(file.metadata(), metadata);
    ASSERT_EQ(file.names().size(), all.size());
    for (const auto& [name, x] : all) {
      const bool key = x.dtype().is_key();
      EXPECT_EQ(file.dtype(name), key ? uint32 : x.dtype());
      const Array y = file.get(name);
      expect_same(key ? random::wrap_key_data(y) : y, x, name);
    }
    EXPECT_THROW(file.get("none"), ValueError);
  }
}

TEST(Safetensors, ElementsAreAligned) {
  With64 wide;
  const Folder folder;
  io::save_safetensors(folder / "x", {{"a", ones({3}, bool_)}, {"b", ones({3}, float64)}, {"c", ones({3}, bfloat16)}});
  const std::string bytes = read_bytes(folder / "x");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ(length % 8, 0u);
  // The widest first: 24 bytes of b, 6 of c, 3 of a.
  EXPECT_NE(bytes.find(R"("b":{"data_offsets":[0,24])"), std::string::npos) << bytes;
  EXPECT_NE(bytes.find(R"("a":{"data_offsets":[30,33])"), std::string::npos) << bytes;
}

TEST(Safetensors, OpeningReadsNoArray) {
  const Folder folder;
  io::save_safetensors(folder / "x", {{"a", ones({1000})}, {"b", ones({4})}});
  // Elements may be changed behind an open file's back: what is asked for is read then.
  const io::SafetensorsFile file(folder / "x");
  std::fstream(folder / "x", std::ios::in | std::ios::out | std::ios::binary)
      .seekp(-4, std::ios::end)
      .write("\0\0\0@", 4);
  EXPECT_EQ(file.get("b").to_vector<float>(), (std::vector<float>{1, 1, 1, 2}));
  // A file that is cut short while it is open is an error, not a signal.
  std::filesystem::resize_file(folder / "x", 300);
  EXPECT_THROW(file.get("b"), ValueError);
}

TEST(Files, SixtyFourBitsAreNarrowedAsByArray) {
  const Folder folder;
  {
    With64 wide;
    io::save_npy(folder / "f", array({1.1, -2.5}));
    io::save_npy(folder / "i", array({1, -2}, int64));
    io::save_npy(folder / "large", array(std::vector<long>{1, long(1) << 40}, {2}));
  }
  EXPECT_EQ(io::load_npy(folder / "f").dtype(), float32);
  EXPECT_EQ(io::load_npy(folder / "f").to_vector<float>(), (std::vector<float>{1.1f, -2.5f}));
  EXPECT_EQ(io::load_npy(folder / "i").to_vector<int>(), (std::vector<int>{1, -2}));
  EXPECT_THROW(io::load_npy(folder / "large"), ValueError);
}

TEST(Files, AFailedSaveLeavesTheFileThatWasThere) {
  const Folder folder;
  io::save_npy(folder / "x", ones({3}));
  EXPECT_THROW(io::save_npy(folder / "x", ones({3}, bfloat16)), TypeError);
  EXPECT_THROW(io::save_safetensors(folder / "x", {{"\xff", ones({3})}}), ValueError);
  EXPECT_THROW(io::save_npz(folder / "x", {{"a", ones({3})}, {"b", Array()}}), ValueError);
  expect_same(io::load_npy(folder / "x"), ones({3}));
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++files;
  EXPECT_EQ(files, 1u) << "something half written is left";
}

TEST(Files, ALinkStaysALink) {
  const Folder folder;
  io::save_npy(folder / "there", ones({3}));
  std::filesystem::create_symlink("there", folder / "link");
  io::save_npy(folder / "link", zeros({2}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  expect_same(io::load_npy(folder / "there"), zeros({2}));
}

TEST(Files, ErrorsOfTheSystemAreFileErrorsThatNameTheFile) {
  const Folder folder;
  const auto expect_named = [](const auto& call, const std::string& path, const std::string& why) {
    try {
      call();
      ADD_FAILURE() << "no error for " << path;
    } catch (const FileError& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find(path), std::string::npos) << text;
      EXPECT_NE(text.find(why), std::string::npos) << text;
    }
  };
  const std::string none = folder / "none", nowhere = folder / "none/x";
  expect_named([&] { io::load_npy(none); }, none, "No such file");
  expect_named([&] { io::load_npz(none); }, none, "No such file");
  expect_named([&] { io::load_safetensors(none); }, none, "No such file");
  expect_named([&] { io::load_npy(folder.path()); }, folder.path(), "directory");
  expect_named([&] { io::load_npy("/dev/zero"); }, "/dev/zero", "device");
  expect_named([&] { io::save_npy(nowhere, ones({3})); }, nowhere, "No such file");
  expect_named([&] { io::save_npz(nowhere, {{"x", ones({3})}}); }, nowhere, "No such file");
  expect_named([&] { io::save_npy(folder.path(), ones({3})); }, folder.path(), "directory");
  expect_named([&] { io::save_npy("/dev/full", ones({3})); }, "/dev/full", "No space left");
  expect_named([&] { io::save_safetensors("/dev/full", {{"x", ones({3})}}); }, "/dev/full", "No space left");
  EXPECT_TRUE(std::filesystem::exists("/dev/full"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_named([&] { io::load_npy(folder / "pipe"); }, "pipe", "pipe");  // and does not wait for somebody who writes
}

TEST(Files, ThreadsReadOneFile) {
  With64 wide;
  RandomArrays random(4);
  const Folder folder;
  io::Arrays all;
  for (int i = 0; i < 8; ++i) all["x" + std::to_string(i)] = random.array(float32, {100 + i, 7});
  io::save_npz(folder / "x.npz", all);
  io::save_safetensors(folder / "x.st", all);
  const io::NpzFile npz(folder / "x.npz");
  const io::SafetensorsFile st(folder / "x.st");
  std::vector<std::jthread> threads;
  for (const auto& [name, x] : all)
    threads.emplace_back([&, name = name, x = x] {
      expect_same(npz.get(name), x);
      expect_same(st.get(name), x);
    });
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
