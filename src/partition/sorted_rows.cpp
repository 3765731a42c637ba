#include "partition/sorted_rows.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "array/evaluate.hpp"
#include "ir/cut_out.hpp"
#include "ir/index.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/movement/copy.hpp"
#include "ops/reduction/sort.hpp"
#include "partition/picks_first.hpp"
#include "partition/rewriting.hpp"

namespace tutti {
namespace {

// Of indices that are tried.
constexpr std::int64_t most_indices = 1 << 20;

// Elements of a sorted array: result `result` of Eqn `sort`, or, with `slice`, what that Eqn makes of it.
struct Sorted {
  int sort;
  int result;
  int slice = -1;
};

class SortedRows : Rewriting {
 public:
  explicit SortedRows(const ShardedProgram& sharded) : Rewriting(sharded), index_(p_) {}

  ShardedProgram run() {
    for (int i = 0; i < static_cast<int>(p_.eqns.size()); ++i) {
      auto [e, bodies] = entered(i, with_sorted_rows);
      if (replaced(e))
        changed_ = true;
      else
        push(std::move(e), std::move(bodies));
    }
    return done();
  }

 private:
  bool replaced(const Eqn& e) {
    const std::optional<int> dim = taken_along(e, p_);
    if (!dim) return false;
    const std::optional<ValueId> numbers = numbers_of(e.operands[1].id, p_.types[e.operands[0].id].shape[*dim]);
    const std::optional<Sorted> at = numbers ? sorted(*numbers) : std::nullopt;
    if (!at) return false;
    const Eqn& sort = p_.eqns[at->sort];
    const Atom& positions = sort.operands[at->result];
    const int made = positions.is_literal() ? -1 : index_.producer(positions.id);
    if (sort.params.get<ops::Sort>().dim != *dim || made < 0 || !p_.eqns[made].op->index ||
        p_.eqns[made].op->index(p_.eqns[made].params) != *dim)
      return false;
    for (int k = 0; k < static_cast<int>(sort.operands.size()); ++k) {
      const bool same = sort.operands[k] == e.operands[0];
      if (!same && !is_negative(sort.operands[k], e.operands[0])) continue;
      put(e, *at, k, same);
      return true;
    }
    return false;
  }

  // The value whose elements, which are at least 0 and below `n`, these indices are, however they were made ready.
  std::optional<ValueId> numbers_of(ValueId indices, std::int64_t n) {
    if (n > most_indices) return std::nullopt;
    std::vector<int> eqns;
    std::set<ValueId> wanted{indices};
    ValueId source = -1;
    bool fits = true;
    walk_back(p_, index_, indices, [&](int i) {
      const Eqn& e = p_.eqns[i];
      if (!fits) return false;
      if (keeps_places(e)) {
        eqns.push_back(i);
        for (const Atom& a : e.operands)
          if (!a.is_literal()) wanted.insert(a.id);
        return true;
      }
      const auto is_wanted = [&](ValueId r) { return wanted.contains(r); };
      fits = source < 0 && std::count_if(e.results.begin(), e.results.end(), is_wanted) == 1;
      source = *std::find_if(e.results.begin(), e.results.end(), is_wanted);
      return false;
    });
    if (!fits || std::any_of(wanted.begin(), wanted.end(), [&](ValueId v) { return index_.producer(v) < 0; }))
      return std::nullopt;
    if (source < 0 || !p_.types[source].dtype.is_integer() ||
        p_.types[source].num_elements() != p_.types[indices].num_elements() || p_.types[source].num_elements() == 0)
      return std::nullopt;
    std::reverse(eqns.begin(), eqns.end());
    return is_identity(cut_out(p_, eqns, {source}, indices), n) ? std::optional(source) : std::nullopt;
  }

  // Whether element k of the result, in row-major order, is made of elements k of the operands.
  bool keeps_places(const Eqn& e) const {
    if (!e.op->eval || !e.subs.empty() || e.op->effect || e.op->host) return false;
    if (e.op->pointwise) return true;
    if (!e.op->view) return false;
    const Type& result = p_.types[e.results[0]];
    const Type from = p_.type(e.operands[0]);
    const std::optional<View> view = e.op->view(Call{*e.op, e.params, {from}, e.subs}, result);
    if (!view || from.ndim() == 0) return view.has_value();
    std::int64_t stride = result.num_elements();
    if (from.num_elements() != stride || view->offset != 0) return false;
    for (int d = 0; d < result.ndim(); ++d) {
      stride /= result.shape[d];
      if (result.shape[d] > 1 && view->strides[d] != stride) return false;
    }
    return true;
  }

  // Tried with all numbers.
  static bool is_identity(const Program& chain, std::int64_t n) {
    const Type& in = chain.types[chain.inputs[0]];
    const Type out = chain.type(chain.outputs[0]);
    const std::int64_t elements = in.num_elements();
    if (!(in.dtype == out.dtype)) return false;
    for (std::int64_t first = 0; first < n; first += elements) {
      const HostPtr given = allocate_buffer(static_cast<std::size_t>(in.nbytes()));
      for (std::int64_t k = 0; k < elements; ++k) {
        const std::int64_t number = (first + k) % n;
        std::copy_n(reinterpret_cast<const char*>(&number), in.dtype.size(),
                    static_cast<char*>(given->data()) + k * in.dtype.size());  // little endian
      }
      const HostPtr made = evaluate(chain, std::vector{given})[0];
      if (std::memcmp(made->data(), given->data(), static_cast<std::size_t>(in.nbytes())) != 0) return false;
    }
    return true;
  }

  std::optional<Sorted> sorted(ValueId v) const {
    int i = index_.producer(v), slice = -1;
    if (i >= 0 && p_.eqns[i].op->view && !p_.eqns[i].operands[0].is_literal() && p_.eqns[i].results.size() == 1) {
      slice = i;
      v = p_.eqns[i].operands[0].id;
      i = index_.producer(v);
    }
    if (i < 0 || p_.eqns[i].op != &ops::sort) return std::nullopt;
    const std::vector<ValueId>& results = p_.eqns[i].results;
    return Sorted{i, static_cast<int>(std::find(results.begin(), results.end(), v) - results.begin()), slice};
  }

  bool is_negative(const Atom& a, const Atom& of) const {
    if (a.is_literal()) return false;
    const int i = index_.producer(a.id);
    return i >= 0 && p_.eqns[i].op->pointwise && p_.eqns[i].op->signs == std::vector{-1} &&
           p_.eqns[i].operands[0] == of;
  }

  void put(const Eqn& e, const Sorted& at, int operand, bool same) {
    Atom x(p_.eqns[at.sort].results[operand]);
    if (at.slice >= 0) {
      Eqn slice = p_.eqns[at.slice];
      slice.operands[0] = x;
      slice.results = {value(p_.types[e.results[0]])};
      x = slice.results[0];
      push(std::move(slice));
    }
    make(same ? ops::copy : ops::neg, {}, {x}, e.loc, e.results[0]);
  }

  const ProgramIndex index_;
};

bool sorts_and_reads(const Program& p) {
  bool sorts = false, reads = false;
  for (const Eqn& e : p.eqns) {
    sorts = sorts || e.op == &ops::sort;
    reads = reads || e.op->window == Op::Window::read;
    for (const ProgramPtr& s : e.subs)
      if (sorts_and_reads(*s)) return true;
  }
  return sorts && reads;
}

}  // namespace

ShardedProgram with_sorted_rows(const ShardedProgram& sharded) {
  return sorts_and_reads(*sharded.program) ? SortedRows(sharded).run() : sharded;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
