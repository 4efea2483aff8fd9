# SPDX-License-Identifier: BSD-3-Clause
"""Histogram of the values of records, or of a table of vsim-run --metric-histogram."""
from __future__ import annotations

import io
import os
import sys
from typing import Any, Dict, Iterable, List, Tuple

import numpy as np
import vsim
from matplotlib.ticker import NullFormatter

from plot import data, genome
from plot.options import INPUT, Failure
from plot.style import (Style, Tips, count, metric_name, plural, question, short)

BARS = 50
WIDTHS = (1, 2, 5, 10)
CLASSES = {"LL": "-", "LH": "--", "HH": ":", "LLL": "-", "LLH": "--", "LHH": "-.",
           "HHH": ":"}


class Bars:
    """Counts between edges, and of classes of cells by name."""

    def __init__(self, edges: np.ndarray, counts: np.ndarray,
                 classes: Dict[str, np.ndarray]) -> None:
        self.edges, self.counts, self.classes = edges, counts, classes


def round_width(span: float, n: int) -> float:
    """1, 2 or 5 times a power of ten, so that at most n of them cover span."""
    unit = 10.0 ** np.floor(np.log10(span / n))
    return next(w * unit for w in WIDTHS if w * unit * n >= span * (1 - 1e-9))


# ---- records -----------------------------------------------------------------

class Range:
    """Smallest and largest value, their number, and whether all are integers."""

    def __init__(self, parts: Iterable[np.ndarray]) -> None:
        self.lo, self.hi, self.n, self.whole = np.inf, -np.inf, 0, True
        for value in parts:
            self.n += len(value)
            self.lo = min(self.lo, float(value.min(initial=self.lo)))
            self.hi = max(self.hi, float(value.max(initial=self.hi)))
            self.whole &= bool((value == np.round(value)).all())


def bars_of_values(of: Range, parts: Iterable[np.ndarray]) -> Bars:
    """Bars of a round width; the last one holds the upper end of the range."""
    lo, hi, whole = of.lo, of.hi, of.whole
    if hi == lo:
        edges = np.array([lo - 0.5, lo + 0.5]) if whole else np.array([lo, lo + 0.01])
        return Bars(edges, np.array([of.n]), {})
    width = round_width(hi - lo, BARS)
    first = np.floor(lo / width + 1e-9) * width
    n = int(np.ceil((hi - first) / width - 1e-9))
    if whole:
        width = max(1.0, np.ceil(width))
        first, n = lo - 0.5, int(np.ceil((hi - lo + 1) / width))
    counts = np.zeros(n, np.int64)
    for value in parts:
        at = np.floor((value - first) / width + 1e-9).astype(np.int64)
        counts += np.bincount(np.clip(at, 0, n - 1), minlength=n)
    return Bars(first + width * np.arange(n + 1), counts, {})


# ---- tables ------------------------------------------------------------------

def is_hdf5(path: str) -> bool:
    """Does the file begin like one of vsim or HDF5, whose reader gives better errors?"""
    if path == "-" or not os.path.isfile(path):
        return False
    with open(path, "rb") as f:
        return f.read(8).startswith((vsim.MAGIC[:5], b"\x89HDF"))


def read_table(path: str) -> Tuple[List[str], np.ndarray]:
    """Names of the columns, and the numbers."""
    try:
        text = sys.stdin.read() if path == "-" else open(path, errors="replace").read()
        names = text.split("\n", 1)[0].split("\t")
        if names[:3] != ["lo", "hi", "ALL"]:
            raise Failure(INPUT, f"{path}: neither a result nor a table of vsim-run "
                          "--metric-histogram")
        return names, np.loadtxt(io.StringIO(text), delimiter="\t", skiprows=1, ndmin=2)
    except OSError as e:
        raise Failure(INPUT, f"{path}: {e.strerror}") from None
    except ValueError as e:
        raise Failure(INPUT, f"{path}: {e}") from None


def bars_of_table(names: List[str], rows: np.ndarray) -> Bars:
    """Buckets combined into bars of a round width."""
    seen = np.flatnonzero(rows[:, 2])
    rows = rows[seen[0]: seen[-1] + 1] if len(seen) else rows[:1]
    lo, hi = rows[0, 0], rows[-1, 1]
    width = max(round_width(hi - lo, BARS), rows[0, 1] - rows[0, 0])
    first = np.floor(lo / width + 1e-9) * width
    at = np.floor((rows[:, 0] - first) / width + 1e-6).astype(np.int64)
    n = int(at[-1]) + 1

    def total(column: int) -> np.ndarray:
        return np.bincount(at, rows[:, column], n)

    classes = {c: total(k) for k, c in enumerate(names) if c in CLASSES}
    return Bars(first + width * np.arange(n + 1), total(2), classes)


# ---- the picture -------------------------------------------------------------

def needs_log(counts: np.ndarray) -> bool:
    some = counts[counts > 0]
    return len(some) > 1 and some.max() > 200 * np.median(some)


def draw_bars(bars: Bars, style: Style, tips: Tips, name: str, of: str) -> Any:
    figure, ax = genome.frame(style)
    log = needs_log(bars.counts)
    low = 0.7 if log else 0
    patches = ax.bar(bars.edges[:-1], bars.counts, np.diff(bars.edges), align="edge",
                     color=style.accent, edgecolor=style.paper, linewidth=0.4,
                     log=log, gid="bars")
    for k, patch in enumerate(patches):
        tips.add(patch, f"bar{k}", [
            f"{short(bars.edges[k])} to {short(bars.edges[k + 1])}: "
            f"{count(int(bars.counts[k]))}"])
    for c, counts in bars.classes.items():
        if counts.any():
            line = ax.stairs(np.maximum(counts, low), bars.edges, baseline=None,
                             color=style.ink, lw=1, ls=CLASSES[c], label=c)
            line.set_gid(f"class-{c}")
    if bars.classes:
        ax.legend(frameon=False, fontsize=7.5, title="alleles", title_fontsize=7.5)
    ax.set_xlim(bars.edges[0], bars.edges[-1])
    if log:
        ax.set_ylim(low)
    ax.yaxis.set_major_formatter(lambda x, _: count(int(x)) if x == int(x) else "")
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel(name)
    ax.set_ylabel(of)
    return figure


def draw_path(path: str, options: Dict[str, Any], style: Style,
              tips: Tips) -> Tuple[Any, str]:
    if is_hdf5(path) or os.path.isdir(path):
        return draw(data.Source(path, options), style, tips)
    bars = bars_of_table(*read_table(path))
    total = int(bars.counts.sum())
    figure = draw_bars(bars, style, tips, "value", "values")
    title = f"Distribution of {plural(total, 'value')}"
    style.heads(figure, title, about_bars(bars))
    return figure, title


def about_bars(bars: Bars) -> str:
    return f"bars of width {short(bars.edges[1] - bars.edges[0])}"


def draw(source: data.Source, style: Style, tips: Tips) -> Tuple[Any, str]:
    of = Range(source.values())
    if not of.n:
        raise Failure(INPUT, f"{source.path}: no record to draw")
    bars = bars_of_values(of, source.values())
    figure = draw_bars(bars, style, tips, metric_name(source.metric), "records")
    title = f"Distribution of {metric_name(source.metric)}, {plural(of.n, 'record')}"
    way = "triples" if source.way == 3 else "pairs"
    style.heads(figure, title, f"{question(source.run)}; {way} of "
                f"{plural(source.result.n_vectors, source.unit(1))}; {about_bars(bars)}")
    return figure, title
