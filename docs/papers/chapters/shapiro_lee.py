"""Shapiro and Lee (2011): figures 1 to 9 and table 1."""

import csv
import math
import statistics

# Table 1 of the paper, g; and how many frames each of our flights has: 4 to 27, 150 in all, as in the paper.
TABLE_1 = [1.02, 0.89, 2.20, 0.47, 0.50, 1.52, 1.41, 0.77, 3.35, 1.81, 0.43, 0.56, 2.51]
FRAMES = [24, 27, 9, 14, 13, 8, 10, 11, 4, 7, 12, 6, 5]
WALKS = [0.3, 0.4, 0.5, 0.6, 0.7]
RUNS = [(70, 0.9), (70, 0.7), (62, 0.8), (90, 0.8), (55, 1.1)]
# What the hand adds to the pose of a drawn flight: bone, axis, degrees.
POSE = [
    ("LeftUpperLeg", "X", -1.0),
    ("RightUpperLeg", "X", -1.0),
    ("LeftLowerLeg", "X", 1.0),
    ("RightLowerLeg", "X", 1.0),
    ("RightUpperArm", "Z", 1.0),
]
LINEAR = ["linear momentum error along x", "linear momentum error along z"]
ANGULAR = ["angular momentum error about x", "angular momentum error about y", "angular momentum error about z"]

BALANCE = ["balance, walking", "balance, running", "balance, everything else"]


class Motion:
    """A BVH as rows of numbers."""

    def __init__(self, path):
        self.head, motion = path.read_text().split("MOTION\n")
        count, time, *rows = motion.strip().split("\n")
        self.time = float(time.split(":")[1])
        self.rows = [[float(number) for number in row.split()] for row in rows]

    def channel(self, bone, axis):
        """Place of a rotation in a row."""
        words, place, name = self.head.split(), 0, ""
        for index, word in enumerate(words):
            if word in ("ROOT", "JOINT"):
                name = words[index + 1]
            if word == "CHANNELS":
                count = int(words[index + 1])
                if name == bone:
                    return place + words[index + 2 : index + 2 + count].index(f"{axis}rotation")
                place += count
        raise KeyError(bone)

    def write(self, path):
        rows = "\n".join(" ".join(f"{number:.6f}" for number in row) for row in self.rows)
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{self.head}MOTION\nFrames: {len(self.rows)}\nFrame Time: {self.time:.9f}\n{rows}\n")
        return path


def by_hand(motion):
    """What a hand might make of a flight: its turn eases in and out, it sways aside by 2 % of its way, it hurries and lingers
    by 3 %, and it tucks the legs and lifts an arm, by a degree for each frame, while the trunk turns on as if it had not."""
    rows, last = motion.rows, len(motion.rows) - 1
    way = [rows[-1][0] - rows[0][0], rows[-1][2] - rows[0][2]]
    poses = [(motion.channel(bone, axis), degrees) for bone, axis, degrees in POSE]
    drawn = []
    for frame, row in enumerate(rows):
        share = frame / last
        eased = last * (0.5 * share + 0.5 * share * share * (3 - 2 * share))
        before = min(int(eased), last - 1)
        part, row = eased - before, list(row)
        for channel in (3, 4, 5):
            row[channel] = rows[before][channel] * (1 - part) + rows[before + 1][channel] * part
        for channel, degrees in poses:
            row[channel] += degrees * len(rows) * math.sin(math.pi * share) ** 2
        aside, along = 0.02 * math.sin(math.pi * share), 0.03 * math.sin(2 * math.pi * share)
        row[0] += aside * way[1] + along * way[0]
        row[2] += along * way[1] - aside * way[0]
        drawn.append(row)
    motion.rows = drawn
    return motion


def flights(book):
    """Simulates the thirteen flights, and draws them over by hand. Returns the gravities that a survey finds."""
    for number, (gravity, frames) in enumerate(zip(TABLE_1, FRAMES), 1):
        name = f"flight_{number:02}"
        pull = [0.0, -9.81 * gravity, 0.0]
        scene = book.scene("flight", out=name, gravity=pull, seconds=(frames - 1) / 24)
        (book.work / "flights").mkdir(exist_ok=True)
        book.run("simulate", scene, "-o", f"flights/{name}.bvh")
        by_hand(Motion(book.work / "flights" / f"{name}.bvh")).write(book.work / "drawn" / f"{name}.bvh")
    pages = {}
    for folder in ("flights", "drawn"):
        book.run("survey", folder, "--out", f"{folder}.csv", "--html", f"{folder}.html")
        pages[folder] = (book.work / f"{folder}.html").read_text()
    with open(book.work / "flights.flights.csv", newline="") as file:
        found = [float(row["gravity_g"]) for row in csv.DictReader(file)]
    return found, pages


def gaits(book):
    """Simulates five walks and five runs. Returns for each kind the frames inside, inside or within one, and all."""
    (book.work / "gaits").mkdir(exist_ok=True)
    for number, speed in enumerate(WALKS, 1):
        scene = book.scene("walk", out=f"walk_{number}", stand__velocity=[0.0, 0.0, speed])
        book.run("simulate", scene, "-o", f"walk_{number}.bvh")
        book.run("convert", f"walk_{number}.bvh", f"gaits/walk_{number}.bvh", "--fps", 24, "--frames", "38..70")
    for number, (mass, friction) in enumerate(RUNS, 1):
        scene = book.scene("run", out=f"run_{number}", mass=mass, friction=friction, ground_friction=friction)
        book.run("simulate", scene, "--allow-outside", "-o", f"run_{number}.bvh")
        book.run("convert", f"run_{number}.bvh", f"gaits/run_{number}.bvh", "--fps", 41)
    counts = {}
    for kind in ("walk", "run"):
        clips = [f"gaits/{kind}_{number}.bvh" for number in range(1, 6)]
        book.run("survey", *clips, "--out", f"{kind}.csv", "--html", f"{kind}.html")
        page = (book.work / f"{kind}.html").read_text()
        # A run of two strides may be too short for a survey to call it one.
        named = [(sum(book.chart(page, label, f"shapiro_lee_7_{kind}.svg")), label) for label in BALANCE]
        bins = book.chart(page, max(named)[1], f"shapiro_lee_7_{kind}.svg")
        counts[kind] = [bins[0], bins[0] + bins[1], sum(bins)]
    return counts


def jumps(book):
    """Figures 1 to 3 and 9: a jump, and the same jump played too fast and as a giant's."""
    book.run("simulate", book.scene("jump"), "-o", "jump_240.bvh")
    book.run("fix", "jump_240.bvh", "-o", "long.bvh", "--takeoff-velocity", "0,2.4,2.2", "--tools", "time")
    book.run("convert", "long.bvh", "jump.bvh", "--fps", 24)
    motion = Motion(book.work / "jump.bvh")
    motion.time *= 0.85
    motion.write(book.work / "hurried.bvh")
    found = {"jump": book.clip("long.bvh"), "hurried": book.clip("hurried.bvh")}
    span = found["jump"]["flights"][0]
    first, last = span["first_frame"], span["last_frame"]
    middle = 0.5 * (span["start_s"] + span["end_s"])
    family = ["fix", "long.bvh", "--dry-run", "--curves", f"{first}..{last}"]
    found["span"] = f"{first}..{last}"
    found["curves"] = book.json(*family)["fixes"][0]["curves"]
    look = ["--force", "--size"]
    book.run(*family, "--png", book.picture("shapiro_lee_1.png"), "--at", middle, *look, "450x200")
    flight = found["hurried"]["flights"][0]
    middle = 0.5 * (flight["start_s"] + flight["end_s"])
    fixed = ["fix", "hurried.bvh", "-o", "fixed.bvh", "--tools", "time"]
    found["fix"] = book.json(*fixed)["fixes"][0]
    fixed = [*fixed, "--force", "--png", book.picture("shapiro_lee_2.png"), "--at", middle, "--size", "450x200"]
    book.run(*fixed)
    book.run("convert", "long.bvh", "giant.glb", "--unit", "cm", "--resize", 10)
    found["giant"] = book.clip("giant.glb", "--unit", "m")
    return found


def fall_time(book, size):
    """Seconds until a ball `size` times as large reaches the ground, on the parabola through its first frames."""
    changes = {"radius": 0.1 * size, "position": [0.0, 1.1 * size, 0.0], "seconds": 0.6 * math.sqrt(size)}
    run = book.json("simulate", book.scene("ball", **changes))
    height = [place[1] - 0.1 * size for place in run["poses"][0]["position_m"]]
    step = 1 / run["rate_hz"]
    frame = next(frame for frame, above in enumerate(height) if above < 0.02 * size)
    a, b, c = height[frame - 3 : frame]
    curve, slope = (a - 2 * b + c) / 2, (c - a) / 2
    return step * (frame - 2 + (-slope - math.sqrt(slope * slope - 4 * curve * b)) / (2 * curve))


def chapter(book):
    gravities, pages = flights(book)
    found = jumps(book)
    counts = gaits(book)
    letters = dict(zip(["path error", *LINEAR, *ANGULAR], "abcdef"))
    drawn = {label: book.chart(pages["drawn"], label, f"shapiro_lee_6{letter}.svg") for label, letter in letters.items()}
    exact = {label: book.chart(pages["flights"], label, "unused.svg") for label in letters}
    book.picture("unused.svg").unlink()
    book.run("simulate", book.scene("walk", out="turn", seconds=2.4, stand__velocity=[0.35, 0.0, 0.35]), "-o", "turn.bvh")
    book.run("check", "turn.bvh", "--gif", book.picture("shapiro_lee_8.gif"), "--force", "--size", "360x204")
    turn = book.clip("turn.bvh")
    fox = [book.data / "gltf" / "Fox.glb", "--clip", "Walk"]
    book.run("check", *fox, "--png", book.picture("shapiro_lee_5.png"), "--at", 0.35, "--force", "--size", "360x204")
    fox = book.clip(*fox)
    book.run("survey", book.data / "bvh", book.data / "gltf", "--out", "shots.csv")
    with open(book.work / "shots.csv", newline="") as file:
        shots = [int(row["flights"]) > 0 for row in csv.DictReader(file) if row["status"] == "checked"]
    outside = outside_support(turn)
    balls = [fall_time(book, size) for size in (1, 10)]
    first = lambda counts, bins=1: percent(sum(counts[:bins]), sum(counts))
    paths = found["curves"]["paths"]
    lasts = [f"{path['duration_s']:.2f} s" for path in paths]
    speeds = [f"{path['takeoff_mps'][1]:.2f}, {path['takeoff_mps'][2]:.2f}" for path in paths]
    curves = [["apex, m", *(f"{path['apex_m'][1]:.2f}" for path in paths)], ["y, z, m/s", *speeds]]
    hurried = found["hurried"]["flights"][0]
    step = found["fix"]["steps"][0]["flights"][0]
    giant = found["giant"]
    times = [clip["frames"] / clip["fps"] for clip in (found["jump"], giant)]
    sums = [statistics.median(gravities), min(gravities), max(gravities), sum(abs(g - 1) > 0.2 for g in gravities)]
    worst = max(abs(a - b) for a, b in zip(gravities, TABLE_1))
    names = ["a, path", "b, linear, x", "c, linear, z", "d, angular, x", "e, angular, y", "f, angular, z"]
    errors = [
        f"![6 {name}](pictures/shapiro_lee_6{name[0]}.svg)<br>{name}: {first(counts)}, {first(counts, 2)}"
        for name, counts in zip(names, drawn.values())
    ]
    beyond = percent(sum(drawn[label][-1] for label in ANGULAR), sum(sum(drawn[label]) for label in ANGULAR))
    shares = lambda counts: f"{percent(counts[0], counts[2])} and {percent(counts[1], counts[2])} of {counts[2]}"
    simulated = min(percent(counts[0], sum(counts)) for counts in exact.values())
    walks, runs = counts["walk"], counts["run"]
    return f"""
# Shapiro and Lee (2011): practical character physics

A. Shapiro, S.-H. Lee, *Practical character physics for animators*, IEEE CG&A 31(4). Does drawn motion fall, keep its momenta, and
could it stand? The paper measures and mends it. Its thirteen flights, five walks and five runs are not public: ours are simulated by the scenes
in [scenes/](scenes). `docs/papers/rebuild muybridge shapiro_lee` makes this page anew.

## Figures 1 to 3 and 9: paths, frames, a giant

| figure 1: paths through a flight's ends | figure 2: suggested (dashed), animated (blue) |
| --- | --- |
| ![A jumper in the air, her path in blue, seven dashed paths through both ends of the flight](pictures/shapiro_lee_1.png) | ![The jump played too fast, and after the correction](pictures/shapiro_lee_2.png) |

```sh
muybridge simulate docs/papers/scenes/jump.toml -o jump.bvh
muybridge fix jump.bvh -o long.bvh --takeoff-velocity 0,2.4,2.2 --tools time
muybridge fix long.bvh --dry-run --curves {found["span"]} --png family.png                       # figure 1
muybridge convert long.bvh giant.glb --resize 10 && muybridge check giant.glb --unit m    # figure 9
```

{table(["lasts", *lasts], curves)}

*Figure 3: frames that a flight lacks.* Paper: two, in a walk and a jump. Our jump, played 1.18 times too fast, falls with {hurried["gravity_g"]:.2f} g. It
lacks {hurried["frames_to_add"]}: with `--tools time` it goes from {step["intervals"] + 1} to {step["new_intervals"] + 1} frames, and falls with {found["fix"]["after"]["flights"][0]["gravity_g"]:.2f} g.
*Figure 9: ten times larger, a fall takes* 3.19 times as long in the paper, √10 = {math.sqrt(10):.4f} in theory, {times[1] / times[0]:.4f} in our jump, and {balls[1] / balls[0]:.4f} for our
ball ({balls[0]:.4f} and {balls[1]:.4f} s). Both jumps fall with {giant["flights"][0]["gravity_g"]:.3f} g. Whole frames give 3.19: 51 for 16.

## Table 1 and figure 6: thirteen flights

{table(["table 1", *range(1, 14)], [["paper, g", *(f"{g:.2f}" for g in TABLE_1)], ["ours, g", *(f"{g:.2f}" for g in gravities)],
        ["frames", *FRAMES]])}

Each flight is simulated under the gravity of its column, and `muybridge survey` measures it to within {worst:.0e} g. The median is {sums[0]:.2f}
(paper: 0.95 in its text, {statistics.median(TABLE_1):.2f} in its table), the range {sums[1]:.2f} to {sums[2]:.2f} (0.5 to 3.3 in its text), and {sums[3]} of 13 are more than 20 %
off ({sum(abs(g - 1) > 0.2 for g in TABLE_1)} in its table).

{table(errors[:3], [errors[3:]])}

*Figure 6, errors of path and momenta: frames in the first bin, and in the first two.* Of simulated flights {simulated} are in the first, so
the charts are of flights drawn over: the turn eases in and out, the way sways by 2 % and hurries by 3 %, legs tuck and an arm lifts while the
trunk turns on as before. Paper: a path below 0.1, the first two, for more than 90 %, ours {first(drawn["path error"], 2)}; angular momenta much worse than linear
ones, ours too, most about x, about which legs tuck; some “infinite”, of ours {beyond}. How a hand errs is our guess.

## Figures 4, 5, 7 and 8: balance

| ![distance of the zero-moment point while walking](pictures/shapiro_lee_7_walk.svg)<br>7, walking: paper > 60 % and 85 % of 165 frames, ours {shares(walks)} | ![A person walks off and turns: mass center, momenta as arrows, support polygon and zero-moment point](pictures/shapiro_lee_8.gif)<br>4, 5 and 8, a turn: mass center outside {outside}, zero-moment point {share_out(turn)} |
| --- | --- |
| ![while running](pictures/shapiro_lee_7_run.svg)<br>7, running: paper 33 % and 70 % of 113, ours {shares(runs)} | ![A fox walks: mass center, support polygon and zero-moment point](pictures/shapiro_lee_5.png)<br>5, a creature: mass center outside {outside_support(fox)}, zero-moment point {share_out(fox)} |

*Figure 7:* frames with the zero-moment point inside the support, and inside or within one mean radius, without frames in the air. Our walks
are balanced by construction. In our [runs](scenes/run.toml) muscles follow a recorded stride, and the ground does the rest, for 1.2 s;
later they slow down. *Figures 8 and 5:* `muybridge check turn.bvh --gif turn.gif`, of [walk](scenes/walk.toml) with the velocity
(0.35, 0, 0.35), and `muybridge check tests/data/gltf/Fox.glb --clip Walk --png fox.png`.
*Shots that have flights:* 10 to 16 % in the paper's films. `muybridge survey` finds them in {sum(shots)} of the {len(shots)} clips of `tests/data`, {percent(sum(shots), len(shots))}.
"""


def share_out(clip):
    """Share of the frames with support in which the zero-moment point is outside it."""
    return percent((1 - clip["balance"]["inside_fraction"]) * 1000, 1000)


def outside_support(clip):
    """Share of the frames with support in which the mass center is over a place outside it."""
    inside = total = 0
    rows = clip["per_frame"]
    for center, corners in zip(rows["mass_center_m"], rows["support_polygon_m"]):
        if center and corners and len(corners) > 2:
            total += 1
            sides = []
            for (ax, _, az), (bx, _, bz) in zip(corners, corners[1:] + corners[:1]):
                sides.append((bx - ax) * (center[2] - az) - (bz - az) * (center[0] - ax))
            inside += all(side >= 0 for side in sides) or all(side <= 0 for side in sides)
    return percent(total - inside, total)
