# SPDX-License-Identifier: BSD-3-Clause
"""Print a proof of a margin, *.gappa, with the constants of the C source.

usage: margins.py SCRIPT [NAME=VALUE]

Comments of the script tie it to the source, from the top folder:
    #in FILE      a source
    #| CODE       a statement that it must have, spaces apart; <NAME> is a
                  constant, which the script then knows by that name
    #fails NAME=VALUE   a lesser margin, of which no proof is to be found
NAME=VALUE stands in the place of the source's.
"""
import re
import sys


def constant(text):
    """a constant of C as gappa writes it"""
    text = re.sub(r"(?<![\w.])(0x[\dA-Fa-f.]+p[+-]?\d+|[\d.]+(?:e-?\d+)?)[fF]?\b", r"\1", text)
    return re.sub(r"\(?\b(\d+) << (\d+)\)?", r"\1b\2", text)


def pattern(code):
    """a regular expression for a statement"""
    parts = re.split(r"<([A-Z]+)>", code)
    text = [r"\s*".join(map(re.escape, re.findall(r"\w+|\S", p))) for p in parts[::2]]
    names = [r"\s*(?P<%s>[^;,]+?)\s*" % name for name in parts[1::2]]
    if not text[-1] and names:
        names[-1] += "$"
    return "".join(a + b for a, b in zip(text, names + [""]))


def constants(script):
    """by name, of the sources that the script names"""
    found, source, path = {}, "", ""
    for line in script.splitlines():
        if line.startswith("#in "):
            path = line[4:].strip()
            with open(path, encoding="utf-8") as file:
                source = file.read()
        elif line.startswith("#| "):
            matches = list(re.finditer(pattern(line[3:]), source, re.M))
            if not matches:
                sys.exit(f"{path}: no longer has: {line[3:]}")
            for name, value in [x for m in matches for x in m.groupdict().items()]:
                value = constant(value)
                if found.setdefault(name, value) != value:
                    sys.exit(f"{path}: {name} is {value}, elsewhere {found[name]}")
    return found


with open(sys.argv[1], encoding="utf-8") as file:
    proof = file.read()
known = constants(proof)
for other in sys.argv[2:]:
    at, value = other.split("=")
    if at not in known:
        sys.exit(f"{sys.argv[1]}: no constant {at}")
    known[at] = value
for at, value in known.items():
    print(f"{at} = {value};")
print(proof)
