#include "ops/device_put.hpp"

#include <cstring>

#include "ops/sharding_constraint.hpp"

namespace tutti::ops {
namespace {

Op identity(std::string name) {
  Op op;
  op.name = std::move(name);
  op.infer = [](const Call& call) { return std::vector<Type>{call.operands[0]}; };
  op.eval = [](const Call&, std::span<const HostView> in, std::span<const HostView> out) {
    if (in[0].size() > 0) std::memcpy(out[0].data, in[0].data, static_cast<std::size_t>(in[0].type.nbytes()));
  };
  op.linear = {{0}};
  op.own_weak = true;
  return op;
}

}  // namespace

[[gnu::init_priority(1000)]] const Op device_put = [] {
  Op op = identity("device_put");
  op.transpose = [](const Call&, const std::vector<Array>& cotangents, const std::vector<Array>& operands, const std::vector<bool>&) {
    return std::vector<Array>{cotangents[0].has_value() ? bind1(put_back, {}, {cotangents[0], operands[1]}) : Array(), {}};
  };
  op.batch = [](const Call& call, const std::vector<Array>& operands, const std::vector<bool>& mapped, const BatchAxis&) {
    Sharding to = call.get<DevicePut>().sharding;
    return Batched{{bind1(call.op, mapped[0] ? DevicePut{with_leading_dim(to)} : DevicePut{to}, operands)}, {mapped[0]}};
  };
  return op;
}();

[[gnu::init_priority(1000)]] const Op put_back = [] {
  Op op = identity("put_back");
  op.transpose = [](const Call&, const std::vector<Array>& cotangents, const std::vector<Array>&, const std::vector<bool>&) { return std::vector<Array>{cotangents[0], {}}; };
  // Of a batch of cotangents for one array nobody knows where each goes.
  op.batch = [](const Call& call, const std::vector<Array>& operands, const std::vector<bool>& mapped, const BatchAxis&) {
    if (mapped[0] && mapped[1]) return Batched{{bind1(call.op, {}, operands)}, {true}};
    return Batched{{operands[0]}, {mapped[0]}};
  };
  return op;
}();

}  // namespace tutti::ops
