// What permutations of blocks bring, element by element: boxes of which values of the device that sends. Two that bring
// elements of one value overlap however they are written, and what is computed of values that are sent anyway need not
// be sent.
#pragma once

#include <map>
#include <vector>

#include "ir/program.hpp"
#include "ops/collective/collective.hpp"
#include "partition/boxes.hpp"

namespace tutti {

/// Elements of a value.
struct BoxRead {
  ValueId value;
  IndexBox box;
};

/// How a device makes a box of a value that another device has.
struct BoxSource {
  enum class Kind {
    sent,      // only by asking for it
    here,      // it has the value itself: what all devices have, or what it sent there before
    position,  // the position in the group of the permutation, which is known
    slice,     // of an operand
    pieces,    // boxes of operands put together
    each,      // the operation on parts of the operands
  };
  Kind kind = Kind::sent;
  bool computes = false;            // it is no movement of elements only
  std::vector<BoxRead> reads = {};  // Kind::each: by operand, literals as value -1; else of operands that count
  ValueId here = -1;                // Kind::here: the value
};

/// Boxes that are wanted of values on the device that receives.
struct WantedBoxes {
  std::map<ValueId, std::vector<IndexBox>> sent, made;  // made: of operands that are wanted, too
};

/// Of one program or body.
class HaloReads {
 public:
  explicit HaloReads(const Program& program);

  /// Whether permutations like it may be taken apart: none leaves a device without elements.
  static bool is_total(const ops::Permute& permute);

  /// What makes the box on the device to which `permute` sends.
  BoxSource source(ValueId v, const IndexBox& box, const ops::Permute& permute) const;

  /// The boxes that are to be sent so that each of `wanted` can be made: what is least in bytes, with `recompute` also
  /// by elementwise operations on the receiving device.
  WantedBoxes boxes(const std::vector<ValueId>& wanted, const ops::Permute& permute, bool recompute) const;
  double bytes(ValueId v, const std::vector<IndexBox>& boxes) const;

 private:
  using Decision = std::map<ValueId, bool>;  // whether a value is computed there
  template <class Expanded, class Visit>
  void walk(const std::vector<ValueId>& wanted, const ops::Permute& permute, Expanded expanded, Visit visit) const;
  Decision decide(const std::vector<ValueId>& wanted, const ops::Permute& permute) const;
  BoxSource each(const Eqn& e, const IndexBox& box) const;

  const Program& p_;
  std::vector<int> producer_;  // by value: the Eqn, -1 for inputs
  std::vector<char> uniform_;  // by value: the same on all devices
  std::int64_t largest_ = 0;   // elements of a value
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
