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
    sticks = [[passes, f"{stretches(book, 'stick', passes)[0]:.2g} %"] for passes in PASSES]
    cloth = []
    for passes in PASSES:
        exact, taylor = stretches(book, "sheet", passes), stretches(book, "sheet", passes, square_root="taylor")
        cloth.append([passes, *(f"{value:.1f} %" for value in (*exact, *taylor))])
    own = book.json("simulate", book.scene("sheet"), "--particle-mode", "shake", "--substeps", 64)
    for passes in (1, 16):
        scene = book.scene("sheet", constraint_iterations=passes)
        book.run("simulate", scene, "--force", "--png", book.picture(f"jakobsen_sheet_{passes}.png"), "--size", "300x200")
    hexagons = []
    for passes in FEW:
        run = book.json("simulate", "jakobsen_cloth", "--iterations", passes)
        hexagons.append([passes, f"{100 * run['worst']['stretch']['value']:.0f} %", f"{100 * run['per_frame']['stretch'][-1]:.1f} %"])
    book.run("simulate", "jakobsen_cloth", "--png", book.picture("jakobsen_hexagons.png"), "--at", 5.0, "--force", "--size", "240x200")
    stands = plant(book)
    free = last_place(book, book.scene("masses"))[-1][0]
    pinned = last_place(book, book.scene("masses", fixed=[1]))[-1][0]
    book.run("simulate", "jakobsen_figure", "--gif", book.picture("jakobsen_figure.gif"), "--seconds", 2.5, "--force", "--size", "300x200")
    figure = book.json("simulate", "jakobsen_figure")
    boxed = book.json("simulate", "tetrahedra_in_box", "--particle-mode", "jakobsen", "--force", "--png",
                      book.picture("jakobsen_tetrahedra.png"), "--at", 1.0, "--size", "300x200")
    return f"""
# Jakobsen (2001): advanced character physics

T. Jakobsen, *Advanced character physics*, Game Developers Conference. Particles move by the Verlet step; sticks are relaxed,
one after the other, a few times a frame. `docs/papers/rebuild muybridge jakobsen` makes this page anew. Every scene here runs by
itself, and `--iterations` sets its passes: `muybridge simulate docs/papers/scenes/sheet.toml --iterations 4 --gif sheet.gif`.

## The exercise

A particle at x = (1, 0, 0), before at (0, 0, 0), under a = (0, 0, 1), in unit steps. [exercise](scenes/exercise.toml) begins with the
velocity (1, 0, 0.5): that of the half step between, and half a step of the acceleration.

{table(["step", "paper", "ours"], exercise)}

## A stick in a cube: to stop early is only sloppier

Paper: a stick of length 100 in a cube of 0 to 1000, by projection. Ours is 1 m in a cube of 10 m ([stick](scenes/stick.toml)), thrown, at 30 frames
a second:

{table(["passes", "greatest stretch"], sticks)}

## Cloth: passes and square roots

Paper: one pass is enough for most pieces of cloth, and the root may be a Taylor polynomial about the rest length. A sheet of
20 × 20 cells is let go and hangs from two corners ([sheet](scenes/sheet.toml)), at 60 frames a second:

{table(["passes", "exact root, greatest stretch", "after 3 s", "Taylor root, greatest", "after 3 s"], cloth)}

| one pass | sixteen passes |
| --- | --- |
| ![the sheet with one pass](pictures/jakobsen_sheet_1.png) | ![the sheet with sixteen passes](pictures/jakobsen_sheet_16.png) |

It looks like cloth with one pass, as the paper says, but it is not stiff: the sum of the errors from cell to cell is what one sees. The
root of the polynomial is as good as the exact one. This program's own mode
`shake` takes 64 substeps of one pass and stretches the sheet by at most {100 * own["worst"]["stretch"]["value"]:.1f} %.

## Hexagons

Paper: cloth may also be a mesh of hexagons. `jakobsen_cloth` swings from two hands over a
ball, at 240 frames a second with the Taylor root:

{table(["passes", "greatest stretch", "after 5 s"], hexagons)}

## A plant and its support sticks

Paper: sticks between points that share a neighbor make a plant stiff, in one pass. [plant](scenes/plant.toml) is 80 cm high, of five segments
and five branches, at 120 frames a second; `support` is the greatest span of its support sticks, in segments. In still air it keeps, of
its potential energy:

{table(["support", *(f"passes: {passes}" for passes in FEW)], stands)}

| hexagons over a ball | the plant in gusts, support 6, four passes |
| --- | --- |
| ![hexagons over a ball](pictures/jakobsen_hexagons.png) | ![a plant in gusts](pictures/jakobsen_plant.gif) |

Sticks that span two segments, as the paper has them, do not hold a straight stalk up: it bends without a change of their length, to first
order. Those that span six do. A stalk of twelve segments, `plant_in_wind`, needs another mode.

## Masses

Paper: each end goes by its inverse mass; an immovable one has the inverse mass 0. In [masses](scenes/masses.toml) the particle of 1 kg flies
off from that of 3 kg by 1 m, and one pass closes the gap: by 3/4 and by 1/4.

{table(["", "middle of the pair by theory", "ours"], [["1 kg and 3 kg", "0.25 m", f"{free:.6g} m"], ["the second is immovable", "0.5 m", f"{pinned:.6g} m"]])}

## Bodies and figures

| tetrahedra in a box | a figure of sticks |
| --- | --- |
| ![tetrahedra in a box](pictures/jakobsen_tetrahedra.png) | ![a figure falls](pictures/jakobsen_figure.gif) |

A rigid body is four particles and six sticks: 4 × 3 − 6 = 6 degrees of freedom. The thirty-six of `tetrahedra_in_box` under mode `jakobsen` are
stretched by at most {100 * boxed["worst"]["stretch"]["value"]:.1g} % and at most {1000 * boxed["worst"]["penetration_m"]["value"]:.0f} mm in each other, one step a frame; their energy ends at {boxed["energy_j"]["end"]:.0f} of {boxed["energy_j"]["start"]:.0f} J. The figure is
`jakobsen_figure`: 16 particles, 34 sticks, 12 pairs that keep apart, four passes; stretched by at most {100 * figure["worst"]["stretch"]["value"]:.1f} % when it lands.

## What is not here

The counts of the paper, N square roots and N divisions a frame and then no roots, have no measurement on this page.
"""
