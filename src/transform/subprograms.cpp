#include "transform/subprograms.hpp"

#include <algorithm>

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti {

void Bodies::add(const std::vector<Type>& inputs,
                 const std::function<std::vector<Array>(const std::vector<Array>&)>& body) {
  auto trace = std::make_shared<Trace>(Trace::Mode::staged, what_, made_);
  std::vector<Array> in;
  for (const Type& t : inputs) in.push_back(trace->input(t));
  TraceScope scope(trace);
  recorded_.push_back(trace->close(body(in)));
}

std::vector<Array> Bodies::bind(const Op& op, Params params, const std::vector<Array>& args) const {
  std::vector<Array> captured;
  auto place = [&](const Array& x) {
    return std::find_if(captured.begin(), captured.end(), [&](const Array& c) { return c.node() == x.node(); }) -
           captured.begin();
  };
  for (const Traced& t : recorded_)
    for (const Array& x : t.captured)
      if (place(x) == static_cast<std::ptrdiff_t>(captured.size())) captured.push_back(x);
  std::vector<ProgramPtr> subs;
  for (const Traced& t : recorded_) {
    Program p = *t.program;
    std::size_t own = p.inputs.size() - t.captured.size();
    std::vector<ValueId> theirs(captured.size(), -1);
    for (std::size_t i = 0; i < t.captured.size(); ++i)
      theirs[static_cast<std::size_t>(place(t.captured[i]))] = p.inputs[own + i];
    p.inputs.resize(own);
    for (std::size_t i = 0; i < captured.size(); ++i) {
      if (theirs[i] < 0) {
        p.types.push_back(captured[i].type());
        theirs[i] = static_cast<ValueId>(p.types.size()) - 1;
      }
      p.inputs.push_back(theirs[i]);
    }
    p.input_names.clear();
    subs.push_back(std::make_shared<Program>(std::move(p)));
  }
  std::vector<Array> operands = args;
  append(operands, captured);
  CallScope scope(made_);
  return tutti::bind(op, std::move(params), std::move(operands), std::move(subs));
}

std::vector<bool> present(const std::vector<Array>& xs) {
  std::vector<bool> out;
  for (const Array& x : xs) out.push_back(x.has_value());
  return out;
}

std::vector<Type> with_tangent_types(const std::vector<Type>& types) {
  std::vector<Type> out = types;
  for (const Type& t : types)
    if (has_tangent(t)) out.push_back(t);
  return out;
}

std::vector<Array> instantiated(const std::vector<Array>& tangents, const std::vector<Array>& primals, std::size_t n) {
  std::vector<Array> out;
  for (std::size_t i = 0; i < n; ++i)
    if (has_tangent(primals[i].type()))
      out.push_back(tangents[i].has_value() ? tangents[i] : zeros_of(primals[i].type()));
  return out;
}

std::vector<Array> spread_tangents(const std::vector<Array>& out, std::size_t n) {
  std::vector<Array> spread(n);
  std::size_t next = n;
  for (std::size_t k = 0; k < n; ++k)
    if (has_tangent(out[k].type())) spread[k] = out.at(next++);
  return spread;
}

ProgramPtr batch_all(const Program& program, const std::vector<bool>& mapped, const BatchAxis& axis,
                     const std::vector<bool>* keep) {
  BatchedProgram batched = batch(program, mapped, axis);
  Recording recording("vmap", {});
  std::vector<Array> in;
  for (ValueId v : batched.program->inputs) in.push_back(recording.input(batched.program->type(v)));
  std::vector<Array> out = tutti::apply(*batched.program, in);
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (!batched.mapped[k]) out[k] = lax::broadcast(out[k], Shape{axis.size});
    if (keep && !(*keep)[k]) out[k] = lax::reduce_sum(out[k], {0});
  }
  return recording.close(out);
}

}  // namespace tutti
