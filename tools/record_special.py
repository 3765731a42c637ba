#!/usr/bin/env python3
"""Records SciPy's values of the special functions and distributions, for `./dev sweep special`.

    record_special.py FOLDER                      20,000 points of each function and precision, unless they are there
    record_special.py FOLDER --judge              where FOLDER/*.outside names points that differ: mpmath's values there
    record_special.py FOLDER --small FILE         for the tests: points of the functions that are within their bounds

The points are the same in each run: they are made of the regions in which such functions differ (integers, half of
them, neighbours of both, tiny and huge numbers, tails, edges, what is outside), not at random near 1. A block is a line
of text `NAME PRECISION ARGUMENTS POINTS` and float64 numbers, a column after the other: the arguments, the value, and
how much the value changes relative to a change of the arguments: sum |x_i df / dx_i|.
"""
import argparse
import pathlib
import sys
import warnings
import zlib

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from special_functions import functions  # noqa: E402

POINTS = 20000
warnings.filterwarnings("ignore")
np.seterr(all="ignore")


def sensitivity(f, args, value):
    """sum |x_i df / dx_i| by central differences; 0 where there is none."""
    total = np.zeros_like(value)
    step = 2.0**-26
    for i, x in enumerate(args):
        if not f.args[i].real:
            continue
        up, down = list(args), list(args)
        up[i], down[i] = x * (1 + step), x * (1 - step)
        change = np.abs(f.scipy(*up) - f.scipy(*down)) / (2 * step)
        total += np.where(np.isfinite(change), change, 0)
    return total


def write(path, name, precision, columns):
    with open(path, "wb") as out:
        out.write(f"{name} {precision} {len(columns) - 2} {len(columns[0])}\n".encode())
        for c in columns:
            out.write(np.ascontiguousarray(c, "<f8").tobytes())


def read(path):
    with open(path, "rb") as file:
        name, precision, args, points = file.readline().split()
        rows = np.frombuffer(file.read(), "<f8").reshape(int(args) + 2, int(points)).copy()
    return name.decode(), int(precision), rows


def record(folder, only):
    for f in functions():
        for precision in (32, 64):
            path = folder / f"{f.name}.{precision}"
            if path.exists() or (only and f.name not in only):
                continue
            rng = np.random.default_rng(zlib.crc32(f"{f.name} {precision}".encode()))
            dtype = np.float32 if precision == 32 else np.float64
            args = [np.asarray(a, dtype).astype(np.float64) for a in f.points(rng, POINTS, dtype)]
            value = np.asarray(f.scipy(*args), np.float64)
            write(path, f.name, precision, [*args, value, sensitivity(f, args, value)])


def judge(folder, only):
    """mpmath's values, which stay in the file, at the points whose rows FOLDER/NAME.PRECISION.outside lists."""
    by_name = {f.name: f for f in functions()}
    for outside in sorted(folder.glob("*.outside")):
        path = outside.with_suffix("")
        name, precision, rows = read(path)
        f = by_name[name]
        if not f.mpmath or (only and name not in only):
            continue
        listed = [int(i) for i in outside.read_text().split()]
        changed = 0
        for i in listed:
            value = f.exact(rows[:-2, i])
            if value is not None and not (value == rows[-2, i] or (np.isnan(value) and np.isnan(rows[-2, i]))):
                rows[-2, i] = value
                changed += 1
        if changed:
            write(path, name, precision, list(rows))
        print(f"{path.name}: {changed} of {len(listed)} are mpmath's")


def small(folder, file, each):
    with open(file, "wb") as out:
        for f in functions():
            for precision in (32, 64):
                if (folder / f"{f.name}.{precision}.outside").exists():
                    continue
                name, _, rows = read(folder / f"{f.name}.{precision}")
                rows = rows[:, np.linspace(0, rows.shape[1] - 1, each).astype(int)]
                out.write(f"{name} {precision} {len(rows) - 2} {rows.shape[1]}\n".encode())
                out.write(np.ascontiguousarray(rows, "<f8").tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--judge", action="store_true")
    parser.add_argument("--small", type=pathlib.Path)
    parser.add_argument("--each", type=int, default=60, help="points a function and precision in the selection")
    parser.add_argument("--only", nargs="*", help="names of functions")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.judge:
        judge(options.folder, options.only)
    else:
        record(options.folder, options.only)
    if options.small:
        small(options.folder, options.small, options.each)


if __name__ == "__main__":
    main()
