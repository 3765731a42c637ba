#include "backend/cpu/cut.hpp"

#include <algorithm>
#include <limits>

namespace tutti::cpu {
namespace {

constexpr std::size_t kLong = 48;                     // instructions of a body that is cut
constexpr std::size_t kShortest = 14, kLongest = 40;  // of a part
constexpr std::size_t kMostLive = 3;                  // registers over a cut: each costs a store and a load

}  // namespace

std::vector<Part> cut(const KernelSpec& spec, const std::vector<char>& uniform) {
  const auto& insts = spec.body.insts;
  const std::size_t n = insts.size();
  constexpr std::size_t never = 0, at_end = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> last(n, never);  // the last instruction that reads a register
  for (std::size_t i = 0; i < n; ++i)
    for (int o : {insts[i].a, insts[i].b, insts[i].c})
      if (o >= 0) last[o] = i;
  for (const KernelSpec::Access& a : spec.accesses)
    if (a.value >= 0) last[a.value] = at_end;
  auto kept = [&](std::size_t r) { return !uniform[r] && insts[r].kind != compile::Inst::Kind::load; };
  // work[i]: instructions before i that do something per column.
  std::vector<std::size_t> work(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) work[i + 1] = work[i] + kept(i);
  auto live_at = [&](std::size_t end) {
    std::vector<int> out;
    for (std::size_t r = 0; r < end; ++r)
      if (kept(r) && last[r] >= end && last[r] != never) out.push_back(static_cast<int>(r));
    return out;
  };

  std::vector<std::size_t> ends;
  std::size_t begin = 0;
  while (work[n] - work[begin] > (ends.empty() ? kLong : kLongest + kShortest)) {
    std::size_t best = 0, best_live = kMostLive + 1, best_off = 0;
    for (std::size_t end = begin + 1; end < n; ++end) {
      const std::size_t w = work[end] - work[begin];
      if (w > kLongest || work[n] - work[end] < kShortest) break;
      if (w < kShortest) continue;
      const std::size_t live = live_at(end).size(), middle = (kShortest + kLongest) / 2,
                        off = w > middle ? w - middle : middle - w;
      if (live < best_live || (live == best_live && best && off < best_off)) {
        best = end;
        best_live = live;
        best_off = off;
      }
    }
    if (!best) break;
    ends.push_back(best);
    begin = best;
  }
  ends.push_back(n);

  std::vector<Part> parts;
  begin = 0;
  for (std::size_t end : ends) {
    Part p{begin, end, {}, {}};
    if (begin) {
      // What this part reads of earlier ones; the last part also stores.
      for (int r : live_at(begin)) {
        bool read = end == n && last[r] == at_end;
        for (std::size_t i = begin; i < end && !read; ++i) read = insts[i].a == r || insts[i].b == r || insts[i].c == r;
        if (read) p.in.push_back(r);
      }
    }
    if (end != n)
      for (int r : live_at(end))
        if (static_cast<std::size_t>(r) >= begin) p.out.push_back(r);
    parts.push_back(std::move(p));
    begin = end;
  }
  return parts;
}

}  // namespace tutti::cpu
