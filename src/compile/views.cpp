#include "compile/views.hpp"

#include <algorithm>
#include <cstdlib>

#include "tutti/base/extent.hpp"

namespace tutti::compile {

Extents row_major(const Extents& extents) {
  Extents out(extents.size());
  std::int64_t n = 1;
  for (std::size_t i = extents.size(); i-- > 0; n = extent::mul(n, extents[i])) out[i] = n;  // of an empty array too
  return out;
}

std::int64_t product(const Extents& extents) {
  std::int64_t n = 1;
  for (std::int64_t e : extents) n *= e;
  return n;
}

View dense_view(const Extents& extents) { return {0, row_major(extents)}; }

bool is_dense(const View& view, const Extents& extents) {
  if (view.offset != 0) return false;
  const Extents want = row_major(extents);
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (extents[i] != 1 && view.strides[i] != want[i]) return false;
  return true;
}

std::optional<View> compose(const View& outer, const Extents& outer_extents, const View& inner,
                            const Extents& inner_extents) {
  if (product(outer_extents) == 0) return View{0, Extents(outer_extents.size(), 0)};
  // Merge inner's dims where its strides allow, so that an outer stride that crosses them still is one stride.
  Extents extents, strides;
  for (std::size_t i = 0; i < inner_extents.size(); ++i) {
    if (inner_extents[i] == 1) continue;
    if (!extents.empty() && strides.back() == inner.strides[i] * inner_extents[i]) {
      extents.back() *= inner_extents[i];
      strides.back() = inner.strides[i];
    } else {
      extents.push_back(inner_extents[i]);
      strides.push_back(inner.strides[i]);
    }
  }
  const Extents unit = row_major(extents);
  // Lowest and highest index reached in each of inner's dims: both must stay inside, else a step would carry into the
  // next dim.
  Extents low(extents.size(), 0), high(extents.size(), 0);
  std::int64_t rest = outer.offset;
  View out{inner.offset, Extents(outer_extents.size(), 0)};
  for (std::size_t j = 0; j < extents.size(); ++j) {
    low[j] = high[j] = rest / unit[j];
    rest %= unit[j];
    out.offset += low[j] * strides[j];
  }
  for (std::size_t i = 0; i < outer_extents.size(); ++i) {
    const std::int64_t s = outer.strides[i], span = outer_extents[i] - 1;
    if (s == 0 || span == 0) continue;
    std::size_t j = 0;
    while (j < extents.size() && unit[j] > std::abs(s)) ++j;
    if (j == extents.size() || s % unit[j] != 0) return std::nullopt;
    const std::int64_t steps = s / unit[j];
    (steps > 0 ? high[j] : low[j]) += steps * span;
    out.strides[i] = steps * strides[j];
  }
  for (std::size_t j = 0; j < extents.size(); ++j)
    if (low[j] < 0 || high[j] >= extents[j]) return std::nullopt;
  return out;
}

std::optional<Extents> common_refinement(const Extents& a, const Extents& b) {
  if (product(a) == 0 || product(b) == 0) return a == b ? std::optional(a) : std::nullopt;
  // From the minor dims on, each bound of either is a bound of both.
  Extents out;
  std::size_t i = a.size(), j = b.size();
  std::int64_t n = 1, in_a = 1, in_b = 1;
  while (true) {
    while (i > 0 && in_a == n) in_a *= a[--i];
    while (j > 0 && in_b == n) in_b *= b[--j];
    if (in_a == n && in_b == n) break;
    const std::int64_t next = in_a == n ? in_b : in_b == n ? in_a : std::min(in_a, in_b);
    if (next % n != 0) return std::nullopt;
    out.push_back(next / n);
    n = next;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void merge_dims(Extents& extents, Extents& strides, std::vector<char>& kinds) {
  std::size_t last = 0;
  for (std::size_t d = 1; d < extents.size(); ++d) {
    if (kinds[last] == kinds[d] && (kinds[d] || strides[last] == strides[d] * extents[d])) {
      extents[last] *= extents[d];
      strides[last] = strides[d];
      continue;
    }
    ++last;
    extents[last] = extents[d];
    strides[last] = strides[d];
    kinds[last] = kinds[d];
  }
  const std::size_t kept = extents.empty() ? 0 : last + 1;
  extents.resize(kept);
  strides.resize(kept);
  kinds.resize(kept);
}

Extents refine(const Extents& strides, const Extents& extents, const Extents& fine) {
  Extents out(fine.size(), 0);
  std::size_t f = fine.size();
  for (std::size_t i = extents.size(); i-- > 0;) {
    std::int64_t n = 1;
    while (n < extents[i]) {
      --f;
      out[f] = strides[i] * n;
      n *= fine[f];
    }
  }
  return out;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
