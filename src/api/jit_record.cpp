// From arguments and a function to an entry: recorded, told where results lie, compiled.
#include <algorithm>

#include "api/captures.hpp"
#include "api/jit_entry.hpp"
#include "api/planning.hpp"
#include "array/node.hpp"
#include "base/loc_override.hpp"
#include "frontend/call.hpp"
#include "mesh/checks.hpp"
#include "mesh/conflict.hpp"
#include "ops/placement/sharding_constraint.hpp"
#include "propagate/propagate.hpp"
#include "regions/calls.hpp"
#include "trace/trace.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::detail {

std::string function_text(const char* what, Loc made) {
  if (!made) return what;  // a function of the library
  return "the function " + std::string(std::string_view(what) == "jit" ? "jitted" : "mapped") + " at " + made.str();
}

void refuse_deleted(const JitEntry& e, std::size_t i, const Array& x) {
  if (!x.node()->memory.gone()) return;
  const bool leaf = i < e.leaves.size();
  raise<DeletedError>(e.what,
                      (leaf ? e.leaves[i].name : "a captured array") + " of type " + x.type().str() +
                          " has been deleted by " + x.node()->memory.taken_by(),
                      "Keep a copy() before it is donated or deleted, or use the result instead.", e.made);
}

namespace {

// A list of shardings has one entry per argument, or per array of the result.
void check_entries(const char* what, const TreeOf<Sharding>& given, std::size_t count, const char* of, Loc made) {
  if (given.kind() != TreeOf<Sharding>::Kind::list || given.list().size() == count) return;
  raise<ValueError>("jit",
                    std::string(what) + " has " + std::to_string(given.list().size()) + " entries for " +
                        std::to_string(count) + " " + of,
                    "Give one sharding for all, or one entry each (none leaves it open).", made);
}

// What jit is told about an argument or a result: a sharding of devices that are there, which fits and decides every
// dim.
void check_asked(const Sharding& wanted, const Array& x, const Subject& subject) {
  if (!is_abstract(wanted)) check_exist(wanted, subject);  // prepare refuses to run there
  check_rank(wanted, x.shape(), subject);
  check_constrained(wanted, subject);
}

// What the user has put somewhere is not moved by in_shardings behind their back.
void check_in_sharding(const Sharding& wanted, const Array& x, const std::string& name, Loc made) {
  check_asked(wanted, x, {"jit", name + ", in in_shardings,", made});
  if (x.is_traced() || !x.committed() || x.sharding().is_equivalent_to(wanted, x.ndim())) return;
  const Placed both[] = {{argument_text(name, function_text("jit", made), x.type()), x.sharding(), {}},
                         {"explicit input sharding with", wanted, {}}};
  check_devices(both);
  raise<ShardingError>("jit",
                       "in_shardings for " + name + " is " + wanted.str() + ", but the argument of type " +
                           x.type().str() + " is committed to " + x.sharding().str(),
                       "Move it with device_put first, or leave in_shardings out: jit follows its arguments.", made);
}

void mark_donated(JitEntry& e, const JitOptions& options, const std::vector<int>& counts) {
  e.donated.assign(e.leaves.size(), false);
  const int given = static_cast<int>(std::count_if(counts.begin(), counts.end(), [](int c) { return c >= 0; }));
  auto named = [&](int arg) {
    return std::any_of(options.donate_argnums.begin(), options.donate_argnums.end(),
                       [&](int a) { return (a < 0 ? a + given : a) == arg; });
  };
  for (int a : options.donate_argnums)
    if (a < -given || a >= given)
      raise<ValueError>(
          e.what, "donate_argnums names argument " + std::to_string(a) + ", but the call has " + std::to_string(given),
          "Arguments count from 0; -1 is the last one.", e.made);
  std::size_t at = 0;
  int arg = 0;
  for (int c : counts) {
    bool self = c < 0;  // the callable itself: see jit_arguments
    int n = self ? -c - 1 : c;
    bool give = options.donate == Donate::all || (options.donate == Donate::all_except_first && !self && arg > 0) ||
                (!self && named(arg));
    for (int i = 0; i < n; ++i) e.donated[at++] = give;
    if (!self) ++arg;
  }
  e.any_donated = std::find(e.donated.begin(), e.donated.end(), true) != e.donated.end();
  auto texts = std::make_shared<std::vector<std::string>>();
  if (e.any_donated)
    for (const LeafSignature& l : e.leaves)
      texts->push_back("donation as " + l.name + " to " + e.what + " " + e.made.str());
  e.donations = std::move(texts);
}

// Where each input is said to lie: the values that the body gets.
std::vector<Array> constrained_inputs(const JitOptions& options, const JitEntry& e, const JitArguments& args,
                                      const std::vector<Array>& inputs) {
  if (options.in_shardings.is_open()) return inputs;
  const auto paths = args.paths();
  options.in_shardings.check_rules("jit", paths, e.made);
  std::vector<Array> out = inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto s = options.in_shardings.at(paths[i].first, paths[i].second, inputs[i]);
    if (!s || !s->has_value()) continue;
    LocOverride line(e.made);
    check_in_sharding(*s, args.flat.leaves[i], e.leaves[i].name, e.made);
    out[i] = bind1(ops::sharding_constraint, ops::Constrain{*s}, {inputs[i]});
  }
  return out;
}

// The same for results: an entry's own placement, or a constraint in an enclosing trace.
void constrain_outputs(const JitOptions& options, JitEntry& e, std::vector<Array>& outputs) {
  const TreeOf<Sharding>& asked = options.out_shardings;
  check_entries("out_shardings", asked, outputs.size(), "arrays in the result", e.made);
  const bool list = asked.kind() == TreeOf<Sharding>::Kind::list;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    // A flat list of results counts leaf by leaf.
    const tree::Path where({tree::Path::Key{"", static_cast<std::int64_t>(i)}});
    auto s = list ? asked.at(static_cast<int>(i), {}, outputs[i]) : asked.at(-1, where, outputs[i]);
    e.out_shardings.push_back(s ? *s : Sharding());
    if (!s || !s->has_value()) continue;
    check_asked(*s, outputs[i], {"jit", "result " + std::to_string(i) + ", in out_shardings,", e.made});
    if (e.context.traced) outputs[i] = bind1(ops::sharding_constraint, ops::Constrain{*s}, {outputs[i]});
  }
}

void record(const JitOptions& options, JitEntry& e, const JitArguments& args, const JitBody& body) {
  auto trace = std::make_shared<Trace>(Trace::Mode::staged, e.what, e.made);
  if (!innermost_trace()) trace->derivatives = 1;  // this Program is kept, and may be differentiated later
  std::vector<Array> inputs;
  for (const LeafSignature& l : e.leaves) inputs.push_back(trace->input(l.type, l.name));
  TraceScope scope(trace);
  JitResult result = body(constrained_inputs(options, e, args, inputs));
  e.value = result.value;
  if (captures_are_checked()) e.result = result.flat.structure;
  constrain_outputs(options, e, result.flat.leaves);
  Traced done = trace->close(result.flat.leaves);
  e.program = done.program;
  e.derivatives = ops::derivatives_of(*e.program);
  e.captured = done.captured;
}

std::vector<Placement> placements_in(const JitEntry& e) {
  std::vector<Placement> placements;
  for (const LeafSignature& l : e.leaves) placements.push_back({l.sharding, l.committed, l.name});
  for (const Array& c : e.captured) {
    placements.push_back(placement_of(c));
    placements.back().name = "a captured array";
  }
  return placements;
}

Prepared prepared(const JitEntry& e, const Strict& strict) {
  std::vector<Placement> placements = placements_in(e);
  ExecuteOptions options;
  if (is_asked(strict))
    options.check = [&](const std::shared_ptr<const ShardedProgram>& sharded) {
      check_strict(strict, report_of(request_of(e), sharded, {}), function_text(e.what, e.made));
    };
  options.what = function_text(e.what, e.made);
  options.donatable = e.donated;
  options.donatable.resize(placements.size(), false);
  options.out_shardings = e.out_shardings;
  return prepare(e.program, placements, options);
}

}  // namespace

std::shared_ptr<const PlanRequest> request_of(const JitEntry& e) {
  PlanRequest out{e.program, placements_in(e), e.out_shardings, e.donated, function_text(e.what, e.made), e.own};
  out.donatable.resize(out.inputs.size(), false);
  return std::make_shared<const PlanRequest>(std::move(out));
}

JitEntry make_entry(const JitOptions& options, const char* what, Loc made, const JitArguments& args,
                    const JitContext& context, const JitBody& body, Purpose purpose) {
  auto is_argument = [](int count) { return count >= 0; };  // the callable itself has no entry
  check_entries("in_shardings", options.in_shardings,
                static_cast<std::size_t>(std::count_if(args.counts.begin(), args.counts.end(), is_argument)),
                "arguments", made);
  JitEntry e;
  e.structure = args.flat.structure;
  e.context = context;
  e.arrays_only = e.structure.arrays_only();
  e.what = what;
  e.made = made;
  const auto paths = args.paths();
  for (std::size_t i = 0; i < args.flat.leaves.size(); ++i) {
    const ArrayNode& n = *args.flat.leaves[i].node();
    // Of a function of the library users know no names: its arguments are called as those of operations.
    std::string name = made ? leaf_name(paths[i]) : "x" + std::to_string(i + 1);
    const bool placed = !n.traced() || n.stand_in;
    e.leaves.push_back({n.type, placed ? n.sharding : Sharding(), n.committed, std::move(name)});
    refuse_deleted(e, i, args.flat.leaves[i]);
  }
  if (!args.counts.empty() && args.counts.front() < 0) e.own = -args.counts.front() - 1;
  mark_donated(e, options, args.counts);
  record(options, e, args, body);
  // A function that captured a value of an enclosing trace belongs to that trace, also when no argument does.
  e.context.traced |= std::any_of(e.captured.begin(), e.captured.end(), [](const Array& x) { return x.is_traced(); });
  if (!e.context.traced && purpose == Purpose::call) e.prepared = prepared(e, options.strict);
  return e;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
