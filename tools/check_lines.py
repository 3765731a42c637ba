#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no line has more than 120 characters: of C++ (raw strings excepted), Python, CMake and ./dev."""

import sys

from cpp_tokens import ROOT, raw_string_lines, sources

LIMIT = 120


def main():
    found = []
    others = [ROOT / "dev", ROOT / "CMakeLists.txt", *sorted((ROOT / "tools").glob("*.py")),
              *sorted((ROOT / "cmake").glob("*.cmake"))]
    for path in sources() + others:
        text = path.read_text()
        long = [(n, len(line)) for n, line in enumerate(text.splitlines(), 1) if len(line) > LIMIT]
        raw = raw_string_lines(text) if long and path.suffix in (".cpp", ".hpp") else ()
        found += [f"{path.relative_to(ROOT)}:{n}: {length} characters" for n, length in long if n not in raw]
    print("\n".join(found) if found else f"lines: none longer than {LIMIT} characters")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
