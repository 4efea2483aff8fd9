# SPDX-License-Identifier: BSD-3-Clause
"""Report of a result: one HTML page with question, counts, figures and records."""
from __future__ import annotations

import html
import importlib
import re
import shlex
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np
import vsim

from plot import data, style as look
from plot.methods import METHODS, WESTFALL, Method
from plot.options import Failure
from plot.strongest import Table, table_of, without_paths
from plot.style import Style, Tips, count, metric_name, plural, question, saved

ROWS = 100
e = html.escape


# ---- sentences ---------------------------------------------------------------

def n_compared(source: data.Source) -> int:
    stated = int(source.run.get("filtered_pairs", 0))
    n = source.result.n_vectors
    every = n * (n - 1) // 2 * (n - 2) // 3 if source.way == 3 else n * (n - 1) // 2
    return stated or every


def percent(part: float, of: float) -> str:
    share = 100 * part / max(of, 1)
    return f"{share:.2g} %" if share < 99.5 else f"{share:.1f} %"


class Totals(NamedTuple):
    records: int
    sets: int      # pairs or triples with a record, whatever their cells
    variants: int  # with a record
    least: float
    most: float


def totals(source: data.Source) -> Totals:
    seen, n = np.zeros(len(source.sites), bool), 0
    lo, hi = np.inf, -np.inf
    for part in source.blocks(both=False):
        value = part.value[part.mask]
        seen[part.end[:, part.mask]] = True
        n += len(value)
        lo, hi = min(lo, value.min(initial=np.inf)), max(hi, value.max(initial=-np.inf))
    return Totals(n, sum(end.shape[1] for end in source.sets()), int(seen.sum()), lo, hi)


def answer(source: data.Source, sets: int) -> str:
    """A sentence with the number of pairs that have a record."""
    what = "triples" if source.way == 3 else "pairs"
    of = n_compared(source)
    picked = str(source.run.get("selection", ""))
    if source.chosen:
        return (f"{count(sets)} {what} with a variant of those chosen have "
                f"{question(source.run)}.")
    if picked and float(source.run["threshold"]) == 0:
        return (f"{count(sets)} of {count(of)} {what} are listed ({picked}), "
                f"ranked by {metric_name(source.metric)}.")
    return (f"{count(sets)} of {count(of)} {what} ({percent(sets, of)}) have "
            f"{question(source.run)}.")


MISSING = {"none": "no call is missing", "skip": "samples with a missing call are left "
           "out, pair by pair", "zero": "missing numbers count as zero"}


def data_rows(source: data.Source) -> List[Tuple[str, str]]:
    run = source.run
    names = source.unit().capitalize()
    rows = [(names, count(source.result.n_vectors)),
            ("Samples" if names == "Variants" else "Columns",
             count(source.result.n_fields))]
    rows += case_rows(source)
    picked = filters(source)
    rows += [("Filters", picked)] if picked else []
    rows.append(("Missing", MISSING.get(str(run.get("missing")), str(run.get("missing")))))
    if run.get("pair_filter"):
        rows.append(("Pairs", filter_words(str(run["pair_filter"]))))
    if run.get("min_joint"):
        rows.append(("Least samples", f"{count(int(run['min_joint']))} called in all"))
    if "region" in source.options or "id" in source.options:
        picked = [source.options[k] for k in ("region", "id") if k in source.options]
        rows.append(("Shown", ", ".join(str(p) for p in picked)))
    sources = source.result.file.get("sources/name")
    if sources is not None and len(sources):
        files = [without_paths(look_name(x)) for x in sources[...]]
        rows.append(("Input", ", ".join(dict.fromkeys(files))))
    return rows


def look_name(x: Any) -> str:
    return x.decode("utf-8", "replace") if isinstance(x, bytes) else str(x)


def filter_words(words: str) -> str:
    said = {"min_kb": "at least {} kb apart", "max_kb": "at most {} kb apart",
            "max_sites": "at most {} variants apart",
            "within_chromosome": "within a chromosome",
            "inter_chromosome": "of two chromosomes"}
    out, rest = [], iter(words.split())
    for word in rest:
        phrase = said.get(word, word)
        out.append(phrase.format(next(rest, "")) if "{}" in phrase else phrase)
    return ", ".join(out)


# options that drop samples or sites, and whether an argument follows
FILTERS = {"maf": True, "max-missing": True, "drop-monomorphic": False, "keep": True,
           "remove": True, "keep-founders": False, "extract": True, "exclude": True,
           "chr": True, "from-kb": True, "to-kb": True}


def filters(source: data.Source) -> str:
    """Filters in the commands of the input: maf 0.05, chr 1-22."""
    said: List[str] = []
    for step in steps(source):
        try:
            words = shlex.split(step.get("command", ""))
        except ValueError:
            continue
        for k, word in enumerate(words):
            name, equals, value = word.partition("=")
            if not name.startswith("--") or name[2:] not in FILTERS:
                continue
            if FILTERS[name[2:]] and not equals:
                value = words[k + 1] if k + 1 < len(words) else ""
            said.append(f"{name[2:]} {without_paths(value)}".strip())
    return ", ".join(dict.fromkeys(said))


def case_rows(source: data.Source) -> List[Tuple[str, str]]:
    if source.metric not in data.ASSOCIATION:
        return []
    path = data.find_vectors(source.result, source.options.get("vectors"))
    if not path:
        return []
    with data.opened(vsim.Vectors, path) as x:
        if "case" not in x.file["samples"]:
            return []
        case = x.file["samples/case"][...]
    return [("Cases, controls", f"{count(int((case == 1).sum()))}, "
             f"{count(int((case == 0).sum()))}")]


def count_rows(source: data.Source, n: Totals) -> List[Tuple[str, str]]:
    what = "Triples" if source.way == 3 else "Pairs"
    rows = [(f"{what} compared", count(n_compared(source))),
            (f"{what} with a record", count(n.sets)),
            ("Records", count(n.records))]
    if n.records:
        rows.append((f"{source.unit().capitalize()} with a record", count(n.variants)))
        rows.append(("Values", f"{look.short(n.least)} to {look.short(n.most)}"))
    if source.run.get("permutations"):
        rows.append(("Permutations", count(int(source.run["permutations"]))))
    return rows


# ---- figures -----------------------------------------------------------------

CAPTIONS = {
    "ld": "A cell for each pair, coloured by its value.",
    "decay": "Values by distance. Quantiles are shown where they are above the threshold.",
    "manhattan": "The least p of the records of each variant. The dashed line is "
                 "Bonferroni's 5 % of all tests.",
    "degree": "How many records each variant has.",
    "network": "Clusters of the strongest records. A number counts those of a set "
               "that are all joined with each other.",
    "histogram": "How the values are distributed.",
}
MOST_LD = 3000


def kinds_of(source: data.Source) -> List[str]:
    placed = bool(source.sites.placed.any())
    kinds = []
    if source.metric in data.ASSOCIATION:
        kinds += ["manhattan"] if placed else []
    elif source.way == 2 and 1 < int(source.keep.sum()) <= MOST_LD:
        kinds.append("ld")
    if source.way == 2 and placed and source.metric in ("r2", "ccc", "duo"):
        kinds.append("decay")
    kinds += ["degree"] if placed else []
    return kinds + ["network", "histogram"]


def own_ids(svg: str, name: str) -> str:
    """Prefix the ids of an SVG, so that one page can hold several."""
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(xlink:href="#)', rf"\g<1>{name}-", svg)
    return svg.replace("url(#", f"url(#{name}-")


COLOURS = (("ink", look.INK), ("muted", look.MUTED), ("paper", look.PAPER),
           ("line", look.LINE), ("accent", look.ACCENT), ("second", look.SECOND),
           ("warm", look.WARM))


def figure(source: data.Source, kind: str, number: int) -> str:
    """A figure in the colours of the page; empty if it cannot be drawn."""
    options = {k: v for k, v in source.options.items() if k in ("palette", "genes",
                                                                 "blocks", "scale", "cell")}
    style, tips = Style(options), Tips()
    try:
        module = importlib.import_module(f"plot.{kind}")
        drawn, title = module.draw(source, style, tips)
    except Failure:
        return ""
    svg = saved(drawn, "svg", style, tips, title).decode()
    svg = svg[svg.index("<svg"):]
    for name, colour in COLOURS:
        svg = svg.replace(colour["light"], f"var(--{name})")
    return (f'<figure id="{kind}"><div class="scroll">{own_ids(svg, f"f{number}")}</div>'
            f"<figcaption>Figure {number}. {e(CAPTIONS[kind])}</figcaption></figure>")


def figures(source: data.Source) -> str:
    parts: List[str] = []
    for kind in kinds_of(source):
        drawn = figure(source, kind, len(parts) + 1)
        parts += [drawn] if drawn else []
    return "\n".join(parts)


# ---- records -----------------------------------------------------------------

RS = re.compile(r"rs\d+$")
NUMBER = re.compile(r"-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$", re.IGNORECASE)
HEADS = {"inter_df": "df", "inter_p": "p", "p_permuted": "p permuted",
         "p_family": "p family"}


def six(text: str) -> str:
    """A number in six significant digits; other text as it is."""
    if NUMBER.match(text) and not text.lstrip("-").isdigit():
        return f"{float(text):.6g}"
    return text


def cell(column: str, text: str) -> str:
    text = data.clean(text)
    if column.startswith("pos") and text == "0":
        text = "."
    if column.startswith("id") and RS.match(text):
        return (f'<td><a href="https://www.ncbi.nlm.nih.gov/snp/{text}">{text}</a> '
                f'<a class="more" href="https://www.ensembl.org/Multi/Search/Results?q='
                f'{text}">Ensembl</a></td>')
    if NUMBER.match(text) and not column.startswith(("id", "chrom", "allele")):
        return f'<td class="number" data-v="{e(text)}">{six(text)}</td>'
    if column in ("controls", "cases"):
        return f'<td class="cells">{e(text.replace(",", " "))}</td>'
    return f"<td>{e(text)}</td>"


def records_table(table: Table) -> str:
    if not table.rows:
        return "<p>There are none.</p>"
    heads = "".join(f'<th scope="col"><button type="button">{e(HEADS.get(c, c))}'
                    "</button></th>" for c in table.columns)
    body = "\n".join("<tr>" + "".join(cell(c, x) for c, x in zip(table.columns, row))
                     + "</tr>" for row in table.rows)
    note = f"<p>{e(table.note)}</p>" if table.note else ""
    return (f'{note}<p><label>Search <input id="search" type="search"></label> '
            f'<span id="found" aria-live="polite"></span></p>'
            f'<div class="scroll"><table id="records"><thead><tr>{heads}</tr></thead>'
            f"<tbody>\n{body}\n</tbody></table></div>")


# ---- how it was made ---------------------------------------------------------

def steps(source: data.Source) -> List[Dict[str, str]]:
    group = source.result.file.get("provenance")
    if group is None:
        return []
    names = ("tool", "version", "command", "started", "finished", "host")
    columns = {n: [look_name(x) for x in group[n][...]] for n in names if n in group}
    return [dict(zip(columns, row)) for row in zip(*columns.values())]


def commands(source: data.Source) -> str:
    """Each command once, without directories of this machine."""
    said = [without_paths(s["command"]) for s in steps(source)]
    said = [c for c in dict.fromkeys(said) if c]
    return "<pre>" + "\n".join(e(data.clean(c)) for c in said) + "</pre>" if said else ""


def made_rows(source: data.Source) -> List[Tuple[str, str]]:
    attrs = source.result.file.attrs
    rows = [("Written by", without_paths(look_name(attrs.get("generator", "")))),
            ("Content digest", look_name(attrs.get("content_xxh128", ""))),
            ("Vectors file", str(source.run.get("vectors_content", "")))]
    if source.run.get("compute"):
        rows.append(("Kernel", str(source.run["compute"])))
    done = steps(source)
    if done and done[-1].get("finished"):
        rows.append(("Finished", done[-1]["finished"]))
    hosts = list(dict.fromkeys(s.get("host", "") for s in done))
    if not source.options.get("no-host") and any(hosts):
        rows.append(("Host", ", ".join(h for h in hosts if h)))
    return [(name, value) for name, value in rows if value]


def pairs(rows: List[Tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{e(a)}</dt><dd>{e(data.clean(b))}</dd>"
                            for a, b in rows) + "</dl>"


# ---- the page ----------------------------------------------------------------

def variables(theme: str) -> str:
    return " ".join(f"--{name}: {colour[theme]};" for name, colour in COLOURS)


CSS = """
:root { color-scheme: light dark; LIGHT --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { DARK --link: #8ab8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 60rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.5rem; line-height: 1.25; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.lead { font-size: 1.1rem; } a { color: var(--link); } .more { font-size: .8em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; }
dt { color: var(--muted); } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
figure { margin: 1.5rem 0; } figcaption { color: var(--muted); font-size: .9rem; }
.scroll { overflow-x: auto; } figure svg { width: 100%; min-width: 42rem; height: auto; }
table { border-collapse: collapse; font-size: .85rem; }
th, td { text-align: left; padding: .2rem .6rem .2rem 0; white-space: nowrap;
  border-bottom: 1px solid var(--line); } .number { text-align: right; }
.number { font-variant-numeric: tabular-nums; } .cells { font-size: .75rem; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible, input:focus-visible { outline: 2px solid var(--link); }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
input { font: inherit; color: inherit; background: var(--paper); padding: .2rem .4rem;
  border: 1px solid var(--muted); border-radius: 4px; max-width: 100%; }
pre { overflow-x: auto; padding: .6rem; border: 1px solid var(--line);
  border-radius: 4px; font-size: .85rem; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dt { margin-top: .4rem; } }
@media print { .more, label { display: none; } body { max-width: none; } }
"""

SCRIPT = """
(function () {
  var table = document.getElementById("records"), box = document.getElementById("search");
  if (!table) return;
  var body = table.tBodies[0], rows = Array.from(body.rows);
  var heads = Array.from(table.tHead.rows[0].cells);
  function value(row, k) {
    var cell = row.cells[k], v = cell.dataset.v;
    return v === undefined ? cell.textContent : parseFloat(v);
  }
  function compare(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
    return a.localeCompare(b, undefined, { numeric: true });
  }
  heads.forEach(function (head, k) {
    head.querySelector("button").addEventListener("click", function () {
      var up = head.getAttribute("aria-sort") === "descending";
      heads.forEach(function (h) { h.removeAttribute("aria-sort"); });
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      rows.sort(function (a, b) {
        return (up ? 1 : -1) * compare(value(a, k), value(b, k));
      });
      rows.forEach(function (row) { body.appendChild(row); });
    });
  });
  box.addEventListener("input", function () {
    var word = box.value.toLowerCase(), n = 0;
    rows.forEach(function (row) {
      row.hidden = row.textContent.toLowerCase().indexOf(word) < 0;
      n += row.hidden ? 0 : 1;
    });
    document.getElementById("found").textContent = n + " of " + rows.length + " records";
  });
})();
"""


def method_words(source: data.Source, method: Method) -> str:
    words = f"<p>{e(metric_name(source.metric))}: {e(method.formula)}.</p>"
    cites = [method.cite] if method.cite else []
    if source.metric in data.ASSOCIATION:
        words += ("<p>p permuted is for G, the association of the whole table of "
                  "genotypes with status: the share of 1,000 tables with permuted status "
                  "and the observed one whose G is at least as large.</p>")
    if source.run.get("permutations"):
        words += ("<p>p family is the share of searches, of permuted data and of the data "
                  "themselves, whose strongest value is at least as strong.</p>")
        cites.append(WESTFALL)
    return words + "".join(f"<p><cite>{e(c)}</cite></p>" for c in cites)


def page(path: str, options: Dict[str, Any]) -> str:
    source = data.Source(path, options)
    method = METHODS.get(source.metric, Method("Which records are the strongest?", "", ""))
    n = totals(source)
    name = options.get("title") or method.question
    table = table_of(source, int(options.get("top", ROWS)))
    css = CSS.replace("LIGHT", variables("light")).replace("DARK", variables("dark"))
    sections = [
        ("Data", pairs(data_rows(source))),
        ("Method", method_words(source, method)),
        ("Counts", pairs(count_rows(source, n))),
        ("Figures", figures(source)),
        ("Strongest records", records_table(table)),
        ("Commands", commands(source)),
        ("Versions", pairs(made_rows(source)))]
    body = "\n".join(f'<section aria-labelledby="s{k}"><h2 id="s{k}">{title}</h2>\n{text}'
                     "</section>" for k, (title, text) in enumerate(sections) if text)
    return ("<!DOCTYPE html>\n"
            '<html lang="en"><head><meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{e(data.clean(name))}</title>\n<style>{css}</style></head>\n<body>\n"
            f"<main><h1>{e(data.clean(name))}</h1>\n"
            f'<p class="lead">{e(answer(source, n.sets))}</p>\n{body}\n</main>\n'
            f"<script>{SCRIPT}</script>\n</body></html>\n")
