#include "transform/complex_parts.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "ir/replay.hpp"
#include "transform/interpret.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {
namespace {

bool any_complex(const Program& p, const Eqn& e) {
  return std::any_of(e.operands.begin(), e.operands.end(),
                     [&](const Atom& a) { return p.type(a).dtype.is_complex(); }) ||
         std::any_of(e.results.begin(), e.results.end(), [&](ValueId v) { return p.types[v].dtype.is_complex(); });
}
bool goes_by_parts(const Program& p, const Eqn& e) { return e.op->in_parts && any_complex(p, e); }
// What moves the elements of one array moves those of its parts.
bool moves_parts(const Program& p, const Eqn& e) {
  return e.op->movement && e.op->view && e.operands.size() == 1 && any_complex(p, e);
}

// A complex value whole, in parts, or both; what is missing is made when it is asked for. Others are whole.
struct ComplexValue {
  Array whole, re, im;
  bool in_parts() const { return re.has_value(); }
};
using ComplexRef = std::shared_ptr<ComplexValue>;

const Array& whole_of(const ComplexRef& x) {
  if (!x->whole.has_value()) x->whole = lax::complex(x->re, x->im);
  return x->whole;
}
void take_apart(const ComplexRef& x) {
  if (x->in_parts()) return;
  x->re = lax::real(x->whole);
  x->im = lax::imag(x->whole);
}
ComplexRef of_parts(Array re, Array im) {
  return std::make_shared<ComplexValue>(ComplexValue{{}, std::move(re), std::move(im)});
}

ComplexRef literal_in_parts(const Atom& a) {
  if (!a.literal.dtype.is_complex()) return std::make_shared<ComplexValue>(ComplexValue{literal_array(a), {}, {}});
  auto part = [&](double v) { return array_from_scalar(Scalar(v).to(real_dtype(a.literal.dtype)), a.weak); };
  return std::make_shared<ComplexValue>(ComplexValue{literal_array(a), part(a.literal.real), part(a.literal.imag)});
}

std::vector<ComplexRef> step_in_parts(const Program& p, const Eqn& e, const std::vector<ComplexRef>& operands) {
  if (goes_by_parts(p, e)) {
    std::vector<Array> parts;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!p.type(e.operands[i]).dtype.is_complex()) {
        parts.push_back(operands[i]->whole);
        continue;
      }
      take_apart(operands[i]);
      parts.insert(parts.end(), {operands[i]->re, operands[i]->im});
    }
    std::vector<Array> made = e.op->in_parts(call_of(p, e), parts);
    for (Array& x : made) x = with_weak(x, p.types[e.results[0]].weak);
    if (made.size() == 2) return {of_parts(made[0], made[1])};
    return {std::make_shared<ComplexValue>(ComplexValue{made.at(0), {}, {}})};
  }
  if (moves_parts(p, e) && (!operands[0]->whole.has_value() || e.operands[0].is_literal()))
    return {of_parts(bind(e, {operands[0]->re})[0], bind(e, {operands[0]->im})[0])};
  std::vector<Array> in;
  for (const ComplexRef& x : operands) in.push_back(whole_of(x));
  Eqn same = e;
  if (!e.op->binds)  // bodies of regions name axes, which are bound there
    for (ProgramPtr& sub : same.subs) sub = complex_parts(sub);
  std::vector<ComplexRef> out;
  for (Array& y : tutti::bind(same, std::move(in)))
    out.push_back(std::make_shared<ComplexValue>(ComplexValue{std::move(y), {}, {}}));
  return out;
}

bool wants_parts(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [&](const Eqn& e) {
    return goes_by_parts(p, e) || (!e.op->binds && std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& sub) {
             return wants_parts(*sub);
           }));
  });
}

}  // namespace

ProgramPtr complex_parts(const ProgramPtr& program) {
  const Program& p = *program;
  if (!wants_parts(p)) return program;
  Recording recording("complex parts", {});
  std::vector<ComplexRef> inputs;
  for (std::size_t i = 0; i < p.inputs.size(); ++i)
    inputs.push_back(
        std::make_shared<ComplexValue>(ComplexValue{recording.input(p.type(p.inputs[i]), input_name(p, i)), {}, {}}));
  Environment<ComplexRef> env(p, inputs, literal_in_parts);
  std::vector<Array> outputs;
  const auto made =
      replay(p, env, [&](const Eqn& e, const std::vector<ComplexRef>& x) { return step_in_parts(p, e, x); });
  for (std::size_t k = 0; k < made.size(); ++k)
    outputs.push_back(with_weak(whole_of(made[k]), p.type(p.outputs[k]).weak));
  return recording.close(outputs);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
