# SPDX-License-Identifier: BSD-3-Clause
"""List what an SVG shows, one item per line:

    picture.py texts FILE         its texts
    picture.py shapes ID FILE     colour and tooltip of each shape of the group ID
    picture.py pixels ID FILE     rows and columns of the image ID, and the number of
                                  its pixels of each colour, by colour
    picture.py compare A B PART   exit 1 where PNG files differ in more than PART of
                                  the grey levels of all pixels, or in size
"""
import base64
import io
import re
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"


def group(root, name):
    found = [g for g in root.iter() if g.get("id") == name]
    if len(found) != 1:
        sys.exit(f"picture.py: {len(found)} elements with the id {name}")
    return found[0]


def colour(style):
    found = re.search(r"(?:^|;)\s*fill:\s*([^;]+)", style or "")
    stroke = re.search(r"stroke:\s*([^;]+)", style or "")
    return found.group(1).strip() if found and found.group(1).strip() != "none" else (
        stroke.group(1).strip() if stroke else "")


def shapes(root, name):
    """Shapes that a group draws, without its definitions."""
    for parent in group(root, name).iter():
        if parent.tag == SVG + "defs":
            continue
        for x in parent:
            if x.tag in (SVG + "path", SVG + "use") and parent.tag != SVG + "defs":
                if parent.tag == SVG + "clipPath":
                    continue
                title = x.find(SVG + "title")
                yield colour(x.get("style") or parent.get("style")), \
                    title.text if title is not None else ""


def pixels(root, name):
    import numpy as np
    from PIL import Image
    image = group(root, name)
    image = image if image.tag == SVG + "image" else image.find(".//" + SVG + "image")
    data = image.get("{http://www.w3.org/1999/xlink}href").split(",", 1)[1]
    a = np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA"))
    a = a.reshape(-1, a.shape[1], 4)
    print(*a.shape[:2])
    seen, n = np.unique(a[a[..., 3] > 0], axis=0, return_counts=True)
    for c, k in zip(seen.tolist(), n.tolist()):
        print("#%02x%02x%02x" % tuple(c[:3]), k)


def compare(a, b, part):
    import numpy as np
    from matplotlib.image import imread
    a, b = (imread(x)[..., :3].mean(2) for x in (a, b))
    if a.shape != b.shape:
        sys.exit(f"picture.py: {a.shape} and {b.shape} pixels")
    differ = float(np.abs(a - b).mean())
    if differ > float(part):
        sys.exit(f"picture.py: grey levels differ by {differ:.4f} on average")


what = sys.argv[1]
if what == "compare":
    compare(*sys.argv[2:5])
    sys.exit()
root = tree.parse(sys.argv[-1]).getroot()
if what == "texts":
    for x in root.iter(SVG + "text"):
        print("".join(x.itertext()).strip())
elif what == "shapes":
    for line in shapes(root, sys.argv[2]):
        print(*line)
else:
    pixels(root, sys.argv[2])
