#include "compile/parts.hpp"

#include <algorithm>
#include <set>

namespace tutti::compile {

std::vector<Part> parts_of(const Program& p, const Eqn& e) {
  if (!e.op->pieces) return {};
  std::vector<Type> types;
  for (const Atom& a : e.operands) types.push_back(p.type(a));
  std::vector<Part> out;
  for (const Piece& piece : e.op->pieces(Call{*e.op, e.params, types, e.subs}, p.types[e.results[0]])) {
    if (std::find(piece.extents.begin(), piece.extents.end(), 0) != piece.extents.end()) continue;
    out.push_back({piece.start, piece.extents, piece.from, e.operands[static_cast<std::size_t>(piece.operand)]});
  }
  return out;
}

std::vector<Part> flattened(const std::vector<Part>& parts, ValueId base, const std::vector<Part>& of_base) {
  std::vector<Part> out;
  for (const Part& p : parts) {
    if (p.base != Atom(base)) {
      out.push_back(p);
      continue;
    }
    for (const Part& q : of_base) {
      Part both = q;
      bool empty = false;
      for (std::size_t d = 0; d < p.start.size(); ++d) {
        const std::int64_t from = std::max(p.from[d], q.start[d]),
                           to = std::min(p.from[d] + p.extents[d], q.start[d] + q.extents[d]);
        both.start[d] = p.start[d] + from - p.from[d];
        both.from[d] = q.from[d] + from - q.start[d];
        both.extents[d] = to - from;
        empty |= to <= from;
      }
      if (!empty) out.push_back(std::move(both));
    }
  }
  return out;
}

namespace {

using Lists = std::vector<const std::vector<Part>*>;

// Where boxes begin along a dim, and its end.
std::set<std::int64_t> cuts_along(std::size_t d, const Extents& extents, const Lists& lists) {
  std::set<std::int64_t> cuts{0, extents[d]};
  for (const std::vector<Part>* list : lists)
    for (const Part& p : *list) cuts.insert(p.start[d]);
  return cuts;
}

}  // namespace

std::size_t count_boxes(const Extents& extents, const Lists& lists) {
  std::size_t n = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) n *= cuts_along(d, extents, lists).size() - 1;
  return n;
}

std::vector<Box> boxes_of(const Extents& extents, const Lists& lists) {
  std::vector<Box> boxes{{Extents(extents.size(), 0), extents}};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const std::set<std::int64_t> cuts = cuts_along(d, extents, lists);
    std::vector<Box> finer;
    for (const Box& b : boxes)
      for (auto at = cuts.begin(); std::next(at) != cuts.end(); ++at) {
        finer.push_back(b);
        finer.back().start[d] = *at;
        finer.back().extents[d] = *std::next(at) - *at;
      }
    boxes = std::move(finer);
  }
  return boxes;
}

const Part& part_around(const std::vector<Part>& parts, const Extents& start) {
  auto around = [&](const Part& p) {
    for (std::size_t d = 0; d < start.size(); ++d)
      if (start[d] < p.start[d] || start[d] >= p.start[d] + p.extents[d]) return false;
    return true;
  };
  auto found = std::find_if(parts.begin(), parts.end(), around);
  if (found == parts.end()) throw InternalError("parts: they do not cover their value");
  return *found;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
