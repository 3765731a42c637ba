#include "partition/send_early.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "ir/loop_form.hpp"
#include "ir/op.hpp"
#include "ir/passes.hpp"
#include "partition/combine.hpp"
#include "partition/cost.hpp"
#include "partition/work.hpp"
#include "tutti/base/config.hpp"

namespace tutti {
namespace {

constexpr int kNear = 64;  // Eqns: how much further on stands what may come before what has to wait
constexpr int kAhead = 2;  // collectives that make more than they take and have no reader yet, at most

// A list schedule: what can be done at `now_` is done in the order of the program.
class Scheduler {
 public:
  Scheduler(const Program& program, const CostModel& model, const std::vector<Cause>& causes, std::size_t& at)
      : p_(program), makers_(program.types.size(), -1) {
    for (const Eqn& e : program.eqns) {
      Item item{e};
      item.sends = sends(e);
      item.enlarges = item.sends && enlarges(e);
      if (item.sends) item.causes.push_back(causes[at++]);
      double within = 0;
      for (ProgramPtr& sub : item.eqn.subs) {
        Scheduler inner(*sub, model, causes, at);
        sub = inner.run();
        within += inner.now_;
        item.causes.insert(item.causes.end(), inner.causes_.begin(), inner.causes_.end());
      }
      item.seconds = seconds_of(item, within, model);
      items_.push_back(std::move(item));
    }
    link();
  }

  ProgramPtr run() {
    while (done_ < items_.size())
      if (!send()) compute();
    Program out = p_;
    out.eqns = std::move(out_);
    return std::make_shared<Program>(std::move(out));
  }
  const std::vector<Cause>& causes() const { return causes_; }

 private:
  struct Item {
    Eqn eqn;
    std::vector<Cause> causes{};  // of it, or of its bodies
    bool sends = false, enlarges = false, has_reader = false;
    double seconds = 0, from = 0;  // what it takes; when what it needs is there
    int needs = 0;                 // Eqns that are not done
    std::vector<int> readers{};
  };

  double seconds_of(const Item& item, double within, const CostModel& model) const {
    if (item.sends) {
      const Cause& c = item.causes[0];
      return model.sending(c.bytes, static_cast<double>(c.messages), c.axes);
    }
    if (const std::optional<LoopForm> form = loop_form(item.eqn)) return static_cast<double>(form->length) * within;
    const Work work = work_of(p_, item.eqn);
    return model.computing(work.flops, work.bytes);
  }

  void link() {
    int last = -1;  // that keeps its place among its kind
    for (int i = 0; i < static_cast<int>(items_.size()); ++i) {
      Item& item = items_[i];
      std::set<int> sources;
      for (const Atom& a : item.eqn.operands)
        if (!a.is_literal() && makers_[a.id] >= 0) sources.insert(makers_[a.id]);
      if (has_effect(item.eqn) || (!item.sends && sends_within(item.eqn))) {
        if (last >= 0) sources.insert(last);
        last = i;
      }
      for (int s : sources) items_[s].readers.push_back(i);
      item.needs = static_cast<int>(sources.size());
      if (item.needs == 0) open(i);
      for (ValueId r : item.eqn.results) makers_[r] = i;
    }
  }
  void open(int i) { (items_[i].sends ? to_send_ : to_compute_).insert(i); }

  bool enlarges(const Eqn& e) const {
    return !e.operands.empty() && p_.types[e.results[0]].nbytes() > p_.type(e.operands[0]).nbytes();
  }

  // The first collective that may start now; any, where nothing else is left to do.
  bool send() {
    for (int i : to_send_) {
      Item& item = items_[i];
      if (item.enlarges && ahead_ >= kAhead && !to_compute_.empty()) continue;
      to_send_.erase(i);
      ahead_ += item.enlarges;
      network_ = std::max(network_, now_) + item.seconds;  // one after the other
      finish(i, network_);
      return true;
    }
    return false;
  }

  // The first that does not wait; of those near, the one that waits least.
  void compute() {
    const int first = *to_compute_.begin();
    int best = first;
    for (int i : to_compute_) {
      if (i > first + kNear) break;
      if (items_[i].from < items_[best].from) best = i;
      if (items_[i].from > now_) continue;
      best = i;
      break;
    }
    to_compute_.erase(best);
    now_ = std::max(now_, items_[best].from) + items_[best].seconds;
    finish(best, now_);
  }

  void finish(int i, double at) {
    ++done_;
    for (const Atom& a : items_[i].eqn.operands) {
      const int maker = a.is_literal() ? -1 : makers_[a.id];
      if (maker < 0 || !items_[maker].sends || items_[maker].has_reader) continue;
      items_[maker].has_reader = true;
      ahead_ -= items_[maker].enlarges;
    }
    for (int r : items_[i].readers) {
      items_[r].from = std::max(items_[r].from, at);
      if (--items_[r].needs == 0) open(r);
    }
    causes_.insert(causes_.end(), items_[i].causes.begin(), items_[i].causes.end());
    out_.push_back(std::move(items_[i].eqn));
  }

  const Program& p_;
  std::vector<int> makers_;  // by value: an Eqn
  std::vector<Item> items_;
  std::set<int> to_send_, to_compute_;  // what needs nothing that is not done
  std::size_t done_ = 0;
  int ahead_ = 0;
  double now_ = 0, network_ = 0;  // s
  std::vector<Eqn> out_;
  std::vector<Cause> causes_;
};

}  // namespace

LocalProgram send_early(const LocalProgram& local) {
  const CostModel model(config::machine(), local.mesh);
  std::size_t at = 0;
  Scheduler scheduler(*local.program, model, local.causes, at);
  LocalProgram out = local;
  out.program = scheduler.run();
  out.causes = scheduler.causes();
  return out;
}

LocalProgram scheduled(LocalProgram local) {
  local = run_pass(PassId::send_early, send_early, std::move(local));
  local = run_pass(PassId::combine, combine_collectives, std::move(local));
  return run_pass(PassId::send_early_again, send_early, std::move(local));
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
