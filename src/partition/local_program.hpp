// What partition hands on: one program for every device, with local types and explicit collectives, each with its
// Cause.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/collective.hpp"
#include "ir/program.hpp"
#include "mesh/layout.hpp"

namespace tutti {

/// Why a collective stands where it stands, and what it costs.
struct Cause {
  std::string kind;                  // all_gather, all_reduce, reduce_scatter, all_to_all, permute
  std::vector<std::string> axes;     // of LocalProgram::mesh, major first
  std::int64_t group = 1;            // devices that take part in one
  double bytes = 0;                  // received per device, each time
  std::int64_t messages = 0;         // received per device, each time
  std::int64_t times = 1;            // steps of the loops around it, as far as their lengths are known
  std::string where;                 // the loops and branches around it: `in scan (train.cpp:12)`
  Loc loc;                           // the user's line that needs it
  int producer = -1, consumer = -1;  // Eqns of the program or body where it stands; -1: an input, an output
  std::string what;                  // the value that moves: `input 0 (w1) float32[4,8]`
  std::string why;                   // one sentence
  std::string advice;                // what could be done about it, unchecked
  bool by_hand = false;              // the user wrote it, in a manual region
  std::vector<int> inputs;           // of the outermost program: those whose cuts meet here
};

/// Invariants: no global extent is left along a boundary axis; the program is the same text for every device;
/// collectives name axes of `mesh`; causes[i] belongs to the i-th collective Eqn, those of bodies counted where the
/// loop or branch stands. A dim of n elements over k devices has blocks of ceil size on all devices, nested per axis;
/// the elements after the valid ones are poison: anything, read by nobody.
struct LocalProgram {
  ProgramPtr program;
  Mesh mesh;
  std::vector<Layout> inputs, outputs;
  std::vector<Type> input_types, output_types;  // global
  std::vector<Cause> causes;
};

/// What every device runs where nothing is cut: the program is its own local program. It must hold no manual region.
LocalProgram on_one_device(ProgramPtr program);
LocalProgram on_one_device(Program program);

/// What an execution really moved, per device: nothing where no axis is a boundary.
struct Sent {
  double bytes = 0;
  std::int64_t messages = 0;
};

/// Content without source lines, names and causes: what plans are cached by.
std::size_t content_hash(const LocalProgram& program);
bool content_equal(const LocalProgram& a, const LocalProgram& b);

/// The program, and how its inputs and outputs are cut.
std::string str(const LocalProgram& program);
std::string size_text(const LocalProgram& program);
/// Checks the program, the blocks of inputs and outputs, and that each collective has its Cause; InternalError else.
void verify(const LocalProgram& program);

/// Received bytes and messages per device, of all causes: those of a body times the length of its loop. Of a loop that
/// goes on while a condition holds one step is counted, of branches the one that receives most.
double total_bytes(const LocalProgram& program);
/// The same of anything that a collective costs each time: of branches the dearest counts.
double total(const LocalProgram& program, const std::function<double(const Cause&)>& price);
std::int64_t total_messages(const LocalProgram& program);
/// Whether `eqn` sends something: axis_index and pvary are collectives that do not.
bool sends(const Eqn& eqn);
/// Whether it does, or something in its bodies.
bool sends_within(const Eqn& eqn);
/// How many Eqns of the program and its bodies do.
int count_sends(const Program& program);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
