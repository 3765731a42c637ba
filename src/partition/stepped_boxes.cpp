#include "partition/stepped_boxes.hpp"

#include <algorithm>

#include "ops/movement/concatenate.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/slice.hpp"

namespace tutti {

Atom SteppedBoxes::reshaped(const Atom& x, Shape shape, Layout layout, Loc loc) {
  const Atom out = make(ops::reshape, ops::Reshape{std::move(shape)}, {x}, loc);
  out_.layouts[out.id] = layout;
  return out;
}

Atom SteppedBoxes::with_steps(const Atom& x, int d, std::int64_t step, Layout apart, Loc loc) {
  apart.dims.insert(apart.dims.begin() + d + 1, AxisRefs{});
  Shape shape = type(x).shape;
  shape[d] /= step;
  shape.insert(d + 1, step);
  return reshaped(x, std::move(shape), apart, loc);
}

Atom SteppedBoxes::without_steps(const Atom& x, int d, Loc loc) {
  Layout layout = out_.layouts[x.id];
  layout.dims.erase(layout.dims.begin() + d + 1);
  Shape shape = type(x).shape;
  shape[d] *= shape[d + 1];
  shape.erase(d + 1);
  return reshaped(x, std::move(shape), layout, loc);
}

Atom SteppedBoxes::box(const Atom& x, const std::vector<Range>& ranges, const std::optional<Atom>& fill, Loc loc) {
  const Shape shape = type(x).shape;
  const Layout layout = out_.layouts[x.id];
  ops::SliceParams s{lax::Dims(shape.size(), 0), shape.dims(), lax::Dims(shape.size(), 1)};
  ops::Pad pad{std::vector<lax::PadDim>(shape.size())};
  bool slices = false, pads = false;
  for (int d = 0; d < shape.ndim(); ++d) {
    const auto k = static_cast<std::size_t>(d);
    const auto [from, to] = ranges[k];
    s.start[k] = std::clamp<std::int64_t>(from, 0, shape[d]);
    s.limit[k] = std::clamp<std::int64_t>(to, s.start[k], shape[d]);
    pad.config[k].low = std::min(std::max<std::int64_t>(0, -from), to - from);
    pad.config[k].high = to - from - pad.config[k].low - (s.limit[k] - s.start[k]);
    slices = slices || s.limit[k] - s.start[k] != shape[d];
    pads = pads || pad.config[k].low != 0 || pad.config[k].high != 0;
  }
  Atom out = x;
  if (slices) out = make(ops::slice, s, {out}, loc);
  if (pads) out = make(ops::pad, pad, {out, *fill}, loc);
  if (slices || pads) out_.layouts[out.id] = layout;
  return out;
}

std::vector<Range> SteppedBoxes::all_of(const Atom& x) const {
  std::vector<Range> out;
  for (std::int64_t n : type(x).shape) out.push_back({0, n});
  return out;
}

// Elements from..to-1 of all steps of dim `d`, without that dim where it is one; else with another one before it, so
// that they stand for themselves and are moved without the others.
Atom SteppedBoxes::of_steps(const Atom& x, int d, Range elements, Loc loc) {
  auto [at, fresh] = of_steps_.try_emplace({x.id, d, elements.from, elements.to});
  if (!fresh) return at->second;
  std::vector<Range> ranges = all_of(x);
  ranges[static_cast<std::size_t>(d) + 1] = elements;
  const Atom some = box(x, ranges, std::nullopt, loc);
  Layout layout = out_.layouts[some.id];
  Shape shape = type(some).shape;
  if (elements.to - elements.from == 1) {
    shape.erase(d + 1);
    layout.dims.erase(layout.dims.begin() + d + 1);
  } else {
    shape.insert(d + 1, 1);
    layout.dims.insert(layout.dims.begin() + d + 1, AxisRefs{});
  }
  return of_steps_[{x.id, d, elements.from, elements.to}] = reshaped(some, std::move(shape), layout, loc);
}

// Of these the ones of steps.from..to-1, as two dims.
Atom SteppedBoxes::part_of(const Atom& x, int d, Range steps, Range elements, const std::optional<Atom>& fill,
                           Loc loc) {
  const bool all = elements.to - elements.from == type(x).shape[d + 1];
  const Atom some = all ? x : of_steps(x, d, elements, loc);
  std::vector<Range> ranges = all_of(some);
  ranges[static_cast<std::size_t>(d)] = steps;
  const Atom out = box(some, ranges, fill, loc);
  if (all) return out;
  Shape shape = type(x).shape;
  shape[d] = steps.to - steps.from;
  shape[d + 1] = elements.to - elements.from;
  return reshaped(out, std::move(shape), out_.layouts[x.id], loc);
}

Atom SteppedBoxes::taken(const Seen& seen, std::vector<Range> ranges, Loc loc) {
  Atom out = seen.source;
  for (const Stepped& s : seen.dims) {
    // Elements of a step are those of one step of the source, and then of the next one.
    const auto d = static_cast<std::size_t>(s.dim);
    const std::int64_t whole = (s.offset >= 0 ? s.offset : s.offset - s.step + 1) / s.step,
                       rest = s.offset - whole * s.step;
    std::vector<Atom> parts;
    for (const std::int64_t next : {0, 1}) {
      const std::int64_t from = std::max(ranges[d + 1].from, next == 0 ? 0 : s.step - rest),
                         to = std::min(ranges[d + 1].to, next == 0 ? s.step - rest : s.step);
      if (from < to)
        parts.push_back(part_of(out, s.dim, {ranges[d].from + whole + next, ranges[d].to + whole + next},
                                {from + rest - next * s.step, to + rest - next * s.step}, seen.fill, loc));
    }
    const Layout layout = out_.layouts[parts[0].id];
    out = parts.size() == 1 ? parts[0] : make(ops::concatenate, ops::Concatenate{s.dim + 1}, parts, loc);
    out_.layouts[out.id] = layout;
  }
  for (const Stepped& s : seen.dims)
    for (const int d : {s.dim, s.dim + 1}) ranges[static_cast<std::size_t>(d)] = {0, type(out).shape[d]};
  return box(out, ranges, seen.fill, loc);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
