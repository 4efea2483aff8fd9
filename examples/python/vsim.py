#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Read the vectors files and results of vsim in Python, with h5py and numpy.

    import vsim

    pairs = vsim.read_result("edges.res.h5")   # DataFrame, one row per record
    x = vsim.read_vectors("x.vec.h5")          # DataFrame, variants x samples

    with vsim.Result("edges.res.h5") as r:
        r.metric, r.way, r.n_records, r.n_vectors, r.n_fields
        r.run["threshold"]      # every attribute of the run, by name
        r.frame()               # the DataFrame of read_result
        r.frame(0, 1000)        # the first 1,000 records of it
        r.columns()             # the same columns as a dict of numpy arrays
        r.variants()            # DataFrame of the variants that have a record
        r.sparse()              # symmetric scipy.sparse matrix of the values
        for part in r.blocks(): # i, j, cell, value, ... a million at a time
            ...
    with vsim.Vectors("x.vec.h5") as x:
        x.ids, x.samples        # names of the rows and of the columns
        x[0:10]                 # numpy array: genotypes (-1 missing) or numbers
        x.variants()            # DataFrame of all variants
        x.sample_table()        # DataFrame of samples: sex, case, phenotypes

Columns have the names that vsim-view uses: id1 chrom1 pos1 allele1 freq1, the same
for 2 (and 3), then cell, value, num, n, i, j (k). Columns that the file does not have
are omitted: allele1 and cell with metrics other than ccc and duo, chrom1 and pos1
with plain numbers, num and n unless they were stored. variants() has id chrom pos
allele0 allele1 n0 n1 n2 missing freq1, and its index is the row i.

Data frames require pandas, and sparse() scipy. Files compressed with zstd, the
default of vsim-pack, require the HDF5 filter of hdf5plugin or of an installed vsim.
A file that cannot be opened raises vsim.Error, with the file and the remedy.

usage: python3 -m vsim FILE.vec.h5|FILE.res.h5
exit: 0 done, 2 wrong usage, 3 wrong input
"""
from __future__ import annotations

import os
import shutil
import sys
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

import h5py
import numpy as np

__version__ = "1.0.0"
__all__ = ["Error", "Result", "Vectors", "open_file", "read_result", "read_vectors"]

BLOCK = 1 << 20  # records at a time
MISSING = -1
ZSTD = 32015  # number of the HDF5 filter
MAGIC = b"\x89VSIM\r\n\x1a"
FEATURES = frozenset(
    "bit2 ploidy1 u8 u16 u32 f32 f64 signed missing way2 way3 zstd deflate min_joint "
    "row_tiles case_seed permutations pair_filter against part chromosomes haploid "
    "below absolute".split())


class Error(ValueError):
    """A file that cannot be read; the message names it and the remedy."""


def text(x: Any) -> str:
    # bytes of ids that are not UTF-8 are kept as surrogates
    return x.decode("utf-8", "surrogateescape") if isinstance(x, bytes) else str(x)


def texts(column: h5py.Dataset) -> List[str]:
    return [text(x) for x in column[...]]


def strings(group: h5py.Group) -> List[str]:
    """A column of strings that are stored end to end."""
    offset, raw = group["offset"][...], group["bytes"][...].tobytes()
    return [text(raw[a:b]) for a, b in zip(offset, offset[1:])]


def find_filter() -> bool:
    """Is the zstd filter available? Looks in hdf5plugin and next to vsim-run."""
    if h5py.h5z.filter_avail(ZSTD):
        return True
    try:
        import hdf5plugin  # noqa: F401
    except ImportError:
        pass
    program = shutil.which("vsim-run")
    if program and not h5py.h5z.filter_avail(ZSTD):
        folder = os.path.dirname(os.path.realpath(program))
        for place in ("../lib/vsim/plugin", "plugin"):
            path = os.path.normpath(os.path.join(folder, place))
            if os.path.isdir(path):
                # first: HDF5 1.10 stops at a folder that does not exist
                h5py.h5pl.prepend(path.encode())
    return bool(h5py.h5z.filter_avail(ZSTD))


def check_seal(path: str) -> None:
    """Refuse an unfinished or truncated file; a file without a seal is a copy."""
    with open(path, "rb") as f:
        seal = f.read(512)
    if not seal.startswith(MAGIC):
        return
    if seal[16:24].rstrip() != b"SEALED":
        raise Error(f"{path}: is unfinished: the program that writes it has not ended")
    size = int.from_bytes(seal[24:32], "little")
    if size != os.path.getsize(path):
        raise Error(f"{path}: has {os.path.getsize(path)} of {size} bytes; "
                    "copy or recreate it")


def pandas_of() -> Any:
    try:
        import pandas
    except ImportError:
        raise Error("data frames need pandas: pip install pandas") from None
    return pandas


class File:
    """A file of vsim; use it in a with block."""

    formats: Tuple[str, ...] = ()
    wanted = ""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.fspath(path)
        if os.path.isdir(self.path):
            raise Error(f"{self.path}: is a directory; "
                        f"vsim-merge -o NAME.res.h5 {self.path} makes a result of a run")
        try:
            check_seal(self.path)
            self.file = h5py.File(self.path, "r")
        except OSError as e:
            reason = os.strerror(e.errno) if e.errno else "is not an HDF5 file"
            raise Error(f"{self.path}: {reason}") from None
        try:
            self.check()
            self.begin()
        except Error:
            self.file.close()
            raise
        except (KeyError, OSError, RuntimeError, ValueError) as e:
            self.file.close()
            raise Error(f"{self.path}: is damaged: {e.args[0]}; copy or "
                        "recreate it") from None

    def check(self) -> None:
        form = text(self.file.attrs.get("format", ""))
        if form not in self.formats:
            remedy = {"vsim-shard": "; vsim-merge makes a result of shards",
                      "vsim-vectors": "; vsim-run --merge makes a result of vectors"}
            raise Error(f"{self.path}: is not a {self.wanted}{remedy.get(form, '')}")
        if int(self.file.attrs["format_version"][0]) != 1:
            raise Error(f"{self.path}: has a newer format; update this reader")
        needs = text(self.file.attrs["required_features"]).split()
        unknown = sorted(set(needs) - FEATURES)
        if unknown:
            raise Error(f"{self.path}: needs {' '.join(unknown)}; update this reader")
        if "zstd" in needs and not find_filter():
            raise Error(
                f"{self.path}: is compressed with zstd, and h5py has no filter for it: pip "
                "install hdf5plugin, put vsim-run on PATH, or write the file with "
                "--codec deflate")

    def begin(self) -> None:
        """Read attributes and small tables."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.close()

    def site_columns(self, group: str) -> Dict[str, np.ndarray]:
        """id chrom pos allele0 allele1 n0 n1 n2 missing freq1 of /vectors or /nodes."""
        g = self.file[group]
        columns: Dict[str, np.ndarray] = {"id": np.array(texts(g["id"]), object)}
        if "contig" in g:
            names = texts(self.file["contigs/name"]) if "contigs" in self.file else []
            chrom = np.array([*names, None], object)  # contig -1 is unknown
            columns["chrom"] = chrom[g["contig"][...]]
            columns["pos"] = g["pos"][...]
        for allele in ("allele0", "allele1"):
            if allele in g:
                columns[allele] = np.array(strings(g[allele]), object)
        if "genotype_count" in g:
            count = g["genotype_count"][...]
            for name, column in zip(("n0", "n1", "n2", "missing"), count.T):
                columns[name] = column
            ploidy = int(g.attrs.get("ploidy", 2))
            # a haploid call of a diploid file is one copy, counted as 0 or 1
            haploid = g["male_count"][...].sum(1) if "male_count" in g else 0
            called = ploidy * count[:, :3].sum(1) - haploid
            copies = count[:, 1] + 2 * count[:, 2]
            with np.errstate(invalid="ignore"):
                columns["freq1"] = np.where(called > 0, copies / called, np.nan)
        return columns


class Vectors(File):
    """vsim-vectors(5): variants by samples, or rows of numbers."""

    formats = ("vsim-vectors",)
    wanted = "vectors file"

    def begin(self) -> None:
        self.group = self.file["vectors"]
        self.numbers = "values" in self.group
        self.ids = texts(self.group["id"])
        self.samples = texts(self.file["samples/id"])

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: slice) -> np.ndarray:
        """Numbers, or copies of allele 1 as int8, MISSING where not called."""
        if not isinstance(rows, slice) or rows.step not in (None, 1):
            raise IndexError("rows are a slice, x[0:10]")
        if self.numbers:
            return self.group["values"][rows]
        planes = self.group["planes"][rows]
        bits = np.unpackbits(planes, axis=2, bitorder="little")
        low, high = bits[:, 0, : len(self.samples)], bits[:, 1, : len(self.samples)]
        return np.where(low > high, MISSING, low + high).astype(np.int8)

    def alleles(self) -> Tuple[List[str], List[str]]:
        """The alleles labelled 0 and 1; numbers have none."""
        return strings(self.group["allele0"]), strings(self.group["allele1"])

    def frame(self, first: int = 0, last: Optional[int] = None) -> Any:
        """A DataFrame of rows first to last - 1, ids by samples."""
        return pandas_of().DataFrame(
            self[first:last], index=self.ids[first:last], columns=self.samples)

    def variants(self) -> Any:
        """A DataFrame with a row for each variant."""
        return pandas_of().DataFrame(self.site_columns("vectors"))

    def sample_table(self) -> Any:
        """A DataFrame of the samples: family, sex, case and phenotypes if known."""
        table: Dict[str, Any] = {"id": self.samples}
        for name in ("family", "sex", "case"):
            if name in self.file["samples"]:
                column = self.file["samples"][name]
                table[name] = texts(column) if name == "family" else column[...]
        for name, column in self.file.get("phenotypes", {}).items():
            table[name] = column[...]
        return pandas_of().DataFrame(table)


class Result(File):
    """vsim-results(5): the records of a merged result, sorted by i, j, k, cell."""

    formats = ("vsim-merged",)
    wanted = "merged result"

    def begin(self) -> None:
        self.records = self.file["records"]
        self.run = {name: text(x) if isinstance(x, (bytes, str)) else x.item()
                    for name, x in self.file["run"].attrs.items()}
        self.metric = str(self.run["metric"])
        self.n_vectors = int(self.run["n_vectors"])
        self.n_fields = int(self.run["n_fields"])
        self.way = int(self.run["n_way"])
        self.n_records = int(self.records["value"].shape[0])

    @property
    def stored(self) -> List[str]:
        """The columns of /records that the file has."""
        return [c for c in ("i", "j", "k", "cell", "value", "num", "nvalid")
                if c in self.records]

    def names(self) -> Optional[Dict[int, str]]:
        """Ids of the variants with records, by row; None if they were not stored."""
        if "nodes" not in self.file:
            return None
        nodes = self.file["nodes"]
        return dict(zip(nodes["vector"][...].tolist(), texts(nodes["id"])))

    def arrays(self, first: int = 0, last: Optional[int] = None) -> Dict[str, np.ndarray]:
        """The stored columns of records first to last - 1, as arrays."""
        return {c: self.records[c][first:last] for c in self.stored}

    def blocks(self, rows: int = BLOCK) -> Iterator[Dict[str, np.ndarray]]:
        for lo in range(0, self.n_records, rows):
            yield self.arrays(lo, lo + rows)

    def columns(self, first: int = 0, last: Optional[int] = None) -> Dict[str, np.ndarray]:
        """The columns of frame() as arrays."""
        a = self.arrays(first, last)
        rows = "ijk"[: self.way]
        out: Dict[str, np.ndarray] = {}
        if "nodes" in self.file:
            nodes, vector = self.site_columns("nodes"), self.file["nodes/vector"][...]
            for at, c in enumerate(rows):
                node = np.searchsorted(vector, a[c])
                label = a["cell"] >> (self.way - 1 - at) & 1 if "cell" in a else None
                for name, x in end_columns(nodes, node, label).items():
                    out[f"{name}{at + 1}"] = x
        if "cell" in a:
            words = np.array([f"{x:0{self.way}b}" for x in range(1 << self.way)], object)
            out["cell"] = words[a["cell"]]
        for c, name in (("value", "value"), ("num", "num"), ("nvalid", "n")):
            if c in a:
                out[name] = a[c]
        out.update((c, a[c]) for c in rows)
        return out

    def frame(self, first: int = 0, last: Optional[int] = None) -> Any:
        """A pandas DataFrame, one row per record."""
        return pandas_of().DataFrame(self.columns(first, last))

    def variants(self) -> Any:
        """A DataFrame of the variants that have a record; its index is the row i."""
        if "nodes" not in self.file:
            raise Error(f"{self.path}: has no names; vsim-merge without --no-nodes "
                        "stores them")
        return pandas_of().DataFrame(self.site_columns("nodes"),
                                     index=self.file["nodes/vector"][...])

    def sparse(self) -> Any:
        """A symmetric scipy.sparse CSR matrix, variants by variants. A pair with
        several cells has its largest value."""
        try:
            from scipy.sparse import coo_matrix
        except ImportError:
            raise Error("sparse() needs scipy: pip install scipy") from None
        if self.way != 2:
            raise Error(f"{self.path}: has triples; a matrix needs pairs")
        a = self.arrays()
        pair = a["i"].astype(np.uint64) * np.uint64(self.n_vectors) + a["j"].astype(
            np.uint64)
        order = np.lexsort((a["value"], pair))
        last = np.ones(len(order), bool)
        last[:-1] = pair[order][1:] != pair[order][:-1]
        keep = order[last]
        i, j, value = a["i"][keep], a["j"][keep], a["value"][keep]
        shape = (self.n_vectors, self.n_vectors)
        return coo_matrix((np.r_[value, value], (np.r_[i, j], np.r_[j, i])),
                          shape).tocsr()


def end_columns(nodes: Dict[str, np.ndarray], node: np.ndarray,
                label: Optional[np.ndarray]) -> Dict[str, np.ndarray]:
    """id, chrom and pos of one variant of each record, and its allele in a cell."""
    out: Dict[str, np.ndarray] = {
        name: nodes[name][node] for name in ("id", "chrom", "pos") if name in nodes}
    if label is not None and "allele1" in nodes:
        out["allele"] = np.where(label, nodes["allele1"][node], nodes["allele0"][node])
    if "freq1" in nodes:
        freq = nodes["freq1"][node]
        out["freq"] = freq if label is None else np.where(label, freq, 1 - freq)
    return out


def open_file(path: str) -> Union[Result, Vectors]:
    """A Result or a Vectors, depending on the file."""
    try:
        with h5py.File(path, "r") as f:
            merged = text(f.attrs.get("format", "")) in Result.formats
    except (KeyError, OSError, RuntimeError):  # opening it again names the error
        merged = False
    return Result(path) if merged else Vectors(path)


def read_result(path: str) -> Any:
    """All records of a merged result as a pandas DataFrame."""
    with Result(path) as r:
        return r.frame()


def read_vectors(path: str) -> Any:
    """Genotypes (-1 missing) or numbers as a pandas DataFrame, ids by samples."""
    with Vectors(path) as x:
        return x.frame()


def main(argv: List[str]) -> int:
    if len(argv) != 2:
        print("usage: python3 -m vsim FILE.vec.h5|FILE.res.h5", file=sys.stderr)
        return 2
    try:
        with open_file(argv[1]) as f:
            if isinstance(f, Result):
                print(f"{f.n_records} records, {f.metric}, {f.n_vectors} vectors")
            else:
                kind = "numbers" if f.numbers else "genotypes"
                print(f"{len(f)} vectors x {len(f.samples)} samples, {kind}")
    except (Error, KeyError, OSError) as e:
        place = "" if str(e).startswith(argv[1]) else f"{argv[1]}: "
        print(f"vsim.py: {place}{e}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
