#include "data/npy.hpp"

#include <algorithm>

#include "io/npy_header.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::data {
namespace {

[[noreturn]] void unlike(const std::string& path, const std::string& what) {
  raise<TypeError>("npy_shards", path + " holds " + what, "Save it anew as an array of numbers, rows first.");
}

}  // namespace

NpyHead read_npy_head(std::span<const std::byte> file, const std::string& path) {
  const io::detail::NpyHeader head =
      io::detail::read_npy_header(path, file.size(), [&](std::uint64_t offset, std::span<std::byte> out) {
        if (offset > file.size() || out.size() > file.size() - offset)
          raise<ValueError>("npy_shards", path + " ends within its header", "Save it anew.");
        std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
      });
  if (head.type.swapped && head.type.dtype.size() > 1) unlike(path, "numbers in another byte order");
  if (head.fortran && head.shape.ndim() > 1) unlike(path, "dims in Fortran's order");
  return {head.type.dtype, head.shape, static_cast<std::size_t>(head.begin)};
}

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
