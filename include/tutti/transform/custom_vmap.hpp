// Functions that say what a batch of them is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/transform/custom_rules.hpp"
#include "tutti/transform/transforms.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {
namespace detail {

struct MappedResult {
  std::vector<Array> results;
  std::vector<bool> mapped;  // per result: the batch is in front
};
/// From the size of the batch, which leaves have it in front, and the leaves.
using MappedCall =
    std::function<MappedResult(std::int64_t size, const std::vector<bool>& mapped, const std::vector<Array>& leaves)>;
std::vector<Array> custom_vmap_call(const CallArrays& args, const Body& fn, MappedCall rule, Loc made);

/// One flag per argument, which is mapped when one of its leaves is; of such arguments all leaves get the batch.
std::vector<bool> mapped_arguments(const std::vector<int>& counts, std::int64_t size, const std::vector<bool>& mapped,
                                   std::vector<Array>& leaves);

/// The arguments without what they hold, to be rebuilt with other arrays.
template <class... A> std::tuple<A...> emptied(const std::tuple<A...>& args, std::size_t leaves) {
  const std::vector<Array> nothing(leaves, Array(0.f));
  return tree::rebuild(args, std::span<const Array>(nothing));
}

template <class F, class Rule> class CustomVmap : public CallWith<CustomVmap<F, Rule>, params_t<F>> {
 public:
  CustomVmap(F fn, Rule rule, Loc made) : fn_(std::move(fn)), rule_(std::move(rule)), made_(made) {
    refuse_empty(fn_, "custom_vmap", made);
    refuse_empty(rule_, "custom_vmap", made);
  }

  template <class... A> auto call(const A&... args) const { return checked(std::tuple<lift_t<A>...>{args...}); }

 private:
  template <class... A> auto checked(const std::tuple<A...>& args) const {
    if constexpr (check_trees<F, A...>()) {
      using R = call_result_t<F, A...>;
      using Mapped = std::array<bool, sizeof...(A)>;
      constexpr bool callable = std::is_invocable_v<const Rule&, std::int64_t, const Mapped&, const A&...>;
      static_assert(callable,
                    "tutti: custom_vmap: the rule takes the size of the batch, a std::array<bool> that says "
                    "which arguments are mapped, and the arguments");
      if constexpr (callable) {
        using Out = std::invoke_result_t<const Rule&, std::int64_t, const Mapped&, const A&...>;
        constexpr bool whole = std::is_convertible_v<Out, std::pair<R, bool>>;
        constexpr bool by_leaf = std::is_convertible_v<Out, std::pair<R, std::vector<bool>>>;
        static_assert(whole || by_leaf,
                      "tutti: custom_vmap: the rule returns pair(result, whether it is mapped), the result of the type "
                      "that the function returns, and a bool, or a std::vector<bool> with one for each array in it");
        if constexpr (whole || by_leaf) {
          if (!being_recorded()) {
            const InsideCall inside("custom_vmap", made_);
            return R(std::apply(fn_, args));
          }
          TreeCall<F, A...> call(fn_, args);
          MappedCall rule = [rule = rule_, like = emptied(args, call.arrays.leaves.size()),
                             counts = call.arrays.counts](std::int64_t size, const std::vector<bool>& mapped,
                                                          std::vector<Array> leaves) {
            const std::vector<bool> flags = mapped_arguments(counts, size, mapped, leaves);
            Mapped by_argument;
            std::copy(flags.begin(), flags.end(), by_argument.begin());
            const auto given = tree::rebuild(like, std::span<const Array>(leaves));
            Out out = std::apply([&](const A&... a) { return rule(size, by_argument, a...); }, given);
            std::vector<Array> results = tree::leaves(R(out.first));
            if constexpr (by_leaf)
              return MappedResult{std::move(results), out.second};
            else {
              std::vector<bool> all(results.size(), bool(out.second));
              return MappedResult{std::move(results), std::move(all)};
            }
          };
          return call.with(custom_vmap_call(call.arrays, call.body(), std::move(rule), made_));
        }
      }
    }
  }

  F fn_;
  Rule rule_;
  Loc made_;
};

template <class F> class SequentialVmap : public CallWith<SequentialVmap<F>, params_t<F>> {
 public:
  SequentialVmap(F fn, Loc made) : fn_(std::move(fn)), made_(made) { refuse_empty(fn_, "sequential_vmap", made); }

  template <class... A> auto call(const A&... args) const { return checked(std::tuple<lift_t<A>...>{args...}); }

 private:
  template <class... A> auto checked(const std::tuple<A...>& args) const {
    if constexpr (check_trees<F, A...>()) {
      using R = call_result_t<F, A...>;
      if (!being_recorded()) {
        const InsideCall inside("sequential_vmap", made_);
        return R(std::apply(fn_, args));
      }
      TreeCall<F, A...> call(fn_, args);
      MappedCall rule = [fn = fn_, like = emptied(args, call.arrays.leaves.size())](
                            std::int64_t, const std::vector<bool>& mapped, const std::vector<Array>& leaves) {
        std::vector<Array> batches;
        for (std::size_t i = 0; i < leaves.size(); ++i)
          if (mapped[i]) batches.push_back(leaves[i]);
        std::vector<Array> out = tree::leaves(lax::map(
            [&](const std::vector<Array>& element) {
              std::vector<Array> all = leaves;
              for (std::size_t i = 0, next = 0; i < all.size(); ++i)
                if (mapped[i]) all[i] = element.at(next++);
              return R(std::apply(fn, tree::rebuild(like, std::span<const Array>(all))));
            },
            batches));
        std::vector<bool> flags(out.size(), true);
        return MappedResult{std::move(out), std::move(flags)};
      };
      return call.with(custom_vmap_call(call.arrays, call.body(), std::move(rule), made_));
    }
  }

  F fn_;
  Loc made_;
};

}  // namespace detail

/// `fn` with a batching rule of its own: `rule(size, mapped, args...) -> pair(result, whether it is mapped)`. vmap
/// calls it with the arguments of all `size` calls: those in `mapped`, a std::array<bool> with one per argument, have
/// the batch in front (all leaves of a tree that has a mapped one), the others are as for one call. The second of what
/// it returns is a bool, or a std::vector<bool> with one per array of the result.
///
///     auto apply = custom_vmap([](const Array& w, const Array& x) { return matmul(w, x); },
///                              [](std::int64_t size, std::array<bool, 2> mapped, const Array& w, const Array& x) {
///                                if (!mapped[0]) return std::pair{matmul(x, w.T()), true};  // one product for all
///                                return std::pair{vmap(matmul, {.in_axes = {0, mapped[1] ? 0 : none}})(w, x), true};
///                              });
///
/// The rule is kept and called when a map is made, after the call of `fn`: it should hold what it captures by value,
/// and no arrays (ValueError), which are arguments instead. Forward mode takes its derivative; reverse mode (grad, vjp)
/// of a call that is not mapped yet is that of `fn`. Without vmap the function is what runs. Throws ShapeError,
/// TypeError and ValueError when what the rule gives is not what `fn` gives. Source: jax.custom_batching.custom_vmap,
/// whose reverse mode is an error.
template <class F, class Rule> auto custom_vmap(F&& fn, Rule&& rule, Loc made = Loc::current()) {
  return detail::CustomVmap<std::decay_t<F>, std::decay_t<Rule>>(std::forward<F>(fn), std::forward<Rule>(rule), made);
}

/// `fn`, which vmap calls for one element after the other (lax::map): less memory at once. It should hold what it
/// captures by value, as in custom_vmap. Source: jax.custom_batching.sequential_vmap.
template <class F> auto sequential_vmap(F&& fn, Loc made = Loc::current()) {
  return detail::SequentialVmap<std::decay_t<F>>(std::forward<F>(fn), made);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
