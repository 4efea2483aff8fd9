# SPDX-License-Identifier: BSD-3-Clause
"""
What the campaigns of this directory share: small tables for their jobs, and the
content that a job has made.
"""
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


def content(path):
    """Digest of what a file or a run's directory holds, text of another file;
    None: it is not whole."""
    try:
        if os.path.isdir(path):
            sh("rm -f c.res.h5; vsim-merge -f -o c.res.h5 " + path)
            path = "c.res.h5"
        with open(path, "rb") as f:
            if f.read(5) != b"\x89VSIM":
                f.seek(0)
                return f.read()
        sh("vsim-verify " + path)
        return digest(sh("vsim-view --header " + path))
    except (subprocess.CalledProcessError, OSError):
        return None
