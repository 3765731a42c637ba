#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the sources lie as clang-format-14 lays them out (.clang-format); `./dev format` does it."""

import concurrent.futures
import os
import shutil
import subprocess
import sys

from cpp_tokens import sources

SKIPPED = 77


def badly_laid_out(paths):
    run = subprocess.run(["clang-format-14", "--dry-run", "--Werror", *paths], capture_output=True, text=True)
    return run.stderr if run.returncode else ""


def main():
    if not shutil.which("clang-format-14"):
        print("format: skipped, there is no clang-format-14 here (./dev setup installs it)")
        return SKIPPED
    paths, workers = sources(), os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        found = "".join(pool.map(badly_laid_out, [paths[i::workers] for i in range(workers)]))
    print(found + "format: run ./dev format" if found else "format: ok")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
