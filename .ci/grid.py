#!/usr/bin/env python3
"""Prints the rows of the specification against the modes and commands in which tests show them through the program.

    .ci/grid.py NOTES       NOTES: the lines that tests wrote to the file in MUYBRIDGE_GRID

A row that no test shows through the program says where its tests are instead: `studio` (clicks), `files`, or `library`. An `o`
is a mode that has what the row is about, but not to its number; the reason is printed below. Elsewhere an empty cell is a mode
without it, or without a test of it. Exit code 1 if a cell with a reason is shown.
"""
import collections
import pathlib
import re
import sys

ROWS = [f"{letter}{number}" for letter, count in zip("RHJSZ", (29, 25, 44, 37, 27)) for number in range(1, count + 1)]
COLUMNS = ["shake", "xpbd", "jakobsen", "rosen", "multipliers", "displacement", "hennix", "check", "fix"]
PARTICLES = COLUMNS[:4]
REASONS = [
    (["R4", "J8"], ["shake"], "one application is one Newton step along the direction before it: exact after some, not after one"),
    (["Z9", "Z11"], [*PARTICLES, "displacement"], "5.4 of the specification: exact with the integrator ziauddin, by which these do not step, else of second order"),
    (["S19"], ["fix"], "section 10 makes it a figure of a benchmark: 21 us a frame by `cargo bench --bench spin`; the studio tests what it is for"),
]
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
    tests, missed = elsewhere(), collections.defaultdict(set)
    for rows, of, _ in REASONS:
        for row in rows:
            missed[row].update(of)
    print("row  " + " ".join(columns))
    for row in ROWS:
        mark = lambda column: "x" if column in shown[row] else "o" if column in missed[row] else "."
        cells = " ".join(mark(column).center(len(column)) for column in columns)
        place = next((place for place in PLACES if place in tests[row]), "nowhere")
        print(f"{row:4} {cells}  " + ("" if shown[row] else place))
    by_program = sum(1 for row in ROWS if shown[row])
    by_click = sum(1 for row in ROWS if not shown[row] and "studio" in tests[row])
    for rows, of, reason in REASONS:
        print(f"o {', '.join(rows)} in {', '.join(of)}: {reason}")
    print(f"{by_program} of {len(ROWS)} rows through the program, {by_click} more in the studio alone")
    mended = [f"{row} in {column}" for row in ROWS for column in sorted(missed[row] & shown[row])]
    if mended:
        sys.exit(f"grid.py gives a reason why these are not shown: {', '.join(mended)}")


main()
