#!/usr/bin/env python3
"""Prints the rows of the specification against the modes and commands in which tests show them through the program.

    .ci/grid.py NOTES       NOTES: the lines that tests wrote to the file in MUYBRIDGE_GRID

x   shown by a test, in f64
f   shown by a test in lanes of f32 alone: ragdolls and cloth of particles under shake, and herds
b   shown in both
o   the mode has what the row is about, but not to its number
-   the mode has nothing of the kind
    The reasons of both are printed below, after what is to be said of some rows that are shown.

A row that no test shows through the program says where its tests are instead: `studio` (clicks), `files`, or `library`. Exit
code 1 if a cell is empty without a reason, or if one with an `o` is shown.
"""
import collections
import pathlib
import re
import sys

COUNTS = {"R": 29, "H": 25, "J": 44, "S": 37, "Z": 27}
ROWS = [f"{letter}{number}" for letter, count in COUNTS.items() for number in range(1, count + 1)]
COLUMNS = ["shake", "xpbd", "jakobsen", "rosen", "multipliers", "displacement", "hennix", "check", "fix"]
PARTICLES, RIGID, CLIPS = COLUMNS[:4], COLUMNS[4:7], COLUMNS[7:]
WORLDS = PARTICLES + RIGID
PROJECTED = PARTICLES[1:]
REMARKS = [
    ("H18", PROJECTED, "a bounce of restitution 1 keeps the energy to 1e-6, as in shake, but what it turns loses some as it turns (3.9.2)"),
    ("H18", PARTICLES, "from a slab on the ground a ball comes back as from the ground, to 1e-6 in shake and 1e-3 in jakobsen; from one in a joint 1 to 8 % lower"),
]
FALLS_SHORT = [
    ("R4 J8", ["shake"], "one application is one Newton step along the direction before it: exact after some, not after one"),
    ("J11", ["rosen"], "averaged, one pass stretches such a cloth by half"),
    ("J24 J30", ["rosen"], "averaged, 20 passes leave 2e-4, and 10 of them a knee 0.8 degrees over"),
    ("H2 H3 H23", PARTICLES, "momenta are differences of places over a substep: to 1e-9, and those of a top to 2e-6 by its sticks"),
    ("Z4", ["shake", "xpbd", "rosen"], "so is the spin at the start: to 3e-14"),
    ("Z5", ["jakobsen", "rosen"], "the step of Verlet damps the way of the step before (J2): g h / (1 - exp(-c h))"),
    ("Z6", PARTICLES, "an impulse is given before they move: 1 + 1/n times as far in n substeps"),
    ("Z10", PROJECTED, "sticks that are projected pull a body back that turns: 3e-5 rad, 6e-4 in jakobsen's one step"),
    ("Z16", PARTICLES, "sticks are still being closed: 5e-8 rad, 1e-5 kg m2/s"),
    ("Z9 Z11", PARTICLES, "5.4: exact with the integrator ziauddin, by which particles do not step, else of second order"),
    ("J39", ["shake"], "half of a Newton step for the square of the length: 60, 86.7, 93.8, 97.0, 98.5"),
    ("Z18", ["displacement"], "blocks leave such masses to the skeleton, whose rounding grows with them: 4e-10 at 1e10 kg, 2e-8 at 1e12"),
    ("Z19 Z21", ["hennix"], "by feedback a speed against a joint fades, but not within a step"),
    ("S19", ["fix"], "a figure of a benchmark: 21 us a frame by `cargo bench --bench spin`; the studio tests what it is for"),
]
ABSENT = [
    ("R1-R29 H1-H25 J1-J44 Z1-Z27", CLIPS, "is about worlds; check and fix read clips"),
    ("S1-S37", WORLDS, "is about clips, whatever made them"),
    ("S1-S37", ["check"], "is mended, not measured"),
    ("S1-S37", ["fix"], "is measured, not mended"),
    ("R3-R16 R24 R28 R29 J2-J5 J7-J22 J24-J27 J30 J35 J38-J41", RIGID, "is about points, their sticks, triangles and passes"),
    ("R22 R23", [*PARTICLES, "hennix"], "who stands and walks does so by multipliers or displacement, as the program says"),
    ("R25 R26 Z3", WORLDS, "is about a skin, the text of a scene or the angles of a clip, in no mode"),
    ("R27 J11 J43 J44", WORLDS, "names the mode that it is about: the default, or shake and jakobsen"),
    ("J12", ["shake"], "takes no roots, but Newton steps for the square of a length (R4)"),
    ("H7 Z19-Z21", PARTICLES, "has no universal joints, curves or masks, which the program refuses"),
    ("H8-H11 H13 H19 H20", WORLDS, "is about accelerations of joints, their feedback and integrators"),
    ("H12 H14-H16", PARTICLES, "is about moments, pairs and contacts of rigid bodies"),
    ("H21", PARTICLES, "all substeps of a flight are as long: hits and hanging weights set how many, no error of a step does"),
    ("Z1 Z2", PARTICLES, "is about the integrator ziauddin, of rigid bodies"),
    ("Z17 Z22 Z23 Z25", WORLDS, "is about displacement, which it compares with multipliers"),
]
PLACES = {"studio": "muybridge_studio", "files": "muybridge_files", "library": "muybridge"}


def cells(table):
    """Reasons by row and column; the first that fits."""
    found = {}
    for words, columns, reason in table:
        for word in words.split():
            first, _, last = word.partition("-")
            for number in range(int(first[1:]), int((last or first)[1:]) + 1):
                for column in columns:
                    found.setdefault((first[0] + str(number), column), reason)
    return found


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
    shown = collections.defaultdict(lambda: collections.defaultdict(set))
    for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
        row, column, precision = line.split()
        shown[row][column if column in COLUMNS else "other"].add(precision)
    columns = COLUMNS + ["other"]
    tests, short, absent = elsewhere(), cells(FALLS_SHORT), cells(ABSENT)
    empty = []

    def mark(row, column):
        if column in shown[row]:
            return {("f32",): "f", ("f64",): "x"}.get(tuple(shown[row][column]), "b")
        if column == "other":  # Not a mode: the other commands.
            return " "
        if (row, column) not in short and (row, column) not in absent:
            empty.append(f"{row} in {column}")
        return "o" if (row, column) in short else "-" if (row, column) in absent else "."

    print("row  " + " ".join(columns))
    for row in ROWS:
        marks = " ".join(mark(row, column).center(len(column)) for column in columns)
        place = next((place for place in PLACES if place in tests[row]), "nowhere")
        print(f"{row:4} {marks}  " + ("" if shown[row] else place))
    by_program = sum(1 for row in ROWS if shown[row])
    by_click = sum(1 for row in ROWS if not shown[row] and "studio" in tests[row])
    for sign, table in (("x", REMARKS), ("o", FALLS_SHORT), ("-", ABSENT)):
        for rows, of, reason in table:
            print(f"{sign} {rows} in {', '.join(of)}: {reason}")
    print("f, b: in lanes of f32 within 1e-5 of the quantity over the row's own duration, or what the row itself allows if that is more")
    print(f"{by_program} of {len(ROWS)} rows through the program, {by_click} more in the studio alone")
    mended = [f"{row} in {column}" for row, column in short if column in shown[row]]
    if mended or empty:
        sys.exit(f"grid.py: without a reason: {', '.join(empty)}; with one, but shown: {', '.join(mended)}")


main()
