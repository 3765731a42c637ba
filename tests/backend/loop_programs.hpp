// Random programs of loops and branches, one inside the other.
#pragma once

#include <algorithm>
#include <memory>

#include "backend/programs.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/elementwise/trigonometric.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/rev.hpp"
#include "ops/movement/roll.hpp"
#include "ops/movement/slice.hpp"
#include "ops/reduction/reduce.hpp"
#include "regions/loops.hpp"

namespace tutti::test {

/// Makes programs whose ops leave no choice of bits: the engine has to agree with eval exactly.
class LoopMaker {
 public:
  /// `columns`: extents of the last dim are up to this. `rows`: no, all arrays have these rows, and none of them needs
  /// another one.
  LoopMaker(unsigned seed, int columns, int rows = 0) : random_(seed), columns_(columns), rows_(rows) {}

  /// A program with some loops and branches, none of which is more than `depth` deep.
  Program program(int depth) {
    Scope s;
    const int n = 3 + pick(3);
    for (int i = 0; i < n; ++i) s.pool.push_back(s.b.input(any_type()));
    steps(s, 2);
    for (int i = 0; i < 2; ++i) construct(s, depth);
    steps(s, 2);
    for (int i = 0; i < 3; ++i) s.b.output(last(s, 10));
    return without_dead_code(s.b.program);
  }

 private:
  struct Scope {
    Builder b;
    std::vector<ValueId> pool;
    const Type& type(ValueId v) const { return b.program.type(v); }
  };

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  ValueId last(const Scope& s, int n) {
    return s
        .pool[s.pool.size() - 1 - static_cast<std::size_t>(pick(std::min<int>(n, static_cast<int>(s.pool.size()))))];
  }
  Type any_type() {
    static const DType dtypes[] = {float32, float32, float32, int32, bfloat16, float64, bool_, uint8, float16};
    Shape shape;
    if (rows_) {
      shape.push_back(rows_);
      if (pick(3) == 0) shape.push_back(1 + pick(3));
      if (pick(4) == 0) shape = Shape{};
    } else if (const int ndim = pick(3); ndim > 0) {
      for (int d = 1; d < ndim; ++d) shape.push_back(1 + pick(3));
      shape.push_back(1 + pick(columns_));
    }
    return Type{dtypes[pick(9)], shape, false, {}};
  }
  ValueId like(const Scope& s, ValueId v) {
    for (int i = 0; i < 12; ++i)
      if (ValueId w = last(s, 30); s.type(w).dtype == s.type(v).dtype && s.type(w).shape == s.type(v).shape) return w;
    return v;
  }

  void steps(Scope& s, int n) {
    for (int i = 0; i < n; ++i) s.pool.push_back(step(s));
  }
  ValueId step(Scope& s) {
    const ValueId x = last(s, 8);
    const Type t = s.type(x);
    Builder& b = s.b;
    if (t.dtype.is_bool()) return b.add(ops::eq, {x, like(s, x)});
    const int last_dim = t.ndim() - 1;
    switch (pick(12)) {
      case 10:
        if (t.ndim() > (rows_ ? 1 : 0) && t.shape[last_dim] <= 2 * columns_ + 4)
          return b.add(ops::concatenate, ops::Concatenate{last_dim}, {x, like(s, x)});
        return b.add(ops::max, {x, like(s, x)});
      case 11:
        if (t.ndim() > (rows_ ? 1 : 0)) {
          ops::SliceParams p;
          for (std::int64_t n : t.shape) {
            p.start.push_back(0);
            p.limit.push_back(n);
            p.strides.push_back(1);
          }
          p.start.back() = pick(static_cast<int>(t.shape[last_dim]));
          p.limit.back() = p.start.back() + 1 + pick(static_cast<int>(t.shape[last_dim] - p.start.back()));
          return b.add(ops::slice, p, {x});
        }
        return b.add(ops::min, {x, like(s, x)});
      case 0: return b.add(ops::add, {x, like(s, x)});
      case 1: return b.add(ops::sub, {like(s, x), x});
      case 2: return b.add(ops::max, {x, like(s, x)});
      case 3: return b.add(ops::lt, {x, like(s, x)});
      case 4: return b.add(ops::select, {b.add(ops::lt, {x, like(s, x)}), like(s, x), x});
      case 5: {
        const DType to = pick(2) ? float32 : int32;
        if (t.dtype.is_floating() && !to.is_floating()) return b.add(ops::min, {x, like(s, x)});
        return b.add(ops::convert_element_type, ops::ConvertElementType{to}, {x});
      }
      case 6:
        if (t.ndim() > (rows_ ? 1 : 0))
          return pick(2) ? b.add(ops::roll, ops::Roll{t.ndim() - 1, t.shape[t.ndim() - 1] / 2}, {x})
                         : b.add(ops::rev, ops::Rev{{t.ndim() - 1}}, {x});
        return b.add(ops::add, {x, x});
      case 7:
        if (t.ndim() > (rows_ ? 1 : 0)) {
          const ValueId most = b.add(ops::reduce_max, ops::Reduction{{t.ndim() - 1}}, {x});
          if (pick(2)) return most;
          lax::Dims dims;
          for (int d = 0; d + 1 < t.ndim(); ++d) dims.push_back(d);
          return b.add(ops::max, {x, b.add(ops::broadcast_in_dim, ops::BroadcastInDim{t.shape, dims}, {most})});
        }
        return b.add(ops::mul, {x, x});
      case 8: return t.dtype.is_floating() ? b.add(ops::tanh, {x}) : b.add(ops::mul, {x, like(s, x)});
      default: {
        if (rows_) return b.add(ops::min, {x, like(s, x)});
        return b.add(ops::reshape, ops::Reshape{{t.num_elements()}}, {x});
      }
    }
  }

  void construct(Scope& s, int depth) {
    std::vector<ValueId> made;
    switch (pick(rows_ ? 2 : 3)) {
      case 0: made = scan(s, depth); break;
      case 1: made = while_loop(s, depth); break;
      default: made = branch(s, depth);
    }
    s.pool.insert(s.pool.end(), made.begin(), made.end());
  }

  // Inputs of a body from types; some steps and, where it may be deeper, another construct.
  Scope open(const std::vector<Type>& types, int depth) {
    Scope s;
    for (const Type& t : types) s.pool.push_back(s.b.input(t));
    steps(s, 1 + pick(4));
    if (depth > 1 && pick(3)) construct(s, depth - 1);
    steps(s, pick(3));
    return s;
  }
  // A value of the type: any that there is, be it an input; else the first input that has it.
  Atom of_type(const Scope& s, const Type& t, ValueId otherwise) {
    for (int i = 0; i < 20; ++i)
      if (ValueId w = last(s, 100); s.type(w).dtype == t.dtype && s.type(w).shape == t.shape) return w;
    return otherwise;
  }
  static ProgramPtr close(Scope s) { return std::make_shared<Program>(without_dead_code(s.b.program)); }

  std::vector<ValueId> some(const Scope& s, int most) {
    std::vector<ValueId> out;
    for (int i = 1 + pick(most); i > 0; --i) out.push_back(last(s, 12));
    return out;
  }
  static void append_types(std::vector<Type>& to, const Scope& s, const std::vector<ValueId>& values) {
    for (ValueId v : values) to.push_back(s.type(v));
  }

  std::vector<ValueId> scan(Scope& s, int depth) {
    static const std::int64_t lengths[] = {0, 1, 2, 3, 6, 7};
    ops::Scan p;
    p.length = lengths[pick(6)];
    p.reverse = pick(2);
    p.unroll = 1 + pick(2);
    const std::vector<ValueId> consts = some(s, 2), carries = some(s, 3);
    p.consts = static_cast<int>(consts.size());
    p.carries = static_cast<int>(carries.size());
    std::vector<Atom> operands(consts.begin(), consts.end());
    operands.insert(operands.end(), carries.begin(), carries.end());
    std::vector<Type> types;
    append_types(types, s, consts);
    append_types(types, s, carries);
    for (int i = pick(3); i > 0; --i) {  // xs are made of what there is
      const ValueId x = last(s, 12);
      types.push_back(s.type(x));
      Shape stacked = s.type(x).shape;
      stacked.insert(0, p.length);
      lax::Dims dims;
      for (int d = 0; d < s.type(x).ndim(); ++d) dims.push_back(d + 1);
      operands.push_back(s.b.add(ops::broadcast_in_dim, ops::BroadcastInDim{stacked, dims}, {x}));
      if (stacked.num_elements() && s.type(x).dtype == float32)
        operands.back() = s.b.add(ops::add, {operands.back(), s.b.add(ops::iota, ops::Iota{float32, stacked, 0}, {})});
    }
    Scope body = open(types, depth);
    for (int c = 0; c < p.carries; ++c)
      body.b.output(of_type(body, types[static_cast<std::size_t>(p.consts + c)], body.pool[p.consts + c]));
    for (int i = pick(3); i > 0; --i) body.b.output(last(body, 100));
    return s.b.adds(ops::scan, p, operands, {close(std::move(body))});
  }

  // The first carry counts.
  std::vector<ValueId> while_loop(Scope& s, int depth) {
    const std::vector<ValueId> consts = some(s, 2), carries = some(s, 3);
    ops::While p;
    p.cond_consts = 1;
    p.body_consts = static_cast<int>(consts.size());
    std::vector<Atom> operands{Atom(Scalar(pick(6)), false)};
    operands[0].literal = operands[0].literal.to(int32);
    operands.insert(operands.end(), consts.begin(), consts.end());
    const Atom zero(Scalar(0).to(int32), false), one(Scalar(1).to(int32), false);
    operands.push_back(zero);
    operands.insert(operands.end(), carries.begin(), carries.end());
    const Type count{int32, {}, false, {}};
    std::vector<Type> types;
    append_types(types, s, consts);
    types.push_back(count);
    append_types(types, s, carries);
    Scope body = open(types, depth);
    body.b.output(body.b.add(ops::add, {body.pool[consts.size()], one}));
    for (std::size_t c = consts.size() + 1; c < types.size(); ++c) body.b.output(of_type(body, types[c], body.pool[c]));
    Scope condition;
    condition.pool.push_back(condition.b.input(count));
    condition.pool.push_back(condition.b.input(count));
    for (ValueId v : carries) condition.pool.push_back(condition.b.input(s.type(v)));
    condition.b.output(condition.b.add(ops::lt, {condition.pool[1], condition.pool[0]}));
    return s.b.adds(ops::while_loop, p, operands, {close(std::move(condition)), close(std::move(body))});
  }

  std::vector<ValueId> branch(Scope& s, int depth) {
    const std::vector<ValueId> taken = some(s, 4);
    std::vector<Type> types;
    append_types(types, s, taken);
    std::vector<Atom> operands{Atom(Scalar(pick(5) - 1).to(int32), false)};
    for (ValueId v : s.pool)
      if (s.type(v).dtype == int32 && s.type(v).ndim() == 0) operands[0] = v;
    operands.insert(operands.end(), taken.begin(), taken.end());
    std::vector<std::size_t> chosen;  // results have the types of these
    for (int i = 1 + pick(3); i > 0; --i) chosen.push_back(random_() % types.size());
    std::vector<ProgramPtr> subs;
    for (int i = 1 + pick(3); i > 0; --i) {
      Scope body = open(types, depth);
      for (std::size_t j : chosen) body.b.output(of_type(body, types[j], body.pool[j]));
      subs.push_back(close(std::move(body)));
    }
    return s.b.adds(ops::cond, {}, operands, subs);
  }

  std::mt19937 random_;
  int columns_, rows_;
};

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
