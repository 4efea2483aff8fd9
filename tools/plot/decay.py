# SPDX-License-Identifier: BSD-3-Clause
"""Decay plot: values of pairs by the distance between their variants."""
from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from plot import data, genome
from plot.options import INPUT, USAGE, Failure
from plot.style import Style, Tips, metric_name, plural, question, unit_of

BINS = 40
QUANTILES = (0.5, 0.9)


def limit_kb(source: data.Source) -> Optional[float]:
    """The greatest distance of a pair that the run compared, in bases."""
    words = str(source.run.get("pair_filter", "")).split()
    return float(words[words.index("max_kb") + 1]) * 1e3 if "max_kb" in words else None


def edges_of(source: data.Source, distance: np.ndarray) -> np.ndarray:
    """Ends of the bins: of one width, up to the greatest distance."""
    far = limit_kb(source) or float(distance.max())
    return np.linspace(0, max(far, 1), BINS + 1)


def pairs_within(source: data.Source, edges: np.ndarray) -> np.ndarray:
    """How many pairs of the variants there are in each bin, with a record or not."""
    place = np.flatnonzero(source.keep & source.sites.placed)
    place = place[data.genome_order(source.sites.part(place))]
    total = np.zeros(len(edges) - 1)
    sites = source.sites.part(place)
    for _, a, b in data.chromosomes(sites):
        pos = sites.pos[a:b]
        up_to = [np.searchsorted(pos, pos + int(e), "right") for e in edges]
        up_to[0] = np.arange(1, len(pos) + 1)
        total += [float((hi - lo).sum()) for lo, hi in zip(up_to, up_to[1:])]
    return total


class Bins:
    """Mean and quantiles of each bin; a pair without a record counts as 0."""

    def __init__(self, source: data.Source, records: data.Records,
                 distance: np.ndarray) -> None:
        self.edges = edges_of(source, distance)
        at = np.clip(np.searchsorted(self.edges, distance, "left") - 1, 0, BINS - 1)
        stored = np.bincount(at, minlength=BINS)
        everything = str(source.run.get("threshold_op")) == "none"
        whole = source.complete and not everything
        self.total = pairs_within(source, self.edges) if whole else stored.astype(float)
        self.total = np.maximum(self.total, stored)
        self.lower_bound = bool((self.total > stored).any())
        with np.errstate(invalid="ignore", divide="ignore"):
            self.mean = np.bincount(at, records.value, BINS) / self.total
        order = np.lexsort((records.value, at))
        cut = np.searchsorted(at[order], np.arange(BINS + 1))
        groups = [records.value[order][a:b] for a, b in zip(cut, cut[1:])]
        self.quantile = [[self.one(g, n, q) for g, n in zip(groups, self.total)]
                         for q in QUANTILES]

    @staticmethod
    def one(value: np.ndarray, total: float, q: float) -> float:
        """Quantile q of total values, of which the greatest are given, in order;
        NaN where it is below them."""
        k = int(np.ceil(q * total)) - 1 - (int(total) - len(value))
        return float(value[k]) if 0 <= k < len(value) else np.nan


def draw(source: data.Source, style: Style, tips: Tips) -> Tuple[Any, str]:
    if source.way != 2 or source.metric in data.ASSOCIATION:
        raise Failure(USAGE, f"decay: requires pairs of a metric such as r2, and "
                      f"{source.path} has others")
    records = data.pairs_of(source.records(both=True), source.lower)
    sites, (i, j) = source.sites, records.end
    near = sites.placed[i] & sites.placed[j] & (sites.chrom[i] == sites.chrom[j])
    records = data.Records(records.end[:, near], records.value[near], sites)
    if not len(records):
        raise Failure(INPUT, f"{source.path}: no record of two variants on one "
                      "chromosome with positions")
    i, j = records.end
    bins = Bins(source, records, np.abs(sites.pos[i] - sites.pos[j]))
    figure, ax = genome.frame(style)
    unit = draw_lines(ax, bins, style)
    ax.set_xlabel(f"distance ({unit})")
    ax.set_ylabel(metric_name(source.metric))
    if records.value.min() >= 0:
        ax.set_ylim(0, 1.1 * np.nanmax([bins.mean, *bins.quantile]))
    what = {"r2": "LD"}.get(source.metric, metric_name(source.metric))
    title = f"{what} by distance"
    about = f"{plural(len(records), 'pair')} with {question(source.run)}"
    if bins.lower_bound:
        about += "; pairs without a record count as 0, so the mean is a lower bound"
    style.heads(figure, title, about)
    tips.describe(about)
    return figure, title


def draw_lines(ax: Any, bins: Bins, style: Style) -> str:
    """Mean, median and upper quantile against the middle of each bin."""
    unit, bases = unit_of(float(bins.edges[-1]))
    x = (bins.edges[1:] + bins.edges[:-1]) / 2 / bases
    lines: List[Tuple[Any, str, str, Any]] = [
        (bins.mean, "mean", "-", style.accent),
        (np.array(bins.quantile[0]), "median", "--", style.ink),
        (np.array(bins.quantile[1]), "90 % quantile", ":", style.warm)]
    for value, name, dash, colour in lines:
        if np.isfinite(value).any():
            line, = ax.plot(x, value, dash, color=colour, lw=1.4, label=name)
            line.set_gid(name.split()[-1])
    ax.set_xlim(0, bins.edges[-1] / bases)
    ax.legend(frameon=False, fontsize=7.5, loc="upper right")
    return unit
