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

Array load_npy(const std::string& path, Loc loc) {
  CallScope scope(loc);
  const detail::InputFile file(path);
  const auto header =
      detail::read_npy_header(path, file.size(), [&](auto offset, auto out) { file.read(offset, out); });
  return detail::npy_array(header, [&](auto offset, auto out) { file.read_large(offset, out); });
}

}  // namespace tutti::io
