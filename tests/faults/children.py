#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What children of one of several processes do leaves the job alone; and jobs whose programs never found each other.

`children.py MPIRUN JOB`
"""

import re
import subprocess
import sys

from mpi_environment import job_environment

MPIRUN, JOB = sys.argv[1:3]
ENVIRONMENT = job_environment(TUTTI_NUM_THREADS="2", TUTTI_COLLECTIVE_TIMEOUT="10", TUTTI_WAIT_LIMIT="60")


def run(case, code=0, **environment):
    done = subprocess.run([MPIRUN, "-n", "2", JOB, case], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=120, env=ENVIRONMENT | environment)
    if done.returncode != code:
        sys.exit(f"{case}: the job ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def says(text, pattern, times=1):
    if len(re.findall(pattern, text)) != times:
        sys.exit(f"not {times} times '{pattern}' in:\n{text}")


# hostile-3, M1
text = run("all")
for ended in (r"exit\(0\): exit 0", r"exit\(3\): exit 3", "_exit: exit 4", "quick_exit: exit 0", "abort: signal 6",
              "an exception: signal 6", "exec: exit 0", "computes and prints: exit 0",
              "a sharded sum is refused: exit 0", "a sharded sum is not caught: signal 6", "a grandchild: exit 6",
              "a thread: exit 0", "a thread that ends all: exit 7", "a barrier is refused: exit 0"):
    says(text, f"(?m)^{ended}$")
says(text, r"this is a child of process 1 of 2", 3)
says(text, r"process [01] is done", 2)
says(text, r"started: 0 of 1 says 6")
print("children: passed", flush=True)

# hostile-3, L9
says(run("uninitialized"), r"tutti: this is one of 2 processes of a job, and distributed::initialize\(\) was not called")
says(run("uninitialized", TUTTI_LOG="quiet"), "tutti:", 0)
print("uninitialized: passed", flush=True)
