"""Hennix et al.: the rag doll of boxes, stability over the step, cost over bodies, and the figures."""

import json
import math
import pathlib
import re
import resource

DOLL = pathlib.Path(__file__).parents[3] / "crates" / "muybridge_files" / "scenes" / "hennix_doll.toml"


def doll(book, name, rate, substeps, **words):
    """The doll with another frame rate and other words of its solver."""
    text = DOLL.read_text().replace("substeps = 16", f"substeps = {substeps}")
    text = text.replace("seconds = 5.0", f"seconds = 3.0\nrate = {rate!r}")
    for key, word in words.items():
        text = re.sub(rf"^{key} = .*$", f'{key} = "{word}"', text, flags=re.M)
    path = book.work / f"{name}.toml"
    path.write_text(text)
    return book.json("simulate", path)


def angle(pose, frame):
    """Angle about z, radians."""
    return 2 * math.asin(pose["rotation_xyzw"][frame][2])


def variable(book, tolerance):
    """Substeps of the doll's frames of 1/60 s, and its worst gap, with steps that vary."""
    text = DOLL.read_text().replace("substeps = 16", f"substeps = 1\nstep_tolerance = {tolerance!r}")
    path = book.work / "variable.toml"
    path.write_text(text)
    run = book.json("simulate", path)
    counts = [count for count in run["work"]["substeps"]["per_frame"] if count]
    mean = sum(counts) / len(counts)
    steps = f"{1000 / 60 / mean:.1f} ({1000 / 60 / max(counts):.1f} to {1000 / 60 / min(counts):.1f}) ms"
    energy = run["energy_j"]["greatest"] / run["energy_j"]["start"]
    return [tolerance, steps, f"{1000 * run['worst']['gap_m']['value']:.0f} mm", f"{energy:.3f}"]


def rods(book):
    """Accelerations of two rods that are let go: after two steps of Euler they have turned by h² times that."""
    run = book.json("simulate", book.scene("rods"))
    return [angle(pose, 2) / 0.001**2 for pose in run["poses"]]


def grown(book, integrator):
    """Growth of the energy of the gap of a joint, an oscillator with hΩ = 0.1, in a thousand steps."""
    run = book.json("simulate", book.scene("spring", integrator=integrator))
    places = [place[0] for place in run["poses"][0]["position_m"]]
    speeds = [momentum[0] for momentum in run["per_frame"]["momentum_kgmps"]]
    energy = lambda frame: (10 * places[frame]) ** 2 + speeds[frame] ** 2
    return energy(1000) / energy(0)


def fades(book, stiffness, damping):
    """Whether the gap of a joint fades in steps of 0.01 s."""
    values = {"k_s": stiffness, "k_d": damping, "seconds": 20.0}
    run = book.json("simulate", book.scene("spring", **values))
    places = [abs(place[0]) for place in run["poses"][0]["position_m"]]
    return "fades" if max(places[1800:]) < max(places[:200]) else "grows"


def used(book, path, seconds):
    """Seconds of the processor for a run, the least of five, whatever else the machine does."""

    def once():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        book.run("simulate", path, "--seconds", seconds)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once() for _ in range(5))


def chain(book, count, **keys):
    """Seconds of the processor for half a second of a hanging chain of boxes."""
    text = '[scene]\nseconds = 0.5\n[solver]\nmethod = "hennix"\nframes_before_sleep = 0\n[solver.rigid]\n'
    text += "".join(f"{key} = {json.dumps(value)}\n" for key, value in {"substeps": 4, **keys}.items())
    for index in range(count):
        to = f'to = "b{index - 1}"\n' if index else ""
        text += f'[[box]]\nname = "b{index}"\nsize = [0.2, 0.05, 0.05]\nposition = [{0.2 * index + 0.1!r}, 0, 0]\n'
        text += f'[[joint]]\nname = "j{index}"\nof = "b{index}"\n{to}at = [{0.2 * index!r}, 0, 0]\n'
    path = book.work / f"chain_{count}.toml"
    path.write_text(text)

    start, whole = (used(book, path, seconds) for seconds in (1 / 60, 0.5))
    return whole - start


def hit(book, *boxes):
    """Velocities of boxes along x after they met; each has a mass, a place and a velocity."""
    text = '[scene]\nseconds = 1.0\ngravity = [0, 0, 0]\n[solver]\nmethod = "hennix"\nframes_before_sleep = 0\n'
    text += '[solver.rigid]\nnarrow_phase = "points_and_edges"\n'
    for number, (mass, place, velocity) in enumerate(boxes):
        text += f'[[box]]\nname = "{number}"\nsize = [0.2, 0.2, 0.2]\nmass = {mass}\nrestitution = 0.0\n'
        text += f"position = [{place}, 0, 0]\nvelocity = [{velocity}, 0, 0]\n"
    path = book.work / "hit.toml"
    path.write_text(text)
    run = book.json("simulate", path)
    ends = [[pose["position_m"][frame][0] for frame in (-2, -1)] for pose in run["poses"]]
    return ", ".join(f"{60 * (after - before):.4f}" for before, after in ends)


def chapter(book):
    inner, outer = rods(book)
    steps = []
    for step in (0.002, 0.005, 0.01, 0.02, 0.03):
        runs = [doll(book, "doll", 1 / step, 1, integrator=word) for word in ("euler", "heun")]
        cells = [f"{1000 * run['worst']['gap_m']['value']:.0f} mm" for run in runs]
        energy = max(run["energy_j"]["greatest"] / run["energy_j"]["start"] for run in runs)
        steps.append([f"{step} s", *cells, f"{energy:.3f}"])
    bounds = []
    for stiffness in (100.0, 2500.0):
        least, most = 0.01 * stiffness, 200 + 0.005 * stiffness
        tries = [0.95 * least, 1.05 * least, 0.995 * most, 1.005 * most]
        bounds.append(
            [f"{stiffness:.0f}", f"{least:.0f} to {most:.1f}", *(f"{k:.1f}: {fades(book, stiffness, k)}" for k in tries)]
        )
    counts = [10, 20, 40, 80, 160]
    times = [chain(book, count) for count in counts]
    power = math.log(times[-1] / times[1]) / math.log(counts[-1] / counts[1])
    costs = [["a frame, over that of 10 boxes", *(f"{time / times[0]:.1f}" for time in times), f"N^{power:.1f}"]]
    phases = [doll(book, "phase", 60.0, 16, broad_phase=word)["work"]["pairs"]["total"] for word in ("sort_and_sweep", "tree")]
    run = doll(book, "doll", 60.0, 16)
    worst, energy = run["worst"], run["energy_j"]
    one = hit(book, (1, -1, 2), (3, 0, 0))
    both = hit(book, (1, -1, 2), (3, 0, 0), (1, 0.6, -1))
    longer = chain(book, 40, substeps=60, integrator="heun") / chain(book, 40, substeps=60, integrator="euler")
    share = (used(book, DOLL, 3.0) - used(book, DOLL, 1 / 60)) / 3.0
    book.run("simulate", DOLL, "--gif", book.picture("hennix_doll.gif"), "--force", "--size", "400x225")
    book.studio("h22_feedback", "hennix_inputs.png")
    rows = [["inner", "−12.612857", f"{inner:.6f}"], ["outer", "+4.204286", f"{outer:+.6f}"]]
    varied = [variable(book, tolerance) for tolerance in (1e-4, 1e-3, 1e-2)]
    return f"""
# Hennix et al.: rag doll physics

A. Hennix and others, *Rag doll physics*, Linköping University. A doll of boxes falls in real time, its joints one system of Lagrange
multipliers, J W Jᵀ λ = −J̇ q̇ − J W Q − k_s C − k_d Ċ, by Cholesky. Method `hennix` is that; `docs/papers/rebuild muybridge hennix`
makes this page anew.

## The doll and the equation

{beside("![Fifteen boxes with ball joints fall and come to rest](pictures/hennix_doll.gif)",
        table(["rod", "theory, rad/s²", "ours"], rows))}

*Left:* `muybridge simulate hennix_doll`, by the paper's own broad and narrow phase and its trapezoid rule: fifteen boxes, fourteen
ball joints, 16 substeps. Joints gape by {1000 * worst["gap_m"]["value"]:.1f} mm at most; the energy begins at {energy["start"]:.0f} J and never rises above
{energy["greatest"]:.0f} J. *Right:* the equation by itself, for two rods of 1 kg and 1 m that are let go from the level ([rods](scenes/rods.toml)).

## Stability: the step, k_s and k_d

Paper: explicit Euler and the trapezoid rule; a step of 0.01 s by default, stable up to about 0.03 s, or variable. *Left:* the doll for
three seconds, a substep a frame; the greatest gap of a joint, and the greatest energy over that at the start. *Right:* in frames
of 1/60 s with a `step_tolerance`, by which Euler and the trapezoid may differ in a step, meters and radians.

{beside(table(["step", "Euler", "trapezoid", "energy"], steps), table(["tolerance", "steps", "gap", "energy"], varied))}

It stays together up to 0.03 s with both, as the paper says, but not well: gaps are centimeters from 0.01 s on.

Paper: stable for some k_s and k_d; Euler is preferred as the faster. The gap of a joint alone is an oscillator
([spring](scenes/spring.toml)). Undamped, in a thousand steps of hΩ = 0.1, its energy grows {grown(book, "euler"):.2f} times by Euler (theory 20959.16)
and {grown(book, "heun"):.5f} times by the trapezoid (1.02531), so we prefer that. Damped, by Euler, it fades if
h k_s < k_d < 2/h + h k_s/2. Both ends tried, in steps of 0.01 s:

{table(["k_s", "k_d from theory", "", "", "", ""], bounds)}

## Cost over bodies

Paper: from O(N³) to O(N²) by Cholesky. Ours takes the joints in an order in which few entries are off the diagonal, so the time of a
hanging chain grows nearly as its boxes (of the processor, least of five runs):

{table(["boxes", *counts, "20 to 160 grow as"], costs)}

Paper: in real time. Of real time the doll takes {percent(share, 1.0)} of a processor core here. The trapezoid rule takes {longer:.1f} times as long as Euler for a chain of 40 in
60 substeps.

## Collisions and inputs

<img align="right" width="328" src="pictures/hennix_inputs.png" alt="The window of inputs: gravity, rate, friction, method, integrator, k_s, k_d">

*Figure 1, anchors.* `at` of a `[[joint]]` is given once, and each body keeps its own vector to it. Hinges and universal joints, which the
paper has "to some extent", are kinds of joints here, as are sliders.

*Figure 2, three sorted lists.* In the run of the doll `broad_phase = "sort_and_sweep"` finds {phases[0]} pairs, and the tree {phases[1]}.

*Points in bodies, then edges; the average of them, all summed and then applied; totally inelastic.* A box of 1 kg at 2 m/s meets one
of 3 kg: they go on with {one} m/s (0.5 m/s if they stay together). If a box of 1 kg meets that of 3 kg from the other side at the same
time, with 1 m/s, the three go on with {both} m/s (0.2 m/s).

*Figures 3 and 4, the program and its window of inputs.* *Right:* the studio (`muybridge studio`) with a scene of method `hennix` that runs. Gravity,
k_s, k_d, integrator, step and friction are changed meanwhile, and the next step has them. Of a run, `--log FILE` keeps every input, and
`--replay FILE` gives the same bits.
"""
