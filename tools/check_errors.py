#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that errors are thrown by raise<E>(operation, problem, advice), which words them: base/call_scope.hpp."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Errors of users. InternalError is ours and CompileError the code generator's: nothing there is to advise.
THROWN = re.compile(r"\bthrow\s+(?:tutti::)?(?!Internal|Compile)(\w*Error)\s*[({]")
# Where the text of an error is made, or is that of a document, word for word.
EXEMPT = {"include/tutti/base/call_scope.hpp", "src/mesh/conflict.cpp"}


def main():
    wrong = []
    for folder in ("src", "include"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            name = str(path.relative_to(ROOT))
            if name in EXEMPT:
                continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if match := THROWN.search(line):
                    better = f"use raise<{match[1]}>(operation, problem, advice)"
                    wrong.append(f"{name}:{number}: throws {match[1]} itself; {better}")
    print("\n".join(wrong) if wrong else "check_errors: every error says what failed, where, and what to do")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
