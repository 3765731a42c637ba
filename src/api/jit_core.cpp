// Calls of jitted functions.
#include <algorithm>
#include <exception>
#include <mutex>
#include <set>

#include "api/captures.hpp"
#include "api/jit_entry.hpp"
#include "api/planning.hpp"
#include "array/node.hpp"
#include "base/lru.hpp"
#include "base/recording.hpp"
#include "base/say.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/config.hpp"

namespace tutti::detail {
namespace {

using Entries = std::vector<std::shared_ptr<const JitEntry>>;
constexpr std::size_t kCompared = 8;  // entries in which a miss looks for its reason

}  // namespace

struct JitCore::State {
  JitOptions options;
  const char* what = "jit";
  Loc made;
  mutable std::mutex mutex;
  LruCache<std::shared_ptr<const JitEntry>> entries;
  int changes = 0;                 // misses so far for another value or type
  std::set<std::string> reported;  // operations whose captured values have changed

  bool checks_captures() const { return made && captures_are_checked(); }

  // Of a kept program: whether the function would be recorded as it was.
  void check_captures(const JitEntry& kept, const JitArguments& args, const JitContext& context, const JitBody& body) {
    for (const Array& x : args.flat.leaves)
      if (x.is_deleted()) return;  // the call says so
    const CaptureCheck check(kept);
    if (!check.wanted()) return;
    std::vector<CaptureChange> changed;
    try {
      changed = capture_changes(kept, make_entry(options, what, made, args, context, body, Purpose::plan));
    } catch (const std::exception& e) {
      if (calls_inside > 0) return;  // a recursion is deeper here than in the call
      changed = {{{}, std::string("the function returned when recorded, and throws now: ") + e.what()}};
    }
    std::string lines;
    std::unique_lock lock(mutex);
    for (const CaptureChange& c : changed)
      if (reported.insert(c.text.substr(0, c.text.find(':')) + c.where.file).second) lines += "  " + c.text + "\n";
    lock.unlock();
    if (lines.empty()) return;
    say(Message::Kind::warning,
        "tutti: " + std::string(what) + " (" + made.str() + "): captured values have changed since it was recorded:\n" +
            lines +
            "  Its program keeps the old ones. Pass what changes as an argument (const Array&), or make the jitted\n"
            "  function anew. (TUTTI_CHECK=captures; once for each operation.)\n");
  }

  // A miss beside `known`, the entries that were used last.
  void report(const Entries& known, const JitArguments& args, const JitContext& context) {
    const Miss miss = why_missed(nearest(known, args, context), args, context);
    std::unique_lock lock(mutex);
    if (miss.kind == Miss::Kind::value || miss.kind == Miss::Kind::type) ++changes;
    const int programs = changes + 1;
    lock.unlock();
    report_miss(miss, made, programs);
  }
};

namespace {

// A donated leaf may be given once. A table of the nodes of donated leaves, by address: an open one, half empty.
void refuse_shared(const JitEntry& e, std::span<const Array> args) {
  std::size_t size = 16;
  while (size < 2 * args.size()) size *= 2;
  std::vector<int> table(size, -1);
  auto place = [&](const Array& x) {  // of its node, or where it would be
    std::size_t at = (reinterpret_cast<std::uintptr_t>(x.node().get()) >> 4) * 0x9e3779b97f4a7c15u >> 20 & (size - 1);
    while (table[at] >= 0 && args[static_cast<std::size_t>(table[at])].node() != x.node()) at = (at + 1) & (size - 1);
    return at;
  };
  auto refuse = [&](std::size_t i, std::size_t j) {
    raise<ValueError>(e.what,
                      e.leaves[i].name + " of type " + e.leaves[i].type.str() + " is donated and also given as " +
                          (j < e.leaves.size() ? e.leaves[j].name : "a captured array"),
                      "Pass a copy(), or do not donate it.", e.made);
  };
  for (std::size_t i = 0; i < e.donated.size(); ++i)
    if (e.donated[i])
      if (int& first = table[place(args[i])]; std::exchange(first, first < 0 ? static_cast<int>(i) : first) >= 0)
        refuse(static_cast<std::size_t>(first), i);
  for (std::size_t j = 0; j < args.size(); ++j)
    if (int i = table[place(args[j])]; i >= 0 && (j >= e.donated.size() || !e.donated[j]))
      refuse(static_cast<std::size_t>(i), j);
}

}  // namespace

JitCore::JitCore(const JitOptions& options, Loc made, const char* what) : state_(std::make_unique<State>()) {
  state_->what = what;
  state_->options = options;
  state_->made = made;
}
JitCore::~JitCore() = default;

std::size_t JitCore::size() const {
  std::lock_guard lock(state_->mutex);
  return state_->entries.size();
}
std::size_t JitCore::comparisons() const {
  std::lock_guard lock(state_->mutex);
  return state_->entries.comparisons();
}
void JitCore::clear() {
  std::vector<std::shared_ptr<const JitEntry>> out;  // ends after the lock
  std::lock_guard lock(state_->mutex);
  out = state_->entries.shrink(0);
}

std::shared_ptr<const JitEntry> JitCore::find_arrays(std::span<const Array* const> args) {
  if (innermost_trace() || state_->checks_captures()) return nullptr;
  for (const Array* x : args)
    if (!x->has_value() || x->node()->traced()) return nullptr;
  const unsigned long settings = config::generation();
  auto same = [&](const std::shared_ptr<const JitEntry>& e) { return fits(*e, args, settings); };
  std::lock_guard lock(state_->mutex);
  if (auto* last = state_->entries.latest(); last && same(*last)) return *last;
  auto* found = state_->entries.find(signature_hash(args, settings), same);
  return found ? *found : nullptr;
}

std::shared_ptr<const JitEntry> JitCore::find(const JitArguments& args, const JitBody& body) {
  const JitContext context = context_of(args.flat.leaves);
  const std::size_t hash = signature_hash(args, context);
  auto same = [&](const std::shared_ptr<const JitEntry>& e) { return fits(*e, args, context); };
  Entries known;
  std::shared_ptr<const JitEntry> kept;
  {
    std::lock_guard lock(state_->mutex);
    if (auto* found = state_->entries.find(hash, same))
      kept = *found;
    else
      known = state_->entries.latest(kCompared);
  }
  if (kept) {
    if (state_->checks_captures()) state_->check_captures(*kept, args, context, body);
    return kept;
  }
  if (!known.empty() && state_->made) state_->report(known, args, context);
  auto made =
      std::make_shared<const JitEntry>(make_entry(state_->options, state_->what, state_->made, args, context, body));
  if (std::any_of(made->captured.begin(), made->captured.end(), [](const Array& x) { return x.is_traced(); }))
    return made;  // it ends with that trace
  Entries out;    // ends after the lock
  std::lock_guard lock(state_->mutex);
  if (auto* found = state_->entries.find(hash, same)) return *found;  // another thread was quicker
  state_->entries.insert(hash, made);
  out = state_->entries.shrink(config::cache_bounds().signatures);
  return made;
}

void JitCore::check_captures(const JitEntry& e, const JitArguments& args, const JitBody& body) const {
  if (state_->checks_captures()) state_->check_captures(e, args, context_of(args.flat.leaves), body);
}

std::shared_ptr<const PlanRequest> JitCore::request(const JitCall& call) const {
  const JitArguments args = call.arguments();
  const JitContext context = context_of(args.flat.leaves);
  const JitEntry e = make_entry(state_->options, state_->what, state_->made, args, context, call.body(), Purpose::plan);
  if (e.context.traced)
    raise<TracerError>("plan", "an argument is being recorded: its placement is decided by the function around",
                       "Plan the outermost function, outside of transformations.", state_->made);
  return request_of(e);
}

Explanation JitCore::plan(const JitCall& call) const {
  const std::shared_ptr<const PlanRequest> of = request(call);
  Explanation out = report_of(of);
  if (is_asked(state_->options.strict)) check_strict(state_->options.strict, out, of->what);
  return out;
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
    if (n.traced() && !e.context.traced)
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
          s.name + " of type " + n.type.str() + " is placed as " + n.sharding.str() + ", but it was compiled for " +
              expected.str() + compiled,
          "Move it with device_put, or call the jitted function, which compiles again where it has to.");
  }
}

std::vector<Array> JitCore::run(const JitEntry& e, std::span<const Array> leaves) {
  if (e.context.traced) {
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
  refuse_shared(e, args);
  const auto donated = std::make_unique<bool[]>(args.size());
  std::copy(e.donated.begin(), e.donated.end(), donated.get());
  // Errors before this point leave every input intact; from here the donated ones are used up.
  return execute(e.prepared, args, {donated.get(), args.size()}, e.donations);
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
