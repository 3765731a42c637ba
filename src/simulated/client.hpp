// The platform of simulated devices: devices of this process with memories of their own, which host code cannot touch
// (memory.hpp). A LocalProgram runs on all of them in lockstep, each on its own blocks; messages are copied and
// counted, and so is what goes between host and devices. Its speed is not a goal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/backend.hpp"
#include "device/client.hpp"
#include "tutti/debug/traffic.hpp"

namespace tutti::simulated {

/// A block per device of the mesh from a dense array of the host; what lies beyond the end of the array is poison (all
/// bits set).
std::vector<BufferPtr> scatter(const HostBuffer& whole, DType dtype, const Shape& shape, const Mesh& mesh,
                               const Layout& layout);
/// The dense array of the blocks (with nothing pending).
HostPtr gather(std::span<const BufferPtr> blocks, DType dtype, const Shape& shape, const Mesh& mesh,
               const Layout& layout);
/// Bytes that scatter and gather copied so far, in all threads.
struct Transfers {
  std::int64_t to_devices = 0, to_host = 0;
};
Transfers transfers();

struct Run {
  std::vector<BufferPtr> outputs;
  Traffic sent;  // by this run
};
/// Runs `program` Eqn by Eqn on all devices of its mesh (device d of it on simulated device d where it is of another
/// platform), and counts what it sends, also for `run::traffic`. Inputs are arrays of the client's or dense ones of the
/// host; outputs are dense, on the host. Returns when it is done.
Run run(const LocalProgram& program, std::span<const BufferPtr> inputs);

/// Where the results of a backend's programs are.
enum class Results { on_devices, on_host };
/// The backend of Isolation::per_device: runs programs of CPU devices here.
Backend& isolated();

}  // namespace tutti::simulated

// SPDX-License-Identifier: Apache-2.0
