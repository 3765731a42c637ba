// Files of many arrays: work grows as their number does (hostile-3, F1; bugreports-3, 5).
#include <algorithm>
#include <cstdlib>
#include <new>

#include "io/random_arrays.hpp"
#include "io/work.hpp"

namespace {
tutti::test::Allocations counted;
}
// Of the whole program: all allocations are counted, on whatever thread.
void* operator new(std::size_t bytes) {
  __atomic_fetch_add(&counted.count, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counted.bytes, bytes, __ATOMIC_RELAXED);
  if (void* p = std::malloc(bytes ? bytes : 1)) return p;
  throw std::bad_alloc();
}
// Those without an exception and those of arrays too: a sanitizer brings its own forms of what is missing.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes ? bytes : 1); }
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t& t) noexcept { return operator new(bytes, t); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace tutti::test {
Allocations allocations() { return counted; }

namespace {

io::Arrays many_arrays(int n) {
  io::Arrays out;
  for (int i = 0; i < n; ++i) out["model.layers." + std::to_string(i) + ".experts.weight"] = zeros({2});
  return out;
}
Dict many_leaves(int n) {
  Dict out;
  for (int i = 0; i < n; ++i) out["layer" + std::to_string(i)] = zeros({2});
  return out;
}

TEST(Growth, Safetensors) {
  const Folder folder;
  const auto written = [&](int n) {
    const std::string path = folder / std::to_string(n);
    if (!std::filesystem::exists(path)) io::save_safetensors(path, many_arrays(n));
    return path;
  };
  expect_linear("save_safetensors", [&](int n) -> std::function<void()> {
    return [path = folder / "saved", arrays = many_arrays(n)] { io::save_safetensors(path, arrays); };
  });
  expect_linear("SafetensorsFile and its names", [&](int n) -> std::function<void()> {
    return [path = written(n)] {
      const io::SafetensorsFile file(path);
      for (const std::string& name : file.names()) ASSERT_TRUE(file.has(name) && file.shape(name) == Shape{2});
    };
  });
  expect_linear("load_safetensors",
                [&](int n) -> std::function<void()> { return [path = written(n)] { io::load_safetensors(path); }; });
}

TEST(Growth, Npz) {
  const Folder folder;
  expect_linear("save_npz", [&](int n) -> std::function<void()> {
    return [path = folder / "saved", arrays = many_arrays(n)] { io::save_npz(path, arrays); };
  });
  expect_linear("load_npz", [&](int n) -> std::function<void()> {
    const std::string path = folder / std::to_string(n);
    if (!std::filesystem::exists(path)) io::save_npz(path, many_arrays(n));
    return [path] { io::load_npz(path); };
  });
}

TEST(Growth, ManyArraysInOneNpyFile) {
  const Folder folder;
  io::save_npy(folder / "one", zeros({2}));
  const std::string one = read_bytes(folder / "one");
  expect_linear("load_npy_all", [&](int n) -> std::function<void()> {
    std::string all;
    for (int i = 0; i < n; ++i) all += one;
    write_bytes(folder / "many", all);
    return [path = folder / "many"] { io::load_npy_all(path); };
  });
}

TEST(Growth, Trees) {
  const Folder folder;
  expect_linear("io::save", [&](int n) -> std::function<void()> {
    return [path = folder / "saved", tree = many_leaves(n)] { io::save(path, tree); };
  });
  expect_linear("io::load", [&](int n) -> std::function<void()> {
    const Dict tree = many_leaves(n);
    io::save(folder / "tree", tree);
    return [path = folder / "tree", tree] { io::load(path, tree); };
  });
}

TEST(Growth, Checkpoints) {
  const Folder folder;
  expect_linear("checkpoint::save", [&](int n) -> std::function<void()> {
    return [path = folder / "saved", tree = many_leaves(n)] { checkpoint::save(path, tree); };
  });
  expect_linear("checkpoint::restore", [&](int n) -> std::function<void()> {
    const Dict tree = many_leaves(n);
    checkpoint::save(folder / "run", tree);
    return [path = folder / "run", tree] { checkpoint::restore(path, tree); };
  });
}

std::string safetensors_text(const std::string& header) {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header;
}
// Opening a file, or refusing it with a short text, takes time and memory as its header has bytes: `header_of(n)` has n
// times as many as of one.
void expect_opens_in_linear_time(const std::string& work, const std::string& path,
                                 const std::function<std::string(int)>& header_of, int n) {
  expect_linear(
      work,
      [&](int size) -> std::function<void()> {
        write_bytes(path, safetensors_text(header_of(size)));
        return [&] {
          try {
            io::SafetensorsFile file(path);
          } catch (const ValueError& e) {
            EXPECT_LT(std::string(e.what()).size(), 1500u) << std::string(e.what()).substr(0, 3000);
          }
        };
      },
      n);
}

// What took seconds to days, as the square of the bytes or worse.
TEST(Growth, HostileHeaders) {
  const Folder folder;
  const std::string entry = R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  const auto expect_of_name = [&](const std::string& work,
                                  const std::function<std::string(const std::string&)>& header) {
    expect_opens_in_linear_time(
        work, folder / "x", [&](int n) { return header(std::string(static_cast<std::size_t>(n), 'k')); }, 1 << 15);
  };
  expect_opens_in_linear_time(
      "many empty arrays", folder / "x",
      [&](int n) {
        std::string empties = "{";
        for (int i = 0; i < n; ++i) empties += (i ? ",\"" : "\"") + std::to_string(i) + entry;
        return empties + "}";
      },
      512);
  expect_of_name("a long name", [&](const std::string& key) { return "{\"" + key + entry + "}"; });
  expect_of_name("a long name twice",
                 [&](const std::string& key) { return "{\"" + key + entry + ",\"" + key + entry + "}"; });
  expect_of_name("a long name cut off", [](const std::string& key) { return "{\"" + key + "\n"; });
  expect_of_name("a long name of no array", [](const std::string& key) { return "{\"" + key + "\":1}"; });
  expect_of_name("a long dtype",
                 [&](const std::string& key) { return "{\"a\":{\"dtype\":\"" + key + entry.substr(12) + "}"; });
  expect_of_name("a long key of many lists", [](const std::string& key) {
    return "{\"a\":{\"" + key + "\":" + std::string(key.size() / 100, '[');
  });
  expect_of_name("a long key of the metadata",
                 [](const std::string& key) { return "{\"__metadata__\":{\"" + key + "\":1}}"; });
  expect_opens_in_linear_time(
      "many lists", folder / "x", [](int n) { return std::string(static_cast<std::size_t>(n), '['); }, 1 << 15);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
