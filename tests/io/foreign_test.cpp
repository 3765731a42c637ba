// Files that the common readers read, though tutti does not write such (bugreports-3, 7).
#include <zip.h>

#include "io/random_arrays.hpp"

namespace tutti::test {
namespace {

std::string npy_file(const std::string& descr, const std::string& shape, const std::string& elements) {
  std::string text = "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\1\0", 8) + static_cast<char>(text.size()) + '\0' + text + elements;
}
std::string repeated(const std::string& bytes, int n) {
  std::string out;
  while (n-- > 0) out += bytes;
  return out;
}

TEST(Foreign, NpyWithMoreBehindTheArray) {
  const Folder folder;
  const Array a = arange(6.f).reshape(2, 3), b = array({7, 8}), none = zeros({0, 4});
  std::string all;
  for (const Array& x : {a, b, none}) {
    io::save_npy(folder / "x", x);
    all += read_bytes(folder / "x");
  }
  write_bytes(folder / "x", all);
  expect_same(io::load_npy(folder / "x"), a);  // as numpy.load
  const std::vector<Array> read = io::load_npy_all(folder / "x");
  ASSERT_EQ(read.size(), 3u);
  expect_same(read[0], a);
  expect_same(read[1], b);
  expect_same(read[2], none);
  // Padding is none of them; anything else is an error for who wants all.
  write_bytes(folder / "x", all + std::string(5000, '\0'));
  expect_same(io::load_npy(folder / "x"), a);
  EXPECT_EQ(io::load_npy_all(folder / "x").size(), 3u);
  for (const std::string& rest : {std::string("x"), std::string("\x93NUMPY"), all.substr(0, all.size() / 2 + 9)}) {
    write_bytes(folder / "x", all + rest);
    expect_same(io::load_npy(folder / "x"), a);
    EXPECT_THROW(io::load_npy_all(folder / "x"), ValueError) << rest;
  }
  write_bytes(folder / "x", "");
  EXPECT_THROW(io::load_npy_all(folder / "x"), ValueError);
}

// What numpy.dtype takes where C's long has 64 bits (NumPy 2.4).
TEST(Foreign, SpellingsOfDescr) {
  With64 wide;
  const Folder folder;
  const std::vector<std::pair<DType, std::vector<std::string>>> spellings{
      {bool_, {"b1", "|b1", "?", "|?", "<?", ">?", "=b1", "bool", "bool_"}},
      {int8, {"i1", "|i1", "<i1", ">i1", "b", "|b", "int8", "byte"}},
      {uint8, {"u1", "B", "=B", "uint8", "ubyte"}},
      {int16, {"i2", "=i2", "|i2", "h", "<h", "int16", "short"}},
      {uint16, {"u2", "H", "uint16", "ushort"}},
      {int32, {"i4", "=i4", "i", "<i", "int32", "intc"}},
      {uint32, {"u4", "I", "uint32", "uintc"}},
      {int64, {"i8", "l", "q", "n", "p", "<l", "int64", "int", "int_", "long", "longlong", "intp"}},
      {uint64, {"u8", "L", "Q", "N", "P", "uint64", "uint", "ulong", "ulonglong", "uintp"}},
      {float16, {"f2", "e", "<e", "float16", "half"}},
      {float32, {"f4", "=f4", "|f4", "f", "<f", "float32", "single"}},
      {float64, {"f8", "d", "=d", "float64", "float", "double"}},
      {complex64, {"c8", "F", "<F", "complex64", "csingle"}},
      {complex128, {"c16", "D", "complex128", "complex", "cdouble"}}};
  for (const auto& [dtype, texts] : spellings)
    for (const std::string& text : texts) {
      const Array want = ones({3}, dtype);
      const auto one = bits(want);
      const std::string elements(reinterpret_cast<const char*>(one.data()), one.size());
      for (const std::string& quote : {std::string("'"), std::string("\""), std::string("u'")}) {
        write_bytes(folder / "x", npy_file(quote + text + quote.back(), "(3,)", elements));
        expect_same(io::load_npy(folder / "x"), want, text);
      }
    }
  for (const char* descr : {">f", ">f4", ">d", ">h", ">i8", ">F"}) {
    const int width = descr[1] == 'h' ? 2 : descr[1] == 'd' || descr[1] == 'F' || descr[2] == '8' ? 8 : 4;
    write_bytes(folder / "x", npy_file("'" + std::string(descr) + "'", "(2,)", repeated(std::string(width, '\0'), 2)));
    EXPECT_EQ(io::load_npy(folder / "x").shape(), Shape{2}) << descr;
  }
  write_bytes(folder / "x", npy_file("'>h'", "(1,)", std::string("\1\2", 2)));
  EXPECT_EQ(io::load_npy(folder / "x").item<int>(), 258);
}

// An archive by libzip itself: name, contents, compression.
struct Entry {
  std::string name, bytes;
  int compression = ZIP_CM_DEFLATE;
};
void write_zip(const std::string& path, const std::vector<Entry>& entries) {
  std::filesystem::remove(path);
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_EXCL, nullptr);
  ASSERT_NE(archive, nullptr);
  for (const Entry& e : entries) {
    zip_source_t* source = zip_source_buffer(archive, e.bytes.data(), e.bytes.size(), 0);
    const auto at = zip_file_add(archive, e.name.c_str(), source, ZIP_FL_ENC_GUESS);
    ASSERT_GE(at, 0) << zip_strerror(archive);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(at), e.compression, 0);
  }
  ASSERT_EQ(zip_close(archive), 0) << zip_strerror(archive);
}
std::string npy_bytes(const Folder& folder, const Array& x) {
  io::save_npy(folder / "one.npy", x);
  return read_bytes(folder / "one.npy");
}
// Changes a text wherever it stands in a file, to one of the same length.
void replace_all(const std::string& path, const std::string& from, const std::string& to) {
  std::string bytes = read_bytes(path);
  for (std::size_t at = 0; (at = bytes.find(from, at)) != bytes.npos; at += to.size())
    bytes.replace(at, from.size(), to);
  write_bytes(path, bytes);
}

TEST(Foreign, NpzWithMembersThatAreNoArrays) {
  const Folder folder;
  const std::string path = folder / "x.npz";
  write_zip(path, {{"README.txt", "made by hand"},
                   {"x.npy", npy_bytes(folder, ones({3}))},
                   {"sub/y.npy", npy_bytes(folder, zeros({2}))},
                   {"plain", npy_bytes(folder, full({2}, 5.f))}});
  const io::Arrays all = io::load_npz(path);
  ASSERT_EQ(all.size(), 2u);
  expect_same(all.at("x"), ones({3}));
  expect_same(all.at("sub/y"), zeros({2}));
  const io::NpzFile file(path);
  EXPECT_EQ(file.names(), (std::vector<std::string>{"sub/y", "x"}));
  EXPECT_EQ(file.others(), (std::vector<std::string>{"README.txt", "plain"}));
  EXPECT_EQ(file.bytes("README.txt"), "made by hand");
  EXPECT_EQ(file.bytes("x.npy").substr(1, 5), "NUMPY");
  expect_same(file.get("plain"), full({2}, 5.f));  // as numpy.load: what it holds counts
  EXPECT_THROW(file.get("README.txt"), ValueError);
  EXPECT_THROW(file.get("none"), ValueError);
  EXPECT_THROW(file.bytes("none"), ValueError);
}

TEST(Foreign, NpzWithAMemberTwiceHasTheLast) {
  const Folder folder;
  const std::string path = folder / "x.npz";
  write_zip(path, {{"one.npy", npy_bytes(folder, ones({3}))},
                   {"two.npy", npy_bytes(folder, zeros({2}))},
                   {"z.npy", npy_bytes(folder, ones({1}))}});
  replace_all(path, "two.npy", "one.npy");
  const io::Arrays all = io::load_npz(path);
  ASSERT_EQ(all.size(), 2u);
  expect_same(all.at("one"), zeros({2}));
  expect_same(all.at("z"), ones({1}));
}

// The compression that cannot be read is named, and the other members can be read.
TEST(Foreign, NpzWithOtherCompressions) {
  const Folder folder;
  const std::string path = folder / "x.npz";
  for (const int method : {ZIP_CM_BZIP2, ZIP_CM_LZMA, ZIP_CM_XZ}) {
    if (!zip_compression_method_supported(static_cast<zip_int32_t>(method), 1)) continue;
    write_zip(path, {{"a.npy", npy_bytes(folder, zeros({100000})), method}, {"b.npy", npy_bytes(folder, ones({2}))}});
    const io::NpzFile file(path);
    expect_same(file.get("b"), ones({2}));
    expect_same(file.get("a"), zeros({100000}));
  }
  // One that nobody has: methods stand in the local header at 8 and in the directory at 10.
  write_zip(path, {{"a.npy", npy_bytes(folder, zeros({100})), ZIP_CM_STORE}, {"b.npy", npy_bytes(folder, ones({2}))}});
  std::string bytes = read_bytes(path);
  bytes[bytes.find("PK\1\2") + 10] = 97;
  bytes[bytes.find("PK\3\4") + 8] = 97;
  write_bytes(path, bytes);
  const io::NpzFile file(path);
  expect_same(file.get("b"), ones({2}));
  try {
    file.get("a");
    FAIL();
  } catch (const ValueError& e) {
    EXPECT_NE(std::string(e.what()).find("compressed by method 97 of zip"), std::string::npos) << e.what();
  }
}

TEST(Foreign, SafetensorsOfOtherWriters) {
  const Folder folder;
  const std::string good = R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  for (const std::string& header : std::vector<std::string>{
           "{" + good + R"(,"__metadata__":null})",
           R"({"__metadata__":null,)" + good + "}",
           R"({"__metadata__":{},)" + good + "}",
           std::string(R"({"a":{"data_offsets":[0,8],"new":{"x":[1,{"y":[null]}]},"shape":[2],"z":"","dtype":"F32"}})"),
           " \n\t{ \"a\" : { \"dtype\" : \"F32\" , \"shape\" : [ 2 ] , \"data_offsets\" : [ 0 , 8 ] } } \r\n",
       }) {
    const std::uint64_t length = header.size();
    write_bytes(folder / "x", std::string(reinterpret_cast<const char*>(&length), 8) + header + std::string(8, '\0'));
    const io::SafetensorsFile file(folder / "x");
    EXPECT_TRUE(file.metadata().empty());
    expect_same(file.get("a"), zeros({2}));
  }
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
