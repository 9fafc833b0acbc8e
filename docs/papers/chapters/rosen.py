"""Rosen (2007): the ladder of figures, limits and their friction, hulls and a skin."""

import math
import re

RUNGS = [
    ("1: sticks alone", "limbs pass through the trunk and each other"),
    ("2: pairs keep apart", "fewer such errors; a knee bends to every side"),
    ("3: triangles", "share corners: hinges, at any angle"),
    ("4: angular limits", "every joint within its range"),
]
FRICTIONS = [0.5, 1.0, 2.0, 4.0]
HELD = [0.0, 4.0, 16.0]


def named(text, name):
    """The scene with a name for which small pictures have room."""
    return re.sub(r'^name = .*$', f'name = "{name}"', text, count=1, flags=re.M)


def ladder(book):
    """Writes the four figures as scenes, from the two built-in ones."""
    sticks, doll = book.run("simulate", "jakobsen_figure", "--print-scene"), book.run("simulate", "rosen_doll", "--print-scene")
    bare = re.sub(r"^apart(_shares)? = \[.*?^\]\n|^apart(_shares)? = \[.*\]\n", "", sticks, flags=re.M | re.S)
    scenes = [bare, sticks, doll[: doll.index("[[limit]]")], doll]
    found = []
    for number, text in enumerate(scenes, 1):
        text = named(text, f"rung {number}")
        (book.work / f"rung_{number}.toml").write_text(text)
        book.run("simulate", f"rung_{number}.toml", "--seconds", 0.6, "--force", "--png",
                 book.picture(f"rosen_{number}.png"), "--at", 0.55, "--size", "220x180")
        found.append(book.json("simulate", f"rung_{number}.toml"))
    return found


def held_dolls(book):
    """The doll held at its chest, by friction of its limits. Writes a film of the least and of the greatest."""
    doll, rests = book.run("simulate", "rosen_doll", "--print-scene"), []
    doll = doll.replace("ground = 0.0\n", "").replace("damping = 0.1\n", "damping = 0.0\nfixed = [0, 1, 2]\n")
    for value in HELD:
        name = f"held_{value:g}.toml"
        text = named(doll, "held").replace("\nfriction = 0.5\n", f"\nfriction = {value}\n")
        (book.work / name).write_text(text)
        rests.append([f"{value:g}", moves_until(book.json("simulate", name, "--seconds", 10))])
        if value in (HELD[0], HELD[-1]):
            book.run("simulate", name, "--seconds", 3, "--force", "--gif", book.picture(f"rosen_held_{value:g}.gif"), "--size", "180x150")
    return rests


def split(book):
    """What a limit adds to the angular momentum in a step, kg m², and what the paper's split by a probe would for the same turn."""
    run = book.json("simulate", book.scene("split"))
    first, *later = run["per_frame"]["angular_momentum_kgm2ps"]
    ours = max(math.dist(first, momentum) for momentum in later) / run["rate_hz"]
    # Three points of each triangle, all 0.25 m from its mass center: the probe moves both as far, whatever they weigh.
    inertias = [0.25**2 * sum(masses) for masses in ((0.1, 0.2, 0.3), (0.15, 0.07, 0.22))]
    return ours, 1e-4 * 0.5 * (inertias[0] - inertias[1])


def static(book):
    """Turn of a step by passes, in thousandths of degrees."""
    run = book.json("simulate", book.scene("threshold"))
    heights = [place[1] for place in next(pose for pose in run["poses"] if pose["of"].endswith("point 3"))["position_m"]]
    turns = [1000 * math.degrees((after - before) / 0.4) for before, after in zip(heights, heights[1:])]
    names = [1, 2, 12, 24, 25]
    rows = [["theory", *(f"{10 * 0.8**number:.4f}°" if number < 25 else "0" for number in names)]]
    rows.append(["ours", *(f"{turns[number - 1]:.4f}°" if abs(turns[number - 1]) > 1e-6 else "0" for number in names)])
    return table(["passes", *names], rows)


def fall(book):
    """Acceleration of a point by the paper's step, and its least height above the ground of the clamp, meters."""
    run = book.json("simulate", book.scene("fall"))
    heights = [place[1] for place in run["poses"][0]["position_m"]]
    return (heights[10] - 2 * heights[20] + heights[30]) / 100 * run["rate_hz"] ** 2, run["worst"]["penetration_m"]["value"]


def sleeps_after(run):
    """Time from which all of it sleeps."""
    return next(f"{time:.1f} s" for time, share in zip(run["per_frame"]["time_s"], run["per_frame"]["asleep"]) if share > 0.999)


def moves_until(run):
    energy, times = run["per_frame"]["kinetic_energy_j"], run["per_frame"]["time_s"]
    moving = [time for time, joules in zip(times, energy) if joules > 0.01 * max(energy)]
    return f"{moving[-1]:.2f} s" if moving[-1] < 0.98 * times[-1] else f"not within {times[-1]:.0f} s"


def chapter(book):
    stretches = [f"stretched by {100 * run['worst']['stretch']['value']:.1f} % at most" for run in ladder(book)]
    pictures = [f"![{name}](pictures/rosen_{number}.png)" for number, (name, _) in enumerate(RUNGS, 1)]
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
    doll = (book.work / "rung_4.toml").read_text()
    (book.work / "smooth.toml").write_text(doll.replace("\nfriction = 0.5\n", "\nfriction = 0.0\n"))
    dolls = [book.json("simulate", name) for name in ("rung_4.toml", "smooth.toml")]
    falls, sleeps = [[of(doll) for doll in dolls] for of in (moves_until, sleeps_after)]
    ours, probe = split(book)
    acceleration, depth = fall(book)
    most = max(joules for _, points in curves for _, joules in points)
    book.lines("rosen_friction.svg", curves, ("seconds", "kinetic, J"), (6.0, math.ceil(most)))
    return f"""
# Rosen (2007): particles with angular constraints

D. Rosen, *Character physics based on Newtonian particle simulation with angular constraints*. Bodies are particles, and a joint is
a limit on the angle between two triangles, with friction of its own. Mode `rosen` is that; `docs/papers/rebuild muybridge rosen`
makes this page anew.

## The ladder

The same fall after 0.55 s, with more of the method from rung to rung. The paper shows four such pictures and gives no numbers.

{table([name for name, _ in RUNGS], [pictures, [what for _, what in RUNGS], stretches])}

Rungs 1 and 2 are `jakobsen_figure` without and with its pairs `apart`, 3 and 4 `rosen_doll` without and with its eleven limits:
`muybridge simulate rosen_doll --gif doll.gif`.

## Friction of a limit

Paper: friction pulls a joint softly to its orientation of the step before; the figure looks more real and comes to rest much sooner,
by two films. Ours: `friction` is the rate c at which the joint loses its speed, of which e⁻ᶜ is left after a second. *Left:*
[flap](scenes/flap.toml), a triangle on a hinge without gravity. *Right:* the flap as a pendulum, and `rosen_doll` held at its
chest without damping. They move with more than 1 % of their greatest kinetic energy until:

{beside(table(["c, 1/s", "e⁻ᶜ", "speed left after 1 s"], friction),
        table(["friction", "the flap", "friction", "the doll"], [[*flap, *doll] for flap, doll in zip(rests, held)]))}

| the flap as a pendulum | the doll, friction 0 | friction 16 |
| --- | --- | --- |
| ![Kinetic energy of the flap under gravity with friction 0, 1 and 4](pictures/rosen_friction.svg) | ![limbs swing without friction](pictures/rosen_held_0.gif) | ![limbs swing with friction](pictures/rosen_held_16.gif) |

The doll needs more friction than the flap, because a limit slows its own two triangles and what hangs on them pulls on.
A doll that falls moves until {falls[0]} with its friction of 0.5 and until {falls[1]} without, and is suspended after {sleeps[0]} and {sleeps[1]}: the
floor takes most of its energy.

*Static friction.* Below a threshold the stiffness is full. A turn of 10° a step, of which friction leaves 80 %, and a threshold of 0.05°
(in [threshold](scenes/threshold.toml) all a thousandth as large, where an arc is as long as its chord):

{static(book)}

## Hulls, a skin, and the outlook

| hulls: `skittles` | the skin of a fox |
| --- | --- |
| ![skittles and stools of hulls](pictures/rosen_hulls.png) | ![the skin of a fox that runs](pictures/rosen_skin.png) |

*Hulls* stand around parts made of points. *Skinning* by a palette of matrices moves each vertex by the mean of its bones' motions:

```sh
muybridge simulate skittles --particle-mode rosen --gif skittles.gif
muybridge convert tests/data/gltf/Fox.glb docs/papers/scenes/skin.obj --clip Run --frames 10..10
muybridge simulate docs/papers/scenes/skin.toml --png skin.png
```

- *Steps.* The paper averages all corrections once a step. We do so 64 times a frame of 1/60 s, or `substeps` times.
  Its fall of 0.01 a step, 36 units/s² at 60 Hz, is `gravity_is = "displacement_per_frame"`, ours {abs(acceleration):.4f} ([fall](scenes/fall.toml)). Its clamp
  keeps a point above the ground: ours goes {depth:.0f} mm into it.
- *Ranges.* The paper's 60° and 30° are keys: `max_angle` of `[[limit]]`, from the turn at the start; `swing_limit` and `angle_limits` of
  `[[joint]]`. `share` of a limit is the paper's softness, `compliance` one that no pass changes; an equal push back keeps
  the momenta. The paper splits a turn by how far a probe of rotation moves the points of each triangle. Masses do not count in that: in
  [split](scenes/split.toml) it would add {probe:.0e} kg m² to Σ x × mΔ in a turn of 1e-4 rad. We split by moments of inertia, which adds {ours:.0e}.
- *Editor.* A human ragdoll in about two minutes by hand, says the paper. Ours is `muybridge studio FILE`, which makes it of a skeleton
  when it opens the file; nobody has timed it with people.
- *Outlook.* Target poses, balance and steps after a push: `[[follow]]`, `balanced` of a `[[ragdoll]]`, and `[[stand]]`.
"""
