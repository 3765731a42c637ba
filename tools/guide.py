#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/guide are programs: every ```cpp listing of a page is compiled, in order, into one main(), and run.

    guide.py extract PAGE.md PROGRAM.cpp   write the program; `cpp global` listings stand before main()
    guide.py check PAGE.md PROGRAM         run it and compare what each listing prints with the ```text block below it:
                                           floats to four digits, as processors round differently, everything else
                                           exactly but for blanks
    guide.py update PAGE.md PROGRAM        run it and put what each listing prints into the page
"""

import pathlib
import re
import subprocess
import sys

FENCE = re.compile(r"^```(\w*) *(\w*)$")
MARK = "\x1e"


def parts(text):
    """The page as a list of (kind, first line number, lines): kind is "prose", "cpp", "cpp global" or "text"; fences
    are left out of code."""
    out, kind, start, lines = [], "prose", 1, []
    for number, line in enumerate(text.split("\n"), 1):
        fence = FENCE.match(line)
        if kind == "prose" and fence:
            out.append((kind, start, lines))
            kind, start, lines = " ".join(filter(None, fence.groups())) or "plain", number + 1, []
        elif kind != "prose" and line == "```":
            out.append((kind, start, lines))
            kind, start, lines = "prose", number + 1, []
        else:
            lines.append(line)
    if kind != "prose":
        sys.exit(f"line {start}: a listing is not closed")
    return out + [(kind, start, lines)]


def extract(page, program):
    listed = parts(page.read_text())

    def code(wanted, mark):
        # Lines are counted within a listing, so that what is printed does not move them.
        out, number = [], 0
        for kind, _, lines in listed:
            number += kind.startswith("cpp")
            if kind == wanted:
                out += [f'#line 1 "{page.stem} listing {number}"', *lines, *mark]
        return out

    marked = ['std::cout << std::flush; std::cout << "\\x1e" << std::flush;']
    source = ["#include <cmath>", "#include <iostream>", "#include <tutti/tutti.hpp>", "using namespace tutti;",
              *code("cpp global", []), "int main() {", *code("cpp", marked), "}", ""]
    text = "\n".join(source)
    if not program.exists() or program.read_text() != text:
        program.write_text(text)


def with_outputs(page, program):
    run = subprocess.run([program], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{page.name}: the program failed with {run.returncode}\n{run.stdout}{run.stderr}")
    printed = run.stdout.split(MARK)
    listed = parts(page.read_text())
    out, listing, i = [], 0, 0
    while i < len(listed):
        kind, _, lines = listed[i]
        out += lines if kind == "prose" else [f"```{kind}", *lines, "```"]
        if kind == "cpp":
            text = printed[listing].rstrip("\n")
            listing += 1
            if text:
                out += ["```text", *[line.rstrip() for line in text.split("\n")], "```"]
            if [k for k, _, content in listed[i + 1:i + 3] if k != "prose" or content] == ["text"]:
                i += 2   # what was printed before
        i += 1
    return "\n".join(out)


FLOAT = re.compile(r"-?\d+\.\d*(?:e[-+]?\d+)?")


def same(a, b):
    """Whether two pages agree, see above."""
    if FLOAT.sub("#", a).split() != FLOAT.sub("#", b).split():
        return False
    pairs = [(float(x), float(y)) for x, y in zip(FLOAT.findall(a), FLOAT.findall(b))]
    return all(abs(x - y) <= 1e-4 * max(abs(x), 1e-2) for x, y in pairs)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ("extract", "check", "update"):
        sys.exit(__doc__)
    page, program = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    if sys.argv[1] == "extract":
        return extract(page, program)
    new = with_outputs(page, program.resolve())
    if sys.argv[1] == "update":
        page.write_text(new)
    elif not same(new, page.read_text()):
        import difflib
        before, now = page.read_text().split("\n"), new.split("\n")
        sys.exit("\n".join(difflib.unified_diff(before, now, page.name, "printed now", lineterm="")))


if __name__ == "__main__":
    main()
