// Values that are put together of others: boxes of them are boxes of other values (Op::pieces).
#pragma once

#include <vector>

#include "compile/views.hpp"
#include "ir/op.hpp"

namespace tutti::compile {

/// A box of a value, from `start` on, is the box of `base` from `from` on.
struct Part {
  Extents start, extents, from;
  Atom base;
};

/// The parts that the result of an Eqn has; none where it is not put together.
std::vector<Part> parts_of(const Program& program, const Eqn& eqn);
/// The parts of a value one of whose parts' bases is put together itself, of `of_base`: without that base.
std::vector<Part> flattened(const std::vector<Part>& parts, ValueId base, const std::vector<Part>& of_base);

/// The boxes into which parts cut a value of these extents: each box lies in one part of every list.
struct Box {
  Extents start, extents;
};
std::vector<Box> boxes_of(const Extents& extents, const std::vector<const std::vector<Part>*>& lists);
std::size_t count_boxes(const Extents& extents, const std::vector<const std::vector<Part>*>& lists);
/// The part of the list in which the box lies.
const Part& part_around(const std::vector<Part>& parts, const Extents& start);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
