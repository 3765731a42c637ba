#include "trace/trace.hpp"

#include <algorithm>
#include <set>

#include "base/per_thread.hpp"
#include "base/recording.hpp"

namespace tutti {
namespace {

struct OpenTraces : std::vector<std::shared_ptr<Trace>> {};  // of this thread, the innermost last

std::string at(Loc loc) { return loc ? " (" + loc.str() + ")" : ""; }

}  // namespace

TraceScope::TraceScope(std::shared_ptr<Trace> trace)
    : trace_(std::move(trace)), inside_(trace_->what(), trace_->made()) {
  per_thread<OpenTraces>().push_back(trace_);
  ++recordings;
}
TraceScope::~TraceScope() {
  --recordings;
  per_thread<OpenTraces>().pop_back();
  trace_->closed_ = true;
}

OutsideOf::OutsideOf(const Trace* trace) {
  auto& stack = per_thread<OpenTraces>();
  bool found = trace == nullptr;
  for (const auto& t : stack) found = found || t.get() == trace;
  if (!found) return;
  while (!stack.empty()) {
    bool last = stack.back().get() == trace;
    hidden_.push_back(std::move(stack.back()));
    stack.pop_back();
    if (last) break;
  }
}
OutsideOf::~OutsideOf() {
  auto& stack = per_thread<OpenTraces>();
  while (!hidden_.empty()) {
    stack.push_back(std::move(hidden_.back()));
    hidden_.pop_back();
  }
}

const std::shared_ptr<Trace>& innermost_trace() {
  const auto& stack = per_thread<OpenTraces>();
  static const auto& nothing = *new std::shared_ptr<Trace>;
  return stack.empty() ? nothing : stack.back();
}

bool inside_staged() {
  const auto& stack = per_thread<OpenTraces>();
  return std::any_of(stack.begin(), stack.end(), [](const auto& t) { return t->mode() == Trace::Mode::staged; });
}

std::vector<BoundAxis> bound_axes() {
  const auto& stack = per_thread<OpenTraces>();
  std::vector<BoundAxis> out;
  for (std::size_t i = stack.size(); i-- > 0;)
    for (const auto& [name, size] : stack[i]->axes)
      if (std::none_of(out.begin(), out.end(), [&](const BoundAxis& a) { return a.name == name; }))
        out.push_back({name, size, axis_is_typed(name)});
  return out;
}

std::int64_t bound_axis_size(const std::string& name) {
  const auto& stack = per_thread<OpenTraces>();
  std::string known;
  for (std::size_t i = stack.size(); i-- > 0;) {
    for (const auto& [n, size] : stack[i]->axes) {
      if (n == name) return size;
      known += (known.empty() ? "" : ", ") + n;
    }
  }
  raise<NameError>(call_name("axis"),
                   "unbound axis name: " + name + "; axes bound here: " + (known.empty() ? "none" : known),
                   "Name the axis in the vmap, pmap or shard_map around this call.");
}

namespace {

// The innermost trace that binds the axis; nullptr when none does.
const Trace* binding(const std::string& name) {
  const auto& stack = per_thread<OpenTraces>();
  for (std::size_t i = stack.size(); i-- > 0;)
    for (const auto& [axis, size] : stack[i]->axes)
      if (axis == name) return stack[i].get();
  return nullptr;
}

}  // namespace

bool axis_is_bound(const std::string& name) { return binding(name) != nullptr; }

bool axis_is_typed(const std::string& name) {
  const Trace* by = binding(name);
  return by && std::find(by->typed_axes.begin(), by->typed_axes.end(), name) != by->typed_axes.end();
}

int derivatives_here() {
  const auto& stack = per_thread<OpenTraces>();
  return stack.empty() ? 0 : stack.back()->derivatives;
}

Trace::Trace(Mode mode, std::string what, Loc made)
    : derivatives(derivatives_here()), mode_(mode), what_(std::move(what)), made_(made) {}

Array Trace::input(const Type& type, std::string name, Array known) {
  if (!captured_.empty()) throw InternalError("Trace::input after a capture");
  auto v = static_cast<ValueId>(program_.types.size());
  program_.types.push_back(type);
  program_.inputs.push_back(v);
  program_.input_names.push_back(std::move(name));
  producer_.push_back(-1);
  if (known.has_value()) known_.define(v, std::move(known));
  auto node = std::make_shared<ArrayNode>();
  node->type = type;
  node->trace = shared_from_this();
  node->value = v;
  return Array(std::move(node));
}

void Trace::check_usable(const Array& x) const {
  const ArrayNode& n = *x.node();
  if (!n.traced()) {
    if (n.memory.gone()) buffer_of(x, "use");
    return;
  }
  const Trace& other = *n.trace;
  const auto& stack = per_thread<OpenTraces>();
  bool open = std::any_of(stack.begin(), stack.end(), [&](const auto& t) { return t.get() == &other; });
  if (open) return;
  raise<TracerError>(
      call_name("operand"),
      "an array of type " + n.type.str() + " recorded by " + other.what() + at(other.made()) + " is used " +
          (other.thread_ != std::this_thread::get_id() ? "on another thread" : "after that call has ended"),
      "Return it from the function instead of storing it outside.");
}

Atom Trace::atom(const Array& x) {
  if (!x.has_value()) throw InternalError("an empty array as an operand");
  const ArrayNode& n = *x.node();
  if (n.trace.get() == this) {
    if (closed_) check_usable(x);
    return Atom(n.value);
  }
  check_usable(x);
  if (n.literal && !n.traced()) return Atom(*n.literal, n.type.weak);
  auto [it, fresh] = capture_ids_.try_emplace(x.node().get(), static_cast<ValueId>(program_.types.size()));
  if (fresh) {
    program_.types.push_back(n.type);
    program_.inputs.push_back(it->second);
    program_.input_names.emplace_back();
    producer_.push_back(-1);
    captured_.push_back(x);
    if (mode_ == Mode::open) known_.define(it->second, x);
  }
  return Atom(it->second);
}

std::vector<Array> Trace::record(const Op& op, Params params, const std::vector<Array>& operands,
                                 std::vector<ProgramPtr> subs, Loc loc) {
  Eqn eqn{&op, std::move(params), {}, {}, std::move(subs), loc};
  std::vector<Type> types;
  for (const Array& x : operands) {
    if (!x.has_value()) throw InternalError("an empty array as an operand");
    types.push_back(x.node()->type);
  }
  // What does not fit is refused before anything is captured.
  std::vector<Type> results = infer_types(op, eqn.params, types, eqn.subs);
  for (const Array& x : operands) eqn.operands.push_back(atom(x));
  std::vector<Array> out;
  for (Type& t : results) {
    auto node = std::make_shared<ArrayNode>();
    node->type = t;
    node->trace = shared_from_this();
    node->value = static_cast<ValueId>(program_.types.size());
    eqn.results.push_back(node->value);
    program_.types.push_back(std::move(t));
    producer_.push_back(static_cast<int>(program_.eqns.size()));
    out.emplace_back(std::move(node));
  }
  program_.eqns.push_back(std::move(eqn));
  return out;
}

Traced Trace::close(const std::vector<Array>& outputs) {
  for (const Array& x : outputs) program_.outputs.push_back(atom(x));
  closed_ = true;
  auto program = tidied(std::move(program_));
#ifndef NDEBUG
  verify(*program);
#endif
  program_ = {};
  return {std::move(program), std::move(captured_)};
}

Array Trace::read(const ArrayNode& n, const char* what) {
  ValueId v = n.value;
  if (Array x = known_.read(v); x.has_value()) return x;
  auto refuse = [&](const std::string& why, const std::string& remedy) {
    raise<TracerError>(what, "the value of " + n.type.str() + " is not known here: " + why + " " + what_ + at(made_),
                       remedy);
  };
  if (closed_) refuse("its recording has ended:", "Return it from the function instead of storing it outside.");
  if (mode_ == Mode::staged)
    refuse("it stands for a value of the program recorded by",
           "Use where or lax::cond instead of a host decision, or move jit further inside.");
  if (producer_[v] < 0) refuse("it is mapped by", "Use where instead of a host decision.");
  // Everything that this value needs, in program order, computed in the context around this trace.
  std::set<int> needed;
  std::vector<ValueId> todo{v};
  while (!todo.empty()) {
    ValueId u = todo.back();
    todo.pop_back();
    if (known_.read(u).has_value()) continue;
    if (producer_[u] < 0) refuse("it depends on a value that is mapped by", "Use where instead of a host decision.");
    if (!needed.insert(producer_[u]).second) continue;
    for (const Atom& a : program_.eqns[producer_[u]].operands)
      if (!a.is_literal()) todo.push_back(a.id);
  }
  OutsideOf outside(this);
  for (int i : needed)
    replay(program_.eqns[i], known_, [](const Eqn& e, std::vector<Array> x) { return bind(e, std::move(x)); });
  return known_.read(v);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
