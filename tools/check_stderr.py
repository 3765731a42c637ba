#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that nothing writes to stderr but src/base/messages.cpp: all texts pass the handler of set_message_handler."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WRITES = re.compile(r"\bstd::(cerr|clog)\b|\bstderr\b|\bperror\s*\(|\berrs\(\)|\bSTDERR_FILENO\b|\bwrite\(2\b")
# What may, and why.
EXEMPT = {
    "src/base/messages.cpp": "the way itself",
    "src/data/progress.cpp": "asks whether stderr is a terminal, and how wide",
}


def code(line):
    """Without a comment, and without what stands in quotes."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', line).split("//", 1)[0]


def main():
    wrong = []
    for folder in ("src", "include"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            name = str(path.relative_to(ROOT))
            if name in EXEMPT:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if match := WRITES.search(code(line)):
                    wrong.append(f"{name}:{number}: {match[0]}: use say (base/say.hpp)")
    print("\n".join(wrong) if wrong else "check_stderr: all texts for people pass the handler of messages")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
