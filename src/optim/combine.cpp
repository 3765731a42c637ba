#include "tutti/optim/combine.hpp"

#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::optim {

std::string Labels::at(const tree::Path& path, const Array& leaf, const std::vector<std::string>& groups) const {
  std::string label;
  bool found = static_cast<bool>(function_);
  if (function_) {
    label = function_(path, leaf);
  } else if (const auto* rule = rules_.first_match(path)) {
    label = rule->value;
    found = true;
  }
  for (const std::string& g : groups)
    if (found && g == label) return label;
  std::string names;
  for (const std::string& g : groups) names += (names.empty() ? "" : ", ") + g;
  raise<ValueError>("multi_transform",
                    "the parameter " + path.str() + (found ? " has the label \"" + label + "\"" : " has no label") +
                        "; the groups are " + names,
                    "Give a transformation for every label, or a last rule {\"**\", ...}.");
}

void Labels::check(const std::vector<tree::Path>& paths) const {
  rules_.check("multi_transform", paths, current_loc());
}

namespace detail {

Array choose(const Array& condition, const Array& yes, const Array& no) {
  return where(condition, yes, no).astype(no.dtype());
}
Array all_finite(const std::vector<Array>& leaves) {
  Array ok = array(true);
  for (const Array& x : leaves) ok = ok & tutti::all(isfinite(x));
  return ok;
}
Array count_bad(const Array& finite, const Array& count, const Array& at_finite) {
  return where(finite, at_finite, next_step(count));
}
Array still_or(const Array& finite, const Array& count, int limit) { return finite | (count > limit); }
Array accumulated(const Array& update, const Array& sum, const Array& steps, bool mean) {
  return mean ? sum + (update - sum) / (steps + 1) : update + sum;
}
// A product, as in Optax: a negative sum leaves -0, what is no number stays.
Array kept_sum(const Array& due, const Array& sum) { return (sum * where(due, 0.f, 1.f)).astype(float32); }
Array emitted(const Array& due, const Array& update) { return where(due, update, zeros_like(update)); }
Array stepped(const Array& mini_step, const Array& gradient_step) { return (mini_step == 0) & (gradient_step > 0); }
MiniStep mini_step(const Array& mini_step, const Array& gradient_step, const Array& every) {
  Array due = mini_step == every - 1;
  return {due, next_step(mini_step) % every, where(due, next_step(gradient_step), gradient_step)};
}
Array float_zeros(const Array& p) { return p.dtype().is_inexact() ? tutti::zeros_like(p, float32) : Array(); }

}  // namespace detail
}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
