"""Measures how far `muybridge check` can be trusted.

    python3 bench/detection/detection.py --program PROGRAM FOLDER...
        takes clips without findings, corrupts copies of them, and prints two tables: how often a corruption draws a finding,
        and how often a control (a copy that is as sound as its original) does.
    python3 bench/detection/detection.py --false-alarms --program PROGRAM FOLDER...
        checks every clip as it is, and prints clips, implausible, warned and undecided ones of every set (one folder
        is one set, or each folder in it), then every implausible clip with the errors that made it so.

Intervals are Wilson's, 95 %. `fetch.py` writes the public clips; `corrupt.py` says what each corruption does. Needs Python 3
and numpy. Copies go to a temporary folder; the program runs as `survey`, one process for some thousand clips.
"""

import argparse
import collections
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zlib

import numpy as np

import bvh
import corrupt

FORMATS = (".bvh", ".glb", ".gltf", ".vrm", ".vrma", ".fbx")
ORDER = ("teleport cut levitate hover clock swerve spin raise sink slide root joint heading legs one every ghost "
         "identity mirror turn shift floor reverse rest half double resampled").split()
# Percent of the copies that should draw any finding, and that should be implausible.
WANTED = {"teleport 0.3 m": (99, 97), "teleport 1 m": (99, 97), "teleport 3 m": (99, 97), "cut 3 frames": (90, ""),
          "cut 6 frames": (98, ""), "cut 12 frames": (98, ""), "levitate 30 cm": (98, 97), "levitate 50 cm": (98, 97),
          "levitate 100 cm": (98, 97), "hover 0.25 s": (98, 97), "clock × 1.3 faster": (97, ""), "clock × 1.3 slower": (97, ""),
          "swerve 10 cm": (95, ""), "swerve 20 cm": (95, ""), "spin 45°": (90, ""), "spin 90°": (90, ""),
          "raise 5 cm": (95, ""), "raise 10 cm": (95, ""), "sink 5 cm": (95, ""), "sink 10 cm": (95, 90),
          "slide 0.1 m/s": (95, ""), "slide 0.2 m/s": (95, ""), "root 5 mm": (95, ""), "root 10 mm": (95, ""),
          "joint 1°": (98, ""), "joint 2°": (98, ""), "heading flips": (98, ""), "legs swap": (95, ""),
          "one held frame": (95, ""), "every fifth repeats": (95, "")}


def survey(program, paths, threads, *options):
    """Rows of the clips by (file, clip), and of the flights by the same key. Paths are told in a list: a process takes all."""
    if not paths:
        return {}, {}
    with tempfile.TemporaryDirectory() as folder:
        listed, table = os.path.join(folder, "files.txt"), os.path.join(folder, "table.jsonl")
        with open(listed, "w", encoding="utf-8") as file:
            file.write("\n".join(os.path.abspath(path) for path in paths) + "\n")
        run = subprocess.run([program, "survey", listed, "--out", table, "--threads", str(threads), *options],
                             capture_output=True, text=True)
        if not os.path.exists(table):
            sys.exit(f"{program} wrote no table: {run.stderr.strip()}")
        clips, flights = {}, {}
        for line in open(table, encoding="utf-8"):
            row = json.loads(line)
            key = (os.path.relpath(row["file"], "/"), row["clip"])
            if row["kind"] == "clip":
                clips[key] = row
            else:
                flights.setdefault(key, []).append(row)
    return clips, flights


def interval(part, whole):
    """A rate in percent with Wilson's interval."""
    if whole == 0:
        return "–"
    z, p = 1.96, part / whole
    d = 1 + z * z / whole
    center, half = (p + z * z / 2 / whole) / d, z * math.sqrt(p * (1 - p) / whole + z * z / 4 / whole / whole) / d
    return f"{100 * p:.1f} ({100 * max(0, center - half):.1f}–{100 * min(1, center + half):.1f})"


def ids(row, kinds=("error_ids", "warning_ids")):
    return {x for kind in kinds for x in (row[kind] or "").split(";") if x}


def sets_of(folders):
    """The files of every set: a folder with motion files is one, and so is each folder in it."""
    sets = {}
    for top in folders:
        for folder, _, names in os.walk(top):
            files = sorted(os.path.join(folder, name) for name in names if name.lower().endswith(FORMATS))
            if files:
                sets[os.path.relpath(folder, top) if folder != top else os.path.basename(os.path.abspath(top))] = files
    return dict(sorted(sets.items()))


def false_alarms(arguments):
    before = {}
    if arguments.before:
        before = {(row["file"], row["clip"]): row for row in map(json.loads, open(arguments.before))}
    kept, sound, still, worst = [], 0, 0, []
    totals, lines = [0] * 6, []
    started = time.time()
    for name, files in sets_of(arguments.folder).items():
        rows, _ = survey(arguments.program, files, arguments.threads)
        counts = [0] * 6
        for row in rows.values():
            row["file"] = name + "/" + os.path.basename(row["file"])
            kept.append(row)
            read = row["status"] == "checked"
            found = read and row["errors"] + row["warnings"] > 0
            for k, true in enumerate((True, not read, row["verdict"] == "implausible", found,
                                      row["verdict"] == "undecided", read and row["errors"] == 0 and row["warnings"] > 0)):
                counts[k] += true
            if row["verdict"] == "implausible":
                worst.append(row)
            old = before.get((row["file"], row["clip"]))
            if old and old["status"] == "checked" and old["errors"] + old["warnings"] == 0:
                sound, still = sound + 1, still + (read and not found)
        totals = [a + b for a, b in zip(totals, counts)]
        lines.append((name, counts))
    print("| set | clips | unreadable | implausible | % (95 %) | error or warning | % (95 %) | warnings only | undecided |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, (count, unread, bad, found, open_, warned) in lines + [("**all**", totals)]:
        read = count - unread
        print(f"| {name} | {count} | {unread} | {bad} | {interval(bad, read)} | {found} | {interval(found, read)} "
              f"| {warned} | {open_} |")
    if before:
        print(f"\nOf {sound} clips without a finding in {arguments.before}, {still} still have none: {interval(still, sound)} %.")
    print("\n| implausible | before | frames | errors | warnings | gravity, worst | floor, m |\n|---|---|---|---|---|---|---|")
    for row in worst:
        number = lambda x: "–" if x is None else f"{x:.2f}"
        old = before.get((row["file"], row["clip"]), {"verdict": "–"})
        print(f"| {row['file']} {(row['clip'] or '').replace('|', ' ')} | {old['verdict']} | {row['frames']} "
              f"| {row['error_ids'].replace(';', ' ')} | {row['warning_ids'].replace(';', ' ')} "
              f"| {number(row['gravity_worst_g'])} | {number(row['floor_m'])} |")
    print(f"\n{len(kept)} clips in {time.time() - started:.0f} s.")
    if arguments.rows:
        with open(arguments.rows, "w") as file:
            file.writelines(json.dumps(row) + "\n" for row in kept)


def candidates(arguments, folder):
    """BVH files by label, SET/NAME: clean clips, and of the others the seconds around at most two sound flights."""
    sets = sets_of(arguments.folder)
    rows, flights = survey(arguments.program, [file for files in sets.values() for file in files], arguments.threads)
    by_file, paths = {}, {}
    for key, row in rows.items():
        by_file.setdefault(row["file"], []).append((row, sound(row, flights.get(key, []))))
    for name, files in sets.items():
        took = {}
        for file in map(os.path.abspath, files):
            (row, jumps), *more = by_file[file]
            if not more and (clean(row) or jumps):
                took[file] = [None] if clean(row) else jumps[:2]
        place = os.path.join(folder, name)
        os.makedirs(place)
        others = [file for file in took if not file.lower().endswith(".bvh")]
        if others:
            subprocess.run([arguments.program, "convert", *others, place, "--to", "bvh"], capture_output=True)
        for file, spans in took.items():
            stem = os.path.splitext(os.path.basename(file))[0]
            path = os.path.join(place, stem + ".bvh") if file in others else file
            for span in spans if os.path.exists(path) else []:
                label = name + "/" + os.path.basename(file)
                if span is None:
                    paths[label] = path
                    continue
                clip = bvh.read(path)
                first, last = max(0, span[0] - round(1.5 / clip.step)), span[1] + round(1.5 / clip.step)
                label += f" {first}-{last}"
                paths[label] = os.path.join(place, os.path.basename(label).replace(" ", "_") + ".bvh")
                bvh.write(clip.with_frames(clip.frames[first:last + 1]), paths[label])
    return paths


def chosen(arguments, folder):
    """Clean clips (label, path, row, flight or None, has any flight): first those with a sound flight, the sets by turns."""
    paths = candidates(arguments, folder)
    rows, flights = survey(arguments.program, list(paths.values()), arguments.threads)
    labels = {path: label for label, path in paths.items()}
    bases = [(labels[row["file"]], row["file"], row, next(iter(sound(row, flights.get(key, []))), None), row["flights"] > 0)
             for key, row in rows.items() if clean(row)]
    np.random.default_rng(arguments.seed).shuffle(bases)
    turns, place = {}, {}
    for label, *_ in bases:
        group = label.split("/")[0]
        place[label] = turns[group] = turns.get(group, -1) + 1
    bases.sort(key=lambda base: (place[base[0]], base[0]))
    return [base for base in bases if base[3]][: arguments.jumps] + [base for base in bases if not base[3]][: arguments.clips]


def sound(row, flights):
    """First and last frames of the flights of 0.2 s and more that fall as a body does, away from both ends; the longest first."""
    kept = [f for f in flights if f["gravity_g"] and 0.7 < f["gravity_g"] < 1.4 and f["frames"] >= 4
            and f["end_s"] - f["start_s"] >= 0.2 and f["first_frame"] > 3 and f["last_frame"] < row["frames"] - 4]
    return [(f["first_frame"], f["last_frame"]) for f in sorted(kept, key=lambda f: (-f["frames"], f["first_frame"]))]


def clean(row):
    return (row["status"] == "checked" and row["verdict"] == "plausible" and row["errors"] + row["warnings"] == 0
            and 40 <= row["frames"] <= (2500 if row["flights"] else 900) and row["fps"] >= 20)


def copies(base, with_rates):
    """(group, kind, clip, kind of what it is compared with) of one base."""
    label, path, row, flight, flies = base
    clip = bvh.read(path)
    if not corrupt.usable(clip):
        return
    body = corrupt.Body(clip, row["meters_per_unit"], row["up"])
    random = np.random.default_rng(zlib.crc32(label.encode()))
    group = "control, flights" if flies else "control"
    for kind, copy in corrupt.controls(body):
        yield group, kind, copy, "identity"
    for kind, copy in corrupt.corruptions(body, flight, random):
        yield "fault", kind, copy, "identity"
    if with_rates:
        for kind, copy, against in corrupt.rates(body, random):
            yield (group if kind == against else "fault"), kind, copy, (against if kind != against else "identity")
    last = corrupt.ghost(body)
    if last:
        yield "loop", "ghost frame of a loop", last, "identity"


def detection(arguments):
    started = time.time()
    results, left_out = [], 0
    with tempfile.TemporaryDirectory() as folder:
        bases = chosen(arguments, folder)
        for first in range(0, len(bases), 20):
            jobs, place = [], arguments.keep or os.path.join(folder, "copies")
            for number, base in enumerate(bases[first:first + 20], first):
                here = os.path.join(place, f"{number:03}")
                os.makedirs(here, exist_ok=True)
                made = 0
                for group, kind, clip, against in copies(base, number % 3 == 0):
                    made += 1
                    if not re.search(arguments.only + "|^identity|^resampled", kind):
                        continue
                    name = lambda kind: os.path.join(here, re.sub(r"[^\w.]+", "_", kind) + ".bvh")
                    bvh.write(clip, name(kind))
                    jobs.append((base[0], group, kind, name(kind), name(against)))
                left_out += made == 0
            by_file = lambda surveyed: {row["file"]: row for row in surveyed[0].values()}
            rows = by_file(survey(arguments.program, [job[3] for job in jobs], arguments.threads))
            looped = [path for _, group, _, path, against in jobs if group == "loop" for path in (path, against)]
            loops = by_file(survey(arguments.program, looped, arguments.threads, "--loop"))
            for label, group, kind, path, against in jobs:
                table = loops if group == "loop" else rows
                row, old = table[path], table[against]
                if group == "loop" and (old["status"] != "checked" or old["errors"] + old["warnings"] > 0):
                    continue
                results.append(judged(label, group, kind, row, old))
            if not arguments.keep:
                shutil.rmtree(place)
            print(f"{min(first + 20, len(bases))} of {len(bases)} clips, {time.time() - started:.0f} s", file=sys.stderr)
    if arguments.rows:
        with open(arguments.rows, "w") as file:
            file.writelines(json.dumps(result) + "\n" for result in results)
    tables(results)
    sets = collections.Counter(base[0].split("/")[0] for base in bases)
    print(f"\n{len(bases)} clips without findings, {sum(base[3] is not None for base in bases)} of them with a sound flight "
          f"({', '.join(f'{name} {count}' for name, count in sorted(sets.items()))}), {left_out} of them left out, "
          f"whose root cannot be moved; {len(results)} copies, {time.time() - started:.0f} s.")


def judged(label, group, kind, row, old):
    """What a copy draws beyond what it is compared with."""
    if row["status"] != "checked":
        return {"clip": label, "group": group, "kind": kind, "any": False, "implausible": False, "error": True,
                "warning": False, "ids": ["unreadable"]}
    new = sorted(ids(row) - ids(old))
    error = row["errors"] > old["errors"] or bool(ids(row, ("error_ids",)) - ids(old, ("error_ids",)))
    warning = row["warnings"] > old["warnings"] or bool(ids(row, ("warning_ids",)) - ids(old))
    return {"clip": label, "group": group, "kind": kind, "any": bool(new) or error or warning,
            "implausible": row["verdict"] == "implausible" != old["verdict"], "error": error, "warning": warning, "ids": new}


def tables(results):
    """Two tables in Markdown: faults by kind, then controls by kind, apart for clips with a flight."""
    kinds = {}
    rank = lambda kind: (" at " in kind, ORDER.index(kind.split()[0]))
    for result in sorted(results, key=lambda result: rank(result["kind"])):
        kinds.setdefault((result["group"], result["kind"]), []).append(result)

    def line(name, rows, *columns):
        cells = [interval(sum(row[x] for row in rows), len(rows)) if x in ("any", "implausible", "error", "warning") else x
                 for x in columns]
        by = collections.Counter(x for row in rows for x in row["ids"]).most_common(3)
        print(f"| {name} | {len(rows)} | {' | '.join(map(str, cells))} | {', '.join(f'{x} {n}' for x, n in by)} |")

    print("| fault | clips | any finding, % (95 %) | wanted | implausible, % (95 %) | wanted | found by |")
    print("|---|---|---|---|---|---|---|")
    for (group, kind), rows in kinds.items():
        if group in ("fault", "loop"):
            wanted, bad = WANTED.get(re.sub(r" at \d+ fps", "", kind), ("", ""))
            line(kind, rows, "any", wanted, "implausible", bad)
    print("\n| control | clips | new error, % (95 %) | most | new warning, % (95 %) | most | by |\n|---|---|---|---|---|---|---|")
    for group, told in (("control", "without a flight"), ("control, flights", "with a flight")):
        for (other, kind), rows in kinds.items():
            if other == group:
                rated = "flights" in group and kind in ("half rate", "double rate")
                line(f"{kind}, {told}", rows, "error", 1, "warning", 15 if rated else 3)
    every = [row for (group, _), rows in kinds.items() if group.startswith("control") for row in rows]
    line("**all**", every, "error", 1, "warning", 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="+", help="a folder of clips, or of sets of clips")
    parser.add_argument("--program", required=True, help="the muybridge to measure")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--false-alarms", action="store_true", help="check the clips as they are")
    parser.add_argument("--jumps", type=int, default=60, help="most clips with a sound flight [60]")
    parser.add_argument("--clips", type=int, default=120, help="most clips without one [120]")
    parser.add_argument("--seed", type=int, default=33)
    parser.add_argument("--only", default="", help="only the kinds that this expression matches")
    parser.add_argument("--keep", help="keep the copies in this folder")
    parser.add_argument("--rows", help="keep what every clip or copy drew in this file, JSON Lines")
    parser.add_argument("--before", help="with --false-alarms: compare with rows that --rows kept")
    arguments = parser.parse_args()
    (false_alarms if arguments.false_alarms else detection)(arguments)


if __name__ == "__main__":
    main()
