# SPDX-License-Identifier: BSD-3-Clause
"""Look of the pictures: themes, palettes, fonts, tooltips, and how they are saved."""
from __future__ import annotations

import io
import re
import textwrap
from typing import Any, Dict, List, Optional, Sequence, Tuple
from xml.sax.saxutils import escape

import matplotlib
import numpy as np

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.colors import Colormap, LinearSegmentedColormap, to_rgb  # noqa: E402

MINUS = "\N{MINUS SIGN}"
# ink, muted text, paper, lines of the grid: found by vsim-plot report, which
# makes them colours of the page
INK = {"light": "#1b1c1e", "dark": "#e8e9eb"}
MUTED = {"light": "#5b5d61", "dark": "#a9abb0"}
PAPER = {"light": "#fefefe", "dark": "#151618"}
LINE = {"light": "#d9dadc", "dark": "#3c3e42"}
# Okabe and Ito's colours, safe for colour-blind readers; darker where text or dots
# on paper would have less contrast than WCAG asks for
ACCENT = {"light": "#0072b2", "dark": "#56b4e9"}
SECOND = {"light": "#7c8fa2", "dark": "#6d7f93"}
WARM = {"light": "#bb5200", "dark": "#e69f00"}
HEAT = ["#fffef5", "#fff3a8", "#fdc04e", "#f4702d", "#c8102e", "#6b0018"]
NAMES = {
    "r2": "r\N{SUPERSCRIPT TWO}", "r": "Pearson's r",
    "spearman": "Spearman's rho", "ccc": "CCC", "duo": "DUO",
    "ps": "Proportional Similarity", "cosine": "cosine similarity",
    "euclid": "Euclidean distance", "jaccard": "Jaccard index", "dice": "Dice index",
    "hamming": "Hamming distance", "yule": "Yule's Q",
    "dprime": "|D'|", "r2em": "r\N{SUPERSCRIPT TWO} of haplotypes", "d": "D",
    "k2": "K2 score",
    "lbf": "log Bayes factor", "mi": "mutual information (nats)",
    "g": "G statistic", "inter": "interaction likelihood ratio",
    "alpha": "purity gained (alpha)", "beta": "Gini purity (beta)"}


def luminance(colour: Any) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    part = np.array(to_rgb(colour))
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(a: Any, b: Any) -> float:
    lo, hi = sorted((luminance(a), luminance(b)))
    return (hi + 0.05) / (lo + 0.05)


def text_on(colour: Any) -> str:
    """Black or white, whichever is easier to read."""
    return max("#000000", "#ffffff", key=lambda text: contrast(text, colour))


class Style:
    """Colours and sizes of one picture."""

    def __init__(self, options: Dict[str, Any]) -> None:
        self.theme = options.get("theme", "light")
        self.palette = options.get("palette", "heat")
        self.width, self.height = options.get("width"), options.get("height")
        self.dpi = options.get("dpi", 150)
        self.title = options.get("title")
        theme = self.theme
        self.ink, self.muted, self.paper = INK[theme], MUTED[theme], PAPER[theme]
        self.line, self.accent = LINE[theme], ACCENT[theme]
        self.second, self.warm = SECOND[theme], WARM[theme]
        if self.palette == "grey":
            self.accent, self.second, self.warm = self.ink, self.muted, self.ink
        matplotlib.rcParams.update({
            "svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "vsim",
            "text.parse_math": False, "font.family": ["DejaVu Sans", "sans-serif"],
            "font.size": 8, "axes.titlesize": 10, "axes.linewidth": 0.7,
            "axes.edgecolor": self.ink, "axes.labelcolor": self.ink,
            "text.color": self.ink, "xtick.color": self.ink, "ytick.color": self.ink,
            "figure.facecolor": self.paper, "axes.facecolor": self.paper,
            "savefig.facecolor": self.paper, "axes.spines.top": False,
            "axes.spines.right": False, "xtick.major.width": 0.7,
            "ytick.major.width": 0.7, "axes.unicode_minus": True})

    def figure(self, width: float, height: float) -> Any:
        return plt.figure(figsize=(self.width or width, self.height or height))

    def colours(self) -> Colormap:
        """The palette, from weak to strong."""
        if self.palette == "viridis":
            return matplotlib.colormaps["viridis"]
        if self.palette == "grey":
            ends = ["#f4f4f4", "#000000"] if self.theme == "light" else [
                "#2c2c2c", "#ffffff"]
            return LinearSegmentedColormap.from_list("grey", ends)
        if self.theme == "dark":
            return LinearSegmentedColormap.from_list(
                "heat", matplotlib.colormaps["inferno"](np.linspace(0.12, 0.97, 64)))
        return LinearSegmentedColormap.from_list("heat", HEAT)

    def diverging(self) -> Colormap:
        """Negative to positive values."""
        name = "RdGy_r" if self.palette == "grey" else "PuOr_r"
        return matplotlib.colormaps[name]

    def heads(self, figure: Any, title: str, about: str) -> None:
        """Title and two lines below it, at the upper left; small enough to fit."""
        width, height = figure.get_figwidth(), figure.get_figheight()
        title = clean_title(self.title or title)
        wide = label_box(title, 10.5)[0] / 72
        figure.text(0.08 / width, 1 - 0.10 / height, title,
                    size=10.5 * min(1, (width - 0.16) / wide), weight="bold",
                    va="top", ha="left", gid="title")
        for size in (7.5, 6.5, 5.5, 4.5):
            lines = textwrap.wrap(about, max(20, int(width * 17 * 7.5 / size)))
            if len(lines) <= 2:
                break
        figure.text(0.08 / width, 1 - 0.31 / height, "\n".join(lines), size=size,
                    color=self.muted, va="top", ha="left", linespacing=1.15,
                    gid="about")


def clean_title(text: str) -> str:
    return text.replace("\\n", " ")


def metric_name(metric: str) -> str:
    return NAMES.get(metric, metric)


def count(n: int) -> str:
    return f"{n:,}"


def plural(n: int, word: str) -> str:
    return f"{n:,} {word}{'' if n == 1 else 's'}"


def short(value: float) -> str:
    """Six significant digits at most."""
    return f"{value:.6g}".replace("-", MINUS)


SIGNS = {"gt": ">", "ge": "\N{GREATER-THAN OR EQUAL TO}", "lt": "<",
         "le": "\N{LESS-THAN OR EQUAL TO}"}


def question(run: Dict[str, Any]) -> str:
    """The metric and its threshold, such as r2 > 0.8, or how else records were
    picked."""
    name, op = metric_name(str(run["metric"])), str(run.get("threshold_op"))
    picked = str(run.get("selection", ""))
    if op == "class":
        words = f"{name} above {run['class_thresholds']}"
    elif op in SIGNS and not (picked and run["threshold"] == 0):
        words = f"{name} {SIGNS[op]} {run['threshold']:g}"
    else:
        words = name
    return f"{words}, {picked}" if picked else words


# ---- units along a chromosome ------------------------------------------------

def unit_of(bases: float) -> Tuple[str, float]:
    if bases >= 2e6:
        return "Mb", 1e6
    return ("kb", 1e3) if bases >= 2e3 else ("bp", 1)


def place_name(chrom: Any, lo: int, hi: int) -> str:
    """chr20:1.00-1.20 Mb"""
    name = re.sub("^chr", "", str(chrom), flags=re.IGNORECASE)
    if hi < 1e6:
        return f"chr{name}:{lo:,}\N{EN DASH}{hi:,}"
    digits = 2 if hi - lo > 5e4 else 3
    return f"chr{name}:{lo / 1e6:.{digits}f}\N{EN DASH}{hi / 1e6:.{digits}f} Mb"


# ---- labels that do not overlap ----------------------------------------------

def label_box(text: str, size: float) -> Tuple[float, float]:
    """Estimate of the width and height of a text in points, seldom too small."""
    return 0.62 * size * len(text) + 2, 1.25 * size


AROUND = [(5, 3), (-5, 3), (5, -3), (-5, -3), (0, 8), (0, -8), (14, 12), (-14, 12),
          (14, -12), (-14, -12), (0, 20), (0, -20), (26, 22), (-26, 22), (26, -22),
          (-26, -22), (40, 8), (-40, 8), (40, -8), (-40, -8)]


def box_at(x: float, y: float, dx: float, dy: float, w: float, h: float) -> List[float]:
    left = x + dx - (w if dx < 0 else w / 2 if dx == 0 else 0)
    low = y + dy - (h if dy < 0 else 0)
    return [left, low, left + w, low + h]


def hits(box: Sequence[float], others: np.ndarray) -> bool:
    if not len(others):
        return False
    return bool(((box[0] < others[:, 2]) & (others[:, 0] < box[2])
                 & (box[1] < others[:, 3]) & (others[:, 1] < box[3])).any())


def place_labels(ax: Any, points: Sequence[Tuple[float, float]], texts: Sequence[str],
                 style: Style, size: float = 7, blocked: Optional[Any] = None,
                 gid: str = "labels", reach: Optional[Sequence[float]] = None,
                 lines: Sequence[Any] = ()) -> int:
    """Write texts next to points, where they hide neither each other nor the blocked
    boxes, in points, and cross no line if possible; returns how many did not fit."""
    figure = ax.figure
    scale = 72 / figure.dpi
    at = ax.transData.transform(np.asarray(points, float).reshape(-1, 2)) * scale
    inside = np.asarray(ax.get_window_extent().extents) * scale
    inside += [-4, -4, 4, 16]
    taken = [] if blocked is None else [list(b) for b in blocked]
    left_out = 0
    crossed = dotted(lines)
    for k, ((x, y), text) in enumerate(zip(at, texts)):
        w, h = label_box(text, size)
        away = max(reach[k] - 2, 0) if reach is not None else 0.0
        free = []
        for dx, dy in AROUND:
            dx, dy = dx + away * np.sign(dx), dy + away * np.sign(dy) * (
                0.5 if dx else 1)
            box = box_at(x, y, dx, dy, w, h)
            if (box[0] >= inside[0] and box[2] <= inside[2] and box[1] >= inside[1]
                    and box[3] <= inside[3] and not hits(box, np.array(taken))):
                free.append((dots_in(box, crossed), len(free), box, (dx, dy)))
        if free:
            _, _, box, by = min(free)
            taken.append(box)
            draw_label(ax, (x, y), text, by, size, style, gid)
        else:
            left_out += 1
    return left_out


def dotted(lines: Sequence[Any]) -> np.ndarray:
    """Points, 3 apart, of lines between two points."""
    dots = [np.empty((0, 2))]
    for a, b in lines:
        n = max(2, int(np.hypot(*(np.asarray(b) - a)) / 3))
        dots.append(a + (np.asarray(b) - a) * np.linspace(0, 1, n)[:, None])
    return np.concatenate(dots)


def dots_in(box: Sequence[float], dots: np.ndarray) -> int:
    x, y = dots.T
    return int(((x > box[0]) & (x < box[2]) & (y > box[1]) & (y < box[3])).sum())


def draw_label(ax: Any, at: Tuple[float, float], text: str, by: Tuple[float, float],
               size: float, style: Style, gid: str) -> None:
    scale = ax.figure.dpi / 72
    where = ax.transData.inverted().transform((at[0] * scale, at[1] * scale))
    far = abs(by[0]) + abs(by[1]) > 12
    arrow = dict(arrowstyle="-", lw=0.5, color=style.muted, shrinkA=0, shrinkB=2)
    note = ax.annotate(
        text, where, xytext=by, textcoords="offset points", size=size,
        ha="right" if by[0] < 0 else "left" if by[0] > 0 else "center",
        va="top" if by[1] < 0 else "bottom", zorder=6, annotation_clip=False,
        bbox=dict(fc=style.paper, ec="none", alpha=0.7, pad=0.4),
        arrowprops=arrow if far else None)
    note.set_gid(gid)


# ---- files -------------------------------------------------------------------

class Tips:
    """Tooltips of the elements of an SVG, by the id of their group."""

    def __init__(self) -> None:
        self.of: Dict[str, List[str]] = {}
        self.described = ""

    def add(self, artist: Any, gid: str, texts: List[str]) -> None:
        artist.set_gid(gid)
        self.of[gid] = texts

    def describe(self, text: str) -> None:
        self.described = text


def with_tips(svg: str, tips: Tips, title: str) -> str:
    """The SVG with its title, a role for screen readers, and the tooltips."""
    for gid, texts in tips.of.items():
        svg = tip_group(svg, gid, texts)
    head = f"<title>{escape(title)}</title>\n"
    if tips.described:
        head += f"<desc>{escape(tips.described)}</desc>\n"
    return re.sub(r"(<svg\b[^>]*)>", lambda m: m.group(1) + ' role="img">\n' + head,
                  svg, count=1)


SHAPE = re.compile(r"<(path|use)\b([^>]*?)/>")


def tip_group(svg: str, gid: str, texts: List[str]) -> str:
    begin = svg.find(f'<g id="{gid}">')
    if begin < 0:
        return svg
    end, depth = begin, 0
    for tag in re.finditer(r"<g\b[^>]*?(/?)>|</g>", svg[begin:]):
        depth += -1 if tag.group().startswith("</") else not tag.group(1)
        if depth == 0:
            end = begin + tag.end()
            break
    left = iter(texts)

    def add(m: "re.Match[str]") -> str:
        text = next(left, None)
        if text is None:
            return m.group()
        return f"<{m.group(1)}{m.group(2)}><title>{escape(text)}</title></{m.group(1)}>"

    body = svg[begin:end]
    defs = body.find("</defs>")
    at = defs + 7 if defs >= 0 else 0
    return svg[:begin] + body[:at] + SHAPE.sub(add, body[at:]) + svg[end:]


def saved(figure: Any, form: str, style: Style, tips: Tips, title: str) -> bytes:
    """The picture as bytes of SVG, PDF or PNG, the same for the same input."""
    out = io.BytesIO()
    about = {"svg": {"Date": None, "Creator": "vsim-plot"},
             "pdf": {"CreationDate": None, "Creator": "vsim-plot", "Title": title},
             "png": {"Software": "vsim-plot", "Title": title}}[form]
    figure.savefig(out, format=form, dpi=style.dpi, metadata=about)
    plt.close(figure)
    if form != "svg":
        return out.getvalue()
    return with_tips(out.getvalue().decode(), tips, title).encode()
