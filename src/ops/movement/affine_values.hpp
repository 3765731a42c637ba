// Integers that count: values of a Program that are a sum of multiples of their own indices, whatever arithmetic they
// were written by. Found from the operations, so that their number does not matter.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/index.hpp"
#include "ir/program.hpp"

namespace tutti::ops {

/// Element i of the value is offset + sum over dims of steps[d] * i[d]; where `modulo` is not 0, the remainder of that,
/// which is not negative.
struct Affine {
  std::int64_t offset = 0;
  std::vector<std::int64_t> steps;
  std::int64_t modulo = 0;
  friend bool operator==(const Affine&, const Affine&) = default;
};

class AffineValues {
 public:
  using Given = std::map<ValueId, Affine>;

  /// Inputs that are `given` are known.
  explicit AffineValues(const Program& program, Given given = {})
      : p_(program), index_(program), given_(std::move(given)) {}

  /// Nothing where the value is none, or where nobody can tell.
  std::optional<Affine> of(const Atom& a) { return known(a).affine; }

 private:
  // Of a truth value, whether all elements are true (1) or false (0); else -1.
  struct Known {
    std::optional<Affine> affine;
    int truth = -1;
  };
  struct Range {
    std::int64_t low, high;
  };
  Known known(const Atom& a);
  Known made_by(const Eqn& e, ValueId v);
  Known viewed(const Eqn& e, ValueId v);
  Known combined(const Eqn& e, const Type& result);
  Range range(const Affine& x, const Shape& shape) const;
  std::optional<Affine> fitting(std::optional<Affine> x, const Type& type) const;

  const Program& p_;
  const ProgramIndex index_;
  const Given given_;
  std::map<ValueId, Known> known_;
  int depth_ = 0;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
