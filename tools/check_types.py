#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no two types of the library have one name: the linker would take one's functions for the other's."""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKEN = re.compile(
    r"namespace\s*([\w:]*)\s*\{|"
    r"^\s*(?:struct|class|enum class)\s+(\w+)\s*(?:final\s*)?(?::[^:;{()=][^;{()=]*)?\{|"
    r"\{|\}", re.M)


def types(path):
    """The types that stand in named namespaces."""
    text = re.sub(r"//.*", "", path.read_text(errors="replace"))
    text = re.sub(r"R\"\w*\((?:.|\n)*?\)\w*\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'", '""', text)
    around = []  # names of namespaces; "" for one without a name, None for any other brace
    for m in TOKEN.finditer(text):
        if m.group(0).lstrip().startswith("namespace"):
            around.append(m.group(1))
        elif m.group(2):
            if all(around):
                yield "::".join([*around, m.group(2)])
            around.append(None)
        elif m.group(0) == "{":
            around.append(None)
        elif around:
            around.pop()


def main():
    places = collections.defaultdict(set)
    for folder in ("include", "src"):
        for path in sorted((ROOT / folder).rglob("*.?pp")):
            for name in types(path):
                places[name].add(str(path.relative_to(ROOT)))
    twice = {name: paths for name, paths in places.items() if len(paths) > 1}
    for name, paths in sorted(twice.items()):
        print(f"{name}: error: a type of this name stands in {' and in '.join(sorted(paths))}")
    print("types: of one name" if twice else f"types: ok, {len(places)} names")
    return 1 if twice or len(places) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
