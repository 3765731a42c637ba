// The header of a safetensors file: read in one pass over its JSON, then checked.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "io/dtypes.hpp"
#include "io/quoted.hpp"
#include "io/safetensors_format.hpp"

namespace tutti::io::detail {
namespace {
using Json = nlohmann::json;

constexpr int kDeepest = 64;  // objects and arrays within each other; the format itself needs three

// What the header says of an array, until it is checked.
struct Entry {
  std::string name;
  std::optional<std::string> dtype;
  std::optional<std::vector<std::uint64_t>> shape, offsets;
};

// Takes the tokens of the header one by one. Time and memory grow as the header does: nlohmann's parser with a callback
// looks through all members of an object whenever one of them ends, and its values keep the last of equal keys.
class HeaderTokens : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderTokens(const std::string& path) : path_(path) {}

  std::vector<Entry> entries;
  Metadata metadata;
  bool is_object = false;

  bool null() override {
    if (!skipping() && depth_ == 1 && metadata_) return true;  // as a file without metadata
    return unexpected();
  }
  bool boolean(bool) override { return unexpected(); }
  bool number_integer(std::int64_t) override { return unexpected(); }
  bool number_float(double, const std::string&) override { return unexpected(); }
  bool binary(Json::binary_t&) override { return unexpected(); }
  bool number_unsigned(std::uint64_t value) override {
    if (skipping() || !list_) return unexpected();
    list_->push_back(value);
    return true;
  }
  bool string(std::string& value) override {
    if (skipping() || depth_ != 2 || (!metadata_ && key_ != "dtype")) return unexpected();
    if (metadata_) {
      if (!metadata.emplace(key_, std::move(value)).second) twice(key_);
    } else {
      if (entries.back().dtype) twice(key_);
      entries.back().dtype = std::move(value);
    }
    return true;
  }
  bool key(std::string& value) override {
    if (skipping()) return true;
    key_ = std::move(value);
    if (depth_ > 1) return true;
    metadata_ = key_ == kMetadata;
    if (!metadata_)
      entries.push_back({key_, {}, {}, {}});
    else if (std::exchange(metadata_seen_, true))
      twice(key_);
    return true;
  }
  bool start_object(std::size_t) override {
    if (depth_ == 0)
      is_object = true;
    else if (depth_ > 1)
      skip();
    return deeper();
  }
  bool start_array(std::size_t) override {
    auto* list = skipping() || depth_ != 2 || metadata_ ? nullptr : list_called(key_);
    if (!list) {
      skip();
    } else {
      if (*list) twice(key_);
      list_ = &list->emplace();
    }
    return deeper();
  }
  bool end_object() override { return shallower(); }
  bool end_array() override {
    if (!skipping()) list_ = nullptr;
    return shallower();
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& e) override {
    raise_content(path_, "its header is no JSON: " + printable(e.what()));  // which quotes what was read last
  }

 private:
  bool skipping() const { return !is_object || skip_ > 0; }
  std::optional<std::vector<std::uint64_t>>* list_called(const std::string& key) {
    return key == "shape" ? &entries.back().shape : key == "data_offsets" ? &entries.back().offsets : nullptr;
  }
  // Refuses a value of a kind that the format does not have here. The values of keys that it does not have pass, as in
  // its own library.
  bool unexpected() {
    if (skipping()) return true;
    if (metadata_ && depth_ == 1) raise_content(path_, "its metadata is no JSON object");
    if (metadata_) raise_content(path_, "its metadata " + quoted_name(key_) + " is no text");
    const std::string who = "its array " + quoted_name(entries.back().name);
    if (list_)
      raise_content(path_, (key_ == "shape" ? "an extent of " : "an offset of ") + who + " is no natural number");
    if (depth_ == 1 || key_ == "dtype" || list_called(key_))
      raise_content(path_, who + " is not described by dtype, shape and data_offsets");
    return true;
  }
  // The same of an object or array that begins here.
  void skip() {
    if (skipping()) return;
    unexpected();
    skip_ = depth_ + 1;
  }
  [[noreturn]] void twice(const std::string& key) const {
    raise_content(path_, "its header has " + quoted_name(key) + " twice");
  }
  bool deeper() {
    if (++depth_ > kDeepest) raise_content(path_, "its header is nested too deeply");
    return true;
  }
  bool shallower() {
    if (skip_ == depth_) skip_ = 0;
    --depth_;
    return true;
  }

  const std::string& path_;
  std::string key_;
  int depth_ = 0;  // objects and arrays that are open
  int skip_ = 0;   // the depth of the value that is skipped; 0: none
  bool metadata_ = false, metadata_seen_ = false;
  std::vector<std::uint64_t>* list_ = nullptr;  // the array of numbers that is being read
};

// Bytes of one element of what tutti does not have but the format does; 0: unknown, or less than a byte.
std::int64_t foreign_size(std::string_view dtype) { return dtype.starts_with("F8_") ? 1 : 0; }

Tensor tensor_of(const std::string& path, Entry&& entry, std::uint64_t data, std::uint64_t size) {
  const auto who = [&name = entry.name] { return "its array " + quoted_name(name); };
  if (!entry.dtype || !entry.shape || !entry.offsets || entry.offsets->size() != 2)
    raise_content(path, who() + " is not described by dtype, shape and data_offsets");
  const auto too_large = [&] {
    raise_content<ShapeError>(path, "the shape of " + who() + " has more elements than any memory");
  };
  Shape shape;
  for (const std::uint64_t n : *entry.shape) {
    if (n > static_cast<std::uint64_t>(extent::most)) too_large();
    shape.push_back(static_cast<std::int64_t>(n));
  }
  const std::uint64_t begin = (*entry.offsets)[0], end = (*entry.offsets)[1];
  if (begin > end || end > size - data)
    raise_content(path, who() + " would lie at bytes " + std::to_string(begin) + " to " + std::to_string(end) + " of " +
                            std::to_string(size - data));
  const std::optional<DType> dtype = safetensors_dtype(*entry.dtype);
  if (const std::int64_t width = dtype ? dtype->size() : foreign_size(*entry.dtype)) {
    const std::int64_t elements = bytes_of(int8, shape);
    const std::int64_t bytes = elements < 0 ? -1 : extent::mul(elements, width);
    if (bytes < 0 || bytes > extent::most) too_large();
    if (static_cast<std::uint64_t>(bytes) != end - begin)
      raise_content(path, who() + " is " + printable(*entry.dtype) + shape.str() + ", which is " +
                              std::to_string(bytes) + " bytes, and has " + std::to_string(end - begin));
  }
  return {std::move(entry.name), std::move(*entry.dtype), std::move(shape), data + begin, data + end};
}

void check_side_by_side(const std::string& path, const SafetensorsHeader& header, std::uint64_t data,
                        std::uint64_t size) {
  std::vector<const Tensor*> order;
  for (const Tensor& t : header.tensors) order.push_back(&t);
  std::sort(order.begin(), order.end(),
            [](const Tensor* a, const Tensor* b) { return std::pair(a->begin, a->end) < std::pair(b->begin, b->end); });
  std::uint64_t at = data;
  for (const Tensor* t : order) {
    if (t->begin != at)
      raise_content(path, "its array " + quoted_name(t->name) +
                              (t->begin < at ? " overlaps the one before it" : " has a hole before it"));
    at = t->end;
  }
  if (at != size) raise_content(path, "its arrays end at byte " + std::to_string(at) + " of " + std::to_string(size));
}

}  // namespace

const Tensor* SafetensorsHeader::find(const std::string& name) const {
  const auto at = std::lower_bound(tensors.begin(), tensors.end(), name,
                                   [](const Tensor& t, const std::string& n) { return t.name < n; });
  return at != tensors.end() && at->name == name ? &*at : nullptr;
}

SafetensorsHeader parse_safetensors_header(const std::string& path, std::string_view text, std::uint64_t data,
                                           std::uint64_t size) {
  HeaderTokens tokens(path);
  Json::sax_parse(text, &tokens);
  if (!tokens.is_object) raise_content(path, "its header is no JSON object");
  SafetensorsHeader out;
  out.metadata = std::move(tokens.metadata);
  out.tensors.reserve(tokens.entries.size());
  for (Entry& entry : tokens.entries) out.tensors.push_back(tensor_of(path, std::move(entry), data, size));
  std::sort(out.tensors.begin(), out.tensors.end(), [](const Tensor& a, const Tensor& b) { return a.name < b.name; });
  const auto same = std::adjacent_find(out.tensors.begin(), out.tensors.end(),
                                       [](const Tensor& a, const Tensor& b) { return a.name == b.name; });
  if (same != out.tensors.end()) raise_content(path, "its header has " + quoted_name(same->name) + " twice");
  check_side_by_side(path, out, data, size);
  return out;
}

SafetensorsHeader read_safetensors_header(const InputFile& file) {
  const std::string& path = file.path();
  if (file.size() < 8)
    raise_content(path, "it has " + std::to_string(file.size()) + " bytes, a safetensors file has 8 at least");
  std::array<std::byte, 8> start{};
  file.read(0, start);
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0;) length = length << 8 | std::to_integer<std::uint64_t>(start[i]);
  if (length > file.size() - 8 || length > kLongestHeader)
    raise_content(path, "its header would be " + std::to_string(length) + " bytes long, the file has " +
                            std::to_string(file.size()));
  std::string text(static_cast<std::size_t>(length), '\0');
  file.read(8, std::as_writable_bytes(std::span(text)));
  return parse_safetensors_header(path, text, 8 + length, file.size());
}

DType dtype_of_tensor(const InputFile& file, const Tensor& tensor) {
  if (const auto dtype = safetensors_dtype(tensor.dtype)) return *dtype;
  raise_content<TypeError>(
      file.path(),
      "its array " + quoted_name(tensor.name) + " is " + quoted_name(tensor.dtype) + ", which tutti does not have",
      "Convert it where it was made; the other arrays can be read.");
}

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
