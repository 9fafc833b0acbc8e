"""Writes small copies of PNG pictures into a folder: 256 colors each, half as wide if wider than 1600 pixels.

    python3 .ci/small_pictures.py FOLDER PICTURE ...

A picture that is not there is named, and the copy in the folder stays as it is. Needs Pillow (`pip install pillow`).
"""

import sys
from pathlib import Path

try:
    from PIL import Image
except ImportError:
    sys.exit("small_pictures.py needs Pillow: pip install pillow")

WIDEST = 1600
COLORS = 256

folder, *pictures = sys.argv[1:]
for path in map(Path, pictures):
    copy = Path(folder) / path.name
    if not path.exists():
        print(f"{path} was not drawn; {copy} stays as it is", file=sys.stderr)
        continue
    picture = Image.open(path).convert("RGB")
    if picture.width > WIDEST:
        picture = picture.reduce(2)
    # Rare colors stay as they are: thin lines and markers are what a picture is about.
    small = picture.quantize(COLORS, method=Image.Quantize.MAXCOVERAGE, kmeans=1, dither=Image.Dither.NONE)
    small.save(copy, optimize=True)
    print(f"{copy}: {picture.width} × {picture.height}, {copy.stat().st_size // 1000} kB")
