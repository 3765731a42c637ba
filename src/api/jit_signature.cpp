// Which entry a call gets, and why it gets none.
#include <algorithm>
#include <string_view>

#include "api/jit_entry.hpp"
#include "array/node.hpp"
#include "base/environment.hpp"
#include "base/say.hpp"
#include "frontend/call.hpp"
#include "trace/trace.hpp"
#include "tutti/base/config.hpp"

namespace tutti::detail {
namespace {

std::size_t mix(std::size_t h, std::size_t v) { return ((h ^ v) * 0x9e3779b97f4a7c15u) ^ (h >> 29); }

std::size_t mix_leaf(std::size_t h, const Array& x, bool traced) {
  const ArrayNode& n = *x.node();
  h = mix(h, static_cast<std::size_t>(n.type.dtype.kind()) * 2 + n.type.weak);
  for (std::int64_t d : n.type.shape) h = mix(h, static_cast<std::size_t>(d));
  if (traced) return h;
  return mix(h, reinterpret_cast<std::size_t>(n.sharding.node()) + n.committed);
}

bool same_leaf(const LeafSignature& s, const Array& x, bool traced) {
  const ArrayNode& n = *x.node();
  return s.type == n.type && (traced || (s.committed == n.committed && s.sharding == n.sharding));
}

bool tracing_now(std::span<const Array> leaves) {
  if (!innermost_trace()) return false;
  // Under a named axis a collective has a meaning for values that are not mapped as well, but only as part of the
  // recording.
  return inside_staged() || !bound_axes().empty() ||
         std::any_of(leaves.begin(), leaves.end(), [](const Array& x) { return x.is_traced(); });
}

}  // namespace

JitContext context_of(std::span<const Array> leaves) {
  return {config::generation(), tracing_now(leaves), bound_axes()};
}

std::size_t signature_hash(const JitArguments& args, const JitContext& context) {
  std::size_t h = mix(context.settings, context.traced);
  for (const BoundAxis& a : context.axes) h = mix(h, std::hash<std::string>{}(a.name));
  for (const Array& x : args.flat.leaves) h = mix_leaf(h, x, context.traced);
  // That of arrays alone says nothing new, and where they are found as such it is not known.
  return args.flat.structure.arrays_only() ? h : mix(h, args.flat.structure.hash());
}

bool fits(const JitEntry& e, const JitArguments& args, const JitContext& context) {
  const std::vector<Array>& leaves = args.flat.leaves;
  if (!(e.context == context) || e.derivatives < derivatives_here() || e.leaves.size() != leaves.size() ||
      !(e.structure == args.flat.structure))
    return false;
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (!same_leaf(e.leaves[i], leaves[i], context.traced)) return false;
  return true;
}

std::size_t signature_hash(std::span<const Array* const> args, unsigned long settings) {
  std::size_t h = mix(settings, false);
  for (const Array* x : args) h = mix_leaf(h, *x, false);
  return h;
}

bool fits(const JitEntry& e, std::span<const Array* const> args, unsigned long settings) {
  if (!e.arrays_only || e.context.traced || !e.context.axes.empty() || e.context.settings != settings ||
      e.leaves.size() != args.size())
    return false;
  for (std::size_t i = 0; i < args.size(); ++i)
    if (!same_leaf(e.leaves[i], *args[i], false)) return false;
  return true;
}

std::string Miss::str() const {
  if (kind == Kind::other) return "other settings";
  const std::string where = leaf.empty() ? "" : leaf + ": ";
  return kind == Kind::placement ? where + now + " is placed elsewhere" : where + before + " and " + now;
}

Miss why_missed(const JitEntry& e, const JitArguments& args, const JitContext& context) {
  if (auto d = tree::first_difference(e.structure, args.flat.structure)) {
    const bool self = !args.counts.empty() && args.counts.front() < 0;  // the callable itself comes first
    const int argument = static_cast<int>(d->tree) - self;
    return {d->value ? Miss::Kind::value : Miss::Kind::type, leaf_name({argument, d->path}), d->first, d->second};
  }
  const std::vector<Array>& leaves = args.flat.leaves;
  for (std::size_t i = 0; i < leaves.size() && i < e.leaves.size(); ++i) {
    const LeafSignature& s = e.leaves[i];
    if (same_leaf(s, leaves[i], context.traced)) continue;
    const bool moved = s.type == leaves[i].type();
    return {moved ? Miss::Kind::placement : Miss::Kind::type, leaf_name(args.paths()[i]), s.type.str(),
            leaves[i].type().str()};
  }
  return {};
}

const JitEntry& nearest(std::span<const std::shared_ptr<const JitEntry>> entries, const JitArguments& args,
                        const JitContext& context) {
  const std::vector<Array>& leaves = args.flat.leaves;
  auto differing = [&](const std::shared_ptr<const JitEntry>& e) {
    if (tree::first_difference(e->structure, args.flat.structure)) return leaves.size() + 1;
    std::size_t count = 0;
    for (std::size_t i = 0; i < leaves.size() && i < e->leaves.size(); ++i)
      count += !same_leaf(e->leaves[i], leaves[i], context.traced);
    return count;
  };
  return **std::ranges::min_element(entries, {}, differing);
}

void report_miss(const Miss& miss, Loc made, int programs) {
  const std::string where = "tutti: jit (" + made.str() + ") ";
  if (environment::has_word(environment::log, "recompile"))
    say(Message::Kind::log, where + "traces again: " + miss.str() + "\n");
  if (programs != 3 || !notes_are_wanted() || (miss.kind != Miss::Kind::value && miss.kind != Miss::Kind::type)) return;
  const bool value = miss.kind == Miss::Kind::value;
  say(Message::Kind::note,
      where + "compiles for the third time: " + miss.leaf + " was " + miss.before + " and is " + miss.now + ".\n" +
          (value ? "  Each value of what is no array is a program of its own. A number that changes wants the "
                   "type Array"
                   " (const Array&) in the function's parameters: then one program serves all values.\n"
                 : "  Each structure, dtype and shape is a program of its own. Pad to a few shapes where they "
                   "keep changing.\n") +
          "  (Said once. config::notes(false), or TUTTI_LOG=quiet, turns notes off.)\n");
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
