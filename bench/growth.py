#!/usr/bin/env python3
"""Times the program on files that grow: hopping bodies, still bodies, many bones, nested bones.

    bench/growth.py [PROGRAM]          default: target/release/muybridge

Each line says by how much the time grew for a file of four times the size; 4 is linear.
"""

import math
import os
import subprocess
import sys
import tempfile
import time

PERSON = [
    ("Hips", -1, (0, 0, 0)),
    ("Spine", 0, (0, 10, 0)),
    ("Head", 1, (0, 45, 0)),
    ("LeftUpLeg", 0, (10, 0, 0)),
    ("LeftLeg", 3, (0, -42, 0)),
    ("LeftFoot", 4, (0, -42, 0)),
    ("LeftToeBase", 5, (0, -5, 13)),
    ("RightUpLeg", 0, (-10, 0, 0)),
    ("RightLeg", 7, (0, -42, 0)),
    ("RightFoot", 8, (0, -42, 0)),
    ("RightToeBase", 9, (0, -5, 13)),
]
FRAME_TIME = 1 / 30


def bvh(bones, rows):
    """A BVH of bones (name, parent, offset), depth first, with rows of channels."""
    out, open_bones = ["HIERARCHY"], []
    for at, (name, parent, offset) in enumerate(bones):
        while open_bones and open_bones[-1] != parent:
            out.append("}")
            open_bones.pop()
        channels = "3 Zrotation Xrotation Yrotation" if at else "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
        out += [("JOINT " if at else "ROOT ") + name, "{", "OFFSET %g %g %g" % offset, "CHANNELS " + channels]
        open_bones.append(at)
        if at + 1 == len(bones) or bones[at + 1][1] != at:
            out.append("End Site\n{\nOFFSET 0 6 0\n}")
    out += ["}"] * len(open_bones)
    out += ["MOTION", "Frames: %d" % len(rows), "Frame Time: %.7f" % FRAME_TIME]
    return "\n".join(out + rows) + "\n"


def hopping(frames):
    """Flights of 12 frames under a wrong gravity, stances of 12 frames between them."""
    air, period, stand = 12, 24, 5 + 84 * math.cos(math.radians(25))
    rows = []
    for frame in range(frames):
        k, height, bend = frame % period, stand, 25.0
        if k < air:
            gravity = (5.2, 9.81, 8.9, 16.0, 7.4)[frame // period % 5]
            t, whole = (k + 1) * FRAME_TIME, (air + 1) * FRAME_TIME
            height += 50 * gravity * t * (whole - t)
        else:
            share, rest = (k - air) / (period - air - 1), (period - air - 1) * FRAME_TIME
            crouch = 50 * 9.81 * (air + 1) * FRAME_TIME * rest / math.pi * math.sin(math.pi * share)
            height -= crouch
            bend = math.degrees(math.acos((stand - 5 - crouch) / 84))
        leg = [0, -bend, 0, 0, 2 * bend, 0, 0, -bend, 0, 0, 0, 0]
        rows.append(" ".join("%.6g" % v for v in [0, height, 0] + [0] * 9 + leg + leg))
    return bvh(PERSON, rows)


def still(frames):
    return bvh([("Hips", -1, (0, 0, 0)), ("Chest", 0, (0, 0.5, 0))], ["0 1 0 0 0 0 0 0 0"] * frames)


def blinking(frames):
    """Flights of one frame: the body is high in every third frame."""
    return bvh(PERSON, [" ".join("%g" % v for v in [0, 140 if f % 3 == 0 else 89, 0] + [0] * 33) for f in range(frames)])


def many(bones):
    tree = [("b0", -1, (0, 0, 0))] + [("b%d" % at, 0, (at % 100 * 0.01, at // 100 * 0.01, 0)) for at in range(1, bones)]
    return bvh(tree, ["0 1 0 0 0 0" + " 1 0 0" * (bones - 1)] * 30)


def nested(bones):
    tree = [("b%d" % at, at - 1, (0, 0.01, 0)) for at in range(bones)]
    return bvh(tree, ["0 1 0 0 0 0" + " 1 0 0" * (bones - 1)] * 4)


CASES = [
    ("hopping", hopping, 4000, ["check", "fix", "page"]),
    ("still", still, 100_000, ["check", "fix", "table", "page", "plate"]),
    ("blinking", blinking, 4000, ["check", "fix"]),
    ("many bones", many, 2500, ["check", "fix", "convert"]),
    ("nested bones", nested, 25_000, ["check", "fix", "convert", "plate"]),
]


def seconds(program, verb, file, folder):
    out = os.path.join(folder, "out")
    call = {
        "check": ["check", file],
        "fix": ["fix", file, "--dry-run"],
        "page": ["check", file, "--force", "--html", out + ".html"],
        "table": ["check", file, "--force", "--csv", out + ".csv"],
        "plate": ["check", file, "--force", "--plate", out + ".png"],
        "convert": ["convert", file, out + ".glb", "--force"],
    }[verb]
    start = time.monotonic()
    subprocess.run([program] + call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
    return time.monotonic() - start


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "target/release/muybridge"
    with tempfile.TemporaryDirectory() as folder:
        for name, make, size, verbs in CASES:
            files = []
            for count in (size, 4 * size):
                files.append(os.path.join(folder, "%d.bvh" % count))
                with open(files[-1], "w") as file:
                    file.write(make(count))
            for verb in verbs:
                small, large = (seconds(program, verb, file, folder) for file in files)
                print(f"{name:13} {verb:8} {size:7}: {small:6.2f} s   {4 * size:7}: {large:6.2f} s   × {large / small:.1f}", flush=True)


main()
