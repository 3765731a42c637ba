// Calls of loops: the body is recorded into one Eqn, whose rules are in src/regions. Branches: branches.cpp.
#include "tutti/lax/control_flow.hpp"

#include <algorithm>
#include <limits>

#include "frontend/bodies.hpp"
#include "frontend/carries.hpp"
#include "regions/lists.hpp"
#include "regions/loops.hpp"
#include "transform/transform.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/base/extent.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::detail {
namespace {

std::vector<Type> element_types(const Arrays& xs) {
  std::vector<Type> out;
  for (const Array& x : xs) out.push_back(ops::element_of(x.type()));
  return out;
}

Type index_type(const Array& lower, const Array& upper) {
  return {result_type({lower, upper}), {}, lower.weak_type() && upper.weak_type(), {}};
}
void check_bound(const Array& x, Loc loc) {
  if (!x.has_value() || x.ndim() != 0 || !(x.dtype().is_integer() || x.dtype().is_floating()))
    raise<TypeError>(
        "fori_loop",
        "a bound is " + (x.has_value() ? x.type().str() : std::string("empty")) + ", and must be a scalar number",
        "Convert it with astype(int32).", loc);
}
std::int64_t known_bound(const Array& x, Loc loc) {
  if (x.dtype().is_integer()) return static_cast<std::int64_t>(x);
  const auto value = static_cast<double>(x);
  if (!(value > -0x1p63 && value < 0x1p63))
    raise<ValueError>("fori_loop", "a bound is " + std::to_string(value) + ", which no 64-bit integer holds",
                      "Give integers; for a loop without an end, lax::while_loop.", loc);
  return static_cast<std::int64_t>(value);
}

void check_test(const Array& test, Loc loc) {
  if (!test.has_value())
    raise<TypeError>("while_loop", "the condition is empty: there is no array", "Compare: return x != 0.", loc);
  if (test.dtype() != bool_ || test.ndim() != 0)
    raise<TypeError>("while_loop", "the condition is " + test.type().str() + ", and must be a scalar of type bool",
                     "Compare: return x != 0.", loc);
}

FirstCarry with_counter(const Array& counter, const FirstCarry& rest) {
  Arrays leaves{counter};
  append(leaves, rest.leaves);
  return {leaves, [paths = rest.paths] {
            std::vector<tree::Path> out = paths();
            out.insert(out.begin(), tree::Path());
            return out;
          }};
}

// The loop without a promise about its steps; then with one.
Arrays while_steps(const FirstCarry& init, const std::function<Array(const Arrays&)>& condition,
                   const std::function<StepResult(const Arrays&)>& step, std::int64_t max_steps, const char* what,
                   Loc loc) {
  RecordedStep body = record_step(what, loc, init, {}, [&](const Arrays& c, const Arrays&) { return step(c); });
  const Traced test = record(what, loc, body.types, [&](const Arrays& c) {
    const Array holds = condition(c);
    check_test(holds, loc);
    return Arrays{holds};
  });
  Arrays operands = test.captured;
  append(operands, body.step.captured);
  append(operands, body.init);
  const ops::While p{static_cast<int>(test.captured.size()), static_cast<int>(body.step.captured.size()), max_steps};
  CallScope scope(loc, Loc{"", what});
  return bind(ops::while_loop, p, operands, {captured_first(test), captured_first(body.step)});
}

}  // namespace
}  // namespace tutti::detail

int tutti::lax::Unroll::of(std::int64_t length, const char* what, Loc loc) const {
  if (steps_ < 0) raise<ValueError>(what, "unroll is " + std::to_string(steps_), "Give 0 for all steps, or more.", loc);
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp<std::int64_t>(steps_ == 0 ? length : steps_, 1, most));
}

namespace tutti::detail {

std::int64_t scan_length(const char* what, const Arrays& xs, std::int64_t given, int axis, Loc loc) {
  std::int64_t n = given;
  for (const Array& x : xs) {
    if (x.ndim() == 0)
      raise<ShapeError>(what, "xs has a scalar of type " + x.type().str() + ", which has no leading dim",
                        "Let the body capture what is the same in all steps.", loc);
    if (axis < -x.ndim() || axis >= x.ndim())
      raise<IndexError>(what, "there is no axis " + std::to_string(axis) + " in " + x.type().str(),
                        "Axes are " + std::to_string(-x.ndim()) + " to " + std::to_string(x.ndim() - 1) + " here.",
                        loc);
    const std::int64_t here = x.shape()[axis < 0 ? axis + x.ndim() : axis];
    if (n >= 0 && here != n) {
      const std::string other = n == given ? "the option length is " : "the leading dims of xs differ: ";
      raise<ShapeError>(what, other + std::to_string(n) + " and " + std::to_string(here) + " of " + x.type().str(),
                        "Cut them to one length.", loc);
    }
    n = here;
  }
  if (n < 0)
    raise<ValueError>(what, "there is no xs and no length", "Give one: lax::scan(fn, init, none, {.length = 10}).",
                      loc);
  return n;
}

std::pair<Arrays, Arrays> scan_call(const FirstCarry& init, const Arrays& xs,
                                    const std::function<StepResult(const Arrays&, const Arrays&)>& step,
                                    const lax::ScanOptions& options, Loc loc) {
  const std::int64_t length = scan_length("scan", xs, options.length, 0, loc);
  const int unroll = options.unroll.of(length, "scan", loc);
  if (options.checkpoint_every < -1)
    raise<ValueError>("scan", "checkpoint_every is " + std::to_string(options.checkpoint_every),
                      "Give a number of steps, or -1.", loc);
  const RecordedStep body = record_step("scan", loc, init, element_types(xs), step);
  const std::size_t carries = init.leaves.size();
  const ops::Scan p{.length = length,
                    .consts = static_cast<int>(body.step.captured.size()),
                    .carries = static_cast<int>(carries),
                    .reverse = options.reverse,
                    .unroll = unroll};
  Arrays operands = body.step.captured;
  append(operands, body.init);
  append(operands, xs);
  CallScope scope(loc, Loc{"", "tutti::lax::scan"});
  const ProgramPtr program = captured_first(body.step);
  const Arrays out = options.checkpoint_every == 0
                         ? bind(ops::scan, p, operands, {program})
                         : ops::checkpointed_scan(p, operands, program, options.checkpoint_every);
  return {first_of(out, carries), without_first(out, carries)};
}

Arrays while_call(const FirstCarry& init, const std::function<Array(const Arrays&)>& condition,
                  const std::function<StepResult(const Arrays&)>& step, const lax::WhileOptions& options, Loc loc) {
  const std::int64_t most = options.max_steps;
  if (most < 0) return while_steps(init, condition, step, -1, "while_loop", loc);
  if (most > std::numeric_limits<std::int32_t>::max() && canonical(int64) != int64)
    raise<ValueError>("while_loop", "max_steps is " + std::to_string(most) + ", and steps are counted in int32",
                      "Give at most 2147483647, or call enable_x64(true) for 64-bit integers.", loc);
  auto counted = [&](const Arrays& c) {
    const Array holds = condition(without_first(c, 1));
    check_test(holds, loc);
    return lax::bitwise_and(c[0] < most, holds);
  };
  auto count = [&](const Arrays& c) {
    StepResult out = step(without_first(c, 1));
    out.carry.insert(out.carry.begin(), c[0] + 1);
    return out;
  };
  return without_first(while_steps(with_counter(array(std::int64_t(0)), init), counted, count, most, "while_loop", loc),
                       1);
}

Arrays fori_call(const Array& lower, const Array& upper, const FirstCarry& init,
                 const std::function<StepResult(const Array&, const Arrays&)>& step, const lax::ForiOptions& options,
                 Loc loc) {
  check_bound(lower, loc);
  check_bound(upper, loc);
  const Type type = index_type(lower, upper);
  auto count = [&](const Arrays& c) {
    StepResult out = step(c[0], without_first(c, 1));
    out.carry.insert(out.carry.begin(), c[0] + 1);
    return out;
  };
  if (!lower.is_traced() && !upper.is_traced()) {
    const std::int64_t first = known_bound(lower, loc),
                       length = std::max<std::int64_t>(extent::add(known_bound(upper, loc), extent::mul(first, -1)), 0);
    const Array start = array_from_scalar(Scalar(first).to(type.dtype.is_integer() ? type.dtype : int32), true);
    const int unroll = options.unroll.of(length, "fori_loop", loc);
    const RecordedStep body = record_step("fori_loop", loc, with_counter(start, init), {},
                                          [&](const Arrays& c, const Arrays&) { return count(c); });
    const ops::Scan p{.length = length,
                      .consts = static_cast<int>(body.step.captured.size()),
                      .carries = static_cast<int>(body.init.size()),
                      .unroll = unroll};
    Arrays operands = body.step.captured;
    append(operands, body.init);
    CallScope scope(loc, Loc{"", "tutti::lax::fori_loop"});
    return without_first(bind(ops::scan, p, operands, {captured_first(body.step)}), 1);
  }
  if (!options.unroll.is_one())
    raise<ValueError>("fori_loop", "unroll is given, and how many steps there are is not known while recording",
                      "Leave it out, or give bounds that are numbers.", loc);
  const Array start = lower.dtype() == type.dtype ? lower : lax::convert_element_type(lower, type.dtype);
  const Array end = upper.dtype() == type.dtype ? upper : lax::convert_element_type(upper, type.dtype);
  return without_first(
      while_steps(
          with_counter(start, init), [&](const Arrays& c) { return c[0] < end; }, count, -1, "fori_loop", loc),
      1);
}

// Chunks of the batch size one after the other, and what is left over by itself.
Arrays map_in_batches(const Arrays& xs, const std::function<StepResult(const Arrays&)>& step,
                      const lax::MapOptions& options, Loc loc) {
  const std::int64_t n = scan_length("map", xs, -1, 0, loc), size = options.batch_size;
  if (size < 0) raise<ValueError>("map", "batch_size is " + std::to_string(size), "Give a number of elements.", loc);
  const Traced one = record("map", loc, element_types(xs), [&](const Arrays& x) { return step(x).rest; });
  const ProgramPtr program = captured_first(one);
  const Arrays& consts = one.captured;
  CallScope scope(loc, Loc{"", "tutti::lax::map"});
  auto over = [&](std::int64_t length, const Arrays& slices, const ProgramPtr& body) {
    Arrays operands = consts;
    append(operands, slices);
    return bind(ops::scan, ops::Scan{.length = length, .consts = static_cast<int>(consts.size())}, operands, {body});
  };
  if (size == 0 || n == 0) return over(n, xs, program);
  std::vector<bool> mapped(consts.size(), false);
  append(mapped, std::vector<bool>(xs.size(), true));
  auto batched = [&](std::int64_t count) { return batch_all(program, mapped, {count, ""}); };
  const std::int64_t chunks = n / size, rest = n - chunks * size;
  Arrays out;
  if (chunks > 0) {
    Arrays slices;
    for (const Array& x : xs) {
      Shape shape = x.shape();
      shape[0] = size;
      shape.insert(0, chunks);
      slices.push_back(lax::reshape(part_between(x, 0, chunks * size, 0), shape));
    }
    out = over(chunks, slices, batched(size));
    for (Array& y : out) {
      Shape shape = y.shape();
      shape.erase(0);
      shape[0] = chunks * size;
      y = lax::reshape(y, shape);
    }
  }
  if (rest == 0) return out;
  Arrays operands = consts;
  for (const Array& x : xs) operands.push_back(part_between(x, chunks * size, n, 0));
  const Arrays last = tutti::apply(*batched(rest), operands);
  if (chunks == 0) return last;
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = joined(out[k], last[k], 0);
  return out;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
