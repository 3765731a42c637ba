// Several processes, one program: all run the same main, arrays are global, each process holds its part.
//
//     mpirun -n 4 ./train --mesh data=4,model=2       // 4 processes with 2 devices each
//
//     int main() {
//       distributed::initialize();                    // does nothing when started alone
//       Mesh mesh = make_mesh({4, 2}, {"data", "model"});
//       ...                                           // the same program as for one process
//     }
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/array/placement.hpp"

namespace tutti {

/// The number of this process among `process_count()`, from 0. 0 of 1 before distributed::initialize().
int process_index();
int process_count();

namespace distributed {

struct Options {
  /// Only process 0 prints to stdout. stderr is everybody's.
  bool quiet_others = true;
  /// Seconds: a job in which a process has waited so long for others, in a collective or for a checkpoint, ends with
  /// exit code 124, and stderr says what it and those that it waits for wait in. 0: never. The environment's
  /// TUTTI_WAIT_LIMIT goes before it.
  double wait_limit = 0;
};
/// Finds the other processes of the job: those that mpirun (or srun) started. Alone it does nothing. Call it first in
/// main: ids of devices depend on it, so ValueError once devices were used. DistributedError where the job is one of
/// several processes and the module libtutti_mpi.so, or an MPI, is missing; it says what to install. When main returns
/// the processes meet; one that ends by an exception or by exit(code) with code > 0 ends the job. A child of fork()
/// takes no part: it may compute and end as it likes, and collectives raise DistributedError there; a program that a
/// process starts runs alone.
/// Source: jax.distributed.initialize.
void initialize(const Options& options = {}, Loc loc = Loc::current());
/// True if there are several processes, and they have found each other.
bool is_initialized();

}  // namespace distributed

namespace multihost {

struct AllgatherOptions {
  /// For arrays that are not placed on the devices of several processes, which each process has of its own: false
  /// stacks those of all along a new dim 0, in the order of the processes; true joins them along dim 0, and stacks
  /// scalars. Not given: they are the same everywhere, and come back as they are.
  std::optional<bool> tiled = {};
};

namespace detail {
Array allgather_leaf(const Array& x, const AllgatherOptions& options, Loc loc);
Array broadcast_leaf(const Array& x, int source, Loc loc);
}  // namespace detail

/// The whole of every array of the tree on every process: what to_vector() and printing need.
///
///     process_allgather(x);                           // x is placed: all of it
///     process_allgather(loss, {.tiled = false});      // each process has its own: float32[4] of 4 processes
///     process_allgather(rows, {.tiled = true});       // float32[3, 8] each: float32[12, 8]
///
/// DistributedError where types differ, and where an array is not placed, `tiled` is not given and its values differ
/// (they are compared up to 64 KiB, and all of them with TUTTI_CHECK=processes).
/// Source: jax.experimental.multihost_utils.process_allgather.
template <Tree T>
requires(!Number<T>) T
    process_allgather(const T& tree, const AllgatherOptions& options = {}, Loc loc = Loc::current()) {
  return tutti::detail::place_leaves(
      tree, [&](const tree::Path&, const Array& x) { return detail::allgather_leaf(x, options, loc); });
}
/// A number that each process has of its own: an array of those of all.
template <Number T> Array process_allgather(T value, const AllgatherOptions& = {}, Loc loc = Loc::current()) {
  return detail::allgather_leaf(Array(value), {.tiled = false}, loc);
}
/// The values that process `source` has, on all: of arrays that may differ from process to process.
/// DistributedError where types or `source` differ.
/// Source: jax.experimental.multihost_utils.broadcast_one_to_all.
template <Tree T>
requires(!Number<T>) T broadcast_one_to_all(const T& tree, int source = 0, Loc loc = Loc::current()) {
  return tutti::detail::place_leaves(
      tree, [&](const tree::Path&, const Array& x) { return detail::broadcast_leaf(x, source, loc); });
}
template <Number T> Array broadcast_one_to_all(T value, int source = 0, Loc loc = Loc::current()) {
  return detail::broadcast_leaf(Array(value), source, loc);
}
/// Waits until all processes have come here. `name` is compared: DistributedError when others are elsewhere.
/// Source: jax.experimental.multihost_utils.sync_global_devices.
void sync_global_devices(const std::string& name, Loc loc = Loc::current());
/// DistributedError, with `text` and the processes that differ, unless all have equal values.
/// Source: jax.experimental.multihost_utils.assert_equal.
void assert_equal(const Array& x, const std::string& text = "", Loc loc = Loc::current());

}  // namespace multihost

/// A global array of `sharding` of which this process gives its own part: what its devices hold, dense. The global
/// shape follows from the shapes that all processes give, which they tell each other; parts may differ in length as
/// the sharding's blocks do: 5 rows over 3 processes are 2, 2 and 1. DistributedError, with the shape of each process,
/// where they are no blocks of one array.
/// Source: jax.make_array_from_process_local_data.
Array make_array_from_process_local_data(const Sharding& sharding, const Array& local, Loc loc = Loc::current());
/// The same of a known global shape, without a message. In each dim `local` has the extent of this process's part, or
/// all of the global one, of which the part is taken. ShapeError else.
Array make_array_from_process_local_data(const Sharding& sharding, const Array& local, const Shape& global_shape,
                                         Loc loc = Loc::current());

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
