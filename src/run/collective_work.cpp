#include "run/collective_work.hpp"

#include <algorithm>
#include <cstring>

#include "ir/collective.hpp"
#include "run/traffic.hpp"
#include "run/transport.hpp"
#include "tutti/base/error.hpp"

namespace tutti::run {
namespace {

// An uncleared block of bytes.
using Bytes = std::unique_ptr<char[]>;
Bytes bytes(std::int64_t n) { return Bytes(new char[static_cast<std::size_t>(n)]); }

bool is_dense(const Runs& r) { return r.rows == 1 || r.run == 0; }

}  // namespace

std::vector<std::int64_t> group_here(const Eqn& eqn, const Places& places) {
  const Group& axes = eqn.op->collective->group(eqn.params);
  const std::vector<std::int64_t> here = coordinates(places.mesh, places.here);
  AxisRefs refs;
  for (const std::string& name : axes.axes) {
    const int axis = places.mesh.axis_index(name);
    if (axis < 0) throw InternalError("a collective between processes: the mesh has no axis " + name);
    refs.push_back(whole_axis(places.mesh, axis));
  }
  std::vector<std::int64_t> out(static_cast<std::size_t>(axes.size()));
  for (std::int64_t at = 0; at < places.mesh.size(); ++at) {
    const std::vector<std::int64_t> c = coordinates(places.mesh, at);
    std::vector<std::int64_t> moved = c;
    for (const AxisRef& r : refs) moved[r.axis] = here[r.axis];
    if (moved == here) out[static_cast<std::size_t>(block_number(refs, places.mesh, c))] = at;
  }
  return out;
}

CollectiveWork::CollectiveWork(compile::CallEqn call, const Places& places) : call_(std::move(call)) {
  const Eqn& e = call_.eqn;
  const Collective& c = *e.op->collective;
  for (std::int64_t at : group_here(e, places)) {
    if (at == places.here) me_ = static_cast<std::int64_t>(group_.size());
    group_.push_back(places.ranks[static_cast<std::size_t>(at)]);
  }
  const Call described{*e.op, e.params, call_.operand_types, e.subs};
  if (c.rounds) rounds_ = c.rounds(described, me_, static_cast<std::int64_t>(group_.size()));
  for (const Round& r : rounds_)
    for (const Parcel& p : r.receive)
      if (p.peer != me_) {
        received_.bytes += static_cast<double>(p.part.bytes());
        ++received_.messages;
      }
  for (const std::string& name : c.group(e.params).axes) axes_ += (axes_.empty() ? "" : ",") + name;
  what_ = e.op->name + " over " + axes_ + (e.loc ? " (" + e.loc.str() + ")" : "");
  cost_ns = 1000;
}

void CollectiveWork::run(char* const* at, int) const {
  const Eqn& e = call_.eqn;
  const Collective& c = *e.op->collective;
  const Call call{*e.op, e.params, call_.operand_types, e.subs};
  const HostView result{call_.result_types[0], at[call_.results[0]]};
  const char* operand = call_.operands.empty() ? nullptr : at[call_.operands[0]];
  if (c.alone) {
    const HostView x = operand ? HostView{call_.operand_types[0], at[call_.operands[0]]} : HostView{};
    c.alone(call, me_, operand ? &x : nullptr, result);
  }
  for (const Round& round : rounds_) run_round(call, round, operand, result.as<char>());
  if (!rounds_.empty()) {
    Traffic sent;
    add(sent, {c.kind, axes_, 1, received_.messages, received_.bytes});
    count_traffic(sent);
  }
}

void CollectiveWork::run_round(const Call& call, const Round& round, const char* operand, char* result) const {
  const char* source = round.onward ? result : operand;
  std::vector<Bytes> packed;
  std::vector<Transport::Outgoing> out;
  std::vector<Transport::Incoming> in;
  const char* own = nullptr;  // what this process keeps
  for (const Parcel& p : round.send) {
    const char* data = source + p.part.start;
    if (!is_dense(p.part)) {
      packed.push_back(bytes(p.part.bytes()));
      pack(p.part, source, packed.back().get());
      data = packed.back().get();
    }
    if (p.peer == me_)
      own = data;
    else
      out.push_back({group_[p.peer], data, p.part.bytes()});
  }
  std::vector<const char*> blocks;  // as they came, by parcel
  for (const Parcel& p : round.receive) {
    if (p.peer == me_) {
      blocks.push_back(own);
      continue;
    }
    char* place = result + p.part.start;
    if (round.combined || !is_dense(p.part)) {
      packed.push_back(bytes(p.part.bytes()));
      place = packed.back().get();
    }
    blocks.push_back(place);
    in.push_back({group_[p.peer], place, p.part.bytes()});
  }
  std::unique_ptr<Transport::Flight> flight;
  if (!in.empty() || !out.empty()) flight = transport()->start(out, in);
  if (!round.combined)  // its own part travels meanwhile
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      const Parcel& p = round.receive[k];
      if (p.peer == me_ && own != result + p.part.start) unpack(p.part, own, result);
    }
  if (flight) flight->land(what_);
  if (round.combined) {
    const Runs& part = round.receive[0].part;
    const DType dtype = call_.result_types[0].dtype;
    if (part.bytes() == 0) return;
    call.op.collective->combine(dtype, blocks, part.bytes() / dtype.size(), result + part.start);
    return;
  }
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const Parcel& p = round.receive[k];
    if (p.peer != me_ && !is_dense(p.part)) unpack(p.part, blocks[k], result);
  }
}

}  // namespace tutti::run
