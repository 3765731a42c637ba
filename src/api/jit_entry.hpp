// One signature of one jit: what it was traced for, the Program, and its prepared form.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/execute.hpp"
#include "trace/trace.hpp"
#include "tutti/tree/structure.hpp"

namespace tutti::detail {

struct LeafSignature {
  Type type;
  Sharding sharding;
  bool committed = false;
  std::string name;
};

struct JitEntry {
  // the key
  tree::Structure structure;
  std::vector<LeafSignature> leaves;
  unsigned long settings = 0;
  bool traced = false;          // recorded into an enclosing trace: placements do not count
  bool arrays_only = false;     // every argument is one array
  std::vector<BoundAxis> axes;  // collectives in the body mean these
  // what it stands for
  ProgramPtr program;  // inputs: leaves, then captured
  std::vector<Array> captured;
  std::vector<Sharding> out_shardings;
  std::shared_ptr<const void> value;  // the result as traced: its static leaves
  std::vector<bool> donated;          // per leaf
  bool any_donated = false;
  const char* what = "jit";  // as errors call it
  Loc made;
  Prepared prepared;  // unless traced
};

}  // namespace tutti::detail
