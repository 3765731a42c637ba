// Reverse mode of a while_loop that makes n steps at most: sqrt(n) stretches of sqrt(n) steps. The known half keeps the
// carries at the start of each stretch; the unknown half goes through a stretch again from there, step by step, as a
// scan that can be turned round. Both stop to compute once the condition fails.
#include <cmath>

#include "regions/lists.hpp"
#include "regions/loops.hpp"
#include "transform/effects.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;
using Flags = std::vector<bool>;

std::vector<Type> types_of(const Arrays& xs) {
  std::vector<Type> out;
  for (const Array& x : xs) out.push_back(x.type());
  return out;
}

// `yes` where the condition holds, else the arrays as they are; both make what `kept` picks.
Arrays if_it_goes_on(const Array& test, const Arrays& arrays, const ProgramPtr& yes, const Flags& kept) {
  const ProgramPtr no = recorded("while_loop", types_of(arrays), [&](const Arrays& x) { return where(x, kept); });
  Arrays operands{lax::convert_element_type(test, int32)};
  append(operands, arrays);
  return bind(cond, {}, operands, {no, yes});
}

// Whether the condition holds, from its consts and the known carries, on which alone it depends.
using Test = std::function<Array(const Arrays& before, const Arrays& known)>;

// (consts, known carries) -> the known carries `steps` steps later, as far as the condition holds.
Arrays go_on(const Test& holds, const Arrays& before, const Arrays& consts, const Arrays& carries, const Program& step,
             std::int64_t steps) {
  std::vector<Type> test_types = types_of(before), step_types = types_of(consts);
  const Type counter{int32, {}, false, {}};
  test_types.push_back(counter);
  step_types.push_back(counter);
  append(test_types, types_of(carries));
  append(step_types, types_of(carries));
  const ProgramPtr test = recorded("while_loop", test_types, [&](const Arrays& in) {
    const Array holds_here = holds(first_of(in, before.size()), without_first(in, before.size() + 1));
    return Arrays{lax::bitwise_and(in[before.size()] < steps, holds_here)};
  });
  const ProgramPtr body = recorded("while_loop", step_types, [&](const Arrays& in) {
    Arrays x = in, out{in[consts.size()] + 1};
    x.erase(x.begin() + static_cast<std::ptrdiff_t>(consts.size()));
    append(out, tutti::apply(step, x));
    return out;
  });
  Arrays operands = before;
  append(operands, consts);
  operands.push_back(zeros_of(counter));
  append(operands, carries);
  const While p{static_cast<int>(before.size()), static_cast<int>(consts.size()), steps};
  return without_first(bind(while_loop, p, operands, {test, body}), 1);
}

}  // namespace

Split checkpointed_split(const Call& c, const Flags& unknown, const Flags& late, const Split& body) {
  const Loop loop = loop_of(c);
  const LoopParts<bool> is_late(late, loop), given_late(unknown, loop);
  // As the sub-programs have them: a carry may begin narrower than it goes on, in the axes over which it varies.
  std::vector<Type> all_types = first_of(c.subs[0]->input_types(), is_late.before.size());
  append(all_types, c.subs[1]->input_types());
  const LoopParts<Type> typed(all_types, loop);
  const std::int64_t most = c.get<While>().max_steps;
  const auto stretch = std::max<std::int64_t>(1, std::llround(std::ceil(std::sqrt(static_cast<double>(most)))));
  const std::int64_t stretches = (most + stretch - 1) / stretch;
  Program known_step = *body.known;
  known_step.outputs.resize(known_step.outputs.size() - static_cast<std::size_t>(body.num_residuals));
  known_step = without_dead_code(known_step);
  const ProgramPtr condition = without_effects(c.subs[0]);
  const Test test = [&](const Arrays& before, const Arrays& known_carries) {
    LoopParts<Array> x;
    x.before = before;
    std::size_t next = 0;
    for (std::size_t k = 0; k < is_late.carries.size(); ++k)
      x.carries.push_back(is_late.carries[k] ? zeros_of(typed.carries[k]) : known_carries[next++]);
    return tutti::apply(*condition, x.of_condition())[0];
  };

  Split out;
  out.unknown_output = is_late.carries;
  const std::size_t known_results = count(flipped(is_late.carries));
  out.known = recorded(c.op.name, where(c.operands, unknown, false), [&](const Arrays& in) {
    const LoopParts<Array> x(spread(in, flipped(unknown)), loop);
    const Arrays consts = where(x.consts, is_late.consts, false), carries = where(x.carries, is_late.carries, false);
    Arrays operands = x.before;
    append(operands, consts);
    const Scan p{
        .length = stretches, .consts = static_cast<int>(operands.size()), .carries = static_cast<int>(carries.size())};
    append(operands, carries);
    std::vector<Type> types = typed.before;
    append(types, where(typed.consts, is_late.consts, false));
    append(types, where(typed.carries, is_late.carries, false));
    const ProgramPtr keep = recorded(c.op.name, types, [&](const Arrays& y) {
      const Arrays before = first_of(y, x.before.size()), rest = without_first(y, x.before.size()),
                   from = without_first(rest, consts.size());
      Arrays made = go_on(test, before, first_of(rest, consts.size()), from, known_step, stretch);
      append(made, from);
      return made;
    });
    Arrays made = bind(scan, p, operands, {keep});
    Arrays outputs = first_of(made, known_results);
    append(outputs, x.before);
    append(outputs, consts);
    append(outputs, without_first(made, known_results));
    for (std::size_t k = 0; k < x.carries.size(); ++k)
      if (is_late.carries[k] && !given_late.carries[k]) outputs.push_back(x.carries[k]);
    return outputs;
  });
  out.num_residuals = static_cast<int>(out.known->outputs.size() - known_results);

  std::vector<Type> types = without_first(out.known->output_types(), known_results);
  append(types, where(c.operands, unknown));
  const std::size_t before = is_late.before.size(), known_consts = count(flipped(is_late.consts));
  out.unknown = recorded(c.op.name, types, [&](const Arrays& in) {
    const LoopParts<Array> own(spread(without_first(in, static_cast<std::size_t>(out.num_residuals)), unknown), loop);
    // All consts: of the condition, then of the body as it takes them.
    Arrays operands = first_of(in, before);
    std::size_t next = before;
    for (std::size_t i = 0; i < own.consts.size(); ++i)
      operands.push_back(is_late.consts[i] ? own.consts[i] : in[next++]);
    const std::size_t consts = operands.size();
    const Arrays starts(in.begin() + static_cast<std::ptrdiff_t>(before + known_consts),
                        in.begin() + static_cast<std::ptrdiff_t>(before + known_consts + known_results));
    std::size_t init = before + known_consts + known_results;
    for (std::size_t k = 0; k < own.carries.size(); ++k)
      if (is_late.carries[k]) operands.push_back(given_late.carries[k] ? own.carries[k] : in[init++]);
    const ProgramPtr again = without_effects(c.subs[1]);
    const std::size_t linear = operands.size() - consts;
    const Scan outer{.length = stretches, .consts = static_cast<int>(consts), .carries = static_cast<int>(linear)};
    append(operands, starts);

    // One step: known and linear carries, in the order in which the body has them.
    auto in_order = [&](const Arrays& known, const Arrays& late_ones) {
      Arrays x;
      std::size_t at[2] = {0, 0};
      for (bool l : is_late.carries) x.push_back(l ? late_ones[at[1]++] : known[at[0]++]);
      return x;
    };
    auto one_step = [&](const Arrays& y) {  // (consts, carries)
      const Arrays all = without_first(y, consts);
      const Array going = test(first_of(y, before), where(all, is_late.carries, false));
      const ProgramPtr yes = recorded(c.op.name, types_of(y),
                                      [&](const Arrays& z) { return tutti::apply(*again, without_first(z, before)); });
      Flags kept(consts, false);
      append(kept, Flags(all.size(), true));
      return if_it_goes_on(going, y, yes, kept);
    };
    auto one_stretch = [&](const Arrays& y) {  // (consts, linear carries, known carries at the start)
      const Arrays rest = without_first(y, consts), late_ones = first_of(rest, linear),
                   known = without_first(rest, linear);
      const Array going = test(first_of(y, before), known);
      const ProgramPtr steps = recorded(c.op.name, types_of(y), [&](const Arrays& z) {
        const Arrays z_rest = without_first(z, consts);
        Arrays all = first_of(z, consts);
        append(all, in_order(without_first(z_rest, linear), first_of(z_rest, linear)));
        Scan p{.length = stretch, .consts = static_cast<int>(consts), .carries = loop.carries};
        const ProgramPtr step = recorded(c.op.name, types_of(all), one_step);
        return where(bind(scan, p, all, {step}), is_late.carries);
      });
      Flags kept(y.size(), false);
      std::fill_n(kept.begin() + static_cast<std::ptrdiff_t>(consts), linear, true);
      return if_it_goes_on(going, y, steps, kept);
    };
    std::vector<Type> stretch_types = typed.before;
    append(stretch_types, typed.consts);
    append(stretch_types, where(typed.carries, is_late.carries));
    append(stretch_types, where(typed.carries, is_late.carries, false));
    return bind(scan, outer, operands, {recorded(c.op.name, stretch_types, one_stretch)});
  });
  return out;
}

}  // namespace tutti::ops
