#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that evaluations in src/ops are plain (docs/design/036-plain-evaluation.md): loops of one thread, without
vector types, instructions of a processor or libraries. What is fast is a kernel in src/backend/cpu/kernels."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

THREADS = "threads: the workers belong to kernels"
VECTORS = "vectors: the lanes of a processor belong to kernels"
LIBRARY = "a library: kernels call it"
INCLUDES = [
    (r"thread|atomic|mutex|shared_mutex|future|condition_variable|semaphore|latch|barrier", THREADS),
    (r"base/tasks\.hpp|run/.*", THREADS),
    (r"[xeiap]mmintrin\.h|x86\w*\.h|immintrin\.h|arm_neon\.h|experimental/simd", VECTORS),
    (r"base/(processor|stream)\.hpp|lane/(vectors|side_by_side)\.hpp|lane/\w+\.inc", VECTORS),
    (r"dlfcn\.h|.*(cblas|lapack|openblas|dnnl|fftw|pocketfft|xsmm).*", LIBRARY),
    (r"backend/.*", "an engine: it calls evaluations, and not the other way round"),
]
WORDS = [
    (r"\bin_pieces\s*\(", THREADS),
    (r"\bstd::(jthread|thread|async|atomic\w*|mutex)\b", THREADS),
    (r"\bvector_size\b|\b_mm\d*_\w+|\b__m\d+\w*|\b__builtin_ia32_\w+|gnu::target|\basm\s*(volatile)?\s*\(", VECTORS),
]
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def found_in(text):
    """(line, what is wrong) for each place."""
    for number, line in enumerate(text.splitlines(), 1):
        if match := INCLUDE.match(line):
            yield from ((number, f"includes {match[1]}: {why}") for pattern, why in INCLUDES
                        if re.fullmatch(pattern, match[1]))
            continue
        code = line.split("//")[0]
        for pattern, why in WORDS:
            if word := re.search(pattern, code):
                yield number, f"`{word[0].strip()}`: {why}"


def main():
    files = sorted(p for p in (ROOT / "src/ops").rglob("*") if p.suffix in (".cpp", ".hpp", ".inc"))
    found = [f"{path.relative_to(ROOT)}:{line}: {what}" for path in files for line, what in found_in(path.read_text())]
    print("\n".join(found) if found else f"check_plain: {len(files)} files of src/ops are plain")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
