#include "isolation/per_device.hpp"

#include <cstring>

#include "isolation/devices.hpp"
#include "isolation/traffic.hpp"

namespace tutti::run {
namespace {

// Copies the elements of `box` between a dense array and a block that starts at box.start.
void copy_box(const Box& box, const Shape& whole, const Shape& block, std::int64_t item, const void* from, void* to,
              bool into_block) {
  if (box.empty()) return;
  int rank = box.ndim();
  std::vector<std::int64_t> at(static_cast<std::size_t>(rank), 0);
  Shape extent = box.shape();
  std::int64_t run = rank > 0 ? extent[rank - 1] * item : item;
  for (bool more = true; more;) {
    std::int64_t in_whole = 0, in_block = 0;
    for (int d = 0; d < rank; ++d) {
      in_whole = in_whole * whole[d] + box.start[d] + at[d];
      in_block = in_block * block[d] + at[d];
    }
    std::int64_t source = (into_block ? in_whole : in_block) * item, goal = (into_block ? in_block : in_whole) * item;
    std::memcpy(static_cast<char*>(to) + goal, static_cast<const char*>(from) + source, static_cast<std::size_t>(run));
    more = false;
    for (int d = rank - 2; d >= 0 && !more; --d) {
      if (++at[d] < extent[d])
        more = true;
      else
        at[d] = 0;
    }
  }
}

}  // namespace

std::vector<BufferPtr> scatter_blocks(const Layout& layout, const Mesh& mesh, const Type& type, const void* dense) {
  std::vector<BufferPtr> out;
  Shape block = block_shape(layout, type.shape);
  auto bytes = static_cast<std::size_t>(block.num_elements() * type.dtype.size());
  for (std::int64_t d = 0; d < mesh.size(); ++d) {
    out.push_back(allocate_buffer(bytes));
    std::memset(out.back()->data(), type.dtype.is_bool() ? 1 : 0xff, bytes);
    copy_box(box_of(layout, mesh, type.shape, d), type.shape, block, type.dtype.size(), dense, out.back()->data(),
             true);
  }
  return out;
}

void gather_blocks(const Layout& layout, const Mesh& mesh, const Type& type, std::span<const BufferPtr> blocks,
                   void* dense) {
  Shape block = block_shape(layout, type.shape);
  // Backwards, so that where several devices hold a block the one with the lowest coordinates has the last word.
  for (std::int64_t d = mesh.size(); d-- > 0;)
    copy_box(box_of(layout, mesh, type.shape, d), type.shape, block, type.dtype.size(), blocks[d]->data(), dense,
             false);
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
