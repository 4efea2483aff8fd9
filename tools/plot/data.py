# SPDX-License-Identifier: BSD-3-Clause
"""Records and variants of a result: selection by region and id, genome order."""
from __future__ import annotations

import os
import re
import sys
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np
import vsim

from plot import programs
from plot.options import INPUT, USAGE, Failure

BLOCK = vsim.BLOCK  # records that are read at a time
ASSOCIATION = ("k2", "lbf", "mi", "g", "inter", "alpha", "beta")
LOWER = ("k2", "hamming", "euclid")  # lower values are stronger
BOUNDED = ("r2", "ccc", "duo", "ps", "jaccard", "dice", "dprime", "r2em")  # 0 to 1
SIGNED = ("r", "spearman", "cosine", "yule")  # -1 to 1


def clean(word: Any) -> str:
    """A name that XML can hold: other characters become _."""
    return "".join(c if c == "\t" or c.isprintable() else "_" for c in str(word))


class Result(vsim.Result):
    """A merged result, or a shard."""

    formats = ("vsim-merged", "vsim-shard")
    wanted = "result of vsim"


def open_result(path: str) -> Result:
    return opened(Result, path)


def opened(kind: Any, path: str) -> Any:
    """Open a file with a class of vsim.py, once vsim-view has checked its digest."""
    if os.path.isfile(path):
        programs.check(path)
    try:
        return kind(path)
    except vsim.Error as e:
        raise Failure(INPUT, str(e)) from None


class Sites:
    """Variants, or rows of numbers: vector numbers, names and places."""

    def __init__(self, columns: Dict[str, np.ndarray], row: np.ndarray,
                 source: np.ndarray) -> None:
        self.row, self.source = row, source
        self.id = columns["id"]
        n = len(row)
        self.chrom = columns.get("chrom", np.full(n, None, object))
        self.pos = columns.get("pos", np.zeros(n, np.int64))
        self.minor = minor_count(columns, n)
        self.placed = self.pos > 0
        self.placed &= np.array([c is not None for c in self.chrom], bool)

    def __len__(self) -> int:
        return len(self.row)

    def part(self, keep: np.ndarray) -> "Sites":
        """The variants selected by keep, a mask or an order."""
        other = object.__new__(Sites)
        for name, value in vars(self).items():
            setattr(other, name, value[keep])
        return other

    def name(self, k: int) -> str:
        return clean(self.id[k])

    def contigs(self) -> np.ndarray:
        """A number for the chromosome of each variant."""
        names = {c: k for k, c in enumerate(dict.fromkeys(self.chrom))}
        return np.array([names[c] for c in self.chrom], np.int64)


def minor_count(columns: Dict[str, np.ndarray], n: int) -> np.ndarray:
    """Number of copies of the minor allele; zeros without genotypes."""
    if "n1" not in columns:
        return np.zeros(n, np.int64)
    one = columns["n1"] + 2 * columns["n2"]
    return np.minimum(one, 2 * columns["n0"] + columns["n1"])


# ---- variants of a result ----------------------------------------------------

def find_vectors(result: Result, given: Optional[str]) -> Optional[str]:
    """Path of the vectors file: as given, as stated, or next to the result."""
    stated = str(result.run.get("vectors_path", ""))
    beside = os.path.join(os.path.dirname(result.path), os.path.basename(stated))
    for path in (given,) if given else (stated, beside):
        if not path or not os.path.exists(path):
            continue
        with opened(vsim.Vectors, path) as x:
            content = vsim.text(x.file.attrs["content_xxh128"])
        if content == result.run.get("vectors_content"):
            return path
        if given:
            raise Failure(INPUT, f"{given}: is not the vectors file of {result.path}")
    if given:
        raise Failure(INPUT, f"{given}: No such file or directory")
    return None


def sites_of_vectors(result: Result, path: str) -> Sites:
    with opened(vsim.Vectors, path) as x:
        source = x.group["source_row"][...]
        by_source = result.run.get("index_space") == "source"
        row = source if by_source else np.arange(len(source))
        sites = Sites(x.site_columns("vectors"), row, source)
    return sites.part(np.argsort(row, kind="stable"))


def sites_of_nodes(result: Result) -> Sites:
    if "nodes" not in result.file:
        raise Failure(INPUT, f"{result.path}: has no names, and its vectors file is "
                      "missing; give --vectors FILE")
    nodes = result.file["nodes"]
    row = nodes["vector"][...]
    source = nodes["source_row"][...] if "source_row" in nodes else row
    return Sites(result.site_columns("nodes"), row, source)


def sites_of(result: Result, given: Optional[str]) -> Tuple[Sites, bool]:
    """All variants of the run and True, or those with a record and False."""
    path = find_vectors(result, given)
    if path:
        return sites_of_vectors(result, path), True
    return sites_of_nodes(result), False


# ---- selection ---------------------------------------------------------------

REGION = re.compile(r"(.+?)(?::([\d,]+)(-([\d,]*))?)?$")


def bare(chrom: Any) -> str:
    """Name of a chromosome without chr."""
    return re.sub("^chr", "", str(chrom), flags=re.IGNORECASE)


def parse_region(word: str) -> Tuple[str, int, int]:
    """Chromosome, first and last position of CHROM, CHROM:POS, CHROM:FROM-TO."""
    chrom, lo, dash, hi = REGION.match(word).groups()
    first = int(lo.replace(",", "")) if lo else 0
    if not lo:
        return chrom, 0, sys.maxsize
    last = int(hi.replace(",", "")) if hi else sys.maxsize if dash else first
    if last < first:
        raise Failure(USAGE, f"--region {word}: ends before it begins")
    return chrom, first, last


def split_regions(words: str) -> List[str]:
    """Regions between commas; 3,000,000 is one number."""
    return re.split(r",(?!\d{3}(?!\d))", words)


def in_regions(sites: Sites, words: str) -> np.ndarray:
    keep = np.zeros(len(sites), bool)
    names = np.array([bare(c) for c in sites.chrom], object)
    for word in split_regions(words):
        chrom, first, last = parse_region(word)
        here = names == bare(chrom)
        if not here.any():
            raise Failure(INPUT, f"--region {word}: no variant on chromosome {chrom}")
        keep |= here & (sites.pos >= first) & (sites.pos <= last)
    return keep


def wanted_ids(words: str) -> List[str]:
    """Names in a list a,b,c or in the lines of @FILE."""
    if not words.startswith("@"):
        return words.split(",")
    try:
        with open(words[1:], errors="surrogateescape") as f:
            return [line.split()[0] for line in f if line.strip()]
    except OSError as e:
        raise Failure(INPUT, f"--id {words}: {os.strerror(e.errno)}") from None


def with_ids(sites: Sites, words: str) -> np.ndarray:
    wanted = set(wanted_ids(words))
    missing = wanted.difference(sites.id)
    if missing:
        raise Failure(INPUT, f"--id: no variant {sorted(missing)[0]}")
    return np.array([x in wanted for x in sites.id], bool)


# ---- records -----------------------------------------------------------------

class Records:
    """Columns of the records that are drawn; ends are places in sites."""

    def __init__(self, end: np.ndarray, value: np.ndarray, sites: Sites) -> None:
        self.end, self.value, self.sites = end, value, sites

    def __len__(self) -> int:
        return len(self.value)


class Block(NamedTuple):
    """Consecutive records of the file, from row first, and a mask of the chosen ones."""

    first: int
    end: np.ndarray
    value: np.ndarray
    mask: np.ndarray


class Source:
    """A result to draw: its run, its variants and a mask of the chosen ones."""

    def __init__(self, path: str, options: Dict[str, Any]) -> None:
        self.result = open_result(path)
        self.path, self.options = path, options
        self.run = self.result.run
        self.metric, self.way = self.result.metric, self.result.way
        self.lower = self.metric in LOWER
        self.is_shard = vsim.text(self.result.file.attrs["format"]) == "vsim-shard"
        self.sites, self.complete = sites_of(self.result, options.get("vectors"))
        self.keep = np.ones(len(self.sites), bool)
        if options.get("region"):
            self.keep &= in_regions(self.sites, options["region"])
        if options.get("id"):
            self.keep &= with_ids(self.sites, options["id"])
        self.chosen = not self.keep.all()
        self.place = np.full(self.result.n_vectors, -1, np.int32)
        self.place[self.sites.row] = np.arange(len(self.sites))

    def unit(self, n: int = 2) -> str:
        """The word for n vectors: variants, or rows of numbers."""
        genetic = self.sites.placed.any() or self.metric in ASSOCIATION
        word = "variant" if genetic else "row"
        return word + "s" * (n != 1)

    def strength(self, value: np.ndarray) -> np.ndarray:
        return -value if self.lower else value

    def rows(self, both: bool) -> Tuple[int, int]:
        """The range of records in which the chosen variants occur."""
        index = self.result.file.get("index/i_offset")
        if not (both and self.chosen and index is not None and self.keep.any()):
            return 0, self.result.n_records
        row = self.sites.row[self.keep]
        return int(index[row.min()]), int(index[row.max() + 1])

    def blocks(self, both: bool) -> Iterator[Block]:
        """Records in file order; a record is chosen if both of its variants, or any,
        are chosen."""
        columns = "ijk"[: self.way]
        lo, hi = self.rows(both)
        for at in range(lo, hi, BLOCK):
            part = slice(at, min(at + BLOCK, hi))
            row = np.stack([self.result.records[c][part] for c in columns])
            end = self.place[np.minimum(row, len(self.place) - 1)]
            if (end < 0).any() or (row >= len(self.place)).any():
                raise Failure(INPUT, f"{self.path}: /nodes: a variant of a record is "
                              "not listed")
            mask = self.keep[end].all(0) if both else self.keep[end].any(0)
            yield Block(at, end, self.read_values(at, part.stop), mask)

    def read_values(self, lo: int, hi: int) -> np.ndarray:
        value = self.result.records["value"][lo:hi].astype(float)
        bad = np.flatnonzero(~np.isfinite(value))
        if len(bad):
            raise Failure(INPUT, f"{self.path}: /records/value: row {lo + bad[0]}: "
                          f"{value[bad[0]]}; recreate the file")
        return value

    def records(self, both: bool, least: float = -np.inf) -> Records:
        """The chosen records whose strength is at least least."""
        lo, hi = self.rows(both)
        end, value = np.empty((self.way, hi - lo), np.int32), np.empty(hi - lo)
        n = 0
        for part in self.blocks(both):
            mask = part.mask & ~(self.strength(part.value) < least)
            more = n + int(mask.sum())
            end[:, n:more], value[n:more] = part.end[:, mask], part.value[mask]
            n = more
        return Records(end[:, :n], value[:n], self.sites)

    def pairs(self) -> Iterator[Records]:
        """Each pair of chosen variants once, with its strongest value, a part at a time;
        all at once from a shard, where the records of a pair need not be adjacent."""
        if self.is_shard:
            yield pairs_of(self.records(both=True), self.lower)
            return
        end, value = np.empty((self.way, 0), np.int32), np.empty(0)
        for part in self.blocks(both=True):
            end = np.concatenate([end, part.end[:, part.mask]], 1)
            value = np.concatenate([value, part.value[part.mask]])
            # the last pair may continue in the next part
            last = (end == end[:, -1:]).all(0)
            yield pairs_of(Records(end[:, ~last], value[~last], self.sites), self.lower)
            end, value = end[:, last], value[last]
        yield pairs_of(Records(end, value, self.sites), self.lower)

    def values(self, everything: bool = False) -> Iterator[np.ndarray]:
        """Values of the records with a chosen variant, or of all, a part at a time."""
        if self.chosen and not everything:
            yield from (part.value[part.mask] for part in self.blocks(both=False))
            return
        for at in range(0, self.result.n_records, BLOCK):
            yield self.read_values(at, at + BLOCK)

    def sets(self) -> Iterator[np.ndarray]:
        """Variants of each pair or triple with a chosen one, once regardless of cells,
        which are adjacent in a merged result but not in a shard."""
        if self.is_shard:
            end = self.records(both=False).end
            yield np.unique(end, axis=1)
            return
        last = np.full((self.way, 1), -1)
        for part in self.blocks(both=False):
            before = np.concatenate([last, part.end[:, :-1]], 1)
            yield part.end[:, part.mask & (part.end != before).any(0)]
            last = part.end[:, -1:]


def pairs_of(records: Records, lower: bool) -> Records:
    """Each pair once, with its strongest value."""
    if records.end.shape[1] == 0:
        return records
    n = len(records.sites)
    key = records.end[0].astype(np.int64) * n + records.end[1]
    if (key[1:] > key[:-1]).all():
        return records
    strength = -records.value if lower else records.value
    order = np.lexsort((-strength, key))
    first = np.ones(len(order), bool)
    first[1:] = key[order][1:] != key[order][:-1]
    order = order[first]
    return Records(records.end[:, order], records.value[order], records.sites)


# ---- order along the genome --------------------------------------------------

def genome_order(sites: Sites) -> np.ndarray:
    """Sites sorted by chromosome, in file order, and position."""
    rank: Dict[Any, int] = {}
    for k in np.argsort(sites.source, kind="stable"):
        rank.setdefault(sites.chrom[k], len(rank))
    rank[None] = len(rank)
    contig = np.array([rank[c] for c in sites.chrom], np.int64)
    pos = np.where(sites.placed, sites.pos, sys.maxsize)
    return np.lexsort((sites.source, pos, contig))


def chromosomes(sites: Sites) -> List[Tuple[Any, int, int]]:
    """Name, begin and end of each run of sites on one chromosome."""
    if not len(sites):
        return []
    cut = [k for k in range(1, len(sites)) if sites.chrom[k] != sites.chrom[k - 1]]
    edges = [0, *cut, len(sites)]
    return [(sites.chrom[a], a, b) for a, b in zip(edges, edges[1:])]
