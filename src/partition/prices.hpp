// What the choice weighs: bytes that are received; or seconds, once somebody has said what the machine can do.
#pragma once

#include <optional>

#include "partition/cost.hpp"

namespace tutti {

/// Prices are in bytes: as long as no machine is given all axes are alike. Where one is, a byte over its fastest wires
/// costs 1, and everything else what it takes in the same time. What can be sent while something is computed is priced
/// in full.
class Prices {
 public:
  /// Bytes, with small prices for the rest: of a collective 16, of an operation of a product 0.01, of an element that
  /// is read or written 0.001.
  Prices() = default;
  Prices(const Machine& machine, const Mesh& mesh);
  /// Of the machine that config::machine was given, if it was.
  static Prices of(const Mesh& mesh);

  /// Of a byte that is received along the axes.
  double byte(const AxisRefs& axes) const;
  /// Of one collective, whatever it sends: so many messages one after the other.
  double collective(double messages, const AxisRefs& axes) const;
  /// Of an addition or multiplication, and of an element that is read or written.
  double operation() const { return operation_; }
  double element() const { return element_; }

 private:
  std::optional<CostModel> model_;
  double unit_ = 1;  // bytes a second
  double operation_ = 0.01, element_ = 0.001;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
