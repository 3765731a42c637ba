#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""program_size.py PROGRAM [--most MB] [--without NAME...]: the program and the shared libraries that it loads at its
start, with the size of each file; what the system's C library needs is counted too. Exit code 1 where all together are
larger than MB, or where one of the libraries is named libNAME (or libNAMEsomething)."""

import argparse
import os
import re
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("program")
parser.add_argument("--most", type=float, help="megabytes")
parser.add_argument("--without", nargs="*", default=[])
options = parser.parse_args()

listing = subprocess.run(["ldd", options.program], capture_output=True, text=True, check=True).stdout
files = {os.path.realpath(m) for m in re.findall(r"(/\S+) \(0x", listing)} | {os.path.realpath(options.program)}
missing = re.findall(r"(\S+) => not found", listing)
sizes = sorted(((os.path.getsize(f), f) for f in files), reverse=True)
for size, file in sizes:
    print(f"{size / 1e6:8.1f} MB  {os.path.basename(file)}")
total = sum(size for size, _ in sizes) / 1e6
print(f"{total:8.1f} MB  together")
problems = [f"not found: {m}" for m in missing]
for name in options.without:
    problems += [f"is loaded: {f}" for f in files if os.path.basename(f).lower().startswith("lib" + name.lower())]
if options.most and total > options.most:
    problems.append(f"more than {options.most:g} MB")
print("\n".join(problems), end="\n" if problems else "")
sys.exit(bool(problems))
