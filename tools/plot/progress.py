# SPDX-License-Identifier: BSD-3-Clause
"""Progress plot of a run directory: tiles and records over time, shards by rank."""
from __future__ import annotations

import calendar
import glob
import os
import time
from typing import Any, Dict, List, Tuple

import numpy as np
import vsim

from plot import data
from plot.options import INPUT, Failure
from plot.style import Style, Tips, count, plural, question, short

SHORT, APART = 10, 2  # seconds: a short run; between two ranks' dates of one start


class Shard:
    """A sealed shard: when it was begun and sealed, and when its tiles were finished."""

    def __init__(self, path: str) -> None:
        with data.open_result(path) as r:
            if vsim.text(r.file.attrs["format"]) != "vsim-shard":
                raise Failure(INPUT, f"{path}: is a merged result; progress requires "
                              "the directory of a run")
            self.run = r.run
            self.rank, self.stage = int(r.run["shard"]), int(r.run["stage_begin"])
            self.seconds = np.maximum(r.file["tiles/seconds"][...].astype(float), 0)
            self.count = r.file["tiles/count"][...].astype(float)
            self.n_all = all_tiles(r)
            self.started, self.sealed = dates(r)
            stats = r.file["stats"].attrs if "stats" in r.file else {}
            self.total = float(stats.get("seconds_total", 0))
        self.core = float(self.seconds.sum())
        self.begin = self.end = 0.0

    def times(self) -> np.ndarray:
        """When each tile was finished, from the seconds that tiles took."""
        n = len(self.seconds)
        part = np.cumsum(self.seconds) / self.core if self.core else (
            np.arange(1, n + 1) / max(n, 1))
        return self.begin + part * (self.end - self.begin)


def all_tiles(r: data.Result) -> int:
    """Tiles of the whole run, by its blocks."""
    tile = int(r.run["tile"])
    if "sets" in r.file and r.run.get("between"):
        parts = [-(-len(r.file[f"sets/{s}"]) // tile) for s in ("first", "both", "second")]
        n = sum(parts)
        alone = [parts[2]] if r.way == 3 else [parts[0], parts[2]]
        return n * (n + 1) // 2 - sum(p * (p + 1) // 2 for p in alone)
    n = -(-r.n_vectors // tile)
    return n if r.run.get("row_tiles") else n * (n + 1) // 2


def seconds_of(word: Any) -> float:
    try:
        return float(calendar.timegm(time.strptime(vsim.text(word), "%Y-%m-%dT%H:%M:%SZ")))
    except ValueError:
        return 0.0


def dates(r: data.Result) -> Tuple[float, float]:
    """Start and end of the last step by vsim-run."""
    steps = r.file["provenance"]
    runs = [k for k, t in enumerate(steps["tool"][...]) if vsim.text(t) == "vsim-run"]
    if not runs:
        return 0.0, 0.0
    started = seconds_of(steps["started"][runs[-1]])
    return started, max(started, seconds_of(steps["finished"][runs[-1]]))


def shards_of(path: str) -> List[Shard]:
    """The shards of a run directory, or the shard of this name."""
    names = sorted(glob.glob(os.path.join(glob.escape(path), "*.shard.h5")))
    if not os.path.isdir(path):
        names = [path]
    if not names:
        raise Failure(INPUT, f"{path}: has no sealed shard of vsim-run yet")
    return [Shard(name) for name in names]


# ---- times of work -----------------------------------------------------------

def set_times(shards: List[Shard]) -> None:
    """Set the times of the shards of one rank and one start. Dates are whole seconds, so
    shards with the same date share the time in proportion to their tiles; the end of a
    short run is computed from the program's seconds, which the last shard states."""
    start = at = shards[0].started
    total = max(s.total for s in shards)
    last = shards[-1].sealed
    for sealed in sorted({s.sealed for s in shards}):
        group = [s for s in shards if s.sealed == sealed]
        core, end = sum(s.core for s in group), sealed
        if sealed == last and total > 0 and end - start < SHORT:
            end = start + total
        if sealed == last and end <= at:
            end = at + max(core, 1e-3)
        end, begin = max(end, at), at
        for s in group:
            s.begin = at
            at += (end - begin) * (s.core / core if core else 1 / len(group))
            s.end = at
        at = end


def leave_gaps(shards: List[Shard]) -> List[float]:
    """Leave out the time between two starts; returns when each was, first 0."""
    starts: List[float] = []
    end = shift = 0.0
    for s in sorted(shards, key=lambda s: s.begin):
        if not starts or s.begin > end + APART:
            shift += s.begin - end
            starts.append(s.begin - shift)
        end = max(end, s.end)
        s.begin, s.end = s.begin - shift, s.end - shift
    return starts


def timed(path: str) -> Tuple[List[Shard], List[float]]:
    shards = shards_of(path)
    shards.sort(key=lambda s: (s.rank, s.started, s.sealed, s.stage))
    for key in sorted({(s.rank, s.started) for s in shards}):
        set_times([s for s in shards if (s.rank, s.started) == key])
    return shards, leave_gaps(shards)


# ---- the picture -------------------------------------------------------------

def unit_of(seconds: float) -> Tuple[str, float]:
    for name, unit, least in (("hours", 3600.0, 3 * 3600), ("minutes", 60.0, 180),
                              ("seconds", 1.0, 1)):
        if seconds >= least:
            return name, unit
    return "milliseconds", 1e-3


def draw_sum(ax: Any, time_: np.ndarray, value: np.ndarray, end: float, gid: str,
             style: Style) -> None:
    x = np.r_[0, time_, end]
    y = np.r_[0, np.cumsum(value)]
    line, = ax.plot(x, np.r_[y, y[-1]], drawstyle="steps-post", color=style.accent,
                    lw=1.4)
    line.set_gid(gid)
    ax.set_ylim(0)
    ax.tick_params(labelbottom=False)


def draw_ranks(ax: Any, shards: List[Shard], unit: float, style: Style) -> None:
    n = max(s.rank for s in shards) + 1
    several = int(shards[0].run["n_stages"]) > 1
    for s in shards:
        odd = several and s.stage % 2
        bar, = ax.barh(s.rank, max(s.end - s.begin, 0) / unit, left=s.begin / unit,
                       height=0.8, color=style.second if odd else style.accent,
                       edgecolor=style.paper, linewidth=0.6)
        bar.set_gid("shard")
    ax.set_ylim(n - 0.5, -0.5)
    step = max(1, n // 12)
    ax.set_yticks(range(0, n, step), [f"rank {k}" for k in range(0, n, step)])


def draw_starts(axes: List[Any], starts: List[float], shards: List[Shard], unit: float,
                style: Style) -> None:
    several = int(shards[0].run["n_stages"]) > 1
    for k, start in enumerate(starts):
        later = min((s for s in shards if s.begin >= start - 1e-9),
                    key=lambda s: s.begin, default=shards[0])
        if k:
            for ax in axes:
                ax.axvline(start / unit, color=style.ink, lw=0.8, ls="--", gid="start")
        word = f"stage {later.stage + 1}" if several else "resumed" if k else ""
        axes[0].annotate(word, (start / unit, 1), (2, 2), size=7, color=style.muted,
                         xycoords=("data", "axes fraction"),
                         textcoords="offset points")


def draw_path(path: str, options: Dict[str, Any], style: Style,
              tips: Tips) -> Tuple[Any, str]:
    shards, starts = timed(path)
    end = max(s.end for s in shards)
    name, unit = unit_of(end)
    when = np.concatenate([s.times() for s in shards])
    number = np.concatenate([s.count for s in shards])
    order = np.argsort(when, kind="stable")
    when, number = when[order] / unit, number[order]
    n_all = max(shards[0].n_all, len(when))
    ranks = max(s.rank for s in shards) + 1
    width, height = style.width or 7.0, style.height or 3.9 + min(0.22 * ranks, 3)
    figure = style.figure(width, height)
    axes = figure.subplots(3, 1, sharex=True, gridspec_kw=dict(
        left=0.8 / width, right=1 - 0.15 / width, bottom=0.45 / height,
        top=1 - 0.75 / height, hspace=0.14,
        height_ratios=[1.3, 1.3, 0.25 + min(0.22 * ranks, 3)]))
    draw_sum(axes[0], when, np.full(len(when), 100 / n_all), end / unit, "tiles", style)
    draw_sum(axes[1], when, number, end / unit, "records", style)
    draw_ranks(axes[2], shards, unit, style)
    draw_starts(list(axes), starts, shards, unit, style)
    axes[0].set_ylabel("tiles (%)")
    axes[0].set_ylim(0, 104)
    axes[1].set_ylabel("records")
    axes[1].yaxis.set_major_formatter(lambda x, _: count(int(x)) if x == int(x) else "")
    axes[2].set_xlabel(f"{name} of work")
    axes[2].set_xlim(0, end / unit * 1.005)
    total = int(number.sum())
    title = f"{count(len(when))} of {count(n_all)} tiles, {plural(total, 'record')}"
    run = shards[0].run
    about = (f"{question(run)}; {'triples' if run['n_way'] == 3 else 'pairs'} of "
             f"{plural(int(run['n_vectors']), 'vector')}; {plural(ranks, 'rank')}, "
             f"{plural(len(shards), 'shard')}, {short(float(f'{end / unit:.3g}'))} {name} "
             "of work")
    style.heads(figure, title, about)
    tips.describe(about)
    return figure, title
