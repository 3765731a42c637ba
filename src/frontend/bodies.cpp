#include "frontend/bodies.hpp"

#include <unordered_map>

#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

// The program with one input for each of `all` behind its own, in that order.
ProgramPtr with_all_captured(const Traced& recorded, const std::vector<Array>& all) {
  Program p = *recorded.program;
  std::size_t own = p.inputs.size() - recorded.captured.size();
  std::unordered_map<const ArrayNode*, ValueId> inputs;
  for (std::size_t i = 0; i < recorded.captured.size(); ++i)
    inputs.emplace(recorded.captured[i].node().get(), p.inputs[own + i]);
  p.inputs.resize(own);
  for (const Array& x : all) {
    auto [at, fresh] = inputs.try_emplace(x.node().get(), static_cast<ValueId>(p.types.size()));
    if (fresh) p.types.push_back(x.type());
    p.inputs.push_back(at->second);
  }
  p.input_names.clear();
  return std::make_shared<Program>(std::move(p));
}

}  // namespace

void Bodies::add(const std::vector<Type>& inputs, int derivatives,
                 const std::function<std::vector<Array>(const std::vector<Array>&)>& body) {
  recorded_.push_back(record(what_, made_, inputs, body, derivatives));
}

std::vector<Array> Bodies::captured() const {
  std::vector<Array> out;
  std::unordered_map<const ArrayNode*, bool> seen;
  for (const Traced& t : recorded_)
    for (const Array& x : t.captured)
      if (seen.emplace(x.node().get(), true).second) out.push_back(x);
  return out;
}

std::vector<ProgramPtr> Bodies::programs() const {
  const std::vector<Array> all = captured();
  std::vector<ProgramPtr> out;
  for (const Traced& t : recorded_) out.push_back(with_all_captured(t, all));
  return out;
}

std::vector<Array> Bodies::bind(const Op& op, Params params, const std::vector<Array>& args) const {
  std::vector<Array> all = captured(), operands = args;
  operands.insert(operands.end(), all.begin(), all.end());
  CallScope scope(made_);
  return tutti::bind(op, std::move(params), std::move(operands), programs());
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
