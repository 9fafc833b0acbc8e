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
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import time

FORMATS = (".bvh", ".glb", ".gltf", ".vrm", ".vrma", ".fbx")


def survey(program, paths, threads, *options):
    """Rows of the clips by (file, clip), and of the flights by the same key. Paths are told in a list: a process takes all."""
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
    kept, clean, still, worst = [], 0, 0, []
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
                clean, still = clean + 1, still + (read and not found)
        totals = [a + b for a, b in zip(totals, counts)]
        lines.append((name, counts))
    print("| set | clips | unreadable | implausible | % (95 %) | error or warning | % (95 %) | warnings only | undecided |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, (count, unread, bad, found, open_, warned) in lines + [("**all**", totals)]:
        read = count - unread
        print(f"| {name} | {count} | {unread} | {bad} | {interval(bad, read)} | {found} | {interval(found, read)} | {warned} | {open_} |")
    if before:
        print(f"\nOf {clean} clips without a finding in {arguments.before}, {still} still have none: {interval(still, clean)} %.")
    print("\n| implausible | frames | errors | warnings | gravity, worst | floor, m |\n|---|---|---|---|---|---|")
    for row in worst:
        number = lambda x: "–" if x is None else f"{x:.2f}"
        print(f"| {row['file']} {row['clip'] or ''} | {row['frames']} | {row['error_ids'].replace(';', ' ')} | "
              f"{row['warning_ids'].replace(';', ' ')} | {number(row['gravity_worst_g'])} | {number(row['floor_m'])} |")
    print(f"\n{len(kept)} clips in {time.time() - started:.0f} s.")
    if arguments.rows:
        with open(arguments.rows, "w") as file:
            file.writelines(json.dumps(row) + "\n" for row in kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="+", help="a folder of clips, or of sets of clips")
    parser.add_argument("--program", required=True, help="the muybridge to measure")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--false-alarms", action="store_true", help="check the clips as they are")
    parser.add_argument("--rows", help="with --false-alarms: keep the rows of the survey in this file")
    parser.add_argument("--before", help="with --false-alarms: compare with rows that --rows kept")
    arguments = parser.parse_args()
    false_alarms(arguments)


if __name__ == "__main__":
    main()
