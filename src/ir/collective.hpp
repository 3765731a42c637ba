// What a collective says about itself beside its Op: an operation among the devices of a group, which are those that
// differ along the mesh axes that its parameters name.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/op.hpp"

namespace tutti {

/// The axes, major first, and their sizes: no rule needs a mesh. Every collective's parameters hold one or are one. A
/// sub-axis is an axis of its own in the refined mesh of a LocalProgram ("x:2" ...). Devices of a group are counted
/// row-major over the axes.
struct Group {
  std::vector<std::string> axes;
  std::vector<std::int64_t> sizes;
  std::int64_t size() const;
  bool operator==(const Group&) const = default;
};

/// What a device receives: bytes, and how many messages bring them.
struct Received {
  double bytes = 0;
  std::int64_t messages = 0;
};

/// Evenly spaced runs of bytes of a dense array.
struct Runs {
  std::int64_t start = 0, run = 0, stride = 0, rows = 1;
  std::int64_t bytes() const { return run * rows; }
};
/// Between dense bytes and the runs of an array.
void pack(const Runs& runs, const char* array, char* dense);
void unpack(const Runs& runs, const char* dense, char* array);

/// What one device of a group sends to and gets from another one; or keeps, where that is itself.
struct Parcel {
  std::int64_t peer = 0;
  Runs part;
};
/// Messages that are all on their way at once, as one device sees them.
struct Round {
  std::vector<Parcel> send, receive;  // parts of the operand; of the result
  bool onward = false;                // what is sent are parts of the result so far
  bool combined = false;              // what comes is for one part of the result: combined, in the order of the devices
};

struct Collective {
  // What reports call its messages: all_gather, all_reduce, reduce_scatter, all_to_all, permute. Empty: it sends none.
  std::string kind;
  std::function<const Group&(const Params&)> group;
  // The parameters for another group that stands for this one on another mesh.
  std::function<Params(const Params&, Group)> over;

  // What device `me` of a group of `n` has as its result before anything comes; nothing where messages bring all of it.
  std::function<void(const Call&, std::int64_t me, const HostView* operand, const HostView& result)> alone;
  // Its messages, one round after the other. Nothing for one that has none.
  std::function<std::vector<Round>(const Call&, std::int64_t me, std::int64_t n)> rounds;
  // Combines `n` elements of each block, in order, to `out`.
  std::function<void(DType, std::span<const char* const> blocks, std::int64_t n, char* out)> combine;
  // What a device receives from an operand of `bytes` in a group of `n`, planned.
  std::function<Received(double bytes, double n)> received;

  // What becomes of variance (the axes along which a value may differ from device to device): over the group's axes it
  // ends, or begins, or the result varies as the operand does.
  enum class Variance { ends, begins, stays } variance = Variance::ends;
};

/// A collective on all devices of a group in lockstep: operands[d] of device d (none for one that has no operand) to
/// results[d]. What each receives, on average over those that receive something.
Received exchange(const Call& call, std::span<const HostView> operands, std::span<const HostView> results);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
