// The one rule about devices: one ordered list per program.
#include "ops/op_def.hpp"
#include "propagate/propagate.hpp"
#include "propagate/sites.hpp"
#include "tutti/error.hpp"

namespace tutti {
namespace {

std::string ids(const std::vector<Device>& devices) {
  std::string out = "[";
  for (std::size_t i = 0; i < devices.size(); ++i) out += (i ? ", " : "") + std::to_string(devices[i].id());
  return out + "]";
}

std::string describe(const Placed& p) {
  const std::vector<Device>& devices = p.sharding.device_list();
  std::string platform(devices.empty() ? "cpu" : devices[0].platform());
  for (char& c : platform) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return p.text + " with device ids " + ids(devices) + " on platform " + platform + (p.loc ? " at " + p.loc.str() : "");
}

}  // namespace

std::string argument_text(const std::string& argument, const std::string& function, const Type& type) {
  return "argument " + argument + " of " + function + " with shape " + Type{type.dtype, type.shape, false, {}}.str() + " and";
}

void check_devices(std::span<const Placed> placed) {
  const Placed* first = nullptr;
  for (const Placed& p : placed) {
    if (!p.sharding.has_value()) continue;
    if (!first) {
      first = &p;
    } else if (p.sharding.device_list() != first->sharding.device_list()) {
      throw DeviceError("Received incompatible devices for jitted computation. Got " + describe(*first) + " and " + describe(p) +
                        "\n  Move one of them with device_put first: all devices of one call must be the same, in the same order.");
    }
  }
}

std::vector<Placed> placed_inside(const Program& program) {
  std::vector<Placed> out;
  for (const Eqn& e : program.eqns) {
    if (const Sharding* s = constraint_of(e)) out.push_back({"sharding_constraint inside jit", *s, e.loc});
    for (const Sharding& s : region_shardings(e)) out.push_back({"shard_map inside jit", s, e.loc});
    for (const ProgramPtr& sub : e.subs) {
      if (e.op->name == "shard_map") continue;
      std::vector<Placed> inner = placed_inside(*sub);
      out.insert(out.end(), inner.begin(), inner.end());
    }
  }
  return out;
}

}  // namespace tutti
