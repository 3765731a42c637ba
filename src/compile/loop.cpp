#include "compile/loop.hpp"

#include <algorithm>
#include <map>

#include "ops/reduction/reduce.hpp"
#include "tutti/base/error.hpp"

namespace tutti::compile {
namespace {

constexpr std::size_t kEmbed = 4;  // Eqns: from here literals are constants of the body; shorter loops load them

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
        std::vector<char> mask = reduced_dims(p_, e, u_.extents);
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

std::optional<Draft> draft_loop(const Program& p, const Fusion& f, const Unit& u) {
  auto draft = Drafter(p, f, u).run();
  const bool one_dim = !draft || std::count(draft->reduced_dims.begin(), draft->reduced_dims.end(), 1) <= 1;
  if (!one_dim && u.eqns.size() > 1) return std::nullopt;
  return draft;
}

}  // namespace tutti::compile
