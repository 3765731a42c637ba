#include "partition/selections.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/slice.hpp"
#include "partition/local_rewriting.hpp"
#include "partition/position_ranges.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kShare = 4;  // of all elements, that are selected one by one at most

// The elements of which a mask is known, and what it is there.
struct KnownMask {
  IndexBox middle;
  bool value;
};

class Selecting : public LocalRewriting {
 public:
  Selecting(const Program& program, const std::vector<Cause>& causes, std::size_t& at)
      : LocalRewriting(program, causes, at, written_by<Selecting>(causes)), ranges_(program) {}

  ProgramPtr run(const ProgramPtr& program) {
    return write(program, [this](int i) {
      const Eqn& e = p_.eqns[static_cast<std::size_t>(i)];
      return e.op == &ops::select && !e.operands[0].is_literal() && selected(e);
    });
  }

 private:
  bool selected(const Eqn& e) {
    const ValueId r = e.results[0], mask = e.operands[0].id;
    const Shape& shape = p_.types[static_cast<std::size_t>(r)].shape;
    if (!ranges_.is_of_positions(e.operands[0]) || !(p_.types[static_cast<std::size_t>(mask)].shape == shape) ||
        shape.num_elements() == 0)
      return false;
    const std::optional<KnownMask> known = known_of(mask);
    if (!known) return false;
    const IndexBox all = all_of_shape(shape);
    const Atom& most = e.operands[known->value ? 1 : 2];
    if (known->middle != all && !is_of_pieces(most)) return false;
    const Atom out = joined(parts(e, *known, all), all);
    if (!(type(out) == p_.types[static_cast<std::size_t>(r)])) return false;
    changed_ = true;
    is(r, out);
    return true;
  }

  // Around the middle, dim by dim, what lies before and behind it.
  std::vector<std::pair<IndexBox, Atom>> parts(const Eqn& e, const KnownMask& known, const IndexBox& all) {
    std::vector<std::pair<IndexBox, Atom>> out;
    IndexBox left = all;
    for (std::size_t d = 0; d < all.size(); ++d) {
      IndexBox low = left, high = left;
      low[d].second = known.middle[d].first;
      high[d].first = known.middle[d].second;
      for (const IndexBox& border : {low, high})
        if (volume(border) > 0) out.emplace_back(border, border_of(e, border));
      left[d] = known.middle[d];
    }
    out.emplace_back(left, part(e.operands[known.value ? 1 : 2], left));
    return out;
  }

  Atom border_of(const Eqn& e, const IndexBox& box) {
    const std::optional<NumberRange> range = ranges_.of(e.operands[0], box);
    if (range && range->is_one()) return part(e.operands[range->least ? 1 : 2], box);
    const Atom mask = part(e.operands[0], box);
    const Atom yes = part(e.operands[1], box), no = part(e.operands[2], box);
    return make(ops::select, {}, {mask, yes, no});
  }

  // The largest box around the middle element in which the mask is one number on all devices.
  std::optional<KnownMask> known_of(ValueId mask) {
    auto [at, fresh] = known_.try_emplace(mask);
    if (!fresh) return at->second;
    const IndexBox all = all_of_shape(p_.types[static_cast<std::size_t>(mask)].shape);
    auto known = [&](const IndexBox& box) {
      const std::optional<NumberRange> range = ranges_.of(mask, box);
      return range && range->is_one();
    };
    KnownMask out{all, false};
    if (!known(all)) {
      for (auto& [from, to] : out.middle) {
        from = (from + to) / 2;
        to = from + 1;
      }
      if (!known(out.middle)) return std::nullopt;
      for (std::size_t d = 0; d < all.size(); ++d) {
        IndexBox wide = out.middle;
        auto known_from = [&](std::int64_t from) {
          wide[d].first = from;
          return known(wide);
        };
        auto known_to = [&](std::int64_t to) {
          wide[d].second = to;
          return known(wide);
        };
        std::int64_t least = all[d].first, most = out.middle[d].first;
        while (least < most) {
          const std::int64_t half = (least + most) / 2;
          if (known_from(half))
            most = half;
          else
            least = half + 1;
        }
        wide[d].first = least;
        least = out.middle[d].second;
        most = all[d].second;
        while (least < most) {
          const std::int64_t half = (least + most + 1) / 2;
          if (known_to(half))
            least = half;
          else
            most = half - 1;
        }
        wide[d].second = least;
        out.middle = wide;
      }
    }
    if ((volume(all) - volume(out.middle)) * kShare > volume(all)) return std::nullopt;
    out.value = ranges_.of(mask, out.middle)->least != 0;
    return known_[mask] = out;
  }

  // Whether it is no more to read some of its elements than all: what is there, or put together of what is there.
  bool is_of_pieces(const Atom& a) const {
    if (a.is_literal()) return true;
    const Eqn* e = producer(a.id);
    return !e || e->op->movement || e->op->collective;
  }

  // The box of a value: of the pieces that it consists of, or of positions for this box alone.
  Atom part(const Atom& a, const IndexBox& box) {
    if (a.is_literal() || p_.type(a).ndim() == 0) return filled(now(a), extents_of(box));
    if (box == all_of_shape(p_.type(a).shape)) return now(a);
    const Eqn* e = producer(a.id);
    if (!e || e->results.size() != 1 || e->op->collective) return cut(now(a), box);
    if (e->op == &ops::slice) {
      const auto& s = e->params.get<ops::SliceParams>();
      if (std::all_of(s.strides.begin(), s.strides.end(), [](std::int64_t n) { return n == 1; })) {
        IndexBox from = box;
        for (std::size_t d = 0; d < from.size(); ++d) from[d] = {box[d].first + s.start[d], box[d].second + s.start[d]};
        return part(e->operands[0], from);
      }
    }
    if (e->op->pieces)
      if (const std::vector<BoxPiece> pieces = pieces_within(p_, *e, box); !pieces.empty()) {
        std::vector<std::pair<IndexBox, Atom>> out;
        for (const BoxPiece& piece : pieces) {
          const Atom& from = e->operands[static_cast<std::size_t>(piece.operand)];
          out.emplace_back(piece.at,
                           piece.from.empty() ? filled(now(from), extents_of(piece.at)) : part(from, piece.from));
        }
        return joined(std::move(out), box);
      }
    const bool fills = e->op->movement && e->operands.size() == 1 &&
                       (e->operands[0].is_literal() || p_.type(e->operands[0]).ndim() == 0);
    if (fills) return filled(now(e->operands[0]), extents_of(box));
    return ranges_.is_of_positions(a) ? position(*e, box) : cut(now(a), box);
  }

  Atom position(const Eqn& e, const IndexBox& box) {
    const Type& whole = p_.types[static_cast<std::size_t>(e.results[0])];
    if (e.op->role == Role::generator) {
      const int d = e.op->index(e.params);
      const Atom numbers = make(ops::iota, ops::Iota{whole.dtype, extents_of(box), d}, {});
      const std::int64_t from = box[static_cast<std::size_t>(d)].first;
      if (from == 0) return numbers;
      return make(ops::add, {}, {numbers, Atom(Scalar(from).to(whole.dtype), false)});
    }
    if (!e.op->pointwise) return cut(now(e.results[0]), box);
    std::vector<Atom> operands;
    for (const Atom& a : e.operands)
      operands.push_back(a.is_literal() || p_.type(a).ndim() == 0 ? now(a) : part(a, box));
    return make_of(*e.op, e.params, std::move(operands));
  }

  PositionRanges ranges_;
  std::map<ValueId, std::optional<KnownMask>> known_;
};

}  // namespace

LocalProgram with_selections_at_borders(LocalProgram local) { return rewritten<Selecting>(std::move(local)); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
