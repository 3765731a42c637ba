// Arrays of which each process gives its own part.
#include <algorithm>
#include <map>
#include <sstream>

#include "api/side_by_side.hpp"
#include "array/copy_box.hpp"
#include "array/node.hpp"
#include "distributed/agree.hpp"
#include "mesh/checks.hpp"
#include "mesh/places.hpp"
#include "mesh/process.hpp"
#include "tutti/array/placement.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/distributed/distributed.hpp"

namespace tutti {
namespace {

constexpr const char* kLocal = "make_array_from_process_local_data";

// `process 0 (2, 3), process 1 (1, 3)`.
std::string shapes_text(const std::vector<Shape>& shapes) {
  std::string out;
  for (std::size_t p = 0; p < shapes.size(); ++p)
    out += (p ? ", process " : "process ") + std::to_string(p) + " " + shapes[p].str();
  return out;
}

// The shape that each process gives; all must have one dtype, rank and sharding.
std::vector<Shape> shapes_of_all(const Array& local, const Sharding& sharding) {
  const std::string same = std::string(local.dtype().name()) + " of " + std::to_string(local.ndim()) + " dims " +
                           distributed::described(sharding);
  std::string mine = same + "\n";
  for (std::int64_t n : local.shape()) mine += " " + std::to_string(n);
  const std::vector<std::string> texts = distributed::texts_of_all(mine, kLocal, "the array that each process gives");
  std::vector<Shape> out;
  bool alike = true;
  for (const std::string& text : texts) {
    const std::string::size_type line = text.find('\n');
    alike &= text.compare(0, line, same) == 0;
    std::istringstream in(text.substr(line));
    std::vector<std::int64_t> extents;
    for (std::int64_t n; in >> n;) extents.push_back(n);
    out.push_back(Shape(extents));
  }
  if (!alike) distributed::check_same(same, kLocal, "the array of which each process gives a part");
  return out;
}

// The shape of which these are blocks: along a dim the lengths of its blocks are added up.
Shape joined(const std::vector<Shape>& parts, const Layout& layout, const Places& places) {
  Shape out = parts[0];
  for (int d = 0; d < out.ndim(); ++d) {
    std::map<std::int64_t, std::int64_t> lengths;  // by number of the block
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const std::vector<std::int64_t> c = coordinates(places.mesh, position_of(places, static_cast<int>(p)));
      lengths[block_number(layout.dims[static_cast<std::size_t>(d)], places.mesh, c)] = parts[p][d];
    }
    out[d] = 0;
    for (const auto& [block, length] : lengths) out[d] += length;
  }
  return out;
}

Shape joined_shape(const Array& local, const Sharding& sharding, const Places& places) {
  const std::vector<Shape> parts = shapes_of_all(local, sharding);
  const Layout layout = layout_between(sharding, local.ndim(), places);
  const Shape whole = joined(parts, layout, places);
  std::vector<Shape> want;
  for (std::size_t p = 0; p < parts.size(); ++p)
    want.push_back(box_of(layout, places.mesh, whole, position_of(places, static_cast<int>(p))).shape());
  if (want != parts)
    raise<DistributedError>(kLocal,
                            "the parts are no blocks of one array with the sharding " + sharding.str() + ": " +
                                shapes_text(parts) + "; of " + whole.str() + " these would be " + shapes_text(want),
                            "A dim of n elements over k processes is cut into blocks of ceil(n / k); the last may be "
                            "shorter.");
  return whole;
}

// `local`, of which `from` is where the part of this process begins, as its block of an array of `shape`.
Array placed(const Array& local, const std::vector<std::int64_t>& from, const Shape& shape, const Sharding& sharding) {
  Type type = local.type();
  type.shape = shape;
  check_exist(sharding, {kLocal, "the array " + type.str()});
  HostPtr mine = whole_buffer_of(concrete(local, kLocal), kLocal);
  const std::optional<Held> held = held_of(sharding, shape);
  if (held && held->block != local.shape()) {
    const auto item = static_cast<std::int64_t>(type.dtype.size());
    HostPtr block = allocate_buffer(held->bytes(static_cast<int>(item)));
    const std::vector<std::int64_t> zero(static_cast<std::size_t>(shape.ndim()), 0);
    copy_box(held->box.shape(), item, {local.shape(), from}, mine->data(), {held->block, zero}, block->data());
    mine = std::move(block);
  }
  return make_array(std::move(type), std::move(mine), sharding, true);
}

void check_local(const Sharding& sharding, const Array& local) {
  check_rank(sharding, local.shape(), {kLocal, "the local array"});
  check_constrained(sharding, {kLocal, "an array of shape " + local.shape().str()});
}

}  // namespace

Array make_array_from_process_local_data(const Sharding& sharding, const Array& local, Loc loc) {
  CallScope scope(loc, Loc{"", kLocal});
  check_local(sharding, local);
  const std::optional<Sharding> other = side_by_side(sharding, local.ndim());
  const Sharding& at = other ? *other : sharding;
  const std::shared_ptr<const Places> places = places_of(mesh_of(at));
  const Shape shape = places ? joined_shape(local, at, *places) : local.shape();
  const Array out = placed(local, std::vector<std::int64_t>(static_cast<std::size_t>(local.ndim()), 0), shape, at);
  return other ? set_apart(kLocal, out, sharding) : out;
}

Array make_array_from_process_local_data(const Sharding& sharding, const Array& local, const Shape& global_shape,
                                         Loc loc) {
  CallScope scope(loc, Loc{"", kLocal});
  check_local(sharding, local);
  const std::optional<Sharding> other = side_by_side(sharding, local.ndim());
  const Sharding& at = other ? *other : sharding;
  const std::optional<Held> held = global_shape.ndim() == local.ndim() ? held_of(at, global_shape) : std::nullopt;
  const Box box = held ? held->box : whole_box(global_shape);
  std::vector<std::int64_t> from(static_cast<std::size_t>(local.ndim()), 0);
  bool fits = global_shape.ndim() == local.ndim(), apart = false;
  for (int d = 0; fits && d < local.ndim(); ++d) {
    const std::size_t k = static_cast<std::size_t>(d);
    const std::int64_t n = local.shape()[d];
    if (n == box.stop[k] - box.start[k]) continue;
    fits = n == global_shape[d];
    from[k] = box.start[k];
    apart = true;
  }
  if (!fits)
    raise<ShapeError>(kLocal,
                      "the local array has shape " + local.shape().str() + ", and the part of process " +
                          std::to_string(process_index()) + " of the global shape " + global_shape.str() + " is " +
                          box.shape().str() + " with the sharding " + sharding.str(),
                      "In each dim give the part, or all of it.");
  if (other && apart && local.shape() == global_shape) return device_put(local, sharding);
  if (other && apart)
    raise<UnsupportedError>(kLocal,
                            "what this process holds of " + global_shape.str() + " under " + sharding.str() +
                                " does not lie side by side, and some dims of the local array are whole",
                            "Give the part, or all of the array.");
  const Array out = placed(local, from, global_shape, at);
  return other ? set_apart(kLocal, out, sharding) : out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
