#!/usr/bin/env python3
"""Checks that the first C++ program in README.md is examples/first.cpp, and that it is short."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 15


def main():
    shown = re.search(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    program = (ROOT / "examples/first.cpp").read_text()
    if not shown or shown[1] != program:
        print("README.md: its first C++ program differs from examples/first.cpp")
        return 1
    if len(program.splitlines()) >= LIMIT:
        print(f"examples/first.cpp: a first program has fewer than {LIMIT} lines")
        return 1
    print("readme: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
