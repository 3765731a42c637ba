#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of several processes: from any number of them to any other, when one is killed, when the disk is full.

`checkpoints.py MPIRUN JOB [ROWS]`: JOB is checkpoint_job. What was complete restores bit for bit, whatever happens to a
save. With ROWS, only the way of a state of that many rows from mesh to mesh: 1677722 are 1 GiB.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from mpi_environment import job_environment

MPIRUN, JOB = sys.argv[1:3]
ROWS = sys.argv[3] if len(sys.argv) > 3 else None
ENVIRONMENT = job_environment(TUTTI_NUM_THREADS="1", TUTTI_COLLECTIVE_TIMEOUT="5")


def command(processes, *words):
    return ([MPIRUN, "-n", str(processes)] if processes > 1 else []) + [JOB, *map(str, words)]


def run(processes, *words, seconds=120):
    job = subprocess.run(command(processes, *words), env=ENVIRONMENT, text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, timeout=seconds)
    if job.returncode:
        sys.exit(f"{words} in {processes} processes ended with {job.returncode}:\n{job.stdout}")
    return job.stdout


def says(text, pattern):
    if not re.search(pattern, text):
        sys.exit(f"no '{pattern}' in:\n{text}")


def goes_from_any_to_any(folder):
    step = 0
    for saved_by in (1, 2, 4):
        for mesh in ("4x2", "2x4", "1x1"):
            step += 1
            run(saved_by, "save", folder, mesh, step)
            for read_by, other in ((1, "2x4"), (2, "4x2"), (4, "2x4"), (2, "1x1"))[step % 2::2]:
                says(run(read_by, "restore", folder, other), f"step {step} is whole")


def goes_from_mesh_to_mesh(folder, rows):
    for saved_by in (1, 2, 4):
        for carried_by in (1, 2, 4):
            path = os.path.join(folder, f"{saved_by}to{carried_by}")
            saved = os.path.join(path, "step_000001")
            run(saved_by, "save", path, "4x2", 1, rows)
            says(run(carried_by, "carry", path, "2x4", 2, rows), "step 1 is whole")
            size = sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(saved) for name in names)
            says(run(saved_by, "restore", path, "1x1", -1, rows), "step 1 is whole")
            print(f"{size / 2**30:.3f} GiB, saved on 4x2 by {saved_by}, carried to 2x4 by {carried_by}, read on 1x1 by "
                  f"{saved_by}: the same bits", flush=True)
            shutil.rmtree(path)


def is_killed_in_a_save(folder):
    interrupted = 0
    for turn in range(6):
        job = subprocess.Popen(command(2, "save_on", folder, "4x2"), env=ENVIRONMENT, text=True,
                               stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        pids = {}
        for line in job.stderr:
            if found := re.match(r"process (\d) is (\d+)", line):
                pids[int(found[1])] = int(found[2])
            if "saved 4" in line:
                break
        time.sleep(random.Random(turn).random() * 0.03)
        os.kill(pids[turn % 2], signal.SIGKILL)
        job.stderr.read()
        job.wait(10)
        interrupted += any(".tmp-" in name for name in os.listdir(folder))
        says(run(2, "restore", folder, "2x4"), r"step \d+ is whole")
    if not interrupted:
        sys.exit("no save was interrupted")


def fills_the_disk(folder):
    mount = os.path.join(folder, "small")
    os.mkdir(mount)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", mount], stderr=subprocess.DEVNULL).returncode:
        print("fills_the_disk: skipped: it takes a file system of its own, which only root may mount")
        return
    try:
        run(2, "save", mount, "4x2", 7)
        start = time.monotonic()
        text = run(2, "save_large", mount, "4x2", seconds=30)
        for process in (0, 1):
            says(text, rf"process {process}: .*No space left on device")
        if time.monotonic() - start > 15:
            sys.exit("it took long to say so")
        if left := [name for name in os.listdir(mount) if name != "step_000007"]:
            sys.exit(f"half a checkpoint is left: {left}")
        says(run(2, "restore", mount, "2x4"), "step 7 is whole")
    finally:
        subprocess.run(["umount", mount], check=False)


def goes_from_4x2_to_2x4_to_1x1(folder):
    goes_from_mesh_to_mesh(folder, ROWS or 96)


for case in (goes_from_4x2_to_2x4_to_1x1,) if ROWS else (goes_from_any_to_any, is_killed_in_a_save, fills_the_disk):
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        case(folder)
    print(f"{case.__name__}: {time.monotonic() - start:.1f} s", flush=True)
print("all passed")
