#include "io/safetensors_format.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

#include "io/dtypes.hpp"
#include "io/quoted.hpp"

namespace tutti::io::detail {
void write_safetensors(OutputFile& file, const std::vector<NamedContent>& arrays, const Metadata& metadata,
                       const OnPiece& on_piece, std::size_t piece_bytes) {
  std::vector<std::size_t> order(arrays.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return arrays[a].content.dtype.size() > arrays[b].content.dtype.size();
  });
  using Json = nlohmann::json;
  Json header = Json::object();
  if (!metadata.empty()) header[std::string(kMetadata)] = metadata;
  std::uint64_t at = 0;
  for (std::size_t i : order) {
    const auto& [name, content] = arrays[i];
    if (name == kMetadata || header.contains(name))
      raise<ValueError>(call_name("io"),
                        "the name " + quoted_name(name) + (name == kMetadata ? " is the format's own" : " comes twice"),
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
  if (text.size() + 8 > kLongestHeader)
    raise<ValueError>(call_name("io"),
                      "the names and the metadata are " + std::to_string(text.size()) +
                          " bytes of header, and readers of the format take " + std::to_string(kLongestHeader),
                      "Use shorter names, or several files.");
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

// SPDX-License-Identifier: Apache-2.0
