# SPDX-License-Identifier: BSD-3-Clause
# A client of pyserve.py, whose socket lies beside it: looks like the interpreter
# that runs it.  What is not "-c CODE", "-" or a script, and what no server takes,
# is run by that interpreter itself.  Nothing is imported that must be read first.
import _socket
import marshal
import posix
import sys


def served(args):
    if not args or args[0][:1] == "-" and args[0] not in ("-", "-c"):
        return None
    server = _socket.socket(_socket.AF_UNIX)
    try:
        server.connect(sys.argv[0].rpartition("/")[0] + "/python.socket")
        asked = marshal.dumps((args, posix.getcwdb(), posix.environ))
        fds = b"".join(fd.to_bytes(4, sys.byteorder) for fd in (0, 1, 2))
        server.sendmsg([len(asked).to_bytes(4, sys.byteorder)],
                       [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, fds)])
        at = 0
        while at < len(asked):
            at += server.send(asked[at:])
        if not server.recv(1):
            return None
    except OSError:
        return None
    return server.recv(1) or b"\1"


code = served(sys.argv[1:])
if code is None:
    posix.execv(sys.executable, [sys.executable, *sys.argv[1:]])
posix._exit(code[0])
