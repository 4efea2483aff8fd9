#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reader of vectors files and merged results, by h5py and numpy alone.

    import vsim
    with vsim.Vectors("x.vec.h5") as x:
        x.ids, x.samples, x[0:10]         # names; genotypes, -1 missing, or numbers
    with vsim.Result("edges.res.h5") as r:
        r.metric, r.n_records
        r.frame()                         # a pandas DataFrame, of names
        r.sparse()                        # a symmetric scipy.sparse matrix
        for part in r.blocks(): ...       # arrays, a million records at a time

usage: vsim.py FILE.vec.h5|FILE.res.h5
exit: 0 done, 2 wrong usage, 3 wrong input
"""
from __future__ import annotations

import sys
from typing import Any, Dict, Iterator, List, Optional, Tuple

import h5py
import numpy as np

BLOCK = 1 << 20  # records at a time
MISSING = -1


def text(x: Any) -> str:
    return x.decode() if isinstance(x, bytes) else str(x)


def texts(column: h5py.Dataset) -> List[str]:
    return [text(x) for x in column[...]]


def strings(group: h5py.Group) -> List[str]:
    """A column of texts that stand end to end."""
    offset, raw = group["offset"][...], group["bytes"][...].tobytes()
    return [raw[a:b].decode() for a, b in zip(offset, offset[1:])]


class File:
    """A file of vsim, closed at the end of a with block."""

    formats: Tuple[str, ...] = ()

    def __init__(self, path: str) -> None:
        self.file = h5py.File(path, "r")
        form = text(self.file.attrs.get("format", ""))
        if form not in self.formats:
            self.file.close()
            raise ValueError(f"{path}: is no {' or '.join(self.formats)} file")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.close()


class Vectors(File):
    """vsim-vectors(5): vectors by fields, of genotypes or of numbers."""

    formats = ("vsim-vectors",)

    def __init__(self, path: str) -> None:
        super().__init__(path)
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
        """Those labelled 0 and 1; of numbers there are none."""
        return strings(self.group["allele0"]), strings(self.group["allele1"])


class Result(File):
    """vsim-results(5): records of pairs or triples, sorted."""

    formats = ("vsim-merged",)

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.records = self.file["records"]
        run = self.file["run"].attrs
        self.metric = text(run["metric"])
        self.n_vectors = int(run["n_vectors"])
        self.way = int(run["n_way"])
        self.n_records = int(self.records["value"].shape[0])
        self.columns = [c for c in ("i", "j", "k", "cell", "value", "num", "nvalid")
                        if c in self.records]

    def names(self) -> Optional[Dict[int, str]]:
        """Ids of the vectors that records have; None where they were left out."""
        if "nodes" not in self.file:
            return None
        nodes = self.file["nodes"]
        return dict(zip(nodes["vector"][...].tolist(), texts(nodes["id"])))

    def blocks(self, rows: int = BLOCK) -> Iterator[Dict[str, np.ndarray]]:
        for lo in range(0, self.n_records, rows):
            yield {c: self.records[c][lo : lo + rows] for c in self.columns}

    def arrays(self) -> Dict[str, np.ndarray]:
        """All records at once, an array a column."""
        return {c: self.records[c][...] for c in self.columns}

    def frame(self) -> Any:
        """A pandas DataFrame: id1, id2 (id3), cell as in 01, value and so on."""
        import pandas

        a, names = self.arrays(), self.names()
        frame: Dict[str, Any] = {}
        for n, c in enumerate("ijk"[: self.way]):
            frame[f"id{n + 1}" if names else c] = (
                [names[v] for v in a[c].tolist()] if names else a[c])
        if "cell" in a:
            frame["cell"] = [f"{x:0{self.way}b}" for x in a["cell"].tolist()]
        for c in ("value", "num", "nvalid"):
            if c in a:
                frame[c] = a[c]
        return pandas.DataFrame(frame)

    def sparse(self) -> Any:
        """A scipy.sparse CSR matrix of pairs, symmetric; of several cells of a
        pair, the largest value. Rows are vectors."""
        from scipy.sparse import coo_matrix

        if self.way != 2:
            raise ValueError("a matrix is of pairs, and these are triples")
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


def main(argv: List[str]) -> int:
    if len(argv) != 2:
        print("usage: vsim.py FILE.vec.h5|FILE.res.h5", file=sys.stderr)
        return 2
    try:
        with h5py.File(argv[1], "r") as f:
            merged = text(f.attrs.get("format", "")) in Result.formats
        if merged:
            with Result(argv[1]) as r:
                print(f"{r.n_records} records of {r.metric} of {r.n_vectors} vectors")
        else:
            with Vectors(argv[1]) as x:
                kind = "numbers" if x.numbers else "genotypes"
                print(f"{len(x)} vectors of {len(x.samples)} fields, {kind}")
    except (KeyError, OSError, ValueError) as e:
        place = "" if str(e).startswith(argv[1]) else f"{argv[1]}: "
        print(f"vsim.py: {place}{e}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
