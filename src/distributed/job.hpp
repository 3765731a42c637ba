// What the starter of a job (mpirun, srun) says in the environment, before anybody has talked to an MPI.
#pragma once

namespace tutti::distributed {

/// How many processes there are; 1 without a job, and in a program that a process of a job started: that process has
/// its place.
int processes_started();
/// Programs that this process starts are told that they are none of the job.
void claim_place();
/// One line on stderr, by the first process and once, where there are several and distributed::initialize was not
/// called: each of them computes everything. TUTTI_LOG=quiet: none.
void tell_if_alone();

}  // namespace tutti::distributed

// SPDX-License-Identifier: Apache-2.0
