# SPDX-License-Identifier: BSD-3-Clause
"""Degree plot: the number of pairs or triples of each variant along the genome."""
from __future__ import annotations

from typing import Any, Tuple

import numpy as np
from matplotlib.ticker import MaxNLocator

from plot import data, genome
from plot.options import INPUT, Failure
from plot.style import Style, Tips, count, plural, question


def degrees(source: data.Source) -> np.ndarray:
    degree = np.zeros(len(source.sites), np.int64)
    for end in source.sets():
        degree += np.bincount(end.ravel(), minlength=len(degree))
    return degree


def draw(source: data.Source, style: Style, tips: Tips) -> Tuple[Any, str]:
    degree = degrees(source)
    seen = np.flatnonzero((degree > 0) & source.keep)
    order = seen[data.genome_order(source.sites.part(seen))]
    placed = source.sites.placed[order]
    unplaced, order = int((~placed).sum()), order[placed]
    if not len(order):
        raise Failure(INPUT, f"{source.path}: no variant with a record and a position")
    what = "triples" if source.way == 3 else "pairs"
    figure, ax = genome.frame(style)
    axis, height = genome.Axis(source.sites.part(order)), degree[order].astype(float)
    axis.draw(ax, style)
    ax.set_ylim(0, height.max() * 1.15)
    ax.set_ylabel(f"{what} of a variant")
    ax.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    genome.dots(ax, axis, height, style, tips, what)
    span = axis.x.max() - axis.x.min()
    genome.name_leads(ax, axis, height, genome.leads(axis, height, span / 40), style)
    title = f"{what.capitalize()} of each variant"
    about = (f"{question(source.run)}; {plural(len(seen), 'variant')} with a record, "
             f"{count(int(degree[seen].max()))} {what} at most")
    if unplaced:
        about += f"; {count(unplaced)} without a position left out"
    style.heads(figure, title, about)
    tips.describe(about)
    return figure, title
