#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/scaling.md: step times of an MLP and of the demo, a GPT, on 2 to 1,024 processes, predicted and, on a few, measured.

usage: scaling.py --build build/release [--out docs/scaling.md] [--rounds 3]         (./dev scaling)
The model: a step takes what one process with one thread takes for its rows of the batch, plus for each message that it
is planned to receive a latency and for each byte a time: nothing overlaps. Messages and bytes are those of explain().
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/faults"))
from mpi_environment import job_environment  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--build", default="build/release")
parser.add_argument("--out", default=str(ROOT / "docs/scaling.md"))
parser.add_argument("--rounds", type=int, default=3, help="how often a step is timed")
arguments = parser.parse_args()
BUILD = pathlib.Path(arguments.build).resolve()
ENVIRONMENT = job_environment(TUTTI_NUM_THREADS="1")

# Latency in s of a message, s of a byte. 100 Gb/s: 2 us by remote access to memory, 11 of 12.5 GB/s; 25 us and 4 GB/s
# through the kernel by TCP.
NETWORKS = {"100 Gb/s, RDMA": (2e-6, 1 / 11e9), "100 Gb/s, TCP": (25e-6, 1 / 4e9)}
UNITS = {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9}
PROCESSES = [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
MEASURED = [1, 2, 4]


class Program:
    def __init__(self, name, title, options, whole, each, most):
        self.name, self.title, self.options = name, title, options
        self.whole, self.each = whole, each  # rows of all together (strong scaling); of each process (weak)
        self.most = most                     # rows up to which one process is timed; above, time grows with rows
        self.times = {}

    def command(self, processes, rows, *more):
        return [str(BUILD / "examples" / self.name), *self.options, "--mesh", f"{processes}x1", "--batch", str(rows), *more]

    def run_for(self, steps, processes, rows, started):
        command = self.command(processes, rows, "--steps", str(steps))
        if started > 1:
            command = ["mpirun", "-n", str(started), *command]
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            subprocess.run(command, env=ENVIRONMENT, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            return time.perf_counter() - start

    def step_time(self, processes, rows, started):
        """Seconds of a step: long runs less short ones, so that starting and compiling do not count."""
        short, long = 2, 12
        once = self.run_for(long, processes, rows, started) - self.run_for(short, processes, rows, started)
        if once < 0.5:
            long = 12 + int(min(1.0 / max(once / 10, 1e-4), 400))
        each = [(self.run_for(long, processes, rows, started) - self.run_for(short, processes, rows, started)) /
                (long - short) for _ in range(arguments.rounds)]
        return max(statistics.median(each), 1e-6)

    def compute(self, rows):
        """Seconds of a step on one process with one thread."""
        if rows > self.most:
            return self.compute(self.most) * rows / self.most
        if rows not in self.times:
            self.times[rows] = self.step_time(1, rows, 1)
        return self.times[rows]

    def planned(self, processes, rows):
        """Messages and bytes that a device receives in a step, by explain(); the program is stopped before its steps."""
        command = ["stdbuf", "-oL", *self.command(processes, rows, "--steps", "1", "--explain")]
        with tempfile.TemporaryDirectory() as folder:
            job = subprocess.Popen(command, env=ENVIRONMENT, cwd=folder, stdout=subprocess.PIPE, text=True)
            try:
                for line in job.stdout:
                    if found := re.match(r"\s*planned\s+([\d.]+) (\w+), (\d+) messages, (\d+) collectives", line):
                        return int(found[3]), float(found[1]) * UNITS[found[2]]
            finally:
                job.send_signal(signal.SIGKILL)
                job.wait()
        raise SystemExit(f"{' '.join(command)}: explain() says nothing of what is planned")


def measured_network():
    """Latency and time of a byte between two processes here, and the table they come from."""
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run([str(BUILD / "tutti_bench"), "--processes", "2", "--filter", "^exchange_", "--json", out.name],
                       check=True, stdout=subprocess.DEVNULL)
        rows = json.load(open(out.name))
    table = [(int(re.search(r"\d+", r["name"])[0]), min(r["ours"]["min_ms"]) / 1e3) for r in rows]
    latency = table[0][1]
    per_byte = (table[-1][1] - latency) / table[-1][0]
    return latency, per_byte, table


def milliseconds(seconds):
    ms = 1e3 * seconds
    return f"{ms:.0f}" if ms >= 100 else f"{ms:.1f}" if ms >= 10 else f"{ms:.2f}"


def rows_of(program, kind, processes):
    return (program.whole, program.whole // processes) if kind == "strong" else (program.each * processes, program.each)


def section(program, kind, here):
    what = (f"{program.whole} rows in all" if kind == "strong" else f"{program.each} rows for each process")
    networks = {"this machine": here, **NETWORKS}
    lines = [f"### {program.title}: {kind} scaling, {what}", "",
             "| processes | rows each | messages | received | compute | " + " | ".join(networks) +
             " | efficiency, RDMA | measured here |",
             "|" + "---|" * (7 + len(networks))]
    alone = program.compute(rows_of(program, kind, 1)[0])
    for p in [1] + PROCESSES:
        total, each = rows_of(program, kind, p)
        if each < 1:
            continue
        messages, received = (0, 0.0) if p == 1 else program.planned(p, total)
        compute = program.compute(each)
        steps = {name: compute + messages * a + received * b for name, (a, b) in networks.items()}
        ideal = alone / p if kind == "strong" else alone
        measured = milliseconds(program.step_time(p, total, p)) if p in MEASURED and total <= program.most else ""
        lines.append(f"| {p} | {each} | {messages} | {received / 1e6:.2f} MB | {milliseconds(compute)} | " +
                     " | ".join(milliseconds(t) for t in steps.values()) +
                     f" | {100 * ideal / steps['100 Gb/s, RDMA']:.0f} % | {measured} |")
    return lines + [""]


def main():
    programs = [Program("train_text", "An MLP (train_text)", [], 1024, 256, 2048),
                Program("train_gpt", "The demo, a GPT (train_gpt)", [], 1024, 8, 32)]
    latency, per_byte, table = measured_network()
    text = ["# Scaling", "",
            "Made by `./dev scaling` (bench/scaling.py), not by hand: predicted milliseconds of a training step on 1 to",
            "1,024 processes with a thread each, and measured ones where this machine has as many.", "",
            "The model: a step takes what one process takes for its rows of the batch (measured here, one thread; GPT:",
            "above 32 rows in proportion), plus a latency for each message and a time for each byte that a process is",
            "planned to receive. Those are explain()'s, of the same program on a mesh of as many devices. Nothing",
            "overlaps and messages of one round wait for each other, so it is an upper bound where latencies count:",
            "beyond about a hundred processes. Memory and caches are taken to be each process's own; here processes",
            "share them, and more processes than cores share those.", "",
            f"{os.cpu_count()} cores, {datetime.date.today()}, load average {os.getloadavg()[0]:.0f} when it began. Other",
            "work on the machine shows in what is measured: a process that waits for one that is not running waits too.", "",
            "## Messages", "",
            "| network | latency | bandwidth | |", "|---|---|---|---|",
            f"| this machine | {1e6 * latency:.1f} us | {1e-9 / per_byte:.1f} GB/s | between two processes by MPI's "
            "shared memory, measured |"]
    text += [f"| {name} | {1e6 * a:.0f} us | {1e-9 / b:.0f} GB/s | typical |" for name, (a, b) in NETWORKS.items()]
    text += ["", "Least times of `./dev bench --processes 2 --filter '^exchange_'`, in which each of two processes sends",
             "to the other:", "", "| bytes | us |", "|---|---|"]
    text += [f"| {n} | {1e6 * t:.1f} |" for n, t in table] + ["", "## Steps", "",
             "`compute` and the columns of networks are milliseconds of a step. Efficiency compares with one process.", ""]
    for program in programs:
        for kind in ("strong", "weak"):
            text += section(program, kind, (latency, per_byte))
    pathlib.Path(arguments.out).write_text("\n".join(text).rstrip() + "\n")
    print(f"written: {arguments.out}")


main()
