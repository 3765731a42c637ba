#!/usr/bin/env python3
"""Stages ask an Op (src/ir/op.hpp) what they need to know: none compares an op's name, or takes the address of an op.

Exceptions: partition speaks of collectives, compile of products and of what it adds itself: views before products,
copies behind bodies of loops."""

import pathlib
import re
import sys

from cpp_tokens import tokens

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGES = ["trace", "transform", "frontend", "propagate", "partition", "compile", "run", "isolation", "backend", "api"]
HOMES = ["src/ops", "src/regions"]
PRODUCTS = {"dot_general", "transpose", "reshape", "copy"}
LISTS = ["src/api/op_list.cpp"]  # of all ops

DECLARATION = re.compile(r"extern const (?:Op|Home) ([^;]+);")


def declared(folder):
    names = set()
    for path in (ROOT / folder).rglob("*.hpp"):
        for match in DECLARATION.finditer(path.read_text()):
            names.update(re.findall(r"\w+", match[1]))
    return names


def is_compared(words, at):
    """Whether the member access that ends at `at` is an operand of == or !=, or asked for its beginning or end."""
    if words[at + 1] in ("==", "!=") or words[at + 2:at + 3] and words[at + 2] in ("starts_with", "ends_with"):
        return True
    first = at
    while first > 0 and (re.match(r"\w", words[first - 1]) and words[first - 1] != "return" or
                         words[first - 1] in ("->", ".", "*")):
        first -= 1
    return words[first - 1] in ("==", "!=")


def found_in(text, ops, allowed):
    """(line, what is wrong) for each place."""
    row = list(tokens(text))
    words = [word for word, _ in row]
    for i, (word, line) in enumerate(row):
        before, after = words[max(0, i - 4):i], words[i + 1:i + 5]
        if word == "name" and before[-2:] in (["op", "->"], ["op", "."]) and is_compared(words, i):
            yield line, "compares the name of an op"
        if word == "find_op":
            yield line, "looks an op up by its name"
        if word == "&" and after[:2] == ["ops", "::"] and len(after) > 2 and after[2] in ops and after[3:4] != ["("]:
            binary = before and (re.match(r"\w", before[-1]) and before[-1] != "return" or before[-1] in (")", "]"))
            if not binary and after[2] not in allowed:
                yield line, f"takes the address of ops::{after[2]}"


def main():
    ops = set().union(*(declared(folder) for folder in HOMES))
    collectives = declared("src/ops/collective")
    allowed = {"partition": collectives, "compile": PRODUCTS}
    found = []
    for stage in STAGES:
        for path in sorted((ROOT / "src" / stage).rglob("*.[ch]pp")):
            where = path.relative_to(ROOT).as_posix()
            if where in LISTS:
                continue
            found += [f"{where}:{line}: {what}: ask its traits (src/ir/op.hpp)"
                      for line, what in found_in(path.read_text(), ops, allowed.get(stage, set()))]
    print("\n".join(found + [f"op names in stages: {len(found)}"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
