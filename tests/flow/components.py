# SPDX-License-Identifier: BSD-3-Clause
# Reference for connected components and degrees: from lines "row row [row]" and a
# file of rows and names, by walking from each vector.
import sys

ids = dict(line.split() for line in open(sys.argv[1]))
edges = {tuple(line.split()) for line in sys.stdin}
near = {}
degree = {}
for edge in edges:
    for v in edge:
        degree[v] = degree.get(v, 0) + 1
        near.setdefault(v, set()).update(edge)
part = {}
for v in sorted(near, key=int):
    if v in part:
        continue
    part[v] = v
    todo = [v]
    while todo:
        for w in near[todo.pop()]:
            if w not in part:
                part[w] = v
                todo.append(w)
members = {}
for v, root in part.items():
    members.setdefault(root, []).append(v)
order = sorted(members.values(), key=lambda m: (-len(m), min(map(int, m))))
if sys.argv[2] == "degrees":
    print("row", "id", "degree", sep="\t")
    for v in sorted(near, key=int):
        print(v, ids[v], degree[v], sep="\t")
else:
    print("row", "id", "degree", "component", "size", sep="\t")
    for k, m in enumerate(order):
        for v in sorted(m, key=int):
            print(v, ids[v], degree[v], k + 1, len(m), sep="\t")
