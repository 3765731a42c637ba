// The list of all operations. A new home adds itself to the list of its family.
#include <unordered_map>

#include "ops/collective/collective.hpp"
#include "ops/elementwise/elementwise_ops.hpp"
#include "ops/movement/movement.hpp"
#include "ops/placement/device_put.hpp"
#include "ops/placement/sharding_constraint.hpp"
#include "ops/region/calls.hpp"
#include "ops/region/shard_map.hpp"

namespace tutti {

const std::vector<const Op*>& all_ops() {
  static const std::vector<const Op*> ops = [] {
    std::vector<const Op*> out;
    for (const std::vector<const Op*>& family : {ops::elementwise_ops(), ops::movement_ops(), ops::collective_ops()})
      out.insert(out.end(), family.begin(), family.end());
    out.push_back(&ops::sharding_constraint);
    for (const Op* op : {&ops::device_put, &ops::put_back, &ops::shard_map, &ops::custom_jvp, &ops::custom_vjp,
                         &ops::custom_tangent, &ops::remat, &ops::barrier})
      out.push_back(op);
    return out;
  }();
  return ops;
}

const Op& find_op(const std::string& name) {
  static const std::unordered_map<std::string, const Op*> by_name = [] {
    std::unordered_map<std::string, const Op*> out;
    for (const Op* op : all_ops()) out.emplace(op->name, op);
    return out;
  }();
  auto at = by_name.find(name);
  if (at == by_name.end())
    raise<ValueError>("find_op", "there is no operation named " + name, "all_ops() lists those that exist.");
  return *at->second;
}

}  // namespace tutti
