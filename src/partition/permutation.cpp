#include "partition/permutation.hpp"

#include <algorithm>

namespace tutti {
namespace {

// A digit of a device's position: which part of which axis, by place in `all`; and its radix.
using Digits = std::vector<int>;

// The prime factors of the axes, major first.
AxisRefs all_prime_parts(const AxisRefs& axes) {
  AxisRefs out;
  for (const AxisRef& a : axes) {
    std::int64_t pre = a.pre, left = a.size;
    for (std::int64_t f = 2; left > 1; ++f)
      for (; left % f == 0; left /= f, pre *= f) out.push_back({a.axis, pre, f});
  }
  return out;
}

// The digits that say which block a device holds, then which of those that hold it; nothing where a part of an axis
// falls between digits.
std::optional<Digits> digits_of(const Layout& layout, const AxisRefs& all, std::vector<std::size_t>& ends) {
  Digits out;
  auto add = [&](const AxisRef& ref) {
    const AxisRefs parts = all_prime_parts({ref});
    for (const AxisRef& part : parts) {
      const auto at = std::find(all.begin(), all.end(), part);
      if (at == all.end()) return false;
      out.push_back(static_cast<int>(at - all.begin()));
    }
    return true;
  };
  auto add_all = [&](const AxisRefs& refs) {
    const bool known = std::all_of(refs.begin(), refs.end(), add);
    ends.push_back(out.size());
    return known;
  };
  if (!std::all_of(layout.dims.begin(), layout.dims.end(), add_all) || !add_all(layout.pending)) return std::nullopt;
  for (int k = 0; k < static_cast<int>(all.size()); ++k)
    if (std::find(out.begin(), out.end(), k) == out.end()) out.push_back(k);
  return out;
}

}  // namespace

std::optional<ops::Permute> digits_permuted(Group group, const AxisRefs& axes, const Layout& before,
                                            const Layout& after) {
  const AxisRefs all = all_prime_parts(axes);
  std::vector<std::size_t> ends_before, ends_after;
  const std::optional<Digits> have = digits_of(before, all, ends_before), want = digits_of(after, all, ends_after);
  if (!have || !want || ends_before != ends_after) return std::nullopt;
  ops::Permute out{std::move(group)};
  out.order.resize(all.size());
  for (const AxisRef& part : all) out.digits.push_back(part.size);
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[(*have)[k]].size != all[(*want)[k]].size) return std::nullopt;
    out.order[(*want)[k]] = (*have)[k];
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
