# SPDX-License-Identifier: BSD-3-Clause
"""content.py FILE...: the content digest of each file, made by h5py and
xxh128sum from nothing but vsim-vectors(5) and vsim-results(5)."""
import struct
import subprocess
import sys

import h5py
import numpy as np

RUN = """run_uuid metric n_way vectors_uuid vectors_content n_vectors n_fields
value_type compute ccc_gamma ccc_multiplier missing threshold_op threshold
class_thresholds cell_mask selection min_joint case_seed pair_filter
filtered_pairs between tile n_blocks row_tiles
n_phases phase_begin phase_end n_stages stage_begin stage_end n_proc shard"""
MERGED = """metric n_way n_vectors n_fields value_type missing threshold_op
threshold class_thresholds cell_mask selection min_joint case_seed pair_filter
filtered_pairs between ccc_gamma ccc_multiplier
coverage index_space"""
RECORDS = [f"/records/{c}" for c in "i j k cell value num nvalid".split()]
TILES = [f"/tiles/{c}" for c in
         "bi bj phase stage first count evaluated sum0 sum1 seconds".split()]
VECTORS = [f"/vectors/{c}" for c in """planes values id contig pos allele0/offset
allele0/bytes allele1/offset allele1/bytes allele1_source genotype_count
value_sum source_row""".split()]

# format: group and names of attributes, data sets, whole groups
LAW = {
    "vsim-vectors": ("vectors", "element n_vectors n_fields ploidy plane_bytes "
                     "allele_rule", VECTORS,
                     ["/contigs", "/samples", "/phenotypes"]),
    "vsim-shard": ("run", RUN, RECORDS + TILES, []),
    "vsim-merged": ("run", MERGED, RECORDS, ["/index"]),
}


def xxh128(b):
    said = subprocess.run(["xxh128sum"], input=b, stdout=subprocess.PIPE,
                          check=True).stdout
    return said.split()[0].decode()


def c_hex(x):
    """%a of printf()."""
    h = float(x).hex()
    if "." not in h:
        return h
    head, tail = h.split("p")
    head = head.rstrip("0").rstrip(".")
    return ("0x0" if float(x) == 0 else head) + "p" + tail


def text(v):
    if isinstance(v, bytes):
        return v.decode()
    if isinstance(v, np.floating):
        return c_hex(v)
    return str(v)


def part(path, d):
    kind = {"S": f"s{d.dtype.itemsize}", "u": f"u{8 * d.dtype.itemsize}",
            "i": f"i{8 * d.dtype.itemsize}",
            "f": f"f{8 * d.dtype.itemsize}"}[d.dtype.kind]
    head = path.encode() + b"\0" + kind.encode() + b"\0"
    head += struct.pack(f"<{1 + d.ndim}Q", d.ndim, *d.shape)
    return head + bytes.fromhex(xxh128(d[()].tobytes()))


def content(name):
    f = h5py.File(name, "r")
    form = f.attrs["format"].decode()
    group, attrs, data, groups = LAW[form]
    all_ = f"format={form}\n".encode()
    for a in attrs.split():
        if a in f[group].attrs:
            all_ += f"{a}={text(f[group].attrs[a])}\n".encode()
    for g in groups:
        data = data + [f"{g}/{m}" for m in sorted(f.get(g, []))]
    for path in data:
        if path in f:
            all_ += part(path, f[path])
    return xxh128(all_), f.attrs["content_xxh128"].decode()


for name in sys.argv[1:]:
    made, stated = content(name)
    print(name, made, stated, "equal" if made == stated else "DIFFERENT")
