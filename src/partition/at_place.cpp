#include "partition/at_place.hpp"

#include <map>

#include "ops/collective/collective.hpp"

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

ProgramPtr numbered(const ProgramPtr& program, const Places& places) {
  auto out = std::make_shared<Program>(*program);
  std::map<ValueId, Atom> numbers;
  auto put = [&](Atom& a) {
    if (a.is_literal()) return;
    if (const auto known = numbers.find(a.id); known != numbers.end()) a = known->second;
  };
  out->eqns.clear();
  for (Eqn e : program->eqns) {
    if (e.op == &ops::axis_index) {
      numbers.emplace(e.results[0], Atom(Scalar(position_in_group(e, places)), false));
      continue;
    }
    for (Atom& a : e.operands) put(a);
    for (ProgramPtr& sub : e.subs) sub = numbered(sub, places);
    out->eqns.push_back(std::move(e));
  }
  for (Atom& a : out->outputs) put(a);
  return out;
}

}  // namespace

LocalProgram at_place(const LocalProgram& local, const Places& places) {
  LocalProgram out = local;
  out.program = numbered(local.program, places);
  return out;
}

}  // namespace tutti
