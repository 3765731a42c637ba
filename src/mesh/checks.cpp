#include "mesh/checks.hpp"

#include <set>

#include "mesh/sharding_node.hpp"
#include "mesh/text.hpp"
#include "tutti/call_scope.hpp"
#include "tutti/error.hpp"

namespace tutti {
namespace {

std::string intro(std::string_view what) { return what.empty() ? std::string() : std::string(what) + ": "; }

// How many blocks each dim of an array of this rank has.
std::string ways_text(const Layout& layout) {
  std::vector<std::string> items;
  for (int d = 0; d < layout.ndim(); ++d) items.push_back(std::to_string(layout.ways(d)));
  return "[" + text::join(items, ", ") + "]";
}

}  // namespace

bool fits_rank(const Sharding& sharding, int ndim) {
  if (!sharding.has_value()) return false;
  const ShardingNode& node = *sharding.node();
  if (node.kind == Sharding::Kind::positional) return node.cells.ndim() == ndim || node.layout.is_replicated();
  return node.layout.ndim() <= ndim;
}

void check_rank(const Sharding& sharding, const Shape& shape, std::string_view what) {
  if (fits_rank(sharding, shape.ndim())) return;
  if (!sharding.has_value()) throw ValueError(intro(what) + "the sharding is empty: it says nothing about devices.\n  Make one with NamedSharding(mesh, P(\"x\")).");
  const ShardingNode& node = *sharding.node();
  if (node.kind == Sharding::Kind::positional) {
    if (node.cells.ndim() == shape.ndim() || node.layout.is_replicated()) return;
    throw ShardingError(intro(what) + sharding.str() + " has rank " + std::to_string(node.cells.ndim()) +
                        ", but the array has rank " + std::to_string(shape.ndim()) +
                        ".\n  Reshape the sharding to the array's rank, or use replicate(), which fits every rank.");
  }
  std::string text = intro(what) + sharding.str() + " is only valid for values of rank at least " +
                     std::to_string(node.layout.ndim()) + ", but was applied to a value of rank " +
                     std::to_string(shape.ndim()) + ".";
  throw ShardingError(text + (shape.empty() ? "\n  For scalars the spec should be P()." : "\n  Shorten the spec to one entry per dim."));
}

void check_divides(const Sharding& sharding, const Shape& shape, std::string_view what) {
  check_rank(sharding, shape, what);
  Layout layout = layout_of(sharding, shape.ndim());
  for (int d = 0; d < shape.ndim(); ++d) {
    std::int64_t size = shape[static_cast<std::size_t>(d)], ways = layout.ways(d);
    if (size % ways == 0) continue;
    throw ShardingError(intro(what) + sharding.str() + " cuts dim " + std::to_string(d) + " into " + std::to_string(ways) +
                        " blocks, but its size is " + std::to_string(size) + " (shape " + shape.str() +
                        ", blocks per dim " + ways_text(layout) + ").\n  Here every device must hold an equal block: pad the dim to " +
                        std::to_string((size + ways - 1) / ways * ways) + ", or shard another dim.");
  }
}

void check_constrained(const Sharding& sharding, std::string_view what) {
  if (!sharding.has_value() || sharding.kind() != Sharding::Kind::named) return;
  for (const SpecEntry& entry : sharding.spec())
    if (entry.is_unconstrained())
      throw ShardingError(intro(what) + sharding.spec().str() +
                          " leaves a dim unconstrained, which only with_sharding_constraint may.\n  Name the axes, or none.");
}

void check_spec(const Mesh& mesh, const PartitionSpec& spec) {
  std::set<std::string> seen;
  for (const SpecEntry& entry : spec)
    for (const std::string& name : entry.names()) {
      if (mesh.axis_index(name) < 0)
        raise<ShardingError>("NamedSharding", "the axis '" + name + "' of " + spec.str() + " is not in the mesh, whose axes are " + text::names(mesh.axis_names()), "Name one of these axes, or none.");
      if (!seen.insert(name).second)
        raise<ShardingError>("NamedSharding", spec.str() + " has duplicate entries for '" + name + "'", "Leave one out: a mesh axis can cut one dim only, and once.");
    }
}

}  // namespace tutti
