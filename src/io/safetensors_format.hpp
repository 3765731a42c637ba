// The safetensors format: eight bytes of length, a JSON header, and the elements of all arrays without holes.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/content.hpp"
#include "io/file.hpp"
#include "tutti/io/safetensors.hpp"

namespace tutti::io::detail {

/// One array of a file.
struct Tensor {
  std::string name, dtype;  // as the format calls it: tutti may not have it
  Shape shape;
  std::uint64_t begin = 0, end = 0;  // bytes of the file
};
struct SafetensorsHeader {
  std::vector<Tensor> tensors;  // sorted by name
  Metadata metadata;

  const Tensor* find(const std::string& name) const;
};

inline constexpr std::string_view kMetadata = "__metadata__";
inline constexpr std::uint64_t kLongestHeader = 100'000'000;  // of a header: what the format's own library allows

/// Reads and checks the header: each name once, elements as long as dtype and shape say, side by side without overlap
/// or hole up to the file's end. ValueError, ShapeError for extents without end; both name the file.
SafetensorsHeader read_safetensors_header(const InputFile& file);
/// The same of the header's JSON, of a file of `size` bytes whose elements begin at byte `data`.
SafetensorsHeader parse_safetensors_header(const std::string& path, std::string_view text, std::uint64_t data,
                                           std::uint64_t size);
/// The dtype of an array; TypeError for one that tutti does not have.
DType dtype_of_tensor(const InputFile& file, const Tensor& tensor);

struct NamedContent {
  std::string name;
  Content content;
};
/// Called with each piece of an array before it is written, in order.
using OnPiece = std::function<void(std::size_t array, std::span<const std::byte> piece)>;
inline constexpr std::size_t kPieceBytes = 1 << 20;  // of a piece; the last one of an array may be shorter

/// Writes a whole file. Wide elements come first, so that all are aligned.
void write_safetensors(OutputFile& file, const std::vector<NamedContent>& arrays, const Metadata& metadata,
                       const OnPiece& on_piece = {}, std::size_t piece_bytes = kPieceBytes);

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
