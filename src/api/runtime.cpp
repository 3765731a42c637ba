// Operations outside of any trace: a one-Eqn program each, cached by op, parameters and operand types with placements.
#include "array/runtime.hpp"

#include <algorithm>

#include "api/execute.hpp"
#include "array/node.hpp"
#include "base/lru.hpp"
#include "base/per_thread.hpp"
#include "base/tasks.hpp"
#include "run/pool.hpp"
#include "tree/absent.hpp"
#include "tutti/base/config.hpp"

namespace tutti {
namespace {

// Kernels lie below the room that has the workers.
[[maybe_unused]] const bool workers_are_known = [] {
  task_runner.store([](int count, void (*call)(void*, int), void* context) { run::run_tasks(count, {call, context}); });
  return true;
}();

struct EagerEntry {
  const Op* op;
  Params params;
  std::vector<Type> types;
  std::vector<Placement> placements;
  std::vector<ProgramPtr> subs;
  unsigned long settings;
  std::shared_ptr<const Prepared> prepared;  // its own owner while it runs, whatever is run inside
};

std::size_t hash_of(const Op& op, const Params& params, std::span<const Array> operands) {
  std::size_t h = hash_combine(reinterpret_cast<std::size_t>(&op), params.hash());
  for (const Array& x : operands) {
    const ArrayNode& n = *x.node();
    h = hash_combine(h, static_cast<std::size_t>(n.type.dtype.kind()));
    for (std::int64_t d : n.type.shape) h = h * 31 + static_cast<std::size_t>(d);
    h = hash_combine(h, reinterpret_cast<std::size_t>(n.sharding.node()));
  }
  return h;
}

bool matches(const EagerEntry& e, const Op& op, const Params& params, std::span<const Array> operands,
             const std::vector<ProgramPtr>& subs, unsigned long settings) {
  if (e.op != &op || e.settings != settings || e.types.size() != operands.size() || !(e.params == params) ||
      e.subs.size() != subs.size())
    return false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const ArrayNode& n = *operands[i].node();
    if (!(e.types[i] == n.type) || e.placements[i].committed != n.committed ||
        e.placements[i].sharding.node() != n.sharding.node())
      return false;
  }
  for (std::size_t i = 0; i < subs.size(); ++i)
    if (e.subs[i] != subs[i] && !content_equal(*e.subs[i], *subs[i])) return false;
  return true;
}

// Each thread has its own table: no lock on the way of an eager operation. Machine code is shared through the plan
// cache.
struct EagerEntries : LruCache<EagerEntry> {};

// "x1", "x2", ...: how an operation names its operands in errors.
std::vector<Placement> placements_of(std::span<const Array> operands) {
  std::vector<Placement> out;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    out.push_back(placement_of(operands[i]));
    out.back().name = "x" + std::to_string(i + 1);
  }
  return out;
}

ProgramPtr one_eqn(const Op& op, const Params& params, std::span<const Array> operands,
                   const std::vector<ProgramPtr>& subs) {
  auto program = std::make_shared<Program>();
  Eqn eqn{&op, params, {}, {}, subs, current_loc()};
  std::vector<Type> types;
  for (const Array& x : operands) {
    ValueId v = static_cast<ValueId>(program->types.size());
    program->types.push_back(x.type());
    program->inputs.push_back(v);
    eqn.operands.push_back(v);
    types.push_back(x.type());
  }
  for (Type& t : infer_types(op, params, types, subs)) {
    eqn.results.push_back(static_cast<ValueId>(program->types.size()));
    program->outputs.push_back(eqn.results.back());
    program->types.push_back(std::move(t));
  }
  program->eqns.push_back(std::move(eqn));
  return program;
}

// A function of the user's is known to no cache: it is called, and that is all.
std::vector<Array> call_host(const Op& op, const Params& params, std::span<const Array> operands,
                             const std::vector<ProgramPtr>& subs) {
  std::vector<Type> types;
  std::vector<HostPtr> given, made;
  std::vector<HostView> in, out;
  for (const Array& x : operands) {
    types.push_back(x.type());
    given.push_back(held_buffer_of(x, op.name.c_str()));
    in.push_back({types.back(), given.back()->data()});
  }
  const std::vector<Type> results = infer_types(op, params, types, subs);
  for (const Type& t : results) {
    made.push_back(allocate_buffer(static_cast<std::size_t>(t.nbytes())));
    out.push_back({t, made.back()->data()});
  }
  op.eval(Call{op, params, types, subs}, in, out);
  std::vector<Array> arrays;
  for (std::size_t k = 0; k < made.size(); ++k) arrays.push_back(make_array(results[k], std::move(made[k])));
  return arrays;
}

}  // namespace

std::vector<Array> run_eagerly(const Op& op, const Params& params, const std::vector<Array>& operands,
                               const std::vector<ProgramPtr>& subs) {
  for (const Array& x : operands) {
    refuse_absent(x);
    if (!x.has_value())
      raise<ValueError>(op.name, "an operand is empty: there is no array",
                        "Give an Array that has a value: has_value() asks.");
  }
  if (op.relabel) {
    Label to = op.relabel(params, operands);
    return {relocated(operands[0], to.sharding, to.committed)};
  }
  if (op.host) return call_host(op, params, operands, subs);
  std::size_t h = hash_of(op, params, operands);
  unsigned long settings = config::generation();
  auto same = [&](const EagerEntry& e) { return matches(e, op, params, operands, subs, settings); };
  LruCache<EagerEntry>& entries = per_thread<EagerEntries>();
  if (const EagerEntry* known = entries.find(h, same)) return execute(*std::shared_ptr(known->prepared), operands);
  EagerEntry e{&op, params, {}, placements_of(operands), subs, settings, {}};
  for (const Array& x : operands) e.types.push_back(x.type());
  ExecuteOptions options;
  options.what = call_name(op.name);  // of the call that came first: others name themselves in errors
  auto prepared = std::make_shared<const Prepared>(prepare(one_eqn(op, params, operands, subs), e.placements, options));
  e.prepared = prepared;
  entries.insert(h, std::move(e));
  entries.shrink(config::cache_bounds().operations);
  return execute(*prepared, operands);
}

std::size_t operations_kept() { return per_thread<EagerEntries>().size(); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
