#include "io/safetensors_format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>

#include "io/dtypes.hpp"

namespace tutti::io::detail {
namespace {
using Json = nlohmann::json;

constexpr std::uint64_t kLongestHeader = 100'000'000;  // of a header: what the format's own library allows
constexpr std::string_view kMetadata = "__metadata__";

// The header as JSON. nlohmann keeps the last of equal keys; here they are refused.
Json parse(const std::string& path, const std::string& text) {
  std::vector<std::set<std::string>> keys;
  std::string twice;
  auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > 3) raise_content(path, "its header is nested too deeply");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return true;
  };
  Json header;
  try {
    header = Json::parse(text, watch);
  } catch (const Json::exception& e) {
    raise_content(path, std::string("its header is no JSON: ") + e.what());
  }
  if (!header.is_object()) raise_content(path, "its header is no JSON object");
  if (!twice.empty()) raise_content(path, "its header has '" + twice + "' twice");
  return header;
}

std::uint64_t natural(const Json& value, const std::string& path, const std::string& what) {
  if (!value.is_number_unsigned()) raise_content(path, what + " is no natural number");
  return value.get<std::uint64_t>();
}

// Bytes of one element of what tutti does not have but the format does; 0: unknown, or less than a byte.
std::int64_t foreign_size(std::string_view dtype) { return dtype.starts_with("F8_") ? 1 : 0; }

Tensor tensor_of(const std::string& path, const std::string& name, const Json& entry, std::uint64_t data,
                 std::uint64_t size) {
  const std::string who = "its array '" + name + "'";
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets") || !entry["dtype"].is_string() || !entry["shape"].is_array() ||
      !entry["data_offsets"].is_array() || entry["data_offsets"].size() != 2)
    raise_content(path, who + " is not described by dtype, shape and data_offsets");
  Tensor out{name, entry["dtype"].get<std::string>(), {}, 0, 0};
  for (const Json& extent : entry["shape"]) {
    const std::uint64_t n = natural(extent, path, "an extent of " + who);
    if (n > static_cast<std::uint64_t>(extent::most))
      raise_content<ShapeError>(path, "the shape of " + who + " has more elements than any memory");
    out.shape.push_back(static_cast<std::int64_t>(n));
  }
  const std::uint64_t begin = natural(entry["data_offsets"][0], path, "an offset of " + who);
  const std::uint64_t end = natural(entry["data_offsets"][1], path, "an offset of " + who);
  if (begin > end || end > size - data)
    raise_content(path, who + " would lie at bytes " + std::to_string(begin) + " to " + std::to_string(end) + " of " +
                            std::to_string(size - data));
  out.begin = data + begin;
  out.end = data + end;
  const std::optional<DType> dtype = safetensors_dtype(out.dtype);
  const std::int64_t width = dtype ? dtype->size() : foreign_size(out.dtype);
  if (width == 0) return out;
  const std::int64_t elements = bytes_of(int8, out.shape);
  const std::int64_t bytes = elements < 0 ? -1 : extent::mul(elements, width);
  if (bytes < 0 || bytes > extent::most)
    raise_content<ShapeError>(path, "the shape of " + who + " has more elements than any memory");
  if (static_cast<std::uint64_t>(bytes) != end - begin)
    raise_content(path, who + " is " + out.dtype + out.shape.str() + ", which is " + std::to_string(bytes) +
                            " bytes, and has " + std::to_string(end - begin));
  return out;
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
      raise_content(path, "its array '" + t->name + "' " +
                              (t->begin < at ? "overlaps the one before it" : "has a hole before it"));
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
  const Json json = parse(path, text);
  SafetensorsHeader out;
  for (const auto& [name, entry] : json.items()) {  // sorted
    if (name != kMetadata) {
      out.tensors.push_back(tensor_of(path, name, entry, 8 + length, file.size()));
      continue;
    }
    if (!entry.is_object()) raise_content(path, "its metadata is no JSON object");
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_string()) raise_content(path, "its metadata '" + key + "' is no text");
      out.metadata.emplace(key, value.get<std::string>());
    }
  }
  check_side_by_side(path, out, 8 + length, file.size());
  return out;
}

DType dtype_of_tensor(const InputFile& file, const Tensor& tensor) {
  if (const auto dtype = safetensors_dtype(tensor.dtype)) return *dtype;
  raise_content<TypeError>(file.path(),
                           "its array '" + tensor.name + "' is " + tensor.dtype + ", which tutti does not have",
                           "Convert it where it was made; the other arrays can be read.");
}

void write_safetensors(OutputFile& file, const std::vector<NamedContent>& arrays, const Metadata& metadata,
                       const OnPiece& on_piece, std::size_t piece_bytes) {
  std::vector<std::size_t> order(arrays.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return arrays[a].content.dtype.size() > arrays[b].content.dtype.size();
  });
  Json header = Json::object();
  if (!metadata.empty()) header[std::string(kMetadata)] = metadata;
  std::uint64_t at = 0;
  for (std::size_t i : order) {
    const auto& [name, content] = arrays[i];
    if (name == kMetadata || header.contains(name))
      raise<ValueError>(call_name("io"),
                        "the name '" + name + "' " + (name == kMetadata ? "is the format's own" : "comes twice"),
                        "Give each array a name of its own.");
    const std::uint64_t end = at + content.bytes().size();
    header[name] = {
        {"dtype", safetensors_name(content.dtype)}, {"shape", content.shape.dims()}, {"data_offsets", {at, end}}};
    at = end;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception&) {
    raise<ValueError>(call_name("io"), "a name or a text of the metadata is not UTF-8", "Give UTF-8.");
  }
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string start;
  for (std::size_t i = 0; i < 8; ++i) start += static_cast<char>(text.size() >> (8 * i) & 255);
  file.write(start + text);
  for (std::size_t i : order)
    for (std::span<const std::byte> rest = arrays[i].content.bytes(); !rest.empty();) {
      const auto piece = rest.first(std::min(rest.size(), piece_bytes));
      if (on_piece) on_piece(i, piece);
      file.write(piece);
      rest = rest.subspan(piece.size());
    }
}

}  // namespace tutti::io::detail
