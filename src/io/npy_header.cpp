#include "io/npy_header.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "io/content.hpp"
#include "io/file.hpp"
#include "io/quoted.hpp"

namespace tutti::io::detail {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kLongestDictionary = 1 << 20;  // of a header; NumPy itself stops at 10,000 bytes

// What the text of a header says, as far as a header may say it.
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  NpyHeader parse() {
    NpyHeader out;
    bool descr = false, order = false, shape = false;
    expect('{');
    while (!next_is('}')) {
      const std::string key = quoted_text();
      expect(':');
      bool* seen = key == "descr" ? &descr : key == "fortran_order" ? &order : key == "shape" ? &shape : nullptr;
      if (!seen || *seen)
        refuse("the key " + quoted_name(key) + (seen ? " comes twice" : " does not belong to a .npy file"));
      *seen = true;
      if (key == "descr")
        out.type = type();
      else if (key == "fortran_order")
        out.fortran = boolean();
      else
        out.shape = tuple();
      if (!next_is(',')) {
        expect('}');
        break;
      }
    }
    blanks();
    if (at_ != text_.size()) refuse("there is text behind the dictionary");
    if (!descr || !order || !shape) refuse("descr, fortran_order or shape is missing");
    return out;
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    raise_content(path_, "the header makes no sense: " + problem);
  }
  void blanks() {
    while (at_ < text_.size() && std::string_view(" \t\n\r\f").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  char peek() {
    blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool next_is(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!next_is(c)) refuse(fmt::format("expected '{}' at its byte {}", c, at_));
  }
  std::string quoted_text() {
    blanks();
    if (const auto text = text_.substr(at_); text.starts_with("u'") || text.starts_with("u\"")) ++at_;  // of Python 2
    const char quote = peek();
    if (quote != '\'' && quote != '"') refuse("expected a quoted name at its byte " + std::to_string(at_));
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) refuse("a quote is not closed");
    std::string out(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return out;
  }
  NpyType type() {
    if (peek() == '[' || peek() == '(')
      raise_content<TypeError>(path_, "its elements are records", "Save each field as an array of its own.");
    const std::string descr = quoted_text();
    if (const auto known = npy_dtype(descr)) return *known;
    const std::string kind(npy_foreign_kind(descr));
    raise_content<TypeError>(
        path_,
        "its elements are " + quoted_name(descr) + (kind.empty() ? "" : ", " + kind) + ", which tutti does not have",
        "Convert them in NumPy, or use the safetensors format for bfloat16.");
  }
  bool boolean() {
    blanks();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}})
      if (text_.substr(at_).starts_with(word)) {
        at_ += word.size();
        return value;
      }
    refuse("fortran_order is neither True nor False");
  }
  std::int64_t extent() {
    blanks();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) too_large();
    if (error != std::errc() || value < 0) refuse("expected an extent at its byte " + std::to_string(at_));
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote it
    return value;
  }
  [[noreturn]] void too_large() const {
    raise_content<ShapeError>(path_, "its shape has more elements than any memory");
  }
  Shape tuple() {
    Shape out;
    expect('(');
    while (!next_is(')')) {
      out.push_back(extent());
      if (!next_is(',')) {
        if (out.ndim() == 1) refuse("a tuple of one extent needs a comma");
        expect(')');
        break;
      }
    }
    if (out.ndim() > 64) refuse("it has more than 64 dims");
    return out;
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader read_npy_header(const std::string& path, std::uint64_t size, const ReadAt& read) {
  std::array<std::byte, 12> start{};
  const auto have = static_cast<std::size_t>(std::min<std::uint64_t>(size, 10));
  read(0, std::span(start).first(have));
  if (have < 10 || !std::string_view(reinterpret_cast<const char*>(start.data()), have).starts_with(kMagic))
    raise_content(path, "it is no .npy file", "Name a file that numpy.save or io::save_npy has written.");
  const auto byte = [&](std::size_t i) { return std::to_integer<std::uint64_t>(start[i]); };
  const std::uint64_t version = byte(6);
  if (version < 1 || version > 3 || byte(7) != 0)
    raise_content(path, "version " + std::to_string(version) + "." + std::to_string(byte(7)) + " of .npy is unknown");
  const std::uint64_t begin = version == 1 ? 10 : 12;  // behind the length, of two bytes or four
  if (version > 1 && size >= begin) read(10, std::span(start).last(2));
  const std::uint64_t length = byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (begin > size || length > size - begin || length > kLongestDictionary)
    raise_content(
        path, "its header would be " + std::to_string(length) + " bytes long, the file has " + std::to_string(size));
  std::string dictionary(static_cast<std::size_t>(length), '\0');
  read(begin, std::as_writable_bytes(std::span(dictionary)));
  NpyHeader out = HeaderText(dictionary, path).parse();
  out.begin = begin + length;
  const std::int64_t bytes = bytes_of(out.type.dtype, out.shape);
  if (bytes < 0) raise_content<ShapeError>(path, "the shape " + out.shape.str() + " has more elements than any memory");
  if (static_cast<std::uint64_t>(bytes) > size - out.begin)
    raise_content(path, "its header says " + std::string(out.type.dtype.name()) + out.shape.str() + ", which is " +
                            std::to_string(bytes) + " bytes, and " + std::to_string(size - out.begin) +
                            " bytes follow");
  return out;
}

std::string npy_header_text(DType dtype, const Shape& shape) {
  const char order = dtype.size() == 1 ? '|' : '<';
  std::string text = std::string("{'descr': '") + order + std::string(npy_name(dtype)) +
                     "', 'fortran_order': False, 'shape': " + shape.str() + ", }";
  const bool small = text.size() + 64 < 65536;  // else version 2, whose length has four bytes
  const std::size_t begin = small ? 10 : 12;
  text.append(63 - (begin + text.size()) % 64, ' ');
  text += '\n';
  std::string out(kMagic);
  out += small ? '\1' : '\2';
  out += '\0';
  for (std::size_t i = 0; i < begin - 8; ++i) out += static_cast<char>(text.size() >> (8 * i) & 255);
  return out + text;
}

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
