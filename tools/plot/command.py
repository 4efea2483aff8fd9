# SPDX-License-Identifier: BSD-3-Clause
"""The command line of vsim-plot: kinds, options, output, exit codes."""
from __future__ import annotations

import importlib
import importlib.metadata
import os
import signal
import sys
import tempfile
import traceback
import warnings
from types import TracebackType
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from plot.options import (INPUT, MACHINE, USAGE, Failure, Option, help_lines,
                          list_lines, parse)


class Kind(NamedTuple):
    name: str
    module: str
    help: str


KINDS = [
    Kind("ld", "ld", "pairs of a region as an LD triangle or square"),
    Kind("decay", "decay", "LD by distance: mean and quantiles"),
    Kind("manhattan", "manhattan", "-log10 p of each variant, of cases and controls"),
    Kind("degree", "degree", "records of each variant along the chromosomes"),
    Kind("network", "network", "clusters of the strongest records"),
    Kind("histogram", "histogram", "values of records or of --metric-histogram"),
    Kind("heatmap", "heatmap", "numbers, or their similarity, with a dendrogram"),
    Kind("progress", "progress", "tiles and records over time, of a RUNDIR"),
    Kind("report", "report", "an HTML page: question, counts, figures, records"),
]

OPTIONS = [
    Option("r", "region", "LIST", "variants there: CHROM[:POS|:FROM-TO],...",
           "Which records", True),
    Option("i", "id", "LIST", "variants named in LIST: a,b,c or @FILE"),
    Option("n", "top", "N", "variants of a network, rows of a report [150; 100]",
           kind="number", lo=1, hi=1e6),
    Option("", "vectors", "FILE", "vectors file of the run, if it moved"),
    Option("", "shape", "SHAPE", "with ld: triangle or square [triangle]", "LD", True,
           choices="triangle|square"),
    Option("", "scale", "FROM", "colours from zero or from the threshold to 1 [zero]",
           choices="zero|threshold"),
    Option("", "cell", "WHAT", "cell of many pairs: strongest or mean [strongest]",
           choices="strongest|mean"),
    Option("", "blocks", "FILE|X", "borders: a BED file, or runs of values >= X"),
    Option("", "genes", "FILE", "gene track from GFF3, GTF or BED, also .gz"),
    Option("", "title", "TEXT", "title [made from the run]", "Look", True),
    Option("", "width", "INCHES", "width of the picture [7]", kind="number", lo=2, hi=60),
    Option("", "height", "INCHES", "height of the picture [by kind]", kind="number",
           lo=1, hi=60),
    Option("", "dpi", "N", "pixels per inch of PNG and of images inside [150]",
           kind="number", lo=20, hi=2400),
    Option("", "palette", "NAME", "heat (white-yellow-red), viridis or grey [heat]",
           common=True, choices="heat|viridis|grey"),
    Option("", "theme", "NAME", "light or dark [light]", common=True,
           choices="light|dark"),
    Option("", "no-host", "", "omit host names from a report", "Report"),
    Option("o", "output", "FILE", "*.svg, *.pdf, *.png or *.html [SVG to stdout]",
           "Output", True),
    Option("f", "force", "", "replace an existing output", common=True),
    Option("h", "help", "", "print all options and exit; -h: the common ones",
           "Messages and help"),
    Option("", "version", "", "print the versions of program and libraries"),
]

EXAMPLES = """examples:
  vsim-plot ld -r 20:1000000-1200000 -o ld.svg e.res.h5
  vsim-plot ld --genes genes.gtf.gz -r 20:1000000-1050000 -o ld.pdf e.res.h5
  vsim-plot manhattan -o epistasis.png e.res.h5
  vsim-plot network --top 80 -o clusters.svg e.res.h5
  vsim-plot report -o e.html e.res.h5"""
PURPOSE = "Draw results, vectors, histograms and runs; write reports."
SYNOPSIS = "usage: vsim-plot KIND [options] FILE"
EXITS = "exit: 0 done, 2 wrong usage, 3 wrong input, 4 machine failed"


def kind_lines() -> List[str]:
    return ["kinds:"] + [f"  {k.name:<12} {k.help}" for k in KINDS]


def print_help(common: bool) -> None:
    print(SYNOPSIS, "", PURPOSE, "", sep="\n")
    print(*kind_lines(), "", sep="\n")
    print(*help_lines(OPTIONS, common), "", sep="\n")
    if common:
        print("vsim-plot --help lists all options")
    else:
        print(EXAMPLES, "", EXITS, sep="\n")


def print_version(version: str) -> None:
    print(f"vsim-plot {version}")
    found = [f"Python {sys.version.split()[0]}"]
    for name in ("numpy", "h5py", "matplotlib", "networkx", "scipy"):
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"no {name}")
    print("libraries " + ", ".join(found))


# ---- output ------------------------------------------------------------------

FORMS = ("svg", "pdf", "png")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def form_of(kind: Kind, output: str) -> str:
    """svg, pdf, png, or html for a report, by the name of the output."""
    end = os.path.splitext(output)[1][1:].lower()
    if kind.name == "report":
        if end and end not in ("html", "htm"):
            raise Failure(USAGE, f"-o {output}: a report is HTML, NAME.html")
        return "html"
    if not output or output == "-":
        return "svg"
    if end not in FORMS:
        raise Failure(USAGE, f"-o {output}: the name must end in .svg, .pdf or .png")
    return end


def check_free(output: str, force: bool) -> None:
    if output and output != "-" and os.path.lexists(output) and not force:
        raise Failure(USAGE, f"{output}: exists; -f replaces it")


def write(output: str, content: bytes) -> None:
    """Write a file that appears under its name only once it is complete."""
    if not output or output == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    if os.path.exists(output) and not os.path.isfile(output):
        with open(output, "wb") as pipe:  # or a device, or a directory
            pipe.write(content)
        return
    folder, name = os.path.split(output)
    temporary = ""
    # a signal waits until the file is complete, and leaves no temporary file
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        number, temporary = tempfile.mkstemp(prefix=f"{name}.tmp-", dir=folder or ".")
        with os.fdopen(number, "wb") as f:
            f.write(content)
            f.flush()
            os.fsync(f.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, output)
    except OSError as e:
        if temporary and os.path.exists(temporary):
            os.remove(temporary)
        raise Failure(MACHINE, f"{output}: {os.strerror(e.errno)}") from None
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


# ---- the program -------------------------------------------------------------

def find_kind(word: str) -> Kind:
    for kind in KINDS:
        if kind.name == word:
            return kind
    raise Failure(USAGE, f"{word}: no such kind of picture; one of "
                  + ", ".join(k.name for k in KINDS))


def picture(kind: Kind, path: str, options: Dict[str, Any], form: str) -> bytes:
    """The bytes of a picture or a report."""
    module = importlib.import_module(f"plot.{kind.module}")
    if kind.name == "report":
        return module.page(path, options).encode()
    from plot.style import Style, Tips, saved
    style, tips = Style(options), Tips()
    figure, title = module.draw_path(path, options, style, tips) if hasattr(
        module, "draw_path") else drawn(module, path, options, style, tips)
    return saved(figure, form, style, tips, options.get("title") or title)


def drawn(module: Any, path: str, options: Dict[str, Any], style: Any,
          tips: Any) -> Tuple[Any, str]:
    from plot import data
    return module.draw(data.Source(path, options), style, tips)


def run(words: List[str], version: str) -> None:
    options, operands = parse(OPTIONS, words)
    if options.get("help"):
        return print_help("-h" in words)
    if options.get("version"):
        return print_version(version)
    if len(operands) != 2:
        raise Failure(USAGE, "nothing to do" if not operands else
                      "a kind and one file are required: vsim-plot KIND FILE, "
                      "where KIND is one of " + ", ".join(k.name for k in KINDS))
    kind, path = find_kind(operands[0]), operands[1]
    output = options.get("output", "")
    form = form_of(kind, output)
    check_free(output, options.get("force", False))
    write(output, picture(kind, path, options, form))


def place_of(error: Optional[TracebackType]) -> str:
    """File and line of vsim-plot where an error occurred."""
    lines = [f"{os.path.basename(x.filename)}:{x.lineno}"
             for x in traceback.extract_tb(error)
             if os.path.dirname(x.filename) == os.path.dirname(__file__)]
    return lines[-1] if lines else "plot"


PACKAGES = ("h5py", "matplotlib", "networkx", "numpy", "scipy")


def main(words: List[str], version: str) -> int:
    """The exit status; a failure is one line on stderr."""
    warnings.simplefilter("ignore")  # from libraries, such as letters missing from a font
    try:
        if words[:1] == ["--list-options"]:
            print(*list_lines(OPTIONS), sep="\n")
        else:
            run(words, version)
        sys.stdout.flush()
        return 0
    except Failure as e:
        print(f"vsim-plot: {e}", file=sys.stderr)
        if str(e) == "nothing to do":
            print(SYNOPSIS, file=sys.stderr)
        return e.code
    except ModuleNotFoundError as e:
        name = (e.name or "").split(".")[0]
        if name not in PACKAGES:
            raise
        print(f"vsim-plot: Python has no {name}: apt-get install python3-{name}, or "
              f"pip install {name}", file=sys.stderr)
        return MACHINE
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        print("vsim-plot: out of memory; --region or --id draws less", file=sys.stderr)
        return MACHINE
    except OSError as e:
        print(f"vsim-plot: {e.filename or 'stdout'}: {e.strerror or e}",
              file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return MACHINE if e.errno else INPUT
    except Exception as e:  # not foreseen by any check
        print(f"vsim-plot: cannot draw this ({place_of(e.__traceback__)}: "
              f"{type(e).__name__}: {e}); vsim-verify FILE says whether its records "
              "are whole", file=sys.stderr)
        return INPUT
