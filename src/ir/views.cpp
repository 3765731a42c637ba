#include "ir/views.hpp"

#include <algorithm>

namespace tutti {
namespace {

constexpr std::size_t most_segments = 64;

// A slice is one box of its operand.
std::vector<Piece> as_piece(const std::optional<View>& view, const Type& from, const Type& result) {
  if (!view || from.ndim() != result.ndim() || from.ndim() == 0) return {};
  Piece out{0, std::vector<std::int64_t>(result.shape.size(), 0), result.shape.dims(), {}};
  std::int64_t stride = from.shape.num_elements(), rest = view->offset;
  for (int d = 0; d < from.ndim(); ++d) {
    if (from.shape[d] == 0) return {};
    stride /= from.shape[d];
    if (view->strides[d] != stride && result.shape[d] > 1) return {};
    out.from.push_back(rest / stride);
    rest %= stride;
    if (out.from.back() + result.shape[d] > from.shape[d]) return {};
  }
  return {out};
}

}  // namespace

Views::Views(const Program& program) : p_(program), along_(p_.types.size()), windows_(p_.types.size()) {}

void Views::note(const Eqn& e) {
  if (e.results.size() != 1 || !e.subs.empty()) return;
  const std::vector<Piece> boxes = pieces(e);
  if (boxes.empty()) return;
  along_[e.results[0]] = along(e, boxes);
  windows_[e.results[0]] = window(e, boxes);
}

// The boxes that an Eqn puts together, those without elements left out.
std::vector<Piece> Views::pieces(const Eqn& e) const {
  const Type& result = p_.types[e.results[0]];
  if (result.shape.num_elements() == 0) return {};
  std::vector<Type> types;
  for (const Atom& a : e.operands) types.push_back(p_.type(a));
  const Call call{*e.op, e.params, types, e.subs};
  std::vector<Piece> out;
  if (e.op->pieces) out = e.op->pieces(call, result);
  if (out.empty() && e.op->view) out = as_piece(e.op->view(call, result), types[0], result);
  std::erase_if(out,
                [](const Piece& b) { return std::find(b.extents.begin(), b.extents.end(), 0) != b.extents.end(); });
  return out;
}

// Where the boxes differ along one dim only.
Along Views::along(const Eqn& e, const std::vector<Piece>& pieces) const {
  const Type& result = p_.types[e.results[0]];
  Along out;
  for (int d = 0; d < result.ndim(); ++d)
    for (const Piece& piece : pieces) {
      const Type from = p_.type(e.operands[piece.operand]);
      if (piece.extents[d] == result.shape[d] && (from.ndim() == 0 || from.shape[d] == result.shape[d])) continue;
      if (out.dim >= 0 && out.dim != d) return {};
      out.dim = d;
    }
  if (out.dim < 0) return {};
  for (const Piece& piece : pieces) {
    const Atom& source = e.operands[piece.operand];
    const std::int64_t from = p_.type(source).ndim() == 0 ? 0 : piece.from[out.dim];
    out.segments.push_back({piece.start[out.dim], piece.extents[out.dim], source, from});
  }
  std::sort(out.segments.begin(), out.segments.end(), [](const Segment& a, const Segment& b) { return a.at < b.at; });
  return seen_through(out);
}

// Segments of values that are themselves put together so, as segments of what these are made of.
Along Views::seen_through(const Along& what) const {
  Along out{what.dim, {}};
  for (const Segment& s : what.segments) {
    const Along* inner = s.source.is_literal() ? nullptr : &along_[s.source.id];
    if (!inner || inner->dim != what.dim) {
      out.segments.push_back(s);
      continue;
    }
    for (const Segment& t : inner->segments) {
      const std::int64_t first = std::max(t.at, s.from), last = std::min(t.at + t.length, s.from + s.length);
      if (first < last) out.segments.push_back({s.at + first - s.from, last - first, t.source, t.from + first - t.at});
    }
  }
  return out.segments.size() > most_segments ? Along{} : out;
}

// One box of an array, and the same number everywhere else.
std::optional<Window> Views::window(const Eqn& e, const std::vector<Piece>& pieces) const {
  Window out;
  for (const Piece& piece : pieces) {
    const Atom& operand = e.operands[piece.operand];
    if (p_.type(operand).ndim() == 0) {
      if (out.fill && !(*out.fill == operand)) return std::nullopt;
      out.fill = operand;
      continue;
    }
    if (out.source >= 0 || operand.is_literal()) return std::nullopt;
    out.source = operand.id;
    for (std::size_t d = 0; d < piece.extents.size(); ++d)
      out.spans.push_back({piece.from[d] - piece.start[d], piece.from[d], piece.from[d] + piece.extents[d]});
  }
  if (out.source < 0) return std::nullopt;
  return seen_through(out);
}

std::optional<Window> Views::seen_through(const Window& outer) const {
  const std::optional<Window>& inner = windows_[outer.source];
  if (!inner) return outer;
  if (outer.fill && inner->fill && !(*outer.fill == *inner->fill)) return outer;
  Window out{inner->source, outer.fill ? outer.fill : inner->fill, {}};
  for (std::size_t d = 0; d < outer.spans.size(); ++d) {
    const Window::Span &o = outer.spans[d], &i = inner->spans[d];
    out.spans.push_back({o.start + i.start, std::max(i.low, o.low + i.start), std::min(i.high, o.high + i.start)});
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
