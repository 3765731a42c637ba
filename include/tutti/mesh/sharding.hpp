// How an array is laid out over devices: specs and shardings.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tutti/base/error.hpp"
#include "tutti/base/shape.hpp"
#include "tutti/mesh/mesh.hpp"

namespace tutti {

struct unconstrained_t {
  friend constexpr bool operator==(unconstrained_t, unconstrained_t) = default;
};

/// The split of one dimension: nothing (`none`), one mesh axis, several (`axes("x", "y")`), or "tutti may choose".
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class SpecEntry {
 public:
  SpecEntry() = default;
  SpecEntry(const SpecEntry&);
  SpecEntry(SpecEntry&&) noexcept;
  SpecEntry& operator=(const SpecEntry&);
  SpecEntry& operator=(SpecEntry&&) noexcept;
  ~SpecEntry();
  SpecEntry(none_t) {}
  SpecEntry(unconstrained_t) : unconstrained_(true) {}
  SpecEntry(const char* axis);
  SpecEntry(std::string axis) : names_{std::move(axis)} {}
  SpecEntry(Names axes);

  /// The axes, the first one major; empty for `none` and `unconstrained`.
  const std::vector<std::string>& names() const { return names_; }
  operator Names() const { return names_; }  // `lax::psum(x, axes("x", "y"))`
  bool is_none() const { return names_.empty() && !unconstrained_; }
  bool is_unconstrained() const { return unconstrained_; }
  /// `None`, `'x'`, `('x', 'y')`, `UNCONSTRAINED`.
  std::string str() const;
  friend bool operator==(const SpecEntry&, const SpecEntry&) = default;

 private:
  std::vector<std::string> names_;
  bool unconstrained_ = false;
};

/// Several mesh axes for one dimension, the first one major: `P(axes("x", "y"), none)`.
template <class... T>
requires(std::convertible_to<const T&, std::string>&&...) SpecEntry axes(const T&... names) {
  return SpecEntry(Names(std::vector<std::string>{std::string(names)...}));
}

/// Mesh axes that split each dimension. Entries that are missing at the end mean `none`.
///
///     P("x", "y")              // dim 0 over axis x, dim 1 over axis y
///     P(none, "y")             // dim 1 over y; the same content along x
///     P(axes("x", "y"))        // dim 0 over both, x major
///     P()                      // everything everywhere
///
/// Two specs are equal when they are written equally: `P("x") != P("x", none)`, as in JAX.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class PartitionSpec {
 public:
  static constexpr unconstrained_t unconstrained{};

  PartitionSpec() = default;
  PartitionSpec(const PartitionSpec&);
  PartitionSpec(PartitionSpec&&) noexcept;
  PartitionSpec& operator=(const PartitionSpec&);
  PartitionSpec& operator=(PartitionSpec&&) noexcept;
  ~PartitionSpec();
  template <class... E>
  requires(sizeof...(E) > 0 && (std::convertible_to<E, SpecEntry> && ...)) explicit(sizeof...(E) == 1)
      PartitionSpec(E&&... entries) {
    (add(SpecEntry(std::forward<E>(entries))), ...);
  }
  /// A spec of entries that are known at run time only.
  static PartitionSpec from(std::vector<SpecEntry> entries);

  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  const SpecEntry& operator[](std::size_t i) const { return entries_[i]; }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  /// `P('x', None)`, `P('x',)`, `P()`.
  std::string str() const;
  std::size_t hash() const;
  friend bool operator==(const PartitionSpec&, const PartitionSpec&) = default;

 private:
  void add(SpecEntry&& entry);
  std::vector<SpecEntry> entries_;
};
using P = PartitionSpec;
std::ostream& operator<<(std::ostream& out, const PartitionSpec& spec);

/// Part of a dimension: the elements start to stop. `whole`: all of them, because nothing splits the dimension.
struct IndexRange {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  bool whole = false;
  /// `slice(0, 2, None)`, `slice(None, None, None)`.
  std::string str() const;
  friend bool operator==(const IndexRange&, const IndexRange&) = default;
};
/// One range per dimension: where a shard lies in its array.
using ShardIndex = std::vector<IndexRange>;
/// `(slice(0, 2, None), slice(None, None, None))`.
std::string str(const ShardIndex& index);

struct ShardingNode;

/// A layout of an array over devices: a cheap handle, empty by default.
///
///     Mesh mesh = make_mesh({4, 2}, {"x", "y"});
///     NamedSharding(mesh, P("x", "y"))        // 8 blocks, one a device
///     NamedSharding(mesh, P("x", none))       // 4 blocks of whole rows, each on 2 devices
///     SingleDeviceSharding(devices()[0])      // everything on one device
///
/// A dimension of n elements over k devices is cut into blocks of ceil(n / k); the last may be smaller or empty. Over
/// several axes each block is cut again by the next axis.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Sharding {
 public:
  enum class Kind { single_device, named, positional };

  Sharding() = default;
  Sharding(const Sharding&) noexcept;
  Sharding(Sharding&&) noexcept = default;
  Sharding& operator=(const Sharding&) noexcept;
  Sharding& operator=(Sharding&&) noexcept;
  ~Sharding();
  /// A device stands for everything on that device.
  Sharding(const Device& device);

  bool has_value() const { return node_ != nullptr; }
  Kind kind(Loc loc = Loc::current()) const;
  /// The devices in order: the device assignment.
  const std::vector<Device>& device_list(Loc loc = Loc::current()) const;
  std::set<Device> device_set(Loc loc = Loc::current()) const;
  std::int64_t num_devices(Loc loc = Loc::current()) const;
  /// The mesh of a NamedSharding; throws ValueError for the other kinds.
  const Mesh& mesh(Loc loc = Loc::current()) const;
  /// The spec of a NamedSharding; throws ValueError for the other kinds.
  const PartitionSpec& spec(Loc loc = Loc::current()) const;

  /// True if every device holds the whole array.
  bool is_fully_replicated(Loc loc = Loc::current()) const;
  /// True if all devices belong to this process.
  bool is_fully_addressable(Loc loc = Loc::current()) const;
  /// Shape of the largest block. Where the sizes do not divide, other blocks may be smaller or empty.
  /// Throws ShardingError when the rank does not fit.
  Shape shard_shape(const Shape& shape, Loc loc = Loc::current()) const;
  /// The part of each device, in the order of the device assignment.
  std::vector<std::pair<Device, ShardIndex>> devices_indices_map(const Shape& shape, Loc loc = Loc::current()) const;
  /// True if arrays of `ndim` dims are placed equally, however that is written.
  bool is_equivalent_to(const Sharding& other, int ndim) const;

  const std::string& memory_kind(Loc loc = Loc::current()) const;
  Sharding with_memory_kind(std::string kind, Loc loc = Loc::current()) const;
  std::string str() const;
  std::size_t hash() const;
  const ShardingNode* node() const { return node_.get(); }
  /// For tutti's own stages; see src/mesh/sharding_node.hpp.
  explicit Sharding(std::shared_ptr<const ShardingNode> node) : node_(std::move(node)) {}
  /// The same kind, mesh, spec text and memory kind. `P("x")` and `P("x", none)` differ: see is_equivalent_to.
  friend bool operator==(const Sharding& a, const Sharding& b) {
    return a.node_ == b.node_;
  }  // equal ones share a node

 protected:
  std::shared_ptr<const ShardingNode> node_;
};
std::ostream& operator<<(std::ostream& out, const Sharding& sharding);

/// A mesh and a spec. Prints as `NamedSharding(mesh=Mesh('x': 4, axis_types=(Auto,)), spec=P('x',),
/// memory_kind=device)`.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class NamedSharding : public Sharding {
 public:
  /// Throws ShardingError when `spec` names an axis twice or one that `mesh` lacks (both are listed).
  NamedSharding(Mesh mesh, PartitionSpec spec, Loc loc = Loc::current());
};

/// Everything on one device. Prints as `SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)`.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class SingleDeviceSharding : public Sharding {
 public:
  explicit SingleDeviceSharding(const Device& device) : Sharding(device) {}
};

/// A grid of cells, one or several devices a cell, laid over an array of the same rank. JAX's older way: prefer a Mesh.
///
///     PositionalSharding s(mesh_utils::create_device_mesh({8}));
///     s.reshape(8, 1)             // 8 blocks of rows
///     s.replicate()               // everything everywhere: fits any rank
///     s.reshape(4, 2).replicate(0)    // 2 blocks of columns, each on 4 devices
///
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class PositionalSharding : public Sharding {
 public:
  explicit PositionalSharding(const DeviceGrid& grid, Loc loc = Loc::current());
  explicit PositionalSharding(const std::vector<Device>& devices, Loc loc = Loc::current());

  const Shape& shape(Loc loc = Loc::current()) const;
  int ndim(Loc loc = Loc::current()) const { return shape(loc).ndim(); }
  /// The same cells in another shape; one extent may be -1. Throws ShardingError when the numbers of cells differ.
  PositionalSharding reshape(Shape shape, Loc loc = Loc::current()) const;
  template <Integer A> PositionalSharding reshape(A a, Loc loc = Loc::current()) const {
    return reshape(Shape{a}, loc);
  }
  template <Integer A, Integer B> PositionalSharding reshape(A a, B b, Loc loc = Loc::current()) const {
    return reshape(Shape{a, b}, loc);
  }
  template <Integer A, Integer B, Integer C> PositionalSharding reshape(A a, B b, C c, Loc loc = Loc::current()) const {
    return reshape(Shape{a, b, c}, loc);
  }
  template <Integer... T> PositionalSharding reshape(T... dims) const { return reshape(Shape{dims...}); }
  PositionalSharding transpose(std::vector<int> order = {}, Loc loc = Loc::current()) const;
  PositionalSharding T(Loc loc = Loc::current()) const { return transpose({}, loc); }
  /// One cell out of all cells along `axis`; without an axis, out of all cells.
  PositionalSharding replicate(std::optional<int> axis = std::nullopt, bool keepdims = true,
                               Loc loc = Loc::current()) const;

 private:
  friend class Sharding;
  explicit PositionalSharding(std::shared_ptr<const ShardingNode> node) : Sharding(std::move(node)) {}
};

}  // namespace tutti

template <> struct std::hash<tutti::PartitionSpec> {
  std::size_t operator()(const tutti::PartitionSpec& s) const { return s.hash(); }
};
template <> struct std::hash<tutti::Sharding> {
  std::size_t operator()(const tutti::Sharding& s) const { return s.hash(); }
};

// SPDX-License-Identifier: Apache-2.0
