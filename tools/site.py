#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the site of the documentation with Doxygen, and checks it. `./dev docs` calls this.

    site.py build FOLDER    README, guide, design notes and the reference of include/tutti, as HTML in FOLDER
    site.py check FOLDER    no link or anchor is broken; the search finds some functions; with a chromium the search is
                            also typed into a page, and three pages are drawn at 400 and 1200 pixels (FOLDER/pictures)
    site.py filter PAGE.md  what Doxygen reads in place of a page: labels at headings, links as references
"""

import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOUND = ("jit", "scan", "all_gather", "grad", "shard_map", "vmap")
PICTURES = ("index", "arrays", "namespacetutti_1_1lax")


# --- pages -----------------------------------------------------------------------------------------------------------

def label(page):
    """The name of a page of the site."""
    relative = page.resolve().relative_to(ROOT)
    if relative == pathlib.Path("README.md"):
        return "mainpage"
    if relative.name == "README.md":
        return relative.parent.name
    prefix = "design_" if "design" in relative.parts else ""
    return prefix + re.sub(r"\W", "_", relative.stem).lower()


def slug(heading):
    """The anchor of a heading, as on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", "")).replace(" ", "-")


def anchor(page, heading_slug):
    return f"{label(page)}_{heading_slug.replace('-', '_')}"


def linked(page, match):
    text, target = match[1].replace("\n", " "), match[2]
    path, _, section = target.partition("#")
    if re.match(r"[a-z]+:", target):
        return match[0]
    file = (page.parent / path).resolve() if path else page
    if file.suffix == ".md" and file.is_file():
        return f"[{text}](@ref {anchor(file, section) if section else label(file)})"
    return text if "`" in text else f"`{text}`"


def line_of(page, line, first):
    heading = re.match(r"^(#+) +(.*)$", line)
    if heading:
        name = label(page) if first else anchor(page, slug(heading[2]))
        return f"{heading[1]} {heading[2].replace('`', '')} {{#{name}}}"
    # Doxygen ends a code span at a quote unless it has two marks.
    return re.sub(r"(`+)(.+?)\1(?!`)", lambda m: f"``{m[2]}``" if "'" in m[2] else m[0], line)


def filtered(page):
    out, prose, fenced, first = [], [], False, True

    def end_prose():  # links may go over line ends
        if prose:
            out.append(re.sub(r"(?<!!)\[([^][]*)\]\(([^()\s]+)\)", lambda m: linked(page, m), "\n".join(prose)))
        prose.clear()

    for line in page.read_text().split("\n"):
        if line.startswith("```"):
            end_prose()
            fenced = not fenced
            language = (line[3:].split() or [""])[0]
            out.append("```" + ({"text": "{.unparsed}", "": "{.unparsed}"}.get(language, language) if fenced else ""))
        elif fenced or line.startswith("    "):
            end_prose()
            out.append(line)
        else:
            prose.append(line_of(page, line, first))
            first = first and not line.startswith("#")
    end_prose()
    return "\n".join(out)


def build(folder):
    if not shutil.which("doxygen"):
        sys.exit("docs: there is no doxygen here (Debian: apt install doxygen)")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    version = re.search(r"project\(tutti VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    text = (ROOT / "docs/site/Doxyfile").read_text() + f"""
PROJECT_NUMBER = {version}
OUTPUT_DIRECTORY = {folder}
FILTER_PATTERNS = *.md="{sys.executable} {pathlib.Path(__file__).resolve()} filter"
"""
    done = subprocess.run(["doxygen", "-"], input=text, text=True, cwd=ROOT, stderr=subprocess.PIPE)
    (folder / "doxygen.log").write_text(done.stderr)
    if done.returncode:
        sys.exit(done.stderr)
    for path in folder.glob("*.html"):  # Doxygen 1.9 links to lists of private classes that it leaves out
        text = path.read_text(errors="replace")
        if "#nested-classes" in text and 'name="nested-classes"' not in text:
            path.write_text(re.sub(r'<a href="#nested-classes">Classes</a> *(&#124;)?', "", text))
    print(f"docs: {folder / 'index.html'}")


# --- check -----------------------------------------------------------------------------------------------------------

class Page(html.parser.HTMLParser):
    """The anchors of a page and what it links to."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif name in ("href", "src", "data") and value:
                self.links.append(value)


def broken_links(folder):
    pages, bad, links = {}, [], 0
    for path in folder.glob("**/*.html"):
        text = path.read_text(errors="replace")
        pages[path] = Page(text)
        bad += [f"{path.name}: markup that was not understood: {m}"
                for m in re.findall(r"@ref .*|@section .*|\*\*\w.*", text)]
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlparse(link)
            if parts.scheme or parts.netloc or link.startswith("javascript:"):
                continue
            links += 1
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path.resolve()
            if not target.exists():
                bad.append(f"{path.name}: {link}: no such file")
            elif parts.fragment and target in pages and parts.fragment not in pages[target].anchors:
                bad.append(f"{path.name}: {link}: no such anchor")
    return bad, links, len(pages)


def browse(chromium, *options):
    return subprocess.run([chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                           "--allow-file-access-from-files", "--virtual-time-budget=4000", *options],
                          text=True, capture_output=True, timeout=120).stdout


def typed(folder, chromium, word):
    """Whether a browser that types `word` into the search shows a result of that name."""
    page = folder / "search-check.html"
    script = ("<script>window.addEventListener('load', () => setTimeout(() => {"
              f"const field = document.getElementById('MSearchField'); field.value = '{word}';"
              "searchBox.OnSearchFieldFocus(true); searchBox.Search(); setTimeout(() => {"
              "const shown = document.getElementById('MSearchResults');"
              "const frame = shown.contentDocument || document;"
              "document.title = Array.from(frame.querySelectorAll('.SRResult'))"
              ".filter(r => r.style.display != 'none').map(r => r.id).join(' ') }, 1500) }, 500))</script>")
    page.write_text((folder / "index.html").read_text().replace("</body>", script + "</body>"))
    shown = re.search(r"<title>(.*?)</title>", browse(chromium, "--dump-dom", page.as_uri()), re.S)
    page.unlink()
    return bool(shown) and f"SR_{word.replace('_', '_5f')}" in shown[1]


def check(folder):
    bad, links, pages = broken_links(folder)
    print(f"docs: {links} links of {pages} pages, {len(bad)} broken")
    index = "".join(path.read_text() for path in (folder / "search").glob("*.js"))
    bad += [f"search: no {word}" for word in FOUND if f"['{word}'," not in index]
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium:
        bad += [f"search in a browser: no {word}" for word in FOUND if not typed(folder, chromium, word)]
        (folder / "pictures").mkdir(exist_ok=True)
        for name in PICTURES:
            for width in (400, 1200):
                # A window narrower than 500 pixels is not to be had: the page is drawn in a frame of that width.
                frame = folder / "frame.html"
                frame.write_text(f'<body style="margin:0"><iframe src="{name}.html" style="border:0;width:{width}px;'
                                 'height:1600px"></iframe></body>')
                browse(chromium, f"--screenshot={folder / 'pictures' / f'{name}-{width}.png'}",
                       f"--window-size={max(width, 500)},1600", frame.as_uri())
                frame.unlink()
        print(f"docs: searched in {chromium}; pictures in {folder / 'pictures'}")
    else:
        print("docs: no chromium here: the search was looked up in its index only, no pictures")
    print("\n".join(bad) if bad else f"docs: the search finds {', '.join(FOUND)}")
    return 1 if bad else 0


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("build", "check", "filter"):
        sys.exit(__doc__)
    path = pathlib.Path(sys.argv[2]).resolve()
    if sys.argv[1] == "filter":
        print(filtered(path))
        return 0
    if sys.argv[1] == "build":
        return build(path)
    return check(path)


if __name__ == "__main__":
    sys.exit(main())
