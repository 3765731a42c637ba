#include "mesh/layout.hpp"

#include <algorithm>

#include "mesh/mesh_node.hpp"
#include "mesh/text.hpp"

namespace tutti {

std::int64_t Layout::ways(int d) const { return tutti::ways(dims[static_cast<std::size_t>(d)]); }

bool Layout::is_replicated() const {
  for (const AxisRefs& refs : dims)
    if (tutti::ways(refs) > 1) return false;
  return tutti::ways(pending) == 1;
}

std::size_t Layout::hash() const {
  std::size_t h = 1469598103934665603ull;
  auto mix = [&](std::int64_t v) { h = (h ^ static_cast<std::size_t>(v)) * 1099511628211ull; };
  auto mix_refs = [&](const AxisRefs& refs) {
    mix(-1);
    for (const AxisRef& ref : refs) {
      mix(ref.axis);
      mix(ref.pre);
      mix(ref.size);
    }
  };
  for (const AxisRefs& refs : dims) mix_refs(refs);
  mix_refs(pending);
  mix(static_cast<std::int64_t>(pending_kind));
  return h;
}

Layout canonical(Layout layout) {
  for (AxisRefs& refs : layout.dims) refs = merged(refs);
  std::sort(layout.pending.begin(), layout.pending.end());
  layout.pending = merged(layout.pending);
  if (layout.pending.empty()) layout.pending_kind = Reduce::sum;
  return layout;
}

bool on_whole_axes(const Layout& layout, const Mesh& mesh) {
  auto whole = [&](const AxisRef& r) { return r == whole_axis(mesh, r.axis); };
  for (const AxisRefs& refs : layout.dims)
    if (!std::all_of(refs.begin(), refs.end(), whole)) return false;
  return std::all_of(layout.pending.begin(), layout.pending.end(), whole);
}

bool is_valid(const Layout& layout, const Mesh& mesh, std::string* why) {
  auto fail = [&](std::string text) {
    if (why) *why = std::move(text);
    return false;
  };
  AxisRefs all = layout.pending;
  for (const AxisRefs& refs : layout.dims) all.insert(all.end(), refs.begin(), refs.end());
  for (const AxisRef& ref : all) {
    if (ref.axis < 0 || ref.axis >= mesh.ndim()) return fail("there is no axis " + std::to_string(ref.axis));
    std::int64_t n = whole_axis(mesh, ref.axis).size;
    if (ref.pre < 1 || ref.size < 1 || n % ref.pre != 0 || (n / ref.pre) % ref.size != 0)
      return fail(str(ref, mesh) + " is no part of an axis of " + std::to_string(n));
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const AxisRef &a = all[i], &b = all[i + 1];
    if (a.size == 1 || a.axis != b.axis || b.size == 1) continue;
    if (overlap(a, b)) return fail(str(a, mesh) + " and " + str(b, mesh) + " overlap");
    if (b.pre % (a.pre * a.size) != 0)
      return fail(str(a, mesh) + " and " + str(b, mesh) + " cannot be cut from one axis");
  }
  return true;
}

std::string str(const Layout& layout, const Mesh& mesh) {
  auto braces = [&](const AxisRefs& refs) {
    std::vector<std::string> items;
    for (const AxisRef& ref : refs) items.push_back(str(ref, mesh));
    return "{" + text::join(items, ", ") + "}";
  };
  std::vector<std::string> items;
  for (const AxisRefs& refs : layout.dims) items.push_back(braces(refs));
  std::string out = "[" + text::join(items, ", ") + "]";
  if (layout.pending.empty()) return out;
  static constexpr const char* kinds[] = {"sum", "max", "min"};
  return out + " + " + kinds[static_cast<int>(layout.pending_kind)] + braces(layout.pending);
}

// ---- two meshes over one device list ------------------------------------------------------------------------------
// On a row-major device list every axis part is a digit of the device's position: (position / stride) % size. So a part
// is the interval [stride, stride * size), and saying it on another mesh is cutting that interval at the mesh's
// strides.
namespace {

struct PositionDigit {
  std::int64_t stride, size;
};

// The stride of an axis: product of the sizes after it.
std::int64_t stride_of(const Mesh& mesh, int axis) {
  std::int64_t stride = 1;
  for (int i = mesh.ndim() - 1; i > axis; --i) stride *= mesh.shape()[static_cast<std::size_t>(i)];
  return stride;
}

PositionDigit digit_of(const AxisRef& ref, const Mesh& mesh) {
  std::int64_t n = whole_axis(mesh, ref.axis).size;
  return {stride_of(mesh, ref.axis) * (n / (ref.pre * ref.size)), ref.size};
}

std::optional<AxisRefs> refs_of(PositionDigit digit, const Mesh& mesh) {
  AxisRefs out;
  std::int64_t low = digit.stride, high = digit.stride * digit.size, covered = 1;
  for (int axis = 0; axis < mesh.ndim(); ++axis) {
    std::int64_t stride = stride_of(mesh, axis), end = stride * whole_axis(mesh, axis).size;
    std::int64_t from = std::max(low, stride), to = std::min(high, end);
    if (to <= from) continue;
    if (to % from != 0 || from % stride != 0 || end % to != 0 || from % low != 0 || high % to != 0) return std::nullopt;
    out.push_back({axis, end / to, to / from});
    covered *= to / from;
  }
  if (covered != digit.size) return std::nullopt;
  return out;
}

// The strides where a mesh cuts the device list, and its size; ascending, no size-1 axes.
std::vector<std::int64_t> cuts(const Mesh& mesh) {
  std::vector<std::int64_t> out{1};
  for (int axis = mesh.ndim() - 1; axis >= 0; --axis) out.push_back(out.back() * whole_axis(mesh, axis).size);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::optional<Layout> translate(const Layout& layout, const Mesh& from, const Mesh& to) {
  if (from == to) return canonical(layout);
  if (device_list_of(from) != device_list_of(to)) return std::nullopt;
  auto say = [&](const AxisRefs& refs) -> std::optional<AxisRefs> {
    // Neighbours that join into one digit first: (4)(2) is 8 on a line, though neither part is an axis there.
    std::vector<PositionDigit> digits;
    for (const AxisRef& ref : merged(refs)) {
      PositionDigit digit = digit_of(ref, from);
      if (!digits.empty() && digits.back().stride == digit.stride * digit.size)
        digits.back() = {digit.stride, digits.back().size * digit.size};
      else
        digits.push_back(digit);
    }
    AxisRefs out;
    for (PositionDigit digit : digits) {
      auto part = refs_of(digit, to);
      if (!part) return std::nullopt;
      out.insert(out.end(), part->begin(), part->end());
    }
    return out;
  };
  Layout out;
  out.pending_kind = layout.pending_kind;
  for (const AxisRefs& refs : layout.dims) {
    auto there = say(refs);
    if (!there) return std::nullopt;
    out.dims.push_back(*there);
  }
  AxisRefs pending = layout.pending;
  std::sort(pending.begin(), pending.end());
  auto there = say(pending);
  if (!there) return std::nullopt;
  out.pending = *there;
  out = canonical(std::move(out));
  if (!is_valid(out, to)) return std::nullopt;
  return out;
}

std::optional<Mesh> common_refinement(const Mesh& a, const Mesh& b) {
  if (a == b) return a;
  if (device_list_of(a) != device_list_of(b)) return std::nullopt;
  std::vector<std::int64_t> of_a = cuts(a), of_b = cuts(b), all;
  std::set_union(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), std::back_inserter(all));
  if (all == of_a) return a;
  if (all == of_b) return b;
  Shape shape;
  for (std::size_t i = all.size() - 1; i > 0; --i) {
    if (all[i] % all[i - 1] != 0) return std::nullopt;
    shape.push_back(all[i] / all[i - 1]);
  }
  return unnamed_mesh(device_list_of(a), shape);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
