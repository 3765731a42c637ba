#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that source files stay readable: a word of warning above WARN lines, an error above FAIL."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["include", "src", "tests", "examples", "bench", "tools", "cmake"]
ENDINGS = {".hpp", ".cpp", ".py", ".cmake"}
WARN, FAIL = 300, 800


def main():
    failed = False
    for path in sorted(p for f in FOLDERS for p in (ROOT / f).rglob("*") if p.suffix in ENDINGS):
        lines = len(path.read_text(errors="replace").splitlines())
        if lines > WARN:
            word, limit = ("error", FAIL) if lines > FAIL else ("warning", WARN)
            print(f"{path.relative_to(ROOT)}: {word}: {lines} lines, more than {limit}")
            failed |= lines > FAIL
    print("sizes: too long" if failed else "sizes: ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
