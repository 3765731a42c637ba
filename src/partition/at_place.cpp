#include "partition/at_place.hpp"

#include <algorithm>

#include "array/evaluate.hpp"
#include "array/literal.hpp"
#include "array/node.hpp"
#include "base/loc_override.hpp"
#include "ops/collective/collective.hpp"
#include "partition/writer.hpp"

namespace tutti {
namespace {

std::int32_t position_in_group(const Eqn& e, const Places& places) {
  const std::vector<std::int64_t> here = coordinates(places.mesh, places.here);
  std::int64_t out = 0;
  for (const std::string& name : e.params.get<Group>().axes) {
    const int axis = places.mesh.axis_index(name);
    out = out * places.mesh.shape()[axis] + here[axis];
  }
  return static_cast<std::int32_t>(out);
}

class AtPlace {
 public:
  AtPlace(const Program& program, const Places& places) : p_(program), places_(places), writer_(program) {}

  ProgramPtr run() {
    for (const Eqn& e : p_.eqns) append(writer_.now(e));
    return writer_.done();
  }

 private:
  void append(Eqn e) {
    if (e.op == &ops::axis_index) {
      writer_.is(e.results[0], Atom(Scalar(position_in_group(e, places_)), false));
    } else if (is_counting(e)) {
      writer_.is(e.results[0], counted(e));
    } else if (const ProgramPtr simple = simpler(e)) {
      const std::vector<Atom> results = writer_.put(*simple, e.operands);
      for (std::size_t k = 0; k < results.size(); ++k) writer_.is(e.results[k], results[k]);
    } else {
      for (ProgramPtr& sub : e.subs) sub = AtPlace(*sub, places_).run();
      writer_.add(std::move(e));
    }
  }

  // Whether it makes a whole number, or a bool, of numbers: so no rounding depends on who computes it.
  bool is_counting(const Eqn& e) const {
    if (e.results.size() != 1 || e.operands.empty() || !e.subs.empty() || !e.op->eval || e.op->collective ||
        e.op->effect || e.op->host)
      return false;
    auto whole = [](const Type& t) { return t.ndim() == 0 && (t.dtype.is_integer() || t.dtype.is_bool()); };
    return whole(writer_.type(e.results[0])) && std::all_of(e.operands.begin(), e.operands.end(), [&](const Atom& a) {
             return a.is_literal() && whole(writer_.type(a));
           });
  }
  Atom counted(const Eqn& e) const {
    std::vector<Type> types;
    std::vector<std::int64_t> values(e.operands.size());
    std::vector<HostView> operands;
    for (std::size_t i = 0; i < values.size(); ++i) {
      types.push_back(writer_.type(e.operands[i]));
      write_scalar(e.operands[i].literal, types[i].dtype, &values[i]);
      operands.push_back({types[i], &values[i]});
    }
    const Type type = writer_.type(e.results[0]);
    std::int64_t bytes = 0, integer = 0;
    const HostView result[] = {{type, &bytes}};
    evaluate(e, types, operands, result);
    convert_elements(type.dtype, &bytes, int64, &integer, 1);
    Scalar value(integer);
    value.dtype = type.dtype;
    return Atom(value, type.weak);
  }

  // Branches and loops stay as they are: messages in them are those of all processes.
  ProgramPtr simpler(const Eqn& e) const {
    if (!e.op->simpler || !e.subs.empty()) return nullptr;
    Call call{*e.op, e.params, {}, e.subs};
    for (const Atom& a : e.operands) call.operands.push_back(writer_.type(a));
    LocOverride line(e.loc);
    return e.op->simpler(call, e.operands);
  }

  const Program& p_;
  const Places& places_;
  Writer writer_;
};

}  // namespace

LocalProgram at_place(const LocalProgram& local, const Places& places) {
  LocalProgram out = local;
  out.program = AtPlace(*local.program, places).run();
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
