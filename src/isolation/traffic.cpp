#include "isolation/traffic.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace tutti::run {
namespace {

std::mutex mutex;
std::map<std::pair<std::string, std::string>, Traffic::Row> rows;

}  // namespace

void count_traffic(const std::string& kind, const std::string& axes, double bytes, std::int64_t messages) {
  std::lock_guard lock(mutex);
  Traffic::Row& row = rows[{kind, axes}];
  row.kind = kind;
  row.axes = axes;
  row.count += 1;
  row.messages += messages;
  row.bytes += bytes;
}

Traffic traffic() {
  std::lock_guard lock(mutex);
  Traffic out;
  for (const auto& [key, row] : rows) out.rows.push_back(row);
  return out;
}

void reset_traffic() {
  std::lock_guard lock(mutex);
  rows.clear();
}

}  // namespace tutti::run
