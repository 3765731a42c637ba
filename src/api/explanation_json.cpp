// A report as JSON.
#include <nlohmann/json.hpp>

#include "tutti/transform/explanation.hpp"

namespace tutti {
namespace {

using nlohmann::ordered_json;

ordered_json of(const Explanation::Collective& c) {
  return {{"kind", c.kind},         {"axes", c.axes},   {"devices", c.devices}, {"bytes", c.bytes},
          {"messages", c.messages}, {"times", c.times}, {"seconds", c.seconds}, {"line", c.loc.str()},
          {"within", c.where},      {"what", c.what},   {"because", c.why},     {"advice", c.advice},
          {"by_hand", c.by_hand}};
}

}  // namespace

std::string Explanation::json() const {
  ordered_json out = {
      {"mesh", mesh},
      {"devices", devices},
      {"bytes", planned_bytes},
      {"messages", planned_messages},
      {"sent", {{"bytes", sent_bytes}, {"messages", sent_messages}}},
      {"seconds", {{"step", step_seconds}, {"computing", compute_seconds}, {"sending", collective_seconds}}},
      {"flops", flops},
      {"flop_inflation", flop_inflation},
      {"memory",
       {{"arguments", memory.arguments},
        {"outputs", memory.outputs},
        {"temporaries", memory.temporaries},
        {"peak", memory.peak}}},
      {"collectives", ordered_json::array()},
      {"replicated", ordered_json::array()},
      {"donated", ordered_json::array()}};
  for (const Collective& c : collectives) out["collectives"].push_back(of(c));
  for (const Replicated& r : replicated)
    out["replicated"].push_back({{"what", r.what}, {"line", r.loc.str()}, {"flops", r.flops}});
  for (const Donated& d : donated)
    out["donated"].push_back({{"argument", d.argument}, {"output", d.output}, {"reason", d.reason}});
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
