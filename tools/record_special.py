#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records values of the special functions and distributions, for `./dev sweep special`.

    record_special.py FOLDER             SciPy's at 20,000 points of each function and precision that FOLDER lacks
    record_special.py FOLDER --judge     mpmath's at the points which FOLDER/*.outside list
    record_special.py FOLDER --small FILE     for the tests: every k-th point of each function

All three take --filter REGEX: functions whose names have a match of it. What was interrupted goes on where it was.

The points are the same in each run: they are made of the regions in which such functions differ (integers, half of
them, neighbours of both, tiny and huge numbers, tails, edges, what is outside), not at random near 1. A block is a line
of text `NAME PRECISION ARGUMENTS POINTS` and float64 numbers, a column after the other: the arguments, the value, and
how much the value changes relative to a change of the arguments: sum |x_i df / dx_i|.

FOLDER/NAME.PRECISION.judged has a line a point, `INDEX VALUE SENSITIVITY`, or `INDEX unknown` where mpmath found none;
these values stand instead of SciPy's.
"""
import argparse
import functools
import multiprocessing
import os
import pathlib
import re
import signal
import sys
import time
import warnings
import zlib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from special_distributions import distributions  # noqa: E402
from special_functions import several, unary  # noqa: E402

POINTS = 20000
SECONDS = 20  # of a processor, that mpmath has for a point
CHUNK = 20
warnings.filterwarnings("ignore")
np.seterr(all="ignore")


@functools.cache
def functions():
    return {f.name: f for f in [*unary(), *several(), *distributions()]}


def parallel(work, tasks):
    """Results of tasks as they come, with the share that is done."""
    with multiprocessing.get_context("fork").Pool(min(os.cpu_count(), len(tasks) or 1)) as pool:
        for done, result in enumerate(pool.imap_unordered(work, tasks), 1):
            yield f"[{done}/{len(tasks)}]", result


# --- files
def write(path, name, precision, columns):
    partial = path.with_name(path.name + ".part")
    with open(partial, "wb") as out:
        out.write(f"{name} {precision} {len(columns) - 2} {len(columns[0])}\n".encode())
        for c in columns:
            out.write(np.ascontiguousarray(c, "<f8").tobytes())
    partial.rename(path)


def read(path):
    with open(path, "rb") as file:
        args, points = map(int, file.readline().split()[2:])
        return np.frombuffer(file.read(), "<f8").reshape(args + 2, points).copy()


def judged(path):
    """By point: value and sensitivity, or None. A last line that was cut short counts as none."""
    found = {}
    if (file := path.with_name(path.name + ".judged")).exists():
        for line in file.read_text().splitlines(True):
            words = line.split()
            if line.endswith("\n"):
                found[int(words[0])] = None if words[1] == "unknown" else (float(words[1]), float(words[2]))
    return found


# --- SciPy's values
def record_one(task):
    path, name, precision = task
    start, f = time.time(), functions()[name]
    rng = np.random.default_rng(zlib.crc32(f"{name} {precision}".encode()))
    args = f.points(rng, POINTS, np.float32 if precision == 32 else np.float64)
    if path.exists() and np.array_equal(read(path)[:-2], args, equal_nan=True):
        return name, precision, None
    write(path, name, precision, [*args, f.scipy(*args), f.sensitivity(args)])
    path.with_name(path.name + ".judged").unlink(missing_ok=True)
    return name, precision, time.time() - start


def record(tasks):
    for share, (name, precision, seconds) in parallel(record_one, tasks):
        if seconds is not None:
            print(f"{share} {name}, float{precision}: recorded in {seconds:.1f} s", flush=True)


# --- mpmath's values
class TooLong(Exception):
    pass


def expire(*_):
    raise TooLong


def judge_some(task):
    path, name, points, indices = task
    f, lines = functions()[name], []
    signal.signal(signal.SIGVTALRM, expire)
    for i, at in zip(indices, points):
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)  # of its own time, whatever else runs
            value = f.exact(at)
        except TooLong:
            value = None
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        lines.append(f"{i} {value[0]!r} {value[1]!r}\n" if value else f"{i} unknown\n")
    return path, lines


def judge(tasks):
    chunks = []
    for path, name, _ in tasks:
        if not (outside := path.with_name(path.name + ".outside")).exists() or not functions()[name].mpmath:
            continue
        known = judged(path)
        left = [i for i in map(int, outside.read_text().split()) if i not in known]
        rows = read(path)
        chunks += [(path, name, rows[:-2, left[k:k + CHUNK]].T, left[k:k + CHUNK]) for k in range(0, len(left), CHUNK)]
    counts = {}
    for share, (path, lines) in parallel(judge_some, chunks):
        with open(path.with_name(path.name + ".judged"), "a") as file:
            file.writelines(lines)
        counts[path] = counts.get(path, 0) + len(lines)
        if sum(path == c[0] for c in chunks) * CHUNK - counts[path] < CHUNK:
            report(share, path)


def report(share, path):
    values, found = read(path)[-2], judged(path)
    unknown = sum(v is None for v in found.values())
    other = sum(v is not None and not (v[0] == values[i] or (np.isnan(v[0]) and np.isnan(values[i])))
                for i, v in found.items())
    print(f"{share} {path.name}: mpmath's value instead of SciPy's at {other} of {len(found)} points"
          + (f", none at {unknown}" if unknown else ""), flush=True)


# --- for the tests
def small(tasks, file, each):
    with open(file, "wb") as out:
        for path, name, precision in tasks:
            rows = read(path)
            for i, v in judged(path).items():
                if v is not None:
                    rows[-2:, i] = v
            rows = rows[:, np.linspace(0, rows.shape[1] - 1, each).astype(int)]
            out.write(f"{name} {precision} {len(rows) - 2} {rows.shape[1]}\n".encode())
            out.write(np.ascontiguousarray(rows, "<f8").tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--small", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=37, help="points a function and precision in the selection")
    parser.add_argument("--filter", default="", help="functions whose names have a match of this")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    tasks = [(options.folder / f"{name}.{precision}", name, precision)
             for name in functions() if re.search(options.filter, name) for precision in (32, 64)]
    if options.small:
        small(tasks, options.small, options.each)
    elif options.judge:
        judge(tasks)
    else:
        record(tasks)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
