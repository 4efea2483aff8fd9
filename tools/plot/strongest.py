# SPDX-License-Identifier: BSD-3-Clause
"""The strongest records of a result, one for each pair of loci, with their columns."""
from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np

from plot import data, programs
from plot.options import Failure

NEAR = 250_000       # bases within which variants count as one locus
LOOKED_AT = 20_000   # strongest records that are searched for loci


class Table(NamedTuple):
    columns: List[str]
    rows: List[List[str]]
    note: str


class Strongest(NamedTuple):
    """The strongest records first, and their rows in the file."""

    end: np.ndarray
    value: np.ndarray
    row: np.ndarray


def strongest(source: data.Source) -> Strongest:
    """Ties go to the alleles with the most copies, then to the order of the file. At
    most LOOKED_AT records are held."""
    top = Strongest(np.empty((source.way, 0), np.int32), np.empty(0),
                    np.empty(0, np.int64))
    for part in source.blocks(both=False):
        row = np.flatnonzero(part.mask)
        if len(top.row) == LOOKED_AT:
            weakest = source.strength(top.value[-1])
            row = row[source.strength(part.value[row]) >= weakest]
        end = np.concatenate([top.end, part.end[:, row]], 1)
        value = np.concatenate([top.value, part.value[row]])
        row = np.concatenate([top.row, part.first + row])
        copies = source.sites.minor[end].min(0) if len(row) else row
        order = np.lexsort((row, -copies, -source.strength(value)))[:LOOKED_AT]
        top = Strongest(end[:, order], value[order], row[order])
    return top


class Picked(NamedTuple):
    place: List[int]    # among the strongest records, of those that are shown
    nearby: List[int]   # others of the same loci


def one_a_locus(sites: data.Sites, top: Strongest, most: int) -> Picked:
    """Omit a record if all its variants are near a stronger record's variants."""
    end = np.sort(top.end, axis=0)
    pos, where = sites.pos[end], sites.contigs()[end]
    placed = sites.placed[end].all(0)
    kept: List[int] = []
    nearby: List[int] = []
    for k in range(len(top.row)):
        lead = -1
        if kept and placed[k]:
            at = np.array(kept)
            near = ((np.abs(pos[:, at] - pos[:, [k]]) <= NEAR)
                    & (where[:, at] == where[:, [k]])).all(0) & placed[at]
            lead = int(np.argmax(near)) if near.any() else -1
        if lead >= 0:
            nearby[lead] += 1
        elif len(kept) < most:
            kept.append(k)
            nearby.append(0)
    return Picked(kept, nearby)


# ---- columns -----------------------------------------------------------------

def columns_of(source: data.Source) -> List[str]:
    """The columns that vsim-view has for these records."""
    ends = range(1, source.way + 1)
    cells = "cell" in source.result.stored
    names: List[str] = []
    placed = bool(source.sites.placed.any())
    for e in ends:
        names += [f"id{e}", *([f"chrom{e}", f"pos{e}"] if placed else [])]
        names += [f"allele{e}", f"freq{e}"] if cells else []
    names.append("value")
    if source.metric in data.ASSOCIATION:
        names += ["inter_df", "inter_p"] if source.metric == "inter" else ["df", "p"]
        names += ["p_permuted", "controls", "cases"]
    if source.run.get("permutations"):
        names.append("p_family")
    return names


KEYS = {"i": 0, "j": 1, "k": 2}


def asked(source: data.Source, columns: List[str], ids: List[str]) -> List[List[str]]:
    keys = list("ijk"[: source.way]) + (["cell"] if "cell" in source.result.stored else [])
    names = None if any(re.search(r"\s|^$|,", x) for x in ids) else ids
    return programs.view(source.path, keys + columns, source.options, names)


def lines_of(source: data.Source, columns: List[str],
             ids: List[str]) -> Tuple[List[str], List[List[str]], str]:
    """Lines of vsim-view; if some columns fail, fewer columns and the reason."""
    try:
        return columns, asked(source, columns, ids), ""
    except Failure as e:
        few = [c for c in columns if re.match("id|chrom|pos|allele|value", c)]
        why = re.sub(r"^vsim-view: ", "", str(e))
        try:
            return few, asked(source, few, ids), f"No p-values: {without_paths(why)}"
        except Failure:
            return [], [], ""


def without_paths(text: str) -> str:
    """Text with absolute paths reduced to file names."""
    return re.sub(r"(?<![\w.~-])(?:/[^\s/'\"=,;:]+)*/([^\s/'\"=,;:]+)", r"\1", text)


def key_of(source: data.Source, k: int) -> Tuple[int, ...]:
    """i, j, k and cell of a record, as the file has them."""
    stored = source.result.records
    columns = [c for c in ("i", "j", "k", "cell") if c in source.result.stored]
    return tuple(int(stored[c][k]) for c in columns)


def table_of(source: data.Source, most: int) -> Table:
    top = strongest(source)
    picked = one_a_locus(source.sites, top, most)
    ids = [str(source.sites.id[e]) for k in picked.place for e in top.end[:, k]]
    columns, lines, note = lines_of(source, columns_of(source), ids)
    n_key = source.way + ("cell" in source.result.stored)
    found: Dict[Tuple[int, ...], List[str]] = {
        tuple(int(x) for x in line[:n_key]): line[n_key:] for line in lines}
    out = []
    for k, nearby in zip(picked.place, picked.nearby):
        line = found.get(key_of(source, int(top.row[k])))
        if line is None:
            columns, line = plain_columns(source.sites, top, k)
        out.append([*line, str(nearby)])
    if any(picked.nearby):
        note = (f"A record is left out, and counted as nearby, if both its ends lie within "
                f"{NEAR // 1000} kb of those of a stronger one. {note}")
    return Table([*columns, "nearby"], out, note.strip())


def plain_columns(sites: data.Sites, top: Strongest,
                  k: int) -> Tuple[List[str], List[str]]:
    """Names and the value, when vsim-view is not used."""
    names, line = [], []
    for e, end in enumerate(top.end[:, k], 1):
        names += [f"id{e}", f"chrom{e}", f"pos{e}"]
        line += [sites.name(end), str(sites.chrom[end] or "."), str(sites.pos[end])]
    return [*names, "value"], [*line, repr(float(top.value[k]))]
