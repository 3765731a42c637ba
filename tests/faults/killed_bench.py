#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A benchmark driver that is killed takes its job along: `killed_bench.py BENCH`."""

import os
import pathlib
import signal
import subprocess
import sys
import time

from mpi_environment import job_environment

ENVIRONMENT = job_environment()


def children(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_for(seconds, what):
    end = time.monotonic() + seconds
    while not (found := what()):
        if time.monotonic() > end:
            return None
        time.sleep(0.05)
    return found


driver = subprocess.Popen([sys.argv[1], "--processes", "2", "--seconds", "60", "--rounds", "1", "--filter",
                           "^psum_8x1K$"], env=ENVIRONMENT, stdout=subprocess.DEVNULL)


def whole_job():
    launchers = children(driver.pid)
    ranks = [rank for launcher in launchers for rank in children(launcher)]
    return launchers + ranks if len(ranks) == 2 else None


job = wait_for(30, whole_job)
driver.send_signal(signal.SIGKILL)
driver.wait()
if not job:
    sys.exit("no job of two processes was started")
if not wait_for(10, lambda: not any(map(is_running, job))):
    sys.exit(f"still running 10 s later: {[pid for pid in job if is_running(pid)]}")
print("passed")
