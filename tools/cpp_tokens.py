# SPDX-License-Identifier: Apache-2.0
"""C++ cut into tokens, for checks: not a parser."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ["include", "src", "tests", "examples", "bench"]

RAW_STRING = r'R"(?P<mark>[^(\s"]*)\((?s:.*?)\)(?P=mark)"'
TOKEN = re.compile(
    r"//[^\n]*|/\*(?s:.*?)\*/|#[^\n]*(?:\\\n[^\n]*)*"  # comments and directives: not tokens
    r"|" + RAW_STRING + r'|"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])+'"
    r"|operator\s*(?:\(\)|\[\]|[^\w\s(]+)"
    r"|[A-Za-z_]\w*|\d[\w.']*|->\*?|::|\.\.\.|<<=|<=>|\+\+|--|<<|&&|\|\||[-+*/%&|^=!<>]=|[^\s]")
SKIPPED = ("//", "/*", "#")


def sources():
    return sorted(p for f in FOLDERS for p in (ROOT / f).rglob("*.[ch]pp"))


def tokens(text):
    """(text of the token, number of its line), without comments and directives; `operator+` is `operator`."""
    line, at = 1, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        if not match[0].startswith(SKIPPED):
            yield "operator" if re.match(r"operator\b", match[0]) else match[0], line


def raw_string_lines(text):
    """The numbers of the lines in which a raw string ends or goes on."""
    lines = set()
    for match in TOKEN.finditer(text):
        if match[0].startswith('R"'):
            first = text.count("\n", 0, match.start()) + 1
            lines.update(range(first, first + match[0].count("\n") + 1))
    return lines
