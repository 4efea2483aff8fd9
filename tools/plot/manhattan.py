# SPDX-License-Identifier: BSD-3-Clause
"""Manhattan plot: -log10 p of each variant's strongest record, cases against controls."""
from __future__ import annotations

import itertools
from typing import Any, List, Tuple

import numpy as np

from plot import data, genome, programs
from plot.options import INPUT, USAGE, Failure
from plot.style import Style, Tips, count, metric_name, plural, question

LEAST = 1e-320  # a p that is 0 in double precision is drawn there


def n_tests(source: data.Source) -> float:
    """Pairs or triples that the run compared."""
    stated = int(source.run.get("filtered_pairs", 0))
    n = source.result.n_vectors
    every = n * (n - 1) / 2 * ((n - 2) / 3 if source.way == 3 else 1)
    return float(stated or every)


def best_p(source: data.Source) -> np.ndarray:
    """The smallest p of the records of each variant; NaN without a record."""
    best = np.full(len(source.sites), np.nan)
    blocks, p_values = source.blocks(both=False), programs.p_values(source, data.BLOCK)
    for part, p in itertools.zip_longest(blocks, p_values):
        if part is None or p is None or len(part.value) != len(p):
            raise Failure(INPUT, f"{source.path}: vsim-view does not show its "
                          f"{count(source.result.n_records)} records")
        for end in part.end:
            np.fmin.at(best, end[part.mask], p[part.mask])
    return best


def family_line(source: data.Source) -> str:
    """Number of records below a family-wise p of 5 %, after permutations."""
    null = source.result.file.get("permutations/strongest")
    if null is None:
        return ""
    strongest = np.sort(null[...])
    if np.isnan(strongest).any():
        return ""
    null_strength = np.sort(source.strength(strongest))
    passing = 0
    for value in source.values(everything=True):
        beaten = len(null_strength) - np.searchsorted(
            null_strength, source.strength(value), "left")
        passing += int(((beaten + 1) / (len(null_strength) + 1) <= 0.05).sum())
    return f"{plural(passing, 'record')} with p_family \N{LESS-THAN OR EQUAL TO} 0.05 " \
        f"({plural(len(strongest), 'permutation')})"


def draw_lines(ax: Any, source: data.Source, top: float, style: Style) -> None:
    """The 5 % Bonferroni threshold for all tests."""
    n = n_tests(source)
    at = -np.log10(0.05 / n)
    ax.axhline(at, color=style.warm, lw=0.9, ls="--", zorder=2, gid="threshold")
    ax.annotate(f"0.05 / {count(int(n))} tests", (1, at), (-2, 2), size=6.5,
                xycoords=("axes fraction", "data"), textcoords="offset points",
                ha="right", va="bottom", color=style.warm)


def draw(source: data.Source, style: Style, tips: Tips) -> Tuple[Any, str]:
    if source.metric not in data.ASSOCIATION:
        raise Failure(USAGE, f"manhattan: {source.metric} has no p-values; vsim-plot "
                      "degree counts the records of each variant")
    best = best_p(source)
    seen = np.flatnonzero(np.isfinite(best) & source.keep)
    order = seen[data.genome_order(source.sites.part(seen))]
    placed = source.sites.placed[order]
    unplaced, order = int((~placed).sum()), order[placed]
    if not len(order):
        raise Failure(INPUT, f"{source.path}: no variant with a record and a position")
    figure, ax = genome.frame(style)
    axis = genome.Axis(source.sites.part(order))
    height = -np.log10(np.maximum(best[order], LEAST))
    axis.draw(ax, style)
    bonferroni = -np.log10(0.05 / n_tests(source))
    low = max(0.0, np.floor(height.min() - 0.5))
    ax.set_ylim(low, max(height.max(), bonferroni) + 0.14 * (height.max() - low + 1))
    ax.set_ylabel("\N{MINUS SIGN}log10 p")
    genome.dots(ax, axis, height, style, tips, "\N{MINUS SIGN}log10 p")
    draw_lines(ax, source, height.max(), style)
    span = axis.x.max() - axis.x.min()
    genome.name_leads(ax, axis, height, genome.leads(axis, height, span / 40), style,
                      bonferroni)
    words = about(source, len(order), unplaced)
    title = f"{metric_name(source.metric).capitalize()}: strongest " \
        f"{'triple' if source.way == 3 else 'pair'} of each variant"
    style.heads(figure, title, words)
    tips.describe(words)
    return figure, title


def about(source: data.Source, drawn: int, unplaced: int) -> str:
    words: List[str] = [question(source.run), f"{plural(drawn, 'variant')} with a record"]
    family = family_line(source)
    if family:
        words.append(family)
    if unplaced:
        words.append(f"{count(unplaced)} without a position left out")
    return "; ".join(words)
