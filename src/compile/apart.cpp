#include "compile/apart.hpp"

#include <map>
#include <optional>
#include <tuple>

#include "compile/parts.hpp"
#include "ops/movement/slice.hpp"

namespace tutti::compile {
namespace {

constexpr std::size_t kMost = 4;  // arrays of a stack

// A value that is arrays one after the other along a dim.
struct Stack {
  std::size_t dim = 0;
  Extents start, extents;  // along it, by array
  std::vector<Atom> arrays;
};

class Apart {
 public:
  explicit Apart(const Program& p) : out_(p), same_(p.types.size()) {
    out_.eqns.clear();
    for (std::size_t v = 0; v < same_.size(); ++v) same_[v] = static_cast<ValueId>(v);
  }

  Program run(const Program& p) {
    for (Eqn e : p.eqns) {
      for (Atom& a : e.operands) a = use(a);
      if (e.results.size() == 1 && out_.types[e.results[0]].num_elements() > 0) {
        if (e.op->view && read(e)) continue;
        if (e.op->pointwise)
          componentwise(e);
        else if (e.op->movement)
          note_stack(e);
      }
      out_.eqns.push_back(std::move(e));
    }
    for (Atom& a : out_.outputs) a = use(a);
    return without_dead_code(out_);
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
    Extents start(static_cast<std::size_t>(part.ndim()), 0);
    start[like.dim] = like.start[k];
    return slice(a, start, part.shape.dims(), loc);
  }

  // Whether the Eqn is a box of one array of a stack, and now read there.
  bool read(const Eqn& e) {
    const Stack* s = stack(e.operands[0]);
    if (!s) return false;
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
    for (std::size_t k = 0; k < s->arrays.size(); ++k) {
      const std::int64_t at = start[s->dim] - s->start[k];
      if (at < 0 || at + extents[s->dim] > s->extents[k]) continue;
      start[s->dim] = at;
      const Atom array = s->arrays[k];
      same_[e.results[0]] = this->extents(array.id) == extents ? array : slice(array, start, extents, e.loc);
      return true;
    }
    return false;
  }

  Program out_;
  std::vector<Atom> same_;  // by value: what stands for it
  std::map<ValueId, Stack> stacks_;
  std::map<std::tuple<ValueId, Extents, Extents>, ValueId> slices_;
};

}  // namespace

Program take_apart(const Program& program) { return Apart(program).run(program); }

}  // namespace tutti::compile
