#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that no comma operator glues expressions together: `a = 1, b = 2;`, `return f(), x;`, `y = (f(), x);`.

Steps of a `for` and folds over a parameter pack keep theirs.
"""

import re
import sys

from cpp_tokens import ROOT, sources, tokens

CLOSING = {"(": ")", "[": "]", "{": "}"}
WORD = re.compile(r"[A-Za-z_]\w*$")
NOT_EXPRESSIONS = {"using", "typedef", "template", "friend", "namespace", "enum", "struct", "class", "union", "goto"}
# A parenthesis after one of these groups, it does not call.
BEFORE_GROUP = set("= ( , ? : && || ! + - * / < [ { << += -= return".split()) | {""}
# What goes on after a closed brace; anything else there begins a new statement.
CONTINUES = re.compile(r"[-+*/%&|^=<>]=?$|\(|\)|\[|\]|\}|,|;|\.|->|<<|&&|\|\||\?|:|==|!=")


class Frame:
    """A bracket that is open, and the statement that stands in it, inner brackets emptied."""

    def __init__(self, bracket, line, before):
        self.bracket, self.line, self.before = bracket, line, before
        self.statement, self.begin, self.closed_brace = [], line, False


def without_head(s):
    """The statement behind `else`, `do`, `if ()`, `for ()`, `while ()` and labels."""
    while s:
        if s[0] in ("else", "do"):
            s = s[1:]
        elif s[0] in ("if", "for", "while", "switch"):
            s = s[s.index(")") + 1:] if ")" in s else []
        elif s[0] in ("case", "default"):
            s = s[s.index(":") + 1:] if ":" in s else []
        elif s[0] in ("public", "private", "protected") and s[1:2] == [":"]:
            s = s[2:]
        else:
            return s
    return s


def without_angles(s):
    """Without lists of template arguments: `<` after a word up to its `>`, where only a type stands between."""
    text = " ".join(s)
    while True:
        shorter = re.sub(r"(?<=\w) < (?:(?:[^<>;()]|\( \))*? )??>", "", text)
        if shorter == text:
            return text.split()
        text = shorter


def is_declaration(s):
    """Whether a name follows a name, or a macro with arguments, before the first comma or initialiser: what a type
    declares."""
    before = ""
    for token in s:
        if token in ("=", ",", "["):
            return False
        if WORD.match(token) and (WORD.match(before) or before in ("*", "&", "&&", "]", ")")):
            return before not in ("return", "throw", "delete", "co_return", "new")
        before = token
    return False


def glues(s):
    s = without_angles(without_head(s))
    if "," not in s or not s or s[0] in NOT_EXPRESSIONS or "auto" in s[:3]:
        return False
    return not is_declaration(s)


def groups(s):
    """Whether a parenthesis that does not call holds several expressions, and no fold."""
    s = without_angles(s)
    fold = any(a == "," and b == "..." or a == "..." and b == "," for a, b in zip(s, s[1:]))
    return "," in s and ";" not in s and not fold


def glued(text):
    """The lines in which something is glued."""
    stack = [Frame("{", 1, "")]
    for token, line in tokens(text):
        frame = stack[-1]
        if frame.closed_brace and frame.bracket == "{" and not CONTINUES.match(token):
            frame.statement = []
        frame.closed_brace = False
        if not frame.statement:
            frame.begin = line
        if token in CLOSING:
            frame.statement.append(token)
            stack.append(Frame(token, line, frame.statement[-2] if len(frame.statement) > 1 else ""))
        elif token in CLOSING.values():
            if len(stack) == 1:
                continue
            if frame.bracket == "(" and frame.before in BEFORE_GROUP and groups(frame.statement):
                yield frame.line
            stack.pop()
            stack[-1].statement.append(token)
            stack[-1].closed_brace = token == "}"
        elif token == ";" and frame.bracket == "{":
            if glues(frame.statement):
                yield frame.begin
            frame.statement = []
        else:
            frame.statement.append(token)


def main():
    found = [f"{path.relative_to(ROOT)}:{line}: a comma glues expressions together"
             for path in sources() for line in glued(path.read_text())]
    print("\n".join(found) if found else "commas: none glues expressions together")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
