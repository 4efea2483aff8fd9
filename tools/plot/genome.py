# SPDX-License-Identifier: BSD-3-Clause
"""Dots along the chromosomes, with labels of the highest."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from plot import data
from plot.style import Style, Tips, place_labels, short, unit_of

SHAPES = 6000  # dots that are shapes with a tooltip; more are an image
NAMED = 10


class Axis:
    """Places of variants on one line, chromosome after chromosome."""

    def __init__(self, sites: data.Sites) -> None:
        self.sites = sites
        self.parts = data.chromosomes(sites)
        self.x = np.zeros(len(sites))
        self.begin: List[Tuple[Any, float, float]] = []
        spans = [int(sites.pos[b - 1] - sites.pos[a]) for _, a, b in self.parts]
        gap = sum(spans) * 0.01 + 1
        at = 0.0
        for (chrom, a, b), span in zip(self.parts, spans):
            origin = sites.pos[a]
            self.x[a:b] = sites.pos[a:b] - origin + at
            self.begin.append((chrom, at, at + span))
            at += span + gap

    def draw(self, ax: Any, style: Style) -> None:
        if len(self.parts) == 1:
            self.draw_one(ax)
            return
        middle = [(a + b) / 2 for _, a, b in self.begin]
        total = self.begin[-1][2] or 1
        wide = [b - a > total / 70 for _, a, b in self.begin]
        ax.set_xticks([m for m, w in zip(middle, wide) if w],
                      [data.bare(c) for (c, _, _), w in zip(self.begin, wide) if w])
        ax.tick_params(axis="x", length=0)
        ax.set_xlim(-total * 0.01, total * 1.01)
        ax.set_xlabel("chromosome")

    def draw_one(self, ax: Any) -> None:
        lo, hi = self.sites.pos[0], self.sites.pos[-1]
        unit, bases = unit_of(float(hi - lo))
        self.x = self.sites.pos / bases
        room = max(hi - lo, 1) * 0.01
        ax.set_xlim((lo - room) / bases, (hi + room) / bases)
        ax.set_xlabel(f"position on chromosome {data.bare(self.parts[0][0])} ({unit})")

    def shade(self) -> np.ndarray:
        """0 and 1 for alternate chromosomes."""
        shade = np.zeros(len(self.sites), int)
        for k, (_, a, b) in enumerate(self.parts):
            shade[a:b] = k % 2
        return shade


def dots(ax: Any, axis: Axis, height: np.ndarray, style: Style, tips: Tips,
         what: str) -> None:
    """A dot for each variant, in alternate colours by chromosome."""
    name = axis.sites.name
    shade = axis.shade()
    for odd, colour in ((0, style.accent), (1, style.second)):
        here = np.flatnonzero(shade == odd)
        if not len(here):
            continue
        drawn = ax.scatter(axis.x[here], height[here], s=7, c=colour, linewidths=0,
                           rasterized=len(axis.x) > SHAPES, clip_on=False, zorder=3)
        if len(axis.x) <= SHAPES:
            tips.add(drawn, f"dots{odd}", [
                f"{name(k)}, {axis.sites.chrom[k]}:{axis.sites.pos[k]:,}: {what} "
                f"{short(height[k])}" for k in here])


def leads(axis: Axis, height: np.ndarray, apart: float) -> List[int]:
    """The highest dots, at least apart from each other."""
    found: List[int] = []
    for k in np.argsort(-height, kind="stable")[:20000]:
        if all(abs(axis.x[k] - axis.x[f]) > apart for f in found):
            found.append(int(k))
        if len(found) == NAMED:
            break
    return found


def name_leads(ax: Any, axis: Axis, height: np.ndarray, chosen: Sequence[int],
               style: Style, threshold: Optional[float] = None) -> None:
    """Names next to the chosen dots; threshold: a line with a label at its right end."""
    scale = 72 / ax.figure.dpi
    points = [(axis.x[k], height[k]) for k in chosen]
    at = ax.transData.transform(np.array(points).reshape(-1, 2)) * scale
    blocked = np.column_stack([at - 2, at + 2])
    if threshold is not None:
        right = np.array([ax.get_window_extent().x1,
                          ax.transData.transform((0, threshold))[1]]) * scale
        blocked = np.vstack([blocked, [*(right - [120, 1]), *(right + [0, 12])]])
    place_labels(ax, points, [axis.sites.name(k)[:28] for k in chosen], style,
                 blocked=blocked)


def frame(style: Style, height: float = 3.4) -> Tuple[Any, Any]:
    """A figure with one wide axes."""
    width, tall = style.width or 7.0, style.height or height
    figure = style.figure(width, tall)
    ax = figure.add_axes([0.82 / width, 0.5 / tall, 1 - 1.0 / width, 1 - 1.12 / tall],
                         gid="plot")
    return figure, ax
