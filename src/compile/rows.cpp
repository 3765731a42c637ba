// Loops over the same rows that hand large values to each other run a few rows at a time, all of them, while those rows
// are in the second-level cache: what only they use then never goes to memory.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/effort.hpp"
#include "compile/passes.hpp"
#include "compile/reach.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kReuse = std::int64_t{4} << 20;    // bytes handed on, at least: less stays in a cache anyway
constexpr std::int64_t kChunk = std::int64_t{288} << 10;  // bytes handed on within a chunk, about
constexpr std::size_t kMostSteps = 24;
constexpr std::int64_t kQuickBody = 16;  // instructions
constexpr std::int64_t kBox = 1 << 16;   // elements of boxes that are worth several tasks, and of one task, about

class Grouping {
 public:
  Grouping(Plan& plan, bool within)
      : p_(plan), keep_storages_(within && std::all_of(plan.steps.begin(), plan.steps.end(), [](const Step& s) {
                                   const auto* l = std::get_if<Loop>(&s.what);
                                   return l && l->reduced < 0;
                                 })) {}

  void run() {
    std::vector<Stage> grouped;
    for (Stage& s : std::exchange(p_.stages, {}))
      if (s.grouped) grouped.push_back(std::move(s));
    find_readers();
    const int n = static_cast<int>(p_.steps.size());
    auto next = grouped.begin();
    for (int i = 0; i < n;) {
      if (next != grouped.end() && i == next->steps.front()) {
        i = next->steps.back() + 1;
        p_.stages.push_back(std::move(*next++));
        continue;
      }
      border_ = next != grouped.end() ? next->steps.front() : n;
      int end = keep_storages_ ? i + 1 : longest(i);
      Stage s;
      if (end - i > 1) {
        for (int k = i; k < end; ++k) s.steps.push_back(k);
        set_rows(s);
      } else if (const int last = last_box(i); last > i) {
        end = last + 1;
        for (int k = i; k < end; ++k) s.steps.push_back(k);
        set_rows_of_boxes(s);
      } else {
        s.steps = {i};
      }
      p_.stages.push_back(std::move(s));
      i = std::max(end, i + 1);
    }
  }

 private:
  const Loop* loop(int step) const { return std::get_if<Loop>(&p_.steps[step].what); }

  void find_readers() {
    first_reader_.assign(p_.storages.size(), static_cast<int>(p_.steps.size()));
    last_reader_.assign(p_.storages.size(), -1);
    first_writer_ = first_reader_;
    std::vector<int> reads, writes;
    for (int i = 0; i < static_cast<int>(p_.steps.size()); ++i) {
      uses_of(p_.steps[i], reads, writes);
      for (int r : reads) {
        first_reader_[r] = std::min(first_reader_[r], i);
        last_reader_[r] = i;
      }
      for (int w : writes) first_writer_[w] = std::min(first_writer_[w], i);
    }
  }

  // Of the longest group from `begin` that is worth it: one past its last step.
  int longest(int begin) const {
    int best = begin + 1;
    std::int64_t rows = 0, reused = 0;  // bytes that more than one step touches
    std::set<int> written;
    std::map<int, std::pair<int, std::int64_t>> touched;  // by storage: how many steps, bytes
    for (int i = begin; i < std::min(border_, begin + static_cast<int>(kMostSteps)); ++i) {
      const Loop* l = loop(i);
      if (!l || l->extents.empty() || l->reduced == 0 || (l->block_total && l->reduced == 1)) break;
      if (turns(*l)) break;
      bool takes = i == begin;
      for (const Access& a : l->accesses) takes |= a.kind == Access::Kind::load && written.contains(a.storage);
      if (!takes) break;
      rows = std::gcd(rows, l->extents[0]);
      for (const Access& a : l->accesses)
        if (a.kind == Access::Kind::store || a.kind == Access::Kind::reduce) written.insert(a.storage);
      if (rows < 8 || !fits(begin, i + 1, rows, written)) break;
      for (auto [storage, bytes] : footprint(*l)) {
        auto& [steps, most] = touched[storage];
        if (steps > 0) reused += steps > 1 ? std::max(most, bytes) - most : std::max(most, bytes);
        ++steps;
        most = std::max(most, bytes);
      }
      if (reused >= kReuse) best = i + 1;
    }
    return best;
  }

  // The last box, from `begin` on, of the same loop and over the same rows. Boxes do not need each other.
  int last_box(int begin) {
    if (begin < no_boxes_until_) return begin;
    const Loop* first = loop(begin);
    if (!first || first->extents.empty() || first->reduced >= 0 || p_.steps[begin].eqns.empty()) return begin;
    int last = begin;
    std::int64_t most = 0;
    std::vector<int> reads, writes, all_reads, all_writes;
    for (int i = begin; i < border_; ++i) {
      ++effort;
      const Loop* l = loop(i);
      if (!l || l->extents.empty() || l->reduced >= 0 || l->extents[0] != first->extents[0] ||
          p_.steps[i].eqns != p_.steps[begin].eqns)
        break;
      uses_of(p_.steps[i], reads, writes);
      all_reads.insert(all_reads.end(), reads.begin(), reads.end());
      all_writes.insert(all_writes.end(), writes.begin(), writes.end());
      most = std::max(most, product(l->extents));
      last = i;
    }
    std::sort(all_writes.begin(), all_writes.end());
    const bool apart = std::none_of(all_reads.begin(), all_reads.end(),
                                    [&](int m) { return std::binary_search(all_writes.begin(), all_writes.end(), m); });
    if (apart && most >= kBox) return last;
    if (most < kBox) no_boxes_until_ = last + 1;  // nor are there in what is left of these
    return begin;
  }

  void set_rows_of_boxes(Stage& s) const {
    s.rows = loop(s.steps[0])->extents[0];
    std::int64_t row = 1;  // elements; of long bodies several times as many
    for (int i : s.steps) {
      const auto insts = static_cast<std::int64_t>(loop(i)->body.insts.size());
      row = std::max(row, product(loop(i)->extents) / s.rows * std::max<std::int64_t>(1, insts / kQuickBody));
    }
    s.chunk = std::clamp<std::int64_t>(kBox / row, 1, s.rows);
  }

  // A transposition walks better over large squares than along a few rows.
  static bool turns(const Loop& l) {
    return std::any_of(l.accesses.begin(), l.accesses.end(), [](const Access& a) {
      return a.kind == Access::Kind::load && a.strides.back() != 0 && a.strides.back() != a.dtype.size();
    });
  }

  // Whether every step reads of what the group writes only its own rows, which are as long for all of them.
  bool fits(int begin, int end, std::int64_t rows, const std::set<int>& written) const {
    std::map<int, std::int64_t> row_of;
    for (int i = begin; i < end; ++i) {
      const Loop& l = *loop(i);
      for (const Access& a : l.accesses) {
        if (!written.contains(a.storage) || a.kind == Access::Kind::index) continue;
        auto r = reach_of(l, a, rows);
        if (!r || r->row <= 0 || r->begin < 0 || r->end > r->row) return false;
        if (row_of.emplace(a.storage, r->row).first->second != r->row) return false;
      }
    }
    return true;
  }

  // Bytes that a loop touches of the storages that it steps through row by row.
  static std::map<int, std::int64_t> footprint(const Loop& l) {
    std::map<int, std::int64_t> out;
    for (const Access& a : l.accesses) {
      if (a.storage < 0) continue;
      std::int64_t bytes = a.strides[0] ? a.dtype.size() : 0;
      for (std::size_t d = 0; d < a.strides.size(); ++d)
        if (a.strides[d]) bytes *= l.extents[d];
      out[a.storage] = std::max(out[a.storage], bytes);
    }
    return out;
  }

  // Bytes of a row that more than one step of a stage touches.
  std::int64_t reuse(const Stage& s) const {
    std::map<int, std::pair<int, std::int64_t>> touched;  // by storage: how many steps, bytes
    for (int i : s.steps)
      for (auto [storage, bytes] : footprint(*loop(i))) {
        auto& [steps, most] = touched[storage];
        ++steps;
        most = std::max(most, bytes / s.rows);
      }
    std::int64_t total = 0;
    for (auto& [storage, t] : touched)
      if (t.first > 1) total += t.second;
    return total;
  }

  void set_rows(Stage& s) {
    for (int i : s.steps) s.rows = std::gcd(s.rows, loop(i)->extents[0]);
    const auto fitting =
        static_cast<std::uint64_t>(std::max<std::int64_t>(1, kChunk / std::max<std::int64_t>(1, reuse(s))));
    s.chunk = std::min(static_cast<std::int64_t>(std::bit_floor(fitting)), s.rows);
    // Temporaries of this stage alone need room for one chunk.
    std::map<int, std::int64_t> row_of;
    for (int i : s.steps)
      for (const Access& a : loop(i)->accesses)
        if (a.kind == Access::Kind::store || a.kind == Access::Kind::reduce)
          row_of[a.storage] = reach_of(*loop(i), a, s.rows)->row;
    for (auto& [storage, row] : row_of) {
      Storage& m = p_.storages[storage];
      if (m.kind != Storage::Kind::temporary) continue;
      const int first = std::min(first_writer_[storage], first_reader_[storage]);
      if (first < s.steps.front() || last_reader_[storage] > s.steps.back()) continue;
      m.kind = Storage::Kind::chunk;
      m.row_bytes = row;
      m.offset = s.scratch_bytes;
      s.scratch_bytes += (row * s.chunk + 63) / 64 * 64;
    }
  }

  Plan& p_;
  const bool keep_storages_;  // elementwise work in a loop: a backend may run all its steps row by row
  int border_ = 0;            // a step: no group goes beyond
  int no_boxes_until_ = 0;    // a step: those before it are too small
  std::vector<int> first_reader_, last_reader_, first_writer_;  // by storage: steps
};

}  // namespace

Plan group_stages(Plan plan, bool within) {
  Grouping(plan, within).run();
  return plan;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
