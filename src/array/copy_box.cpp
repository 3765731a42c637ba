#include "array/copy_box.hpp"

#include <cstring>

namespace tutti {

void copy_box(const Shape& box, std::int64_t item, const Corner& source, const void* from, const Corner& target,
              void* to) {
  if (box.num_elements() == 0) return;
  const int rank = box.ndim();
  // Trailing dims that are whole in both are one run.
  int inner = rank;
  std::int64_t run = item;
  for (bool whole = true; inner > 0 && whole; --inner) {
    run *= box[inner - 1];
    whole = source.extents[inner - 1] == box[inner - 1] && target.extents[inner - 1] == box[inner - 1];
  }
  std::vector<std::int64_t> step(static_cast<std::size_t>(rank), 0);
  auto place = [&](const Corner& c) {
    std::int64_t out = 0;
    for (int d = 0; d < rank; ++d) out = out * c.extents[d] + c.at[d] + step[d];
    return out * item;
  };
  for (bool more = true; more;) {
    std::memcpy(static_cast<char*>(to) + place(target), static_cast<const char*>(from) + place(source),
                static_cast<std::size_t>(run));
    more = false;
    for (int d = inner - 1; d >= 0 && !more; --d) {
      if (++step[d] < box[d])
        more = true;
      else
        step[d] = 0;
    }
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
