"""Rosen (2007): the ladder of figures, limits and their friction, hulls and a skin."""

import math
import re

RUNGS = [
    ("1", "sticks alone", "limbs pass through the trunk and through each other"),
    ("2", "and pairs that keep apart", "fewer such errors, but a knee still bends to every side"),
    ("3", "triangles that share corners", "hinges at knees and elbows, any angle"),
    ("4", "and angular limits", "every joint within its range"),
]
FRICTIONS = [0.5, 1.0, 2.0, 4.0]
HELD = [0.0, 4.0, 16.0]


def ladder(book):
    """Writes the four figures as scenes, from the two built-in ones."""
    sticks, doll = book.run("simulate", "jakobsen_figure", "--print-scene"), book.run("simulate", "rosen_doll", "--print-scene")
    bare = re.sub(r"^apart(_shares)? = \[.*?^\]\n|^apart(_shares)? = \[.*\]\n", "", sticks, flags=re.M | re.S)
    scenes = [bare, sticks, doll[: doll.index("[[limit]]")], doll]
    found = []
    for (number, *_), text in zip(RUNGS, scenes):
        (book.work / f"rung_{number}.toml").write_text(text)
        book.run("simulate", f"rung_{number}.toml", "--seconds", 0.6, "--force", "--png",
                 book.picture(f"rosen_{number}.png"), "--at", 0.55, "--size", "300x240")
        found.append(book.json("simulate", f"rung_{number}.toml"))
    return found


def held_dolls(book):
    """The doll held at its chest, by friction of its limits. Writes a film of the least and of the greatest."""
    doll, rests = book.run("simulate", "rosen_doll", "--print-scene"), []
    doll = doll.replace("ground = 0.0\n", "").replace("damping = 0.1\n", "damping = 0.0\nfixed = [0, 1, 2]\n")
    for value in HELD:
        name = f"held_{value:g}.toml"
        (book.work / name).write_text(doll.replace("\nfriction = 0.5\n", f"\nfriction = {value}\n"))
        rests.append([f"{value:g}", moves_until(book.json("simulate", name, "--seconds", 10))])
        if value in (HELD[0], HELD[-1]):
            book.run("simulate", name, "--seconds", 3, "--force", "--gif", book.picture(f"rosen_held_{value:g}.gif"), "--size", "180x150")
    return rests


def moves_until(run):
    energy, times = run["per_frame"]["kinetic_energy_j"], run["per_frame"]["time_s"]
    moving = [time for time, joules in zip(times, energy) if joules > 0.01 * max(energy)]
    return f"{moving[-1]:.2f} s" if moving[-1] < 0.98 * times[-1] else f"not within {times[-1]:.0f} s"


def chapter(book):
    runs = ladder(book)
    rungs = [
        [number, name, what, f"{100 * run['worst']['stretch']['value']:.1f} %"]
        for (number, name, what), run in zip(RUNGS, runs)
    ]
    friction = []
    for value in FRICTIONS:
        run = book.json("simulate", book.scene("flap", limit__friction=value))
        energy = run["per_frame"]["kinetic_energy_j"]
        friction.append([value, f"{math.exp(-value):.4f}", f"{math.sqrt(energy[-1] / energy[0]):.4f}"])
    curves, rests = [], []
    for value in (0.0, 1.0, 4.0):
        run = book.json("simulate", book.scene("flap", limit__friction=value, gravity=[0.0, -9.81, 0.0], seconds=6.0))
        energy, times = run["per_frame"]["kinetic_energy_j"], run["per_frame"]["time_s"]
        curves.append((f"friction {value:g}", list(zip(times, energy))))
        rests.append([f"{value:g}", moves_until(run)])
    held = held_dolls(book)
    book.run("simulate", "skittles", "--particle-mode", "rosen", "--force", "--png", book.picture("rosen_hulls.png"), "--at", 1.2, "--size", "300x200")
    book.run("convert", book.data / "gltf" / "Fox.glb", book.work / "skin.obj", "--clip", "Run", "--frames", "10..10", "--force")
    book.run("simulate", book.scene("skin"), "--force", "--png", book.picture("rosen_skin.png"), "--size", "300x200")
    most = max(joules for _, points in curves for _, joules in points)
    book.lines("rosen_friction.svg", curves, ("seconds", "kinetic, J"), (6.0, most))
    return f"""
# Rosen (2007): particles with angular constraints

D. Rosen, *Character physics based on Newtonian particle simulation with angular constraints*. Bodies are particles; a joint is
a limit on the angle between two triangles, with friction of its own. `docs/papers/rebuild muybridge rosen` makes this page anew.

## The ladder

The same fall, 0.55 s after the start, with more of the method from rung to rung:

| 1 | 2 | 3 | 4 |
| --- | --- | --- | --- |
| ![sticks](pictures/rosen_1.png) | ![sticks that keep apart](pictures/rosen_2.png) | ![triangles](pictures/rosen_3.png) | ![triangles with limits](pictures/rosen_4.png) |

{table(["rung", "what it is made of", "what the paper shows", "greatest stretch"], rungs)}

Rungs 1 and 2 are `jakobsen_figure` without and with its pairs `apart`, under mode `jakobsen` with four passes; 3 and 4 are
`rosen_doll` without and with its eleven limits, under mode `rosen` (`muybridge simulate rosen_doll --gif doll.gif`). The paper
shows the four rungs as pictures and gives no numbers.

## Friction of a limit

Friction is a soft limit around the orientation of the step before: a rate c at which the joint loses its speed, so that
after a second e⁻ᶜ of it is left. The scene [flap](scenes/flap.toml) is a triangle on a hinge without gravity.

{table(["c, 1/s", "e⁻ᶜ", "speed left after 1 s"], friction)}

Paper: with friction the figure looks more real and comes to rest much sooner, by two films. The flap as a pendulum:

![Kinetic energy of the flap under gravity with friction 0, 1 and 4](pictures/rosen_friction.svg)

{table(["friction", "moves with more than 1 % of its greatest energy until"], rests)}

`rosen_doll`, held at its chest, without air, and what its limbs do:

| friction 0 | friction 16 |
| --- | --- |
| ![limbs swing without friction](pictures/rosen_held_0.gif) | ![limbs swing with friction](pictures/rosen_held_16.gif) |

{table(["friction", "its limbs move with more than 1 % of their greatest energy until"], held)}

A limit slows down its own two triangles; what hangs on them pulls on. So a leg stops later than e⁻ᶜ says, and the
doll needs more friction than the flap. A doll that falls rests after 3 s with and without friction: the floor takes most of its energy.

## Hulls and a skin

| hulls | a skin |
| --- | --- |
| ![skittles and stools of hulls](pictures/rosen_hulls.png) | ![the skin of a fox that runs](pictures/rosen_skin.png) |

Convex hulls stand around parts that are made of points: `skittles` under mode `rosen`. Matrix-palette skinning moves each vertex by the mean of its bones' motions: `muybridge convert Fox.glb skin.obj --clip Run
--frames 10..10` writes the skin of a frame, and [skin](scenes/skin.toml) puts it into a scene.

## What differs

- The paper averages all corrections of a step once, 60 steps a second. Mode `rosen` takes 64 substeps a frame unless `substeps` says
  otherwise.
- Its ranges of 60° and 30° are keys here: `max_angle`, `swing_limit` and `twist_limit` of `[[limit]]`.
- Its editor is the studio (`muybridge studio`); its outlook, target poses, balance and steps, is `[[follow]]`,
  `balanced` of a `[[ragdoll]]` and `[[stand]]`.
"""
