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
        result_(at[w.call_.results[0]]) {
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

  // Packs what goes, and lets it go.
  void begin() {
    const char* source = round().onward ? result_ : operand_;
    packed_.clear();
    blocks_.clear();
    std::vector<Transport::Outgoing> out;
    std::vector<Transport::Incoming> in;
    const char* own = nullptr;  // what this process keeps
    for (const Parcel& p : round().send) {
      const char* data = source + p.part.start;
      if (!is_dense(p.part)) {
        packed_.push_back(bytes(p.part.bytes()));
        pack(p.part, source, packed_.back().get());
        data = packed_.back().get();
      }
      if (p.peer == w_.me_)
        own = data;
      else
        out.push_back({w_.group_[static_cast<std::size_t>(p.peer)], data, p.part.bytes()});
    }
    for (const Parcel& p : round().receive) {
      if (p.peer == w_.me_) {
        blocks_.push_back(own);
        continue;
      }
      char* place = result_ + p.part.start;
      if (round().combined || !is_dense(p.part)) {
        packed_.push_back(bytes(p.part.bytes()));
        place = packed_.back().get();
      }
      blocks_.push_back(place);
      in.push_back({w_.group_[static_cast<std::size_t>(p.peer)], place, p.part.bytes()});
    }
    flight_ = in.empty() && out.empty() ? nullptr : transport()->start(out, in, w_.channel_);
    if (round().combined) return;
    for (std::size_t k = 0; k < blocks_.size(); ++k)  // its own part travels meanwhile
      if (const Parcel& p = round().receive[k]; p.peer == w_.me_ && own != result_ + p.part.start)
        unpack(p.part, own, result_);
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
    for (std::size_t k = 0; k < blocks_.size(); ++k) {
      const Parcel& p = round().receive[k];
      if (p.peer != w_.me_ && !is_dense(p.part)) unpack(p.part, blocks_[k], result_);
    }
  }

  const CollectiveWork& w_;
  const Call call_;
  char *operand_, *result_;
  std::size_t at_ = 0;               // the round that is under way
  std::vector<Bytes> packed_;        // of this round
  std::vector<const char*> blocks_;  // as they come, by parcel
  std::unique_ptr<Transport::Flight> flight_;
};

std::unique_ptr<UnderWay> CollectiveWork::start(char* const* at) const { return std::make_unique<Run>(*this, at); }

void CollectiveWork::run(char* const* at, int) const { Run(*this, at).finish({}); }

}  // namespace tutti::run
