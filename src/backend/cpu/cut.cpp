#include "backend/cpu/cut.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tutti::cpu {
namespace {

constexpr std::size_t kLong = 48;                     // instructions of a body that is cut
constexpr std::size_t kShortest = 14, kLongest = 40;  // of a part
constexpr std::size_t kMostLive = 3;                  // registers over a cut: each costs a store and a load

constexpr std::size_t kMiddle = (kShortest + kLongest) / 2;
constexpr std::size_t kNever = 0, kAtEnd = std::numeric_limits<std::size_t>::max();

class Cutter {
 public:
  Cutter(const KernelSpec& spec, const std::vector<char>& uniform)
      : spec_(spec),
        insts_(spec.body.insts),
        uniform_(uniform),
        last_(insts_.size(), kNever),
        work_(insts_.size() + 1, 0) {
    for (std::size_t i = 0; i < insts_.size(); ++i) {
      for (int o : {insts_[i].a, insts_[i].b, insts_[i].c, insts_[i].when})
        if (o >= 0) last_[o] = i;
      work_[i + 1] = work_[i] + (kept(i) && insts_[i].when < 0 ? 1 : 0);
    }
    for (const KernelSpec::Access& a : spec.accesses)
      if (a.value >= 0) last_[a.value] = kAtEnd;
  }

  std::vector<Part> run() const {
    std::vector<Part> parts;
    std::size_t begin = 0;
    for (std::size_t end : ends()) {
      parts.push_back(part(begin, end));
      begin = end;
    }
    return parts;
  }

 private:
  // A register that has to be kept in a tile where a cut separates it from a reader.
  bool kept(std::size_t r) const { return !uniform_[r] && insts_[r].kind != compile::Inst::Kind::load; }

  std::vector<int> live_at(std::size_t end) const {
    std::vector<int> out;
    for (std::size_t r = 0; r < end; ++r)
      if (kept(r) && last_[r] >= end && last_[r] != kNever) out.push_back(static_cast<int>(r));
    return out;
  }

  // Whether a branch leads around this register and the next one.
  bool skipped_with_next(std::size_t r) const {
    while (r > 0 && uniform_[r]) --r;
    return insts_[r].when >= 0 && unlikely_end(spec_, uniform_, r) > r + 1;
  }

  std::size_t work(std::size_t begin, std::size_t end) const { return work_[end] - work_[begin]; }

  std::vector<std::size_t> ends() const {
    const std::size_t n = insts_.size();
    std::vector<std::size_t> out;
    std::size_t begin = 0;
    while (work(begin, n) > (out.empty() ? kLong : kLongest + kShortest)) {
      begin = next_end(begin);
      if (!begin) break;
      out.push_back(begin);
    }
    out.push_back(n);
    return out;
  }

  // Where the part from `begin` ends: where few registers live, then where it is of middle length. 0: nowhere narrow.
  std::size_t next_end(std::size_t begin) const {
    const std::size_t n = insts_.size();
    std::size_t best = 0, best_live = kMostLive + 1, best_off = 0;
    for (std::size_t end = begin + 1; end < n; ++end) {
      const std::size_t length = work(begin, end);
      if (length > kLongest || work(end, n) < kShortest) break;
      if (length < kShortest || skipped_with_next(end - 1)) continue;
      const std::size_t live = live_at(end).size(), off = length > kMiddle ? length - kMiddle : kMiddle - length;
      if (live < best_live || (live == best_live && best && off < best_off)) {
        best = end;
        best_live = live;
        best_off = off;
      }
    }
    return best;
  }

  Part part(std::size_t begin, std::size_t end) const {
    const bool is_last = end == insts_.size();
    Part p{begin, end, {}, {}};
    if (begin)
      for (int r : live_at(begin))  // the last part also stores
        if ((is_last && last_[r] == kAtEnd) || reads(begin, end, r)) p.in.push_back(r);
    if (!is_last)
      for (int r : live_at(end))
        if (static_cast<std::size_t>(r) >= begin) p.out.push_back(r);
    return p;
  }

  bool reads(std::size_t begin, std::size_t end, int r) const {
    return std::any_of(insts_.begin() + static_cast<std::ptrdiff_t>(begin),
                       insts_.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](const compile::Inst& i) { return i.a == r || i.b == r || i.c == r || i.when == r; });
  }

  const KernelSpec& spec_;
  const std::vector<compile::Inst>& insts_;
  const std::vector<char>& uniform_;
  std::vector<std::size_t> last_;  // by register: the last instruction that reads it
  std::vector<std::size_t> work_;  // instructions before that do something per column
};

}  // namespace

std::vector<Part> cut(const KernelSpec& spec, const std::vector<char>& uniform) { return Cutter(spec, uniform).run(); }

std::vector<std::size_t> last_readers(const KernelSpec& spec) {
  const std::vector<compile::Inst>& insts = spec.body.insts;
  std::vector<std::size_t> last(insts.size(), kNever);
  for (std::size_t r = 0; r < insts.size(); ++r)
    for (int o : {insts[r].a, insts[r].b, insts[r].c, insts[r].when})
      if (o >= 0) last[static_cast<std::size_t>(o)] = r;
  for (const KernelSpec::Access& a : spec.accesses)
    if (a.value >= 0) last[static_cast<std::size_t>(a.value)] = kAtEnd;
  return last;
}

std::size_t unlikely_end(const KernelSpec& spec, const std::vector<char>& uniform, std::size_t r) {
  const std::vector<compile::Inst>& insts = spec.body.insts;
  const int when = insts[r].when;
  std::size_t end = r + 1;
  for (std::size_t next = end; next < insts.size() && (uniform[next] || insts[next].when == when); ++next)
    if (!uniform[next]) end = next + 1;
  return end;
}

std::size_t most_alive(const KernelSpec& spec, const std::vector<char>& uniform, const Part& part) {
  const std::vector<compile::Inst>& insts = spec.body.insts;
  std::vector<std::size_t> last(insts.size(), kNever);
  for (std::size_t r = part.begin; r < part.end; ++r)
    for (int o : {insts[r].a, insts[r].b, insts[r].c, insts[r].when})
      if (o >= 0) last[o] = r;
  for (int r : part.out) last[r] = kAtEnd;
  for (const KernelSpec::Access& a : spec.accesses)
    if (a.value >= 0 && part.end == insts.size()) last[a.value] = kAtEnd;
  std::vector<char> lives(insts.size(), 0);
  std::size_t now = 0, most = 0;
  // Beside a branch all operands of what it skips live on: numbers of 64 bits fill two registers.
  const bool branches = std::any_of(insts.begin(), insts.end(), [](const compile::Inst& i) { return i.when >= 0; });
  auto width = [&](std::size_t r) -> std::size_t { return branches && insts[r].dtype.size() == 8 ? 2 : 1; };
  auto begins = [&](std::size_t r) {  // what waits for a branch that is seldom taken may wait in memory
    if (!uniform[r] && insts[r].when < 0 && !std::exchange(lives[r], 1)) most = std::max(most, now += width(r));
  };
  for (std::size_t r = part.begin; r < part.end; ++r) {
    for (int o : {insts[r].a, insts[r].b, insts[r].c})
      if (o >= 0) begins(static_cast<std::size_t>(o));  // of a tile, or a load of an earlier part
    for (int o : {insts[r].a, insts[r].b, insts[r].c})
      if (o >= 0 && last[o] == r && std::exchange(lives[o], 0)) now -= width(static_cast<std::size_t>(o));
    if (last[r] > r) begins(r);
  }
  return most;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
