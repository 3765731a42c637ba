// Dims in parts: where a program puts dims together and takes them apart again ([tokens, 3, heads, size] as
// [tokens, 3 * heads * size]), or joins equal pieces along one. Which dims of which values are best seen as several.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ir/views.hpp"
#include "propagate/sharded_program.hpp"

namespace tutti {

/// What an Eqn does with the dims of its operands.
enum class DimForm {
  fixed,    // it needs them as they are
  same,     // operands and results have the same ones
  regroup,  // a reshape
  strided,  // a transposition, a repetition
  joined,   // pieces along one dim (ir/views.hpp)
  reduced,  // Op::reduce
  product,  // of two operands
  loop,     // or branch: as its bodies do
};

/// Extents of the parts of a dim, major first; one where it stays whole.
using Parts = std::vector<std::int64_t>;

/// The axes that cut a dim, part by part, where that makes the same blocks. Nothing where parts cannot say it.
std::optional<std::vector<AxisRefs>> on_parts(const AxisRefs& refs, const Parts& parts);

/// Of a program and of the bodies in it.
class DimParts {
 public:
  DimParts(const ShardedProgram& sharded, std::int64_t devices);

  /// Whether there is a dim in several parts.
  bool any() const { return any_; }
  /// A program: 0 is the outermost one.
  int body(int scope, int eqn, int sub) const { return scopes_[scope].bodies.at({eqn, sub}); }
  DimForm form(int scope, int eqn) const { return scopes_[scope].forms[eqn]; }
  const Along& joined(int scope, ValueId v) const { return scopes_[scope].views.along(v); }
  /// Of each dim of a value.
  std::vector<Parts> parts(int scope, ValueId v) const;
  /// The elements that one step along the first part of a joined dim goes over.
  std::int64_t unit(int scope, ValueId v) const;

 private:
  using Cuts = std::set<std::int64_t>;  // elements that are behind one of a part
  struct Dim {
    int scope;
    ValueId value;
    int dim;
  };
  // Dims of a reshape's operand that become dims of its result.
  struct Group {
    std::vector<Dim> from, to;
    bool seed = false;
  };
  struct Scope {
    const ShardedProgram* sharded;
    Views views;
    std::vector<int> first;  // by value: the number of its first dim
    std::vector<DimForm> forms = {};
    std::map<std::pair<int, int>, int> bodies = {};
  };

  int enter(const ShardedProgram& sharded);
  void note(int scope, int eqn);
  void note_shared(int scope, const Eqn& eqn);
  void note_groups(int scope, const Eqn& eqn);
  void note_loop(int scope, int eqn);
  void note_placed(int scope, ValueId v, const Layout& layout);
  void fix(int scope, ValueId v);
  void fix(const Dim& dim) { fixed_[find(dim)] = 1; }

  std::int64_t extent(const Dim& dim) const;
  int find(int number) const;
  int find(const Dim& dim) const { return find(scopes_[dim.scope].first[dim.value] + dim.dim); }
  void unite(const Dim& a, const Dim& b);
  std::vector<Dim> joined_dims(int scope, ValueId v) const;
  std::int64_t largest_unit(int scope, ValueId v) const;
  void search();
  bool spread();
  bool spread(const Group& group);
  bool spread(int scope, ValueId joined);
  bool add(const Dim& dim, const Cuts& cuts);
  bool fix_misplaced();

  std::int64_t devices_;
  std::vector<Scope> scopes_;
  mutable std::vector<int> above_;  // union-find over dims
  std::vector<char> fixed_;         // by class of dims
  std::vector<Cuts> cuts_;
  std::vector<Group> groups_;
  std::vector<std::pair<int, ValueId>> joins_;
  std::vector<std::pair<Dim, AxisRefs>> placed_;
  bool any_ = false;
};

/// What a transposition or repetition makes of its operand: per dim of the result the dim of the operand, -1 where it
/// repeats. Nothing where it is something else.
std::optional<std::vector<int>> strided_dims(const Eqn& eqn, const Program& program);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
