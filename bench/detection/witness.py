"""A second way to see whether a clip is rightly called implausible: it shares no code with the program.

    python3 bench/detection/witness.py --program PROGRAM FILE...

Poses the clip by `bvh.py`, puts the masses of a human (trunk and head half, legs a third, arms a tenth; of no human by length)
on its bones, and prints
  the three frames at which joints step most differently from the frames around: rms over joints of |x(t+1) - 2 x(t) + x(t-1)|,
  the largest and the least weight that the ground would carry over 50 ms, in body weights (1 standing, 0 flying),
  and of every flight that the program finds: gravity of a parabola through the mass center, the most that the lowest foot
  rises over its own level, and the slowest that a foot point gets. A foot that rests (below 0.2 m/s) at its level is no flight.
From the program it takes unit, up axis and the frames of the flights; formats but BVH are converted by it.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np

import bvh
import corrupt
import detection


def mass_center(body):
    """Frames × 3, meters: each bone's mass stands halfway to its children."""
    joints, count = body.clip.joints, len(body.clip.joints)
    # A bone whose end moves in its own frame is none: a root that stays on the ground.
    rigid = [np.ptp(bvh.local(body.clip, k)[1], axis=0).max() * body.meters < 0.02 for k in range(count)]
    owner = np.array([joint.parent if rigid[k] else -1 for k, joint in enumerate(joints)] + body.owners)
    length, middle = np.zeros(count), np.zeros((count,) + body.points.shape[1:])
    for k in range(count):
        tips = np.flatnonzero(owner == k)
        middle[k] = (body.points[k] + body.points[tips].mean(0)) / 2 if len(tips) else body.points[k]
        length[k] = np.linalg.norm(body.points[tips] - body.points[k], axis=2).mean() if len(tips) else 0
    names = {joint.name for joint in joints}
    legs = {k for pair in body.legs() for k in pair}
    paired = [corrupt.mirrored(joint.name) in names - {joint.name} for joint in joints]
    part = np.array([1 if k in legs else 2 if paired[k] else 0 for k in range(count)])
    mass = length ** 2 + 1e-9
    if legs and len({0, 1, 2} & set(part)) == 3:
        for which, share in ((0, 0.55), (1, 0.34), (2, 0.11)):
            mass[part == which] *= share / mass[part == which].sum()
    return (mass[:, None, None] * middle).sum(0) / mass.sum()


def report(label, row, flights, path):
    clip = bvh.read(path)
    body = corrupt.Body(clip, row["meters_per_unit"], row["up"])
    step, up = clip.step, body.up
    print(f"\n{label}: {row['verdict']}, {row['error_ids']}, {len(clip.frames)} frames at {1 / step:.0f} fps")
    joints = body.points[: len(clip.joints)]
    odd = np.sqrt((np.diff(joints, 2, axis=1) ** 2).sum(2).mean(0))
    most = np.argsort(odd)[::-1][:3]
    told = ", ".join(f"{100 * odd[t]:.1f} cm at frame {t + 1}" for t in most)
    print(f"  steps: rms second difference {told}; median {100 * np.median(odd):.2f} cm")
    center = mass_center(body)
    half = max(1, round(0.05 / step))
    if len(center) > 2 * half + 1:
        rise = (center[2 * half:, up] - 2 * center[half:-half, up] + center[:-2 * half, up]) / (half * step) ** 2
        carried = 1 + rise / 9.81
        print(f"  carried weight: {carried.max():.1f} at frame {carried.argmax() + half}, "
              f"{carried.min():.1f} at frame {carried.argmin() + half}")
    height = body.points[..., up]
    legs = {k for pair in body.legs() for k in pair}
    feet = [k for k, owner in enumerate(list(range(len(clip.joints))) + body.owners)
            if body.inside[k] and (owner in legs or not legs)]
    low = np.percentile(height, 5, axis=1)
    feet = [k for k in feet if low[k] < low[feet].min() + 0.15 * (height.max(0).mean() - height.min(0).mean())]
    over = height[feet] - low[feet][:, None]
    speed = np.linalg.norm(np.gradient(body.points[feet], step, axis=1), axis=2)
    for flight in flights:
        a, e = flight["first_frame"], flight["last_frame"]
        if e - a < 2:
            continue
        t = np.arange(a, e + 1) * step
        fall = -2 * np.polyfit(t - t.mean(), center[a:e + 1, up], 2)[0] / 9.81
        rests = int((((speed < 0.2) & (over < 0.03)).any(0))[a:e + 1].sum())
        told = flight["gravity_g"]
        print(f"  flight {a}–{e} ({(e - a + 1) * step:.2f} s): falls at {fall:.2f} g (program {told if told is None else round(told, 2)}), "
              f"feet up to {100 * over.min(0)[a:e + 1].max():.0f} cm clear, a foot rests at its level in {rests} frames")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="+")
    parser.add_argument("--program", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for file in arguments.file:
            path = file
            if not file.lower().endswith(".bvh"):
                path = os.path.join(folder, os.path.splitext(os.path.basename(file))[0] + ".bvh")
                run = subprocess.run([arguments.program, "convert", file, path, "--force"], capture_output=True, text=True)
                if run.returncode:
                    print(f"{file}: {run.stderr.strip()}", file=sys.stderr)
                    continue
            rows, flights = detection.survey(arguments.program, [path], 1)
            for key, row in rows.items():
                report(file, row, flights.get(key, []), path)


if __name__ == "__main__":
    main()
