#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <mutex>

#include "api/distributed.hpp"
#include "api/execute.hpp"
#include "api/jit_entry.hpp"
#include "array/node.hpp"
#include "mesh/checks.hpp"
#include "ops/placement/sharding_constraint.hpp"
#include "propagate/propagate.hpp"
#include "trace/trace.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/config.hpp"
#include "tutti/transform/jit.hpp"

namespace tutti::detail {

struct JitCore::State {
  JitOptions options;
  const char* what = "jit";
  Loc made;
  mutable std::mutex mutex;
  std::vector<std::shared_ptr<const JitEntry>> entries;  // the latest hit in front
  int misses_on_static = 0;
};

namespace {

bool tracing_now(std::span<const Array> leaves) {
  if (!innermost_trace()) return false;
  // Under a named axis a collective has a meaning for values that are not mapped as well, but only as part of the
  // recording.
  return inside_staged() || !bound_axes().empty() ||
         std::any_of(leaves.begin(), leaves.end(), [](const Array& x) { return x.is_traced(); });
}

bool same_signature(const LeafSignature& s, const Array& x, bool traced) {
  const ArrayNode& n = *x.node();
  return s.type == n.type && (traced || (s.committed == n.committed && s.sharding == n.sharding));
}

std::string leaf_name(const std::pair<int, tree::Path>& where) {
  std::string path = where.second.str();
  std::string base = where.first < 0 ? "self" : "arg" + std::to_string(where.first);
  if (path.empty()) return base;
  return base + (path[0] == '[' ? "" : ".") + path;
}

bool log_recompiles() {
  static const bool on = [] {
    const char* v = std::getenv("TUTTI_LOG");
    return v && std::string(v).find("recompile") != std::string::npos;
  }();
  return on;
}

// How errors call the function given to jit: C++ knows no names.
std::string function_text(const char* what, Loc made) {
  return "the function " + std::string(std::string_view(what) == "jit" ? "jitted" : "mapped") + " at " + made.str();
}

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
  check_exist(wanted, subject);
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
}

void refuse_deleted(const JitEntry& e, std::size_t i, const Array& x) {
  if (!x.node()->deleted) return;
  const bool leaf = i < e.leaves.size();
  raise<DeletedError>(e.what,
                      (leaf ? e.leaves[i].name : "a captured array") + " of type " + x.type().str() +
                          " has been deleted by " + x.node()->deleted_by,
                      "Keep a copy() before it is donated or deleted, or use the result instead.", e.made);
}

std::string donation_text(const JitEntry& e, std::size_t i) {
  return "donation as " + e.leaves[i].name + " to " + e.what + " " + e.made.str();
}

}  // namespace

JitCore::JitCore(JitOptions options, Loc made, const char* what) : state_(std::make_unique<State>()) {
  state_->what = what;
  state_->options = std::move(options);
  state_->made = made;
}
JitCore::~JitCore() = default;

std::size_t JitCore::size() const {
  std::lock_guard lock(state_->mutex);
  return state_->entries.size();
}
void JitCore::clear() {
  std::lock_guard lock(state_->mutex);
  state_->entries.clear();
}

std::shared_ptr<const JitEntry> JitCore::find_arrays(std::span<const Array* const> args) {
  std::lock_guard lock(state_->mutex);
  unsigned long settings = config::generation();
  bool in_trace = innermost_trace() != nullptr;
  for (const auto& e : state_->entries) {
    if (!e->arrays_only || e->traced || !e->axes.empty() || e->leaves.size() != args.size() ||
        e->settings != settings || in_trace)
      continue;
    bool same = true;
    for (std::size_t i = 0; same && i < args.size(); ++i)
      same = args[i]->has_value() && !args[i]->node()->traced() && same_signature(e->leaves[i], *args[i], false);
    if (same) return e;
  }
  return nullptr;
}

std::shared_ptr<const JitEntry> JitCore::find(const JitArguments& args, const JitBody& body) {
  const std::vector<Array>& leaves = args.flat.leaves;
  bool traced = tracing_now(leaves);
  unsigned long settings = config::generation();
  std::vector<BoundAxis> axes = bound_axes();
  {
    std::lock_guard lock(state_->mutex);
    for (std::size_t k = 0; k < state_->entries.size(); ++k) {
      const JitEntry& e = *state_->entries[k];
      if (e.settings != settings || e.traced != traced || e.axes != axes || e.leaves.size() != leaves.size() ||
          !(e.structure == args.flat.structure))
        continue;
      bool same = true;
      for (std::size_t i = 0; same && i < leaves.size(); ++i) same = same_signature(e.leaves[i], leaves[i], traced);
      if (!same) continue;
      if (k) std::rotate(state_->entries.begin(), state_->entries.begin() + k, state_->entries.begin() + k + 1);
      return state_->entries.front();
    }
    if (log_recompiles() && !state_->entries.empty()) {
      const JitEntry& last = *state_->entries.front();
      std::string why = tree::difference(last.structure, args.flat.structure);
      auto paths = args.paths();
      for (std::size_t i = 0; why.empty() && i < leaves.size() && i < last.leaves.size(); ++i)
        if (!same_signature(last.leaves[i], leaves[i], traced))
          why = leaf_name(paths[i]) + ": " + last.leaves[i].type.str() + " and " + leaves[i].type().str() +
                (last.leaves[i].type == leaves[i].type() ? ", another placement" : "");
      std::cerr << "tutti: jit (" << state_->made.str() << ") traces again: " << (why.empty() ? "other settings" : why)
                << "\n";
    }
  }

  auto is_argument = [](int count) { return count >= 0; };  // the callable itself has no entry
  check_entries("in_shardings", state_->options.in_shardings,
                static_cast<std::size_t>(std::count_if(args.counts.begin(), args.counts.end(), is_argument)),
                "arguments", state_->made);
  auto e = std::make_shared<JitEntry>();
  e->structure = args.flat.structure;
  e->settings = settings;
  e->traced = traced;
  e->axes = axes;
  e->arrays_only = std::all_of(args.counts.begin(), args.counts.end(), [](int c) { return c == 1; }) &&
                   leaves.size() == args.counts.size() && args.flat.structure.num_slots() == leaves.size();
  e->what = state_->what;
  e->made = state_->made;
  auto paths = args.paths();
  auto trace = std::make_shared<Trace>(Trace::Mode::staged, "jit", state_->made);
  std::vector<Array> inputs;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const ArrayNode& n = *leaves[i].node();
    e->leaves.push_back({n.type, n.traced() ? Sharding() : n.sharding, n.committed, leaf_name(paths[i])});
    refuse_deleted(*e, i, leaves[i]);
    inputs.push_back(trace->input(n.type, e->leaves.back().name));
  }
  mark_donated(*e, state_->options, args.counts);
  Traced done;
  {
    TraceScope scope(trace);
    std::vector<Array> given;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Array x = inputs[i];
      if (auto s = state_->options.in_shardings.at(paths[i].first, paths[i].second, x); s && s->has_value()) {
        LocOverride line(state_->made);
        check_in_sharding(*s, leaves[i], e->leaves[i].name, state_->made);
        x = bind1(ops::sharding_constraint, ops::Constrain{*s}, {x});
      }
      given.push_back(x);
    }
    JitResult result = body(given);
    e->value = result.value;
    std::vector<Array> outputs = result.flat.leaves;
    check_entries("out_shardings", state_->options.out_shardings, outputs.size(), "arrays in the result", state_->made);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      tree::Path where(
          {tree::Path::Key{"", static_cast<std::int64_t>(i)}});  // a flat list of results counts leaf by leaf
      auto s = state_->options.out_shardings.kind() == TreeOf<Sharding>::Kind::list
                   ? state_->options.out_shardings.at(static_cast<int>(i), {}, outputs[i])
                   : state_->options.out_shardings.at(-1, where, outputs[i]);
      e->out_shardings.push_back(s ? *s : Sharding());
      if (s && s->has_value())
        check_asked(*s, outputs[i], {"jit", "result " + std::to_string(i) + ", in out_shardings,", state_->made});
      if (s && s->has_value() && traced) outputs[i] = bind1(ops::sharding_constraint, ops::Constrain{*s}, {outputs[i]});
    }
    done = trace->close(outputs);
  }
  e->program = done.program;
  e->captured = done.captured;
  // A function that captured a value of an enclosing trace belongs to that trace, also when no argument does.
  traced = e->traced =
      traced || std::any_of(e->captured.begin(), e->captured.end(), [](const Array& x) { return x.is_traced(); });
  if (!traced) {
    std::vector<Placement> placements;
    ExecuteOptions options;
    for (const LeafSignature& l : e->leaves) placements.push_back({l.sharding, l.committed, l.name});
    for (const Array& c : e->captured) {
      placements.push_back(placement_of(c));
      placements.back().name = "a captured array";
    }
    options.what = function_text(e->what, e->made);
    options.donatable = e->donated;
    options.donatable.resize(placements.size(), false);
    options.out_shardings = e->out_shardings;
    e->prepared = prepare(e->program, placements, options);
  }
  bool keep = std::none_of(e->captured.begin(), e->captured.end(), [](const Array& x) { return x.is_traced(); });
  if (keep) {
    std::lock_guard lock(state_->mutex);
    state_->entries.insert(state_->entries.begin(), e);
  }
  return e;
}

void JitCore::check(const JitEntry& e, const JitArguments& args, Loc loc) const {
  CallScope scope(loc, Loc());
  const std::vector<Array>& leaves = args.flat.leaves;
  const std::string what = "compiled call", compiled = " (jitted at " + e.made.str() + ")";
  if (!(e.structure == args.flat.structure) || e.leaves.size() != leaves.size())
    raise<TypeError>(what,
                     "the arguments differ from those it was compiled for: " +
                         tree::difference(e.structure, args.flat.structure) + compiled,
                     "Call the jitted function, which compiles again where it has to.");
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const ArrayNode& n = *leaves[i].node();
    const LeafSignature& s = e.leaves[i];
    if (n.traced() && !e.traced)
      raise<TracerError>(what,
                         s.name + " of type " + n.type.str() +
                             " is being recorded, and compiled functions cannot be transformed" + compiled,
                         "Call the jitted function there.");
    if (n.type.dtype != s.type.dtype || n.type.shape != s.type.shape)
      raise<TypeError>(what, s.name + " is " + n.type.str() + ", but it was compiled for " + s.type.str() + compiled,
                       "Call the jitted function, which compiles again where it has to.");
    if (n.traced() || !n.committed) continue;  // what lies nowhere in particular fits everywhere
    Sharding expected = s.sharding.has_value() ? s.sharding : SingleDeviceSharding(devices()[0]);
    if (!n.sharding.is_equivalent_to(expected, n.type.ndim()))
      raise<ShardingError>(
          what,
          s.name + " of type " + n.type.str() + " lies as " + n.sharding.str() + ", but it was compiled for " +
              expected.str() + compiled,
          "Move it with device_put, or call the jitted function, which compiles again where it has to.");
  }
}

std::vector<Array> JitCore::run(const JitEntry& e, std::span<const Array> leaves) {
  if (e.traced) {
    std::vector<Array> args(leaves.begin(), leaves.end());
    args.insert(args.end(), e.captured.begin(), e.captured.end());
    return tutti::apply(*e.program, args);
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) refuse_deleted(e, i, leaves[i]);
  for (const Array& x : e.captured) refuse_deleted(e, e.leaves.size(), x);
  if (!e.any_donated && e.captured.empty()) return execute(e.prepared, leaves);
  std::vector<Array> args(leaves.begin(), leaves.end());
  args.insert(args.end(), e.captured.begin(), e.captured.end());
  if (!e.any_donated) return execute(e.prepared, args);
  std::vector<char> donated(args.size(), 0);
  for (std::size_t i = 0; i < e.donated.size(); ++i) {
    if (!e.donated[i]) continue;
    for (std::size_t j = 0; j < args.size(); ++j)
      if (i != j && args[i].node() == args[j].node())
        raise<ValueError>(e.what,
                          e.leaves[i].name + " of type " + e.leaves[i].type.str() + " is donated and also given as " +
                              (j < e.leaves.size() ? e.leaves[j].name : "a captured array"),
                          "Pass a copy(), or do not donate it.", e.made);
    donated[i] = 1;
  }
  // Errors before this point leave every input intact; from here the donated ones are used up.
  std::vector<Array> out;
  try {
    out =
        execute(e.prepared, args, std::span<const bool>(reinterpret_cast<const bool*>(donated.data()), donated.size()));
  } catch (...) {
    for (std::size_t i = 0; i < args.size(); ++i)
      if (donated[i]) {
        args[i].node()->deleted = true;
        args[i].node()->deleted_by = donation_text(e, i) + ", which failed";
      }
    throw;
  }
  for (std::size_t i = 0; i < args.size(); ++i)
    if (donated[i]) {
      args[i].node()->deleted = true;
      args[i].node()->deleted_by = donation_text(e, i);
    }
  return out;
}

const void* jit_value(const JitEntry& e) { return e.value.get(); }
std::string jit_text(const JitEntry& e) { return str(*e.program); }
std::string jit_explain(const JitEntry& e) {
  std::string out =
      e.prepared.distributed ? e.prepared.distributed->explain() : "One device: nothing is split, nothing is sent.\n";
  if (!e.prepared.executable || !e.any_donated) return out;
  out += "\nDonated: all of it is deleted by the call\n\n";
  for (const Donation& d : e.prepared.executable->stats().donations) {
    const LeafSignature& leaf = e.leaves.at(static_cast<std::size_t>(d.input));
    out += "  " + leaf.name + " " + leaf.type.str() +
           (d.output >= 0 ? ": output " + std::to_string(d.output) + " takes its memory\n"
                          : ": not reused: " + d.reason + "\n");
  }
  return out;
}
std::string jit_plan(const JitEntry& e) { return e.prepared.executable ? e.prepared.executable->text() : ""; }
std::vector<Sharding> jit_output_shardings(const JitEntry& e) { return e.prepared.out_shardings; }

MemoryAnalysis jit_memory(const JitEntry& e) {
  if (!e.prepared.executable) return {};
  PlanStats s = e.prepared.executable->stats();
  return {s.argument_bytes, s.output_bytes, s.temporary_bytes, s.peak_bytes};
}
CostAnalysis jit_cost(const JitEntry& e) {
  CostAnalysis out;
  const Program& p = *e.program;
  out.eqns = static_cast<int>(p.eqns.size());
  for (const Eqn& q : p.eqns) {
    for (const Atom& a : q.operands) out.bytes_accessed += static_cast<std::size_t>(p.type(a).nbytes());
    double elements = 0;
    for (ValueId r : q.results) {
      elements += static_cast<double>(p.types[r].num_elements());
      out.bytes_accessed += static_cast<std::size_t>(p.types[r].nbytes());
    }
    double each = q.op->pointwise ? 1 : 0;
    if (q.op->name == "dot_general") {
      // m * n * k multiply-adds: the square root of the product of the three sizes over batch, exact for one batch.
      const Type &l = p.type(q.operands[0]), &r = p.type(q.operands[1]);
      double out_n = elements, total = static_cast<double>(l.num_elements()) * static_cast<double>(r.num_elements());
      each = out_n > 0 ? 2 * std::sqrt(total / out_n) : 0;
    }
    out.flops += each * elements;
  }
  if (e.prepared.executable) {
    PlanStats s = e.prepared.executable->stats();
    out.tasks = s.tasks;
    out.kernels = s.kernels;
  }
  return out;
}

}  // namespace tutti::detail

namespace tutti {

std::string MemoryAnalysis::str() const {
  return "arguments " + std::to_string(argument_bytes) + " B, outputs " + std::to_string(output_bytes) +
         " B, temporaries " + std::to_string(temporary_bytes) + " B, peak " + std::to_string(peak_bytes) + " B";
}

}  // namespace tutti
