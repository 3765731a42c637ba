// Rates of the devices of a mesh and of the links between them, which turn planned bytes into seconds.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tutti/base/error.hpp"

namespace tutti {

/// Cost of a message for its receiver: `latency` seconds, and `bandwidth` bytes a second.
struct Link {
  double latency = 1e-6;
  double bandwidth = 100e9;
  friend bool operator==(const Link&, const Link&) = default;
};

/// A machine of hosts with a few devices each. The defaults are a round model of today's accelerators, not a
/// measurement: 50 TFLOP/s and 1 TB/s of memory a device, 8 devices a host, 100 GB/s with 1 us between two of them,
/// 10 GB/s with 10 us from host to host, and nothing sent while something is computed.
///
///     config::machine({.between = {.latency = 5e-6, .bandwidth = 25e9}, .devices_per_host = 4});
///     config::machine({.axes = {{"model", {1e-6, 300e9}}}, .flops = 1e14});       // this axis has wires of its own
///
/// Devices fill hosts in the order of the mesh, so that its last axes lie within a host. Along an axis that leaves the
/// host all messages cost what `between` says.
struct Machine {
  Link inside = {};                                      // between devices of one host
  Link between = {.latency = 10e-6, .bandwidth = 10e9};  // from host to host
  std::int64_t devices_per_host = 8;
  std::map<std::string, Link> axes = {};  // mesh axes by name, in place of the above
  double flops = 50e12;                   // operations a second of one device
  double memory = 1e12;                   // bytes a second between its memory and its units
  double overlap = 0;                     // of the time in which something is both sent and computed: the part saved
  friend bool operator==(const Machine&, const Machine&) = default;
};

namespace config {

/// The machine that reports reckon with (Explanation::seconds). Once one is given that is not the default one,
/// partitioning chooses by seconds on it, overlap apart; before that by bytes alone, along all axes alike. Throws
/// ValueError for a number that is not positive, or an overlap that is not from 0 to 1.
void machine(const Machine& machine, Loc loc = Loc::current());
Machine machine();

}  // namespace config
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
