#include "isolation/per_device.hpp"

#include <cstring>

#include "array/copy_box.hpp"
#include "isolation/devices.hpp"
#include "run/traffic.hpp"

namespace tutti::run {
namespace {

std::vector<std::int64_t> origin(const Shape& shape) { return std::vector<std::int64_t>(shape.size(), 0); }

}  // namespace

std::vector<BufferPtr> scatter_blocks(const Layout& layout, const Mesh& mesh, const Type& type, const void* dense) {
  std::vector<BufferPtr> out;
  Shape block = block_shape(layout, type.shape);
  auto bytes = static_cast<std::size_t>(block.num_elements() * type.dtype.size());
  for (std::int64_t d = 0; d < mesh.size(); ++d) {
    out.push_back(allocate_buffer(bytes));
    std::memset(out.back()->data(), type.dtype.is_bool() ? 1 : 0xff, bytes);
    const Box box = box_of(layout, mesh, type.shape, d);
    copy_box(box.shape(), type.dtype.size(), {type.shape, box.start}, dense, {block, origin(block)},
             out.back()->data());
  }
  return out;
}

void gather_blocks(const Layout& layout, const Mesh& mesh, const Type& type, std::span<const BufferPtr> blocks,
                   void* dense) {
  Shape block = block_shape(layout, type.shape);
  // Backwards, so that where several devices hold a block the one with the lowest coordinates has the last word.
  for (std::int64_t d = mesh.size(); d-- > 0;) {
    const Box box = box_of(layout, mesh, type.shape, d);
    copy_box(box.shape(), type.dtype.size(), {block, origin(block)}, blocks[d]->data(), {type.shape, box.start}, dense);
  }
}

IsolatedRun run_per_device(const LocalProgram& local, std::span<const BufferPtr> inputs) {
  std::vector<Blocks> blocks;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    blocks.push_back(scatter_blocks(local.inputs[i], local.mesh, local.input_types[i], inputs[i]->data()));
  IsolatedRun out;
  Devices devices(local.mesh, out.sent);
  std::vector<Blocks> results = devices.run(*local.program, std::move(blocks));
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Type& type = local.output_types[i];
    out.outputs.push_back(allocate_buffer(static_cast<std::size_t>(type.nbytes())));
    gather_blocks(local.outputs[i], local.mesh, type, results[i], out.outputs.back()->data());
  }
  count_traffic(out.sent);
  return out;
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
