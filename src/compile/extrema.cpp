// The place of an extremum becomes two reductions: the extremum, then the first place where it is. Both are loops,
// which go over the same rows together and compute on their way what they read.
#include <algorithm>

#include "compile/passes.hpp"
#include "ops/elementwise/bits.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/movement.hpp"
#include "ops/reduction/argmax.hpp"
#include "ops/reduction/reduce.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kFewest = 4096;  // elements: less is quickly looked through, and needs no machine code

class Extrema {
 public:
  Extrema(const Program& p, bool within) : out_(p), fewest_(within ? 1 : kFewest) { out_.eqns.clear(); }

  Program run(const Program& p) {
    for (const Eqn& e : p.eqns) {
      const std::optional<ops::PlaceOf> place = ops::place_of(e);
      if (place && in_loops(p.type(e.operands[0])))
        two_reductions(e, *place);
      else
        out_.eqns.push_back(e);
    }
    return std::move(out_);
  }

 private:
  bool in_loops(const Type& t) const {
    return t.num_elements() >= fewest_ && (t.dtype.is_integer() || t.dtype.is_floating()) && !t.dtype.is_complex();
  }

  Atom added(const Eqn& like, const Op& op, Params params, std::vector<Atom> operands, DType dtype, Shape shape) {
    out_.types.push_back(ops::type(dtype, std::move(shape)));
    const auto v = static_cast<ValueId>(out_.types.size()) - 1;
    out_.eqns.push_back({&op, std::move(params), std::move(operands), {v}, {}, like.loc});
    return v;
  }

  // An extremum that is NaN is where its operand is.
  void two_reductions(const Eqn& e, const ops::PlaceOf& place) {
    const Atom x = e.operands[0];
    const DType dtype = out_.type(x).dtype;
    const Shape shape = out_.type(x).shape, rest = out_.types[e.results[0]].shape;
    lax::Dims kept;
    for (int d = 0; d < shape.ndim(); ++d)
      if (d != place.axis) kept.push_back(d);
    auto all = [&](const Atom& a, DType d) {
      return added(e, ops::broadcast_in_dim, ops::BroadcastInDim{shape, a.is_literal() ? lax::Dims{} : kept}, {a}, d,
                   shape);
    };
    const Op& reduce = place.extremum == Op::Reduce::max ? ops::reduce_max : ops::reduce_min;
    const Atom extremum = added(e, reduce, ops::Reduction{{place.axis}}, {x}, dtype, rest);
    Atom found = added(e, ops::eq, {}, {x, all(extremum, dtype)}, bool_, shape);
    if (dtype.is_floating()) {
      const Atom nan = added(e, ops::ne, {}, {x, x}, bool_, shape);
      found = added(e, ops::bitwise_or, {}, {found, nan}, bool_, shape);
    }
    const Atom number = added(e, ops::iota, ops::Iota{place.index, shape, place.axis}, {}, place.index, shape);
    const Atom past = all(Atom(Scalar(shape[place.axis] - 1).to(place.index), false), place.index);
    const Atom here = added(e, ops::select, {}, {found, number, past}, place.index, shape);
    out_.eqns.push_back(
        {&static_cast<const Op&>(ops::reduce_min), ops::Reduction{{place.axis}}, {here}, e.results, {}, e.loc});
  }

  Program out_;
  const std::int64_t fewest_;
};

}  // namespace

Program places_of_extrema(Program program, bool within) {
  const bool any =
      std::any_of(program.eqns.begin(), program.eqns.end(), [](const Eqn& e) { return ops::place_of(e).has_value(); });
  if (any) return Extrema(program, within).run(program);
  return program;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
