# SPDX-License-Identifier: BSD-3-Clause
"""
Random changes to the contents of vsim files, for forged.py --values: each is made
in a copy, whose sums, digests and seal are corrected.
"""
import os
import shutil
import struct
import sys

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [f"{HERE}/../cli", f"{HERE}/.."]
import forge
import logs
from forge import xxh


def number(rng, x, dtype):
    """Another number, near x or far from all others."""
    if dtype.kind == "f":
        x = float(x)
        y = rng.choice((np.nan, np.inf, -np.inf, -x, 0.0, x * 2, x / 2, x + 1,
                        float(np.nextafter(x, 9)), 1e308, 5e-324, rng.random()))
        with np.errstate(over="ignore"):
            return dtype.type(y)
    bits = 8 * dtype.itemsize
    x = int(x)
    y = rng.choice((x + 1, x - 1, 0, 1, -1, 2 * x, 1 << bits - 1,
                    (1 << bits - 1) - 1, x ^ 1 << rng.randrange(bits),
                    rng.randrange(1 << bits), x + rng.randrange(-9, 10)))
    return np.array(y % (1 << bits), f"u{dtype.itemsize}").astype(dtype)[()]


def text(rng, x):
    """Another text, as long as x or not."""
    x = bytearray(x)
    how = rng.randrange(6)
    if how == 0 or not x:
        return np.bytes_(rng.choice((b"", b"x", b"0", b"nan", b"../../x")))
    at = rng.randrange(len(x))
    if how == 1:
        x[at] = rng.choice(b"0123456789abz-_ /\n\t\xff")
    elif how == 2:
        del x[at]
    elif how == 3:
        x[at:at] = x[:rng.randrange(1, 300)]
    elif how == 4:
        x = x[:at]
    else:
        x = x[::-1]
    return np.bytes_(bytes(x))


def other(rng, x, dtype):
    return text(rng, x) if dtype.kind == "S" else number(rng, x, dtype)


def objects(f):
    found = ["/"]
    f.visit(found.append)
    return found


def columns(f):
    return [p for p in objects(f) if isinstance(f[p], h5py.Dataset)]


def an_attribute(rng, f, put, cut):
    path = rng.choice([p for p in objects(f) if len(f[p].attrs)])
    attrs = f[path].attrs
    name = rng.choice(sorted(attrs))
    x = np.asarray(attrs[name])
    if rng.random() < 0.1:
        del attrs[name]
        return f"{path}:{name} removed"
    if x.dtype.kind not in "Siuf":
        return "nothing"
    if x.ndim:
        k = rng.randrange(len(x))
        x = x.copy()
        x[k] = other(rng, x[k], x.dtype)
    elif rng.random() < 0.1 and x.dtype.kind in "iu":
        x = x.astype(rng.choice(("i4", "i8", "u8", "f8")))
    else:
        x = other(rng, x[()], x.dtype)
    del attrs[name]
    attrs[name] = x
    return f"{path}:{name} = {x!r}"


def some_elements(rng, f, put, cut):
    path = rng.choice(columns(f))
    values = f[path][()]
    if not values.size:
        return "nothing"
    flat, said = values.reshape(-1), []
    for _ in range(rng.choice((1, 1, 2, 5))):
        k = rng.randrange(flat.size)
        flat[k] = other(rng, flat[k], flat.dtype)
        said.append(f"[{k}] = {flat[k]!r}")
    write(f, put, path, values)
    return f"{path}{' '.join(said)}"


def write(f, put, path, values):
    try:
        f[path][...] = values
    except (OSError, ValueError):  # it is packed
        put(path, values)


def two_rows(rng, f, put, cut):
    """Swap two rows of a column, or of all columns of its group."""
    path = rng.choice(columns(f))
    n = len(f[path])
    if n < 2:
        return "nothing"
    a, b = rng.sample(range(n), 2)
    paths = [path]
    if rng.random() < 0.5:
        group = path.rsplit("/", 1)[0]
        paths = [p for p in columns(f)
                 if p.rsplit("/", 1)[0] == group and len(f[p]) == n]
    for p in paths:
        values = f[p][()]
        values[[a, b]] = values[[b, a]]
        write(f, put, p, values)
    return f"rows {a} and {b} of {' '.join(paths)}"


def a_length(rng, f, put, cut):
    """Take rows from, or add rows to, a column or those of its group."""
    path = rng.choice(columns(f))
    group, n = path.rsplit("/", 1)[0], len(f[path])
    paths = [p for p in columns(f) if len(f[p]) == n and
             p.rsplit("/", 1)[0] == group] if rng.random() < 0.6 else [path]
    at, more = rng.randrange(n + 1), rng.choice((1, 1, 2, n, 70000))
    take = rng.random() < 0.5
    for p in paths:
        values = f[p][()]
        if take:
            values = np.delete(values, slice(at, at + more), 0)
        elif n:
            values = np.concatenate((values, np.repeat(values[-1:], more, 0)))
        put(p, values)
    how = f"{more} rows from {at} taken" if take else f"{more} rows added"
    return f"{how}: {' '.join(paths)}"


def removed(rng, f, put, cut):
    path = rng.choice(objects(f)[1:])
    del f[path]
    return f"{path} removed"


def copied(rng, f, put, cut):
    """The values of another column of the same type and shape."""
    path = rng.choice(columns(f))
    like = [p for p in columns(f) if p != path and
            f[p].dtype == f[path].dtype and f[p].shape == f[path].shape]
    if not like:
        return "nothing"
    from_ = rng.choice(like)
    write(f, put, path, f[from_][()])
    return f"{path} = {from_}"


def another_type(rng, f, put, cut):
    path = rng.choice(columns(f))
    t = f[path].dtype
    to = rng.choice(("S1", "S5000")) if t.kind == "S" else rng.choice(
        ("u1", "i4", "i8", "u8", "f4", "f8", ">i8"))
    with np.errstate(all="ignore"):
        put(path, f[path][()].astype(to), to)
    return f"{path} of {to}"


CHANGES = (an_attribute, an_attribute, an_attribute, some_elements,
           some_elements, some_elements, some_elements, two_rows, a_length,
           removed, copied, another_type)


def counts_that_fit(f, put):
    """Genotype counts of planes, and sums of integers."""
    v = f["vectors"]
    if "planes" in v:
        n = int(v.attrs["n_fields"])
        bits = np.unpackbits(v["planes"][:], axis=2, bitorder="little")[..., :n]
        p0, p1 = bits[:, 0].astype(bool), bits[:, 1].astype(bool)
        count = np.stack([x.sum(1) for x in (~p0 & ~p1, ~p0 & p1, p0 & p1,
                                             p0 & ~p1)], 1)
        put("vectors/genotype_count", count)
    elif v["values"].dtype.kind == "u":
        put("vectors/value_sum", v["values"][:].sum(1, dtype="u8"))


def change_file(rng, path):
    """Forge a file in place; the words are what was done."""
    said = []

    def change(f, put, cut):
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            said.append(rng.choice(CHANGES)(rng, f, put, cut))
        if rng.random() < 0.5:
            try:
                if "tiles" in f:
                    forge.sum_tiles(f)
                if "vectors" in f:
                    counts_that_fit(f, put)
                said.append("counts and sums that fit")
            except Exception:
                said.append("counts and sums that cannot fit")
    try:
        forge.forge(path, change, keep_sum=rng.random() < 0.1)
    except Exception as e:  # what is left has no sums of its own
        said.append(f"as it is: {type(e).__name__}")
        with open(path, "rb") as f:
            data = f.read()
        forge.seal(path, data[48:64], None)
    return "; ".join(said)


def change_log(rng, directory):
    """Forge commits of an unfinished shard's log, vsim-results(5)."""
    path = rng.choice(logs.logs(directory))
    found = logs.commits(path)
    with open(path, "rb") as f:
        data = bytearray(f.read())
    said = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        at, end = rng.choice(found)[:2]
        at, n = at + 40, end - at - 40
        # the words say more than tiles and packed rows
        k = rng.choice((rng.randrange(112), rng.randrange(min(n, 400)),
                        rng.randrange(n))) // 4 * 4
        t = np.dtype(rng.choice(("u4", "u8", "f8", "i4")))
        k = min(k, n - t.itemsize)
        x = number(rng, np.frombuffer(data, t, 1, at + k)[0], t)
        data[at + k:at + k + t.itemsize] = x.tobytes()
        said.append(f"{k} of {n} = {x!r}")
    # each frame has the hash of its bytes and of the frame before
    at, before = struct.unpack_from("<Q", data, 24)[0], 0
    while at + 40 <= len(data):
        kind, n = struct.unpack_from("<2Q", data, at)
        h = xxh.XXH3_64bits_withSeed(bytes(data[at + 40:at + 40 + n]), n, 0)
        struct.pack_into("<2Q", data, at + 16, before, h)
        before = xxh.XXH3_64bits_withSeed(bytes(data[at:at + 32]), 32, 0)
        struct.pack_into("<Q", data, at + 32, before)
        at += 40 + n
    with open(path, "wb") as f:
        f.write(data)
    return f"{os.path.basename(path)}: {'; '.join(said)}"


def copy(source, to):
    if os.path.isdir(to):
        shutil.rmtree(to)
    elif os.path.exists(to):
        os.unlink(to)
    if os.path.isdir(source):
        shutil.copytree(source, to)
    else:
        shutil.copyfile(source, to)
