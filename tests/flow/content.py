# SPDX-License-Identifier: BSD-3-Clause
"""content.py FILE...: the content digest of each file, made by h5py and
libxxhash from nothing but vsim-vectors(5) and vsim-results(5). It prints each
with the one that the file states; exit 1 if they differ."""
import ctypes
import struct
import sys

import h5py
import numpy as np

RUN = """run_uuid metric n_way vectors_uuid vectors_content n_vectors n_fields
value_type compute ccc_gamma ccc_multiplier missing threshold_op threshold
class_thresholds below absolute cell_mask selection min_joint case_seed permutations summary pair_filter
filtered_pairs between against order tile n_blocks row_tiles
n_phases phase_begin phase_end n_stages stage_begin stage_end n_proc shard"""
MERGED = """metric n_way n_vectors n_fields value_type missing threshold_op
threshold class_thresholds below absolute cell_mask selection min_joint case_seed permutations summary pair_filter
filtered_pairs between ccc_gamma ccc_multiplier
coverage index_space"""
RECORDS = [f"/records/{c}" for c in "i j k cell value num nvalid".split()]
TILES = [f"/tiles/{c}" for c in
         "bi bj phase stage first count evaluated sum0 sum1 seconds".split()]
VECTORS = [f"/vectors/{c}" for c in """planes values id contig pos allele0/offset
allele0/bytes allele1/offset allele1/bytes allele1_source genotype_count
haploid male_count cm annotation value_sum source_row""".split()]

# format: group and names of attributes, data sets, whole groups
LAW = {
    "vsim-vectors": ("vectors", "element n_vectors n_fields ploidy plane_bytes "
                     "allele_rule", VECTORS,
                     ["/contigs", "/samples", "/phenotypes",
                      "/annotations"]),
    "vsim-shard": ("run", RUN, RECORDS + TILES,
                   ["/histogram", "/summary", "/permutations", "/chromosomes"]),
    "vsim-merged": ("run", MERGED, RECORDS, ["/index", "/permutations"]),
}
TYPES = {"u1": "u8", "i4": "i32", "i8": "i64", "u8": "u64", "f4": "f32",
         "f8": "f64"}

xxh = ctypes.CDLL("libxxhash.so.0")


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


xxh.XXH3_128bits.restype = Hash128
xxh.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
xxh.XXH3_64bits_withSeed.restype = ctypes.c_uint64
xxh.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t,
                                     ctypes.c_uint64]


def hash128(data):
    h = xxh.XXH3_128bits(data, len(data))
    return struct.pack(">QQ", h.high, h.low)


def c_hex(x):
    """%a of printf(): no zeros at the end of the fraction."""
    head, exponent = float(x).hex().split("p")
    if "." in head:
        head = head.rstrip("0").rstrip(".")
    return f"{head}p{exponent}"


def text(value):
    def one(x):
        if isinstance(x, bytes):
            return x.decode()
        if isinstance(x, np.floating):
            return c_hex(x)
        return str(x)
    return ",".join(map(one, np.atleast_1d(value)))


def usable(f, path):
    return isinstance(f.get(path, getlink=True), h5py.HardLink) and \
        f[path].dtype.str[1:] in [*TYPES, f"S{f[path].dtype.itemsize}"]


def part(path, d):
    t = d.dtype
    kind = f"s{t.itemsize}" if t.kind == "S" else TYPES[t.str[1:]]
    head = path.encode() + b"\0" + kind.encode() + b"\0"
    head += struct.pack(f"<{1 + d.ndim}Q", d.ndim, *d.shape)
    return head + hash128(np.ascontiguousarray(d[()]).tobytes())


def content(f):
    """The digest, in 16 bytes, of a file opened by h5py."""
    form = f.attrs["format"].decode()
    group, attrs, data, groups = LAW[form]
    all_ = f"format={form}\n".encode()
    for a in attrs.split():
        if a in f[group].attrs:
            all_ += f"{a}={text(f[group].attrs[a])}\n".encode()
    for g in groups:
        data = data + [f"{g}/{m}" for m in sorted(f.get(g, []))]
    for path in data:
        if usable(f, path):
            all_ += part(path, f[path])
    return hash128(all_)


def main(names):
    differ = 0
    for name in names:
        with h5py.File(name, "r") as f:
            made = content(f).hex()
            stated = f.attrs["content_xxh128"].decode()
        differ += made != stated
        print(name, made, stated, "equal" if made == stated else "DIFFERENT")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
