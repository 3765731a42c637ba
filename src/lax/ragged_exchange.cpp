#include "tutti/lax/ragged_exchange.hpp"

#include <string>
#include <vector>

#include "tutti/base/call_scope.hpp"
#include "tutti/lax/collectives.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::lax {
namespace {

void check_blocks(const Array& operand, const Array& output, const RaggedBlocks& b, std::int64_t devices) {
  const char* name = "lax::ragged_all_to_all";
  const bool rows = operand.ndim() >= 1 && output.ndim() == operand.ndim();
  if (!rows || !std::equal(operand.shape().begin() + 1, operand.shape().end(), output.shape().begin() + 1))
    raise<ShapeError>(name, "the operand is " + type_text(operand) + ", the output " + type_text(output),
                      "All extents but the first must be equal.");
  if (operand.dtype() != output.dtype())
    raise<TypeError>(name, "the operand is " + type_text(operand) + ", the output " + type_text(output),
                     "Convert one of them with astype().");
  for (const Array* each : {&b.input_offsets, &b.send_sizes, &b.output_offsets, &b.recv_sizes}) {
    if (!each->dtype().is_integer())
      raise<TypeError>(name, "offsets or sizes are " + type_text(*each), "They are integers.");
    if (each->ndim() != 1 || each->shape() != b.input_offsets.shape() || each->shape(0) % devices != 0)
      raise<ShapeError>(name,
                        "offsets or sizes are " + type_text(*each) + " for " + std::to_string(devices) + " devices",
                        "All four have one dim of one extent, a multiple of the number of devices.");
  }
}

}  // namespace

Array ragged_all_to_all(const In& operand, const In& output, const RaggedBlocks& blocks, const Names& axes) {
  CallScope scope(operand.loc);
  const std::int64_t devices = axis_size(axes, operand.loc);
  check_blocks(operand.array, output.array, blocks, devices);
  const std::int64_t rows = operand.array.shape(0), entries = blocks.input_offsets.shape(0);
  // The entries that others have for this device, sender by sender.
  auto mine = [&](const Array& x) { return all_to_all(x.astype(int32), axes, 0, 0, {.tiled = true}); };
  const Array from = mine(blocks.input_offsets), size = mine(blocks.send_sizes), to = mine(blocks.output_offsets);
  const Array sender = iota(int32, Shape{entries}, 0) / (entries / devices);
  const Array row = expand_dims(iota(int32, Shape{output.array.shape(0)}, 0), 1);
  const Array hit = (row >= to) & (row < to + size);  // a row a row of the output, a column an entry
  const Array at = sum(where(hit, sender * rows + from + row - to, 0), 1);
  const Array all_rows = all_gather(operand.array, axes, {.tiled = true});
  Array got = any(hit, 1);
  for (int d = 1; d < output.array.ndim(); ++d) got = expand_dims(got, -1);
  return rows == 0 ? output.array : where(got, take(all_rows, at.astype(int32), 0), output.array);
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
