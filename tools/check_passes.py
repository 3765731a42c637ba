#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the list of passes (src/ir/pass_list.cpp) is complete: each row has one sentence and a reason for its
place that names an earlier row, each row is run somewhere in src, each rewrite that src/compile/passes.hpp or a header
of src/partition declares is bound to a row, and documents name only passes that are in the list."""

import re
import sys

from passes import ROOT, TABLE, passes

# Other places than rows where these words stand for where a pass comes first.
ORIGINS = ["the transformations"]
# Functions over programs and plans that are no passes, but what passes are made of.
PARTS = ["lower", "compile", "plan_within"]
BACKQUOTED = re.compile(r"[Pp]ass(?:es)? `(\w+)`")


def of_rows(rows):
    known = []
    for p in rows:
        where = f"{TABLE.relative_to(ROOT)}:{p.line}: {p.name}"
        if not re.fullmatch(r"[A-Z0-9][^\n]*\.", p.does) or len(p.does) < 20:
            yield f"{where}: its sentence begins with a capital and ends with a full stop"
        if not any(re.search(rf"\b{n}\b", p.after) for n in known + ORIGINS):
            yield f"{where}: `after` names no earlier pass"
        if "because" not in p.after and "does not depend" not in p.after:
            yield f"{where}: `after` gives no reason"
        if p.required is not None and len(p.required) < 10:
            yield f"{where}: why it is required is not said"
        known.append(p.name)


def of_sources(rows):
    sources = {f: f.read_text() for f in sorted((ROOT / "src").rglob("*.[ch]pp")) if f.parent != TABLE.parent}
    run = {name for text in sources.values() for name in re.findall(r"PassId::(\w+),", text)}
    for p in rows:
        if p.id not in run:
            yield f"{TABLE.relative_to(ROOT)}:{p.line}: {p.name} is run nowhere in src"
    for header, pattern, place in [
            ("compile/passes.hpp", r"^(?:Program|Plan) (\w+)\((?:const Program&|Plan) ", "compile/pipeline.cpp"),
            ("partition/*.hpp", r"^ShardedProgram (with_\w+)\(", "partition/partition.cpp")]:
        bound = (ROOT / "src" / place).read_text()
        for path in sorted((ROOT / "src").glob(header)):
            for name in re.findall(pattern, path.read_text(), re.M):
                if name not in PARTS and not re.search(rf"\b{name}\(", bound):
                    yield f"{path.relative_to(ROOT)}: {name} has no row in the list, which src/{place} binds"


def of_documents(rows):
    names = [p.name for p in rows]
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")),
                 *sorted((ROOT / "docs/guide").glob("*.md"))]:
        for n, line in enumerate(path.read_text().splitlines(), 1):
            for name in BACKQUOTED.findall(line):
                if name not in names:
                    yield f"{path.relative_to(ROOT)}:{n}: there is no pass {name}"
    internals = (ROOT / "docs/internals.md").read_text()
    block = re.search(r"^((?:    [a-z_ |]+\n)+)", internals[internals.index("The passes, in order:"):], re.M)
    if block is None or re.findall(r"\w+", block[1]) != names:
        yield "docs/internals.md: the list of passes is not that of the table, in its order"


def main():
    rows = passes()
    found = [*of_rows(rows), *of_sources(rows), *of_documents(rows)]
    print("\n".join(found) if found else f"passes: {len(rows)}, all with a sentence and a place")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
