#include "tutti/lax/control_flow.hpp"

#include <algorithm>

#include "ops/movement/derivative_where.hpp"
#include "trace/trace.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti::detail {
namespace {

bool known(const Array& x) { return !x.is_traced() && !(innermost_trace() && inside_staged()); }

}  // namespace

std::int64_t scan_length(const std::vector<Array>& xs, std::int64_t given, Loc loc) {
  std::int64_t n = given;
  for (const Array& x : xs) {
    if (x.ndim() == 0)
      raise<ShapeError>("scan", "xs has a scalar of type " + x.type().str() + ", which has no leading dim",
                        "Let the body capture what is the same in all steps.", loc);
    if (n >= 0 && x.shape()[0] != n) {
      const std::string other = n == given ? "the option length is " : "the leading dims of xs differ: ";
      raise<ShapeError>("scan",
                        other + std::to_string(n) + " and " + std::to_string(x.shape()[0]) + " of " + x.type().str(),
                        "Cut them to one length.", loc);
    }
    n = x.shape()[0];
  }
  if (n < 0)
    raise<ValueError>("scan", "there is no xs and no length", "Give one: lax::scan(fn, init, none, {.length = 10}).",
                      loc);
  return n;
}

Array scan_element(const Array& x, std::int64_t i, std::int64_t length) {
  Shape shape = x.shape();
  shape.erase(0);
  if (length == 0) return zeros(shape, x.dtype());
  std::vector<std::int64_t> start(static_cast<std::size_t>(x.ndim()), 0), limit = x.shape().dims();
  start[0] = i;
  limit[0] = i + 1;
  return reshape(lax::slice(x, start, limit), shape);
}

bool settle_carry(std::vector<Array>& before, const std::vector<Array>& after, const char* what, Loc loc) {
  if (before.size() != after.size())
    raise<TypeError>(what,
                     "the carry has " + std::to_string(before.size()) + " arrays, and the body returns " +
                         std::to_string(after.size()) + " for it",
                     "Return a carry of the same structure.", loc);
  bool settled = true;
  for (std::size_t i = 0; i < before.size(); ++i) {
    Type a = before[i].type(), b = after[i].type();
    if (a.dtype == b.dtype && a.shape == b.shape) continue;
    if (a.shape != b.shape || !before[i].weak_type() || result_type({before[i], after[i]}) != b.dtype)
      raise<TypeError>(what,
                       "array " + std::to_string(i) + " of the carry is " + a.str() + ", and the body returns " +
                           b.str() + " for it",
                       "Convert one of them: the carry keeps its type.", loc);
    before[i] = lax::convert_element_type(before[i], b.dtype);
    settled = false;
  }
  return settled;
}

Array stacked(const std::vector<std::vector<Array>>& steps, std::size_t leaf, std::int64_t length, bool reverse) {
  if (!steps[0][leaf].has_value()) return {};
  bool weak = steps[0][leaf].weak_type();  // as the first step has it, which is how JAX traces the body
  if (length == 0) {
    Shape shape = steps[0][leaf].shape();
    shape.insert(0, 0);
    return lax::convert_element_type(zeros(shape, steps[0][leaf].dtype()), steps[0][leaf].dtype(), weak);
  }
  std::vector<Array> rows;
  for (const std::vector<Array>& step : steps) rows.push_back(step[leaf]);
  if (reverse) std::reverse(rows.begin(), rows.end());
  Array all = stack(rows);
  return all.weak_type() == weak ? all : lax::convert_element_type(all, all.dtype(), weak);
}

int known_condition(const Array& pred, Loc loc) {
  if (!pred.has_value())
    raise<ValueError>("cond", "the condition is empty: there is no array", "Give a scalar, such as x.sum() > 0.", loc);
  if (pred.ndim() != 0)
    raise<TypeError>("cond", "the condition is " + pred.type().str() + ", and must be a scalar",
                     "Reduce it with all() or any(), or choose by element with where.", loc);
  if (known(pred)) return static_cast<bool>(pred);
  if (inside_staged()) return -1;
  // Under grad and jvp alone the value is there when asked for; what is mapped has none.
  try {
    return static_cast<bool>(pred);
  } catch (const TracerError&) {
    return -1;
  }
}

Array as_test(const Array& pred) { return pred.dtype() == bool_ ? pred : pred != 0; }

std::vector<Array> branch_arrays(const Array& taken, const std::vector<Array>& leaves,
                                 const std::function<std::vector<Array>(const std::vector<Array>&)>& body, Loc loc) {
  auto trace = std::make_shared<Trace>(inside_staged() ? Trace::Mode::staged : Trace::Mode::open, "cond", loc);
  // What is not traced has no derivative, and may be looked at as outside.
  std::vector<Array> given = leaves, operands;
  for (Array& x : given) {
    if (!x.is_traced()) continue;
    operands.push_back(x);
    x = trace->input(x.type(), "", x);
  }
  Traced traced;
  {
    TraceScope inside(trace);
    traced = trace->close(body(given));
  }
  operands.insert(operands.end(), traced.captured.begin(), traced.captured.end());
  CallScope scope(loc, Loc{"", "cond"});
  for (Array& x : operands)
    if (x.is_traced() && x.dtype().is_inexact()) x = bind1(ops::derivative_where, {}, {x, taken});
  return tutti::apply(*traced.program, operands);
}

std::vector<Array> selected(const char* what, const Array& test, const std::vector<Array>& yes,
                            const std::vector<Array>& no, const std::string& difference, Loc loc) {
  if (yes.size() != no.size() || !difference.empty())
    raise<TypeError>(what,
                     yes.size() == no.size() ? "the sides return different trees: " + difference
                                             : "one side returns " + std::to_string(yes.size()) +
                                                   " arrays, the other " + std::to_string(no.size()),
                     "Both must return trees of one structure.", loc);
  std::vector<Array> out;
  for (std::size_t i = 0; i < yes.size(); ++i) {
    if (yes[i].dtype() != no[i].dtype() || yes[i].shape() != no[i].shape())
      raise<TypeError>(what,
                       "for array " + std::to_string(i) + " of the result one side returns " + yes[i].type().str() +
                           ", the other " + no[i].type().str(),
                       "Both must have one type: convert one with astype or reshape.", loc);
    out.push_back(where(test, yes[i], no[i]));
  }
  return out;
}

bool holds(const Array& condition, Loc loc) {
  if (!condition.has_value())
    raise<TypeError>("while_loop", "the condition is empty: there is no array", "Compare: return x != 0.", loc);
  if (condition.dtype() != bool_ || condition.ndim() != 0)
    raise<TypeError>("while_loop", "the condition is " + condition.type().str() + ", and must be a scalar of type bool",
                     "Compare: return x != 0.", loc);
  CallScope scope(loc, Loc{"", "while_loop"});
  try {
    return static_cast<bool>(condition);
  } catch (const TracerError&) {
    raise<TracerError>("while_loop",
                       "the value of the condition, " + condition.type().str() + ", is not known while " +
                           condition.node()->trace->what() +
                           " records, and so not how often the body is to be recorded",
                       "Run the loop on the host and jit its body, or make a fixed number of steps with fori_loop, in "
                       "which where(going, next, carry) keeps the carry once it is done.",
                       loc);
  }
}

std::int64_t known_index(const Array& index, std::int64_t count, Loc loc) {
  if (!index.has_value() || index.ndim() != 0 || !index.dtype().is_integer())
    raise<TypeError>("switch_",
                     "the index is " + (index.has_value() ? index.type().str() : std::string("empty")) +
                         ", and must be a scalar integer",
                     "Convert it with astype(int32).", loc);
  if (!known(index)) return -1;
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(index), 0, count - 1);
}

Array rows_between(const Array& x, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> start(static_cast<std::size_t>(x.ndim()), 0), limit = x.shape().dims();
  start[0] = first;
  limit[0] = last;
  return lax::slice(x, start, limit);
}
Array joined(const Array& x, const Array& y) { return lax::concatenate({x, y}, 0); }

std::int64_t known_bound(const Array& x, Loc loc) {
  if (!known(x) && x.is_traced())
    raise<UnsupportedError>("fori_loop", "a bound of type " + x.type().str() + " is not known while recording",
                            "Give numbers, or arrays that are not arguments of the jitted function.", loc);
  CallScope scope(loc, Loc{"", "fori_loop"});
  return static_cast<std::int64_t>(x);
}

}  // namespace tutti::detail
