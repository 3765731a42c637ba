// Arrays of any dtype with random bits, and trees of them.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "io/content.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {

/// 64-bit types while it lives.
struct With64 {
  With64() { enable_x64(true); }
  ~With64() { enable_x64(false); }
};

/// A folder of its own that goes with it.
class Folder {
 public:
  Folder() {
    std::string name = ::testing::TempDir() + "tutti_io_XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::filesystem::remove(path);  // some file systems wait for the disk where a file is overwritten
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::vector<DType> file_dtypes() {
  return {bool_,  int8,     int16,   int32,   int64,   uint8,     uint16,  uint32,
          uint64, bfloat16, float16, float32, float64, complex64, prng_key};
}
/// Those and the ones that come back only where a tree, or a manifest, says what they are, or that NumPy lacks.
inline std::vector<DType> tree_dtypes() {
  std::vector<DType> out = file_dtypes();
  out.insert(out.end(), {int4, uint4, float8_e4m3fn, float8_e5m2, complex128});
  return out;
}

/// The elements' bits, for arrays with NaNs and keys.
inline std::vector<std::byte> bits(const Array& x) {
  const auto content = io::detail::content_of(x);
  return {content.bytes().begin(), content.bytes().end()};
}
inline void expect_same(const Array& got, const Array& want, const std::string& where = "") {
  ASSERT_EQ(got.has_value(), want.has_value()) << where;
  if (!got.has_value()) return;
  EXPECT_EQ(got.dtype(), want.dtype()) << where;
  EXPECT_EQ(got.shape(), want.shape()) << where;
  EXPECT_EQ(got.sharding(), want.sharding()) << where;
  EXPECT_EQ(got.committed(), want.committed()) << where;
  EXPECT_EQ(bits(got), bits(want)) << where;
}

class RandomArrays {
 public:
  explicit RandomArrays(std::uint64_t seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  Shape shape(int most_dims = 4) {
    Shape out;
    for (int d = below(most_dims + 1); d-- > 0;) out.push_back(below(8) == 0 ? 0 : 1 + below(5));
    return out;
  }
  Array array(DType dtype, const Shape& shape) {
    if (dtype.is_key()) {
      Shape words = shape;
      words.push_back(2);
      return random::wrap_key_data(array(uint32, words));
    }
    if (dtype == int4 || dtype == uint4) return array(int8, shape).astype(dtype);
    std::vector<char> data(static_cast<std::size_t>(shape.num_elements() * dtype.size()));
    for (char& c : data) c = static_cast<char>(dtype.is_bool() ? below(2) : below(256));
    return array_from_host(data.data(), dtype, shape);
  }
  DType one_of(const std::vector<DType>& dtypes) {
    return dtypes[static_cast<std::size_t>(below(static_cast<int>(dtypes.size())))];
  }
  Array any() { return array(one_of(file_dtypes()), shape()); }
  /// A tree of lists and maps, at most `depth` deep.
  Dict tree(int depth = 3) {
    static const char* const names[] = {"w", "bias", "layers", "a b", "x.y", "ü", "0", "\"q\""};
    Dict out;
    for (int i = 0, n = 1 + below(4); i < n; ++i) {
      const char* name = names[below(8)];
      if (depth > 0 && below(2))
        out[name] = tree(depth - 1);
      else
        out[name] = array(one_of(tree_dtypes()), shape());
    }
    return out;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
