#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the list of passes, src/ir/pass_list.cpp, a line each: `./dev passes`. With --why the reason for its place
follows on a second line."""

import collections
import pathlib
import re
import sys

from cpp_tokens import tokens

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "src/ir/pass_list.cpp"

Pass = collections.namedtuple("Pass", "id name of bits does after required line")


def passes():
    """The rows of the table, in order; `required` is None for an optional pass."""
    words = list(tokens(TABLE.read_text()))
    texts = [word for word, _ in words]
    rows, at = [], texts.index("table") + 3  # behind `table [ ]`
    while texts[at] != ";":
        if texts[at:at + 4] != ["{", "PassId", "::", texts[at + 3]]:
            at += 1
            continue
        end, fields = texts.index("}", at), [[]]
        for word in texts[at + 1:end]:
            if word == ",":
                fields.append([])
            else:
                fields[-1].append(word)
        say = [("".join(w[1:-1] for w in f) if f[0].startswith('"') else f[-1]) for f in fields]
        rows.append(Pass(say[0], *say[1:6], None if say[6] == "optional" else say[6], words[at][1]))
        at = end
    return rows


def main():
    if any(a != "--why" for a in sys.argv[1:]):
        sys.exit("usage: ./dev passes [--why]")
    rows = passes()
    width = max(len(p.name) for p in rows)
    bodies = {"program": "", "bodies": " Bodies of loops and branches only.", "both": " Also on bodies."}
    for p in rows:
        kind = f"Required: {p.required}." if p.required else (
            "Optional." if p.bits == "kept" else "Optional: changes rounding.")
        print(f"{p.name:{width}}  {p.does}{bodies[p.of]} {kind}")
        if "--why" in sys.argv:
            print(" " * width + f"  after {p.after}")


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:  # `| head`
        sys.stdout = None
