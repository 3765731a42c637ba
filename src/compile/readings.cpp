// How every value is read, and which values need memory of their own.
#include <optional>
#include <utility>

#include "compile/dot.hpp"
#include "compile/fuse.hpp"
#include "ops/contraction/dot_general.hpp"

namespace tutti::compile {
namespace {

constexpr std::size_t kMostParts = 27, kMostBoxes = 64;

Role role_of(const Program& p, const Eqn& e) {
  bool empty = false, plain = true, moves = true;
  auto ask = [&](const Type& t, bool is_made) {
    const bool of_parts = is_made && joins_parts(p, e);
    empty |= t.num_elements() == 0;
    plain &= loops_over(t.dtype) || of_parts || (is_made && t.dtype == complex64 && e.op->pointwise);  // as words
    moves &= t.dtype.size() <= 8 || of_parts;  // loops have no elements of 16 bytes
  };
  for (const Atom& a : e.operands) ask(p.type(a), false);
  for (ValueId v : e.results) ask(p.type(v), true);
  if (e.op->view && !empty && (moves || p.type(e.results[0]).dtype.size() <= 8)) return Role::view;
  if (!moves) return Role::call;
  if (e.op->movement && !empty && !parts_of(p, e).empty()) return Role::parts;
  if (empty || !plain) return Role::call;
  if (e.op->index) return Role::index;
  if (e.op->pointwise) return Role::pointwise;
  if (e.op->reduce != Op::Reduce::none) return Role::reduce;
  if (e.op == &ops::dot_general && p.type(e.operands[0]).dtype.is_floating()) return Role::dot;
  return Role::call;
}

class Reader {
 public:
  explicit Reader(const Program& program) : p_(program) {}

  Fusion run() {
    read_values();
    demand();
    put_together();
    return std::move(f_);
  }

 private:
  Call call(const Eqn& e) const {
    std::vector<Type> types;
    for (const Atom& a : e.operands) types.push_back(p_.type(a));
    return Call{*e.op, e.params, types, e.subs};
  }
  const Extents& extents(const Atom& a) const {
    static const auto& scalar = *new Extents;
    return a.is_literal() ? scalar : p_.types[a.id].shape.dims();
  }

  // Readings of all values, composed through views as far as strides allow.
  void read_values() {
    f_.readings.resize(p_.types.size());
    f_.real.assign(p_.eqns.size(), 0);
    must_.assign(p_.types.size(), 0);
    for (ValueId v = 0; v < static_cast<int>(p_.types.size()); ++v) f_.readings[v] = {v, false, dense_view(extents(v))};
    for (const Eqn& e : p_.eqns) {
      f_.roles.push_back(role_of(p_, e));
      Role& role = f_.roles.back();
      const ValueId v = e.results.empty() ? -1 : e.results[0];
      if (role == Role::parts) read_parts(e, role);
      if (role == Role::index) {
        Extents strides(extents(v).size(), 0);
        strides[e.op->index(e.params)] = 1;
        f_.readings[v] = {v, true, {0, strides}};
      } else if (role == Role::view) {
        std::optional<View> view = e.op->view(call(e), p_.type(v));
        if (!view) {
          role = Role::call;
          continue;
        }
        const Atom x = e.operands[0];
        Reading from = f_.read(x);
        Extents of = extents(x);
        in_elements_of(p_.type(v).dtype, p_.type(x).dtype, from.view, of);
        if (auto composed = compose(*view, extents(v), from.view, of)) {
          f_.readings[v] = {from.base, from.index, *composed};
        } else {
          must_[x.id] = 1;
          f_.readings[v] = {x, false, *view};
        }
      }
    }
  }

  // A view speaks of elements of its result: those of the operand may be several of them.
  static void in_elements_of(DType result, DType operand, View& view, Extents& extents) {
    const std::int64_t n = operand.size() / result.size();
    if (n <= 1) return;
    view.offset *= n;
    for (std::int64_t& s : view.strides) s *= n;
    view.strides.push_back(1);
    extents.push_back(n);
  }

  // A value that is put together: of not too many parts.
  void read_parts(const Eqn& e, Role& role) {
    std::vector<Part> parts = parts_of(p_, e);
    std::size_t count = 0;
    for (const Part& part : parts) {
      const std::vector<Part>* of_base = part.base.is_literal() ? nullptr : parts_at(f_.readings[part.base.id].base);
      count += of_base ? parts_in_all_.at(f_.readings[part.base.id].base.id) : 1;
    }
    if (count > kMostParts)
      for (const Part& part : parts)
        if (!part.base.is_literal() && parts_at(f_.readings[part.base.id].base)) need_memory(part.base);
    if (parts.size() > kMostParts) {
      role = Role::call;
      return;
    }
    parts_in_all_[e.results[0]] = std::min(count, kMostParts);
    f_.parts.emplace(e.results[0], std::move(parts));
  }
  const std::vector<Part>* parts_at(const Atom& base) const {
    auto it = base.is_literal() ? f_.parts.end() : f_.parts.find(base.id);
    return it == f_.parts.end() ? nullptr : &it->second;
  }
  // What a reads is put together and needs memory: it is not read box by box.
  void need_memory(const Atom& a) {
    if (a.is_literal()) return;
    const Reading& r = f_.readings[a.id];
    if (!r.index && parts_at(r.base)) must_[r.base.id] = 1;
  }
  // Whether a reads all of its base in the base's own dims.
  bool is_whole(const Atom& a) const {
    const Reading& r = f_.readings[a.id];
    return !r.base.is_literal() && extents(r.base) == extents(a) && is_dense(r.view, extents(a));
  }

  // Parts of parts become parts of what has memory.
  void put_together() {
    for (std::size_t i = 0; i < p_.eqns.size(); ++i) {
      if (f_.roles[i] != Role::parts) continue;
      std::vector<Part>& parts = f_.parts.at(p_.eqns[i].results[0]);
      for (bool more = true; more;) {
        more = false;
        for (std::size_t k = 0; k < parts.size() && !more; ++k) {
          if (parts[k].base.is_literal()) continue;
          const Atom base = f_.readings[parts[k].base.id].base;
          const std::vector<Part>* of_base = base.is_literal() ? nullptr : f_.parts_without_memory(base.id);
          if (!of_base) continue;
          parts = flattened(parts, parts[k].base.id, *of_base);
          more = true;
        }
      }
    }
  }

  bool dense(const Atom& a) const {
    if (a.is_literal()) return true;
    const Reading& r = f_.readings[a.id];
    return !r.index && !r.base.is_literal() && is_dense(r.view, extents(a)) &&
           p_.type(r.base).num_elements() == p_.type(a).num_elements();
  }

  // Values that need memory of their own although they are only readings of others.
  void demand() {
    auto need_dense = [&](const Atom& a) {
      if (!dense(a)) must_[a.id] = 1;
      need_memory(a);
    };
    for (const Atom& a : p_.outputs) need_dense(a);
    for (std::size_t i = p_.eqns.size(); i-- > 0;) {
      const Eqn& e = p_.eqns[i];
      switch (f_.roles[i]) {
        case Role::view:
        case Role::index:
          f_.real[i] = must_[e.results[0]];
          if (f_.real[i]) need_memory(Atom(e.results[0]));
          break;
        case Role::parts:
          f_.real[i] = must_[e.results[0]];
          for (const Atom& a : e.operands)
            if (!a.is_literal() && !is_whole(a)) need_memory(a);
          break;
        case Role::call:
          f_.real[i] = 1;
          for (std::size_t k = 0; k < e.operands.size(); ++k)
            if (!spread_operand(p_, f_, e, static_cast<int>(k))) need_dense(e.operands[k]);
          break;
        case Role::dot:
          f_.real[i] = 1;
          for (int k : unreadable_operands(p_, f_, e)) need_dense(e.operands[k]);
          for (const Atom& a : e.operands) need_memory(a);
          break;
        case Role::pointwise:
        case Role::reduce: {
          f_.real[i] = 1;
          std::size_t boxes = 1;
          for (const Atom& a : e.operands)
            if (!a.is_literal()) {
              if (const Reading& r = f_.readings[a.id]; !r.index && parts_at(r.base) && !must_[r.base.id])
                boxes *= parts_in_all_.at(r.base.id);
              if (boxes > kMostBoxes) need_memory(a);
              const Reading& r = f_.readings[a.id];  // an index is computed, however it counts
              if (!r.index && !reads_well(r.view, extents(a))) must_[a.id] = 1;
              if (f_.roles[i] == Role::reduce || !is_whole(a)) need_memory(a);
            }
        }
      }
    }
    for (std::size_t i = 0; i < p_.eqns.size(); ++i)
      if (f_.roles[i] == Role::view || f_.roles[i] == Role::index) {
        const ValueId v = p_.eqns[i].results[0];
        if (must_[v]) {
          own_[v] = f_.readings[v];
          f_.real[i] = 1;
        }
      }
    for (std::size_t i = 0; i < p_.eqns.size(); ++i)
      if (f_.roles[i] == Role::parts && f_.real[i]) f_.with_memory.insert(p_.eqns[i].results[0]);
    // From here a value with memory reads itself; its own reading is kept for the loop that fills it.
    for (auto& [v, r] : own_) f_.readings[v] = {v, false, dense_view(extents(v))};
    f_.sources = std::move(own_);
  }

  const Program& p_;
  Fusion f_;
  std::vector<char> must_;                                 // by value
  std::unordered_map<ValueId, std::size_t> parts_in_all_;  // of values that are put together, parts of parts counted
  std::unordered_map<ValueId, Reading> own_;
};

}  // namespace

Reading Fusion::read(const Atom& a) const {
  if (a.is_literal()) return {a, false, {}};
  return readings[a.id];
}

std::optional<Scalar> spread_operand(const Program& p, const Fusion& f, const Eqn& e, int operand) {
  const Atom& a = e.operands[static_cast<std::size_t>(operand)];
  const bool writes = e.op->window != Op::Window::none && e.op->window != Op::Window::write_box;
  if (!writes || e.op->overwrites != operand || a.is_literal()) return std::nullopt;
  const Reading r = f.read(a);
  if (r.index || !r.base.is_literal() || r.base.literal.dtype != p.type(a).dtype) return std::nullopt;
  return r.base.literal;
}

bool loops_over(DType d) { return !d.is_complex() && !d.is_key(); }

bool joins_parts(const Program& p, const Eqn& e) {
  if (!e.op->pointwise || e.operands.size() != 2 || e.results.size() != 1) return false;
  const DType made = p.types[e.results[0]].dtype;
  return made.is_complex() && p.type(e.operands[0]).dtype == real_dtype(made) &&
         p.type(e.operands[1]).dtype == real_dtype(made);
}

// A loop reads these by whole vectors: parts of complex numbers, components of points, channels of pixels.
constexpr std::int64_t kElementsApart = 4;

bool reads_well(const View& view, const Extents& extents) {
  if (product(extents) < 1024) return true;
  for (std::size_t i = extents.size(); i-- > 0;)
    if (extents[i] != 1) return view.strides[i] >= -1 && view.strides[i] <= kElementsApart;
  return true;
}

const Extents& Fusion::space(const Program& p, int eqn) const {
  static const auto& scalar = *new Extents;
  const Eqn& e = p.eqns[eqn];
  if (roles[eqn] != Role::reduce) return p.types[e.results[0]].shape.dims();
  return e.operands[0].is_literal() ? scalar : p.types[e.operands[0].id].shape.dims();
}

const std::vector<Part>* Fusion::parts_without_memory(ValueId v) const {
  auto it = parts.find(v);
  return it == parts.end() || with_memory.contains(v) ? nullptr : &it->second;
}

const Reading* Fusion::source(ValueId v) const {
  auto it = sources.find(v);
  return it == sources.end() ? nullptr : &it->second;
}

bool Fusion::is_strided_copy(const Program& p, int eqn) const {
  const ValueId v = p.eqns[eqn].results[0];
  const Reading* r = source(v);
  return r && !reads_well(r->view, p.types[v].shape.dims());
}

Fusion read_values(const Program& program) { return Reader(program).run(); }

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
