# SPDX-License-Identifier: BSD-3-Clause
"""Decay plot: values of pairs by the distance between their variants, of records or of a
table of vsim-run --summary decay."""
from __future__ import annotations

import csv
import io
import os
import sys
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

import numpy as np

from plot import data, genome
from plot.histogram import is_hdf5
from plot.options import INPUT, USAGE, Failure
from plot.style import Style, Tips, metric_name, plural, question, unit_of

BINS = 40
BUCKETS = 1 << 14  # of values, in each bin
QUANTILES = (0.5, 0.9)


def limit_kb(source: data.Source) -> Optional[float]:
    """The greatest distance between compared variants, in bases."""
    words = str(source.run.get("pair_filter", "")).split()
    return float(words[words.index("max_kb") + 1]) * 1e3 if "max_kb" in words else None


def pairs_within(source: data.Source, edges: np.ndarray) -> np.ndarray:
    """Number of pairs of variants in each bin, with or without a record."""
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


class Near(NamedTuple):
    """Pairs on one chromosome."""

    distance: np.ndarray
    value: np.ndarray


def near_pairs(source: data.Source) -> Iterator[Near]:
    """Pairs of variants with positions on one chromosome, a part at a time."""
    sites, contig = source.sites, source.sites.contigs()
    for records in source.pairs():
        i, j = records.end
        near = sites.placed[i] & sites.placed[j] & (contig[i] == contig[j])
        yield Near(np.abs(sites.pos[i] - sites.pos[j])[near], records.value[near])


class Bins:
    """Mean and quantiles of each bin; a pair without a record counts as 0.

    The records are read three times, and none is held: for the range of their
    distances and values; counted in buckets of values; and, of the buckets with a
    quantile, the values."""

    def __init__(self, source: data.Source) -> None:
        self.source = source
        self.n_record, far, lo, hi = 0, 0, np.inf, -np.inf
        for near in near_pairs(source):
            self.n_record += len(near.value)
            far = max(far, int(near.distance.max(initial=0)))
            lo = min(lo, near.value.min(initial=np.inf))
            hi = max(hi, near.value.max(initial=-np.inf))
        self.least = lo
        if not self.n_record:
            return
        # of one width, up to the greatest distance
        self.edges = np.linspace(0, max(limit_kb(source) or far, 1), BINS + 1)
        self.buckets = np.linspace(lo, hi, BUCKETS) if hi > lo else np.array([lo])
        self.count_values()
        self.find_quantiles()

    def placed(self) -> Iterator[Tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Values with their bins, and with the buckets of all bins in a row."""
        for near in near_pairs(self.source):
            at = np.clip(np.searchsorted(self.edges, near.distance, "left") - 1, 0, BINS - 1)
            bucket = np.searchsorted(self.buckets, near.value, "right") - 1
            yield near.value, at, at * len(self.buckets) + bucket

    def count_values(self) -> None:
        n, total = len(self.buckets), np.zeros(BINS)
        self.counts = np.zeros(BINS * n, np.int64)
        for value, at, bucket in self.placed():
            self.counts += np.bincount(bucket, minlength=BINS * n)
            total += np.bincount(at, value, BINS)
        stored = self.counts.reshape(BINS, n).sum(1)
        everything = str(self.source.run.get("threshold_op")) == "none"
        whole = self.source.complete and not everything
        self.total = np.maximum(pairs_within(self.source, self.edges), stored) if whole \
            else stored.astype(float)
        self.lower_bound = bool((self.total > stored).any())
        with np.errstate(invalid="ignore", divide="ignore"):
            self.mean = total / self.total

    def find_quantiles(self) -> None:
        """Quantile q of total values, of which the greatest are stored; NaN where it is
        below them."""
        n = len(self.buckets)
        up_to = self.counts.reshape(BINS, n).cumsum(1)
        wanted: Dict[Tuple[int, int], Tuple[int, int]] = {}  # bucket, and place in it
        for line, q in enumerate(QUANTILES):
            for b, total in enumerate(self.total):
                k = int(np.ceil(q * total)) - 1 - (int(total) - int(up_to[b, -1]))
                if 0 <= k < up_to[b, -1]:
                    m = int(np.searchsorted(up_to[b], k, "right"))
                    wanted[line, b] = b * n + m, k - (int(up_to[b, m - 1]) if m else 0)
        held = self.values_of({bucket for bucket, _ in wanted.values()})
        self.quantile = np.full((len(QUANTILES), BINS), np.nan)
        for place, (bucket, k) in wanted.items():
            value, copies = held[bucket]
            self.quantile[place] = value[np.searchsorted(copies.cumsum(), k, "right")]

    def values_of(self, buckets: Set[int]) -> Dict[int, Tuple[np.ndarray, np.ndarray]]:
        """The distinct values of some buckets, in order, and how often each occurs."""
        found: Dict[int, Tuple[np.ndarray, np.ndarray]] = {
            b: (np.empty(0), np.empty(0, np.int64)) for b in buckets}
        chosen = np.array(sorted(buckets), np.int64)
        for value, _, bucket in self.placed():
            here = np.isin(bucket, chosen)
            value, bucket = value[here], bucket[here]
            for b in np.unique(bucket).tolist():
                some, copies = np.unique(value[bucket == b], return_counts=True)
                every = np.concatenate([found[b][0], some])
                value_of, at = np.unique(every, return_inverse=True)
                of = np.bincount(at, np.concatenate([found[b][1], copies]))
                found[b] = value_of, of.astype(np.int64)
        return found


# ---- a table -----------------------------------------------------------------

TABLE = ["chr", "from", "to", "n", "mean", "q05", "q25", "q50", "q75", "q95"]


class Table:
    """Bins of all chromosomes together, and the mean of pairs of two chromosomes."""

    def __init__(self, path: str) -> None:
        try:
            text = sys.stdin.read() if path == "-" else open(path, errors="replace").read()
            rows = list(csv.reader(io.StringIO(text), delimiter="\t"))
            if rows[:1] != [TABLE]:
                raise Failure(INPUT, f"{path}: neither a result nor a table of vsim-run "
                              "--summary decay")
            self.between = [self.number(r[4]) for r in rows if r[0] == "between"]
            bins = np.array([[self.number(x) for x in r[1:]]
                             for r in rows if r[0] == "all"])
        except OSError as e:
            raise Failure(INPUT, f"{path}: {e.strerror}") from None
        except (ValueError, IndexError) as e:
            raise Failure(INPUT, f"{path}: {e}") from None
        bins = bins[bins[:, 2] > 0] if len(bins) else bins.reshape(0, len(TABLE) - 1)
        if not len(bins):
            raise Failure(INPUT, f"{path}: no pair of two variants on one chromosome")
        # the last bin has no end
        bins[:, 1] = np.where(np.isfinite(bins[:, 1]), bins[:, 1], 2 * bins[:, 0] + 1)
        self.n_pair = int(bins[:, 2].sum())
        self.lo, self.hi, self.mean = bins[:, 0], bins[:, 1], bins[:, 3]
        self.quantile = bins[:, [6, 8]].T

    @staticmethod
    def number(text: str) -> float:
        return float("nan") if text == "NA" else float(text)


def draw_path(path: str, options: Dict[str, Any], style: Style,
              tips: Tips) -> Tuple[Any, str]:
    if is_hdf5(path) or os.path.isdir(path):
        return draw(data.Source(path, options), style, tips)
    for word in ("region", "id", "vectors"):
        if options.get(word):
            raise Failure(USAGE, f"--{word} requires a result, which {path} is not")
    table = Table(path)
    figure, ax = genome.frame(style)
    # bins of growing width are even on a logarithmic axis
    grows = table.hi[-1] - table.lo[-1] > 2 * (table.hi[0] - table.lo[0])
    unit, bases = ("kb", 1e3) if grows else unit_of(float(table.hi[-1]))
    middle = (table.lo + table.hi) / 2 / bases
    plot_lines(ax, middle, [
        (table.mean, "mean", "-", style.accent),
        (table.quantile[0], "median", "--", style.ink),
        (table.quantile[1], "95 % quantile", ":", style.warm)])
    if table.between and np.isfinite(table.between[0]):
        ax.axhline(table.between[0], color=style.ink, lw=0.8, ls="-.",
                   label="mean between chromosomes").set_gid("between")
    if grows:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    ax.legend(frameon=False, fontsize=7.5, loc="upper right")
    ax.set_xlabel(f"distance ({unit})")
    ax.set_ylabel("value")
    title = "Values by distance"
    about = f"{plural(table.n_pair, 'pair')} on one chromosome"
    style.heads(figure, title, about)
    tips.describe(about)
    return figure, title


# ---- records -----------------------------------------------------------------

def draw(source: data.Source, style: Style, tips: Tips) -> Tuple[Any, str]:
    if source.way != 2 or source.metric in data.ASSOCIATION:
        raise Failure(USAGE, f"decay: requires pairs of a metric such as r2; "
                      f"{source.path} has other records")
    bins = Bins(source)
    if not bins.n_record:
        raise Failure(INPUT, f"{source.path}: no record of two variants on one "
                      "chromosome with positions")
    figure, ax = genome.frame(style)
    unit = draw_lines(ax, bins, style)
    ax.set_xlabel(f"distance ({unit})")
    ax.set_ylabel(metric_name(source.metric))
    if bins.least >= 0:
        ax.set_ylim(0, 1.1 * np.nanmax([bins.mean, *bins.quantile]))
    what = {"r2": "LD"}.get(source.metric, metric_name(source.metric))
    title = f"{what} by distance"
    about = f"{plural(bins.n_record, 'pair')} with {question(source.run)}"
    if bins.lower_bound:
        about += "; pairs without a record count as 0, so the mean is a lower bound"
    style.heads(figure, title, about)
    tips.describe(about)
    return figure, title


def draw_lines(ax: Any, bins: Bins, style: Style) -> str:
    """Mean, median and upper quantile against the middle of each bin."""
    unit, bases = unit_of(float(bins.edges[-1]))
    x = (bins.edges[1:] + bins.edges[:-1]) / 2 / bases
    plot_lines(ax, x, [
        (bins.mean, "mean", "-", style.accent),
        (bins.quantile[0], "median", "--", style.ink),
        (bins.quantile[1], "90 % quantile", ":", style.warm)])
    ax.set_xlim(0, bins.edges[-1] / bases)
    ax.legend(frameon=False, fontsize=7.5, loc="upper right")
    return unit


def plot_lines(ax: Any, x: np.ndarray, lines: List[Tuple[Any, str, str, Any]]) -> None:
    for value, name, dash, colour in lines:
        if np.isfinite(value).any():
            line, = ax.plot(x, value, dash, color=colour, lw=1.4, label=name)
            line.set_gid(name.split()[-1])
