// Rows: the ways to compute one Eqn on blocks. Each mesh axis is put on one factor of the op, on a set of operands in
// which the op is linear (partial sums pass through), or on nothing (every device along it does the same work).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ir/op.hpp"
#include "partition/homes.hpp"
#include "partition/planner.hpp"

namespace tutti {

struct BodyPlan;

/// A dim of operand 0, and what cuts it.
struct CutDim {
  int dim;
  AxisRefs axes;
};

/// One way to compute an Eqn: what its operands must look like, what its results then look like.
struct Candidate {
  std::vector<Layout> operands, results;
  double work = 0;                            // price of the local work, and of its own messages
  std::vector<std::vector<Reduce>> padding;   // per operand: kinds of reductions that would read its padding ...
  std::vector<std::vector<int>> padded_dims;  // ... and the dims, index by index
  Params params;                              // of the Eqn on local shapes
  std::vector<CutDim> across;                 // along which it sends messages of its own ...
  bool with_results = false;                  // ... and results are cut too (Across::dims)
  std::vector<BodyPlan> bodies;               // of a loop or branch; what is the same in all steps is no operand then
};
/// How a program or a body is computed: each of its Eqns, and the layouts to which values with several uses are brought
/// first. Of a body also what goes in (but for what is the same in all steps) and what comes out.
struct BodyPlan {
  std::vector<Candidate> chosen;
  std::map<ValueId, Layout> hubs = {};
  std::vector<Layout> inputs = {}, outputs = {};
  std::vector<Homes> homes = {};  // by value; empty: no dim of any has one
};

/// What each axis is put on, in the order in which axes of one dim cut it: a factor f (>= 0; `on_first + f`: results
/// by their own extents, as Across::first or Across::dims say), nothing (`on_nothing`), or a linear set s (`on_linear -
/// s`).
using Assignment = std::vector<std::pair<AxisRef, int>>;
inline constexpr int on_nothing = -1, on_linear = -2, on_first = 1 << 16;

/// The rows of one Eqn, and of all that are like it. A row is made when it is first asked for.
class RowTable {
 public:
  /// Of Eqns that have this op, these parameters and types, and may be linear in these sets.
  RowTable(const Eqn& eqn, const Program& program, std::vector<std::vector<int>> linear,
           std::shared_ptr<const Prices> prices = std::make_shared<Prices>());
  /// Of something that is no Eqn and does nothing by itself: layouts that belong together.
  RowTable(Factors rule, std::vector<Type> operands, std::vector<Type> results, std::vector<std::vector<int>> linear,
           std::shared_ptr<const Prices> prices);
  /// The same rows with operands and results whose dims have homes.
  RowTable(const RowTable& like, std::vector<Homes> operands, std::vector<Homes> results);

  const Factors& rule() const { return rule_; }
  /// Whether axes on it come in the order of a home, however an assignment lists them.
  bool at_home(int factor) const { return !factor_homes_.empty() && !factor_homes_[factor].empty(); }
  /// What an axis may be put on.
  std::vector<int> choices(const AxisRef& axis) const;
  /// Nothing where it is not sound, or the op cannot run on such blocks.
  const Candidate* row(const Assignment& assignment);
  const std::vector<std::vector<int>>& linear() const { return linear_; }
  /// The layouts of a row as numbers, of operands and then of results.
  const std::vector<int>& ids(const Assignment& assignment, Planner& planner);

 private:
  struct Row {
    std::optional<Candidate> candidate;
    std::vector<int> ids;
  };
  // What axes are on, by factor; with `first` as Across::first says.
  struct Placed {
    std::vector<AxisRefs> on;
    std::vector<char> first;
  };
  Row& kept(Assignment assignment);
  int dim_of(int factor) const;
  void note_homes(const std::vector<Factors::Dims>& dims, const std::vector<Homes>& homes);
  bool build(const Factors::Dims& dims, const Type& type, const Homes& homes, const Placed& placed,
             Layout& layout) const;
  std::optional<Candidate> made(const Assignment& assignment) const;
  bool add_pending(Candidate& c, const Assignment& assignment) const;
  void note_padding(Candidate& c, const std::vector<AxisRefs>& on) const;
  bool price(Candidate& c) const;
  bool price_across(Candidate& c, const Call& call) const;
  Params params_across(const Candidate& c) const;
  bool all_in_line(int factor, const AxisRefs& axes) const;
  bool are_first(int dim) const;
  bool stay(const Candidate& c, int dim) const;
  bool note_across(Candidate& c, const Placed& placed) const;

  const Eqn* eqn_ = nullptr;
  const Program* program_ = nullptr;
  Factors rule_;
  std::vector<Type> operands_, results_;
  std::vector<std::vector<int>> linear_;  // usable sets
  std::shared_ptr<const Prices> prices_;
  std::vector<Homes> operand_homes_, result_homes_;
  std::vector<AxisRefs> factor_homes_;
  std::vector<char> by_place_;  // by factor: whether blocks of it must lie together
  std::map<Assignment, Row> rows_;
};

/// The sets of operands in which the Eqn is linear for sums over devices.
std::vector<std::vector<int>> usable_linear_sets(const Eqn& eqn, const Program& program,
                                                 const std::vector<Magnitude>& magnitudes);
/// Whether axes may be put on anything else than nothing.
bool has_rows(const Eqn& eqn);

/// The Eqn's parameters on local shapes; nothing when the op cannot run on these blocks as it is.
std::optional<Params> localized(const Eqn& eqn, const Program& program, const Candidate& candidate);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
