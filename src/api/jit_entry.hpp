// One signature of one jit: what it was traced for, the Program, and its prepared form.
// The files: jit_core.cpp calls, jit_signature.cpp looks up and says why nothing was found, jit_record.cpp traces and
// prepares, captures.cpp looks whether a kept one is still what would be recorded, jit_report.cpp answers questions
// about an entry.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/execute.hpp"
#include "trace/trace.hpp"
#include "tutti/transform/jit.hpp"
#include "tutti/tree/structure.hpp"

namespace tutti::detail {

struct LeafSignature {
  Type type;
  Sharding sharding;
  bool committed = false;
  std::string name;
};

/// What a call has beside its arguments.
struct JitContext {
  unsigned long settings = 0;   // config::generation()
  bool traced = false;          // recorded into an enclosing trace: placements do not count
  std::vector<BoundAxis> axes;  // collectives in the body mean these
  bool operator==(const JitContext&) const = default;
};

struct JitEntry {
  // the key
  tree::Structure structure;
  std::vector<LeafSignature> leaves;
  JitContext context;
  bool arrays_only = false;  // every argument is an array
  int derivatives = 0;       // how many can be taken of the program
  // what it stands for
  ProgramPtr program;  // inputs: leaves, then captured
  std::vector<Array> captured;
  std::vector<Sharding> out_shardings;
  std::shared_ptr<const void> value;      // the result as traced: its static leaves
  std::optional<tree::Structure> result;  // of it; where captures are checked
  std::vector<bool> donated;              // per leaf
  bool any_donated = false;
  int own = 0;               // leading leaves that belong to the callable itself
  Takers donations;          // what deleted leaf i, as errors say it
  const char* what = "jit";  // as errors call it
  Loc made;
  Prepared prepared;  // unless traced
};

// --- looking up

JitContext context_of(std::span<const Array> leaves);
/// Of everything that `fits` compares. Placements count by identity: equal shardings are one.
std::size_t signature_hash(const JitArguments& args, const JitContext& context);
bool fits(const JitEntry& entry, const JitArguments& args, const JitContext& context);
/// The same for arguments that are arrays and nothing else, outside of every trace.
std::size_t signature_hash(std::span<const Array* const> args, unsigned long settings);
bool fits(const JitEntry& entry, std::span<const Array* const> args, unsigned long settings);

/// Why `entry` does not fit: the first place that differs.
struct Miss {
  enum class Kind { value, type, placement, other };  // value: a static leaf
  Kind kind = Kind::other;
  std::string leaf, before, now;
  std::string str() const;  // `arg1.rate: 0.1 and 0.2`
};
Miss why_missed(const JitEntry& entry, const JitArguments& args, const JitContext& context);
/// The entry with the fewest leaves that differ from `args`; of equal ones the first. There is at least one.
const JitEntry& nearest(std::span<const std::shared_ptr<const JitEntry>> entries, const JitArguments& args,
                        const JitContext& context);
/// Writes it to stderr under TUTTI_LOG=recompile; and, at the third program of one jit for another value or type, a
/// note that says so, whatever TUTTI_LOG says, unless config::notes is off.
void report_miss(const Miss& miss, Loc made, int programs);

// --- making

/// How errors call the function given to jit: C++ knows no names.
std::string function_text(const char* what, Loc made);
/// DeletedError naming leaf i, or a captured array where there is no such leaf.
void refuse_deleted(const JitEntry& entry, std::size_t i, const Array& x);
enum class Purpose { call, plan };
/// Traces `body`, and prepares its Program unless it belongs to an enclosing trace, or is only planned.
JitEntry make_entry(const JitOptions& options, const char* what, Loc made, const JitArguments& args,
                    const JitContext& context, const JitBody& body, Purpose purpose = Purpose::call);
std::shared_ptr<const PlanRequest> request_of(const JitEntry& entry);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
