#!/usr/bin/env python3
"""Compiles every file here, each of which must fail, and checks what the compiler says.

The first lines of a file: `// error: TEXT` (TEXT must be in an error) and, if the message is about a member,
`// field: NAME` (its name must be in the compiler's trace). There may be at most two errors: one mistake, one message,
and perhaps a variable whose type could then not be deduced.

  run.py COMPILER INCLUDE_DIR... [--only NAME]
"""
import argparse
import pathlib
import re
import subprocess
import sys


def check(source, compiler, includes):
    lines = source.read_text().splitlines()
    wanted = {key: text for key, text in re.findall(r"^// (error|field): (.*)$", "\n".join(lines[:3]), re.M)}
    command = [compiler, "-std=c++20", "-fsyntax-only", *(f"-I{d}" for d in includes), str(source)]
    run = subprocess.run(command, capture_output=True, text=True)
    errors = [line for line in run.stderr.splitlines() if re.search(r"\berror: ", line)]
    problems = []
    if run.returncode == 0:
        problems.append("it compiles")
    if not any(wanted["error"] in line for line in errors):
        problems.append(f"no error says: {wanted['error']}")
    if len(errors) > 2:
        problems.append(f"{len(errors)} errors")
    if "field" in wanted and not names_field(run.stderr, wanted["field"]):
        problems.append(f"the member is not named: {wanted['field']}")
    return problems, errors


def names_field(text, name):
    """g++ prints the name as text, clang as a list of character codes."""
    return f'"{name}"' in text or ", ".join(str(ord(c)) for c in name) in text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("compiler")
    parser.add_argument("include", nargs="+")
    parser.add_argument("--only")
    args = parser.parse_args()
    failed = 0
    sources = sorted(pathlib.Path(__file__).parent.glob("*.cpp"))
    for source in sources:
        if args.only and source.stem != args.only:
            continue
        problems, errors = check(source, args.compiler, args.include)
        failed += bool(problems)
        print(f"{source.stem}: {'; '.join(problems) or 'ok'}")
        if problems:
            print("".join(f"    {e}\n" for e in errors[:5]), end="")
    print(f"{failed} of {len(sources)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
