# SPDX-License-Identifier: BSD-3-Clause
"""What a picture says, read back from the SVG by its axes.

usage: picture.py shape FILE   counts of elements and every text, a line each
       picture.py bars FILE    left end, right end and height of each bar, or ends
                               alone of those of a class, bars FILE CLASS
       picture.py steps FILE   class, left end, right end and height of steps
       picture.py ticks FILE   x and y: values at the ticks
       picture.py cells FILE   row, column and level of grey of the cells of a
                               triangle; 0: the lightest of 10
       picture.py dots FILE    x and y of each dot
       picture.py graph FILE   nodes, edges, and the number of nodes of each
                               component, the largest first
       picture.py curves FILE  number of the curve, x and y of its corners
       picture.py same A B     differences: other elements, attributes or text, or
                               coordinates that are more than a pixel apart
       picture.py page FILE    "figures N" of a page of HTML that is well formed
"""
import collections
import html.parser
import itertools
import math
import re
import sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
UNIT = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}


def load(path):
    return ET.parse(path).getroot()


def value(text):
    m = re.fullmatch(r"(-?[0-9.]+(?:e[-+]?[0-9]+)?)([kMGTPE]?)", text)
    return float(m[1]) * UNIT[m[2]] if m else None


class Axis:
    """Of the ticks of a group: pixel to value, and back."""

    def __init__(self, root, name, number=0):
        group = [g for g in root.iter(SVG + "g") if g.get("class") == name][number]
        along = "x" if name == "x-axis" else "y"
        across = "y" if along == "x" else "x"
        marks, labels = [], []
        for e in group:
            if e.tag == SVG + "line":
                length = abs(float(e.get(across + "1")) - float(e.get(across + "2")))
                if e.get(along + "1") == e.get(along + "2") and length == 5:
                    marks.append(float(e.get(along + "1")))
            elif e.tag == SVG + "text" and value(e.text) is not None:
                labels.append(value(e.text))
        assert len(marks) == len(labels) >= 2, (marks, labels)
        self.ticks = labels
        steps = [b - a for a, b in zip(labels, labels[1:])]
        self.log = max(steps) > 1.5 * min(steps)
        f = math.log if self.log else float
        a, b = f(labels[0]), f(labels[-1])
        self.scale = (b - a) / (marks[-1] - marks[0])
        self.at, self.a = marks[0], a

    def __call__(self, pixel):
        x = self.a + (pixel - self.at) * self.scale
        return math.exp(x) if self.log else x


def numbers(d):
    return [(c, [float(x) for x in re.findall(r"-?[0-9]*\.?[0-9]+", v)])
            for c, v in re.findall(r"([a-zA-Z])([^a-zA-Z]*)", d)]


def rects(d):
    """x, y, width, height of each."""
    part = numbers(d)
    for k, (c, v) in enumerate(part):
        if c == "M" and part[k + 1][0] == "h":
            yield v[0], v[1], part[k + 1][1][0], part[k + 2][1][0]


def bars(root):
    x, y = Axis(root, "x-axis"), Axis(root, "y-axis")
    for p in root.iter(SVG + "path"):
        if p.get("class") == "bars":
            for left, top, width, _ in rects(p.get("d")):
                yield x(left), x(left + width), y(top)


def ends(root, name):
    x = Axis(root, "x-axis")
    for p in root.iter(SVG + "path"):
        if p.get("class") == name:
            for left, _, width, _ in rects(p.get("d")):
                yield x(left), x(left + width)


def steps(root):
    x, y = Axis(root, "x-axis"), Axis(root, "y-axis")
    paths = [p for p in root.iter(SVG + "path") if p.get("class") == "class"]
    for k, p in enumerate(paths):
        at = [v for c, v in numbers(p.get("d"))]
        for a, b in zip(at, at[1:]):
            if a[1] == b[1]:
                yield k, x(a[0]), x(b[0]), y(a[1])


def cells(root):
    for g in root.iter(SVG + "g"):
        if g.get("class") != "cells":
            continue
        for p in g:
            tone = int(p.get("fill")[1:3], 16)
            level = round((0xD0 - tone) * 9 / 0xD0)
            for x, y, width, _ in rects(p.get("d")):
                for j in range(int(x), int(x + width)):
                    yield int(y), j, level


def dots(root):
    x, y = Axis(root, "x-axis"), Axis(root, "y-axis")
    for p in root.iter(SVG + "path"):
        if p.get("class") == "dots":
            for c, v in numbers(p.get("d")):
                if c == "M":
                    yield x(v[0]), y(v[1])


def curves(root):
    x = Axis(root, "x-axis")
    paths = [p for p in root.iter(SVG + "path") if p.get("class") == "curve"]
    for k, p in enumerate(paths):
        y = Axis(root, "y-axis", k)
        for _, v in numbers(p.get("d")):
            yield k, x(v[0]), y(v[1])


NUMBER = re.compile(r"-?[0-9]*\.?[0-9]+")
PLACES = {"x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "width", "height",
          "d", "transform", "viewBox"}


def apart_by(name, a, b):
    """Whether two texts of an attribute are not of one picture."""
    if name not in PLACES or a is None or b is None:
        return a != b
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return True
    return any(abs(float(p) - float(q)) > 1
               for p, q in zip(NUMBER.findall(a), NUMBER.findall(b)))


def differences(a, b):
    for k, (e, f) in enumerate(itertools.zip_longest(a.iter(), b.iter())):
        if e is None or f is None or e.tag != f.tag:
            yield f"element {k}: {e} and {f}"
            return
        for name in sorted({*e.attrib, *f.attrib}):
            if apart_by(name, e.get(name), f.get(name)):
                yield (f"element {k}, {e.tag.replace(SVG, '')} {name}: "
                       f"{e.get(name)} and {f.get(name)}")
        if (e.text or "").strip() != (f.text or "").strip():
            yield f"element {k}: {e.text} and {f.text}"


def graph(root):
    at = {(e.get("cx"), e.get("cy")): k
          for k, e in enumerate(root.iter(SVG + "circle"))}
    parent = list(range(len(at)))

    def find(v):
        while parent[v] != v:
            v = parent[v]
        return v

    n = 0
    for p in root.iter(SVG + "path"):
        if p.get("class") != "edges":
            continue
        for m in re.finditer(r"M(\S+) (\S+?)L(\S+) ([0-9.]+)", p.get("d")):
            a, b = at[m[1], m[2]], at[m[3], m[4]]
            parent[find(a)] = find(b)
            n += 1
    size = collections.Counter(find(v) for v in range(len(at)))
    apart([[c for c, k in at.items() if find(k) == root] for root in size])
    return len(at), n, *sorted(size.values(), reverse=True)


def apart(components):
    """Each component has a part of the picture of its own."""
    box = []
    for points in components:
        x, y = ([float(v) for v in of] for of in zip(*points))
        box.append((min(x), max(x), min(y), max(y)))
    for a, b in itertools.combinations(box, 2):
        assert (a[1] < b[0] or b[1] < a[0] or a[3] < b[2] or
                b[3] < a[2]), (a, b)


class Page(html.parser.HTMLParser):
    EMPTY = {"meta", "br", "hr", "img", "link"}

    def __init__(self):
        super().__init__()
        self.open, self.n = [], collections.Counter()

    def handle_starttag(self, tag, attrs):
        self.n[tag] += 1
        for name, v in attrs:
            assert name not in ("src", "href"), (tag, name, v)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.n[tag] += 1

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, tag


def main(what, path, other=None):
    if what == "same":
        found = list(differences(load(path), load(other)))
        print(*found, sep="\n", end="\n" if found else "")
        sys.exit(bool(found))
    if what == "page":
        text = open(path, encoding="utf-8").read()
        page = Page()
        page.feed(text)
        page.close()
        assert not page.open and text.startswith("<!DOCTYPE html>")
        assert page.n["title"] >= 1 and page.n["body"] == 1
        assert not re.search(r"(url\(|@import|<script)", text)
        print("figures", page.n["figure"])
        return
    root = load(path)
    if what == "shape":
        n = collections.Counter(e.tag.replace(SVG, "") for e in root.iter())
        for tag in sorted(n):
            print(tag, n[tag])
        for e in root.iter(SVG + "text"):
            print("text:", "".join(e.itertext()))
    elif what == "bars" and other:
        for lo, hi in ends(root, other):
            print(f"{lo:.6g} {hi:.6g}")
    elif what == "bars":
        for lo, hi, n in bars(root):
            print(f"{lo:.6g} {hi:.6g} {n:.6g}")
    elif what == "steps":
        for k, lo, hi, n in steps(root):
            print(f"{k} {lo:.6g} {hi:.6g} {n:.6g}")
    elif what == "cells":
        for cell in sorted(cells(root)):
            print(*cell)
    elif what == "dots":
        for x, y in sorted(dots(root)):
            print(f"{x:.2f} {y:.4g}")
    elif what == "curves":
        for k, px, py in curves(root):
            print(f"{k} {px:.6g} {py:.6g}")
    elif what == "graph":
        print(*graph(root))
    elif what == "ticks":
        for name in ("x-axis", "y-axis"):
            print(name[0], *(f"{t:.6g}" for t in Axis(root, name).ticks))


main(*sys.argv[1:])
