#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the docstring of every public class says what threads may do with an object: a line `/// Threads: ...`.

Structs are plain values: many threads may read one, changing it excludes all others (docs/guide/interop.md).
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPENS = re.compile(r"^(?:inline )?namespace ([\w:]+) \{")
CLOSES = re.compile(r"^\}  // namespace")
CLASS = re.compile(r"^(?:template <.*> )?class (\w+)[^;]*$")


def classes(path):
    """(line, name, docstring) of the classes that are defined in `path` outside of namespaces called detail."""
    lines, spaces = path.read_text().splitlines(), []
    for number, line in enumerate(lines):
        if match := OPENS.match(line):
            spaces.append(match[1])
        elif CLOSES.match(line) and spaces:
            spaces.pop()
        elif (match := CLASS.match(line)) and not any("detail" in s for s in spaces):
            at = number
            while lines[at - 1].startswith(("template", "requires")):
                at -= 1
            first = at
            while lines[first - 1].startswith("///"):
                first -= 1
            yield number + 1, match[1], "\n".join(lines[first:at])


def main():
    found = [(p.relative_to(ROOT), *c) for p in sorted((ROOT / "include").rglob("*.hpp")) for c in classes(p)]
    wrong = [f"{p}:{line}: {name} does not say what threads may do: /// Threads: ..."
             for p, line, name, text in found if "Threads:" not in text]
    print("\n".join(wrong) if wrong else f"check_threads: {len(found)} classes say what threads may do")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
