// What the partitioner makes of a program: bytes, work, collectives, and how long it took.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "partition/choose.hpp"
#include "partition/local_program.hpp"
#include "row.hpp"

namespace bench {

struct Plan {
  ProgramPtr program;  // as recorded
  LocalProgram local;
  double bytes = 0;                    // received per device
  double inflation = 1;                // FLOPs of products on all devices / those of the program
  double recording = 0, planning = 0;  // seconds; planning: propagation and partition
  int eqns = 0;                        // of the program, bodies counted once
  std::string collectives;             // `2x all_gather(8) 917504; 1x ...`
};

/// `body` recorded as jit records it.
ProgramPtr recorded_program(const std::vector<Type>& inputs, const Function& body);
/// What no plan of rows costs less than, and what ours costs, both in prices (Proof in partition/choose.hpp).
Proof proof_of(const Row& row);
/// Planned over all axes of the mesh. Empty output shardings are open.
Plan plan_of(const ProgramPtr& program, const std::vector<Sharding>& inputs, const std::vector<Sharding>& outputs);
Plan plan_of(const Row& row);

Mesh mesh_of(const MeshAxes& axes);
std::vector<Sharding> input_shardings(const Row& row);
std::vector<Sharding> output_shardings(const Row& row);

/// FLOPs of all products, loops times their length, of branches the most expensive.
double product_flops(const Program& program);
/// The collectives of a plan, equal kinds over equal groups together.
std::string collectives_text(const LocalProgram& local);
/// `3,670,016`.
std::string grouped(double number);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
