#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which names of JAX tutti has: writes docs/coverage.md from the public headers and tools/jax_names.txt.

    tools/coverage.py            # writes the page
    tools/coverage.py --check    # exit code 1 when the page is not what would be written
    tools/coverage.py --missing  # prints the names that nothing is said of

tools/jax_names.txt has a section per module, with the namespaces where its names are looked for, and a line per name:

    [jax.numpy] tutti
    add                            # declared under this name
    std = std_                     # under another; a::b is looked for from namespace tutti, .b() is a member
    einsum_path ! reason           # missing
    c_ - reason                    # makes no sense in C++, and is not counted
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cpp_tokens import ROOT, tokens  # noqa: E402

NAMES = ROOT / "tools/jax_names.txt"
PAGE = ROOT / "docs/coverage.md"
LEAST = 0.98  # of the names that make sense, in the modules below
HELD = ["jax.numpy", "jax.numpy.linalg", "jax.numpy.fft", "jax.lax", "jax.nn", "jax.tree", "jax.image", "jax.scipy.fft",
        "jax.scipy.linalg", "jax.scipy.signal", "jax.scipy.stats"]
NO_NAMES = {"operator", "static_assert", "decltype", "requires", "if", "noexcept", "alignas"}


def declared(text):
    """Names that a header declares at namespace scope: (namespace, name)."""
    found, scopes, statement = set(), [], []
    for token, _ in tokens(text):
        if token == "{":
            scopes.append(opened(statement, namespace_of(scopes), found))
            statement = []
        elif token == "}":
            scopes.pop()
            if scopes and scopes[-1] is None:
                continue
            statement = []
        elif all(s is not None for s in scopes):
            if token == ";":
                names_of(statement, namespace_of(scopes), found)
                statement = []
            else:
                statement.append(token)
    return found


def namespace_of(scopes):
    return "::".join(s for s in scopes if s)


def opened(statement, namespace, found):
    """What `statement {` opens: the names of a namespace, or None."""
    if "namespace" in statement:
        return "".join(statement[statement.index("namespace") + 1:])
    names_of(statement, namespace, found)
    return None


def names_of(statement, namespace, found):
    """Adds what one declaration (without its body) declares."""
    statement = without_brackets(statement)
    if not statement or namespace is None:
        return
    if statement[0] == "using":
        found.add((namespace, statement[statement.index("=") - 1] if "=" in statement else statement[-1]))
        return
    kinds = [i for i, t in enumerate(statement) if t in ("struct", "class", "enum", "concept", "namespace")]
    if kinds and "(" not in statement:
        rest = [t for t in statement[kinds[0] + 1:] if t not in ("class", "struct")]
        if rest:
            found.add((namespace, rest[0]))
        return
    if "requires" in statement:  # its parentheses are no parameters
        at, depth = statement.index("requires") + 1, 0
        while at < len(statement) and (depth or statement[at] == "("):
            depth += {"(": 1, ")": -1}.get(statement[at], 0)
            at += 1
        statement = statement[:statement.index("requires")] + statement[at:]
    for i, token in enumerate(statement):
        if token == "(":
            if i > 0 and re.match(r"[A-Za-z_]\w*$", statement[i - 1]) and statement[i - 1] not in NO_NAMES:
                found.add((namespace, statement[i - 1]))
            return
    words = statement[:statement.index("=")] if "=" in statement else statement
    for i, token in enumerate(words):  # variables, of which there may be several
        if re.match(r"[A-Za-z_]\w*$", token) and (i + 1 == len(words) or words[i + 1] == ","):
            found.add((namespace, token))


def without_brackets(statement):
    """Without template parameters, attributes and template arguments."""
    out, depth = [], 0
    for i, token in enumerate(statement):
        if token == "<" and (i == 0 or statement[i - 1] == "template" or re.match(r"\w", statement[i - 1])):
            depth += 1
        elif depth and token in (">", ">>"):
            depth -= len(token)
        elif depth == 0 and token != "template":
            out.append(token)
        depth = max(depth, 0)
    return out


def sections():
    """(module, namespaces, [(name, kind, text)]) of the file of names; kind: one of '', '=', '!', '-'."""
    out = []
    for line in NAMES.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        head = re.match(r"\[(\S+)\] (.+)$", line)
        if head:
            out.append((head[1], head[2].split(), []))
            continue
        parts = re.match(r"(\S+)(?: ([=!-]) (.+))?$", line)
        if not parts:
            raise SystemExit(f"{NAMES.name}: no name: {line}")
        out[-1][2].append((parts[1], parts[2] or "", parts[3] or ""))
    return out


def is_there(known, namespaces, spelling):
    if spelling.startswith("."):  # a member, which is found by its name
        return ("", spelling[1:].rstrip("()")) in known
    if spelling.startswith("tutti::"):
        return tuple(spelling.rsplit("::", 1)) in known
    if "::" in spelling:
        scope, name = ("tutti::" + spelling).rsplit("::", 1)
        return (scope, name) in known
    return any((namespace, spelling) in known for namespace in namespaces)


def counted(known, namespaces, names):
    """(names that are there, [(name, reason)] missing, [(name, reason)] without meaning, [name] nothing is said of)."""
    there, missing, senseless, unsaid = [], [], [], []
    for name, kind, text in names:
        if kind == "!":
            missing.append((name, text))
        elif kind == "-":
            senseless.append((name, text))
        elif is_there(known, namespaces, text or name):
            there.append(name)
        else:
            unsaid.append(name)
    return there, missing, senseless, unsaid


def grouped(modules):
    """A row of a table for each reason in a module: modules are (module, [(name, reason)])."""
    by_reason = {}
    for module, names in modules:
        for name, why in names:
            by_reason.setdefault((module, why), []).append(name)
    return [f"| {module}: {', '.join(names)} | {why} |" for (module, why), names in by_reason.items()]


def page(rows):
    out = ["# Which of JAX's names tutti has", "",
           "Made by `tools/coverage.py` from the public headers and tools/jax_names.txt (JAX 0.10.2, Optax 0.2.8);",
           "`./dev lint` checks that it is so. Names that make no sense in C++ are not counted; a name counts when it",
           "is declared, under JAX's name or the one that the list gives for it; a class is one name, whatever it",
           "can do. Sparse arrays (BCOO and its kin) are out of scope for now. Not listed at all: jax.profiler, and of",
           "jax.experimental what is neither ode nor sparse, Pallas among it.", "",
           "| module | names that make sense | there | |", "|---|---|---|---|"]
    for module, there, missing, _, _ in rows:
        total = len(there) + len(missing)
        out.append(f"| {module} | {total} | {len(there)} | {100 * len(there) / total:.1f} % |")
    has = sum(len(there) for _, there, *_ in rows)
    total = has + sum(len(missing) for _, _, missing, *_ in rows)
    out.append(f"| all of these | {total} | {has} | {100 * has / total:.1f} % |")
    out += ["", "## Missing", "", "| name | why |", "|---|---|"]
    out += grouped((module, missing) for module, _, missing, _, _ in rows)
    out += ["", "## Under another name", "", "| JAX | tutti |", "|---|---|"]
    out += [f"| {module}.{name} | `{text}` |"
            for module, *_, names in rows for name, kind, text in names if kind == "="]
    out += ["", "## Without a meaning in C++", "", "| name | why |", "|---|---|"]
    out += grouped((module, senseless) for module, _, _, senseless, _ in rows)
    return "\n".join(out) + "\n"


def main():
    known = set()
    for header in sorted((ROOT / "include").rglob("*.hpp")):
        text = header.read_text()
        known |= declared(text) | {("", name) for name in re.findall(r"\b(\w+)\(", text)}
    rows, status = [], 0
    for module, namespaces, names in sections():
        there, missing, senseless, unsaid = counted(known, namespaces, names)
        for name in unsaid:
            print(f"coverage: {module}.{name} is not declared, and tools/jax_names.txt gives no reason")
            status = 1
        share = len(there) / max(1, len(there) + len(missing) + len(unsaid))
        if module in HELD and share < LEAST:
            print(f"coverage: {module} has {100 * share:.1f} % of the names, fewer than {100 * LEAST:.0f} %")
            status = 1
        rows.append((module, there, missing, senseless, names))
    if "--missing" in sys.argv:
        return status
    text = page(rows)
    if "--check" not in sys.argv:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        print("coverage: docs/coverage.md is not what the headers say; run tools/coverage.py")
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
