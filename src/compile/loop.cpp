#include "compile/loop.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "ops/reduction/reduce.hpp"
#include "tutti/base/error.hpp"

namespace tutti::compile {
namespace {

constexpr std::size_t kEmbed = 4;  // Eqns: from here literals are constants of the body; shorter loops load them

DType raw(DType d) { return d.is_complex() || d.is_key() ? uint64 : d; }  // copies only move bytes

// What a view reads of a literal: of a complex one it may be a part.
Scalar as_read(const Scalar& x, const View& view, DType as) {
  if (!x.dtype.is_complex() || as.is_complex()) return x.to(as);
  return Scalar(view.offset == 0 ? x.real : x.imag).to(as);
}

class Drafter {
 public:
  Drafter(const Program& p, const Fusion& f, const Unit& u) : p_(p), f_(f), u_(u) {}

  std::vector<Draft> run() {
    reduced_.assign(u_.extents.size(), 0);
    bool any = false;
    for (int i : u_.eqns) {
      const Eqn& e = p_.eqns[i];
      if (f_.roles[i] == Role::reduce) {
        std::vector<char> mask = reduced_dims(p_, e, u_.extents);
        if (any && mask != reduced_) return {};
        reduced_ = mask;
        any = true;
      }
    }
    for (int i : u_.eqns) add(i);
    for (ValueId v : u_.stores) store(v);
    draft_.loop.body = ir_.take();
    draft_.loop.extents = u_.extents;
    std::vector<Draft> drafts = in_boxes();
    for (Draft& d : drafts) collapse(d);
    return drafts;
  }

 private:
  const Extents& extents(const Atom& a) const {
    static const auto& scalar = *new Extents;
    return a.is_literal() ? scalar : p_.types[a.id].shape.dims();
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

  // A value that is put together: where it lies differs from box to box.
  Reg load_parts(ValueId v) {
    for (const auto& [access, value] : cut_)
      if (value == v) return ir_.load(access, draft_.loop.accesses[access].dtype);
    Access a;
    a.dtype = raw(p_.type(v).dtype);
    a.strides.assign(u_.extents.size(), 0);
    const int access = static_cast<int>(draft_.atoms.size());
    cut_.push_back({access, v});
    draft_.loop.accesses.push_back(a);
    draft_.atoms.push_back(v);
    return ir_.load(access, a.dtype);
  }

  Reg operand(const Atom& a, const Extents& space) {
    const Reading r = f_.read(a);
    if (!r.index && !r.base.is_literal()) {
      if (const Reg* made = made_here(r.base.id)) return *made;
      if (f_.parts_without_memory(r.base.id)) return load_parts(r.base.id);
    }
    if (r.base.is_literal() && !r.index && u_.eqns.size() >= kEmbed) {
      const Scalar x = as_read(r.base.literal, r.view, p_.type(a).dtype);
      return ir_.stored(ir_.literal(x), x.dtype);
    }
    // A scalar is read again and again. Else the operand has the extents of the Eqn's space.
    if (extents(a).empty() && !space.empty()) {
      Reading scalar = r;
      scalar.view.strides.assign(space.size(), 0);
      return load(scalar, p_.type(a).dtype, space);
    }
    return load(r, p_.type(a).dtype, extents(a));
  }

  // A value that this loop has computed, or nullptr.
  const Reg* made_here(ValueId v) {
    if (auto it = regs_.find(v); it != regs_.end()) return &it->second;
    const auto halves = halves_.find(v);
    if (halves == halves_.end()) return nullptr;
    return &(regs_[v] = computed(*halves->second.eqn, halves->second.parts));
  }
  Reg computed(const Eqn& e, const std::vector<Reg>& in) {
    std::vector<Type> types;
    for (const Atom& a : e.operands) types.push_back(p_.type(a));
    const Reg r = e.op->pointwise(ir_, Call{*e.op, e.params, types, e.subs}, in);
    return ir_.stored(r, raw(p_.type(e.results[0]).dtype));
  }
  // Whether it puts complex numbers together.
  bool is_of_parts(const Eqn& e) const {
    return p_.type(e.results[0]).dtype.is_complex() && e.operands.size() == 2 &&
           !p_.type(e.operands[0]).dtype.is_complex();
  }

  void add(int i) {
    const Eqn& e = p_.eqns[i];
    const ValueId v = e.results[0];
    switch (f_.roles[i]) {
      case Role::view:
      case Role::index: {
        const Reading& source = f_.sources.at(v);
        const Reg* made = !source.index && !source.base.is_literal() ? made_here(source.base.id) : nullptr;
        regs_[v] = made ? *made : load(source, raw(p_.type(v).dtype), extents(v));
        break;
      }
      case Role::parts: regs_[v] = load_parts(v); break;
      case Role::pointwise: {
        std::vector<Reg> in;
        for (const Atom& a : e.operands) in.push_back(operand(a, extents(v)));
        if (is_of_parts(e))
          halves_[v] = {&e, std::move(in)};
        else
          regs_[v] = computed(e, in);
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
    const DType dtype = p_.type(v).dtype;
    Access a;
    a.kind = Access::Kind::store;
    a.strides = row_major(u_.extents);
    for (std::int64_t& s : a.strides) s *= dtype.size();
    auto add = [&](DType as, std::int64_t offset, int value) {
      a.dtype = as;
      a.offset = offset;
      a.value = value;
      draft_.loop.accesses.push_back(a);
      draft_.atoms.push_back(v);
    };
    const auto halves = halves_.find(v);
    if (halves == halves_.end()) return add(raw(dtype), 0, regs_.at(v).id);
    add(real_dtype(dtype), 0, halves->second.parts[0].id);
    add(real_dtype(dtype), dtype.size() / 2, halves->second.parts[1].id);
  }

  // The loop itself where nothing cuts it.
  std::vector<Draft> in_boxes() {
    if (cut_.empty()) return {std::move(draft_)};
    const Extents& dims = extents(Atom(cut_[0].second));
    std::vector<const std::vector<Part>*> lists;
    for (const auto& [access, v] : cut_) lists.push_back(&f_.parts.at(v));
    std::vector<Draft> out;
    for (const Box& box : boxes_of(dims, lists)) {
      Draft d = draft_;
      d.loop.extents = without_ones(box.extents, dims);
      const Extents start = without_ones(box.start, dims);
      for (Access& a : d.loop.accesses)
        for (std::size_t i = 0; i < start.size(); ++i) a.offset += start[i] * a.strides[i];
      for (const auto& [access, v] : cut_) place(d, access, part_around(f_.parts.at(v), box.start), box, dims);
      out.push_back(std::move(d));
    }
    return out;
  }
  static Extents without_ones(const Extents& of, const Extents& dims) {
    Extents out;
    for (std::size_t i = 0; i < dims.size(); ++i)
      if (dims[i] != 1) out.push_back(of[i]);
    return out;
  }

  // An access reads the part in which the box lies.
  void place(Draft& d, int access, const Part& part, const Box& box, const Extents& dims) const {
    const Reading r = f_.read(part.base);
    Access& a = d.loop.accesses[access];
    d.atoms[access] = r.index ? Atom(Scalar(0), false) : r.base;
    if (r.index) a.kind = Access::Kind::index;
    const std::int64_t unit = r.index ? 1 : a.dtype.size();
    Extents strides(dims.size(), 0);
    std::copy(r.view.strides.begin(), r.view.strides.end(), strides.begin());  // a scalar has none
    a.offset = r.view.offset;
    for (std::size_t i = 0; i < dims.size(); ++i)
      a.offset += (box.start[i] - part.start[i] + part.from[i]) * strides[i];
    a.offset *= unit;
    a.strides = without_ones(strides, dims);
    for (std::int64_t& s : a.strides) s *= unit;
  }

  // Adjacent dims become one where every access steps through them evenly.
  void collapse(Draft& d) const {
    Loop& l = d.loop;
    const std::vector<Access> all = l.accesses;
    const Extents extents = std::exchange(l.extents, {});
    for (Access& a : l.accesses) a.strides.clear();
    std::vector<char> reduced;
    for (std::size_t i = 0; i < extents.size(); ++i) {
      const std::int64_t n = extents[i];
      if (n == 1) continue;
      bool merge = !l.extents.empty() && reduced.back() == reduced_[i];
      for (std::size_t k = 0; merge && k < all.size(); ++k)
        merge = l.accesses[k].strides.back() == all[k].strides[i] * n;
      if (merge)
        l.extents.back() *= n;
      else {
        l.extents.push_back(n);
        reduced.push_back(reduced_[i]);
      }
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (merge)
          l.accesses[k].strides.back() = all[k].strides[i];
        else
          l.accesses[k].strides.push_back(all[k].strides[i]);
      }
    }
    d.reduced_dims = std::move(reduced);
  }

  const Program& p_;
  const Fusion& f_;
  const Unit& u_;
  Draft draft_;
  Recorder ir_;
  std::vector<char> reduced_;
  std::map<ValueId, Reg> regs_;
  struct Halves {
    const Eqn* eqn;
    std::vector<Reg> parts;
  };
  std::map<ValueId, Halves> halves_;  // complex numbers, whose parts are stored: in one register only where one is read
  std::vector<std::pair<int, ValueId>> cut_;  // accesses of values that are put together
};

}  // namespace

std::vector<char> reduced_dims(const Program& p, const Eqn& reduction, const Extents& extents) {
  const Atom& x = reduction.operands[0];
  Extents axes(x.is_literal() ? 0 : p.types[x.id].shape.size(), 0);
  for (int axis : reduction.params.get<ops::Reduction>().axes) axes[axis] = 1;
  std::vector<char> reduced;
  for (std::int64_t step : refine(axes, x.is_literal() ? Extents{} : p.types[x.id].shape.dims(), extents))
    reduced.push_back(step != 0);
  return reduced;
}

std::vector<Draft> draft_loops(const Program& p, const Fusion& f, const Unit& u) {
  std::vector<Draft> drafts = Drafter(p, f, u).run();
  for (const Draft& d : drafts)
    if (u.eqns.size() > 1 && std::count(d.reduced_dims.begin(), d.reduced_dims.end(), 1) > 1) return {};
  return drafts;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
