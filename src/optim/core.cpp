#include "tutti/optim/core.hpp"

#include <limits>

#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::optim {

const std::vector<Array>& Leaves::needed_params(const char* who) const {
  if (params.empty() && !updates.empty())
    raise<ValueError>(who, "update needs the parameters", "Call update(grads, state, params).");
  return params;
}

namespace detail {

Array step_zero() { return zeros({}, int32); }

Array next_step(const Array& count) {
  constexpr int last = std::numeric_limits<int>::max();
  return where(count < last, count + 1, last);
}

Array first_value(const Start& start, const Array& p) { return p.dtype().is_inexact() ? start(p) : Array(); }

void run_stage(const Stage& stage, const tree::detail::Columns& c, bool params, Array* count,
               const std::function<std::vector<tree::Path>()>& paths) {
  Leaves l;
  auto values = [](const std::vector<Array*>& column) {
    std::vector<Array> out;
    for (const Array* a : column) out.push_back(*a);
    return out;
  };
  std::size_t slots = c.column.size() - 1 - params;
  l.updates = values(c.column[0]);
  for (std::size_t k = 0; k < slots; ++k) l.slots.push_back(values(c.column[1 + k]));
  if (params) l.params = values(c.column.back());
  if (count) l.count = *count;
  l.paths = paths;
  stage(l);
  for (std::size_t i = 0; i < c.rows(); ++i) {
    *c.column[0][i] = l.updates[i];
    for (std::size_t k = 0; k < slots; ++k) *c.column[1 + k][i] = l.slots[k][i];
  }
  if (count) *count = next_step(*count);
}

Array add_update(const Array& p, const Array& u) { return (p + u).astype(p.dtype()); }
Array mixed(const Array& a, const Array& b, double part) { return part * a + (1 - part) * b; }

Array norm_of(const std::vector<Array>& leaves) {
  Array total = 0.f;
  for (const Array& x : leaves) total = total + sum(square(x));
  return sqrt(total);
}

}  // namespace detail
}  // namespace tutti::optim
