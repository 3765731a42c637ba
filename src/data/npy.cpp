#include "data/npy.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "tutti/base/call_scope.hpp"

namespace tutti::data {
namespace {

constexpr const char* kWhat = "npy_shards";

[[noreturn]] void damaged(const std::string& path, const std::string& how) {
  raise<ValueError>(kWhat, path + " is no .npy file that is whole: " + how, "Write it again, by numpy.save.");
}
[[noreturn]] void unlike(const std::string& path, const std::string& how) {
  raise<TypeError>(kWhat, path + " holds " + how, "Convert it: numpy.ascontiguousarray(x.astype(...)).");
}

/// The head's text: a Python dict with the three keys descr, fortran_order and shape, in any order.
class HeadText {
 public:
  HeadText(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  void parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && take(1)) {
        if (skip(), !text_.empty() && text_.front() == '[') unlike(path_, "structs");
        descr = quoted();
      } else if (key == "fortran_order" && take(2)) {
        fortran = truth();
      } else if (key == "shape" && take(4)) {
        shape = tuple();
      } else {
        damaged(path_, "the key '" + printable(key) + "' of its head is unknown or there twice");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip();
    if (!text_.empty()) damaged(path_, "its head goes on behind the dict");
    if (seen_ != 7) damaged(path_, "its head lacks descr, fortran_order or shape");
  }

  std::string_view descr;
  bool fortran = false;
  Shape shape;

  static std::string printable(std::string_view s) {
    std::string out(s.substr(0, 40));
    std::replace_if(
        out.begin(), out.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return out;
  }

 private:
  /// Whether the key of that bit comes for the first time.
  bool take(int bit) { return !(std::exchange(seen_, seen_ | bit) & bit); }
  void skip() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n' || text_.front() == '\t'))
      text_.remove_prefix(1);
  }
  bool accept(char c) {
    skip();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) damaged(path_, std::string("its head lacks a '") + c + "'");
  }
  std::string_view quoted() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const std::size_t end = text_.find(quote);
    if (end == text_.npos) damaged(path_, "a text in its head does not end");
    const std::string_view out = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return out;
  }
  bool truth() {
    skip();
    for (const std::string_view word : {"True", "False"})
      if (text_.starts_with(word)) {
        text_.remove_prefix(word.size());
        return word == "True";
      }
    damaged(path_, "fortran_order is neither True nor False");
  }
  Shape tuple() {
    Shape out;
    expect('(');
    std::int64_t bytes = 8;
    while (!accept(')')) {
      skip();
      std::int64_t n = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), n);
      if (error != std::errc() || n < 0) damaged(path_, "an extent is no number from 0 on");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      out.push_back(n);
      bytes = extent::mul(bytes, std::max<std::int64_t>(n, 1));
      if (bytes > extent::most || out.ndim() > 32) damaged(path_, "its shape is larger than any memory");
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return out;
  }

  std::string_view text_;
  const std::string& path_;
  int seen_ = 0;
};

DType dtype_of(std::string_view descr, const std::string& path) {
  struct Name {
    std::string_view name;
    DType dtype;
  };
  constexpr Name names[] = {{"b1", bool_},   {"i1", int8},    {"i2", int16},    {"i4", int32},  {"i8", int64},
                            {"u1", uint8},   {"u2", uint16},  {"u4", uint32},   {"u8", uint64}, {"f2", float16},
                            {"f4", float32}, {"f8", float64}, {"c8", complex64}};
  if (!descr.empty())
    for (const Name& n : names)
      if (descr.substr(1) == n.name && (descr[0] == '<' || descr[0] == '|' || (descr[0] == '>' && n.dtype.size() == 1)))
        return n.dtype;
  unlike(path, "elements of NumPy's type '" + HeadText::printable(descr) + "'");
}

}  // namespace

NpyHead read_npy_head(std::span<const std::byte> file, const std::string& path) {
  const std::string_view all(static_cast<const char*>(static_cast<const void*>(file.data())), file.size());
  if (all.size() < 10 || !all.starts_with("\x93NUMPY")) damaged(path, "it does not begin as one");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(all[i])); };
  const std::size_t version = byte(6), begin = version == 1 ? 10 : 12;
  if (version < 1 || version > 3) damaged(path, "its version is " + std::to_string(version));
  if (all.size() < begin) damaged(path, "its head is cut off");
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > all.size() - begin) damaged(path, "its head is cut off");
  HeadText head(all.substr(begin, length), path);
  head.parse();
  NpyHead out{dtype_of(head.descr, path), head.shape, begin + length};
  if (head.fortran && out.shape.ndim() > 1) unlike(path, "dims in Fortran's order");
  const std::int64_t bytes = extent::mul(out.shape.num_elements(), out.dtype.size());
  if (bytes > static_cast<std::int64_t>(all.size() - out.offset))
    damaged(path, "it ends before its last element: " + std::to_string(all.size() - out.offset) + " bytes of " +
                      std::to_string(bytes));
  return out;
}

}  // namespace tutti::data
