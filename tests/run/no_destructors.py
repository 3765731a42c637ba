#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""no_destructors.py LIBRARY: nothing in it registers a destructor with the end of the process or of a thread, but for
<iostream>'s. What is destroyed there could not be used by destructors of users' static objects (docs/internals.md,
"Life and death"). 77: there is no objdump."""

import re
import shutil
import subprocess
import sys

if not shutil.which("objdump"):
    print("objdump is not installed")
    sys.exit(77)
listing = subprocess.run(["objdump", "-drC", "--no-show-raw-insn", sys.argv[1]], capture_output=True, text=True,
                         check=True).stdout
found, function, before = [], "", []
for line in listing.splitlines():
    if match := re.match(r"[0-9a-f]+ <(.*)>:$", line):
        function, before = match.group(1), []
    elif re.search(r"R_X86_64_\w+\s+__cxa_(thread_)?atexit\b", line):
        forwards = "at_exit_of_llvm" in function  # what LLVM asks for beside our calls
        if not forwards and not any("ios_base::Init" in b for b in before[-8:]):
            found.append(function)
        before = []
    elif "R_X86_64" in line:
        before.append(line)
print("\n".join(sorted(set(found))))
sys.exit(bool(found))
