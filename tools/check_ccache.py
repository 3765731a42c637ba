#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A comment changed in a precompiled header does not break the build: with the settings of CMakeLists.txt, ccache
hands on no precompiled header that was made from another text.

GCC tells a file marked `#pragma once` by its contents. A header of a precompiled header with other contents than it
was made from is therefore read once more, and each type in it is defined twice."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from cpp_tokens import ROOT

FLAGS = ["-std=c++20", "-fpch-preprocess", "-MD", "-MT", "target", "-MF", "deps"]


def settings():
    text = (ROOT / "CMakeLists.txt").read_text()
    found = dict(re.findall(r"\b(CCACHE_\w+)=([\w,]+)", text))
    if "CCACHE_SLOPPINESS" not in found:
        sys.exit("check_ccache: no CCACHE_SLOPPINESS in CMakeLists.txt")
    return found


def builds(folder, environment, comment):
    """What the compiler says of a source that includes a header again that was precompiled with it."""
    def compile(*arguments):
        command = ["ccache", "g++", *FLAGS, *arguments]
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)

    files = {"op.hpp": f"#pragma once\n// {comment}\nstruct Call {{}};\n", "pch.hxx": '#include "op.hpp"\n',
             "source.cpp": f'#include "op.hpp"\nCall call_{len(comment)};\n'}
    for name, text in files.items():
        (folder / name).write_text(text)
        os.utime(folder / name, (1_000_000_000, 1_000_000_000))  # ccache passes over files of this second
    (folder / "pch.hxx.gch").unlink(missing_ok=True)
    made = compile("-x", "c++-header", "-o", "pch.hxx.gch", "-c", "pch.hxx")
    return made.stderr or compile("-include", str(folder / "pch.hxx"), "-o", "source.o", "-c", "source.cpp").stderr


def main():
    if not shutil.which("ccache") or not shutil.which("g++"):
        print("check_ccache: needs ccache and g++")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        environment = {**os.environ, **settings(), "CCACHE_DIR": str(path / "cache")}
        for comment in ("a comment", "a comment changed"):
            if said := builds(path, environment, comment):
                print(f"check_ccache: a header precompiled with the comment '{comment}' does not serve:\n{said}")
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
