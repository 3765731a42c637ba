// What a jit with `strict` refuses.
#include <cctype>
#include <cstdio>

#include "api/planning.hpp"
#include "base/units.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::detail {
namespace {

std::string said(const Explanation::Collective& c) {
  return c.kind + " of " + c.what + " (" + bytes_text(c.total_bytes()) + " per device" +
         (c.loc ? ", " + c.loc.str() : "") + "): " + c.why;
}

// A checked remedy where there is one, else what could be done.
std::string help(const Explanation& e, std::size_t at) {
  const std::vector<Remedy> known = e.remedies(at);
  std::string out = known.empty() ? e.collectives[at].advice : known[0].str();
  if (!out.empty()) out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out + ". What is allowed stands in the options of jit: .strict.";
}

[[noreturn]] void refuse(const std::string& what, const std::string& problem, const std::string& advice, Loc loc) {
  raise<ShardingError>(what, problem, advice, loc);
}

}  // namespace

bool is_asked(const Strict& s) { return s.no_gather || s.max_bytes >= 0 || s.max_flop_inflation > 0; }

void check_strict(const Strict& strict, const Explanation& e, const std::string& what) {
  std::size_t largest = 0;
  for (std::size_t i = 0; i < e.collectives.size(); ++i) {
    const Explanation::Collective& c = e.collectives[i];
    if (strict.no_gather && c.kind == "all_gather" && !c.by_hand)
      refuse(what, "strict.no_gather forbids the " + said(c), help(e, i), c.loc);
    if (c.total_bytes() > e.collectives[largest].total_bytes()) largest = i;
  }
  if (strict.max_bytes >= 0 && e.bytes() > strict.max_bytes && !e.collectives.empty()) {
    const Explanation::Collective& c = e.collectives[largest];
    refuse(what,
           "each device receives " + bytes_text(e.bytes()) + ", more than strict.max_bytes, " +
               bytes_text(strict.max_bytes) + "; most of it by the " + said(c),
           help(e, largest), c.loc);
  }
  if (strict.max_flop_inflation > 0 && e.flop_inflation > strict.max_flop_inflation) {
    char times[64];
    std::snprintf(times, sizeof times, "%.2f times, more than the %.2f", e.flop_inflation, strict.max_flop_inflation);
    refuse(what,
           "all devices together do the work of one " + std::string(times) + " of strict.max_flop_inflation" +
               (e.replicated.empty() ? "" : "; most of what is done over again is " + e.replicated[0].what),
           "Cut one of its operands over the mesh axes that are not used there: devices along them do the same work.",
           e.replicated.empty() ? Loc() : e.replicated[0].loc);
  }
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
