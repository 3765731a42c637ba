// Layouts: the canonical form of a sharding, and the axis algebra on it.
//
// In: a Mesh and a Sharding (what the user wrote). Out: per dimension the mesh axes (or parts of axes) that cut it, so
// that stages compare, merge and price placements without looking at how they were written. Start reading at `Layout`.
//
// Everything here is a value, total for valid input (`is_valid`), and O(rank * axes): nothing is a list over devices.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tutti/mesh/mesh.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

/// A mesh axis or a part of it: after `pre` major ways were cut off, the next `size` ways. The whole axis of n devices
/// is {axis, 1, n}. The coordinate of a device on it is (c / (n / (pre * size))) % size, c being its axis coordinate.
struct AxisRef {
  int axis = 0;
  std::int64_t pre = 1;
  std::int64_t size = 1;
  friend auto operator<=>(const AxisRef&, const AxisRef&) = default;
  friend bool operator==(const AxisRef&, const AxisRef&) = default;
};
using AxisRefs = std::vector<AxisRef>;

/// How the partial results of a pending value combine.
enum class Reduce : std::uint8_t { sum, max, min };

/// Where the parts of an array are: dims[d] lists the (sub-)axes that cut dimension d, major first; axes in no list
/// hold copies; over `pending` the devices hold partial results whose `pending_kind` is the value.
struct Layout {
  std::vector<AxisRefs> dims;
  AxisRefs pending;
  Reduce pending_kind = Reduce::sum;

  /// A copy of everything on every device.
  static Layout replicated(int ndim) { return Layout{std::vector<AxisRefs>(static_cast<std::size_t>(ndim)), {}, {}}; }
  int ndim() const { return static_cast<int>(dims.size()); }
  /// Into how many blocks dimension `d` is cut.
  std::int64_t ways(int d) const;
  bool is_replicated() const;
  std::size_t hash() const;
  friend bool operator==(const Layout&, const Layout&) = default;
};

// ---- axes -----------------------------------------------------------------------------------------------------------
AxisRef whole_axis(const Mesh& mesh, int axis);
/// Whether the two have devices' digits in common: such refs cannot both be in one layout.
bool overlap(const AxisRef& a, const AxisRef& b);
/// Product of the sizes.
std::int64_t ways(const AxisRefs& refs);
/// Adjacent parts of one axis become one, parts of size 1 go.
AxisRefs merged(const AxisRefs& refs);
/// Its parts of prime sizes, the smallest first.
AxisRefs prime_parts(const AxisRef& ref);
/// Cuts `ref` at the boundary after its first `major` ways: {major part, minor part}. `major` must divide its size.
std::pair<AxisRef, AxisRef> split(const AxisRef& ref, std::int64_t major);
/// The longest common prefix, cutting a ref where only its major part agrees (x against x:(1)2 have x:(1)2 in common).
AxisRefs common_prefix(const AxisRefs& a, const AxisRefs& b);
/// `refs` without the leading `prefix`; nothing when it is not one (as by common_prefix).
std::optional<AxisRefs> without_prefix(const AxisRefs& refs, const AxisRefs& prefix);
/// The parts of the mesh that `layout` uses neither in a dim nor as pending, major first.
AxisRefs free_axes(const Layout& layout, const Mesh& mesh);

// ---- layouts --------------------------------------------------------------------------------------------------------
/// Merges sub-axes, drops axes of size 1, sorts pending: equal placements over one mesh become equal layouts.
Layout canonical(Layout layout);
/// Whether no part of an axis is used without the others, in its place.
bool on_whole_axes(const Layout& layout, const Mesh& mesh);
/// Axes exist, parts divide, nothing is used twice; else `why` (if given) says what is wrong.
bool is_valid(const Layout& layout, const Mesh& mesh, std::string* why = nullptr);
/// `[{x}, {y:(1)2}, {}] + sum{z}`.
std::string str(const AxisRef& ref, const Mesh& mesh);
std::string str(const Layout& layout, const Mesh& mesh);

/// The mesh under a sharding: that of a NamedSharding, else one with unnamed axes over the same device list.
Mesh mesh_of(const Sharding& sharding);
/// The layout on mesh_of(sharding). Unconstrained entries count as none. Throws ShardingError when the rank does not
/// fit.
Layout layout_of(const Sharding& sharding, int ndim);
/// The layout on another mesh over the same device list; nothing when the lists differ or it cannot be said there.
std::optional<Layout> layout_of(const Sharding& sharding, int ndim, const Mesh& mesh);
/// The sharding of a layout with nothing pending: a NamedSharding with the shortest spec. A mesh of unnamed axes gives
/// a PositionalSharding (one device: SingleDeviceSharding). Parts of an axis give a mesh cut at these parts ("x.0",
/// "x.1").
Sharding sharding_from_layout(const Mesh& mesh, const Layout& layout);
/// The same, said on one of `meshes`, which the user knows: the first whose whole axes can say it, else the first that
/// can with parts of axes. On `mesh` when none can.
Sharding sharding_from_layout(const Mesh& mesh, const Layout& layout, const std::vector<Mesh>& meshes);

// ---- two meshes over one device list --------------------------------------------------------------------------------
/// `layout` of mesh `from` said on mesh `to`; nothing when the device lists differ or sizes do not fit (2x3 in 3x2).
/// Placements are equal for every shape whose cut dims divide; else blocks may differ (see `divides`).
std::optional<Layout> translate(const Layout& layout, const Mesh& from, const Mesh& to);
/// The coarsest mesh on which both can be said (8 against 4x2 or 2x4: unnamed 2x2x2 or 4x2 ...); nothing if there is
/// none.
std::optional<Mesh> common_refinement(const Mesh& a, const Mesh& b);

// ---- devices and blocks ---------------------------------------------------------------------------------------------
/// Coordinates of the device at `position` of the device list.
std::vector<std::int64_t> coordinates(const Mesh& mesh, std::int64_t position);
std::int64_t position(const Mesh& mesh, const std::vector<std::int64_t>& coordinates);
/// Coordinate along a (sub-)axis.
std::int64_t coordinate(const AxisRef& ref, const Mesh& mesh, const std::vector<std::int64_t>& coordinates);
/// Number of the block along refs, the first one major.
std::int64_t block_number(const AxisRefs& refs, const Mesh& mesh, const std::vector<std::int64_t>& coordinates);

/// A part of an array: start <= stop per dimension.
struct Box {
  std::vector<std::int64_t> start, stop;
  int ndim() const { return static_cast<int>(start.size()); }
  Shape shape() const;
  std::int64_t num_elements() const { return shape().num_elements(); }
  bool empty() const { return num_elements() == 0; }
  std::string str() const;
  friend bool operator==(const Box&, const Box&) = default;
};
Box whole_box(const Shape& shape);
/// What two boxes share; empty (start == stop) in the dims where they do not meet.
Box intersection(const Box& a, const Box& b);

/// Whether every dimension divides into equal blocks: then how axes are split or listed does not move elements.
bool divides(const Layout& layout, const Shape& shape);
/// The largest block, that of device 0: ceil of each extent over its ways.
Shape block_shape(const Layout& layout, const Shape& shape);
/// What a device holds. Each axis in turn cuts the block so far into blocks of ceil size, clipped at its end.
Box box_of(const Layout& layout, const Mesh& mesh, const Shape& shape, const std::vector<std::int64_t>& coordinates);
Box box_of(const Layout& layout, const Mesh& mesh, const Shape& shape, std::int64_t position);

}  // namespace tutti

template <> struct std::hash<tutti::Layout> {
  std::size_t operator()(const tutti::Layout& l) const { return l.hash(); }
};

// SPDX-License-Identifier: Apache-2.0
