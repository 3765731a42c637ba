#!/usr/bin/env python3
"""Checks that every source names its licence: `SPDX-License-Identifier: Apache-2.0`.

    check_spdx.py          77 while no C++ source has the tag, 1 when some lack it
    check_spdx.py --add    adds it where it is missing

In C++ it is the last line, so that line numbers, and with them what is compiled, do not change; in scripts and CMake it
is the first line, or the second after `#!`.
"""

import sys

from cpp_tokens import FOLDERS, ROOT, sources

TAG = "SPDX-License-Identifier: Apache-2.0"


def scripts():
    named = [ROOT / "dev", *ROOT.glob("CMakeLists.txt"), *(ROOT / "tests").rglob("CMakeLists.txt")]
    folders = [*FOLDERS, "tools", "cmake", "packaging"]
    return named + sorted(
        p for folder in folders for end in ("py", "cmake") for p in (ROOT / folder).rglob(f"*.{end}"))


def included():
    return sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*.inc"))


def add(path):
    text = path.read_text()
    if path.suffix in (".cpp", ".hpp", ".inc"):
        path.write_text(f"{text.rstrip()}\n\n// {TAG}\n")
        return
    first, rest = text.split("\n", 1) if text.startswith("#!") else ("", text)
    path.write_text((first + "\n" if first else "") + f"# {TAG}\n{rest}")


def main():
    code = sources() + included()
    missing = [p for p in code + scripts() if TAG not in p.read_text()]
    if sys.argv[1:] == ["--add"]:
        for path in missing:
            add(path)
        print(f"spdx: added to {len(missing)} files")
        return 0
    if all(path in missing for path in code):
        print("spdx: no source has the tag yet: tools/check_spdx.py --add")
        return 77
    print("\n".join(f"{p.relative_to(ROOT)}: no {TAG}" for p in missing) if missing else f"spdx: {len(code)} sources")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
