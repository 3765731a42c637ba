#include "partition/combine.hpp"

#include <algorithm>
#include <set>

#include "base/loc_override.hpp"
#include "ir/op.hpp"
#include "partition/writer.hpp"
#include "regions/loops.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kSmall = 64 << 10,
                       kMost = 4 << 20;  // bytes of one, of all: copying them is quicker than a message

class Combiner {
 public:
  Combiner(const Program& program, const std::vector<Cause>& causes, std::size_t& at)
      : p_(program), writer_(program), combined_(program.eqns.size(), -1) {
    for (const Eqn& e : program.eqns) {
      Own own;
      if (sends(e)) own.causes.push_back(causes[at++]);
      for (const ProgramPtr& sub : e.subs) {
        Combiner inner(*sub, causes, at);
        own.subs.push_back(inner.run());
        own.causes.insert(own.causes.end(), inner.causes_.begin(), inner.causes_.end());
      }
      own_.push_back(std::move(own));
    }
  }

  ProgramPtr run() {
    find();
    for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
      if (const int g = combined_[i]; g >= 0 && groups_[g].eqns.size() > 1) {
        if (groups_[g].eqns.back() == i) put(groups_[g]);
        continue;
      }
      Eqn e = writer_.now(p_.eqns[i]);
      if (sends(e) && is_known(e)) continue;
      e.subs = own_[i].subs;
      keep_causes(i);
      writer_.add(std::move(e));
    }
    return writer_.done();
  }
  const std::vector<Cause>& causes() const { return causes_; }

 private:
  struct Own {
    std::vector<ProgramPtr> subs;
    std::vector<Cause> causes;  // of it, or of its bodies
  };
  struct Sums {
    std::vector<std::size_t> eqns;
    std::int64_t bytes = 0;
    bool open = true;
  };

  bool is_small_sum(const Eqn& e) const {
    if (!e.op->collective || e.op->collective->kind != "all_reduce" || e.operands[0].is_literal()) return false;
    const Type& t = p_.types[e.results[0]];
    return !t.weak && t.varying.empty() && t.nbytes() > 0 && t.nbytes() <= kSmall;
  }

  // Sums that may be one: a group ends where somebody reads one of them.
  void find() {
    std::vector<int> group_of(p_.types.size(), -1);  // by value: of the sum that makes it
    for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
      const Eqn& e = p_.eqns[i];
      for (const Atom& a : e.operands)
        if (!a.is_literal() && group_of[a.id] >= 0) groups_[group_of[a.id]].open = false;
      if (!is_small_sum(e)) continue;
      const std::int64_t bytes = p_.types[e.results[0]].nbytes();
      const auto fits = std::find_if(groups_.begin(), groups_.end(), [&](const Sums& g) {
        const Eqn& first = p_.eqns[g.eqns[0]];
        return g.open && first.op == e.op && first.params == e.params && g.bytes + bytes <= kMost &&
               p_.types[first.results[0]].dtype == p_.types[e.results[0]].dtype &&
               std::none_of(g.eqns.begin(), g.eqns.end(),
                            [&](std::size_t k) { return p_.eqns[k].operands == e.operands; });
      });
      combined_[i] = static_cast<int>(fits - groups_.begin());
      if (fits == groups_.end()) groups_.emplace_back();
      Sums& g = groups_[combined_[i]];
      g.eqns.push_back(i);
      g.bytes += bytes;
      group_of[e.results[0]] = combined_[i];
    }
  }

  // One behind the other, summed, and taken apart.
  void put(const Sums& g) {
    const Eqn& first = p_.eqns[g.eqns[0]];
    std::vector<Atom> operands;
    std::vector<Type> types;
    for (std::size_t i : g.eqns) {
      operands.push_back(writer_.now(p_.eqns[i].operands[0]));
      types.push_back(writer_.type(operands.back()));
    }
    LocOverride line(first.loc);
    const ProgramPtr body = ops::recorded("combined", types, [&](const std::vector<Array>& xs) {
      std::vector<Array> flat, out;
      for (const Array& x : xs) flat.push_back(lax::reshape(x, Shape{x.shape().num_elements()}));
      const Array sum = bind1(*first.op, first.params, {lax::concatenate(flat, 0)});
      std::int64_t from = 0;
      for (const Array& x : xs) {
        const std::int64_t to = from + x.shape().num_elements();
        out.push_back(lax::reshape(lax::slice(sum, {from}, {to}), x.shape()));
        from = to;
      }
      return out;
    });
    const std::vector<Atom> sums = writer_.put(*body, operands);
    for (std::size_t k = 0; k < sums.size(); ++k) writer_.is(p_.eqns[g.eqns[k]].results[0], sums[k]);
    Cause all = own_[g.eqns[0]].causes[0];
    std::set<int> inputs;
    for (std::size_t i : g.eqns) {
      const Cause& c = own_[i].causes[0];
      if (i != g.eqns[0]) all.bytes += c.bytes;
      all.by_hand &= c.by_hand;
      inputs.insert(c.inputs.begin(), c.inputs.end());
    }
    all.inputs.assign(inputs.begin(), inputs.end());
    all.what += " and " + std::to_string(g.eqns.size() - 1) + " more";
    causes_.push_back(std::move(all));
  }

  // Whether an equal one was written before: its results stand for these.
  bool is_known(const Eqn& e) {
    for (const Eqn& k : known_)
      if (k.op == e.op && k.params == e.params && k.operands == e.operands &&
          writer_.type(k.results[0]) == writer_.type(e.results[0])) {
        writer_.is(e.results[0], k.results[0]);
        return true;
      }
    known_.push_back(e);
    return false;
  }
  void keep_causes(std::size_t i) { causes_.insert(causes_.end(), own_[i].causes.begin(), own_[i].causes.end()); }

  const Program& p_;
  Writer writer_;
  std::vector<Own> own_;       // by Eqn
  std::vector<int> combined_;  // by Eqn: of which group it is
  std::vector<Sums> groups_;
  std::vector<Eqn> known_;  // collectives that were written
  std::vector<Cause> causes_;
};

}  // namespace

LocalProgram combine_collectives(const LocalProgram& local) {
  std::size_t at = 0;
  Combiner combiner(*local.program, local.causes, at);
  LocalProgram out = local;
  out.program = combiner.run();
  out.causes = combiner.causes();
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
