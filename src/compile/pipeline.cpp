// The passes from a LocalProgram to a Plan, bound to their rows of the list (ir/pass_list.cpp, which says what each
// does and why it stands where it stands). Whole programs and bodies of loops and branches go through the same two
// tables; the rows say which passes run on which.
#include "compile/apart.hpp"
#include "compile/live.hpp"
#include "compile/looping.hpp"
#include "compile/passes.hpp"
#include "ir/passes.hpp"

namespace tutti::compile {
namespace {

// Facts about a program that passes ask besides the program.
struct Scope {
  bool within;                         // the body of a loop, or a branch
  const std::vector<bool>& donatable;  // by input, of a whole program; empty: none
  const std::vector<int>& own;         // by output, of a body; see assign_memory_within
};

template <class T> struct Bound {
  PassId id;
  T (*run)(T&&, const Scope&);
};

constexpr Bound<Program> kOnProgram[] = {
    {PassId::live, [](Program&& p, const Scope&) { return live(p); }},
    {PassId::known_windows, [](Program&& p, const Scope&) { return known_windows(p); }},
    {PassId::flat_places, [](Program&& p, const Scope&) { return flat_places(p); }},
    {PassId::live_again, [](Program&& p, const Scope&) { return live(p); }},
    {PassId::hoist, [](Program&& p, const Scope&) { return hoist(p); }},
    {PassId::across_steps, [](Program&& p, const Scope&) { return across_steps(p); }},
    {PassId::direct_solves, [](Program&& p, const Scope&) { return direct_solves(std::move(p)); }},
    {PassId::extrema, [](Program&& p, const Scope& s) { return places_of_extrema(std::move(p), s.within); }},
    {PassId::simplify, [](Program&& p, const Scope&) { return simplify(p); }},
    {PassId::order_products, [](Program&& p, const Scope&) { return order_products(std::move(p)); }},
    {PassId::share, [](Program&& p, const Scope&) { return share_equal(p); }},
    {PassId::before_gathers, [](Program&& p, const Scope&) { return before_gathers(std::move(p)); }},
    {PassId::deviations, [](Program&& p, const Scope&) { return deviations_by_blocks(std::move(p)); }},
    {PassId::apart, [](Program&& p, const Scope&) { return take_apart(p); }},
    {PassId::parts_again, [](Program&& p, const Scope&) { return put_together_again(std::move(p)); }},
    {PassId::recompute, [](Program&& p, const Scope&) { return recompute(p); }},
    {PassId::own_outputs, [](Program&& p, const Scope&) { return with_own_outputs(std::move(p)); }},
};

constexpr Bound<Plan> kOnPlan[] = {
    {PassId::scatter_gathers, [](Plan&& p, const Scope&) { return scatter_gathers(std::move(p)); }},
    {PassId::place_products, [](Plan&& p, const Scope&) { return place_products(std::move(p)); }},
    {PassId::mask_products, [](Plan&& p, const Scope&) { return mask_products(std::move(p)); }},
    {PassId::place_loops, [](Plan&& p, const Scope&) { return place_loops(std::move(p)); }},
    {PassId::lift_scalars, [](Plan&& p, const Scope&) { return lift_scalars(std::move(p)); }},
    {PassId::stages, [](Plan&& p, const Scope&) { return one_stage_each(std::move(p)); }},
    {PassId::depth_first, [](Plan&& p, const Scope&) { return depth_first(std::move(p)); }},
    {PassId::rows, [](Plan&& p, const Scope& s) { return group_stages(std::move(p), s.within); }},
    {PassId::join, [](Plan&& p, const Scope& s) { return join_small(std::move(p), s.own); }},
    {PassId::await, [](Plan&& p, const Scope&) { return await_late(std::move(p)); }},
    {PassId::memory,
     [](Plan&& p, const Scope& s) {
       return s.within ? assign_memory_within(std::move(p), s.own) : assign_memory(std::move(p), s.donatable);
     }},
};

template <class T, std::size_t N> T run_all(const Bound<T> (&passes)[N], T value, const Scope& scope) {
  for (const Bound<T>& p : passes)
    if (runs_on(p.id, scope.within)) value = run_pass(p.id, p.run, std::move(value), scope);
  return value;
}

Plan planned(const Program& program, const Scope& scope) {
  const Program p = run_all(kOnProgram, program, scope);
  const Fusion fusion = run_pass(PassId::fuse, fuse, p);
  return run_all(kOnPlan, run_pass(PassId::lower, lower, p, fusion), scope);
}

}  // namespace

Plan compile(const LocalProgram& local, const std::vector<bool>& donatable) {
  return planned(*local.program, {false, donatable, {}});
}

Plan plan_within(const Program& program, const std::vector<int>& own) { return planned(program, {true, {}, own}); }

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
