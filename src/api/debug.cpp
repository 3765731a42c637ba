#include "tutti/debug/debug.hpp"

#include "api/execute.hpp"
#include "backend/cpu/kernel.hpp"
#include "device/client.hpp"
#include "ops/placement/inspect_sharding.hpp"
#include "run/traffic.hpp"
#include "tutti/array/placement.hpp"

namespace tutti::debug {

void detail::inspect_leaf(const Array& x, std::function<void(const Sharding&, const Shape&)> callback, Loc loc) {
  if (!tutti::detail::recording(x)) return callback(x.sharding(), x.shape());
  CallScope scope(loc);
  bind(ops::inspect_sharding, ops::InspectSharding{ops::Inspector(std::move(callback))}, {x});
}

void visualize_array_sharding(const Array& x, const VisualizeOptions& given, Loc loc) {
  CallScope scope(loc);
  VisualizeOptions options = given;
  if (!options.dtype) options.dtype = x.dtype();
  detail::inspect_leaf(
      x, [options, loc](const Sharding& s, const Shape& shape) { visualize_sharding(shape, s, options, loc); }, loc);
}

std::string sharding_svg(const Array& x, const ColorMap& color_map, Loc loc) {
  CallScope scope(loc);
  return sharding_svg(x.shape(), x.sharding(), color_map, loc);
}

// Of all calls that came before.
Traffic traffic() {
  synchronize_clients();
  return run::traffic();
}
void reset_traffic() {
  synchronize_clients();
  run::reset_traffic();
}

CacheStats cache_stats() {
  const cpu::KernelCounts kernels = cpu::kernel_counts();
  return {programs_run(), plans_kept(), operations_kept(), static_cast<std::size_t>(kernels.compiled),
          static_cast<std::size_t>(kernels.freed)};
}

}  // namespace tutti::debug

// SPDX-License-Identifier: Apache-2.0
