# SPDX-License-Identifier: BSD-3-Clause
"""Heat map of numbers, or of the similarity of their rows, with dendrograms."""
from __future__ import annotations

import os
from typing import Any, Dict, List, Tuple

import numpy as np
import vsim
from matplotlib.collections import LineCollection
from matplotlib.colors import LogNorm, Normalize
from scipy.cluster import hierarchy
from scipy.spatial import distance

from plot import data, ld
from plot.histogram import is_hdf5
from plot.options import INPUT, USAGE, Failure
from plot.style import Style, Tips, count, metric_name, plural, question, short

MOST = 4000   # rows
NAMED = 80    # rows or columns with a name
SHAPES = 6000  # cells that are shapes with a tooltip


class Table:
    """Numbers in rows and columns, with the order from clustering both."""

    def __init__(self, value: np.ndarray, rows: List[str], columns: List[str],
                 links: List[Any], symmetric: bool) -> None:
        self.links, self.symmetric = links, symmetric
        order = [hierarchy.leaves_list(k) if k is not None else np.arange(n)
                 for k, n in zip(links, value.shape)]
        self.value = value[np.ix_(*order)]
        self.rows = [rows[k] for k in order[0]]
        self.columns = [columns[k] for k in order[1]]


def linkage_of(far: np.ndarray) -> Any:
    """Average linkage of a square of distances; None for a single row."""
    if len(far) < 2:
        return None
    near = distance.squareform(far, checks=False)
    return hierarchy.linkage(near, "average", optimal_ordering=len(far) <= 400)


def too_many(path: str, n: int) -> None:
    if n > MOST:
        raise Failure(USAGE, f"heatmap: {path} has {count(n)} rows, at most {count(MOST)} "
                      "are drawn; select some with --id")


# ---- where the numbers are from ----------------------------------------------

def distances(value: np.ndarray) -> np.ndarray:
    """Bray-Curtis distances of rows, or Euclidean if any number is negative."""
    kind = "braycurtis" if value.min() >= 0 else "euclidean"
    far = distance.squareform(distance.pdist(value, kind))
    return np.nan_to_num(far, nan=1.0)


def table_of_vectors(path: str, options: Dict[str, Any]) -> Tuple[Table, str, str]:
    with data.opened(vsim.Vectors, path) as x:
        if not x.numbers:
            raise Failure(INPUT, f"{path}: holds genotypes; heatmap draws numbers, and "
                          "vsim-plot ld the pairs of a result")
        keep = np.ones(len(x), bool)
        if options.get("id"):
            wanted = set(data.wanted_ids(options["id"]))
            keep = np.array([name in wanted for name in x.ids], bool)
        too_many(path, int(keep.sum()))
        too_many(path, len(x.samples))
        value = np.nan_to_num(x[0:len(x)][keep].astype(float))
        rows = [data.clean(name) for name, k in zip(x.ids, keep) if k]
        columns = [data.clean(name) for name in x.samples]
    if not len(rows):
        raise Failure(INPUT, f"{path}: no row of these names")
    links = [linkage_of(distances(value)), linkage_of(distances(value.T))]
    table = Table(value, rows, columns, links, False)
    kind = "Bray-Curtis" if value.min() >= 0 else "Euclidean"
    return table, f"{count(len(rows))} \N{MULTIPLICATION SIGN} {count(len(columns))}", \
        f"both clustered by average linkage of {kind} distances"


def table_of_result(source: data.Source) -> Tuple[Table, str, str]:
    if source.way != 2:
        raise Failure(USAGE, f"heatmap: {source.path} has triples, not pairs")
    place = np.flatnonzero(source.keep)
    too_many(source.path, len(place))
    cells = ld.Cells(source, place, max(len(place), 1))
    ld.fill(source, [cells])
    if not cells.n_record:
        raise Failure(INPUT, f"{source.path}: no record to draw")
    value = ld.both_halves(cells.matrix)
    shown = np.ones(cells.n, bool) if source.complete else ~np.isnan(value).all(1)
    value = value[np.ix_(shown, shown)]
    np.fill_diagonal(value, np.nan)
    known = np.nan_to_num(value, nan=(np.nanmax(value) if source.lower else 0.0))
    far = known if source.lower else max(1.0, np.nanmax(value)) - known
    np.fill_diagonal(far, 0)
    link = linkage_of(far)
    names = [cells.sites.name(int(k)) for k in np.flatnonzero(shown)]
    table = Table(value, names, names, [link, link], True)
    return table, plural(len(names), source.unit(1)), \
        f"{question(source.run)}; clustered by average linkage"


# ---- the picture -------------------------------------------------------------

def draw_tree(ax: Any, link: Any, side: str, style: Style) -> None:
    """A dendrogram above the columns or left of the rows."""
    ax.axis("off")
    if link is None:
        return
    tree = hierarchy.dendrogram(link, no_plot=True)
    x = np.array(tree["icoord"]) / 10
    y = np.array(tree["dcoord"])
    lines = [np.column_stack([a, b] if side == "top" else [b, a]) for a, b in zip(x, y)]
    drawn = LineCollection(lines, colors=style.muted, linewidths=0.7)
    drawn.set_gid(f"tree-{side}")
    ax.add_collection(drawn)
    n, top = len(link) + 1, y.max() * 1.02 or 1
    if side == "top":
        ax.set_xlim(0, n)
        ax.set_ylim(0, top)
    else:
        ax.set_ylim(n, 0)
        ax.set_xlim(top, 0)


def scale_of(table: Table, source: Any, style: Style) -> Tuple[Any, Any]:
    value = table.value
    seen = value[np.isfinite(value)]
    if table.symmetric and source.metric in data.BOUNDED:
        return style.colours(), Normalize(0, 1)
    if table.symmetric and source.metric in data.SIGNED and seen.min() < 0:
        return style.diverging(), Normalize(-1, 1)
    some = seen[seen > 0]
    if len(some) and seen.min() >= 0 and some.max() > 100 * np.median(some) > 0:
        return style.colours(), LogNorm(some.min(), some.max())
    colours = style.colours().reversed() if table.symmetric and source.lower \
        else style.colours()
    hi = seen.max() if len(seen) else 1
    return colours, Normalize(min(0, seen.min() if len(seen) else 0), hi or 1)


def draw_table(ax: Any, table: Table, colours: Any, norm: Any, style: Style,
               tips: Tips) -> None:
    n, m = table.value.shape
    value = np.ma.masked_invalid(table.value)
    if isinstance(norm, LogNorm):
        value = np.ma.masked_less_equal(value, 0)
    if n * m <= SHAPES:
        drawn = ax.pcolormesh(np.arange(m + 1), np.arange(n + 1), value, cmap=colours,
                              norm=norm, linewidth=0)
        tips.add(drawn, "cells", [f"{a}, {b}: {short(v)}" for a, row in zip(
            table.rows, table.value) for b, v in zip(table.columns, row)])
    else:
        ax.imshow(value, cmap=colours, norm=norm, extent=(0, m, n, 0), aspect="auto",
                  interpolation="none").set_gid("cells")
    ax.set_xlim(0, m)
    ax.set_ylim(n, 0)
    ax.tick_params(length=0)
    ax.yaxis.tick_right()
    names(ax.set_xticks, table.columns, 90)
    names(ax.set_yticks, table.rows, 0)


def names(set_ticks: Any, words: List[str], rotation: int) -> None:
    n = len(words)
    if n > NAMED:
        set_ticks([])
        return
    set_ticks(np.arange(n) + 0.5, [w[:28] for w in words], rotation=rotation,
              size=max(4.0, min(7.0, 340 / n)))


def margin(words: List[str]) -> float:
    """Inches for the names; little if there are too many to show."""
    if len(words) > NAMED:
        return 0.15
    return 0.1 + max(len(w[:28]) for w in words) * max(4.0, min(7.0, 340 / len(words))) * 0.009


def figure_of(table: Table, source: Any, style: Style, tips: Tips) -> Any:
    width = style.width or 7.0
    tree, right, under = 0.7, margin(table.rows), margin(table.columns)
    wide = width - tree - right - 0.15
    n, m = table.value.shape
    least = 0.1 * n if n <= NAMED else 2.2
    high = wide if table.symmetric else min(max(wide * n / m, least, 2.2), 9)
    height = style.height or 0.55 + tree + high + under + 0.55
    high = height - 0.55 - tree - under - 0.55
    figure = style.figure(width, height)
    left, low = (0.1 + tree) / width, (under + 0.55) / height
    ax = figure.add_axes([left, low, wide / width, high / height], gid="heatmap")
    for spine in ax.spines.values():
        spine.set_visible(False)
    colours, norm = scale_of(table, source, style)
    draw_table(ax, table, colours, norm, style, tips)
    top = figure.add_axes([left, low + high / height, wide / width, tree / height * 0.95])
    draw_tree(top, table.links[1], "top", style)
    side = figure.add_axes([0.1 / width, low, tree / width * 0.95, high / height])
    draw_tree(side, table.links[0], "left", style)
    bar = figure.add_axes([0.1 / width, 0.26 / height, 1.5 / width, 0.10 / height],
                          gid="colourbar")
    colour_bar(bar, colours, norm, source, style)
    return figure


def colour_bar(ax: Any, colours: Any, norm: Any, source: Any, style: Style) -> None:
    from matplotlib.colorbar import ColorbarBase
    bar = ColorbarBase(ax, cmap=colours, norm=norm, orientation="horizontal")
    bar.ax.tick_params(labelsize=7, length=2, pad=2)
    bar.ax.minorticks_off()
    bar.ax.xaxis.set_major_formatter(lambda x, _: short(float(f"{x:.3g}")))
    bar.ax.set_title(metric_name(source.metric) if source else "value", size=7.5, pad=3)


def draw_path(path: str, options: Dict[str, Any], style: Style,
              tips: Tips) -> Tuple[Any, str]:
    source = None
    if path != "-" and not os.path.exists(path):
        raise Failure(INPUT, f"{path}: No such file or directory")
    if not is_hdf5(path):
        raise Failure(INPUT, f"{path}: neither a vectors file nor a result")
    with data.opened(vsim.open_file, path) as f:
        vectors = isinstance(f, vsim.Vectors)
    if vectors:
        table, what, how = table_of_vectors(path, options)
        title = f"Heat map of {what} numbers"
    else:
        source = data.Source(path, options)
        table, what, how = table_of_result(source)
        title = f"{metric_name(source.metric)} of {what}"
        title = title[0].upper() + title[1:]
    figure = figure_of(table, source, style, tips)
    style.heads(figure, title, how)
    tips.describe(how)
    return figure, title
