"""logs.py DIRECTORY|LOG...: tiles that logs of unfinished shards have committed,
vsim-results(5), one number for all."""
import glob
import os
import struct
import sys

COMMIT = 255


def commits(path):
    """Place, end and tiles of each commit; what is torn behind is left out."""
    found = []
    with open(path, "rb") as f:
        size = os.fstat(f.fileno()).st_size
        at = struct.unpack_from("<Q", f.read(32), 24)[0]
        while at + 40 <= size:
            f.seek(at)
            kind, n = struct.unpack("<5Q", f.read(40))[:2]
            if kind > COMMIT or n > size - at - 40:
                break
            if kind == COMMIT:
                n_tile = struct.unpack_from("<5Q", f.read(40))[4]
                found.append((at, at + 40 + n, n_tile))
            at += 40 + n
    return found


def logs(directory):
    if not os.path.isdir(directory):
        return [directory]
    return sorted(glob.glob(directory + "/*.shard.h5.log") +
                  glob.glob(directory + "/[0-9][0-9][0-9]/*.shard.h5.log"))


def tiles(directory):
    n = 0
    for path in logs(directory):
        try:
            n += sum(c[2] for c in commits(path))
        except (OSError, struct.error):  # it became a shard
            pass
    return n


if __name__ == "__main__":
    print(sum(tiles(d) for d in sys.argv[1:]))
