#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A training run prints the same losses on 1, 2, 4 and 8 processes, and each step is sent what explain() plans.

    processes.py MPIEXEC PROGRAM [OPTION...]    PROGRAM takes --mesh, --steps, --seed and --explain, as train_text does
"""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "faults"))
from mpi_environment import job_environment  # noqa: E402

MPIEXEC, PROGRAM, *OPTIONS = sys.argv[1:]
STEPS = 20
UNITS = {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9}
ENVIRONMENT = job_environment(TUTTI_NUM_THREADS="1", TUTTI_COLLECTIVE_TIMEOUT="20")


def run(processes):
    command = [MPIEXEC, "-n", str(processes), PROGRAM, *OPTIONS, "--mesh", "data=4,model=2", "--steps", str(STEPS),
               "--seed", "3", "--explain"]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr}"
    return done.stdout


def losses(text):
    found = [float(x) for x in re.findall(r"^step +\d+ loss ([0-9.]+)", text, re.M)]
    assert len(found) == STEPS, text
    return found


alone = losses(run(1))
for processes in (2, 4, 8):
    text = run(processes)
    for step, (want, got) in enumerate(zip(alone, losses(text)), 1):
        assert abs(got - want) <= 1e-5 * abs(want), f"{processes} processes, step {step}: {got} instead of {want}"
    amount, unit, messages = re.search(r"planned +([0-9.]+) (\w+), (\d+) messages", text).groups()
    planned, digits = float(amount) * UNITS[unit], len(amount.partition(".")[2])
    received = re.findall(r"received (\d+) bytes in (\d+) messages", text)
    assert len(received) == STEPS, text
    for got_bytes, got_messages in received:
        assert got_messages == messages, f"{processes} processes: {got_messages} messages, planned {messages}"
        difference = abs(int(got_bytes) - planned)
        assert difference <= 0.5 * 10**-digits * UNITS[unit], f"{processes} processes: {got_bytes} B, planned {planned} B"
    print(f"{processes} processes: the same losses, {received[0][0]} bytes in {messages} messages a step as planned")
