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
};
/// Finds the other processes of the job: those that mpirun (or srun) started. Alone it does nothing. Call it first in
/// main: ids of devices depend on it, so ValueError once devices were used. DistributedError where the job is one of
/// several processes and the module libtutti_mpi.so, or an MPI, is missing; it says what to install. When main returns
/// the processes meet; one that ends by an exception or by exit(code) with code > 0 ends the job.
/// Source: jax.distributed.initialize.
void initialize(const Options& options = {}, Loc loc = Loc::current());
/// Whether there are several processes, and they have found each other.
bool is_initialized();

}  // namespace distributed

namespace multihost {

/// The whole of `x` on every process: what to_vector() and printing need.
/// Source: jax.experimental.multihost_utils.process_allgather(tiled=True).
Array process_allgather(const Array& x, Loc loc = Loc::current());
/// The value that process `source` has, on all: of an array that may differ from process to process.
/// Source: jax.experimental.multihost_utils.broadcast_one_to_all.
Array broadcast_one_to_all(const Array& x, int source = 0, Loc loc = Loc::current());
/// Waits until all processes have come here. `name` is compared: DistributedError when others are elsewhere.
/// Source: jax.experimental.multihost_utils.sync_global_devices.
void sync_global_devices(const std::string& name, Loc loc = Loc::current());
/// DistributedError, with `text` and the processes that differ, unless all have equal values.
/// Source: jax.experimental.multihost_utils.assert_equal.
void assert_equal(const Array& x, const std::string& text = "", Loc loc = Loc::current());

}  // namespace multihost

/// A global array of `sharding` of which this process gives its own part: what its devices hold, dense. `local` may be
/// whole where every process holds everything. The global shape follows. Source:
/// jax.make_array_from_process_local_data.
Array make_array_from_process_local_data(const Sharding& sharding, const Array& local, Loc loc = Loc::current());

}  // namespace tutti
