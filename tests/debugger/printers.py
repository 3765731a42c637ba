#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What gdb prints of arrays: printers.py GDB PROGRAM SCRIPT. 77 where gdb is missing, or cannot start programs or call
functions."""

import subprocess
import sys

# Expressions at the first and at the second stop, and what is printed of them.
FIRST = [
    ("x", "float32[2,3] [[1. 2. 3.] [4. 5. 6.]]"),
    ("scalar", "int32[] 7"),
    ("absent", "no array"),
    ("deleted", "float32[1], deleted by"),
    ("shape", "(2, 3)"),
    ("dtype", "bfloat16"),
    ("several._M_impl._M_start[1]", "float32[1] [3.]"),
]
SECOND = [("traced", "float32[2,3] of a program being recorded")]


def printed(pairs):
    return [part for expression, _ in pairs for part in ("-ex", f"print {expression}")]


def main():
    gdb, program, script = sys.argv[1:]
    if gdb.endswith("NOTFOUND"):
        print("gdb is not installed")
        return 77
    commands = ["-ex", f"source {script}", "-ex", "break stop_here", "-ex", "run", "-ex", "up", *printed(FIRST), "-ex",
                "continue", "-ex", "up", *printed(SECOND), "-ex", "kill"]
    try:
        done = subprocess.run([gdb, "-nx", "-batch", *commands, program], capture_output=True, text=True, timeout=200)
    except OSError as problem:
        print(f"gdb does not run: {problem}")
        return 77
    said = done.stdout + done.stderr
    if "ptrace" in said or "Python scripting is not supported" in said:
        print("gdb may not start programs here, or has no Python")
        return 77
    # gdb before version 14 does not know the registers of matrix tiles, and then calls no function.
    if "Couldn't write extended state status" in said:
        print("this gdb cannot call functions on this processor")
        return 77
    values = [line.split(" = ", 1)[1] for line in said.splitlines() if line.startswith("$") and " = " in line]
    expected = FIRST + SECOND
    wrong = [f"{e}: {v!r}, not {text!r}" for (e, text), v in zip(expected, values) if text not in v]
    if wrong or len(values) != len(expected):
        print(*wrong, f"{len(values)} values of {len(expected)}; gdb said:", said, sep="\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
