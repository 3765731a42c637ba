#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Processes that do not do the same: each case of divergence.cpp ends within the limit, with a message of tutti.

`divergence.py MPIRUN JOB [NUMBER...]`. No case ends by an error that MPI raised, and none goes unnoticed.
"""

import re
import subprocess
import sys
import tempfile
import time

from mpi_environment import job_environment

MPIRUN, JOB, *ONLY = sys.argv[1:]
LIMIT = 5
ENVIRONMENT = job_environment(TUTTI_NUM_THREADS="1", TUTTI_COLLECTIVE_TIMEOUT="60", TUTTI_WAIT_LIMIT=str(LIMIT))
RAW = r"MPI_ERR|An error occurred in MPI|MPI_ERRORS_ARE_FATAL|Segmentation|InternalError"


def problem(number, environment, expected, folder):
    given = dict(word.split("=") for word in environment.split())
    try:
        done = subprocess.run([MPIRUN, "-n", "2", JOB, str(number)], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=60 + LIMIT,
                              env=ENVIRONMENT | given | {"FAULT_FOLDER": folder})
    except subprocess.TimeoutExpired as late:
        return f"it did not end:\n{(late.stdout or b'').decode()}"
    if done.stdout.count("noticed nothing") == 2 or done.returncode == 0:
        return f"nobody noticed, exit code {done.returncode}:\n{done.stdout}"
    if not re.search(expected, done.stdout):
        return f"no '{expected}' in:\n{done.stdout}"
    if re.search(RAW, done.stdout):
        return f"an error of MPI's own:\n{done.stdout}"
    if "the wait limit" in done.stdout and (done.returncode != 124 or "the job ends with 124" not in done.stdout):
        return f"exit code {done.returncode}, not 124:\n{done.stdout}"
    return None


cases = [line.split("\t") for line in subprocess.check_output([JOB, "list"], text=True).splitlines()]
failed = 0
for number, (name, environment, expected) in enumerate(cases):
    if ONLY and str(number) not in ONLY:
        continue
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        wrong = problem(number, environment, expected, folder)
    failed += wrong is not None
    print(f"{number} {name}: {time.monotonic() - start:.1f} s{'' if wrong is None else ': ' + wrong}", flush=True)
print(f"{failed} of {len(cases)} failed" if failed else "all passed")
sys.exit(1 if failed else 0)
