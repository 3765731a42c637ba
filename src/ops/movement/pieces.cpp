#include "ops/movement/pieces.hpp"

#include <algorithm>

#include "ops/movement/concatenate.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/roll.hpp"

namespace tutti::ops {
namespace {

using Extents = std::vector<std::int64_t>;

std::vector<Piece> of_concatenate(const Call& c, const Type& result) {
  const auto dim = static_cast<std::size_t>(c.get<Concatenate>().dim);
  std::vector<Piece> out;
  Extents start(result.shape.size(), 0);
  for (std::size_t k = 0; k < c.operands.size(); ++k) {
    const Extents extents = c.operands[k].shape.dims();
    out.push_back({static_cast<int>(k), start, extents, Extents(start.size(), 0)});
    start[dim] += extents[dim];
  }
  return out;
}

std::vector<Piece> of_roll(const Call& c, const Type& result) {
  const auto& p = c.get<Roll>();
  const auto dim = static_cast<std::size_t>(p.dim);
  const Extents zero(result.shape.size(), 0);
  Piece head{0, zero, result.shape.dims(), zero}, rest = head;
  head.extents[dim] = rest.start[dim] = p.shift;
  head.from[dim] = rest.extents[dim] = result.shape[p.dim] - p.shift;
  return {head, rest};
}

// The operand in the middle; what is before and behind it in one dim, then in the next one.
std::vector<Piece> of_pad(const Call& c, const Type& result) {
  const auto& config = c.get<Pad>().config;
  Extents start(result.shape.size(), 0), extents = result.shape.dims();
  const Extents zero = start;
  std::vector<Piece> out;
  for (std::size_t d = 0; d < start.size(); ++d) {
    const auto& p = config[d];
    if (p.low < 0 || p.high < 0 || p.interior != 0) return {};
    Piece border{1, start, extents, zero};
    border.extents[d] = p.low;
    out.push_back(border);
    border.start[d] = extents[d] - p.high;
    border.extents[d] = p.high;
    out.push_back(border);
    start[d] = p.low;
    extents[d] -= p.low + p.high;
  }
  out.push_back({0, start, extents, zero});
  return out;
}

}  // namespace

std::vector<Piece> pieces_of(const Call& c, const Type& result) {
  std::vector<Piece> out;
  if (&c.op == &concatenate) out = of_concatenate(c, result);
  if (&c.op == &roll) out = of_roll(c, result);
  if (&c.op == &pad) out = of_pad(c, result);
  std::erase_if(out,
                [](const Piece& p) { return std::find(p.extents.begin(), p.extents.end(), 0) != p.extents.end(); });
  return out;
}

}  // namespace tutti::ops
