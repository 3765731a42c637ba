#include "tutti/base/config.hpp"

#include <atomic>
#include <cstdlib>

#include "backend/backend.hpp"
#include "tutti/base/dtype.hpp"

namespace tutti::config {
namespace {

std::atomic<Isolation> mode{Isolation::shared};
std::atomic<unsigned long> changes{0};
std::atomic<bool> partitionable{true};

std::string& name() {
  static std::string chosen = [] {
    const char* variable = std::getenv("TUTTI_BACKEND");
    std::string wanted = variable && *variable ? variable : "cpu";
    tutti::backend(wanted);  // throws on an unknown name
    return wanted;
  }();
  return chosen;
}

}  // namespace

void isolation(Isolation m) {
  if (mode.exchange(m) != m) ++changes;
}
Isolation isolation() { return mode; }

void backend(const std::string& wanted) {
  tutti::backend(wanted);
  if (name() == wanted) return;
  name() = wanted;
  ++changes;
}
const std::string& backend() { return name(); }

void threefry_partitionable(bool on) { partitionable = on; }
bool threefry_partitionable() { return partitionable; }

unsigned long generation() { return changes.load(std::memory_order_relaxed) * 4 + partitionable * 2u + x64_enabled(); }

}  // namespace tutti::config
