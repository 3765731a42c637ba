#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/speed.svg: bars of some rows of docs/bench.md, the times that JAX takes over those of tutti.

tools/check_readme.py checks that it is what would be drawn.
"""

import html
import math
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/speed.svg"
# Rows of docs/bench.md, with the words for them; large and small ratios, as they are.
ROWS = {
    "gpt_step_d128_l4_t128_b16": "training step of a transformer, 4 layers",
    "attention_grad_b8_h8_t512_d64": "gradient of attention, 8 x 8 heads, 512 positions",
    "decode_step_d256_l4_t1024": "decoding a token, 1,024 in the cache",
    "resnet_block_grad_b64_32_64": "gradient of a residual block",
    "conv3x3_fwd_b64_32_64": "convolution 3 x 3",
    "gru_grad_t200_b32_h256": "gradient of a GRU, 200 steps",
    "rk4_vmap_10000_t200": "10,000 orbits, Runge-Kutta",
    "eigh_256": "eigenvalues of a 256 x 256 matrix",
    "fft2_1024": "Fourier transform, 1,024 x 1,024",
    "sort_1M": "sorting a million numbers",
    "uniform_16M": "16 million random numbers",
    "eager_add_one_device": "one addition, not compiled",
    "compile_gpt_grad_12": "compiling the gradient of 12 layers",
}
LABELS, WIDTH, ROW, TOP = 330, 800, 24, 62


def ratios(text):
    """The column `better / ours` of every row that has one."""
    out, column = {}, None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| case"):
            column = cells.index("better / ours") if "better / ours" in cells else None
        elif line.startswith("|") and column and len(cells) > column and re.match(r"^[\d.]+$", cells[column]):
            out.setdefault(cells[0], float(cells[column]))
    return out


def machine(text):
    return re.search(r"^## Results\s+On (.*?) \(Zen 5.*?(JAX [\d.]+)\)", text, re.S | re.M).groups()


def drawn(text):
    found, (where, jax) = ratios(text), machine(text)
    most = math.log10(max(found[row] for row in ROWS)) * 1.05
    height = TOP + ROW * len(ROWS) + 10

    def x(ratio):
        return LABELS + (WIDTH - LABELS - 60) * math.log10(ratio) / most

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
           'font-family="sans-serif" font-size="13">', f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
           f'<text x="8" y="20" font-size="15" font-weight="bold">Times as fast as {jax}, with 1 or 8 devices, '
           'whichever is faster</text>',
           f'<text x="8" y="38" fill="#57606a">on {html.escape(where)} (Zen 5); logarithmic; docs/bench.md has all '
           'rows</text>']
    for mark in (1, 2, 5, 10, 20, 50, 100):
        out.append(f'<line x1="{x(mark):.1f}" y1="{TOP - 8}" x2="{x(mark):.1f}" y2="{height - 8}" stroke="#d8dee4"/>'
                   f'<text x="{x(mark):.1f}" y="{TOP - 11}" text-anchor="middle" font-size="11" fill="#57606a">{mark}'
                   '</text>')
    for i, (row, words) in enumerate(ROWS.items()):
        y = TOP + ROW * i
        out.append(f'<text x="{LABELS - 8}" y="{y + 14}" text-anchor="end">{html.escape(words)}</text>'
                   f'<rect x="{LABELS}" y="{y + 3}" width="{x(found[row]) - LABELS:.1f}" height="{ROW - 8}" '
                   'fill="#3d6cb4"/>'
                   f'<text x="{x(found[row]) + 5:.1f}" y="{y + 15}">{found[row]:.3g}</text>')
    return "\n".join([*out, "</svg>\n"])


def differs():
    if PICTURE.exists() and PICTURE.read_text() == drawn((ROOT / "docs/bench.md").read_text()):
        return False
    print("docs/speed.svg is not that of docs/bench.md: run tools/speedup_svg.py")
    return True


if __name__ == "__main__":
    PICTURE.write_text(drawn((ROOT / "docs/bench.md").read_text()))
