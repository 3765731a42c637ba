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

/// The wires between the devices of a group: what goes from one to another is copied and counted.
class Messages {
 public:
  explicit Messages(std::int64_t devices) : received_(static_cast<std::size_t>(devices)) {}
  /// Empty messages count too: everybody waits for them. What a device keeps is no message.
  void send(std::size_t from, std::size_t to, const void* data, void* into, std::int64_t bytes);
  /// Per device, on average over those that received something.
  Received mean() const;

 private:
  std::vector<Received> received_;
};

struct Collective {
  // What reports call its messages: all_gather, all_reduce, reduce_scatter, all_to_all, permute. Empty: it sends none.
  std::string kind;
  std::function<const Group&(const Params&)> group;
  // The parameters for another group that stands for this one on another mesh.
  std::function<Params(const Params&, Group)> over;

  // operands[d] of the group's device d to results[d], by messages; no operand for one that has none.
  std::function<void(const Call&, std::span<const HostView> operands, std::span<const HostView> results, Messages&)>
      eval;
  // What a device receives from an operand of `bytes` in a group of `n`, planned.
  std::function<Received(double bytes, double n)> received;

  // What becomes of variance (the axes along which a value may differ from device to device): over the group's axes it
  // ends, or begins, or the result varies as the operand does.
  enum class Variance { ends, begins, stays } variance = Variance::ends;
};

}  // namespace tutti
