// A LocalProgram on N simulated devices, in lockstep: each has its own buffers, messages are copied and counted. One
// thread. In: global arrays; they are cut into blocks, and the results are put together again. Its speed is not a goal.
#pragma once

#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "tutti/debug/traffic.hpp"

namespace tutti::run {

/// One buffer per device, each of block_shape; what lies beyond the end of the array is poison (all bits set).
std::vector<BufferPtr> scatter_blocks(const Layout& layout, const Mesh& mesh, const Type& type, const void* dense);
/// The whole array from the blocks (with nothing pending).
void gather_blocks(const Layout& layout, const Mesh& mesh, const Type& type, std::span<const BufferPtr> blocks,
                   void* dense);

struct IsolatedRun {
  std::vector<BufferPtr> outputs;
  Traffic sent;  // by this run
};
/// Runs `program` Eqn by Eqn on all devices of its mesh, and counts what it sends, also for `run::traffic`. One dense
/// global buffer per input and output.
IsolatedRun run_per_device(const LocalProgram& program, std::span<const BufferPtr> inputs);

}  // namespace tutti::run

namespace tutti {

/// The backend of Isolation::per_device: what it compiles runs on simulated devices.
Backend& simulated_devices();

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
