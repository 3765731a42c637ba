// Selection of the values that a remat keeps from the forward pass.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tutti {

/// Values that a remat keeps besides its arguments: a value is kept when any member asks for it. A value has
/// the names that checkpoint_name gave to it.
struct RematPolicy {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // of GCC 12: by enumerators, which are in a scope of their own
  enum class Products { none, without_batch_dims, all };
#pragma GCC diagnostic pop
  Products products = Products::none;                       // results of dot_general, and so of matmul, einsum
  std::vector<std::string> names{};                         // what has one of these names
  std::optional<std::vector<std::string>> all_names_but{};  // what has names, and none of these
  std::optional<std::vector<std::string>> all_but_names{};  // everything that has none of these names
  friend bool operator==(const RematPolicy&, const RematPolicy&) = default;
};

/// Source of the names: jax.checkpoint_policies.
namespace checkpoint_policies {

// References, so that they are never destroyed: functions with a policy may be called at the end of the process.
inline const RematPolicy& nothing_saveable = *new RematPolicy{};  // the default
inline const RematPolicy& everything_saveable = *new RematPolicy{.all_but_names = std::vector<std::string>{}};
inline const RematPolicy& dots_saveable = *new RematPolicy{.products = RematPolicy::Products::all};
/// Products that pair no batch dims: with the weights of layers, and not those between activations of the
/// same example, as attention has them.
inline const RematPolicy& dots_with_no_batch_dims_saveable =
    *new RematPolicy{.products = RematPolicy::Products::without_batch_dims};

RematPolicy save_only_these_names(std::vector<std::string> names);
RematPolicy save_any_names_but_these(std::vector<std::string> names);
RematPolicy save_anything_except_these_names(std::vector<std::string> names);
/// Values that one of the two keeps.
RematPolicy save_from_both_policies(const RematPolicy& a, const RematPolicy& b);

}  // namespace checkpoint_policies
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
