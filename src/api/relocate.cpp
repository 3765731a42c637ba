// Arrays under another sharding. In one process a label on the same memory; between processes what has to go, goes.
#include "api/execute.hpp"
#include "array/copy_box.hpp"
#include "array/node.hpp"
#include "array/runtime.hpp"
#include "distributed/agree.hpp"
#include "mesh/places.hpp"

namespace tutti {
namespace {

// The part of a whole array that this process holds.
BufferPtr part_of(const Type& type, const Held& held, const void* whole) {
  const int item = static_cast<int>(type.dtype.size());
  HostPtr out = allocate_buffer(held.bytes(item));
  const Shape box = held.box.shape();
  copy_box(box, item, {type.shape, held.box.start}, whole,
           {held.block, std::vector<std::int64_t>(static_cast<std::size_t>(type.ndim()), 0)}, out->data());
  return out;
}

// Every process gives the same value and keeps its part: asked on demand.
void check_given(const Array& x, const HostBuffer& whole, const Sharding& sharding) {
  if (!distributed::compares_all()) return;
  distributed::check_same(x.type().str() + " with hash " + distributed::hash_text(whole.data(), whole.bytes()) + "\n" +
                              distributed::described(sharding),
                          "device_put", "the array that is cut into parts");
}

bool same_parts(const Held& a, const Held& b) { return a.places->mesh == b.places->mesh && a.layout == b.layout; }

// Whether all processes hold equally much.
bool is_even(const Held& held, const Shape& shape) {
  for (std::size_t d = 0; d < shape.dims().size(); ++d) {
    std::int64_t extent = held.block[d];
    for (const AxisRef& r : held.layout.dims[d]) extent *= r.size;
    if (extent != shape[d]) return false;
  }
  return true;
}

// By a program that gives its input back.
Array sent(const Array& x, const Sharding& sharding) {
  auto program = std::make_shared<Program>();
  program->types.push_back(x.type());
  program->inputs.push_back(0);
  program->outputs.push_back(Atom(ValueId{0}));
  ExecuteOptions options;
  options.what = "device_put";
  options.out_shardings = {sharding};
  return execute(prepare(program, {placement_of(x)}, options), std::span(&x, 1))[0];
}

}  // namespace

Array relocated(const Array& x, const Sharding& sharding, bool committed) {
  const std::optional<Held> from = held_of(x.node()->sharding, x.shape()), to = held_of(sharding, x.shape());
  if (!from && !to) return moved_to(x, sharding, committed, "device_put");
  BufferPtr buffer = buffer_of(x, "device_put");
  if (from && to && same_parts(*from, *to)) return make_array(x.type(), buffer, sharding, committed);
  if (!from) {
    check_given(x, on_host(buffer), sharding);
    return make_array(x.type(), part_of(x.type(), *to, on_host(buffer).data()), sharding, committed);
  }
  // A program has one order of devices. Blocks of different sizes are others where two meshes cut their axes into
  // common ones.
  const bool one_order = x.sharding().device_list() == sharding.device_list();
  if (to && one_order && (from->places == to->places || (is_even(*from, x.shape()) && is_even(*to, x.shape()))))
    return sent(x, sharding);
  // To every process, whole: the label is the wanted one, which may be of a mesh within one process.
  buffer = buffer_of(sent(x, NamedSharding(from->places->devices, P())), "device_put");
  return make_array(x.type(), to ? part_of(x.type(), *to, on_host(buffer).data()) : buffer, sharding, committed);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
