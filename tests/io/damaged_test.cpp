// Damaged files are refused with an error that names them, and none crashes.
#include <functional>
#include <set>

#include "io/random_arrays.hpp"

namespace tutti::test {
namespace {

const std::string fixtures = "tests/io/fixtures/";

// What loading it comes to: "" when it is read, else the text of the error; any other exception fails the test.
std::string outcome(const std::function<void()>& load) {
  try {
    load();
    return "";
  } catch (const ValueError& e) {
    return e.what();
  } catch (const TypeError& e) {
    return e.what();
  } catch (const FileError& e) {
    return e.what();
  }
}

struct Kind {
  std::string file;
  std::function<void(const std::string&)> load;
  std::size_t header;  // bytes that say what the file is
};
std::vector<Kind> kinds() {
  const auto st = [](const std::string& p) { io::load_safetensors(p); };
  const auto npy = [](const std::string& p) { io::load_npy(p); };
  const auto npz = [](const std::string& p) { io::load_npz(p); };
  const std::string start = read_bytes(fixtures + "tensors.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, start.data(), 8);
  return {{"tensors.safetensors", st, 8 + length},
          {"float32.npy", npy, 128},
          {"fortran_cube.npy", npy, 128},
          {"version2.npy", npy, 128},
          {"arrays.npz", npz, 1 << 20},
          {"compressed.npz", npz, 1 << 20}};
}

// Every cut of a file is shorter than what its header promises.
TEST(Damaged, AFileCutShortIsRefused) {
  const Folder folder;
  With64 wide;
  for (const Kind& kind : kinds()) {
    const std::string whole = read_bytes(fixtures + kind.file);
    ASSERT_FALSE(whole.empty());
    std::mt19937_64 random(1);
    for (int i = 0; i < 60; ++i) {
      const std::size_t size = i < 20 ? static_cast<std::size_t>(i) : random() % whole.size();
      const std::string path = folder / "cut";
      write_bytes(path, whole.substr(0, size));
      const std::string error = outcome([&] { kind.load(path); });
      EXPECT_NE(error.find(path), std::string::npos) << kind.file << " cut to " << size << " bytes: " << error;
    }
  }
}

// Bytes of headers changed, left out, put in: read as something else or refused, and nothing worse.
TEST(Damaged, AnyMutationIsReadOrRefused) {
  const Folder folder;
  With64 wide;
  std::size_t refused = 0;
  for (const Kind& kind : kinds()) {
    const std::string whole = read_bytes(fixtures + kind.file);
    const std::size_t header = std::min(kind.header, whole.size());
    std::mt19937_64 random(2);
    for (int i = 0; i < 400; ++i) {
      std::string bytes = whole;
      for (std::size_t n = 1 + random() % 3; n-- > 0;) {
        const std::size_t at = random() % header;
        switch (random() % 5) {
          case 0: bytes[at] = static_cast<char>(random()); break;
          case 1: bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8); break;
          case 2: bytes.erase(at, 1 + random() % 4); break;
          case 3: bytes.insert(at, std::string(1 + random() % 4, "0129[]{},:\"\xff"[random() % 12])); break;
          default: bytes[at] = "0123456789"[random() % 10]; break;
        }
      }
      const std::string path = folder / "mutated";
      write_bytes(path, bytes);
      const std::string error = outcome([&] { kind.load(path); });
      if (error.empty()) continue;
      ++refused;
      EXPECT_NE(error.find(path), std::string::npos) << error;
    }
  }
  EXPECT_GE(refused, 200u);
}

std::string with_header(std::string header, std::size_t data, std::uint64_t length = 0) {
  if (length == 0) length = header.size();
  std::string out(8, '\0');
  std::memcpy(out.data(), &length, 8);
  return out + header + std::string(data, '\0');
}

// What a hostile header may claim, each refused for its own reason.
TEST(Damaged, HostileSafetensorsHeaders) {
  const Folder folder;
  const std::string good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  const struct {
    std::string bytes, why;
  } cases[] = {
      {"", "0 bytes"},
      {with_header(good, 8, ~std::uint64_t(0)), "header would be"},
      {with_header(good, 8, 100'000'001), "header would be"},
      {with_header(good, 8, good.size() + 9), "header would be"},
      {with_header("", 0, 0), "no JSON"},
      {with_header("[]", 0), "no JSON object"},
      {with_header("{", 0), "no JSON"},
      {with_header(std::string(100000, '['), 0), "nested"},
      {with_header(std::string(100000, '{'), 0), "no JSON"},
      {with_header("{\"a\xff\":1}", 0), "no JSON"},
      {with_header(good, 7), "would lie"},
      {with_header(good, 9), "end at byte"},
      {with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8), "would lie"},
      {with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}})", 8), "no natural number"},
      {with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8.0]}})", 8), "no natural number"},
      {with_header(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8,8]}})", 8), "not described"},
      {with_header(R"({"a":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})", 8), "not described"},
      {with_header(R"({"a":{"dtype":1,"shape":[2],"data_offsets":[0,8]}})", 8), "not described"},
      {with_header(R"({"a":{"dtype":"F32","shape":[2]}})", 8), "not described"},
      {with_header(R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8), "12 bytes"},
      {with_header(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0), "any memory"},
      {with_header(R"({"a":{"dtype":"F32","shape":[0,9223372036854775807,2],"data_offsets":[0,0]}})", 0), "any memory"},
      {with_header(R"({"a":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,0]}})", 0), "any memory"},
      {with_header(R"({"a":{"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,4]}})", 4), "any memory"},
      {with_header(
           R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[2,6]}})",
           6),
       "overlaps"},
      {with_header(
           R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[4],"data_offsets":[5,9]}})",
           9),
       "hole"},
      {with_header(
           R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
           1),
       "twice"},
      {with_header(R"({"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})", 1), "twice"},
      {with_header(R"({"__metadata__":{"a":1}})", 0), "no text"},
      {with_header(R"({"__metadata__":[]})", 0), "no JSON object"},
      {with_header(R"({"a":{"dtype":"F8_E4M3","shape":[2],"data_offsets":[0,1]}})", 1), "2 bytes"},
  };
  for (const auto& c : cases) {
    const std::string path = folder / "hostile";
    write_bytes(path, c.bytes);
    const std::string error = outcome([&] { io::load_safetensors(path); });
    EXPECT_NE(error.find(path), std::string::npos) << c.bytes;
    EXPECT_NE(error.find(c.why), std::string::npos) << c.bytes.substr(0, 200) << "\n" << error;
  }
  // What others know and tutti does not is told when it is asked for; the rest can be read.
  write_bytes(
      folder / "foreign",
      with_header(
          R"({"a":{"dtype":"F8_E8M0","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"F4","shape":[4],"data_offsets":[2,4]},"c":{"dtype":"I8","shape":[1],"data_offsets":[4,5]}})",
          5));
  const io::SafetensorsFile file(folder / "foreign");
  EXPECT_THROW(file.get("a"), TypeError);
  EXPECT_THROW(file.get("b"), TypeError);
  EXPECT_EQ(file.get("c").shape(), Shape{1});
}

std::string npy(const std::string& text, std::size_t data, const char* version = "\1") {
  return std::string("\x93NUMPY") + version + std::string(1, '\0') + static_cast<char>(text.size() & 255) +
         static_cast<char>(text.size() >> 8) + text + std::string(data, '\0');
}

TEST(Damaged, HostileNpyHeaders) {
  const Folder folder;
  const auto dictionary = [](const std::string& descr, const std::string& shape) {
    return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
  };
  const struct {
    std::string bytes, why;
  } cases[] = {
      {npy(dictionary("'<f4'", "(2,)"), 8, "\4"), "version"},
      {npy(dictionary("'<f4'", "(2,)"), 7), "8 bytes"},
      {npy(dictionary("'<f4'", "(2)"), 8), "comma"},
      {npy(dictionary("'<f4'", "(-2,)"), 8), "extent"},
      {npy(dictionary("'<f4'", "(2.0,)"), 8), "comma"},
      {npy(dictionary("'<f4'", "(99999999999999999999,)"), 8), "any memory"},
      {npy(dictionary("'<f4'", "(4294967296, 4294967296)"), 0), "any memory"},
      {npy(dictionary("'<f4'", "(0, 9223372036854775807, 9)"), 0), "any memory"},
      {npy(dictionary("'<f4'", "__import__('os')"), 8), "expected"},
      {npy(dictionary("'<f3'", "(2,)"), 6), "does not have"},
      {npy(dictionary("'Float32'", "(2,)"), 8), "does not have"},
      {npy(dictionary("'<float32'", "(2,)"), 8), "does not have"},
      {npy(dictionary("'|O'", "(2,)"), 16), "Python objects"},
      {npy(dictionary("'<U3'", "(2,)"), 24), "text"},
      {npy(dictionary("'<M8[ns]'", "(2,)"), 16), "dates"},
      {npy(dictionary("('<f4', (2,))", "(2,)"), 16), "records"},
      {npy(dictionary("''", "(2,)"), 8), "does not have"},
      {npy(dictionary("[('x', '<f4')]", "(2,)"), 8), "records"},
      {npy("{'descr': '<f4', 'shape': (2,)}", 8), "missing"},
      {npy("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", 8), "neither"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", 8), "key"},
      {npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 8), "twice"},
      {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", 8), "expected"},
      {npy("{'descr': '<f4", 8), "not closed"},
      {npy(dictionary("'<f4'", "(2,)") + "x", 8), "behind"},
  };
  for (const auto& c : cases) {
    const std::string path = folder / "hostile";
    write_bytes(path, c.bytes);
    const std::string error = outcome([&] { io::load_npy(path); });
    EXPECT_NE(error.find(path), std::string::npos) << c.bytes;
    EXPECT_NE(error.find(c.why), std::string::npos) << c.bytes << "\n" << error;
  }
}

// A member that claims terabytes of zeros is refused before anything is allocated.
TEST(Damaged, AnArchiveThatClaimsTooMuch) {
  const Folder folder;
  io::save_npz(folder / "x.npz", {{"x", zeros({1000000})}}, {.compress = true});
  std::string bytes = read_bytes(folder / "x.npz");
  const std::size_t directory = bytes.find("PK\1\2");
  ASSERT_NE(directory, std::string::npos);
  const std::uint32_t claimed = 0xfffffff0;
  std::memcpy(bytes.data() + directory + 24, &claimed, 4);
  write_bytes(folder / "x.npz", bytes);
  const std::string error = outcome([&] { io::load_npz(folder / "x.npz"); });
  EXPECT_NE(error.find("x.npz"), std::string::npos) << error;
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
