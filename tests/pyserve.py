# SPDX-License-Identifier: BSD-3-Clause
"""A fork server for the Python scripts of tests: numpy, h5py, matplotlib and what vsim-plot
needs beside them are imported once, which takes several times as long as most scripts run.

    pyserve.py SOCKET

pyclient.c sends arguments, directory, environment and standard streams; a fork
of this process runs the script, and its exit code goes back.  If a client ends,
its script is ended, too.  The CPU seconds of a script are added to the file that
TEST_CPU names.  The server ends with the process that started it.
"""
import atexit
import ctypes
import gc
import os
import select
import signal
import socket
import sys
import types

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a fork would have to start others
for name in ("numpy", "h5py", "matplotlib.pyplot", "matplotlib.backends.backend_svg",
             "networkx", "subprocess", "xml.etree.ElementTree"):
    try:
        __import__(name)
    except ImportError:
        pass


def settings(env):
    """What an interpreter with its libraries reads before a script begins."""
    return {k: v for k, v in env.items() if k != b"PYTHON" and
            k.startswith((b"PYTHON", b"HDF5_", b"LD_", b"LC_", b"LANG"))}


SETTINGS = settings(os.environb)


def receive(conn):
    """args, directory, environment, streams; None: the client's own affair."""
    data, fds, _, _ = socket.recv_fds(conn, 4, 3)
    left = int.from_bytes(data, sys.byteorder)
    data = b""
    while len(data) < left:
        more = conn.recv(left - len(data))
        if not more:
            break
        data += more
    if len(fds) == 3 and len(data) == left:
        n, *data = data.split(b"\0")[:-1]
        n = int(n)
        args, cwd = [os.fsdecode(arg) for arg in data[:n]], data[n]
        env = dict(x.split(b"=", 1) for x in data[n + 1:] if b"=" in x)
        if settings(env) == SETTINGS:
            return args, cwd, env, fds
    for fd in fds:
        os.close(fd)
    return None


def serve(path):
    """In a fork for each script, returns what its client asks for."""
    parent = os.getppid()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path + ".new")
    listener.listen(64)
    os.rename(path + ".new", path)  # there when it can be used
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    jobs = {}  # by the number of its connection, and of its process: a script
    while os.getppid() == parent:
        for fd, _ in poll.poll(5000):
            if fd == listener.fileno():
                conn = listener.accept()[0]
                asked = receive(conn)
                if not asked:
                    conn.close()
                    continue
                pid = os.fork()
                if pid == 0:
                    return asked
                for stream in asked[3]:
                    os.close(stream)
                conn.send(b"y")
                ended = os.pidfd_open(pid)
                job = conn, pid, ended, asked[2].get(b"TEST_CPU")
                jobs[conn.fileno()] = jobs[ended] = job
                poll.register(conn, 0)  # that it is gone
                poll.register(ended, select.POLLIN)
            elif fd in jobs:
                conn, pid, ended, cpu = jobs[fd]
                if fd != ended:
                    os.kill(pid, signal.SIGKILL)
                _, status, used = os.wait4(pid, 0)
                code = os.waitstatus_to_exitcode(status)
                if cpu:
                    with open(cpu, "a") as f:
                        print(used.ru_utime + used.ru_stime, file=f)
                try:
                    conn.send(bytes([code if code >= 0 else 128 - code]))
                except OSError:
                    pass
                for x in conn.fileno(), ended:
                    poll.unregister(x)
                    del jobs[x]
                conn.close()
                os.close(ended)
    sys.exit()


def become(args, cwd, env, fds):
    """The process that the client would be; returns its program as code."""
    os.chdir(cwd)
    for k in set(os.environb) - set(env):
        del os.environb[k]
    os.environb.update(env)
    for k, fd in enumerate(fds):
        os.dup2(fd, k)
        os.close(fd)
    sys.stdin = sys.__stdin__ = open(0, closefd=False)
    sys.stdout = sys.__stdout__ = open(1, "w", closefd=False)
    sys.stderr = sys.__stderr__ = open(2, "w", buffering=1, closefd=False,
                                       errors="backslashreplace")
    sys.path[0] = ""
    sys.argv = args
    if args[0] == "-c":
        sys.argv = ["-c", *args[2:]]
        return compile(args[1], "<string>", "exec")
    if args[0] == "-":
        return compile(sys.stdin.buffer.read(), "<stdin>", "exec")
    sys.path[0] = os.path.dirname(os.path.realpath(args[0]))
    try:
        with open(args[0], "rb") as f:
            return compile(f.read(), args[0], "exec")
    except OSError as e:
        print(f"{sys.executable}: can't open file {args[0]!r}: {e}",
              file=sys.stderr)
        sys.exit(2)


def run(program):
    """As __main__; returns the exit code."""
    main = types.ModuleType("__main__")
    main.__file__ = sys.argv[0]
    sys.modules["__main__"] = main
    try:
        exec(program, vars(main))
        code = 0
    except SystemExit as e:
        code = e.code
        if code is not None and not isinstance(code, int):
            print(code, file=sys.stderr)
            code = 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    vars(main).clear()  # what is open is closed
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError:
        code = code or 120
    return code or 0


exit_c = ctypes.CDLL(None).exit  # HDF5 ends with it, the interpreter need not
gc.freeze()  # what is there is not looked at in forks, which would copy it
exit_c(run(become(*serve(sys.argv[1]))))
