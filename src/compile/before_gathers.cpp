// Elementwise work on what is gathered again and again, as the frames of a signal that overlap, is done once for each
// element of the array: the gather reads its result.
#include <algorithm>
#include <vector>

#include "compile/passes.hpp"
#include "ir/index.hpp"
#include "ops/movement/gather.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kTimes = 2;  // elements gathered, for each of the array, at least

class BeforeGathers {
 public:
  explicit BeforeGathers(const Program& p) : p_(p), index_(p) {}

  Program run() {
    Program out = p_;
    out.eqns.clear();
    std::vector<int> gather_at(p_.eqns.size(), -1);  // by the last Eqn of the work: the gather
    std::vector<char> moved(p_.eqns.size(), 0);
    for (std::size_t i = 0; i < p_.eqns.size(); ++i)
      if (const std::vector<int> work = work_after(p_.eqns[i]); !work.empty()) {
        gather_at[static_cast<std::size_t>(work.back())] = static_cast<int>(i);
        moved[i] = 1;
        for (int k : work) moved[static_cast<std::size_t>(k)] = 1;
      }
    for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
      if (gather_at[i] >= 0)
        move(p_.eqns[static_cast<std::size_t>(gather_at[i])], out);
      else if (!moved[i])
        out.eqns.push_back(p_.eqns[i]);
    }
    return out;
  }

 private:
  // The Eqns, one after the other, that alone read what the gather makes, where no loop goes on from there.
  std::vector<int> work_after(const Eqn& e) const {
    std::vector<int> out;
    if (e.op->window != Op::Window::read || e.params.get<ops::Gather>().mode == lax::GatherMode::fill) return out;
    ValueId v = e.results[0];
    if (p_.types[v].num_elements() < kTimes * p_.type(e.operands[0]).num_elements()) return out;
    while (index_.use_count(v) == 1 && !index_.is_output(v)) {
      const int reader = index_.uses(v)[0].eqn;
      if (!is_of_one_array(p_.eqns[static_cast<std::size_t>(reader)])) break;
      out.push_back(reader);
      v = p_.eqns[static_cast<std::size_t>(reader)].results[0];
    }
    for (const ProgramIndex::Use& use : index_.uses(v))
      if (p_.eqns[static_cast<std::size_t>(use.eqn)].op->window == Op::Window::none) return {};
    return out;
  }
  bool is_of_one_array(const Eqn& e) const {
    if (!e.op->pointwise || e.results.size() != 1) return false;
    int arrays = 0;
    for (const Atom& a : e.operands) arrays += p_.type(one_of(a)).ndim() > 0;
    return arrays == 1;
  }
  // The number that all elements are; else the array itself.
  Atom one_of(const Atom& a) const {
    const int maker = a.is_literal() ? -1 : index_.producer(a.id);
    if (maker < 0) return a;
    const Eqn& e = p_.eqns[static_cast<std::size_t>(maker)];
    return e.op->view && p_.type(e.operands[0]).ndim() == 0 ? e.operands[0] : a;
  }

  void move(const Eqn& gather, Program& out) const {
    Atom x = gather.operands[0];
    ValueId made = gather.results[0];
    for (int k : work_after(gather)) {
      Eqn e = p_.eqns[static_cast<std::size_t>(k)];
      Type type = p_.types[e.results[0]];
      type.shape = p_.type(gather.operands[0]).shape;
      for (Atom& a : e.operands) a = a == Atom(made) ? x : one_of(a);
      made = e.results[0];
      out.types.push_back(type);
      x = e.results[0] = static_cast<ValueId>(out.types.size()) - 1;
      out.eqns.push_back(std::move(e));
    }
    Eqn e = gather;
    e.operands[0] = x;
    e.results[0] = made;
    out.eqns.push_back(std::move(e));
  }

  const Program& p_;
  const ProgramIndex index_;
};

}  // namespace

Program before_gathers(Program program) {
  const bool any = std::any_of(program.eqns.begin(), program.eqns.end(),
                               [](const Eqn& e) { return e.op->window == Op::Window::read; });
  if (any) return BeforeGathers(program).run();
  return program;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
