# SPDX-License-Identifier: BSD-3-Clause
"""Rulers, genes and blocks along a chromosome."""
from __future__ import annotations

import gzip
import os
import re
from typing import Any, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from plot import data
from plot.options import INPUT, Failure
from plot.style import Style, label_box, unit_of


class Gene(NamedTuple):
    name: str
    lo: int  # 1-based, both included
    hi: int
    strand: str


ROW = 0.22  # inches of a row of genes


# ---- files of intervals ------------------------------------------------------

def lines_of(path: str) -> Iterator[Tuple[int, List[str]]]:
    """Number and columns of each line with data; .gz is unpacked."""
    try:
        opener = gzip.open if path.endswith(".gz") else open
        with opener(path, "rt", errors="replace") as f:  # type: ignore[operator]
            for number, line in enumerate(f, 1):
                if line.strip() and not line.startswith(("#", "track", "browser")):
                    yield number, line.rstrip("\r\n").split("\t")
    except OSError as e:
        raise Failure(INPUT, f"{path}: {os.strerror(e.errno) if e.errno else e}") from None


def attribute(words: str, names: Tuple[str, ...]) -> str:
    """A name among the attributes of GFF3 (a=b;) or GTF (a "b";)."""
    found = dict(re.findall(r'(\w+)[= ]"?([^";]*)"?', words))
    return next((found[x] for x in names if found.get(x)), "")


def interval(path: str, number: int, words: List[str]) -> Optional[Tuple[str, Gene]]:
    """Chromosome and gene of a line; None: another feature than a gene."""
    try:
        if len(words) >= 9 and words[3].isdigit():
            if words[2] not in ("gene", "ncRNA_gene", "pseudogene"):
                return None
            name = attribute(words[8], ("gene_name", "Name", "gene", "gene_id", "ID"))
            return words[0], Gene(name, int(words[3]), int(words[4]), words[6])
        lo, hi = int(words[1]) + 1, int(words[2])
        strand = words[5] if len(words) > 5 else "."
        return words[0], Gene(words[3] if len(words) > 3 else "", lo, hi, strand)
    except (IndexError, ValueError):
        raise Failure(INPUT, f"{path}: line {number}: neither GFF, GTF nor BED") from None


def within(path: str, sites: data.Sites) -> List[Gene]:
    """Intervals of a file that overlap the variants, by place."""
    if not len(sites) or not sites.placed.all() or len(set(sites.chrom)) != 1:
        raise Failure(INPUT, f"{path}: the variants are not on one chromosome; "
                      "--region picks one")
    chrom = data.bare(sites.chrom[0])
    lo, hi = int(sites.pos.min()), int(sites.pos.max())
    genes = []
    for number, words in lines_of(path):
        found = interval(path, number, words)
        if found and data.bare(found[0]) == chrom and found[1].lo <= hi and (
                found[1].hi >= lo):
            genes.append(found[1])
    return sorted(genes, key=lambda g: (g.lo, g.hi, g.name))


def genes_of(path: Optional[str], sites: data.Sites) -> List[Gene]:
    return within(path, sites) if path else []


def blocks_of_bed(path: str, sites: data.Sites) -> List[Tuple[int, int]]:
    """First variant of each block and the one behind its last."""
    blocks = []
    for block in within(path, sites):
        inside = np.flatnonzero((sites.pos >= block.lo) & (sites.pos <= block.hi))
        if len(inside):
            blocks.append((int(inside[0]), int(inside[-1]) + 1))
    return blocks


# ---- rulers ------------------------------------------------------------------

def scaled(pos: np.ndarray, lo: int, hi: int, n: float) -> np.ndarray:
    """Positions as places on a line of length n."""
    return 0.5 + (np.asarray(pos, float) - lo) / max(hi - lo, 1) * (n - 1)


def ruler_ticks(lo: int, hi: int) -> Tuple[List[float], List[str], str]:
    """Round positions and, at both ends, the first and the last one."""
    unit, bases = unit_of(hi - lo)
    inner = [t * bases for t in MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]).tick_values(
        lo / bases, hi / bases)]
    room = (hi - lo) * 0.1
    inner = [t for t in inner if lo + room < t < hi - room]
    step = min(np.diff(inner)) / bases if len(inner) > 1 else 1
    digits = max(0, -int(np.floor(np.log10(step) + 1e-9)))
    words = [f"{t / bases:,.{digits}f}" for t in inner]
    ends = [f"{x / bases:,.{max(digits, 3 if unit == 'Mb' else 1)}f}" for x in (lo, hi)]
    if unit == "bp":
        ends = [f"{lo:,}", f"{hi:,}"]
    return [lo, *inner, hi], [ends[0], *words, ends[1]], unit


def draw_ruler(ax: Any, chrom: Any, lo: int, hi: int, n: float, y: float,
               style: Style) -> None:
    ax.plot([0.5, n - 0.5], [y, y], color=style.ink, lw=0.9)
    ticks, words, unit = ruler_ticks(lo, hi)
    at = scaled(np.array(ticks), lo, hi, n)
    rise = 3.5
    for k, (x, word) in enumerate(zip(at, words)):
        ax.annotate("", (x, y), (0, rise), textcoords="offset points",
                    arrowprops=dict(arrowstyle="-", lw=0.7, color=style.ink,
                                    shrinkA=0, shrinkB=0))
        word += f" {unit}" if k == len(words) - 1 else ""
        ax.annotate(word, (x, y), (0, rise), textcoords="offset points", size=7,
                    ha="left" if k == 0 else "right" if k == len(words) - 1 else "center",
                    va="bottom", gid="position")


def chrom_title(sites: data.Sites, chrom: Any) -> str:
    """chr 1, 3.2-195.1 Mb, 1,040 variants"""
    if chrom is None:
        return f"no chromosome, {len(sites):,}"
    placed = sites.pos[sites.placed]
    where = f", {placed.min() / 1e6:.0f}\N{EN DASH}{placed.max() / 1e6:.0f} Mb" if len(
        placed) else ""
    return f"chr{data.bare(chrom)}{where}"


def square_ticks(ax: Any, sites: data.Sites, named: int, style: Style) -> None:
    """Names of few variants; else positions, or chromosomes with their borders."""
    n = len(sites)
    for spine in ax.spines.values():
        spine.set_visible(True)
    ax.tick_params(length=2, labelsize=7)
    if n <= named:
        size = min(7.0, 300 / max(n, 1))
        words = [sites.name(k)[:24] for k in range(n)]
        ax.set_xticks(np.arange(n) + 0.5, words, rotation=90, size=size)
        ax.set_yticks(np.arange(n) + 0.5, words, size=size)
        return
    parts = data.chromosomes(sites)
    if len(parts) > 1:
        for _, a, _b in parts[1:]:
            ax.axhline(a, color=style.line, lw=0.5)
            ax.axvline(a, color=style.line, lw=0.5)
        wide = [(c, (a + b) / 2) for c, a, b in parts if b - a > n / 60]
        ticks, words = [x for _, x in wide], [data.bare(c or "?") for c, _ in wide]
        ax.set_xlabel("chromosome")
    elif sites.placed.all():
        at, words, unit = ruler_ticks(int(sites.pos.min()), int(sites.pos.max()))
        ticks = list(np.searchsorted(sites.pos, at))
        ax.set_xlabel(f"position on chromosome {data.bare(sites.chrom[0])} ({unit})")
    else:
        ticks, words = [], []
    ax.set_xticks(ticks, words)
    ax.set_yticks(ticks, words)


# ---- genes -------------------------------------------------------------------

def rows_of(genes: List[Gene], lo: int, hi: int, points: float) -> List[int]:
    """The row of each gene, so that no two and none of their names overlap."""
    scale = points / max(hi - lo, 1)
    ends: List[float] = []
    rows = []
    for gene in genes:
        begin = (max(gene.lo, lo) - lo) * scale
        end = max((min(gene.hi, hi) - lo) * scale,
                  begin + label_box(gene.name, 6.5)[0]) + 4
        row = next((r for r, e in enumerate(ends) if e <= begin), len(ends))
        if row == len(ends):
            ends.append(0)
        ends[row] = end
        rows.append(row)
    return rows


def height_of(genes: List[Gene]) -> float:
    """Inches that the genes take, at a width of seven."""
    if not genes:
        return 0
    lo, hi = genes[0].lo, max(g.hi for g in genes)
    return 0.05 + ROW * (1 + max(rows_of(genes, lo, hi, 440)))


def draw_genes(ax: Any, genes: List[Gene], lo: int, hi: int, n: float, y: float,
               style: Style) -> None:
    """Bars with names from y inches on, in rows of which none overlap."""
    points = ax.get_position().width * ax.figure.get_figwidth() * 72
    for gene, row in zip(genes, rows_of(genes, lo, hi, points)):
        a, b = scaled(np.clip([gene.lo, gene.hi], lo, hi), lo, hi, n)
        at = y + row * ROW
        ax.add_patch(Rectangle((a, at), max(b - a, n / 600), 0.045, clip_on=False,
                               color=style.accent, lw=0, gid="gene"))
        arrow = {"+": " \N{RIGHTWARDS ARROW}", "-": " \N{LEFTWARDS ARROW}"}.get(
            gene.strand, "")
        ax.text(a, at + 0.055, data.clean(gene.name) + arrow, size=6.5, va="bottom",
                ha="left", style="italic", gid="gene")
