#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bounds of errors in the public headers are those that tests/special promises. --write puts them there."""
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = {"special.hpp": ["gamma_functions.cpp", "other_functions.cpp"],
           "distributions.hpp": ["distributions.cpp"]}
ENTRY = re.compile(r'\{"(\w+)",\s*(?:first<\d>\([\w:]+\)|\[\].*?\}),\s*(\d+),\s*(\d+)', re.S)
BLOCK = re.compile(r"(?<=^// -- Errors\n).*?(?=^// --\n)", re.S | re.M)
INTRODUCTION = """Units in the last place of the result, beyond what half a unit of the arguments changes; regions
with bounds of their own, and why, are listed by `./dev sweep special`."""


def wrapped(text, indent):
    return textwrap.fill(text, 120, initial_indent="// ", subsequent_indent="// " + indent,
                         break_on_hyphens=False) + "\n"


def block(sources):
    names = {}
    for source in sources:
        for name, *units in ENTRY.findall((ROOT / "tests/special" / source).read_text()):
            names.setdefault(tuple(map(int, units)), []).append(name)
    lines = [wrapped(f"  {f32} in float32, {f64} in float64: {' '.join(of)}", "    ")
             for (f32, f64), of in sorted(names.items())]
    return wrapped(" ".join(INTRODUCTION.split()), "") + "".join(lines)


def main():
    wrong = []
    for header, sources in HEADERS.items():
        path = ROOT / "include/tutti/special" / header
        text = path.read_text()
        want = BLOCK.sub(lambda _: block(sources), text)
        if text != want or not BLOCK.search(text):
            wrong.append(header)
            if "--write" in sys.argv:
                path.write_text(want)
    if wrong and "--write" not in sys.argv:
        print(f"bounds: {', '.join(wrong)}: not those of tests/special; run tools/check_bounds.py --write")
        return 1
    print("bounds: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
