// What processes tell each other by hand.
#include <cstring>

#include "array/node.hpp"
#include "array/runtime.hpp"
#include "distributed/agree.hpp"
#include "mesh/process.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/distributed/distributed.hpp"

namespace tutti {
namespace multihost {
namespace {

std::string bytes_of(const HostPtr& b) { return {static_cast<const char*>(b->data()), b->bytes()}; }

}  // namespace

Array detail::broadcast_leaf(const Array& x, int source, Loc loc) {
  CallScope scope(loc, Loc{"", "broadcast_one_to_all"});
  const Process me = this_process();
  if (source < 0 || source >= me.count)
    raise<ValueError>("broadcast_one_to_all",
                      "there is no process " + std::to_string(source) + " among " + std::to_string(me.count),
                      "Processes count from 0.");
  const HostPtr mine = whole_buffer_of(concrete(x, "broadcast_one_to_all"), "broadcast_one_to_all");
  if (me.count == 1) return x;
  distributed::check_same(x.type().str() + " of process " + std::to_string(source), "broadcast_one_to_all",
                          "what is broadcast");
  const std::string got = distributed::broadcast_bytes(bytes_of(mine), source, "broadcast_one_to_all");
  HostPtr out = allocate_buffer(got.size());
  std::memcpy(out->data(), got.data(), got.size());
  return make_array(x.type(), std::move(out), x.node()->sharding, x.committed());
}

void sync_global_devices(const std::string& name, Loc loc) {
  CallScope scope(loc, Loc{"", "sync_global_devices"});
  distributed::check_same(name, "sync_global_devices", "the name of the barrier");
}

void assert_equal(const Array& x, const std::string& text, Loc loc) {
  CallScope scope(loc, Loc{"", "assert_equal"});
  const HostPtr mine = whole_buffer_of(concrete(x, "assert_equal"), "assert_equal");
  distributed::check_same(x.type().str(), "assert_equal", text.empty() ? "the type of the array" : text + ": the type");
  // Values as text only where they differ: what is compared first is a hash.
  const std::string bytes = bytes_of(mine);
  std::string hexadecimal;
  for (const unsigned char c : bytes) {
    constexpr const char* digits = "0123456789abcdef";
    hexadecimal += digits[c / 16];
    hexadecimal += digits[c % 16];
  }
  distributed::check_same(hexadecimal, "assert_equal", text.empty() ? "the array" : text);
}

}  // namespace multihost

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
