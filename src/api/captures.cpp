#include "api/captures.hpp"

#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "api/jit_entry.hpp"
#include "array/node.hpp"
#include "base/environment.hpp"
#include "base/settings.hpp"
#include "ir/op.hpp"

namespace tutti::detail {
namespace {

bool environment_wants_captures() {
  static const bool on = [] {
#ifndef NDEBUG
    if (environment::value(environment::check).empty()) return true;
#endif
    return environment::has_word(environment::check, "captures");
  }();
  return on;
}

std::string number_at(const Array& x, const void* data, std::int64_t i) {
  const DType dtype = x.dtype();
  if (dtype.is_key() || dtype.is_complex()) return "";
  double value = 0;
  convert_elements(dtype, static_cast<const char*>(data) + i * dtype.size(), float64, &value, 1);
  return (dtype.is_floating() ? Scalar(value).to(dtype) : Scalar(static_cast<std::int64_t>(value))).str();
}

// How two captured arrays differ; "" where they do not, or nobody can tell.
std::string array_change(const Array& kept, const Array& now) {
  if (kept.node() == now.node()) return "";
  const std::string what = "the array " + kept.type().str();
  if (now.is_traced()) return what + " when recorded, now a value that is being recorded by a function around";
  if (!(kept.type() == now.type())) return what + " when recorded, " + now.type().str() + " now";
  if (kept.committed() != now.committed() || (kept.committed() && !(kept.sharding() == now.sharding())))
    return what + " when recorded, the same on other devices now";
  if (kept.is_deleted() || now.is_deleted())
    return what + " when recorded, another one now, and one of them is deleted";
  if (!kept.is_fully_addressable() || !now.is_fully_addressable()) return "";
  const HostPtr a = held_buffer_of(kept, "check_captures"), b = held_buffer_of(now, "check_captures");
  if (kept.nbytes() == 0 || std::memcmp(a->data(), b->data(), static_cast<std::size_t>(kept.nbytes())) == 0) return "";
  const std::int64_t size = kept.dtype().size();
  std::int64_t i = 0;
  while (std::memcmp(static_cast<const char*>(a->data()) + i * size, static_cast<const char*>(b->data()) + i * size,
                     static_cast<std::size_t>(size)) == 0)
    ++i;
  const std::string before = number_at(kept, a->data(), i), after = number_at(now, b->data(), i);
  if (before.empty()) return what + " with other elements now";
  const std::string place = kept.ndim() == 0 ? "" : ", element " + std::to_string(i) + " of it";
  return what + place + ": " + before + " when recorded, " + after + " now";
}

// Two programs, or bodies of two loops, in step. Captured arrays are inputs of the outermost.
class Comparison {
 public:
  Comparison(const Program& kept, const Program& now, std::vector<CaptureChange>& out)
      : kept_(kept), now_(now), out_(out), partner_(kept.types.size(), -1) {}

  void run(const JitEntry* kept, const JitEntry* now) {
    kept_entry_ = kept;
    now_entry_ = now;
    const std::size_t given = kept ? kept->leaves.size() : kept_.inputs.size();
    for (std::size_t i = 0; i < given && i < now_.inputs.size(); ++i) pair(kept_.inputs[i], now_.inputs[i]);
    for (std::size_t i = 0; i < kept_.eqns.size() && i < now_.eqns.size(); ++i)
      if (!eqn(kept_.eqns[i], now_.eqns[i])) return;
    if (kept_.eqns.size() != now_.eqns.size())
      return add({}, std::to_string(kept_.eqns.size()) + " operations when recorded, " +
                         std::to_string(now_.eqns.size()) + " now");
    for (std::size_t k = 0; k < kept_.outputs.size() && k < now_.outputs.size(); ++k)
      if (!atom(kept_.outputs[k], now_.outputs[k], {}, "result " + std::to_string(k))) return;
  }

 private:
  // False where what follows cannot be compared.
  bool eqn(const Eqn& a, const Eqn& b) {
    const std::string name = a.op->name;
    if (a.op != b.op || a.operands.size() != b.operands.size() || a.results.size() != b.results.size() ||
        a.subs.size() != b.subs.size()) {
      add(a.loc, name + at(a.loc) + " when recorded, " + b.op->name + at(b.loc) + " now");
      return false;
    }
    bool same = true;
    for (std::size_t k = 0; k < a.operands.size(); ++k)
      same = atom(a.operands[k], b.operands[k], a.loc, name + at(a.loc)) && same;
    if (!(a.params == b.params) && a.params.str() != b.params.str())
      add(a.loc, name + at(a.loc) + ": " + a.params.str() + " when recorded, " + b.params.str() + " now");
    for (std::size_t k = 0; k < a.subs.size(); ++k)
      if (a.subs[k] != b.subs[k]) Comparison(*a.subs[k], *b.subs[k], out_).run(nullptr, nullptr);
    for (std::size_t k = 0; k < a.results.size(); ++k) pair(a.results[k], b.results[k]);
    return same;
  }

  bool atom(const Atom& a, const Atom& b, Loc loc, const std::string& user) {
    if (a.is_literal() && b.is_literal()) {
      if (!(a == b)) add(loc, user + ": " + a.literal.str() + " when recorded, " + b.literal.str() + " now");
      return true;
    }
    const Array *x = captured(kept_entry_, kept_, a), *y = captured(now_entry_, now_, b);
    if (x && y) {
      if (const std::string change = array_change(*x, *y); !change.empty()) add(loc, user + ": " + change);
      return true;
    }
    if (!a.is_literal() && !b.is_literal() && !x && !y && partner(a.id) == b.id) return true;
    add(loc, user + ": " + text(a, x) + " when recorded, " + text(b, y) + " now");
    return x || y || a.is_literal() || b.is_literal();
  }

  static const Array* captured(const JitEntry* of, const Program& program, const Atom& a) {
    if (!of || a.is_literal()) return nullptr;
    for (std::size_t k = 0; k < of->captured.size(); ++k)
      if (program.inputs[of->leaves.size() + k] == a.id) return &of->captured[k];
    return nullptr;
  }
  static std::string text(const Atom& a, const Array* captured) {
    if (a.is_literal()) return a.literal.str();
    return captured ? "the array " + captured->type().str() : "another value of the program";
  }
  static std::string at(Loc loc) { return loc ? " at " + loc.str() : ""; }
  void pair(ValueId a, ValueId b) { partner_[static_cast<std::size_t>(a)] = b; }
  ValueId partner(ValueId a) const { return partner_[static_cast<std::size_t>(a)]; }
  void add(Loc where, std::string what) { out_.push_back({where, std::move(what)}); }

  const Program &kept_, &now_;
  std::vector<CaptureChange>& out_;
  std::vector<ValueId> partner_;
  const JitEntry *kept_entry_ = nullptr, *now_entry_ = nullptr;
};

}  // namespace

bool captures_are_checked() {
  const settings::Word said = settings::get(settings::captures);
  return said == 0 ? environment_wants_captures() : said == 1;
}

namespace {
struct LookedAt : std::set<const JitEntry*> {};  // in the outermost recording of this thread
constinit thread_local LookedAt* looked_at = nullptr;
}  // namespace

CaptureCheck::CaptureCheck(const JitEntry& kept) : outermost_(!looked_at) {
  if (outermost_) looked_at = new LookedAt;
  wanted_ = looked_at->insert(&kept).second;
}
CaptureCheck::~CaptureCheck() {
  if (outermost_) delete std::exchange(looked_at, nullptr);
}

std::vector<CaptureChange> capture_changes(const JitEntry& kept, const JitEntry& now) {
  std::vector<CaptureChange> out;
  Comparison(*kept.program, *now.program, out).run(&kept, &now);
  if (out.empty() && kept.result && now.result)
    if (const auto d = tree::first_difference(*kept.result, *now.result))
      out.push_back({{},
                     "the result" + (d->path.str().empty() ? "" : ", " + d->path.str()) + ": " + d->first +
                         " when recorded, " + d->second + " now"});
  return out;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
