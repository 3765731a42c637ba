#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that kernels lie between lane/begin_*.inc and lane/end_target.inc: what they are compiled for would else be
lost without a word. clang-format sorts includes that stand together, so an empty line has to part them."""

import re
import sys

from cpp_tokens import ROOT, sources


def main():
    found, number = [], 0
    for path in sources():
        lines = path.read_text().splitlines()
        for n, line in enumerate(lines):
            if not re.match(r'#include "lane/(begin_\w+|end_target)\.inc"', line):
                continue
            number += 1
            beside = [lines[k] for k in (n - 1, n + 1) if 0 <= k < len(lines)]
            if any(other.startswith("#include") for other in beside):
                found.append(f"{path.relative_to(ROOT)}:{n + 1}: part it from the include beside it by an empty line")
    print("\n".join(found) if found else f"targets: {number} begin or end where they should")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
