#include "api/finite.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "api/execute.hpp"
#include "array/literal.hpp"
#include "base/half.hpp"
#include "base/loop_steps.hpp"
#include "device/client.hpp"
#include "ir/loop_form.hpp"
#include "ir/replay.hpp"
#include "partition/manual_regions.hpp"
#include "propagate/sites.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/config.hpp"
#include "tutti/distributed/distributed.hpp"

namespace tutti {
namespace {

// What is forbidden, in words; nothing where a buffer holds none of it.
const char* found_in(const Type& type, const BufferPtr& anywhere) {
  if (!type.dtype.is_inexact()) return nullptr;
  const bool nans = config::debug_nans(), infs = config::debug_infs();
  bool nan = false, inf = false;
  const HostPtr buffer = fetched(anywhere, type.dtype, type.shape);
  visit_dtype(type.dtype, [&]<class T>(Stored<T>) {
    const T* x = static_cast<const T*>(buffer->data());
    const auto held = static_cast<std::int64_t>(buffer->bytes() / sizeof(T));  // of an array, by this process
    for (std::int64_t i = 0; i < std::min(held, type.num_elements()); ++i) {
      auto look = [&](auto v) {
        nan |= std::isnan(v);
        inf |= std::isinf(v);
      };
      if constexpr (is_complex_number<T>) {
        look(x[i].real());
        look(x[i].imag());
      } else {
        look(static_cast<double>(x[i]));
      }
    }
  });
  return nans && nan ? "a NaN" : infs && inf ? "an infinity" : nullptr;
}

// The program without those whom it tells something: they have been told.
ProgramPtr silent(const ProgramPtr& program) {
  if (!has_effect(*program)) return program;
  auto out = std::make_shared<Program>(*program);
  std::erase_if(out->eqns, [](const Eqn& e) { return e.op->effect && e.results.empty(); });
  for (Eqn& e : out->eqns)
    for (ProgramPtr& sub : e.subs) sub = silent(sub);
  return out;
}

// Runs a program as its backend does, but Eqn by Eqn, bodies of loops step by step.
class Search {
 public:
  std::vector<BufferPtr> run(const Program& p, const std::vector<BufferPtr>& inputs) {
    Environment<BufferPtr> env(p, inputs, [](const Atom& a) {
      HostPtr b = allocate_buffer(static_cast<std::size_t>(a.literal.dtype.size()));
      write_scalar(a.literal, a.literal.dtype, b->data());
      return b;
    });
    return replay(p, env, [&](const Eqn& e, const std::vector<BufferPtr>& operands) { return step(p, e, operands); });
  }

 private:
  std::vector<BufferPtr> step(const Program& p, const Eqn& e, const std::vector<BufferPtr>& operands) {
    std::vector<BufferPtr> results = alone(p, e, operands);
    const char* made = nullptr;
    for (std::size_t k = 0; k < results.size() && !made; ++k) made = found_in(p.type(e.results[k]), results[k]);
    for (std::size_t i = 0; i < operands.size() && made; ++i)
      if (found_in(p.type(e.operands[i]), operands[i])) made = nullptr;
    if (made || (!e.subs.empty() && holds_any(p, e, results))) inside(e, operands);
    if (made) refuse(e, made);
    return results;
  }

  bool holds_any(const Program& p, const Eqn& e, const std::vector<BufferPtr>& results) const {
    for (std::size_t k = 0; k < results.size(); ++k)
      if (found_in(p.type(e.results[k]), results[k])) return true;
    return false;
  }

  std::vector<BufferPtr> alone(const Program& p, const Eqn& e, const std::vector<BufferPtr>& operands) {
    Program one;
    Eqn eqn = e;
    auto define = [&](const Type& type) {
      one.types.push_back(type);
      return static_cast<ValueId>(one.types.size()) - 1;
    };
    for (Atom& a : eqn.operands) {
      a = define(p.type(a));
      one.inputs.push_back(a.id);
    }
    for (ValueId& r : eqn.results) {
      r = define(p.type(r));
      one.outputs.emplace_back(r);
    }
    one.eqns.push_back(std::move(eqn));
    return compiled(on_one_device(std::move(one)), {})->run(operands);
  }

  // The turns of a loop, or the branch that is taken. A turn that makes what is forbidden ends the search.
  void inside(const Eqn& e, const std::vector<BufferPtr>& operands) {
    const std::optional<LoopForm> form = loop_form(e);
    if (!form) return;
    if (form->kind == LoopForm::Kind::branch) {
      std::int32_t index;
      std::memcpy(&index, on_host(operands[0]).data(), sizeof index);
      const auto last = static_cast<std::int32_t>(e.subs.size()) - 1;
      run(*e.subs[static_cast<std::size_t>(std::clamp(index, std::int32_t{0}, last))],
          {operands.begin() + 1, operands.end()});
      return;
    }
    std::vector<BufferPtr> carries(e.results.size());
    for (const LoopForm::Input& in : form->bodies[form->body].inputs)
      if (in.result >= 0) carries[in.result] = operands[in.operand];
    auto inputs = [&](int sub, std::int64_t at) {
      std::vector<BufferPtr> out;
      const Program& body = *e.subs[sub];
      for (std::size_t i = 0; i < body.inputs.size(); ++i) {
        const LoopForm::Input& in = form->bodies[sub].inputs[i];
        out.push_back(in.result >= 0 ? carries[in.result] : operands[in.operand]);
        if (in.way != LoopForm::Way::slice) continue;
        const auto bytes = static_cast<std::size_t>(body.types[body.inputs[i]].nbytes());
        HostPtr slice = allocate_buffer(bytes);
        if (bytes)
          std::memcpy(slice->data(),
                      static_cast<char*>(on_host(out.back()).data()) + at * static_cast<std::int64_t>(bytes), bytes);
        out.back() = std::move(slice);
      }
      return out;
    };
    LoopStep here;
    for (std::int64_t turn = 0; form->condition >= 0 || turn < form->length; ++turn) {
      here.at(turn);
      const std::int64_t at = form->reverse ? form->length - 1 - turn : turn;
      if (form->condition >= 0 &&
          !*static_cast<bool*>(on_host(run(*e.subs[form->condition], inputs(form->condition, at))[0]).data()))
        return;
      const std::vector<BufferPtr> made = run(*e.subs[form->body], inputs(form->body, at));
      for (std::size_t k = 0; k < made.size(); ++k)
        if (const LoopForm::Output& to = form->bodies[form->body].outputs[k]; !to.stacked) carries[to.result] = made[k];
    }
  }

  [[noreturn]] void refuse(const Eqn& e, const char* made) {
    const std::string steps = steps_text(LoopStep::all()), where = steps.empty() ? "" : " in " + steps;
    raise<FloatingPointError>(e.op->name, std::string("it made ") + made + where + ", of operands that have none",
                              "config::debug_nans and config::debug_infs watch for this.", e.loc);
  }
};

}  // namespace

bool finite_is_asked() { return config::debug_nans() || config::debug_infs(); }

void check_finite(const ProgramPtr& program, const std::string& what, std::span<const BufferPtr> inputs,
                  std::span<const BufferPtr> results) {
  const char* found = nullptr;
  for (std::size_t k = 0; k < results.size() && !found; ++k)
    found = found_in(program->type(program->outputs[k]), results[k]);
  if (!found) return;
  if (process_count() > 1)
    raise<FloatingPointError>(
        what,
        std::string("a result holds ") + found + " in what process " + std::to_string(process_index()) + " has of it",
        "Run it in one process to learn which operation made it.");
  const ProgramPtr plain = silent(without_constraints(open_manual_regions(program)));
  std::vector<BufferPtr> given_here;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Type& type = program->type(program->inputs[i]);
    given_here.push_back(fetched(inputs[i], type.dtype, type.shape));
  }
  Search().run(*plain, given_here);
  std::string given;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (found_in(program->type(program->inputs[i]), inputs[i])) {
      const std::string name = i < program->input_names.size() ? program->input_names[i] : "";
      given += (given.empty() ? "" : ", ") + (name.empty() ? "operand " + std::to_string(i) : name);
    }
  raise<FloatingPointError>(
      what, std::string("a result holds ") + found + (given.empty() ? "" : "; so did " + given + " before"),
      given.empty() ? "No operation made it alone: it comes of a literal, or of operations that run as one."
                    : "config::debug_nans and config::debug_infs watch for this.");
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
