#!/usr/bin/env python3
"""Prints the rows of the specification against the modes and commands in which tests show them through the program.

    .ci/grid.py NOTES       NOTES: the lines that tests wrote to the file in MUYBRIDGE_GRID

A row that no test shows through the program says where its tests are instead: `studio` (clicks), `files`, or `library`.
"""
import collections
import pathlib
import re
import sys

ROWS = [f"{letter}{number}" for letter, count in zip("RHJSZ", (29, 25, 44, 37, 27)) for number in range(1, count + 1)]
COLUMNS = ["shake", "xpbd", "jakobsen", "rosen", "multipliers", "displacement", "hennix", "check", "fix"]
PLACES = {"studio": "muybridge_studio", "files": "muybridge_files", "library": "muybridge"}


def elsewhere():
    """Where the tests named after each row are."""
    found = collections.defaultdict(set)
    for file in pathlib.Path("crates").rglob("*.rs"):
        place = next((place for place, crate in PLACES.items() if file.parts[1] == crate), None)
        for name in re.findall(r"#\[test\][^{]*?fn (\w+)", file.read_text()) if place else ():
            for word in name.split("_"):
                if not re.fullmatch(r"[rhjsz]\d+", word):
                    break
                found[word.upper()].add(place)
    return found


def main():
    shown = collections.defaultdict(set)
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        row, column = line.split(" ", 1)
        shown[row].add(column if column in COLUMNS else "other")
    columns = COLUMNS + ["other"]
    tests = elsewhere()
    print("row  " + " ".join(columns))
    for row in ROWS:
        cells = " ".join(("x" if column in shown[row] else ".").center(len(column)) for column in columns)
        place = next((place for place in PLACES if place in tests[row]), "nowhere")
        print(f"{row:4} {cells}  " + ("" if shown[row] else place))
    by_program = sum(1 for row in ROWS if shown[row])
    by_click = sum(1 for row in ROWS if not shown[row] and "studio" in tests[row])
    print(f"{by_program} of {len(ROWS)} rows through the program, {by_click} more in the studio alone")


main()
