#include "compile/loop.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "ops/reduction/reduce.hpp"
#include "tutti/base/error.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kRowLimit = 1 << 18, kRowBlock = 1 << 16;  // values of a row that one accumulator takes
constexpr std::size_t kEmbed = 4;          // Eqns: from here literals are part of the code; shorter loops share it
constexpr std::int64_t kColumnBlock = 64;  // rows added up one after the other

DType raw(DType d) { return d.is_complex() || d.is_key() ? uint64 : d; }  // copies only move bytes

class Drafter {
 public:
  Drafter(const Program& p, const Fusion& f, const Unit& u) : p_(p), f_(f), u_(u) {}

  std::optional<Draft> run() {
    reduced_.assign(u_.extents.size(), 0);
    bool any = false;
    for (int i : u_.eqns) {
      const Eqn& e = p_.eqns[i];
      if (f_.roles[i] == Role::reduce) {
        std::vector<char> mask = mask_of(e);
        if (any && mask != reduced_) return std::nullopt;
        reduced_ = mask;
        any = true;
      }
    }
    for (int i : u_.eqns) add(i);
    for (ValueId v : u_.stores) store(v);
    draft_.loop.body = ir_.take();
    collapse();
    return std::move(draft_);
  }

 private:
  const Extents& extents(const Atom& a) const {
    static const Extents scalar;
    return a.is_literal() ? scalar : p_.types[a.id].shape.dims();
  }

  std::vector<char> mask_of(const Eqn& e) const {
    Extents axes(extents(e.operands[0]).size(), 0);
    for (int axis : e.params.get<ops::Reduction>().axes) axes[axis] = 1;
    const Extents fine = refine(axes, extents(e.operands[0]), u_.extents);
    std::vector<char> mask;
    for (std::int64_t f : fine) mask.push_back(f != 0);
    return mask;
  }

  Reg load(const Reading& r, DType dtype, const Extents& over) {
    Access a;
    a.kind = r.index ? Access::Kind::index : Access::Kind::load;
    a.dtype = dtype;
    Extents strides = over.empty() ? Extents(u_.extents.size(), 0) : refine(r.view.strides, over, u_.extents);
    const std::int64_t unit = r.index ? 1 : dtype.size();
    for (std::int64_t& s : strides) s *= unit;
    a.strides = strides;
    a.offset = r.view.offset * unit;
    const Atom base = r.index ? Atom(Scalar(0), false) : r.base;
    for (std::size_t k = 0; k < draft_.atoms.size(); ++k) {
      const Access& b = draft_.loop.accesses[k];
      if (b.kind == a.kind && b.dtype == a.dtype && b.offset == a.offset && b.strides == a.strides &&
          draft_.atoms[k] == base)
        return ir_.load(static_cast<int>(k), dtype);
    }
    draft_.loop.accesses.push_back(a);
    draft_.atoms.push_back(base);
    return ir_.load(static_cast<int>(draft_.atoms.size()) - 1, dtype);
  }

  Reg operand(const Atom& a, const Extents& space) {
    const Reading r = f_.read(a);
    if (!r.index && !r.base.is_literal()) {
      auto it = regs_.find(r.base.id);
      if (it != regs_.end()) return it->second;
    }
    if (r.base.is_literal() && !r.index && u_.eqns.size() >= kEmbed) {
      const Scalar x = r.base.literal.to(p_.type(a).dtype);
      return ir_.stored(x.dtype.is_floating() ? ir_.constant(x.dtype, x.real) : ir_.constant_int(x.dtype, x.integer),
                        x.dtype);
    }
    // A scalar is read again and again. Else the operand has the extents of the Eqn's space.
    if (extents(a).empty() && !space.empty()) {
      Reading scalar = r;
      scalar.view.strides.assign(space.size(), 0);
      return load(scalar, p_.type(a).dtype, space);
    }
    return load(r, p_.type(a).dtype, extents(a));
  }

  void add(int i) {
    const Eqn& e = p_.eqns[i];
    const ValueId v = e.results[0];
    switch (f_.roles[i]) {
      case Role::view:
      case Role::index: {
        const Reading& source = f_.sources.at(v);
        auto it = !source.index && !source.base.is_literal() ? regs_.find(source.base.id) : regs_.end();
        regs_[v] = it != regs_.end() ? it->second : load(source, raw(p_.type(v).dtype), extents(v));
        break;
      }
      case Role::pointwise: {
        std::vector<Type> types;
        std::vector<Reg> in;
        for (const Atom& a : e.operands) {
          types.push_back(p_.type(a));
          in.push_back(operand(a, extents(v)));
        }
        regs_[v] = ir_.stored(e.op->pointwise(ir_, Call{*e.op, e.params, types, e.subs}, in), p_.type(v).dtype);
        break;
      }
      case Role::reduce: {
        const Type& type = p_.type(v);
        Access a;
        a.kind = Access::Kind::reduce;
        a.dtype = type.dtype;
        a.combine = e.op->reduce;
        a.accumulate = register_type(type.dtype);  // 16-bit floats add up in float32
        a.value = operand(e.operands[0], extents(e.operands[0])).id;
        a.strides.assign(u_.extents.size(), 0);
        std::int64_t n = type.dtype.size();
        for (std::size_t d = u_.extents.size(); d-- > 0;)
          if (!reduced_[d]) {
            a.strides[d] = n;
            n *= u_.extents[d];
          }
        draft_.loop.accesses.push_back(a);
        draft_.atoms.push_back(v);
        break;
      }
      case Role::dot:
      case Role::call: throw InternalError("fuse: not a loop: " + e.op->name);
    }
  }

  void store(ValueId v) {
    Access a;
    a.kind = Access::Kind::store;
    a.dtype = raw(p_.type(v).dtype);
    a.value = regs_.at(v).id;
    a.strides = row_major(u_.extents);
    for (std::int64_t& s : a.strides) s *= a.dtype.size();
    draft_.loop.accesses.push_back(a);
    draft_.atoms.push_back(v);
  }

  // Adjacent dims become one where every access steps through them evenly.
  void collapse() {
    Loop& l = draft_.loop;
    const std::vector<Access> all = l.accesses;
    for (Access& a : l.accesses) a.strides.clear();
    std::vector<char> reduced;
    for (std::size_t d = 0; d < u_.extents.size(); ++d) {
      const std::int64_t n = u_.extents[d];
      if (n == 1) continue;
      bool merge = !l.extents.empty() && reduced.back() == reduced_[d];
      for (std::size_t k = 0; merge && k < all.size(); ++k)
        merge = l.accesses[k].strides.back() == all[k].strides[d] * n;
      if (merge)
        l.extents.back() *= n;
      else {
        l.extents.push_back(n);
        reduced.push_back(reduced_[d]);
      }
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (merge)
          l.accesses[k].strides.back() = all[k].strides[d];
        else
          l.accesses[k].strides.push_back(all[k].strides[d]);
      }
    }
    draft_.reduced_dims = std::move(reduced);
  }

  const Program& p_;
  const Fusion& f_;
  const Unit& u_;
  Draft draft_;
  Recorder ir_;
  std::vector<char> reduced_;
  std::map<ValueId, Reg> regs_;
};

int count_reduced(const Draft& d) {
  return static_cast<int>(std::count(d.reduced_dims.begin(), d.reduced_dims.end(), 1));
}

// One loop over `extents` (marked dims reduced) of the dense elements of `storage`.
Loop plain_reduction(const Extents& extents, const Access& what, DType from, int storage) {
  Loop l;
  l.extents = extents;
  Access in;
  in.dtype = from;
  in.storage = storage;
  in.strides = row_major(extents);
  for (std::int64_t& s : in.strides) s *= from.size();
  Recorder ir;
  ir.load(0, from);
  l.body = ir.take();
  l.accesses = {in, what};
  l.accesses[1].value = 0;
  return l;
}

Extents result_strides(const Extents& extents, int dim, std::int64_t unit) {
  Extents kept = extents;
  kept[dim] = 1;
  Extents out = row_major(kept);
  for (std::int64_t& s : out) s *= unit;
  out[dim] = 0;
  return out;
}

// All accesses are dense: one dim.
void drop_units(Loop& l) {
  const std::int64_t n = product(l.extents);
  l.extents = {n};
  for (Access& a : l.accesses) a.strides = {n == 1 ? 0 : a.dtype.size()};
}

// Appends `l`, in blocks of the reduced dim with partial results when that is long. The cut depends on extents only.
void finish(Loop l, Storages& storages, std::vector<Loop>& out) {
  if (l.reduced < 0) return out.push_back(std::move(l));
  const int r = l.reduced;
  const bool row = r + 1 == static_cast<int>(l.extents.size());
  const std::int64_t n = l.extents[r], block = row ? kRowBlock : kColumnBlock;
  if (n <= (row ? kRowLimit : kColumnBlock)) {
    // A column's sums lie in memory between rows: those of 16-bit floats in a float32 temporary.
    std::vector<Loop> rounding;
    if (!row)
      for (Access& a : l.accesses)
        if (a.kind == Access::Kind::reduce && a.dtype != a.accumulate) {
          Extents kept = l.extents;
          kept[r] = 1;
          const int sums = storages.temporary(product(kept) * a.accumulate.size());
          Loop copy = plain_reduction(kept, a, a.accumulate, sums);
          Recorder ir;
          copy.accesses[1].value = ir.stored(ir.load(0, a.accumulate), a.dtype).id;
          copy.accesses[1].kind = Access::Kind::store;
          copy.accesses[1].combine = Op::Reduce::none;
          copy.body = ir.take();
          drop_units(copy);
          rounding.push_back(std::move(copy));
          a.storage = sums;
          a.offset = 0;
          a.strides = result_strides(l.extents, r, a.accumulate.size());
          a.dtype = a.accumulate;
        }
    out.push_back(std::move(l));
    for (Loop& c : rounding) out.push_back(std::move(c));
    return;
  }
  const std::int64_t blocks = (n + block - 1) / block;
  Extents rest = l.extents;
  rest[r] = blocks;
  std::vector<Loop> later;
  for (Access& a : l.accesses) {
    if (a.kind == Access::Kind::reduce) {
      const int partial = storages.temporary(product(rest) * a.accumulate.size());
      Loop next = plain_reduction(rest, a, a.accumulate, partial);
      next.reduced = r;
      later.push_back(next);
      a.storage = partial;
      a.dtype = a.accumulate;
      a.offset = 0;
      a.strides = row_major(rest);
      for (std::int64_t& s : a.strides) s *= a.accumulate.size();
      const std::int64_t step = a.strides[r];
      a.strides.insert(a.strides.begin() + r, step);
      a.strides[r + 1] = 0;
    } else {
      a.strides.insert(a.strides.begin() + r, a.strides[r] * block);
    }
  }
  l.extents.insert(l.extents.begin() + r, blocks);
  l.extents[r + 1] = block;
  l.block_total = n;
  l.reduced = r + 1;
  out.push_back(std::move(l));
  for (Loop& next : later) finish(std::move(next), storages, out);
}

}  // namespace

std::optional<Draft> draft_loop(const Program& p, const Fusion& f, const Unit& u) {
  auto draft = Drafter(p, f, u).run();
  if (draft && u.eqns.size() > 1 && count_reduced(*draft) > 1) return std::nullopt;
  return draft;
}

std::vector<Loop> lower_loop(const Program& p, const Fusion& f, const Unit& u, Storages& storages) {
  std::optional<Draft> draft = draft_loop(p, f, u);
  if (!draft) throw InternalError("fuse: this unit is no loop");
  Loop l = std::move(draft->loop);
  for (std::size_t k = 0; k < l.accesses.size(); ++k) {
    Access& a = l.accesses[k];
    if (a.kind == Access::Kind::index) continue;
    a.storage =
        draft->atoms[k].is_literal() ? storages.literal(draft->atoms[k].literal) : storages.of(draft->atoms[k].id);
  }
  std::vector<Loop> out;
  std::vector<char> reduced = draft->reduced_dims;
  // Several separate reduced dims (one Eqn alone): the innermost first, into a dense temporary.
  while (std::count(reduced.begin(), reduced.end(), 1) > 1) {
    int r = static_cast<int>(reduced.size());
    while (!reduced[--r]) {
    }
    Access final;
    for (Access& a : l.accesses)
      if (a.kind == Access::Kind::reduce) {
        final = a;
        a.dtype = a.accumulate;
        a.storage = storages.temporary(product(l.extents) / l.extents[r] * a.accumulate.size());
        a.strides = result_strides(l.extents, r, a.accumulate.size());
        final.strides.erase(final.strides.begin() + r);
      }
    const DType partial = final.accumulate;
    int from = -1;
    for (const Access& a : l.accesses)
      if (a.kind == Access::Kind::reduce) from = a.storage;
    Extents rest = l.extents;
    rest.erase(rest.begin() + r);
    reduced.erase(reduced.begin() + r);
    l.reduced = r;
    finish(std::move(l), storages, out);
    // Kept dims that now lie side by side merge, so that the tree is that of the merged extents.
    Extents merged;
    std::vector<char> flags;
    Extents strides;
    for (std::size_t d = 0; d < rest.size(); ++d) {
      if (!merged.empty() && flags.back() == reduced[d] &&
          (reduced[d] || strides.back() == final.strides[d] * rest[d])) {
        merged.back() *= rest[d];
        strides.back() = final.strides[d];
      } else {
        merged.push_back(rest[d]);
        flags.push_back(reduced[d]);
        strides.push_back(final.strides[d]);
      }
    }
    final.strides = strides;
    reduced = flags;
    l = plain_reduction(merged, final, partial, from);
  }
  for (std::size_t d = 0; d < reduced.size(); ++d)
    if (reduced[d]) l.reduced = static_cast<int>(d);
  finish(std::move(l), storages, out);
  return out;
}

}  // namespace tutti::compile
