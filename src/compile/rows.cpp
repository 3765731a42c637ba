// Loops over the same rows that hand large values to each other run a few rows at a time, all of them, while those rows
// are in the second-level cache: what only they use then never goes to memory.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>

#include "compile/passes.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kReuse = std::int64_t{4} << 20;    // bytes handed on, at least: less stays in a cache anyway
constexpr std::int64_t kChunk = std::int64_t{288} << 10;  // bytes handed on within a chunk, about
constexpr std::int64_t kTiny = 64;                        // elements
constexpr std::size_t kMostSteps = 24;

struct Reach {
  std::int64_t row = 0;             // bytes from one row to the next
  std::int64_t begin = 0, end = 0;  // bytes of the first row
};

std::optional<Reach> reach_of(const Loop& l, const Access& a, std::int64_t rows) {
  const std::int64_t inner = l.extents[0] / rows;
  Reach r{a.strides[0] * inner, a.offset, a.offset + a.dtype.size()};
  for (std::size_t d = 0; d < l.extents.size(); ++d) {
    if (a.strides[d] < 0) return std::nullopt;
    r.end += a.strides[d] * ((d ? l.extents[d] : inner) - 1);
  }
  return r;
}

class Grouping {
 public:
  explicit Grouping(Plan& plan) : p_(plan) {}

  void run() {
    lift_scalars();
    const int n = static_cast<int>(p_.steps.size());
    for (int i = 0; i < n;) {
      const int end = longest(i);
      Stage s;
      if (end - i > 1) {
        for (int k = i; k < end; ++k) s.steps.push_back(k);
        set_rows(s);
      } else {
        s.steps = {i};
      }
      p_.stages.push_back(std::move(s));
      i = std::max(end, i + 1);
    }
  }

 private:
  const Loop* loop(int step) const { return std::get_if<Loop>(&p_.steps[step].what); }

  // Tiny steps go to right behind what they need, so that they do not stand between large loops.
  void lift_scalars() {
    std::map<int, std::size_t> writer;  // by storage: place in `out`
    std::vector<Step> out;
    for (Step& s : p_.steps) {
      std::vector<int> reads, writes;
      uses_of(s, reads, writes);
      const auto* l = std::get_if<Loop>(&s.what);
      std::size_t at = out.size();
      if (l && product(l->extents) <= kTiny) {
        at = 0;
        for (int r : reads)
          if (auto w = writer.find(r); w != writer.end()) at = std::max(at, w->second + 1);
      }
      for (auto& [storage, place] : writer) place += place >= at;
      out.insert(out.begin() + static_cast<std::ptrdiff_t>(at), std::move(s));
      for (int w : writes) writer[w] = std::max(writer.contains(w) ? writer[w] : at, at);
    }
    p_.steps = std::move(out);
  }

  // Of the longest group from `begin` that is worth it: one past its last step.
  int longest(int begin) {
    int best = begin + 1;
    std::int64_t rows = 0;
    std::set<int> written;
    for (int i = begin; i < static_cast<int>(p_.steps.size()) && i < begin + static_cast<int>(kMostSteps); ++i) {
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
      if (reuse(begin, i + 1, rows) * rows >= kReuse) best = i + 1;
    }
    return best;
  }

  // A transposition walks better over large squares than along a few rows.
  static bool turns(const Loop& l) {
    return std::any_of(l.accesses.begin(), l.accesses.end(), [](const Access& a) {
      return a.kind == Access::Kind::load && a.strides.back() != 0 && a.strides.back() != a.dtype.size();
    });
  }

  // Whether every step reads of what the group writes only its own rows.
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

  // Bytes of a row that more than one step touches.
  std::int64_t reuse(int begin, int end, std::int64_t rows) const {
    std::map<int, std::pair<int, std::int64_t>> touched;  // how many steps, bytes
    for (int i = begin; i < end; ++i) {
      std::map<int, std::int64_t> here;
      for (const Access& a : loop(i)->accesses) {
        if (a.storage < 0) continue;
        std::int64_t bytes = a.dtype.size();
        for (std::size_t d = 0; d < a.strides.size(); ++d)
          if (a.strides[d]) bytes *= d ? loop(i)->extents[d] : loop(i)->extents[0] / rows;
        if (!a.strides[0]) bytes = 0;
        here[a.storage] = std::max(here[a.storage], bytes);
      }
      for (auto& [s, bytes] : here) {
        auto& t = touched[s];
        t = {t.first + 1, std::max(t.second, bytes)};
      }
    }
    std::int64_t total = 0;
    for (auto& [s, t] : touched)
      if (t.first > 1) total += t.second;
    return total;
  }

  void set_rows(Stage& s) {
    const int begin = s.steps.front(), end = s.steps.back() + 1;
    std::int64_t rows = 0;
    for (int i : s.steps) rows = std::gcd(rows, loop(i)->extents[0]);
    s.rows = rows;
    const auto fitting = static_cast<std::uint64_t>(
        std::max<std::int64_t>(1, kChunk / std::max<std::int64_t>(1, reuse(begin, end, rows))));
    s.chunk = std::min(static_cast<std::int64_t>(std::bit_floor(fitting)), rows);
    // Temporaries of this stage alone need room for one chunk.
    std::map<int, std::int64_t> row_of;
    for (int i : s.steps)
      for (const Access& a : loop(i)->accesses)
        if (a.kind == Access::Kind::store || a.kind == Access::Kind::reduce)
          row_of[a.storage] = reach_of(*loop(i), a, rows)->row;
    for (int i = 0; i < static_cast<int>(p_.steps.size()); ++i) {
      if (i >= begin && i < end) continue;
      std::vector<int> reads, writes;
      uses_of(p_.steps[i], reads, writes);
      for (int r : reads) row_of.erase(r);
    }
    for (auto& [storage, row] : row_of) {
      Storage& m = p_.storages[storage];
      if (m.kind != Storage::Kind::temporary) continue;
      m.kind = Storage::Kind::chunk;
      m.row_bytes = row;
      m.offset = s.scratch_bytes;
      s.scratch_bytes += (row * s.chunk + 63) / 64 * 64;
    }
  }

  Plan& p_;
};

}  // namespace

void group_stages(Plan& plan) { Grouping(plan).run(); }

}  // namespace tutti::compile
