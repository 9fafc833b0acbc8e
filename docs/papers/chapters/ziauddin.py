"""Ziauddin (2001): integration, six actions, gains, displacement constraints with any degrees of freedom."""

import itertools
import math
import pathlib

JOINTS = pathlib.Path(__file__).parents[3] / "crates" / "muybridge_files" / "scenes" / "ziauddin_joints.toml"
HEAD = """[scene]
seconds = {seconds}
rate = {rate}
gravity = [0, 0, 0]
[solver]
method = "{method}"
frames_before_sleep = 0
[solver.rigid]
integrator = "ziauddin"
substeps = 1
{keys}
"""


def run(book, text, seconds=0.5, method="displacement", keys="", rate=60.0):
    path = book.work / "scene.toml"
    path.write_text(HEAD.format(seconds=seconds, method=method, keys=keys, rate=rate) + text)
    return book.json("simulate", path)


def distance(a, b):
    return math.dist(a, b)


def small(value):
    return f"{value:.0e}" if value else "0"


def oscillator(book):
    """Growth of the energy of a gap with hΩ = 0.1 in a thousand steps, from the middle at a speed."""
    done = book.json("simulate", book.scene("spring", integrator="ziauddin"))
    places = [place[0] for place in done["poses"][0]["position_m"]]
    speeds = [momentum[0] for momentum in done["per_frame"]["momentum_kgmps"]]
    energy = lambda frame: (10 * places[frame]) ** 2 + speeds[frame] ** 2
    return energy(1000) / energy(0)


BOX = '[[box]]\nname = "b"\nsize = [0.3, 0.4, 0.5]\nmass = 2.0\nvelocity = [0.5, -0.3, 0.2]\nspin = [0.4, 0.0, 0.0]\n'


# An object whose axis of rotation goes through the goal.
TARGET = '[[box]]\nname = "t"\nsize = [0.3, 0.4, 0.5]\nposition = [2.6, 0.3, 0.2]\nvelocity = [0.3, 0.0, -0.2]\nspin = [0.7, 0.0, 0.0]\n'


def actions(book):
    """What is left of each action after half a second, with gains of two steps."""
    rows = []
    moving = "velocity = [0.3, 0.0, -0.2]\n"
    place, turn = "to = [0.6, 0.3, 0.2]\n", "turn = [0.5, 0.0, 0.0]\n"
    kinds = [
        ("move_to", place, "a place"),
        ("chase", place + moving, "moves, 0.36 m/s"),
        ("turn_to", turn, "an orientation"),
        ("turn_chase", turn + "spin = [0.7, 0.0, 0.0]\n", "turns, 0.7 rad/s"),
        ("align", place + turn, "both"),
        ("align", place + turn + 'target = "t"\n', "an object that moves and turns"),
    ]
    for kind, keys, what in kinds:
        act = f'[[action]]\nname = "a"\nkind = "{kind}"\non = "b"\nposition_gain = 0.5\nvelocity_gain = 0.75\n'
        done = run(book, BOX + TARGET * ("target" in keys) + act + keys + 'until = "cancelled"\n')
        pose, last = done["poses"][0], done["frames"] - 1
        time = last / 60
        goal = [0.6, 0.3, 0.2]
        if kind == "chase" or "target" in keys:
            goal = [goal[0] + 0.3 * time, goal[1], goal[2] - 0.2 * time]
        off = distance(pose["position_m"][last], goal)
        wanted = 0.5 + (0.7 * time if kind == "turn_chase" or "target" in keys else 0.0)
        angle = abs(2 * math.asin(pose["rotation_xyzw"][last][0]) - wanted)
        cells = [f"{small(off)} m" if "to =" in keys else "", f"{small(angle)} rad" if "turn" in keys else ""]
        rows.append([f"`{kind}`", what, *cells])
    halt = '[[action]]\nname = "a"\nkind = "stop"\non = "b"\ntime_constant = 0.0\nuntil = "cancelled"\n'
    done = run(book, BOX + halt)
    speed = max(abs(value) for value in done["per_frame"]["momentum_kgmps"][-1]) / 2.0
    rows.append(["`stop`", "all cleared", f"{small(speed)} m/s", ""])
    return rows


def curve(book):
    """How far a box is off the Bézier curve that its action follows, in the place of each step, meters."""
    ends = [[0, 0, 0], [1, 2, 0], [2, -1, 1], [3, 0.5, 0]]
    box = '[[box]]\nname = "b"\nsize = [0.3, 0.4, 0.5]\n'
    act = f'[[action]]\nname = "a"\nkind = "move_to"\non = "b"\nposition_gain = 1.0\nvelocity_gain = {1 - 2**-53!r}\n'
    act += f'to = {ends[3]}\nseconds = 0.5\npath = "bezier"\ncontrol_points = {ends[1:3]}\nuntil = "cancelled"\n'
    off = 0.0
    for frame, place in enumerate(run(book, box + act)["poses"][0]["position_m"]):
        u = frame / 30
        shares = [(1 - u) ** 3, 3 * (1 - u) ** 2 * u, 3 * (1 - u) * u * u, u**3]
        off = max(off, distance(place, [sum(share * end[axis] for share, end in zip(shares, ends)) for axis in range(3)]))
    return off


def wobble(book):
    """Wobbles a second of a body of moments 1, 1 and 5 kg m² that spins about the third and a little about the first."""
    box = '[[box]]\nname = "b"\nsize = [0.3, 0.4, 0.5]\nmass = 2.0\ninertia = [1.0, 1.0, 5.0]\nspin = [0.05, 0.0, 2.0]\n'
    done = run(book, box, 10.0, rate=240.0)
    # Sideways part of its third axis.
    sides = [2 * (x * z + y * w) for x, y, z, w in done["poses"][0]["rotation_xyzw"]]
    middle = 0.5 * (max(sides) + min(sides))
    times = [frame + (middle - a) / (b - a) for frame, (a, b) in enumerate(zip(sides, sides[1:])) if a < middle <= b]
    return done["rate_hz"] * (len(times) - 1) / (times[-1] - times[0]), math.hypot(0.05, 10.0) / math.tau


def left(book, alpha, beta):
    """What is left of the way to a place, frame by frame, meters; `None` where a scene is refused."""
    scene = book.scene("goal", position_gain=alpha, velocity_gain=beta)
    pose = book.json("simulate", scene)["poses"][0]
    return [distance(place, [0.6, 1.3, 0.2]) for place in pose["position_m"]]


def growth(alpha, beta):
    """Greatest magnitude of an eigenvalue of a step."""
    half, determinant = 1 - 0.5 * alpha - beta, 1 + alpha - 2 * beta
    inside = half * half - determinant
    return math.sqrt(determinant) if inside < 0 else abs(half) + math.sqrt(inside)


def gains_map(book):
    """Draws the map of α and β: how much of an error is left after a step, in the end. Returns what runs say at some."""
    width, cell = 40, 6
    body = ""
    for i, j in itertools.product(range(width), range(20)):
        alpha, beta = (i + 0.5) * 0.05, (j + 0.5) * 0.05
        value = growth(alpha, beta)
        if value < 1:
            shade = 230 - int(190 * (1 - value))
            x, y = 40 + cell * i, 20 + cell * (19 - j)
            body += f'<rect x="{x}" y="{y}" width="{cell}" height="{cell}" fill="rgb({shade},{shade},230)"/>'
    body += '<path class="axis" d="M40 140H290M40 20V140"/><text x="165" y="165">position_gain α</text>'
    body += "".join(f'<text x="{40 + 120 * at}" y="152">{at}</text>' for at in (0, 1, 2))
    body += "".join(f'<text class="end" x="36" y="{143 - 120 * at}">{at}</text>' for at in (0, 1))
    body += '<text x="62" y="12">velocity_gain β</text><circle class="second" cx="100" cy="50" r="4" fill="none" stroke-width="2"/>'
    book.svg("ziauddin_gains.svg", "0 0 300 172", body)
    rows = []
    for alpha, beta in ((0.5, 0.75), (1.0, 0.9), (0.2, 0.6), (0.1, 0.3)):
        ways = left(book, alpha, beta)
        rates = [b / a for a, b in zip(ways[10:19], ways[11:20]) if a > 1e-12]
        rate = f"{(ways[19] / ways[9]) ** 0.1:.3f}" if rates else "0"
        rows.append([alpha, beta, f"{growth(alpha, beta):.3f}", rate, f"{ways[2]:.1g} m"])
    return rows


def period(book):
    """Period of the bead on a circle, seconds."""
    done = book.json("simulate", book.scene("bead"))
    places = [place[0] for place in done["poses"][0]["position_m"]]
    times = [
        (frame - 1 + a / (a - b)) / 240 for frame, (a, b) in enumerate(zip(places, places[1:]), 1) if a > 0 >= b
    ]
    off = max(abs(math.hypot(*place) - 1) for place in done["poses"][0]["position_m"])
    return (times[-1] - times[0]) / (len(times) - 1), off


def masks(book):
    """Worst error of what each of 64 masks locks, of a box that spins and flies about for a second."""
    names, worst = ["x", "y", "z", "turn_x", "turn_y", "turn_z"], 0.0
    for mask in range(1, 64):
        locked = [name for bit, name in enumerate(names) if mask >> bit & 1]
        words = ", ".join(f'"{name}"' for name in locked)
        joint = f'[[joint]]\nname = "j"\nkind = "generic"\nof = "b"\nat = [0, 0, 0]\nlocked = [{words}]\n'
        done = run(book, BOX + joint, 0.5, "displacement", "displacement_tolerance = 1e-11")
        worst = max(worst, done["worst"]["gap_m"]["value"])
        for axis in range(3):
            if names[axis] in locked:
                worst = max(worst, max(abs(place[axis]) for place in done["poses"][0]["position_m"]))
    return worst


def passes(book, variant):
    """Passes and gap of a hanging chain of six rods, each moved by 5 mm and turned by 0.05 rad in one step."""
    text = ""
    for link in range(6):
        way = [0.3 * math.sin(7 * link + k) for k in (1, 3, 5)]
        spin = [3 * math.sin(5 * link + k) for k in (2, 4, 6)]
        to = f'to = "{link - 1}"\n' if link else ""
        text += f'[[box]]\nname = "{link}"\nsize = [1, 0.05, 0.05]\nposition = [{link + 0.5}, 0, 0]\nvelocity = {way}\n'
        text += f'spin = {spin}\n[[joint]]\nname = "j{link}"\nof = "{link}"\n{to}at = [{link}, 0, 0]\n'
    keys = f'displacement = "{variant}"\ndisplacement_tolerance = 1e-4'
    done = run(book, text, 0.02, "displacement", keys)
    return done["work"]["passes"]["per_frame"][1], done["per_frame"]["gap_m"][1]


def chapter(book):
    rate, off = period(book)
    grid = gains_map(book)
    counts = [[f"`{name}`", paper, *passes(book, name)] for name, paper in (
        ("lamouret", "the paper's, after Lamouret"), ("block", "one matrix for a pair"), ("skeleton", "all joints at once"))]
    counts = [[name, what, number, f"{1000 * gap:.3f} mm"] for name, what, number, gap in counts]
    book.run("simulate", JOINTS, "--gif", book.picture("ziauddin_joints.gif"), "--force", "--size", "400x225")
    wobbles, theory = wobble(book)
    two, one = left(book, 0.5, 0.75), left(book, 1.0, 1.0 - 2**-53)
    joints = "![A bead runs down a wire, a sign swings on its hook, a tray is carried level with a lamp](pictures/ziauddin_joints.gif)"
    return f"""
# Ziauddin (2001): behavioral animation

B. Ziauddin, *Behavioral animation*. Bodies get goals, forces lead them there, and displacement constraints hold them together after
each step. Method `displacement` with integrator `ziauddin` is that; `docs/papers/rebuild muybridge ziauddin` makes this page anew.

| `muybridge simulate ziauddin_joints` | the map of α and β: gains that settle, darker is faster |
| --- | --- |
| {joints} | ![Gains that settle: darker is faster](pictures/ziauddin_gains.svg) |

*Left:* a bead on a curve, a box of which a point and one rotation are fixed, a tray that keeps its orientation while an action carries
it, and a lamp on it.

## Listing 1: integration

Velocity first, then the place by the mean of the old and new one. Paper: better than Euler, and no state between steps. In a thousand
steps of hΩ = 0.1 the energy of an oscillator grows {oscillator(book):.2f} times (theory 143.12), by Euler 20959 times, and by the trapezoid rule
of [Hennix](hennix.md) 1.03 times.

## Listing 2: the actions

The force is 2m/h² α (target − place) + 2m/h β (difference of velocities), and the torque alike. Paper: exact in one step at α = β = 1.
Ours is {small(one[1])} m off after one step ([goal](scenes/goal.toml) with these gains, β less by a bit: at 1 it never rests, which a scene
refuses). With α = ½ and β = ¾, the circle in the map, it is there and at rest after two: {small(two[2])} m. *Left:* every action half a second
later. *Right:* the share of an error that each step leaves, by eigenvalues and in runs, and the error after two steps.

{beside(table(["action", "goal", "place off", "angle off"], actions(book)), table(["α", "β", "theory", "ours", "after two"], grid))}

Paper: intermediate targets on any curve. Ours are lines, Bézier curves and Catmull–Rom splines (`path`); `muybridge simulate chain`
follows one. With α = β = 1 a box is {small(curve(book))} m off the point of a Bézier curve that belongs to each step.

## Listing 3: displacement constraints

Paper: a small number of passes. A chain of six rods, each gone 5 mm and turned by 0.05 rad as it liked, closed to 0.1 mm:

{table(["`displacement`", "what it is", "passes", "gap left"], counts)}

- *Any of six degrees of freedom, by flags.* All 63 masks that lock something, on a box that flies and spins: locked translations stay
  within {small(masks(book))} m.
- *A point on a curve.* A bead on a circle of 1 m, let go from the side ([bead](scenes/bead.toml)), swings in {rate:.4f} s, a pendulum in
  2.3678 s. It is {small(off)} m off the circle at most.
- *A fixed point as infinite mass, a fixed orientation.* A `[[joint]]` without `to`; one of kind `generic` whose three turns are `locked`.
- *Moments of inertia need not be exact.* `inertia = [1, 1, 5]` is taken with a note that no real body has it. A spin about its third axis
  wobbles {wobbles:.4f} times a second (theory {theory:.4f}) at {2 / math.tau:.4f} turns a second: five times a turn, a real body at most twice.
"""
