#include "run/traffic.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>

namespace tutti::run {
namespace {

struct Total {
  std::mutex mutex;
  Traffic traffic;
};
Total& total() {
  static auto& one = *new Total;
  return one;
}

}  // namespace

void add(Traffic& to, const Traffic::Row& row) {
  auto key = [](const Traffic::Row& r) { return std::tie(r.kind, r.axes); };
  auto at = std::lower_bound(to.rows.begin(), to.rows.end(), row,
                             [&](const Traffic::Row& a, const Traffic::Row& b) { return key(a) < key(b); });
  if (at == to.rows.end() || key(*at) != key(row)) {
    to.rows.insert(at, row);
    return;
  }
  at->count += row.count;
  at->messages += row.messages;
  at->bytes += row.bytes;
}

Traffic traffic() {
  std::lock_guard lock(total().mutex);
  return total().traffic;
}

void count_traffic(const Traffic& sent) {
  std::lock_guard lock(total().mutex);
  for (const Traffic::Row& row : sent.rows) add(total().traffic, row);
}

void reset_traffic() {
  std::lock_guard lock(total().mutex);
  total().traffic = {};
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
