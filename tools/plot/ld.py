# SPDX-License-Identifier: BSD-3-Clause
"""LD plot: a cell for each pair of variants, as a triangle or a square."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import Normalize
from matplotlib.patches import Polygon
from matplotlib.transforms import Affine2D

from plot import data, tracks
from plot.options import INPUT, USAGE, Failure
from plot.style import (Style, Tips, count, label_box, metric_name, place_name,
                        plural, question, short, text_on)

DRAWN_ONE_BY_ONE = 60  # variants whose cells are shapes with a tooltip
NAMED = 60             # variants with a name
VALUED = 20            # variants whose cells show their values
LONGEST = 24           # letters of a name that are shown


class Cells:
    """Values of all pairs of n rows in order, or of bins of neighbours.
    matrix: bins x bins, upper half; NaN without a record."""

    def __init__(self, source: data.Source, place: np.ndarray, most: int,
                 least: Optional[float] = None) -> None:
        """least: pairs of this value or more are marked in strong."""
        self.source, self.sites, self.n = source, source.sites.part(place), len(place)
        self.at = np.full(len(source.sites), -1, np.int64)
        self.at[place] = np.arange(self.n)
        self.bins = min(self.n, most)
        self.mean = source.options.get("cell") == "mean" and self.bins < self.n
        self.matrix = np.full((self.bins, self.bins), np.nan)
        self.contig = self.sites.contigs()
        self.n_record = self.n_between = self.furthest = 0
        self.value_range = (0.0, 0.0)
        self.least = least
        self.strong = np.zeros((0 if least is None else self.n,) * 2, bool)

    def bin_of(self, k: np.ndarray) -> np.ndarray:
        return k * self.bins // max(self.n, 1)

    def add(self, records: data.Records) -> None:
        end = np.sort(self.at[records.end], axis=0)
        here = end[0] >= 0
        (i, j), value = end[:, here], records.value[here]
        if not len(value):
            return
        lo, hi = self.value_range if self.n_record else (np.inf, -np.inf)
        self.value_range = min(lo, value.min()), max(hi, value.max())
        self.n_record += len(value)
        self.n_between += int((self.contig[i] != self.contig[j]).sum())
        self.furthest = max(self.furthest, int((j - i).max()))
        if self.least is not None:
            self.strong[i[value >= self.least], j[value >= self.least]] = True
        self.take(self.bin_of(i) * self.bins + self.bin_of(j), value)

    def take(self, cell: np.ndarray, value: np.ndarray) -> None:
        """Sums of cells, or the strongest value of each."""
        flat = self.matrix.reshape(-1)
        if self.mean:
            new = np.bincount(cell, value, len(flat))
            seen = np.unique(cell)
            flat[seen] = np.nan_to_num(flat[seen]) + new[seen]
            return
        strength = self.source.strength
        order = np.argsort(strength(value), kind="stable")
        cell, value = cell[order], value[order]
        better = ~(strength(flat[cell]) >= strength(value))
        # of equal cells the last one stays, which is the strongest
        flat[cell[better]] = value[better]

    def end(self) -> None:
        """Means of the sums; a pair without a record counts as 0."""
        if self.mean:
            size = np.bincount(self.bin_of(np.arange(self.n)), minlength=self.bins)
            pairs = np.outer(size, size).astype(float)
            pairs[np.diag_indices(self.bins)] = size * (size - 1) / 2
            self.matrix /= np.maximum(pairs, 1)


def fill(source: data.Source, parts: Sequence[Cells]) -> None:
    """Read the records into all parts."""
    for records in source.pairs():
        for cells in parts:
            cells.add(records)
    for cells in parts:
        cells.end()


# ---- scale of colours --------------------------------------------------------

def scale_of(source: data.Source, cells: Cells, style: Style) -> Tuple[Any, Normalize]:
    """Colours and the range of values; fixed for metrics that have a range."""
    metric, run = source.metric, source.run
    lo, hi = cells.value_range
    threshold = float(run["threshold"])
    stored = run.get("threshold_op") in ("gt", "ge") and threshold > 0
    base = threshold if stored and source.options.get("scale") == "threshold" else 0.0
    if metric in data.SIGNED and lo < 0:
        return style.diverging(), Normalize(-1, 1)
    if metric in data.BOUNDED + data.SIGNED and hi <= 1:
        return style.colours(), Normalize(base, 1)
    if metric in data.ASSOCIATION and not source.lower:
        base = threshold if stored else min(lo, 0.0)
    if source.lower:
        colours = style.colours().reversed()
        return colours, Normalize(lo if metric == "k2" else 0, hi if hi > lo else lo + 1)
    return style.colours(), Normalize(base, hi if hi > base else base + 1)


def colour_bar(figure: Any, box: List[float], source: data.Source, colours: Any,
               norm: Normalize, style: Style) -> None:
    axes = figure.add_axes(box, gid="colourbar")
    axes.imshow(np.linspace(0, 1, 128)[None, :], cmap=colours, aspect="auto",
                extent=(norm.vmin, norm.vmax, 0, 1))
    axes.set_yticks([])
    axes.set_xticks(np.linspace(norm.vmin, norm.vmax, 6 if box[2] > 0.2 else 3))
    axes.xaxis.set_major_formatter(lambda x, _: short(float(f"{x:.3g}")))
    axes.tick_params(labelsize=7, length=2, pad=2)
    axes.set_title(metric_name(source.metric), size=7.5, pad=3)
    for spine in axes.spines.values():
        spine.set_visible(True)


# ---- cells -------------------------------------------------------------------

# from column and row to the middle of a cell of the triangle
TURN = Affine2D(np.array([[0.5, 0.5, 0], [-0.5, 0.5, 0], [0, 0, 1]]))


def corners(i: np.ndarray, j: np.ndarray, triangle: bool) -> np.ndarray:
    """The four corners of each cell, in the axes' coordinates."""
    x = np.stack([j, j + 1, j + 1, j], 1)
    y = np.stack([i, i, i + 1, i + 1], 1)
    points = np.stack([x, y], 2).astype(float)
    if triangle:
        return TURN.transform(points.reshape(-1, 2)).reshape(-1, 4, 2)
    return points


def both_halves(matrix: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(matrix), matrix.T, matrix)


def draw_cells(ax: Any, cells: Cells, triangle: bool, colours: Any, norm: Normalize,
               style: Style, tips: Tips) -> None:
    matrix = cells.matrix if triangle else both_halves(cells.matrix)
    if cells.n <= DRAWN_ONE_BY_ONE:
        i, j = np.nonzero(~np.isnan(matrix))
        shapes = PolyCollection(corners(i, j, triangle), cmap=colours, norm=norm,
                                array=matrix[i, j], linewidths=0.3,
                                edgecolors=style.paper)
        ax.add_collection(shapes)
        name = cells.sites.name
        tips.add(shapes, "cells", [f"{name(a)}, {name(b)}: {short(matrix[a, b])}"
                                   for a, b in zip(i, j)])
        if cells.n <= VALUED:
            write_values(ax, i, j, matrix[i, j], triangle, norm, colours, cells.n)
        return
    image = ax.imshow(matrix, cmap=colours, norm=norm, origin="lower",
                      extent=(0, cells.n, 0, cells.n), interpolation="none",
                      aspect="auto")
    if triangle:
        image.set_transform(TURN + ax.transData)
    image.set_gid("cells")


def write_values(ax: Any, i: np.ndarray, j: np.ndarray, value: np.ndarray,
                 triangle: bool, norm: Normalize, colours: Any, n: int) -> None:
    at = corners(i, j, triangle).mean(1)
    whole = norm.vmax > 20
    for (x, y), v in zip(at, value):
        ax.text(x, y, f"{v:.0f}" if whole else f"{v:.2f}".lstrip("0") or "0",
                ha="center", va="center", size=min(7, 90 / n),
                color=text_on(colours(norm(v))), gid="value")


def draw_blocks(ax: Any, blocks: List[Tuple[int, int]], triangle: bool,
                style: Style) -> None:
    """Borders of blocks: from the first to the last variant of each."""
    lines = []
    for lo, hi in blocks:
        if triangle:
            points = TURN.transform([(lo, lo), (hi, lo), (hi, hi)])
            lines.append(np.vstack([points, points[:1]]))
        else:
            lines.append(np.array([(lo, lo), (hi, lo), (hi, hi), (lo, hi), (lo, lo)]))
    border = LineCollection(lines, colors=style.ink, linewidths=1.1, zorder=4)
    border.set_gid("blocks")
    ax.add_collection(border)


# ---- blocks ------------------------------------------------------------------

def solid_spines(cells: Cells) -> List[Tuple[int, int]]:
    """Runs whose first and last variant each have a strong value with every variant of
    the run; longest first, without overlap."""
    n, strong = cells.n, cells.strong | cells.strong.T
    np.fill_diagonal(strong, True)
    # how far to the right, and to the left, a variant is strong without a gap
    right = np.array([k + int(np.argmin(np.r_[strong[k, k:], False])) for k in range(n)])
    left = np.array([k - int(np.argmin(np.r_[strong[k, k::-1], False])) for k in range(n)])
    runs = [(lo, hi) for lo in range(n) for hi in range(lo + 2, int(right[lo]) + 1)
            if left[hi - 1] < lo]
    taken = np.zeros(n, bool)
    blocks = []
    for lo, hi in sorted(runs, key=lambda r: (r[0] - r[1], r[0])):
        if not taken[lo:hi].any():
            taken[lo:hi] = True
            blocks.append((lo, hi))
    return sorted(blocks)


def least_of(words: Optional[str], n: int) -> Optional[float]:
    """The X of --blocks, for n variants; None if it is a file or absent."""
    try:
        least = float(words or "")
    except ValueError:
        return None
    if n > 5000:
        raise Failure(USAGE, f"--blocks {words}: at most 5,000 variants, and these are "
                      f"{count(n)}; select some with --region")
    return least


def blocks_of(cells: Cells, words: Optional[str]) -> List[Tuple[int, int]]:
    """The blocks of --blocks: from a smallest value, or from a BED file."""
    if not words:
        return []
    if cells.least is None:
        return tracks.blocks_of_bed(words, cells.sites)
    return solid_spines(cells)


# ---- the map above the triangle ----------------------------------------------

JOINS, RULER = 0.32, 0.20  # inches


def names_height(cells: Cells) -> float:
    """Inches for the names of the variants, if these are few."""
    if cells.n > NAMED:
        return 0.0
    longest = max(len(cells.sites.name(k)[:LONGEST]) for k in range(cells.n))
    return 0.08 + label_box("x" * longest, min(7.0, 330 / cells.n))[0] / 72


def map_height(cells: Cells, genes: List[tracks.Gene]) -> float:
    return names_height(cells) + JOINS + RULER + tracks.height_of(genes)


def draw_map(ax: Any, cells: Cells, genes: List[tracks.Gene], style: Style) -> None:
    """Positions, drawn to scale, joined with the columns; names below them. The
    vertical axis is in inches."""
    sites, n = cells.sites, cells.n
    ax.set_xlim(0, n)
    ax.set_ylim(0, ax.get_position().height * ax.figure.get_figheight())
    ax.axis("off")
    low = names_height(cells)
    line = low + JOINS
    if n <= NAMED:
        size = min(7.0, 330 / n)
        for k in range(n):
            ax.text(k + 0.5, 0.03, sites.name(k)[:LONGEST], rotation=90, ha="center",
                    va="bottom", size=size, gid="variant")
    if not sites.placed.all() or len(set(sites.chrom)) != 1:
        return
    lo, hi = int(sites.pos.min()), int(sites.pos.max())
    x = tracks.scaled(sites.pos, lo, hi, n)
    joins = [[(k + 0.5, low), (a, line)] for k, a in enumerate(x)]
    lines = LineCollection(joins, colors=style.muted, linewidths=min(0.5, 60 / n))
    lines.set_gid("map")
    lines.set_rasterized(n > 3000)
    ax.add_collection(lines)
    tracks.draw_ruler(ax, sites.chrom[0], lo, hi, n, line, style)
    if genes:
        tracks.draw_genes(ax, genes, lo, hi, n, line + RULER, style)


# ---- the pictures ------------------------------------------------------------

def caption(source: data.Source, cells: Cells) -> Tuple[str, str]:
    """Title, and what there is to know of the cells."""
    sites, run = cells.sites, source.run
    name = metric_name(source.metric)
    what = {"r2": "Linkage disequilibrium (r\N{SUPERSCRIPT TWO})",
            "ccc": "Allele correlation (CCC)"}.get(source.metric, name[0].upper() + name[1:])
    where = ""
    if len(sites) and sites.placed.all() and len(set(sites.chrom)) == 1:
        where = ", " + place_name(sites.chrom[0], int(sites.pos.min()),
                                  int(sites.pos.max()))
    title = f"{what}, {plural(cells.n, source.unit(1))}{where}"
    about = [f"{plural(cells.n_record, 'pair')} with {question(run)}"]
    if run.get("threshold_op") != "none" and cells.n_record < cells.n * (cells.n - 1) // 2:
        about.append("blank: no record")
    if cells.bins < cells.n:
        k = -(-cells.n // cells.bins)
        how = ("mean of all pairs, no record counting 0"
               if source.options.get("cell") == "mean" else "strongest value")
        about.append(f"a cell is {k} \N{MULTIPLICATION SIGN} {k} {source.unit()}, {how}")
    if not source.complete:
        about.append(f"{source.unit()} without a record are not shown")
    return title, "; ".join(about)


def chosen_order(source: data.Source) -> Tuple[np.ndarray, int]:
    """Chosen variants along the genome, and how many were left out because they,
    unlike others, have no position."""
    place = np.flatnonzero(source.keep)
    placed = source.sites.placed[place]
    out = int((~placed).sum()) if placed.any() else 0
    place = place[placed] if out else place
    return place[data.genome_order(source.sites.part(place))], out


def triangle_figure(source: data.Source, cells: Cells, style: Style,
                    tips: Tips) -> Any:
    options, n = source.options, max(cells.n, 1)
    genes = tracks.genes_of(options.get("genes"), cells.sites)
    blocks = blocks_of(cells, options.get("blocks"))
    depth = furthest(cells)
    width, over = style.width or 7.0, map_height(cells, genes)
    height = style.height or 0.55 + over + (width - 0.5) / 2 * depth / n + 0.75
    figure = style.figure(width, height)
    colours, norm = scale_of(source, cells, style)
    left, wide = 0.25 / width, 1 - 0.5 / width
    low, split = 0.65 / height, 1 - (0.55 + over) / height
    above = figure.add_axes([left, split, wide, over / height], gid="positions")
    draw_map(above, cells, genes, style)
    ax = figure.add_axes([left, low, wide, split - low], gid="triangle")
    triangle_axes(ax, n, n, depth, style)
    draw_cells(ax, cells, True, colours, norm, style, tips)
    draw_blocks(ax, blocks, True, style)
    colour_bar(figure, [left, 0.28 / height, 1.5 / width, 0.10 / height], source,
               colours, norm, style)
    return figure


def triangle_axes(ax: Any, n: int, room: int, depth: int, style: Style) -> None:
    """Room columns wide and depth deep, with the outline of n columns."""
    ax.set_xlim(0, room)
    ax.set_ylim(-depth / 2, 0)
    ax.axis("off")
    depth = min(depth, n)
    outline = [(0, 0), (n, 0), (n - depth / 2, -depth / 2), (depth / 2, -depth / 2)]
    ax.add_patch(Polygon(outline, fill=False, edgecolor=style.line, lw=0.8,
                         clip_on=False, gid="outline"))


def furthest(cells: Cells) -> int:
    """Columns between the ends of the longest pair; a band is cut below it."""
    if not cells.n_record:
        return cells.n
    return max(min(cells.furthest + 2, cells.n), cells.n // 12, 2)


def square_figure(source: data.Source, cells: Cells, style: Style, tips: Tips) -> Any:
    n = max(cells.n, 1)
    if source.options.get("genes"):
        raise Failure(USAGE, "--genes requires --shape triangle")
    width = style.width or 7.0
    height = style.height or width + 0.2
    figure = style.figure(width, height)
    colours, norm = scale_of(source, cells, style)
    margin = 1.25 if cells.n <= NAMED else 0.75
    side = min(width - margin - 0.2, height - 0.55 - margin)
    ax = figure.add_axes([margin / width, margin / height, side / width, side / height],
                         gid="square")
    ax.set_xlim(0, n)
    ax.set_ylim(n, 0)
    draw_cells(ax, cells, False, colours, norm, style, tips)
    draw_blocks(ax, blocks_of(cells, source.options.get("blocks")), False, style)
    tracks.square_ticks(ax, cells.sites, NAMED, style)
    colour_bar(figure, [margin / width, 0.24 / height, 1.5 / width, 0.10 / height],
               source, colours, norm, style)
    return figure


def panels_figure(source: data.Source, place: np.ndarray, style: Style) -> Any:
    """A triangle for each chromosome, if no pair is between chromosomes."""
    parts = data.chromosomes(source.sites.part(place))
    columns = 1 if len(parts) < 4 else 2
    rows = -(-len(parts) // columns)
    width = style.width or 7.0
    each, widest = (width - 0.2) / columns, max(b - a for _, a, b in parts)
    panels = [Cells(source, place[a:b],
                    max(2, int(each * style.dpi / 2 * (b - a) / widest)))
              for _, a, b in parts]
    fill(source, panels)
    depth = min(widest, max(furthest(cells) for cells in panels))
    tall = (each - 0.15) / 2 * depth / widest + 0.28
    height = style.height or 0.6 + rows * tall + 0.6
    figure = style.figure(width, height)
    tall = (height - 1.2) / rows
    for k, (cells, (chrom, _, _)) in enumerate(zip(panels, parts)):
        colours, norm = scale_of(source, cells, style)
        box = [(0.1 + k % columns * each) / width,
               1 - (0.6 + (k // columns + 1) * tall) / height,
               (each - 0.15) / width, (tall - 0.28) / height]
        ax = figure.add_axes(box, gid=f"triangle{k + 1}")
        triangle_axes(ax, cells.n, widest, depth, style)
        draw_cells(ax, cells, True, colours, norm, style, Tips())
        ax.set_title(tracks.chrom_title(cells.sites, chrom), size=7, loc="left", pad=2)
    colour_bar(figure, [0.1 / width, 0.26 / height, 1.5 / width, 0.10 / height], source,
               colours, norm, style)
    return figure


def draw(source: data.Source, style: Style, tips: Tips) -> Tuple[Any, str]:
    if source.way != 2:
        raise Failure(USAGE, f"ld: {source.path} has triples; vsim-plot network and "
                      "degree draw them")
    place, unplaced = chosen_order(source)
    if not len(place):
        raise Failure(INPUT, f"{source.path}: no {source.unit()} in this region")
    shape = source.options.get("shape")
    cells = Cells(source, place, int((style.width or 7.0) * style.dpi / 2),
                  least_of(source.options.get("blocks"), len(place)))
    fill(source, [cells])
    n_chrom, between = len(set(cells.sites.chrom)), cells.n_between
    title, about = caption(source, cells)
    if unplaced:
        about += f"; {count(unplaced)} without a position left out"
    if n_chrom > 1 and shape != "square" and between <= cells.n_record // 100:
        figure = panels_figure(source, place, style)
        if between:
            about += f"; {plural(between, 'pair')} between chromosomes not shown"
    elif shape == "square" or (n_chrom > 1 and shape is None):
        figure = square_figure(source, cells, style, tips)
    else:
        figure = triangle_figure(source, cells, style, tips)
    style.heads(figure, title, about)
    tips.describe(about)
    return figure, title
