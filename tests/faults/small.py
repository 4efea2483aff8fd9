# SPDX-License-Identifier: BSD-3-Clause
"""
What the campaigns of this directory share: small tables for their jobs, and the
content that a job has made.
"""
import hashlib
import os
import random
import re
import subprocess


def sh(line):
    return subprocess.run(line, shell=True, check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True).stdout


def tables():
    """Write x.tsv, genotypes of which neighbours are alike, and m.tsv, numbers."""
    rng = random.Random(5)
    with open("x.tsv", "w") as f, open("m.tsv", "w") as t:
        t.write("id\t" + "\t".join("f%d" % q for q in range(30)) + "\n")
        row = [0] * 30
        for k in range(60):
            if k % 5 == 0:
                row = [rng.randrange(3) for _ in range(30)]
            g = [x if rng.random() < 0.8 else rng.randrange(3) for x in row]
            f.write("rs%d\t%s\n" % (k, "\t".join(map(str, g))))
            t.write("r%d\t%s\n" % (k, "\t".join(map(str, g))))


def digest(header):
    return re.search("^#content_xxh128: (.*)$", header, re.M).group(1)


def bytes_of(path):
    """A digest of a file's bytes, or of the names and bytes of all in a
    directory."""
    if not os.path.isdir(path):
        with open(path, "rb") as f:
            return hashlib.sha256(f.read()).digest()
    said = hashlib.sha256(b"directory")
    for name in sorted(os.listdir(path)):
        said.update(os.fsencode(name) + b"\0" + bytes_of(os.path.join(path, name)))
    return said.digest()


known = {}  # contents, by bytes_of()


def content(path):
    """Digest of what a file or a run's directory holds, text of another file;
    None: it is not whole.  The programs read the same bytes once where they are
    whole: a campaign looks at few outputs, but hundreds of times."""
    try:
        key = bytes_of(path)
    except OSError:
        return None
    if known.get(key) is None:
        known[key] = content_of(path)
    return known[key]


def content_of(path):
    try:
        merge = ""
        if os.path.isdir(path):
            merge = "rm -f c.res.h5; vsim-merge -f -o c.res.h5 %s && " % path
            path = "c.res.h5"
        else:
            with open(path, "rb") as f:
                if f.read(5) != b"\x89VSIM":
                    f.seek(0)
                    return f.read()
        return digest(sh("%svsim-verify %s >&2 && vsim-view --header %s" %
                         (merge, path, path)))
    except (subprocess.CalledProcessError, OSError):
        return None
