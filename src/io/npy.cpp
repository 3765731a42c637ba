#include "io/npy.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "io/file.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/io/npy.hpp"

namespace tutti::io {
namespace detail {
namespace {

void swap_bytes(DType dtype, std::span<std::byte> bytes) {
  const auto part = static_cast<std::size_t>(real_dtype(dtype).size());
  for (std::size_t i = 0; i + part <= bytes.size(); i += part)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i), bytes.begin() + static_cast<std::ptrdiff_t>(i + part));
}

// `from` column-major, `to` row-major.
void to_row_major(DType dtype, const Shape& shape, std::span<const std::byte> from, std::span<std::byte> to) {
  const auto size = static_cast<std::size_t>(dtype.size());
  const auto ndim = shape.size();
  std::vector<std::size_t> strides(ndim), index(ndim);
  for (std::size_t d = 0, stride = size; d < ndim; ++d) {
    strides[d] = stride;
    stride *= static_cast<std::size_t>(shape[d]);
  }
  std::size_t source = 0;
  for (std::size_t at = 0; at < to.size(); at += size) {
    std::memcpy(to.data() + at, from.data() + source, size);
    for (std::size_t d = ndim; d-- > 0;) {
      source += strides[d];
      if (++index[d] < static_cast<std::size_t>(shape[d])) break;
      source -= strides[d] * index[d];
      index[d] = 0;
    }
  }
}

}  // namespace

std::string npy_text_for(const std::string& path, const Content& content) {
  if (npy_name(content.dtype).empty())
    raise<TypeError>(call_name("io"),
                     "NumPy has no " + std::string(content.dtype.name()) + ", which " + path + " would need",
                     "Use the safetensors format, or astype(float32) first.");
  return npy_header_text(content.dtype, content.shape);
}

Array npy_array(const NpyHeader& header, const ReadAt& read) {
  const auto [dtype, swapped] = header.type;
  return array_of_bytes(dtype, header.shape, [&, dtype = dtype, swapped = swapped](std::span<std::byte> out) {
    if (header.fortran && header.shape.ndim() > 1) {
      std::vector<std::byte> columns(out.size());
      read(header.begin, columns);
      to_row_major(dtype, header.shape, columns, out);
    } else {
      read(header.begin, out);
    }
    if (swapped) swap_bytes(dtype, out);
  });
}

}  // namespace detail

void save_npy(const std::string& path, const Array& x, Loc loc) {
  CallScope scope(loc);
  const detail::Content content = detail::content_of(x);
  const std::string header = detail::npy_text_for(path, content);
  detail::Replacement replacement(path);
  detail::OutputFile file(replacement.path());
  file.write(header);
  file.write(content.bytes());
  file.close();
  replacement.commit();
}

namespace {

// The array that begins at `begin`, which becomes its end.
Array npy_at(const detail::InputFile& file, std::uint64_t& begin) {
  const std::uint64_t from = begin;
  const auto header = detail::read_npy_header(file.path(), file.size() - from,
                                              [&](auto offset, auto out) { file.read(from + offset, out); });
  begin = from + header.begin + static_cast<std::uint64_t>(detail::bytes_of(header.type.dtype, header.shape));
  return detail::npy_array(header, [&](auto offset, auto out) { file.read_large(from + offset, out); });
}

bool is_zero(const detail::InputFile& file, std::uint64_t begin) {
  std::vector<std::byte> bytes(4096);
  for (; begin < file.size(); begin += bytes.size()) {
    bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), file.size() - begin)));
    file.read(begin, bytes);
    if (std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte(0); })) return false;
  }
  return true;
}

}  // namespace

Array load_npy(const std::string& path, Loc loc) {
  CallScope scope(loc);
  const detail::InputFile file(path);
  std::uint64_t at = 0;
  return npy_at(file, at);
}

std::vector<Array> load_npy_all(const std::string& path, Loc loc) {
  CallScope scope(loc);
  const detail::InputFile file(path);
  std::vector<Array> out;
  std::uint64_t at = 0;
  do {
    try {
      out.push_back(npy_at(file, at));
    } catch (const ValueError&) {
      if (!out.empty() && is_zero(file, at)) break;
      throw;
    }
  } while (at < file.size());
  return out;
}

}  // namespace tutti::io

// SPDX-License-Identifier: Apache-2.0
