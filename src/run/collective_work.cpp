#include "run/collective_work.hpp"

#include <algorithm>

#include "device/buffer.hpp"
#include "ir/collective.hpp"
#include "run/program_number.hpp"
#include "run/runs.hpp"
#include "run/traffic.hpp"
#include "run/transport.hpp"
#include "tutti/base/error.hpp"

namespace tutti::run {
namespace {

// Of runs that lie apart: shorter ones are packed. Who gets a message goes to the memory of who sends it run by run.
constexpr std::int64_t kSent = 8192, kGot = 512;

bool goes_as_it_lies(const Runs& r, int process, std::int64_t shortest) {
  return is_dense(r) || (r.run >= shortest && transport()->takes_runs(process, r.bytes()));
}

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

CollectiveWork::CollectiveWork(compile::CallEqn call, const Places& places, int channel)
    : call_(std::move(call)), channel_(channel) {
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
  goes_on = !rounds_.empty();
}

// One run of it, round by round.
class CollectiveWork::Run final : public UnderWay {
 public:
  Run(const CollectiveWork& w, char* const* at)
      : w_(w),
        call_{*w.call_.eqn.op, w.call_.eqn.params, w.call_.operand_types, w.call_.eqn.subs},
        operand_(w.call_.operands.empty() ? nullptr : at[w.call_.operands[0]]),
        result_(at[w.call_.results[0]]),
        channel_(1 + (w.channel_ - 1 + ProgramNumber::now()) % (Transport::kProgramChannels - 1)) {
    if (const Collective& c = *call_.op.collective; c.alone) {
      const HostView x = operand_ ? HostView{w.call_.operand_types[0], operand_} : HostView{};
      c.alone(call_, w.me_, operand_ ? &x : nullptr, {w.call_.result_types[0], result_});
    }
    if (!over()) begin();
  }

  bool advance() override {
    while (!over()) {
      if (flight_ && !flight_->landed()) return false;
      next();
    }
    return true;
  }
  void finish(const std::function<void()>& meanwhile) override {
    while (!over()) {
      if (flight_) flight_->land(w_.what_, meanwhile);
      next();
    }
  }

 private:
  bool over() const { return at_ == w_.rounds_.size(); }
  const Round& round() const { return w_.rounds_[at_]; }

  void next() {
    end();
    if (++at_; !over()) return begin();
    Traffic sent;
    add(sent, {call_.op.collective->kind, w_.axes_, 1, w_.received_.messages, w_.received_.bytes});
    count_traffic(sent);
  }

  // Lets go what goes; what runs by runs would take longer is packed.
  void begin() {
    char* const source = round().onward ? result_ : operand_;
    packed_.clear();
    blocks_.clear();
    std::vector<Transport::Outgoing> out;
    std::vector<Transport::Incoming> in;
    const Parcel* own = nullptr;  // what this process keeps
    for (const Parcel& p : round().send) {
      const int to = w_.group_[static_cast<std::size_t>(p.peer)];
      if (p.peer == w_.me_)
        own = &p;
      else if (goes_as_it_lies(p.part, to, kSent))
        out.push_back({to, source, p.part});
      else
        out.push_back({to, packed(p.part, source), Transport::dense(p.part.bytes())});
    }
    for (const Parcel& p : round().receive) {
      const int from = w_.group_[static_cast<std::size_t>(p.peer)];
      char* block = nullptr;
      if (p.peer == w_.me_) {
        if (round().combined) block = is_dense(own->part) ? source + own->part.start : packed(own->part, source);
      } else if (!round().combined && goes_as_it_lies(p.part, from, kGot)) {
        in.push_back({from, result_, p.part});
      } else {
        block = room(p.part.bytes());
        in.push_back({from, block, Transport::dense(p.part.bytes())});
      }
      blocks_.push_back(block);
    }
    flight_ = in.empty() && out.empty() ? nullptr : transport()->start(out, in, channel_);
    if (round().combined || !own) return;
    for (const Parcel& p : round().receive)  // its own part travels meanwhile
      if (p.peer == w_.me_ && !(source == result_ && own->part.start == p.part.start))
        copy_runs(own->part, source, p.part, result_);
  }

  // Puts what came where it belongs.
  void end() {
    flight_.reset();
    if (round().combined) {
      const Runs& part = round().receive[0].part;
      const DType dtype = w_.call_.result_types[0].dtype;
      if (part.bytes() > 0)
        call_.op.collective->combine(dtype, blocks_, part.bytes() / dtype.size(), result_ + part.start);
      return;
    }
    for (std::size_t k = 0; k < blocks_.size(); ++k)
      if (blocks_[k]) unpack(round().receive[k].part, blocks_[k], result_);
  }

  char* room(std::int64_t bytes) {
    packed_.push_back(allocate_buffer(static_cast<std::size_t>(bytes)));
    return static_cast<char*>(packed_.back()->data());
  }
  char* packed(const Runs& part, const char* array) {
    char* const block = room(part.bytes());
    pack(part, array, block);
    return block;
  }

  const CollectiveWork& w_;
  const Call call_;
  char *operand_, *result_;
  int channel_;
  std::size_t at_ = 0;               // the round that is under way
  std::vector<HostPtr> packed_;      // of this round
  std::vector<const char*> blocks_;  // by parcel that comes: what is yet to be combined or put where it belongs
  std::unique_ptr<Transport::Flight> flight_;
};

std::unique_ptr<UnderWay> CollectiveWork::start(char* const* at) const { return std::make_unique<Run>(*this, at); }

void CollectiveWork::run(char* const* at, int) const { Run(*this, at).finish({}); }

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
