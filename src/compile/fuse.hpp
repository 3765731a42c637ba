// Which Eqns run together in one loop nest, and how each value is read.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compile/parts.hpp"
#include "compile/views.hpp"
#include "ir/program.hpp"

namespace tutti::compile {

/// How the elements of a value are obtained without a copy: a strided reading of another value, of a literal, or of the
/// numbers 0, 1, 2, ...
struct Reading {
  Atom base;
  bool index = false;  // the index itself; base means nothing
  View view;
};

enum class Role { pointwise, reduce, view, index, parts, dot, call };

struct Unit {
  enum class Kind { loop, dot, call } kind = Kind::call;
  std::vector<int> eqns;        // ascending
  Extents extents;              // of a loop
  std::vector<ValueId> stores;  // values of a loop that somebody outside reads
};

struct Fusion {
  std::vector<Role> roles;                       // by Eqn
  std::vector<Reading> readings;                 // by value; a value that has memory reads itself
  std::unordered_map<ValueId, Reading> sources;  // of the readings that got memory: what the loop that fills it reads
  std::unordered_map<ValueId, std::vector<Part>> parts;  // of values that are put together: of what has memory
  std::unordered_set<ValueId> with_memory;               // of these: those that have memory
  std::vector<char> real;                                // by Eqn: runs; the others are only readings
  std::vector<Unit> units;                               // in order of execution

  Reading read(const Atom& a) const;
  /// Whether an Eqn runs as part of a loop.
  bool is_loop(int eqn) const { return roles[eqn] != Role::dot && roles[eqn] != Role::call; }
  /// The extents that an Eqn's loop goes over.
  const Extents& space(const Program& program, int eqn) const;
  /// What the loop that fills v reads, when v is a reading that got memory.
  const Reading* source(ValueId v) const;
  /// The parts of v when it is put together and has no memory: loops that read it are cut into boxes.
  const std::vector<Part>* parts_without_memory(ValueId v) const;
  /// Whether an Eqn copies what it would be slow to walk over in the order of the result.
  bool is_strided_copy(const Program& program, int eqn) const;
};

/// Roles, readings, and which Eqns run: all but the units.
Fusion read_values(const Program& program);
Fusion fuse(const Program& program);

/// The units in order, by the numbers of their Eqns.
std::string str(const Fusion& fusion);
std::string size_text(const Fusion& fusion);
/// Every Eqn that runs is in one unit; InternalError else.
void verify(const Fusion& fusion);

/// The literal that all elements of an operand are which the Eqn writes windows over, where it needs no memory of its
/// own: the result begins with it.
std::optional<Scalar> spread_operand(const Program& program, const Fusion& fusion, const Eqn& eqn, int operand);

/// The types a loop kernel can handle.
bool loops_over(DType dtype);
/// Whether an elementwise Eqn makes complex numbers of their real and imaginary parts.
bool joins_parts(const Program& program, const Eqn& eqn);
/// The strides of `view` let a loop over `extents` read it well: innermost stride -1, 0 or 1, or few elements.
bool reads_well(const View& view, const Extents& extents);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
