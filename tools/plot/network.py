# SPDX-License-Identifier: BSD-3-Clause
"""Network plot: clusters of the strongest records, cliques drawn as one node."""
from __future__ import annotations

import itertools
from typing import Any, Dict, List, Sequence, Tuple

import networkx as nx
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D

from plot import data
from plot.options import INPUT, Failure
from plot.style import Style, Tips, count, place_labels, plural, question, short

MOST = 150      # variants
HELD = 1 << 18  # strongest records that are held at first
CLIQUE = 3      # variants that are one node from here on
PAIRS = 12      # clusters of two that are drawn


# ---- the strongest records ---------------------------------------------------

def least_of(source: data.Source, n: int) -> float:
    """The strength of the n-th strongest record."""
    top = np.empty(0)
    for part in source.blocks(both=False):
        top = np.concatenate([top, source.strength(part.value[part.mask])])
        if len(top) > n:
            top = np.partition(top, len(top) - n)[len(top) - n:]
    return float(top.min(initial=np.inf))


def strongest_records(source: data.Source,
                      most: int) -> Tuple[data.Records, np.ndarray, bool]:
    """Records, as many as are needed, the places of the strongest among them, and
    whether these are all that there are."""
    n = HELD
    while True:
        records = source.records(both=False, least=least_of(source, n))
        chosen, ended = strongest(source, records, most)
        whole = len(records) < n
        if ended or whole:
            return records, chosen, whole and len(chosen) == len(records)
        n *= 8


def strongest(source: data.Source, records: data.Records,
              most: int) -> Tuple[np.ndarray, bool]:
    """Places of the records, strongest first, until they have most variants; then
    all others among these variants that are as strong. And whether it came so far."""
    strength = source.strength(records.value)
    order = np.argsort(-strength, kind="stable")
    seen: Dict[int, None] = {}
    last, ended = 0, False
    for at, k in enumerate(order.tolist()):
        new = [e for e in records.end[:, k].tolist() if e not in seen]
        ended = len(seen) + len(new) > most
        if ended:
            break
        seen.update(dict.fromkeys(new))
        last = at
        ended = len(seen) == most
        if ended:
            break
    if not seen:
        return order[:0], ended
    inside = np.zeros(len(records.sites), bool)
    inside[list(seen)] = True
    weakest = strength[order[last]]
    mask = inside[records.end[:, order]].all(0) & (strength[order] >= weakest)
    return order[mask], ended


def graph_of(records: data.Records, chosen: np.ndarray, lower: bool) -> Any:
    """Variants, and edges with a value; a triple is a hub with three of them."""
    graph = nx.Graph()
    best: Dict[Tuple[int, ...], float] = {}
    for k in chosen.tolist():
        ends, value = tuple(sorted(records.end[:, k].tolist())), float(records.value[k])
        old = best.get(ends)
        if old is None or (value < old if lower else value > old):
            best[ends] = value
    for ends, value in best.items():
        if len(ends) == 2:
            graph.add_edge(*ends, value=value)
        else:
            for e in ends:
                graph.add_edge(("triple", *ends), e, value=value)
    return graph


# ---- cliques -----------------------------------------------------------------

class Sets:
    """The pairs and triples of the graph, and the neighbours of a variant."""

    def __init__(self, graph: Any) -> None:
        self.pairs = {frozenset(e) for e in graph.edges if not any(map(is_hub, e))}
        hubs = [x for x in graph if is_hub(x)]
        self.triples = {frozenset(x[1:]) for x in hubs}
        self.near: Dict[int, set] = {x: set() for x in graph if not is_hub(x)}
        for one in self.pairs | self.triples:
            for x in one:
                self.near[x] |= one - {x}

    def joins(self, x: int, clique: List[int]) -> bool:
        """Does x share an edge with each one, or each two, of the clique?"""
        if self.triples:
            return all(frozenset((x, a, b)) in self.triples
                       for a, b in itertools.combinations(clique, 2))
        return all(frozenset((x, a)) in self.pairs for a in clique)

    def start(self, x: int, free: set) -> List[int]:
        if not self.triples:
            return [x]
        mine = [t for t in self.triples if x in t and t <= free]
        return sorted(min(mine, key=sorted)) if mine else [x]

    def degree(self, x: int) -> Tuple[int, int]:
        return -len(self.near[x]), x


def is_hub(x: Any) -> bool:
    return isinstance(x, tuple) and x[:1] == ("triple",)


def cliques_of(graph: Any) -> List[List[int]]:
    """Disjoint sets of variants all of whose pairs, or triples, are there; found
    greedily, from the variants with most neighbours on."""
    sets = Sets(graph)
    free = set(sets.near)
    least = CLIQUE + 1 if sets.triples else CLIQUE
    found = []
    for x in sorted(sets.near, key=sets.degree):
        if x not in free:
            continue
        clique = sets.start(x, free)
        for y in sorted(sets.near[x] & free - set(clique), key=sets.degree):
            if len(clique) > 1 or not sets.triples:
                clique += [y] * sets.joins(y, clique)
        if len(clique) >= least:
            free.difference_update(clique)
            found.append(clique)
    return found


def collapsed(graph: Any, lower: bool) -> Any:
    """The graph of nodes: cliques, single variants, hubs of triples."""
    key: Dict[Any, Any] = {x: x if is_hub(x) else (x,) for x in graph}
    for clique in cliques_of(graph):
        key.update(dict.fromkeys(clique, tuple(sorted(clique))))
    small = nx.Graph()
    for x, node in key.items():
        inside = is_hub(x) and len({key[e] for e in graph[x]}) == 1
        if not inside:
            small.add_node(node, members=() if is_hub(x) else node)
    for a, b, value in graph.edges(data="value"):
        a, b = key[a], key[b]
        if a == b or a not in small or b not in small:
            continue
        old = small.get_edge_data(a, b, {}).get("value")
        if old is None or (value < old if lower else value > old):
            small.add_edge(a, b, value=value)
    return small


# ---- layout ------------------------------------------------------------------

def size_of(graph: Any, x: Any) -> int:
    return len(graph.nodes[x]["members"])


def clusters_of(graph: Any) -> Tuple[List[List[Any]], int]:
    """Components, largest first; the number of omitted pairs."""
    parts = [sorted(c, key=str) for c in nx.connected_components(graph)]
    parts.sort(key=lambda c: (-sum(size_of(graph, x) for x in c), str(c[0])))
    pairs = [c for c in parts if sum(size_of(graph, x) for x in c) == 2]
    drop = pairs[PAIRS:] if len(parts) > PAIRS else []
    return [c for c in parts if c not in drop], len(drop)


def layout(graph: Any, part: List[Any]) -> np.ndarray:
    """Positions of the nodes of a cluster, in a box that grows with their number."""
    n = len(part)
    if n == 1:
        return np.zeros((1, 2))
    if n == 2:
        return np.array([[-0.45, 0], [0.45, 0]])
    one = graph.subgraph(part)
    start = nx.circular_layout(one)
    place = nx.spring_layout(one, k=1.6 / np.sqrt(n), pos=start, iterations=300, seed=1,
                             weight=None)
    at = np.array([place[x] for x in part])
    at -= at.mean(0)
    # the long side lies flat
    at = at @ np.linalg.svd(at, full_matrices=False)[2].T
    return at / np.abs(at).max() * 0.62 * n ** 0.55


PAD = np.array([0.75, 0.42])  # room for names around a cluster
UNIT = 0.62                   # inches of a unit of the layout, at most


def unit_of(boxes: List[np.ndarray], width: float, height: float) -> float:
    """Inches per unit, so that the clusters fit in width by height."""
    sizes = [b.max(0) - b.min(0) + 2 * PAD for b in boxes]
    area = sum(s[0] * s[1] for s in sizes) * 1.15
    fit = min(float(np.sqrt(width * height / area)), width / max(s[0] for s in sizes),
              height / max(s[1] for s in sizes))
    return min(UNIT, fit)


def packed(boxes: List[np.ndarray], wide: float) -> List[np.ndarray]:
    """Clusters packed on shelves with a width of wide units."""
    pad = PAD
    sizes = [b.max(0) - b.min(0) + 2 * pad for b in boxes]
    x = y = shelf = 0.0
    out = []
    for box, size in zip(boxes, sizes):
        if x + size[0] > wide and x > 0:
            x, y, shelf = 0.0, y - shelf, 0.0
        out.append(box - box.min(0) + pad + [x, y - size[1]])
        x, shelf = x + size[0], max(shelf, size[1])
    return out


# ---- the picture -------------------------------------------------------------

def widths(value: np.ndarray, lower: bool) -> np.ndarray:
    """Line widths in points: stronger is wider, many lines are thinner."""
    lo, hi = value.min(), value.max()
    part = (value - lo) / (hi - lo) if hi > lo else np.full(len(value), 0.5)
    thin = min(1.0, 150 / len(value))
    return (0.6 + 2.2 * (1 - part if lower and hi > lo else part)) * thin


def is_far(sites: data.Sites, a: Sequence[int], b: Sequence[int]) -> bool:
    """Are all variants of a on other chromosomes than b? Not for the hub of a triple."""
    if not len(a) or not len(b):
        return False
    return not set(sites.chrom[list(a)]) & set(sites.chrom[list(b)])


def draw_edges(ax: Any, graph: Any, at: Dict[Any, np.ndarray], source: data.Source,
               style: Style, tips: Tips) -> None:
    edges = [(a, b, v) for a, b, v in graph.edges(data="value") if a in at and b in at]
    if not edges:
        return
    value = np.array([v for _, _, v in edges])
    wide = widths(value, source.lower)
    members = graph.nodes.data("members")
    far = np.array([is_far(source.sites, members[a], members[b]) for a, b, _ in edges])
    hub = np.array([not members[a] or not members[b] for a, b, _ in edges])
    for gid, mask, colour, dash in (("edges", ~far & ~hub, style.muted, "-"),
                                    ("far", far, style.warm, (0, (3, 1.5))),
                                    ("triples", hub, style.accent, "-")):
        if mask.any():
            picked = [e for e, m in zip(edges, mask) if m]
            lines = LineCollection([[at[a], at[b]] for a, b, _ in picked],
                                   linewidths=wide[mask], colors=colour,
                                   linestyles=dash, zorder=1, capstyle="round")
            tips.add(lines, gid, [short(v) for _, _, v in picked])
            ax.add_collection(lines)
    legend(ax, value, wide, far.any(), hub.any(), graph, source, style)


def legend(ax: Any, value: np.ndarray, wide: np.ndarray, far: bool, hub: bool,
           graph: Any, source: data.Source, style: Style) -> None:
    rows = []
    if value.max() > value.min():
        for k in (int(value.argmin()), int(value.argmax())):
            rows.append(Line2D([], [], color=style.muted, lw=wide[k],
                               label=short(float(f"{value[k]:.4g}"))))
    if far:
        rows.append(Line2D([], [], color=style.warm, ls="--", lw=1.5,
                           label="between chromosomes"))
    if hub:
        rows.append(Line2D([], [], color=style.accent, marker="s", ms=4, lw=1.5,
                           label="triple"))
    if any(size_of(graph, x) >= CLIQUE for x in graph):
        rows.append(Line2D([], [], color=style.accent, marker="o", ms=9, lw=0,
                           label=f"n {source.unit()}, all joined with each other"))
    if rows:
        ax.figure.legend(handles=rows, loc="lower left", ncol=len(rows), frameon=False,
                         fontsize=7, handlelength=2.2,
                         bbox_to_anchor=(0, 0.0))


def node_name(sites: data.Sites, members: Sequence[int]) -> str:
    first = sites.name(members[0])[:28]
    return first if len(members) == 1 else f"{first} + {len(members) - 1}"


def draw_nodes(ax: Any, graph: Any, at: Dict[Any, np.ndarray], source: data.Source,
               style: Style, tips: Tips) -> None:
    sites, nodes = source.sites, [x for x in at if size_of(graph, x)]
    members = [graph.nodes[x]["members"] for x in nodes]
    size = np.array([26.0 if len(m) == 1 else 60 + 14 * len(m) for m in members])
    xy = np.array([at[x] for x in nodes])
    big = np.array([len(m) > 1 for m in members])
    colours = np.where(big, style.accent, style.ink)
    drawn = ax.scatter(xy[:, 0], xy[:, 1], s=size, c=colours, zorder=3,
                       edgecolors=style.paper, linewidths=0.8)
    tips.add(drawn, "nodes", [", ".join(sites.name(k) for k in m) for m in members])
    hubs = {x: place for x, place in at.items() if not size_of(graph, x)}
    if hubs:
        h = np.array(list(hubs.values()))
        squares = ax.scatter(h[:, 0], h[:, 1], s=16, marker="s", c=style.accent, zorder=2,
                             linewidths=0)
        squares.set_gid("hubs")
    for (x, y), m in zip(xy, members):
        if len(m) > 1:
            ax.text(x, y, str(len(m)), size=7, ha="center", va="center", zorder=4,
                    color=style.paper, weight="bold", gid="size")
    name_nodes(ax, xy, size, members, graph, nodes, hubs, sites, style)


def name_nodes(ax: Any, xy: np.ndarray, size: np.ndarray, members: List[Any],
               graph: Any, nodes: List[Any], hubs: Dict[Any, np.ndarray],
               sites: data.Sites, style: Style) -> None:
    order = sorted(range(len(nodes)),
                   key=lambda k: (-len(members[k]), -graph.degree(nodes[k]), k))
    scale = 72 / ax.figure.dpi
    points = ax.transData.transform(xy) * scale
    reach = np.sqrt(size)[:, None] / 2 * [[1, 1]]
    where = dict(zip(nodes, points))
    where.update({x: ax.transData.transform(p) * scale for x, p in hubs.items()})
    place_labels(ax, [xy[k] for k in order],
                 [node_name(sites, members[k]) for k in order], style, size=6.5,
                 blocked=np.hstack([points - reach, points + reach]),
                 lines=[(where[a], where[b]) for a, b in graph.edges
                        if a in where and b in where],
                 reach=[float(np.sqrt(size[k]) / 2) for k in order])


def draw(source: data.Source, style: Style, tips: Tips) -> Tuple[Any, str]:
    records, chosen, every = strongest_records(
        source, int(source.options.get("top", MOST)))
    if not len(records):
        raise Failure(INPUT, f"{source.path}: no record to draw")
    full = graph_of(records, chosen, source.lower)
    graph = collapsed(full, source.lower)
    parts, dropped = clusters_of(graph)
    width, most = style.width or 7.0, (style.height or 6.0) - 0.9
    boxes = [layout(graph, p) for p in parts]
    unit = unit_of(boxes, width, most)
    at: Dict[Any, np.ndarray] = {}
    for part, box in zip(parts, packed(boxes, width / unit * 1.001)):
        at.update(zip(part, box))
    xy = np.array(list(at.values()))
    high = (np.ptp(xy[:, 1]) + 2 * PAD[1]) * unit
    height = style.height or high + 0.9
    figure = style.figure(width, height)
    ax = figure.add_axes([0, 0.32 / height, 1, 1 - 0.9 / height], gid="network")
    fit(ax, xy, width / (height - 0.9))
    draw_edges(ax, graph, at, source, style, tips)
    draw_nodes(ax, graph, at, source, style, tips)
    title = f"Clusters of {plural(len(chosen), 'record')}" if every else (
        f"Clusters of the {plural(len(chosen), 'strongest record')}")
    about = words(source, full, parts, dropped, records, chosen)
    style.heads(figure, title, about)
    tips.describe(about)
    return figure, title


def fit(ax: Any, xy: np.ndarray, shape: float) -> None:
    """Limits with one scale for both axes."""
    lo, hi = xy.min(0) - PAD, xy.max(0) + PAD
    span = hi - lo
    more = max(span[0] / shape, span[1]) * np.array([shape, 1]) - span
    ax.set_xlim(lo[0] - more[0] / 2, hi[0] + more[0] / 2)
    ax.set_ylim(lo[1] - more[1] / 2, hi[1] + more[1] / 2)
    ax.axis("off")


def words(source: data.Source, full: Any, parts: List[Any], dropped: int,
          records: data.Records, chosen: np.ndarray) -> str:
    n = sum(not is_hub(x) for x in full)
    value = records.value[chosen]
    text = (f"{question(source.run)}; {plural(n, source.unit(1))} in "
            f"{plural(len(parts) + dropped, 'cluster')}, values {short(value.min())} to "
            f"{short(value.max())}")
    if dropped:
        text += f"; {count(dropped)} more clusters of two are not drawn"
    return text
