// Products and loops of layers run a few rows at a time, all of them, from the first to the last: what an example
// leaves behind in one layer is still in a cache when it is needed, and threads meet once for all layers.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "compile/chunk_places.hpp"
#include "compile/passes.hpp"
#include "compile/reach.hpp"
#include "compile/row_group.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kFewestRows = 4, kFewestChunks = 4;
constexpr std::int64_t kHanded = std::int64_t{1} << 20;        // bytes handed on, at least
constexpr std::int64_t kMostScratch = std::int64_t{16} << 20;  // of a chunk
constexpr std::int64_t kMostInner = 1024;                      // of a product with a copy in panels
constexpr std::size_t kMostCandidates = 4, kMostStages = 12;

class DepthFirst {
 public:
  explicit DepthFirst(Plan& plan) : p_(plan), touches_(plan) {}

  // Nothing is moved where something is sent: there each gradient is sent as soon as it is known, while others are
  // computed.
  void run() {
    if (std::any_of(p_.steps.begin(), p_.steps.end(), is_sending)) return;
    std::vector<int> all(p_.steps.size());
    std::iota(all.begin(), all.end(), 0);
    part(std::move(all));
    if (stages_.empty()) return;
    std::vector<Step> steps;
    steps.reserve(p_.steps.size());
    for (int i : order_) steps.push_back(std::move(p_.steps[i]));
    p_.steps = std::move(steps);
    put_stages();
  }

 private:
  // All other steps stay stages of their own.
  void put_stages() {
    p_.stages.clear();
    auto next = stages_.begin();
    for (int i = 0; i < static_cast<int>(p_.steps.size()); ++i) {
      if (next == stages_.end() || i != next->steps.front()) {
        p_.stages.push_back({.steps = {i}});
        continue;
      }
      i = next->steps.back();
      p_.stages.push_back(std::move(*next++));
      p_.stages.back().grouped = true;
    }
  }

  static bool is_dot(const Step& s) { return std::holds_alternative<Dot>(s.what); }

  void part(std::vector<int> steps) {
    RowGroup best;
    if (stages_.size() < kMostStages)
      for (std::int64_t rows : candidates(steps))
        for (bool adding : {true, false}) {
          RowGroup g = row_group(p_, touches_, steps, rows, adding);
          const bool adds = !g.added.empty();
          if (g.handed > best.handed && is_worth(g, steps)) best = std::move(g);
          if (!adds || best.rows == rows) break;
        }
    if (best.members.empty()) {
      order_.insert(order_.end(), steps.begin(), steps.end());
      return;
    }
    part(std::move(best.before));
    copy_in_panels(best);
    Stage stage{{}, best.rows, best.chunk, best.groups}, totals = add_in_groups(best);
    for (int i : best.members) {
      stage.steps.push_back(static_cast<int>(order_.size()));
      order_.push_back(i);
    }
    keep_in_chunks(best, stage);
    stages_.push_back(std::move(stage));
    for (int& i : totals.steps) {
      order_.push_back(i);
      i = static_cast<int>(order_.size()) - 1;
    }
    if (!totals.steps.empty()) stages_.push_back(std::move(totals));
    part(std::move(best.after));
  }

  // Numbers of rows: extents that most steps may be cut by.
  std::vector<std::int64_t> candidates(const std::vector<int>& steps) const {
    std::vector<std::int64_t> all;
    for (int i : steps)
      if (const std::int64_t n = first_extent(p_.steps[i]); n >= kFewestRows) all.push_back(n);
    const bool any = std::any_of(steps.begin(), steps.end(), [&](int i) { return is_dot(p_.steps[i]); });
    if (!any || all.size() < 2) return {};
    std::vector<std::pair<std::int64_t, std::int64_t>> fitting;  // steps (negative), rows
    for (std::int64_t n : std::set(all.begin(), all.end()))
      fitting.push_back({-std::count_if(all.begin(), all.end(), [&](std::int64_t x) { return x % n == 0; }), n});
    std::sort(fitting.begin(), fitting.end());
    std::vector<std::int64_t> out;
    for (std::size_t k = 0; k < std::min(fitting.size(), kMostCandidates); ++k) out.push_back(fitting[k].second);
    return out;
  }

  // Whether more stays in a cache than is read once more for each chunk, and no more memory is needed at once.
  bool is_worth(RowGroup& g, const std::vector<int>& steps) const {
    std::int64_t lines = 0, shared = 0;  // fewest of a row; bytes
    bool products = false;
    for (int i : g.members) {
      if (!adds(g, i))
        for (const RowAccess& a : row_accesses(p_.steps[i], g.rows))
          if (!a.writes && a.reach && a.reach->row == 0) shared += a.row_bytes;
      const auto* d = std::get_if<Dot>(&p_.steps[i].what);
      products |= d != nullptr;
      if (!d || !d->batch.empty()) continue;
      const std::int64_t of_row = (adds(g, i) ? d->k : d->m) / g.rows;
      lines = lines ? std::min(lines, of_row) : of_row;
    }
    g.chunk = lines ? std::clamp<std::int64_t>((kChunkLines + lines - 1) / lines, 1, g.rows) : 1;
    const std::int64_t chunks = (g.rows + g.chunk - 1) / g.chunk;
    g.groups = g.added.empty() ? 0 : std::min(chunks, kMostGroups);
    return products && chunks >= kFewestChunks && g.handed >= kHanded && g.handed >= chunks * shared &&
           chunk_places(p_, touches_, g).bytes <= kMostScratch && memory(g, steps, true) <= memory(g, steps, false);
  }

  // What all chunks multiply with is brought, once, to the order in which products read it.
  void copy_in_panels(const RowGroup& g) {
    std::map<std::tuple<int, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>, int>
        known;  // storages
    Stage copies;
    for (int i : g.members) {
      auto* d = std::get_if<Dot>(&p_.steps[i].what);
      if (!d || adds(g, i) || !d->batch.empty() || d->dtype != float32 || d->result != float32 || d->k > kMostInner)
        continue;
      d->panel = panel_of(d->n);
      if (d->panel == 0) continue;
      auto [copy, fresh] = known.try_emplace({d->b, d->b_offset, d->b_k, d->b_n, d->k, d->n}, -1);
      if (fresh) {
        copy->second = static_cast<int>(p_.storages.size());
        p_.storages.push_back({.bytes = d->k * d->n * d->dtype.size()});
        copies.steps.push_back(static_cast<int>(order_.size()));
        order_.push_back(static_cast<int>(p_.steps.size()));
        Step step{panels_of(*d, copy->second), p_.steps[i].eqns};
        p_.steps.push_back(std::move(step));
        d = &std::get<Dot>(p_.steps[i].what);
      }
      d->b = copy->second;
      d->b_offset = 0;
      d->b_k = d->panel;
      d->b_n = 1;
    }
    if (!copies.steps.empty()) stages_.push_back(std::move(copies));
  }
  // 0: no whole number of panels.
  static std::int64_t panel_of(std::int64_t n) {
    for (std::int64_t panel : {64, 48, 32, 16})
      if (n % panel == 0) return panel;
    return 0;
  }
  static Loop panels_of(const Dot& d, int to) {
    const std::int64_t size = d.dtype.size();
    Recorder ir;
    Access from, store;
    from.dtype = store.dtype = d.dtype;
    from.storage = d.b;
    from.offset = d.b_offset * size;
    from.strides = {d.panel * d.b_n * size, d.b_k * size, d.b_n * size};
    store.kind = Access::Kind::store;
    store.storage = to;
    store.strides = {d.k * d.panel * size, d.panel * size, size};
    store.value = ir.load(0, d.dtype).id;
    return {{d.n / d.panel, d.k, d.panel}, -1, 0, {from, store}, ir.take()};
  }

  static bool adds(const RowGroup& g, int step) { return std::binary_search(g.added.begin(), g.added.end(), step); }

  // Products that add up over rows do it for each group by itself, so that no number of threads decides the order; then
  // what the groups have is added, group by group.
  Stage add_in_groups(const RowGroup& g) {
    Stage totals;
    for (int i : g.added) {
      auto& d = std::get<Dot>(p_.steps[i].what);
      const std::int64_t size = d.result.size(), elements = d.m * d.n;
      const int parts = static_cast<int>(p_.storages.size());
      p_.storages.push_back({.bytes = g.groups * elements * size});
      Recorder ir;
      Loop total{{elements}, -1, 0, {}, {}};
      Reg sum;
      for (std::int64_t k = 0; k < g.groups; ++k) {
        Access& from = total.accesses.emplace_back();
        from.dtype = d.result;
        from.storage = parts;
        from.offset = k * elements * size;
        from.strides = {size};
        const Reg x = ir.load(static_cast<int>(k), d.result);
        sum = k ? ir.binary(VectorIR::Bin::add, sum, x) : x;
      }
      Access& to = total.accesses.emplace_back();
      to.kind = Access::Kind::store;
      to.dtype = d.result;
      to.storage = std::exchange(d.c, parts);
      to.strides = {size};
      to.value = sum.id;
      d.adds = true;
      d.mask.reset();
      total.body = ir.take();
      totals.steps.push_back(static_cast<int>(p_.steps.size()));
      p_.steps.push_back({std::move(total), p_.steps[i].eqns});
    }
    return totals;
  }

  void keep_in_chunks(const RowGroup& g, Stage& stage) {
    const ChunkPlaces x = chunk_places(p_, touches_, g);
    stage.scratch_bytes = x.bytes;
    for (std::size_t k = 0; k < x.storages.size(); ++k) {
      Storage& m = p_.storages[x.storages[k]];
      m.kind = Storage::Kind::chunk;
      m.row_bytes = m.bytes / g.rows;
      m.offset = x.offsets[k];
    }
  }

  // Bytes of temporaries that live at once while these steps run, as they stand or with the stage in their midst: then
  // also what its groups add up.
  std::int64_t memory(const RowGroup& g, const std::vector<int>& steps, bool grouped) const {
    std::vector<std::vector<int>> times;
    auto one_by_one = [&](const std::vector<int>& list) {
      for (int i : list) times.push_back({i});
    };
    std::vector<char> chunked(p_.storages.size(), 0);
    std::int64_t parts = 0;
    if (grouped) {
      for (int i : g.added) parts += g.groups * p_.storages[std::get<Dot>(p_.steps[i].what).c].bytes;
      one_by_one(g.before);
      times.push_back(g.members);
      one_by_one(g.after);
      for (int m : own_temporaries(p_, touches_, g)) chunked[m] = 1;
    } else {
      one_by_one(steps);
    }
    auto each = [&](std::size_t time, auto f) {
      for (int i : times[time])
        touches_.each(i, [&](int m) {
          if (p_.storages[m].kind == Storage::Kind::temporary && !chunked[m]) f(m);
        });
    };
    std::vector<int> last(p_.storages.size(), -1);
    std::vector<char> begun(p_.storages.size(), 0);
    for (std::size_t t = 0; t < times.size(); ++t) each(t, [&](int m) { last[m] = static_cast<int>(t); });
    std::int64_t now = 0, most = 0;
    for (std::size_t t = 0; t < times.size(); ++t) {
      each(t, [&](int m) {
        if (!std::exchange(begun[m], 1)) now += p_.storages[m].bytes;
      });
      most = std::max(most, now + (grouped && t == g.before.size() ? parts : 0));
      each(t, [&](int m) {
        if (last[m] == static_cast<int>(t) && std::exchange(last[m], -1) >= 0) now -= p_.storages[m].bytes;
      });
    }
    return most;
  }

  Plan& p_;
  const Touches touches_;  // by step, as they stood
  std::vector<int> order_;
  std::vector<Stage> stages_;
};

}  // namespace

Plan depth_first(Plan plan) {
  DepthFirst(plan).run();
  return plan;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
