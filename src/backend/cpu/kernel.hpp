// Machine code for loops: what a kernel is, its text (the key of the cache), and getting it compiled.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compile/plan.hpp"
#include "run/nest.hpp"

namespace llvm {
class Module;
}

namespace tutti::cpu {

/// Everything that decides the machine code of a loop; extents, scalars and addresses are not part of it.
struct KernelSpec {
  enum class Step { none, one, any };  // of an access per column: the same element, the next one, some other
  // Of an access to flat rows, where rows lie in memory: nowhere, as it is one element; one behind the other; one
  // element per row, one after the other; one row for all; one behind the other, each backwards; the same from the last
  // row to the first; columns apart, each in one piece; anyhow.
  enum class Flat { none, dense, spread, cycle, turned, back, planes, any };
  struct Access {
    compile::Access::Kind kind;
    DType dtype;
    Step step = Step::one;
    int value = -1;
    Op::Reduce combine = Op::Reduce::none;
    DType accumulate;
    bool far = false;  // does not fit in a cache: loads ask ahead, stores go past the cache
    // Step::any, of loads and stores: a few elements (2, 3, 4) from one column to the next; -1: to the one before, as
    // in what is read backwards.
    int apart = 0;
    Flat flat = Flat::none;
    int above = -1;  // a load that finds here what that load found one row before
    // Of accesses two elements apart: the one of the same kind whose elements lie just behind those of this one, as
    // imaginary parts do; the one just before.
    int behind = -1, before = -1;
  };
  run::Walk walk = run::Walk::map;
  // Several vectors side by side, of a reduction over rows several rows: worth the longer code where there is much to
  // do.
  bool together = false;
  unsigned lanes = 16;       // of a vector
  bool shares_rows = false;  // several rows are computed at once, as loads find what they found in others
  std::int64_t flat_columns =
      0;  // of rows that are so short that vectors go over their ends; 0: not so (flat_rows.hpp)
  std::int64_t short_columns = 0;  // of a reduction of many short rows, whose results lie side by side; 0: not known
  std::vector<Access> accesses;
  compile::Body body;
  std::string text() const;
};

/// A loop where it stands: `part` is what one nest runs of it.
struct LoopInPlan {
  const compile::Plan& plan;
  const compile::Stage& stage;
  const compile::Loop &whole, &part;
};
/// Whether the first thing that `loop` stores is too large for a cache, and not in place.
bool is_far(const compile::Plan& plan, const compile::Loop& loop);
KernelSpec kernel_spec(const LoopInPlan& loop, const run::Nest& nest);

/// A function that is to be compiled.
struct Source {
  std::string text;  // all that decides its code
  std::function<void(llvm::Module&, const std::string& name, bool wide)> emit;
  std::vector<const char*> library;  // names of functions that it calls
  bool optimised = false;            // by LLVM's passes: what is written is longer than what is meant
};
Source source_of(const KernelSpec& spec);

/// Machine code, freed when nobody holds it any more.
class Code;
struct Function {
  void* address = nullptr;
  std::shared_ptr<const Code> code;  // where it lies
};
/// The functions of these sources, those of the process that are alive or compiled now (in one go).
std::vector<Function> compile_sources(const std::vector<Source>& sources);
/// How many kernels this process has compiled, and how many of them it has freed.
struct KernelCounts {
  int compiled = 0, freed = 0;
};
KernelCounts kernel_counts();

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
