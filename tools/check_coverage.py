#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/coverage.md says what the public headers declare, and that enough of JAX's names are there."""

import pathlib
import subprocess
import sys

tool = pathlib.Path(__file__).resolve().parent / "coverage.py"
status = subprocess.run([sys.executable, str(tool), "--check"], check=False).returncode
if status == 0:
    print("coverage: ok")
sys.exit(status)
