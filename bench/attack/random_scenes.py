#!/usr/bin/env python3
"""Runs random scenes of solids, joints, cloth, ropes and obstacles under every method, and lists what goes wrong.

    bench/attack/random_scenes.py --program target/release/muybridge --seeds 0 200

A line names the seed, the method, and a failure, a number that is none, or energy that was gained: more than 2 % of that of the
start, and half a joule. Bodies may overlap at the start: what is pushed out is lifted, and gains weight times height. So a gain counts
there only if it is also there without gravity. With --apart nothing overlaps, and every gain counts. Needs Python 3.9 and nothing
else.
"""

import argparse
import concurrent.futures
import json
import math
import pathlib
import random
import re
import subprocess
import tempfile

METHODS = ["particles", "shake", "multipliers", "displacement", "hennix"]
OBSTACLES = [
    'kind = "box"\nsize = [1, 0.05, 1]',
    'kind = "sphere"\nradius = 0.3',
    'kind = "capsule"\nradius = 0.1\nlength = 0.8',
]


def body(choice, name):
    kind = choice.choice(["box", "ball", "capsule", "tetrahedron", "box"])
    of = choice.uniform
    shape = {
        "box": f"size = {[of(0.05, 0.6) for _ in range(3)]}",
        "ball": f"radius = {of(0.03, 0.3)}",
        "capsule": f"radius = {of(0.03, 0.2)}\nlength = {of(0.05, 0.6)}",
        "tetrahedron": f"size = {of(0.05, 0.5)}",
    }[kind]
    place, turn = [of(-0.6, 0.6), of(0.0, 1.5), of(-0.6, 0.6)], [of(-1.5, 1.5) for _ in range(3)]
    text = f'[[{kind}]]\nname = "{name}"\n{shape}\nmass = {10 ** of(-1.5, 2.5)}\nposition = {place}\nrotation = {turn}\n'
    if choice.random() < 0.6:
        most = choice.choice([1, 5, 30])
        text += f"velocity = {[of(-most, most) for _ in range(3)]}\n"
    if choice.random() < 0.5:
        most = choice.choice([2, 20])
        text += f"spin = {[of(-most, most) for _ in range(3)]}\n"
    return text + f"friction = {of(0.0, 1.0)}\nrestitution = {choice.choice([0.0, 0.5, 1.0])}\n"


def scene(seed):
    choice = random.Random(seed)
    text = f"[scene]\nseconds = {choice.uniform(0.5, 1.5)}\nrate = {choice.choice([30, 60, 120])}\nground = 0.0\n"
    names = [f"b{index}" for index in range(choice.randint(1, 7))]
    text += "".join(body(choice, name) for name in names)
    for index in range(choice.randint(0, 3)):
        of, kind = choice.choice(names), choice.choice(["fixed", "ball", "hinge"])
        at = [choice.uniform(-0.5, 0.5) for _ in range(3)]
        text += f'[[joint]]\nname = "j{index}"\nkind = "{kind}"\nof = "{of}"\nat = {at}\n'
        text += "axis = [1, 0.2, 0]\n" if kind == "hinge" else ""
        others = [name for name in names if name != of]
        if others and choice.random() < 0.5:
            text += f'to = "{choice.choice(others)}"\n'
    if choice.random() < 0.3:
        text += f'[[cloth]]\nname = "c"\ncolumns = {choice.randint(2, 34)}\nrows = {choice.randint(2, 20)}\n'
        text += "width = 1\ndepth = 1\nposition = [0, 1.6, 0]\nmass = 0.3\n"
    if choice.random() < 0.3:
        text += f'[[rope]]\nname = "r"\nsegments = {choice.randint(2, 20)}\n'
        text += "from = [0.8, 1.5, 0]\nto = [-0.5, 1.5, 0.3]\nmass = 0.5\n"
    for index in range(choice.randint(0, 2)):
        place = [choice.uniform(-0.5, 0.5), choice.uniform(0.0, 0.6), choice.uniform(-0.5, 0.5)]
        text += f'[[obstacle]]\nname = "o{index}"\n{choice.choice(OBSTACLES)}\nposition = {place}\n'
    return text


def value(block, key):
    found = re.search(rf"^{key} = (.*)$", block, re.MULTILINE)
    return json.loads(found.group(1)) if found else 0.0


def apart(text, seed):
    """The scene with its solids moved apart, by the spheres around them; those that find no place are left out."""
    choice = random.Random(-1 - seed)
    blocks = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    heights = [1.6] * ("[[cloth]]" in text) + [1.5] * ("[[rope]]" in text)
    placed, left_out = [], set()
    for index in sorted(range(len(blocks)), key=lambda index: not blocks[index].startswith("[[obstacle")):
        block = blocks[index]
        is_obstacle = block.startswith("[[obstacle")
        if not is_obstacle and not block.startswith(("[[box", "[[ball", "[[capsule", "[[tetrahedron")):
            continue
        size, rounded = value(block, "size"), value(block, "radius") + value(block, "length") / 2
        reach = 0.01 + (rounded or (math.hypot(*size) / 2 if isinstance(size, list) else size))
        for _ in range(300):
            low = 0 if is_obstacle else reach
            place = [choice.uniform(-1.2, 1.2), choice.uniform(low, 2.6), choice.uniform(-1.2, 1.2)]
            is_far = all(math.dist(place, other) > reach + its for other, its in placed)
            if is_far and all(abs(place[1] - height) > reach + 0.03 for height in heights):
                placed.append((place, reach))
                blocks[index] = re.sub(r"^position = .*$", f"position = {place}", block, flags=re.MULTILINE)
                break
        else:
            left_out.add(value(block, "name"))
            blocks[index] = ""
    joins = lambda block: block.startswith("[[joint") and left_out & {value(block, "of"), value(block, "to")}
    return "".join(block for block in blocks if not joins(block))


def run(program, file, method):
    """What is wrong with a run; None if nothing is."""
    option = ["--particle-mode", method] if method == "shake" else ["--method", method]
    try:
        done = subprocess.run([program, "simulate", "--json", file, *option], capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "takes more than a minute"
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr.strip()[:160]}"
    frames = json.loads(done.stdout)["per_frame"]
    energies = [a + b for a, b in zip(frames["kinetic_energy_j"], frames["potential_energy_j"]) if None not in (a, b)]
    if len(energies) < len(frames["time_s"]):
        return "an energy is no number"
    size = max(frames["kinetic_energy_j"][:3]) + abs(energies[0])
    if max(energies) > energies[0] + 0.02 * size + 0.5:
        return f"gains energy: {energies[0]:.4g} J, at most {max(energies):.4g}"
    return None


def judge(program, file, method, may_overlap):
    found = run(program, file, method)
    if not (may_overlap and found and found.startswith("gains")):
        return found
    weightless = file.with_name(f"{file.stem}_{method}.toml")
    weightless.write_text(file.read_text().replace("[scene]\n", "[scene]\ngravity = [0, 0, 0]\n", 1))
    gained = run(program, weightless, method)
    return gained and f"{found}; without gravity {gained}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--seeds", nargs=2, type=int, default=[0, 100], metavar=("FROM", "TO"))
    parser.add_argument("--apart", action="store_true", help="nothing overlaps at the start")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        cases = []
        for seed in range(*options.seeds):
            file = pathlib.Path(folder) / f"{seed}.toml"
            file.write_text(apart(scene(seed), seed) if options.apart else scene(seed))
            cases += [(seed, file, method) for method in METHODS]
        wrong = 0
        results = pool.map(lambda case: judge(options.program, *case[1:], not options.apart), cases)
        for (seed, _, method), found in zip(cases, results):
            if found:
                wrong += 1
                print(f"seed {seed}, {method}: {found}", flush=True)
        print(f"{len(cases)} runs, {wrong} of them wrong")


if __name__ == "__main__":
    main()
