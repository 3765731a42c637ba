// A row of the partitioner's table: a program as a user would write it, where its inputs and outputs lie, and the bytes
// that a device has to receive. The rows are in rows.cpp and spellings.cpp, their programs in programs_*.cpp.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/mesh/sharding.hpp"

namespace bench {
using namespace tutti;

using Arrays = std::vector<Array>;
using Function = std::function<Arrays(const Arrays&)>;

struct MeshAxes {
  Shape sizes;
  std::vector<std::string> names;
};
struct Input {
  Shape shape;
  PartitionSpec spec;
  DType dtype = float32;
  bool positive = false;
  std::int64_t below = 0;  // integers are drawn below it; 0: places in the first input
  bool sorted = false;     // ascending along the last dim
};

/// Bytes that each device receives: 2 (n - 1) / n of the value for an all_reduce among n, and so on (docs/bench.md).
struct Figures {
  double optimum = 0;              // for whole mesh axes
  std::optional<double> sub_axes;  // where parts of axes do better
  std::optional<double> xla;  // JAX 0.10.2 on CPU, as compiled; nothing: it refuses the program, or nobody asked it
  double xla_work = 1;        // its FLOPs of products, as a multiple of those needed
};

struct Row {
  std::string number;  // "17", and "17b" for another spelling of it
  std::string title;
  MeshAxes mesh;
  std::vector<Input> inputs;
  std::vector<PartitionSpec> outputs;
  Function program;
  Figures bytes;
  // What plans of it lack where they send more: a letter of docs/design/022-partition-bench.md.
  std::string cause = {};
};

/// The 46 programs.
std::vector<Row> rows();
/// The 17 spellings that were measured with XLA as well.
std::vector<Row> xla_spellings();
/// Others.
std::vector<Row> further_spellings();

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
