// Reports of the communication of programs over a mesh: the values of jit(f).explain(...) and jit(f).plan(...).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/base/error.hpp"

namespace tutti {

struct Explanation;

/// A remedy for a collective: other placements of arguments. It was planned: the collective is gone then, and a device
/// receives fewer bytes in all.
struct Remedy {
  std::vector<std::string> arguments;  // `arg0.layers[0].weight`; those of equal layers together
  std::string pattern;                 // all of them in one: `arg0.layers[*].weight`
  std::string spec;                    // `P('data', None)`
  double bytes = 0;                    // that a device receives in all then
  double seconds = 0;                  // of a step then
  double peak_bytes = 0;               // of a device's memory then
  double flop_inflation = 1;
  /// `place arg0.layers[*].weight as P('data', None): 1.2 MB in all, 2.00 times the work`.
  std::string str() const;
};

namespace detail {
/// Answers that need the program itself.
struct PlanQueries {
  virtual ~PlanQueries() = default;
  virtual std::vector<Remedy> remedies(const Explanation& of, std::size_t collective) const = 0;
  virtual std::string why(std::string_view value) const = 0;
  /// Number of collectives whose remedies are found in a moment.
  virtual int quick() const = 0;
};
}  // namespace detail

/// The collectives of one call over all axes of its mesh, and what the call asks of each device. A value: it can be
/// kept, compared (explain_diff), printed, and written as JSON or HTML.
///
///     Explanation e = step.explain(params, batch);
///     std::cout << e;                                     // one screen: the largest collectives, then totals
///     if (e.bytes() > 1e6) std::cout << e.all();          // every collective
///     std::ofstream("plan.html") << e.html();
///
/// Bytes and messages are received by each device; of a loop in all its steps, as far as their number is known; of
/// branches those of the one that receives most. Seconds are those of config::machine.
struct Explanation {
  struct Collective {
    std::string kind;               // all_gather, all_reduce, reduce_scatter, all_to_all, permute
    std::vector<std::string> axes;  // of the mesh, major first
    std::int64_t devices = 1;       // that take part in one
    double bytes = 0;               // received per device, each time
    std::int64_t messages = 0;      // received per device, each time
    std::int64_t times = 1;         // steps of the loops around it
    double seconds = 0;             // each time
    Loc loc;                        // the user's line that needs it
    std::string where;              // the loops and branches around it
    std::string what;               // the value that moves: `input 0 (w1) float32[4,8]`
    std::string why;                // one sentence
    std::string advice;             // what could be done, unchecked: see remedies()
    bool by_hand = false;           // the user wrote it, in a manual region
    std::vector<int> inputs = {};   // arguments that the layouts on both sides go back to
    double total_bytes() const { return bytes * static_cast<double>(times); }
    double total_seconds() const { return seconds * static_cast<double>(times); }
  };
  /// Work that devices duplicate: of all of them, beyond that of one device alone.
  struct Replicated {
    std::string what;  // `dot_general`
    Loc loc;
    double flops = 0;  // too many, of one device
  };
  /// Memory of one device, in bytes. Peak: of the plan that the CPU engine makes of the device's program.
  struct Memory {
    double arguments = 0, outputs = 0, temporaries = 0, peak = 0;
  };
  /// The use of a donated argument.
  struct Donated {
    std::string argument;
    int output = -1;     // that takes its memory; -1: none
    std::string reason;  // why not
  };

  std::vector<Collective> collectives;  // one by one, in program order
  std::string mesh;                     // `Mesh('data': 4, 'model': 2, axis_types=(Auto, Auto))`; empty: one device
  std::int64_t devices = 1;
  double planned_bytes = 0;
  std::int64_t planned_messages = 0;
  double collective_seconds = 0, compute_seconds = 0, step_seconds = 0;
  double flops = 0;                    // of one device
  double flop_inflation = 1;           // those of all devices, divided by those of the program on one device
  std::vector<Replicated> replicated;  // the three largest
  Memory memory;
  double sent_bytes = 0;  // by the last run, per device: nothing where devices share their memory
  std::int64_t sent_messages = 0;
  std::vector<Donated> donated;

  double bytes() const { return planned_bytes; }
  std::int64_t messages() const { return planned_messages; }
  double seconds() const { return step_seconds; }

  /// Remedies for collective number `index`, best first; nothing where no placement of an argument does, or the
  /// report was made without its program. Each was planned: that takes as long as a plan, for some dozens of them.
  std::vector<Remedy> remedies(std::size_t index) const;
  /// The origin of the sharding of a value: the annotation behind each cut dim and the operations on the way. `value`
  /// is an argument (`arg0.w`), a result (`output 0`), or a line (`train.cpp:12`, all values made there). Throws
  /// ValueError for unknown names, with suggestions.
  std::string why(std::string_view value) const;

  /// One screen: the largest collectives, those of equal layers together, and the totals. Of the `remedies` largest
  /// rows it says what would remove them; -1: of as many as are planned again in a moment.
  std::string str(int remedies = -1) const;
  /// Every collective.
  std::string all() const;
  /// Two spaces of indentation; numbers in bytes and seconds.
  std::string json() const;
  /// One file with bars as SVG; it loads nothing.
  std::string html() const;

  std::shared_ptr<const detail::PlanQueries> queries = {};
};
std::ostream& operator<<(std::ostream& out, const Explanation& e);

/// The difference of two plans: totals, and the collectives that are new, gone, or of another size. Lines are
/// those of the source; collectives are the same where kind, axes and line are.
///
///     std::cout << explain_diff(before, after);
std::string explain_diff(const Explanation& before, const Explanation& after);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
