// Functions whose intermediate values reverse mode computes again instead of keeping them.
//
//     auto block = remat(layer, {.policy = checkpoint_policies::dots_saveable});
#pragma once

#include <iosfwd>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/transform/callable.hpp"
#include "tutti/transform/remat_policy.hpp"
#include "tutti/transform/transforms.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {

struct RematOptions {
  RematPolicy policy{};  // what is kept beside the arguments
};

/// One array that reverse mode keeps, and where it comes from: `argument w`, `named 'h', output of tanh at gpt.cpp:41`.
struct SavedResidual {
  DType dtype;
  Shape shape;
  std::string from;
};
/// A list that prints itself, one residual a line: `float32[8,16] from argument w`.
struct SavedResiduals : std::vector<SavedResidual> {
  std::int64_t nbytes() const;
  std::string str() const;
};
std::ostream& operator<<(std::ostream& out, const SavedResiduals& residuals);

namespace detail {

std::vector<Array> remat_call(const CallArrays& args, const Body& fn, const RematPolicy& policy, Loc made);
SavedResiduals saved_residuals_call(const CallArrays& args, const Body& fn, Loc made);
Array named_value(const Array& x, const std::string& name, Loc loc);

template <class F> class Remat : public CallWith<Remat<F>, params_t<F>> {
 public:
  Remat(F fn, RematOptions options, Loc made) : fn_(std::move(fn)), options_(std::move(options)), made_(made) {
    refuse_empty(fn_, "remat", made);
  }
  template <class... A> auto call(const A&... args) const { return checked(std::tuple<lift_t<A>...>{args...}); }

 private:
  template <class... A> auto checked(const std::tuple<A...>& args) const {
    if constexpr (check_trees<F, A...>()) {
      if (!being_recorded()) {
        const InsideCall inside("remat", made_);
        return call_result_t<F, A...>(std::apply(fn_, args));
      }
      TreeCall<F, A...> call(fn_, args);
      return call.with(remat_call(call.arrays, call.body(), options_.policy, made_));
    }
  }

  F fn_;
  RematOptions options_;
  Loc made_;
};

}  // namespace detail

/// `fn`, of which reverse mode keeps the arguments and what the policy names: what else the derivative needs is
/// computed again from these when it is needed. Less memory for more work; the same operations, so the same bits.
///
///     auto block = remat([](const Array& x, const Block& b) { return b(x); });
///     auto layer = remat(f, {.policy = checkpoint_policies::save_only_these_names({"attention"})});
///
/// A policy looks into scans, jitted functions and remats inside of `fn`. Of cond, while_loop, shard_map and functions
/// with rules of their own it sees the results only. Source: jax.checkpoint (whose prevent_cse is always true: the
/// barriers cost nothing).
template <class F> auto remat(F&& fn, RematOptions options = {}, Loc made = Loc::current()) {
  return detail::Remat<std::decay_t<F>>(std::forward<F>(fn), std::move(options), made);
}

/// The arrays of `tree`, with a name by which the policy of a remat around knows them; changes nothing else. A name is
/// for the value: whether it is read before or after it was named.
///
///     Array h = checkpoint_name(tanh(matmul(x, w)), "hidden");
///
/// Source: jax.ad_checkpoint.checkpoint_name.
template <class T> T checkpoint_name(const T& tree, const std::string& name, Loc loc = Loc::current()) {
  return tree::map([&](const Array& x) { return detail::named_value(x, name, loc); }, tree);
}

/// The values that the gradient of fn(args...) by all its arguments keeps from the forward pass. Nothing is computed.
///
///     std::cout << saved_residuals(remat(f), x, w);      // float32[8,16] from argument x ...
///
/// Source: jax.ad_checkpoint.print_saved_residuals.
template <class F, class... A> SavedResiduals saved_residuals(const F& fn, const A&... args) {
  if constexpr (detail::check_trees<F, lift_t<A>...>()) {
    std::tuple<lift_t<A>...> lifted{args...};
    detail::TreeCall<F, lift_t<A>...> call(fn, lifted);
    return detail::saved_residuals_call(call.arrays, call.body(), {});
  }
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
