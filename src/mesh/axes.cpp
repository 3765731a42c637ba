// The algebra of mesh axes and their parts.
#include <algorithm>
#include <numeric>

#include "mesh/layout.hpp"
#include "tutti/base/error.hpp"

namespace tutti {

AxisRef whole_axis(const Mesh& mesh, int axis) { return {axis, 1, mesh.shape()[static_cast<std::size_t>(axis)]}; }

AxisRefs prime_parts(const AxisRef& ref) {
  AxisRefs out;
  std::int64_t pre = ref.pre, rest = ref.size;
  for (std::int64_t k = 2; rest > 1; ++k)
    for (; rest % k == 0; rest /= k, pre *= k) out.push_back({ref.axis, pre, k});
  return out;
}

bool overlap(const AxisRef& a, const AxisRef& b) {
  return a.axis == b.axis && a.size > 1 && b.size > 1 && a.pre < b.pre * b.size && b.pre < a.pre * a.size;
}

std::int64_t ways(const AxisRefs& refs) {
  std::int64_t n = 1;
  for (const AxisRef& ref : refs) n *= ref.size;
  return n;
}

AxisRefs merged(const AxisRefs& refs) {
  AxisRefs out;
  for (const AxisRef& ref : refs) {
    if (ref.size == 1) continue;
    if (!out.empty() && out.back().axis == ref.axis && out.back().pre * out.back().size == ref.pre)
      out.back().size *= ref.size;
    else
      out.push_back(ref);
  }
  return out;
}

std::pair<AxisRef, AxisRef> split(const AxisRef& ref, std::int64_t major) {
  if (major < 1 || ref.size % major != 0)
    throw InternalError("split: " + std::to_string(major) + " does not divide an axis of " + std::to_string(ref.size));
  return {{ref.axis, ref.pre, major}, {ref.axis, ref.pre * major, ref.size / major}};
}

namespace {

// Cuts the common leading part off `a` and `b`, which are reversed (so that the next ref is at the back).
std::optional<AxisRef> take_common(AxisRefs& a, AxisRefs& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  AxisRef x = a.back(), y = b.back();
  if (x.axis != y.axis || x.pre != y.pre) return std::nullopt;
  std::int64_t major = std::gcd(x.size, y.size);
  if (major == 1) return std::nullopt;
  a.pop_back();
  b.pop_back();
  if (x.size > major) a.push_back(split(x, major).second);
  if (y.size > major) b.push_back(split(y, major).second);
  return AxisRef{x.axis, x.pre, major};
}

AxisRefs reversed(AxisRefs refs) {
  std::reverse(refs.begin(), refs.end());
  return refs;
}

}  // namespace

AxisRefs common_prefix(const AxisRefs& a, const AxisRefs& b) {
  AxisRefs x = reversed(merged(a)), y = reversed(merged(b)), out;
  while (auto ref = take_common(x, y)) out.push_back(*ref);
  return merged(out);
}

std::optional<AxisRefs> without_prefix(const AxisRefs& refs, const AxisRefs& prefix) {
  AxisRefs x = reversed(merged(refs)), y = reversed(merged(prefix));
  while (take_common(x, y)) {
  }
  if (!y.empty()) return std::nullopt;
  return merged(reversed(x));
}

AxisRefs free_axes(const Layout& layout, const Mesh& mesh) {
  AxisRefs used = layout.pending;
  for (const AxisRefs& refs : layout.dims) used.insert(used.end(), refs.begin(), refs.end());
  std::sort(used.begin(), used.end());
  AxisRefs out;
  for (int axis = 0; axis < mesh.ndim(); ++axis) {
    std::int64_t pre = 1, end = mesh.shape()[static_cast<std::size_t>(axis)];
    for (const AxisRef& ref : used) {
      if (ref.axis != axis) continue;
      if (ref.pre > pre) out.push_back({axis, pre, ref.pre / pre});
      pre = std::max(pre, ref.pre * ref.size);
    }
    if (end > pre) out.push_back({axis, pre, end / pre});
  }
  return out;
}

std::string str(const AxisRef& ref, const Mesh& mesh) {
  const std::string& name = mesh.axis_names()[static_cast<std::size_t>(ref.axis)];
  std::string out = name.empty() ? "#" + std::to_string(ref.axis) : name;
  if (ref == whole_axis(mesh, ref.axis)) return out;
  return out + ":(" + std::to_string(ref.pre) + ")" + std::to_string(ref.size);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
