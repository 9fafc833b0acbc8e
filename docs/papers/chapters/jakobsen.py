"""Jakobsen (2001): the exercise, a stick in a cube, cloth by passes, square roots, a plant, masses, tetrahedra, a figure."""

import json
import struct

EXERCISE = [[2, 0, 1], [3, 0, 3], [4, 0, 6], [5, 0, 10]]
PASSES = [1, 2, 4, 8, 16]
FEW = [1, 2, 4]
SUPPORTS = [1, 2, 3, 6]


def places(path):
    """Places of the nodes of a GLB by name, for each frame."""
    data = path.read_bytes()
    size = struct.unpack("<I", data[12:16])[0]
    document, numbers = json.loads(data[20 : 20 + size]), data[28 + size :]
    animation = document["animations"][0]

    def rows(index):
        accessor = document["accessors"][index]
        view = document["bufferViews"][accessor["bufferView"]]
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        flat = struct.unpack_from(f"<{3 * accessor['count']}f", numbers, start)
        return [flat[3 * row : 3 * row + 3] for row in range(accessor["count"])]

    moved = [channel for channel in animation["channels"] if channel["target"]["path"] == "translation"]
    samplers = animation["samplers"]
    return {document["nodes"][one["target"]["node"]]["name"]: rows(samplers[one["sampler"]]["output"]) for one in moved}


def last_place(book, scene):
    book.run("simulate", scene, "-o", "run.glb", "--force")
    return next(iter(places(book.work / "run.glb").values()))


def stretches(book, scene, passes, **more):
    """Greatest stretch and that at the end, percent."""
    run = book.json("simulate", book.scene(scene, constraint_iterations=passes, **more))
    return 100 * run["worst"]["stretch"]["value"], 100 * run["per_frame"]["stretch"][-1]


def plant(book):
    """Least share of its potential energy that a plant in still air keeps, by the span of its supports and by passes."""
    rows = []
    for support in SUPPORTS:
        row = [support]
        for passes in FEW:
            scene = book.scene("plant", plant__support=support, constraint_iterations=passes, wind__velocity=[0.0, 0.0, 0.0])
            energy = book.json("simulate", scene)["per_frame"]["potential_energy_j"]
            row.append(f"{100 * min(energy) / energy[0]:.0f} %")
        rows.append(row)
    book.run("simulate", book.scene("plant"), "--seconds", 3, "--gif", book.picture("jakobsen_plant.gif"), "--force", "--size", "180x150")
    return rows


def chapter(book):
    walked = last_place(book, book.scene("exercise"))[1:]
    text = lambda row: "(" + ", ".join(f"{value:g}" for value in row) + ")"
    exercise = [[step, text(paper), text(ours)] for step, (paper, ours) in enumerate(zip(EXERCISE, walked), 1)]
    errors = []
    for passes in PASSES:
        exact, taylor = stretches(book, "sheet", passes), stretches(book, "sheet", passes, square_root="taylor")
        run = book.json("simulate", "jakobsen_cloth", "--iterations", passes)
        hexagons = 100 * run["worst"]["stretch"]["value"], 100 * run["per_frame"]["stretch"][-1]
        stick = f"{stretches(book, 'stick', passes)[0]:.2g} %"
        errors.append([passes, stick, *(f"{value:.1f} %" for value in (*exact, *taylor, *hexagons))])
    sticks = [book.json("simulate", book.scene("stick", constraint_iterations=passes)) for passes in PASSES]
    outside = max(run["worst"]["penetration_m"]["value"] for run in sticks)
    count = book.json("simulate", book.scene("sheet"))["work"]["corrections"]["per_frame"][1]
    own = book.json("simulate", book.scene("sheet"), "--particle-mode", "shake", "--substeps", 64)
    for passes in (1, 16):
        scene = book.scene("sheet", constraint_iterations=passes)
        book.run("simulate", scene, "--force", "--png", book.picture(f"jakobsen_sheet_{passes}.png"), "--size", "220x150")
    book.run("simulate", "jakobsen_cloth", "--png", book.picture("jakobsen_hexagons.png"), "--at", 5.0, "--force", "--size", "220x150")
    stands = plant(book)
    free = last_place(book, book.scene("masses"))[-1][0]
    pinned = last_place(book, book.scene("masses", fixed=[1]))[-1][0]
    masses = [["1 kg and 3 kg", "0.25 m", f"{free:.6g} m"], ["the second immovable", "0.5 m", f"{pinned:.6g} m"]]
    book.run("simulate", "jakobsen_figure", "--gif", book.picture("jakobsen_figure.gif"), "--seconds", 2.5, "--force", "--size", "220x150")
    figure = book.json("simulate", "jakobsen_figure")
    boxed = book.json("simulate", "tetrahedra_in_box", "--particle-mode", "jakobsen", "--force", "--png",
                      book.picture("jakobsen_tetrahedra.png"), "--at", 1.0, "--size", "220x150")
    sloppy = ["passes", "stick", "sheet", "after 3 s", "sheet, Taylor", "after 3 s", "hexagons", "after 5 s"]
    return f"""
# Jakobsen (2001): advanced character physics

T. Jakobsen, *Advanced character physics*, Game Developers Conference. Particles move by the Verlet step, and sticks are relaxed one
after the other, a few passes a frame. Mode `jakobsen` is that; `docs/papers/rebuild muybridge jakobsen` makes this page anew. Each
scene below runs by itself, with any number of passes: `muybridge simulate docs/papers/scenes/sheet.toml --iterations 4 --gif sheet.gif`.

## The exercise, and masses

The paper's exercise: a particle at x = (1, 0, 0), before at (0, 0, 0), under a = (0, 0, 1), in unit steps
([exercise](scenes/exercise.toml)). The paper's masses: each end of a stick goes by its inverse mass, which is 0 for an immovable
one. In [masses](scenes/masses.toml) a particle leaves another by 1 m, and one pass brings them together.

{beside(table(["step", "paper", "ours"], exercise), table(["pair", "meets at, by theory", "ours"], masses))}

## Passes: to stop early is only sloppier

Paper: so it is for a stick of 100 in a cube of 0 to 1000; one pass is enough for most pieces of cloth; the root may be a Taylor
polynomial; cloth may be a mesh of hexagons. Ours: a stick of 1 m thrown into a cube of 10 m, 30 frames a second
([stick](scenes/stick.toml)), of which projection leaves {1000 * outside:.1g} mm outside; a sheet of 20 × 20 cells let go from two corners, 60 frames a second ([sheet](scenes/sheet.toml)); hexagons that
swing over a ball, 240 frames a second with the Taylor root (`jakobsen_cloth`). The greatest stretch, and the one at the end:

{table(sloppy, errors)}

| sheet, one pass | sheet, sixteen passes | hexagons over a ball | tetrahedra in a box |
| --- | --- | --- | --- |
| ![the sheet with one pass](pictures/jakobsen_sheet_1.png) | ![the sheet with sixteen passes](pictures/jakobsen_sheet_16.png) | ![hexagons over a ball](pictures/jakobsen_hexagons.png) | ![tetrahedra in a box](pictures/jakobsen_tetrahedra.png) |

With one pass the sheet looks like cloth, as the paper says, but it is not stiff. The polynomial is as good as the root. Paper: N roots
and N divisions a frame, then N divisions and no root. Ours: a pass corrects each of the {count} constraints of the sheet once (`work` in
`--json`), a stick by one division and no root under `taylor`, with squared lengths kept ahead. The default mode, `shake`, with 64 substeps of one pass stretches the
sheet by at most {100 * own["worst"]["stretch"]["value"]:.1f} %.

## A plant, bodies and a figure

Paper: support sticks between points that share a neighbor make a plant stiff in one pass. [plant](scenes/plant.toml) is 80 cm high, of five
segments and five branches, 120 frames a second; `support` is the greatest span of its support sticks, in segments. The table
says how much of its potential energy it keeps in still air.

{beside(table(["support", *(f"{passes} pass" + "es" * (passes > 1) for passes in FEW)], stands),
        "![a plant in gusts](pictures/jakobsen_plant.gif)" + chr(10) + "Support 6, four passes",
        "![a figure falls](pictures/jakobsen_figure.gif)" + chr(10) + "`jakobsen_figure`")}

The paper's sticks, of span 2, do not hold a straight stalk up: it bends without a change of their length, to first order.
Those of span 6 do. A stalk of twelve segments, `plant_in_wind`, needs another mode.

Paper: a rigid body is four particles and six sticks, 4 × 3 − 6 = 6 degrees of freedom. The thirty-six of `tetrahedra_in_box` under
`--particle-mode jakobsen` are stretched by at most {100 * boxed["worst"]["stretch"]["value"]:.1g} % and at most {1000 * boxed["worst"]["penetration_m"]["value"]:.0f} mm in each
other; their energy ends at {boxed["energy_j"]["end"]:.0f} of {boxed["energy_j"]["start"]:.0f} J. The figure has 16 particles, 34 sticks, 12 pairs that keep apart and four passes; it is
stretched by at most {100 * figure["worst"]["stretch"]["value"]:.1f} % when it lands.
"""
