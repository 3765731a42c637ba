#include "compile/apart.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "compile/live.hpp"
#include "compile/parts.hpp"
#include "compile/short_dims.hpp"
#include "ops/movement/broadcast_in_dim.hpp"
#include "ops/movement/concatenate.hpp"
#include "ops/movement/copy.hpp"
#include "ops/movement/movement.hpp"
#include "ops/movement/reshape.hpp"
#include "ops/movement/slice.hpp"
#include "ops/reduction/reduce.hpp"

namespace tutti::compile {
namespace {

constexpr std::size_t kMost = 16;  // arrays of a stack

// A value that is arrays one after the other along a dim.
struct Stack {
  std::size_t dim = 0;
  Extents start, extents;  // along it, by array
  std::vector<Atom> arrays;
};

class Apart {
 public:
  explicit Apart(const Program& p)
      : out_(p), same_(p.types.size()), short_(p), whole_(p.types.size(), false), made_by_(p.types.size(), -1) {
    out_.eqns.clear();
    for (std::size_t v = 0; v < same_.size(); ++v) same_[v] = static_cast<ValueId>(v);
    for (const Eqn& e : p.eqns)
      for (const Atom& a : e.operands)
        if (!a.is_literal() && !(e.op->view && p.types[e.results[0]].num_elements() < p.types[a.id].num_elements()))
          whole_[a.id] = true;
    for (const Atom& a : p.outputs)
      if (!a.is_literal()) whole_[a.id] = true;
  }

  Program run(const Program& p) {
    for (Eqn e : p.eqns) {
      for (Atom& a : e.operands) a = use(a);
      if (e.results.size() == 1 && out_.types[e.results[0]].num_elements() > 0) {
        if (e.op->view && read(e)) continue;
        if (e.op->view) made_by_[e.results[0]] = static_cast<int>(out_.eqns.size());
        if (e.op->reduce != Op::Reduce::none && reduced(e)) continue;
        if (e.op->pointwise) {
          componentwise(e);
          made_by_[e.results[0]] = static_cast<int>(out_.eqns.size());
        } else if (e.op->movement) {
          note_stack(e);
        }
      }
      out_.eqns.push_back(std::move(e));
    }
    for (Atom& a : out_.outputs) a = use(a);
    return live(out_);
  }

 private:
  Atom use(const Atom& a) const { return a.is_literal() ? a : same_[a.id]; }
  const Extents& extents(ValueId v) const { return out_.types[v].shape.dims(); }

  ValueId fresh(Type type) {
    out_.types.push_back(std::move(type));
    same_.push_back(static_cast<ValueId>(out_.types.size()) - 1);
    return same_.back().id;
  }

  void note_stack(const Eqn& e) {
    const std::vector<Part> parts = parts_of(out_, e);
    if (parts.size() < 2 || parts.size() > kMost) return;
    const Extents& all = extents(e.results[0]);
    Stack s;
    while (s.dim < all.size() && parts[0].extents[s.dim] == all[s.dim]) ++s.dim;
    std::int64_t end = 0;
    for (const Part& p : parts) {
      if (p.base.is_literal() || s.dim == all.size() || p.start[s.dim] != end || p.extents != extents(p.base.id))
        return;
      for (std::size_t d = 0; d < all.size(); ++d)
        if (p.from[d] != 0 || (d != s.dim && (p.start[d] != 0 || p.extents[d] != all[d]))) return;
      s.start.push_back(end);
      s.extents.push_back(p.extents[s.dim]);
      s.arrays.push_back(p.base);
      end += p.extents[s.dim];
    }
    stacks_.emplace(e.results[0], std::move(s));
  }

  const Stack* stack(const Atom& a) const {
    auto it = a.is_literal() ? stacks_.end() : stacks_.find(a.id);
    return it == stacks_.end() ? nullptr : &it->second;
  }

  // The box of x from `start` on.
  Atom slice(const Atom& x, const Extents& start, const Extents& extents, const Loc& loc) {
    auto [known, added] = slices_.try_emplace({x.id, start, extents}, -1);
    if (!added) return known->second;
    Extents limit = start;
    for (std::size_t d = 0; d < limit.size(); ++d) limit[d] += extents[d];
    Type type = out_.types[x.id];
    type.shape = Shape(extents);
    known->second = fresh(type);
    push(ops::slice, ops::SliceParams{start, limit, Extents(start.size(), 1)}, {x}, known->second, loc);
    return known->second;
  }
  void push(const Op& op, Params params, std::vector<Atom> operands, ValueId result, const Loc& loc) {
    out_.eqns.push_back({&op, std::move(params), std::move(operands), {result}, {}, loc});
  }

  // Elementwise work on a stack is a stack. What is computed twice in this way is needed once: either by whom it is
  // read whole, or by whom it is read in parts.
  void componentwise(const Eqn& e) {
    const Type& type = out_.types[e.results[0]];
    const Stack* like = nullptr;
    for (const Atom& a : e.operands) {
      if (out_.type(a).ndim() == 0) continue;
      if (out_.type(a).shape != type.shape) return;
      if (!like) like = stack(a);
    }
    if (!like) return;
    Stack made = *like;
    for (std::size_t k = 0; k < made.arrays.size(); ++k) {
      Type of_part = out_.types[e.results[0]];
      of_part.shape[static_cast<int>(made.dim)] = made.extents[k];
      std::vector<Atom> operands;
      for (const Atom& a : e.operands) operands.push_back(component(a, made, k, of_part, e.loc));
      made.arrays[k] = fresh(of_part);
      push(*e.op, e.params, std::move(operands), made.arrays[k].id, e.loc);
    }
    stacks_.emplace(e.results[0], std::move(made));
  }
  Atom component(const Atom& a, const Stack& like, std::size_t k, const Type& part, const Loc& loc) {
    if (out_.type(a).ndim() == 0) return a;
    if (const Stack* s = stack(a); s && s->dim == like.dim && s->extents == like.extents) return s->arrays[k];
    if (like.extents[k] == 1 && short_.contain(a.id, static_cast<int>(like.dim)))
      return reshaped(component(a, like.dim, like.start[k]), part.shape, loc);
    Extents start(static_cast<std::size_t>(part.ndim()), 0);
    start[like.dim] = like.start[k];
    return slice(a, start, part.shape.dims(), loc);
  }

  // Component k along a short dim of what loops never store, without that dim: of elementwise work, the work on
  // components.
  Atom component(const Atom& a, std::size_t dim, std::int64_t k) {
    if (out_.type(a).ndim() == 0) return a;
    auto [known, added] = components_.try_emplace({a.id, dim, k}, a);
    if (!added) return known->second;
    const std::int64_t all = out_.type(a).shape[static_cast<int>(dim)];
    Type type = out_.types[a.id];
    type.shape.erase(static_cast<int>(dim));
    if (const Stack* s = stack(a); s && s->dim == dim && static_cast<std::int64_t>(s->arrays.size()) == all)
      return components_[{a.id, dim, k}] = reshaped(s->arrays[static_cast<std::size_t>(k)], type.shape, {});
    std::vector<Atom> operands;
    if (short_.contain(a.id, static_cast<int>(dim))) {
      const Eqn e = out_.eqns[static_cast<std::size_t>(made_by_[a.id])];
      for (const Atom& x : e.operands) operands.push_back(component(x, dim, k));
      const Atom made = fresh(type);
      push(*e.op, e.params, std::move(operands), made.id, e.loc);
      return components_[{a.id, dim, k}] = made;
    }
    Extents start(out_.type(a).shape.size(), 0), box = extents(a.id);
    start[dim] = k;
    box[dim] = 1;
    const int maker = static_cast<std::size_t>(a.id) < made_by_.size() ? made_by_[a.id] : -1;
    const bool copied = maker >= 0 && repeats(out_, out_.eqns[static_cast<std::size_t>(maker)], box);
    const Atom part = slice(a, start, box, {});
    box.erase(box.begin() + static_cast<std::ptrdiff_t>(dim));
    Atom made = reshaped(part, Shape(box), {});
    if (copied) {  // of what is read again and again, so that its elements lie side by side
      const Atom copy = fresh(out_.type(made)), wide = fresh(type);
      push(ops::copy, {}, {made}, copy.id, {});
      push(ops::broadcast_in_dim, ops::BroadcastInDim{type.shape, ops::range(0, type.ndim())}, {copy}, wide.id, {});
      made = wide;
    }
    return components_[{a.id, dim, k}] = made;
  }
  Atom reshaped(const Atom& x, const Shape& shape, const Loc& loc) {
    Type type = out_.type(x);
    if (type.shape == shape) return x;
    type.shape = shape;
    const Atom made = fresh(type);
    push(ops::reshape, ops::Reshape{shape}, {x}, made.id, loc);
    return made;
  }

  // Whether the operand of a reduction is taken apart: over the dim of its arrays the reduction is elementwise work on
  // them, else one reduction of each, and its result a stack.
  bool reduced(const Eqn& e) {
    const Atom x = e.operands[0];
    const Stack* s = stack(x);
    const int short_dim = s ? -1 : short_.of_reduction(out_, e);
    if (!s && short_dim < 0) return false;
    const std::size_t dim = s ? s->dim : static_cast<std::size_t>(short_dim);
    const std::vector<int>& axes = e.params.get<ops::Reduction>().axes;
    const bool over = std::find(axes.begin(), axes.end(), static_cast<int>(dim)) != axes.end();
    if (over && (axes.size() > 1 || !combines_elementwise(out_, e))) return false;
    Stack parts;
    if (s) {
      if (static_cast<std::int64_t>(s->arrays.size()) != out_.type(x).shape[static_cast<int>(dim)]) return false;
      parts = *s;
    } else {
      for (std::int64_t k = 0; k < out_.type(x).shape[short_dim]; ++k) {
        parts.start.push_back(k);
        parts.extents.push_back(1);
        parts.arrays.push_back(component(x, dim, k));
      }
    }
    if (over)
      combine(e, parts);
    else
      reduce_each(e, dim, std::move(parts));
    return true;
  }

  void combine(const Eqn& e, const Stack& parts) {
    const Type type = out_.types[e.results[0]];
    const bool sum = e.op->reduce == Op::Reduce::sum && type.dtype.is_floating();  // of negative zeros: zero
    Atom total = sum ? Atom(Scalar(0.0).to(type.dtype), false) : Atom();
    for (std::size_t k = 0; k < parts.arrays.size(); ++k) {
      const Atom part = reshaped(parts.arrays[k], type.shape, e.loc);
      const bool last = k + 1 == parts.arrays.size();
      if (k == 0 && !sum) {
        total = part;
        continue;
      }
      const Atom next = last ? Atom(e.results[0]) : fresh(type);
      push(combining_op(e.op->reduce), {}, {total, part}, next.id, e.loc);
      total = next;
    }
  }

  void reduce_each(const Eqn& e, std::size_t dim, Stack parts) {
    const std::vector<int>& axes = e.params.get<ops::Reduction>().axes;
    const auto before = std::count_if(axes.begin(), axes.end(), [&](int a) { return a < static_cast<int>(dim); });
    parts.dim = dim - static_cast<std::size_t>(before);
    for (std::size_t k = 0; k < parts.arrays.size(); ++k) {
      Type type = out_.types[e.results[0]];
      type.shape[static_cast<int>(parts.dim)] = parts.extents[k];
      const Shape in_stack = type.shape;
      ops::Reduction how = e.params.get<ops::Reduction>();
      if (out_.type(parts.arrays[k]).ndim() < out_.type(e.operands[0]).ndim()) {
        type.shape.erase(static_cast<int>(parts.dim));
        for (int& axis : how.axes) axis -= axis > static_cast<int>(dim);
      }
      const Atom sum = fresh(type);
      push(*e.op, how, {parts.arrays[k]}, sum.id, e.loc);
      parts.arrays[k] = reshaped(sum, in_stack, e.loc);
    }
    push(ops::concatenate, ops::Concatenate{static_cast<int>(parts.dim)}, parts.arrays, e.results[0], e.loc);
    stacks_.emplace(e.results[0], std::move(parts));
  }

  // Whether the Eqn is a box of a stack, and now read in its arrays: in one, or, where nobody reads the stack whole, in
  // several, of which it is a stack.
  bool read(const Eqn& e) {
    const Stack* s = stack(e.operands[0]);
    if (!s) return read_components(e);
    const Type &from = out_.type(e.operands[0]), &to = out_.types[e.results[0]];
    const std::optional<View> view = e.op->view(Call{*e.op, e.params, {from}, e.subs}, to);
    if (!view || to.ndim() != from.ndim()) return false;
    const Extents steps = row_major(from.shape.dims()), extents = to.shape.dims();
    Extents start;
    std::int64_t rest = view->offset;
    for (std::size_t d = 0; d < steps.size(); ++d) {
      start.push_back(rest / steps[d]);
      rest %= steps[d];
      if (extents[d] > 1 && view->strides[d] != steps[d]) return false;
      if (start[d] + extents[d] > from.shape[static_cast<int>(d)]) return false;
    }
    const Stack boxes = box_of(*s, start, extents, e.loc);
    if (boxes.arrays.size() == 1) {
      same_[e.results[0]] = boxes.arrays[0];
      return true;
    }
    if (static_cast<std::size_t>(e.operands[0].id) >= whole_.size() || whole_[e.operands[0].id]) return false;
    push(ops::concatenate, ops::Concatenate{static_cast<int>(boxes.dim)}, boxes.arrays, e.results[0], e.loc);
    stacks_.emplace(e.results[0], boxes);
    return true;
  }
  // Whether the Eqn is a box of elementwise work along a short dim, and now made component by component.
  bool read_components(const Eqn& e) {
    const int dim = short_.of_box(out_, e);
    if (dim < 0) return false;
    const std::int64_t start = box_along(out_, e, dim);
    const auto d = static_cast<std::size_t>(dim);
    Shape shape = out_.types[e.results[0]].shape;
    const std::int64_t count = std::exchange(shape[dim], 1);
    Stack parts{.dim = d};
    for (std::int64_t k = 0; k < count; ++k) {
      parts.start.push_back(k);
      parts.extents.push_back(1);
      parts.arrays.push_back(reshaped(component(e.operands[0], d, start + k), shape, e.loc));
    }
    if (parts.arrays.size() == 1) {
      same_[e.results[0]] = parts.arrays[0];
      return true;
    }
    push(ops::concatenate, ops::Concatenate{dim}, parts.arrays, e.results[0], e.loc);
    stacks_.emplace(e.results[0], parts);
    return true;
  }
  // What of the arrays of a stack lies in this box.
  Stack box_of(const Stack& s, const Extents& start, const Extents& extents, const Loc& loc) {
    Stack out{.dim = s.dim};
    const std::int64_t end = start[s.dim] + extents[s.dim];
    for (std::size_t k = 0; k < s.arrays.size(); ++k) {
      const std::int64_t from = std::max(start[s.dim], s.start[k]), to = std::min(end, s.start[k] + s.extents[k]);
      if (from >= to) continue;
      Extents at = start, box = extents;
      at[s.dim] = from - s.start[k];
      box[s.dim] = to - from;
      const Atom array = s.arrays[k];
      out.start.push_back(from - start[s.dim]);
      out.extents.push_back(to - from);
      out.arrays.push_back(this->extents(array.id) == box ? array : slice(array, at, box, loc));
    }
    return out;
  }

  Program out_;
  std::vector<Atom> same_;  // by value: what stands for it
  std::map<ValueId, Stack> stacks_;
  std::map<std::tuple<ValueId, Extents, Extents>, ValueId> slices_;
  ShortDims short_;
  std::vector<char> whole_;   // by value of the program that came in: whether it is read but by boxes
  std::vector<int> made_by_;  // by value of the program that came in: the Eqn of out_, of elementwise work and views
  std::map<std::tuple<ValueId, std::size_t, std::int64_t>, Atom> components_;
};

}  // namespace

Program take_apart(const Program& program) { return Apart(program).run(program); }

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
