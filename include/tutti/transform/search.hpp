// Shardings of arguments, proposed by the cost model.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/array/placement.hpp"
#include "tutti/transform/explanation.hpp"
#include "tutti/transform/jit.hpp"

namespace tutti::sharding {

struct SearchOptions {
  double memory = 0;   // bytes that a device has; 0: as many as it takes
  int proposals = 5;   // at most
  bool refine = true;  // whether the best are improved argument by argument
};

/// A placement of every argument, and the report of the step that is called with it.
struct Proposal {
  std::string strategy;                                      // `data over 'data', weights over 'model'`
  std::vector<std::pair<std::string, PartitionSpec>> specs;  // by argument: `arg0.layers[0].weight`, `P('data',)`
  std::vector<Sharding> shardings;                           // the same, per array of the arguments
  Explanation report;
  bool fits = true;  // into the memory that was given

  /// The arguments so placed; stand-ins (ShapeDtypeStruct) too.
  template <class... A> std::tuple<A...> place(const std::tuple<A...>& args, Loc loc = Loc::current()) const {
    std::size_t at = 0;
    return tree::map([&](const Array& x) { return device_put(x, shardings.at(at++), loc); }, args);
  }
  /// The strategy, what a step costs, and the specs, those of equal layers together.
  std::string str() const;
};
std::ostream& operator<<(std::ostream& out, const Proposal& p);

}  // namespace tutti::sharding

namespace tutti::detail {
std::vector<sharding::Proposal> search_shardings(const JitCore& core, const JitCall& call, const Mesh& mesh,
                                                 const sharding::SearchOptions& options, Loc loc);

template <class F, class... A>
std::vector<sharding::Proposal> search_in(const JitCore& core, const F& fn, const std::tuple<A...>& args,
                                          const Mesh& mesh, const sharding::SearchOptions& options, Loc loc) {
  return std::apply(
      [&](const auto&... a) {
        return search_shardings(core, JitCallOf<F, own_t<decltype(a)>...>(fn, a...), mesh, options, loc);
      },
      args);
}
}  // namespace tutti::detail

namespace tutti::sharding {

/// How the arguments of `step` could lie on `mesh`, best first: what fits into the memory before what does not, then by
/// the seconds of a step (config::machine). Tried are the ways that have names (data parallel, tensor parallel in pairs
/// of weights, fully sharded, sequence parallel, and what they give together), and of the best each argument the other
/// way round. The step is recorded once; nothing is compiled or run; arguments may be ShapeDtypeStructs and the mesh an
/// abstract one.
///
///     auto ways = sharding::search(step, std::tuple(model, state, x, y), mesh, {.memory = 16e9});
///     std::cout << ways[0];
///     auto [m, s, bx, by] = ways[0].place(std::tuple(model, state, x, y));
///
/// Throws ValueError when the mesh is empty or no argument has an array.
template <class F, class... A>
std::vector<Proposal> search(const F& step, const std::tuple<A...>& args, const Mesh& mesh,
                             const SearchOptions& options = {}, Loc loc = Loc::current()) {
  return detail::search_in(detail::JitCore({}, loc), step, args, mesh, options, loc);
}
/// Arguments that it donates count as donated.
template <class F, class... A>
std::vector<Proposal> search(const Jitted<F>& step, const std::tuple<A...>& args, const Mesh& mesh,
                             const SearchOptions& options = {}, Loc loc = Loc::current()) {
  return detail::search_in(step.core(), step.function(), args, mesh, options, loc);
}

}  // namespace tutti::sharding

// SPDX-License-Identifier: Apache-2.0
