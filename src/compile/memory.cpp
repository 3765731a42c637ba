#include <algorithm>
#include <map>

#include "compile/passes.hpp"
#include "ops/movement/scatter.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kAlign = 64;
std::int64_t aligned(std::int64_t n) { return (n + kAlign - 1) / kAlign * kAlign; }

// Whether the loop reads `from` only where it writes `to`, element by element.
bool in_place(const Loop& l, int from, int to) {
  const Access* store = nullptr;
  for (const Access& a : l.accesses) {
    if (a.storage != to) continue;
    if (a.kind != Access::Kind::store || store) return false;
    store = &a;
  }
  if (!store) return false;
  for (const Access& a : l.accesses)
    if (a.storage == from && (a.kind != Access::Kind::load || a.strides != store->strides || a.offset != 0 ||
                              a.dtype.size() != store->dtype.size()))
      return false;
  return true;
}

// Whether the Eqn writes its only result over operand 0 when both are the same memory, and reads nothing else there.
bool in_place(const CallEqn& c, int from, int to) {
  const Op* op = c.eqn.op;
  if (op != &ops::scatter && op != &ops::scatter_add && op != &ops::scatter_mul && op != &ops::scatter_min &&
      op != &ops::scatter_max)
    return false;
  return c.results[0] == to && std::count(c.operands.begin(), c.operands.end(), from) == 1 && c.operands[0] == from;
}

class Memory {
 public:
  Memory(Plan& p, const std::vector<bool>& donatable) : p_(p), donatable_(donatable) {}

  void run() {
    lifetimes();
    take_inputs();
    share_slots();
    place();
  }

 private:
  void lifetimes() {
    for (Storage& s : p_.storages) {
      s.first = static_cast<int>(p_.stages.size());
      s.last = -1;
    }
    for (int k = 0; k < static_cast<int>(p_.stages.size()); ++k)
      for (int i : p_.stages[k].steps) {
        std::vector<int> reads, writes;
        uses_of(p_.steps[i], reads, writes);
        for (int s : writes) {
          p_.storages[s].first = std::min(p_.storages[s].first, k);
          p_.storages[s].last = std::max(p_.storages[s].last, k);
          writer_[s] = i;
        }
        for (int s : reads) p_.storages[s].last = std::max(p_.storages[s].last, k);
      }
  }

  // Whether `to` may begin in the memory of `from`: dead before, or read by the one step that writes `to`, at the same
  // places.
  bool may_take(int from, int to) {
    const Storage &x = p_.storages[from], &y = p_.storages[to];
    if (aligned(x.bytes) != aligned(y.bytes) || !writer_.contains(to)) return false;
    if (x.last < y.first) return true;
    if (x.last > y.first) return false;
    const int i = writer_[to];
    const auto* l = std::get_if<Loop>(&p_.steps[i].what);
    const auto* c = std::get_if<CallEqn>(&p_.steps[i].what);
    if (!(l && in_place(*l, from, to)) && !(c && in_place(*c, from, to))) return false;
    for (int k : p_.stages[y.first].steps) {  // no other step of the stage reads it
      std::vector<int> reads, writes;
      uses_of(p_.steps[k], reads, writes);
      if (k != i && std::find(reads.begin(), reads.end(), from) != reads.end()) return false;
    }
    return true;
  }

  void take_inputs() {
    std::vector<char> taken(p_.storages.size(), 0);
    for (int s : p_.outputs)
      if (s >= 0) taken[s] = 1;  // an input that is an output itself stays
    for (int to = 0; to < static_cast<int>(p_.storages.size()); ++to) {
      if (p_.storages[to].kind != Storage::Kind::output) continue;
      int best = -1;
      for (std::size_t k = 0; k < p_.inputs.size(); ++k) {
        const int from = p_.inputs[k];
        if (k >= donatable_.size() || !donatable_[k] || taken[from] || p_.storages[from].bytes == 0) continue;
        if (p_.storages[from].bytes == p_.storages[to].bytes && may_take(from, to) &&
            (best < 0 || p_.storages[from].last > p_.storages[best].last))
          best = from;
      }
      if (best >= 0) {
        p_.storages[to].takes = best;
        taken[best] = 1;
      }
    }
  }

  // A temporary that dies where another begins in its place shares its slot.
  void share_slots() {
    const int n = static_cast<int>(p_.storages.size());
    slot_.resize(n);
    for (int s = 0; s < n; ++s) slot_[s] = s;
    std::vector<char> passed_on(n, 0);
    for (std::size_t i = 0; i < p_.steps.size(); ++i) {
      const auto* l = std::get_if<Loop>(&p_.steps[i].what);
      if (!l) continue;
      for (const Access& w : l->accesses) {
        if (w.kind != Access::Kind::store || p_.storages[w.storage].kind != Storage::Kind::temporary ||
            slot_[w.storage] != w.storage)
          continue;
        for (const Access& r : l->accesses) {
          if (r.kind != Access::Kind::load || p_.storages[r.storage].kind != Storage::Kind::temporary ||
              passed_on[r.storage])
            continue;
          if (p_.storages[r.storage].last != p_.storages[w.storage].first || !may_take(r.storage, w.storage)) continue;
          passed_on[r.storage] = 1;
          slot_[w.storage] = slot_[r.storage];
          Storage& owner = p_.storages[slot_[r.storage]];
          ends_[slot_[r.storage]] = std::max(ends_.contains(slot_[r.storage]) ? ends_[slot_[r.storage]] : owner.last,
                                             p_.storages[w.storage].last);
          break;
        }
      }
    }
  }

  void place() {
    std::vector<int> order;
    for (int s = 0; s < static_cast<int>(p_.storages.size()); ++s)
      if (p_.storages[s].kind == Storage::Kind::temporary && slot_[s] == s && p_.storages[s].last >= 0)
        order.push_back(s);
    auto end_of = [&](int s) { return ends_.contains(s) ? ends_[s] : p_.storages[s].last; };
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return p_.storages[a].bytes > p_.storages[b].bytes; });
    std::vector<int> placed;  // by offset
    for (int s : order) {
      std::int64_t at = 0, best = -1, best_gap = 0;
      const std::int64_t need = aligned(p_.storages[s].bytes);
      for (int o : placed) {
        if (end_of(o) < p_.storages[s].first || p_.storages[o].first > end_of(s)) continue;
        const std::int64_t gap = p_.storages[o].offset - at;
        if (gap >= need && (best < 0 || gap < best_gap)) {
          best = at;
          best_gap = gap;
        }
        at = std::max(at, p_.storages[o].offset + aligned(p_.storages[o].bytes));
      }
      p_.storages[s].offset = best >= 0 ? best : at;
      p_.slab_bytes = std::max(p_.slab_bytes, p_.storages[s].offset + need);
      placed.insert(std::upper_bound(placed.begin(), placed.end(), s,
                                     [&](int a, int b) { return p_.storages[a].offset < p_.storages[b].offset; }),
                    s);
    }
    for (int s = 0; s < static_cast<int>(p_.storages.size()); ++s)
      if (p_.storages[s].kind == Storage::Kind::temporary) p_.storages[s].offset = p_.storages[slot_[s]].offset;
  }

  Plan& p_;
  const std::vector<bool>& donatable_;
  std::map<int, int> writer_, ends_;
  std::vector<int> slot_;
};

}  // namespace

void uses_of(const Step& s, std::vector<int>& reads, std::vector<int>& writes) {
  if (const auto* l = std::get_if<Loop>(&s.what)) {
    for (const Access& a : l->accesses) {
      if (a.storage < 0) continue;
      (a.kind == Access::Kind::load ? reads : writes).push_back(a.storage);
    }
  } else if (const auto* d = std::get_if<Dot>(&s.what)) {
    reads = {d->a, d->b};
    writes = {d->c};
  } else if (const auto* c = std::get_if<CallEqn>(&s.what)) {
    reads = c->operands;
    writes = c->results;
  }
}

void assign_memory(Plan& plan, const std::vector<bool>& donatable) { Memory(plan, donatable).run(); }

}  // namespace tutti::compile
