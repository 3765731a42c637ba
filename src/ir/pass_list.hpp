// The list of passes between a recorded Program and machine code: names, order, purpose. One table for all stages,
// printed by `./dev passes`; the stages bind their functions to its rows and run them by run_pass (ir/passes.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tutti {

/// In the order in which they run. One name may not stand twice: a pass that runs again has a row of its own.
enum class PassId : unsigned char {
  inline_calls,
  complex_parts,
  needed_elements,
  propagate,
  between,
  counted_dims,
  sorted_rows,
  picks_first,
  known_rows,
  counted_updates,
  running_sums,
  reversals,
  fft_dims,
  diagonals,
  alike_pieces,
  dim_parts,
  steps_as_dims,
  aligned_dims,
  rolls,
  sharded_live,
  strategies,
  emit,
  axis_parts,
  halos,
  manual_regions,
  constraints,
  local_complex_parts,
  partition,
  send_early,
  combine,
  send_early_again,
  at_place,
  live,
  known_windows,
  flat_places,
  live_again,
  hoist,
  across_steps,
  direct_solves,
  extrema,
  simplify,
  order_products,
  share,
  before_gathers,
  deviations,
  apart,
  parts_again,
  recompute,
  own_outputs,
  fuse,
  lower,
  scatter_gathers,
  place_products,
  mask_products,
  place_loops,
  lift_scalars,
  stages,
  depth_first,
  rows,
  join,
  await,
  memory,
  literals,
  code
};

struct Pass {
  /// The programs that it runs on: the whole one, the bodies of loops and branches while these are planned, or both. A
  /// pass of whole programs may go into bodies by itself.
  enum class Of : unsigned char { program, bodies, both };

  /// Whether results are the same bit by bit without it: `changed` where it changes the order of additions, or
  /// rounding.
  enum class Bits : unsigned char { kept, changed };

  PassId id;
  const char* name;
  Of of;
  Bits bits;
  const char* does;      // one sentence
  const char* after;     // why it stands where it stands: `after X because ...`
  const char* required;  // why it may not be left out; nullptr: it may
};

/// All rows, in order; row i has the id i.
std::span<const Pass> pass_list();
inline const Pass& pass(PassId id) { return pass_list()[static_cast<std::size_t>(id)]; }

/// Whether a pass runs on the whole program (`within`: on the body of a loop or a branch).
inline bool runs_on(PassId id, bool within) { return pass(id).of != (within ? Pass::Of::program : Pass::Of::bodies); }

/// A set of passes: bit i is row i.
using PassSet = std::uint64_t;
/// The passes that are left out now: those of TUTTI_PASSES, and those of a WithoutPasses. ValueError where the variable
/// names a pass that is not in the list, or one that is required.
PassSet passes_left_out();
inline bool is_left_out(PassId id) { return passes_left_out() >> static_cast<unsigned>(id) & 1; }
/// The set that a value of TUTTI_PASSES says: names of optional passes, each behind a minus, with commas between them.
PassSet passes_named(std::string_view value);

/// While one lives, no thread of the process runs these optional passes. For tests: one at a time.
class WithoutPasses {
 public:
  explicit WithoutPasses(PassSet passes);
  ~WithoutPasses();
  WithoutPasses(const WithoutPasses&) = delete;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
