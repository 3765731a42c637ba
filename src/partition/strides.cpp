#include "partition/strides.hpp"

#include <algorithm>

#include "ir/op.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/slice.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

class Stepping : Rewriting {
 public:
  explicit Stepping(const ShardedProgram& sharded) : Rewriting(sharded) {}

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      auto [e, bodies] = entered(i, with_steps_as_dims);
      const bool slice = e.op == &ops::slice && add_slice(e), pad = !slice && e.op == &ops::pad && add_pad(e);
      changed_ = changed_ || slice || pad;
      if (!slice && !pad) push(std::move(e), std::move(bodies));
    }
    return done();
  }

 private:
  // Where a value and its dim of `extent` elements are sharded, and blocks are made of whole steps.
  const AxisRefs* cut(ValueId v, int d, std::int64_t extent, std::int64_t step) const {
    const AxisRefs& axes = out_.layouts[v].dims[d];
    const std::int64_t ways = out_.layouts[v].ways(d);
    return ways > 1 && extent % (ways * step) == 0 ? &axes : nullptr;
  }

  Atom reshaped(const Atom& x, Shape shape, const Layout& layout, Loc loc) {
    const Atom out = make(ops::reshape, ops::Reshape{std::move(shape)}, {x}, loc);
    out_.layouts[out.id] = layout;
    return out;
  }

  // Elements m, m + step ... of dim d, which is cut.
  Atom every(const Atom& x, int d, std::int64_t m, std::int64_t step, Loc loc) {
    const Layout layout = out_.layouts[x.id];
    Layout apart = layout;
    apart.dims.insert(apart.dims.begin() + d + 1, AxisRefs{});
    Shape shape = type(x).shape;
    shape[d] /= step;
    const Shape once = shape;
    shape.insert(d + 1, step);
    const Atom steps = reshaped(x, shape, apart, loc);
    ops::SliceParams s{lax::Dims(shape.size(), 0), shape.dims(), lax::Dims(shape.size(), 1)};
    s.start[static_cast<std::size_t>(d) + 1] = m;
    s.limit[static_cast<std::size_t>(d) + 1] = m + 1;
    const Atom one = make(ops::slice, s, {steps}, loc);
    out_.layouts[one.id] = apart;
    return reshaped(one, once, layout, loc);
  }

  bool add_slice(const Eqn& e) {
    if (e.operands[0].is_literal()) return false;
    auto s = e.params.get<ops::SliceParams>();
    Atom x = e.operands[0];
    for (int d = 0; d < type(x).ndim(); ++d) {
      const std::int64_t step = s.strides[d], n = type(x).shape[d];
      if (step == 1 || type(x).dtype.is_key() || s.limit[d] == s.start[d] || !cut(x.id, d, n, step)) continue;
      const std::int64_t length = (s.limit[d] - s.start[d] - 1) / step + 1;
      x = every(x, d, s.start[d] % step, step, e.loc);
      s.start[d] /= step;
      s.limit[d] = s.start[d] + length;
      s.strides[d] = 1;
    }
    if (x == e.operands[0]) return false;
    make(ops::slice, s, {x}, e.loc, e.results[0]);
    return true;
  }

  // Elements of dim d are number m of steps, whose others are `fill`.
  Atom among(const Atom& x, const Atom& fill, int d, std::int64_t m, std::int64_t step, Loc loc) {
    const Layout layout = out_.layouts[x.id];
    Layout apart = layout;
    apart.dims.insert(apart.dims.begin() + d + 1, AxisRefs{});
    Shape shape = type(x).shape;
    Shape all = shape;
    all[d] *= step;
    shape.insert(d + 1, 1);
    ops::Pad pad{std::vector<lax::PadDim>(shape.size())};
    pad.config[static_cast<std::size_t>(d) + 1] = {m, step - 1 - m, 0};
    const Atom steps = make(ops::pad, pad, {reshaped(x, shape, apart, loc), fill}, loc);
    out_.layouts[steps.id] = apart;
    return reshaped(steps, all, layout, loc);
  }

  bool add_pad(const Eqn& e) {
    auto pad = e.params.get<ops::Pad>();
    const ValueId r = e.results[0];
    std::vector<std::pair<int, std::int64_t>> dims;  // and where in a step the elements are
    Layout layout = out_.layouts[r];
    for (int d = 0; d < p_.types[r].ndim(); ++d) {
      lax::PadDim& config = pad.config[static_cast<std::size_t>(d)];
      const std::int64_t step = config.interior + 1, n = p_.types[r].shape[d], of = p_.type(e.operands[0]).shape[d];
      if (step == 1 || config.low < 0 || config.high < 0 || of == 0 || !cut(r, d, n, step)) continue;
      const std::int64_t low = config.low / step;
      dims.emplace_back(d, config.low % step);
      config = {low, n / step - low - of, 0};
    }
    if (dims.empty()) return false;
    Atom x = make(ops::pad, pad, {e.operands[0], e.operands[1]}, e.loc);
    out_.layouts[x.id] = layout;
    for (const auto& [d, m] : dims) {
      const std::int64_t step = e.params.get<ops::Pad>().config[static_cast<std::size_t>(d)].interior + 1;
      x = among(x, e.operands[1], d, m, step, e.loc);
    }
    // The last reshape makes the result.
    Eqn last = std::move(eqns_.back());
    eqns_.pop_back();
    last.results = {r};
    eqns_.push_back(std::move(last));
    return true;
  }
};

}  // namespace

ShardedProgram with_steps_as_dims(const ShardedProgram& sharded) { return Stepping(sharded).run(); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
