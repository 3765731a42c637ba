// The passes that a Program goes through before fusion: pure functions, one a file.
#pragma once

#include "backend/backend.hpp"
#include "compile/plan.hpp"
#include "ir/program.hpp"

namespace tutti::compile {

/// Removes what does nothing and brings contractions to the order batch, free, contracted | batch, contracted, free by
/// transposes (which are only readings). Keeps bits.
Program simplify(const Program& program);
/// Equal Eqns become one; what nobody needs goes.
Program share_equal(const Program& program);
/// Gives every storage its place: offsets in one slab, results over dying operands, donated inputs under outputs.
void assign_memory(Plan& plan, const std::vector<bool>& donatable);
/// Which steps are a stage: each one alone, but loops that hand large values to each other row by row together.
void group_stages(Plan& plan);
/// The storages that a step reads and writes.
void uses_of(const Step& step, std::vector<int>& reads, std::vector<int>& writes);

PlanStats stats_of(const Plan& plan, const std::vector<bool>& donatable);

/// All passes, in order. Nothing here knows about machine code.
Plan compile(const Program& program, const std::vector<bool>& donatable);

}  // namespace tutti::compile
