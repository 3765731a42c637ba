// A unit's loop with its storages; a long or a second reduced dim makes several loops of it.
#include <algorithm>
#include <utility>

#include "compile/loop.hpp"
#include "tutti/base/error.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kRowLimit = 1 << 18, kRowBlock = 1 << 16;  // values of a row that one accumulator takes
constexpr std::int64_t kColumnBlock = 64;                         // rows added up one after the other
constexpr std::int64_t kShortRow = 8;                             // rows that fill no vector
constexpr std::int64_t kColumns = 2048, kFewColumns = 64;         // of short rows that lie side by side

Extents in_bytes(Extents strides, DType dtype) {
  for (std::int64_t& s : strides) s *= dtype.size();
  return strides;
}

// One loop over `extents` of the dense elements of `storage`, each of which goes into `what`.
Loop plain_loop(const Extents& extents, const Access& what, DType from, int storage) {
  Access in;
  in.dtype = from;
  in.storage = storage;
  in.strides = in_bytes(row_major(extents), from);
  Recorder ir;
  ir.load(0, from);
  Loop l;
  l.extents = extents;
  l.body = ir.take();
  l.accesses = {in, what};
  l.accesses[1].value = 0;
  return l;
}

// The dense result of reducing dim `dim` of `extents` to one element.
Extents result_strides(Extents extents, int dim, DType dtype) {
  extents[dim] = 1;
  Extents out = in_bytes(row_major(extents), dtype);
  out[dim] = 0;
  return out;
}

// The same access, to the elements of another storage.
Access moved(Access a, int storage, DType dtype, Extents strides) {
  a.storage = storage;
  a.dtype = dtype;
  a.offset = 0;
  a.strides = std::move(strides);
  return a;
}

// A column's sums lie in memory between rows: those of 16-bit floats in a float32 temporary, which is rounded after.
std::vector<Loop> round_after(Loop& l, Storages& storages) {
  std::vector<Loop> out;
  for (Access& a : l.accesses) {
    if (a.kind != Access::Kind::reduce || a.dtype == a.accumulate) continue;
    Extents kept = l.extents;
    kept[l.reduced] = 1;
    const std::int64_t n = product(kept);
    const int sums = storages.temporary(n * a.accumulate.size());
    Recorder ir;
    Access store = a;
    store.kind = Access::Kind::store;
    store.combine = Op::Reduce::none;
    Loop copy = plain_loop({n}, store, a.accumulate, sums);
    copy.accesses[1].value = ir.stored(ir.load(0, a.accumulate), a.dtype).id;
    copy.body = ir.take();
    for (Access& x : copy.accesses) x.strides = {n == 1 ? 0 : x.dtype.size()};
    out.push_back(std::move(copy));
    a = moved(a, sums, a.accumulate, result_strides(l.extents, l.reduced, a.accumulate));
  }
  return out;
}

// The reduced dim becomes blocks, each with a partial result; the loops that combine those come back.
std::vector<Loop> cut_in_blocks(Loop& l, std::int64_t block, Storages& storages) {
  const int r = l.reduced;
  const std::int64_t n = l.extents[r], blocks = (n + block - 1) / block;
  Extents rest = l.extents;
  rest[r] = blocks;
  std::vector<Loop> out;
  for (Access& a : l.accesses) {
    if (a.kind != Access::Kind::reduce) {
      a.strides.insert(a.strides.begin() + r, a.strides[r] * block);
      continue;
    }
    const int partial = storages.temporary(product(rest) * a.accumulate.size());
    out.push_back(plain_loop(rest, a, a.accumulate, partial));
    out.back().reduced = r;
    Extents strides = in_bytes(row_major(rest), a.accumulate);
    strides.insert(strides.begin() + r + 1, 0);  // within a block: one place
    a = moved(a, partial, a.accumulate, std::move(strides));
  }
  l.extents[r] = block;
  l.extents.insert(l.extents.begin() + r, blocks);
  l.block_total = n;
  l.reduced = r + 1;
  return out;
}

// Sums of rows that are too short for vectors go over columns instead: those of several rows, side by side.
void turn_short_rows(Loop& l) {
  const int r = l.reduced;
  if (r < 1 || r + 1 != static_cast<int>(l.extents.size()) || l.extents[r] > kShortRow || l.block_total) return;
  const std::int64_t rows = l.extents[r - 1];
  std::int64_t side_by_side = std::min(rows, kColumns);
  while (rows % side_by_side != 0) --side_by_side;
  if (side_by_side < kFewColumns) return;
  const bool all = side_by_side == rows;
  auto turned = [&](Extents of, std::int64_t outer, std::int64_t inner) {
    const std::int64_t within = of[r];
    of.resize(static_cast<std::size_t>(r) - 1);
    if (!all) of.push_back(outer);
    of.push_back(within);
    of.push_back(inner);
    return of;
  };
  for (Access& a : l.accesses) a.strides = turned(a.strides, a.strides[r - 1] * side_by_side, a.strides[r - 1]);
  l.extents = turned(l.extents, rows / side_by_side, side_by_side);
  l.reduced = all ? r - 1 : r;
}

// Appends `l`, in blocks of the reduced dim with partial results when that is long. The cut depends on extents only.
void finish(Loop l, Storages& storages, std::vector<Loop>& out) {
  if (l.reduced < 0) {
    out.push_back(std::move(l));
    return;
  }
  turn_short_rows(l);
  const bool row = l.reduced + 1 == static_cast<int>(l.extents.size());
  const std::int64_t limit = row ? kRowLimit : kColumnBlock, block = row ? kRowBlock : kColumnBlock;
  if (l.extents[l.reduced] > limit) {
    std::vector<Loop> combining = cut_in_blocks(l, block, storages);
    out.push_back(std::move(l));
    for (Loop& next : combining) finish(std::move(next), storages, out);
    return;
  }
  std::vector<Loop> rounding;
  if (!row) rounding = round_after(l, storages);
  out.push_back(std::move(l));
  std::move(rounding.begin(), rounding.end(), std::back_inserter(out));
}

// Of a loop with several reduced dims (one Eqn alone): reduces the innermost of them into a dense temporary. What comes
// back reduces the others.
Loop reduce_innermost(Loop l, std::vector<char>& reduced, Storages& storages, std::vector<Loop>& out) {
  int r = static_cast<int>(reduced.size()) - 1;
  while (!reduced[r]) --r;
  auto result = std::find_if(l.accesses.begin(), l.accesses.end(),
                             [](const Access& a) { return a.kind == Access::Kind::reduce; });
  Access final = *result;
  final.strides.erase(final.strides.begin() + r);
  const int partial = storages.temporary(product(l.extents) / l.extents[r] * final.accumulate.size());
  *result = moved(*result, partial, final.accumulate, result_strides(l.extents, r, final.accumulate));
  Extents rest = l.extents;
  rest.erase(rest.begin() + r);
  reduced.erase(reduced.begin() + r);
  l.reduced = r;
  finish(std::move(l), storages, out);
  merge_dims(rest, final.strides, reduced);
  return plain_loop(rest, final, final.accumulate, partial);
}

}  // namespace

std::vector<Loop> lower_loop(const Program& p, const Fusion& f, const Unit& u, Storages& storages) {
  std::vector<Draft> drafts = draft_loops(p, f, u);
  if (drafts.empty()) throw InternalError("fuse: this unit is no loop");
  std::vector<Loop> out;
  for (Draft& draft : drafts) {
    Loop l = std::move(draft.loop);
    for (std::size_t k = 0; k < l.accesses.size(); ++k) {
      const Atom& of = draft.atoms[k];
      if (l.accesses[k].kind == Access::Kind::index) continue;
      l.accesses[k].storage = of.is_literal() ? storages.literal(of.literal) : storages.of(of.id);
    }
    std::vector<char> reduced = std::move(draft.reduced_dims);
    while (std::count(reduced.begin(), reduced.end(), 1) > 1)
      l = reduce_innermost(std::move(l), reduced, storages, out);
    auto last = std::find(reduced.begin(), reduced.end(), 1);
    if (last != reduced.end()) l.reduced = static_cast<int>(last - reduced.begin());
    finish(std::move(l), storages, out);
  }
  return out;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
