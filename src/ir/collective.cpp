#include "ir/collective.hpp"

#include <cmath>
#include <cstring>

namespace tutti {

std::int64_t Group::size() const {
  std::int64_t n = 1;
  for (std::int64_t s : sizes) n *= s;
  return n;
}

void Messages::send(std::size_t from, std::size_t to, const void* data, void* into, std::int64_t bytes) {
  if (bytes > 0 && data != into) std::memcpy(into, data, static_cast<std::size_t>(bytes));
  if (from == to) return;
  received_[to].bytes += static_cast<double>(bytes);
  ++received_[to].messages;
}

Received Messages::mean() const {
  Received sum;
  std::int64_t devices = 0;
  for (const Received& r : received_) {
    sum.bytes += r.bytes;
    sum.messages += r.messages;
    devices += r.messages > 0;
  }
  if (devices == 0) return {};
  return {sum.bytes / static_cast<double>(devices), (sum.messages + devices - 1) / devices};
}

}  // namespace tutti
