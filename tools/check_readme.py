#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that code shown in documents is what stands in the files.

The first C++ program in README.md is examples/first.cpp, and it is short; given that program, README.md has its output.
The picture of README.md is that of docs/bench.md. A block of docs/internals.md that names a
file (```cpp src/ops/movement/rev.cpp) is made of lines of that file, in their order; `...` stands for what is left out.
Paths that documents name exist, and their prose has no line of more than 120 characters outside of tables.
"""

import pathlib
import re
import subprocess
import sys

import guide
import speedup_svg

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 15
WIDTH = 120
PATH = re.compile(r"`((?:include|src|tests|tools|examples|bench|cmake|docs|packaging)/[^` :]*)`")


def quotes_differ(page):
    for name, text in re.findall(r"^```cpp (\S+)\n(.*?)^```", page.read_text(), re.S | re.M):
        code, at = (ROOT / name).read_text(), 0
        for part in re.split(r"^ *\.\.\.\n", text, flags=re.M):
            at = code.find(part, at)
            if at < 0:
                print(f"{page.relative_to(ROOT)}: not in {name}, or not in this order:\n{part}")
                return True
    return False


def documents():
    return [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")),
            *sorted((ROOT / "docs/guide").glob("*.md"))]


def expanded(path):
    """`src/{a,b}.hpp` as `src/a.hpp` and `src/b.hpp`."""
    braces = re.search(r"{([^{}]*)}", path)
    if not braces:
        return [path]
    return [e for part in braces[1].split(",") for e in expanded(path[:braces.start()] + part + path[braces.end():])]


def missing_paths():
    found = []
    for page in documents():
        for number, line in enumerate(page.read_text().splitlines(), 1):
            for path in PATH.findall(line):
                if re.search(r"[A-Z]{4}|[(<>]", path):  # FOLDER, NAME stand for others
                    continue
                found += [f"{page.relative_to(ROOT)}:{number}: there is no {e}" for e in expanded(path)
                          if not list(ROOT.glob(e.rstrip("/")))]
    return found


def long_lines():
    found = []
    for page in documents():
        code = False
        for number, line in enumerate(page.read_text().splitlines(), 1):
            code ^= line.startswith("```")
            if not code and len(line) > WIDTH and not line.startswith(("|", "    ")):
                found.append(f"{page.relative_to(ROOT)}:{number}: {len(line)} characters")
    return found


def output_differs(program):
    shown = re.search(r"```text\n(.*?)```", (ROOT / "README.md").read_text(), re.S)[1]
    now = subprocess.run([program], text=True, capture_output=True, check=True).stdout
    if not guide.same(now, shown):
        print(f"README.md: the first program prints\n{now}not\n{shown}")
        return 1
    return 0


def main():
    if len(sys.argv) > 1:
        return output_differs(sys.argv[1])
    shown = re.search(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    program = re.sub(r"\n// SPDX.*\n", "", (ROOT / "examples/first.cpp").read_text())
    if not shown or shown[1] != program:
        print("README.md: its first C++ program differs from examples/first.cpp")
        return 1
    if len(program.splitlines()) >= LIMIT:
        print(f"examples/first.cpp: a first program has fewer than {LIMIT} lines")
        return 1
    if quotes_differ(ROOT / "docs/internals.md"):
        return 1
    if speedup_svg.differs():
        return 1
    if found := missing_paths() + long_lines():
        print("\n".join(found))
        return 1
    print("readme: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
