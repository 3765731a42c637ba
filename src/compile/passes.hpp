// The passes between a LocalProgram and a Plan: pure functions, one a file. Their order is in compile/pipeline.cpp, the
// reasons for it in ir/pass_list.cpp.
#pragma once

#include "compile/fuse.hpp"
#include "compile/plan.hpp"
#include "compile/stats.hpp"
#include "partition/local_program.hpp"

namespace tutti::compile {

/// Gathers whose indices are known, and whose windows lie evenly apart, are strided readings. Keeps bits.
Program known_windows(const Program& program);
/// Rows that gathers and scatters name by several numbers are named by one. Keeps bits.
Program flat_places(const Program& program);
/// Elementwise work between a gather and what is no loop is done before the gather, where that reads elements again and
/// again. Keeps bits.
Program before_gathers(Program program);
/// What no step of a loop changes is computed before it, but for readings and what is quickly made of little memory.
Program hoist(const Program& program);
/// Products and sums that steps of a loop do not need are taken out of it: a slice times what no step changes is a
/// slice of one product of the stack, a product that is only stacked is one of a stack, products that are added up are
/// one that sums over steps, and sums that are added up are taken of the sum of their terms. Changes the order of
/// additions.
Program across_steps(const Program& program);
/// Many small systems whose factors nobody else reads are solved in one go. Keeps bits.
Program direct_solves(Program program);
/// The place of an extremum, of many elements, becomes two reductions; `within`, in a step of a loop or a branch, of
/// any number.
Program places_of_extrema(Program program, bool within);
/// Removes what does nothing: reductions of reductions, transposes of products; products of vectors, and many small
/// ones, become sums, in another order of additions.
Program simplify(const Program& program);
/// Brings matrix products to the order batch, free, contracted | batch, contracted, free by transposes (which are only
/// readings). Keeps bits.
Program order_products(Program program);
/// Equal Eqns become one; what nobody needs goes.
Program share_equal(const Program& program);
/// Of large arrays a mean and the squared deviations from it are taken together, block of rows by block. Changes the
/// order of additions.
Program deviations_by_blocks(Program program);
/// Large values that a few quick instructions make of what lies in memory anyway are made again where loops read them,
/// instead of being stored. Keeps bits.
Program recompute(const Program& program);
/// What is put together of much less, and read by products that sum over other dims of it, is put together for each of
/// them. Keeps bits.
Program put_together_again(Program program);
/// Gives every storage its place: offsets in one slab, results over dying operands, donated inputs under outputs.
Plan assign_memory(Plan plan, const std::vector<bool>& donatable);
/// The same of a Plan within a loop: output k may lie in the memory of input own[k] alone (-1: of none).
Plan assign_memory_within(Plan plan, const std::vector<int>& own);
/// Tiny steps stand behind the last large one that they need, so that they do not stand between large loops.
Plan lift_scalars(Plan plan);
/// Every step is a stage of its own.
Plan one_stage_each(Plan plan);
/// Products and loops that run a few rows at a time, all of them, from the first to the last, become one stage, with
/// what they keep for a chunk of rows alone. Nothing but stages, the order of steps and the kinds of storages changes.
Plan depth_first(Plan plan);
/// Loops that hand large values to each other row by row become one stage, if they are stages of their own. `within`: a
/// step of a loop, or a branch.
Plan group_stages(Plan plan, bool within);
/// Products whose results are only copied, whole rows to other places, write them there.
Plan place_products(Plan plan);
/// Loops whose results are only copied into part of another value write them there.
Plan place_loops(Plan plan);
/// Scatters read the rows of their updates where a gather would have read them. Keeps bits.
Plan scatter_gathers(Plan plan);
/// Products of which a mask throws elements away know it: these need not be computed.
Plan mask_products(Plan plan);
/// Small loops, products and calls that do not need each other become one stage. `own`: as in assign_memory_within.
Plan join_small(Plan plan, const std::vector<int>& own);
/// Where each step that sends has to be over: before the first stage that uses its result, else at the end.
Plan await_late(Plan plan);
/// Whether it is a collective that sends.
bool is_sending(const Step& step);
/// The storages that a step reads and writes.
void uses_of(const Step& step, std::vector<int>& reads, std::vector<int>& writes);
/// Takes away the steps where `gone`.
void drop_steps(Plan& plan, const std::vector<char>& gone);

PlanStats stats_of(const Plan& plan, const std::vector<bool>& donatable);

/// The steps of a Program over storages that have no place yet.
Plan lower(const Program& program, const Fusion& fusion);

/// All passes, in order. Nothing here knows about machine code.
Plan compile(const LocalProgram& program, const std::vector<bool>& donatable);

/// Those passes of the same list that run on bodies, for what a step of a loop, or a branch, computes; `own` as above,
/// empty: none.
Plan plan_within(const Program& program, const std::vector<int>& own);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
