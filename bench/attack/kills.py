#!/usr/bin/env python3
"""Kills, races, full disks and Ctrl-C: what the program leaves behind when it cannot finish.

    bench/attack/kills.py                             500 kills, 200 races, and the rest once
    bench/attack/kills.py --kills 40 --races 20       the short form of the gate

Kills: every command that writes, killed (SIGKILL) at a random moment or as soon as its folder changes. Then every target is
absent, the old one bit for bit or the new one bit for bit; inputs are as they were; and after the same command again, nothing
else is left. Races: two commands that write one target. Without --force exactly one succeeds and the other says why; the target
is that of one of them, whole. Disks: no file may grow (RLIMIT_FSIZE), a full and a read-only file system where this process may
mount one, a full standard output, names that differ in case alone. Ctrl-C: exit code 130 within a second.

Needs Python 3.9 and Linux, and no module. Exit status 1 if a rule does not hold.
"""

import argparse
import collections
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import judge
import seeds

INTERRUPT_SECONDS = 1.0


class Case:
    """A command that writes: the inputs in its folder, and the targets that it makes or replaces."""

    def __init__(self, name, inputs, arguments, targets, again=None):
        self.name, self.inputs, self.arguments, self.targets = name, inputs, arguments, targets
        # The command that finishes what a kill has left undone.
        self.again = again or arguments
        self.new, self.codes, self.seconds = {}, (0,), 0.0
        # Targets that tell how long something took: the command writes another one each time.
        self.varying = set()


def cases(stock):
    """Commands of all verbs that write."""
    clips = {name: stock[name] for name in ("walk.bvh", "jump.bvh", "walk.gltf", "jump.glb")}
    clips.update({name: content for name, content in stock.items() if name.startswith("walk") and name.endswith(".bin")})
    buffers = [name for name in clips if name.endswith(".bin")]
    many = {f"many/{index:02}_{name}": clips[name] for index in range(12) for name in ("walk.bvh", "jump.bvh")}
    parts = {name: stock[name] for name in ("s1.csv.part", "s2.csv.part")}
    survey = ["survey", "many", "--threads", "2", "--force"]
    return [
        Case("check", clips, ["check", "jump.bvh", "--json=out.json", "--csv=out.csv", "--html=out.html", "--force"], ["out.json", "out.csv", "out.html"]),
        Case("check plate", clips, ["check", "walk.bvh", "--plate=out.png", "--force"], ["out.png"]),
        Case("check, a folder of reports", many, ["check", "many", "--csv=out", "--force"], [f"out/{index:02}_{name}.csv" for index in range(12) for name in ("walk", "jump")]),
        Case("fix", clips, ["fix", "jump.bvh", "--out=out.bvh", "--json=out.json", "--html=out.html", "--force"], ["out.bvh", "out.json", "out.html"]),
        Case("fix in place", clips, ["fix", "jump.bvh", "--out=jump.bvh", "--force"], ["jump.bvh"]),
        Case("fix of a glTF", clips, ["fix", "walk.gltf", "--out=walk.gltf", "--force"], ["walk.gltf", *buffers]),
        Case("fix of a folder", many, ["fix", "many", "--out=out", "--force"], [f"out/{index:02}_{name}.bvh" for index in range(12) for name in ("walk", "jump")]),
        Case("convert to BVH", clips, ["convert", "jump.glb", "out.bvh", "--force"], ["out.bvh"]),
        Case("convert to glTF", clips, ["convert", "jump.bvh", "out.gltf", "--force"], ["out.gltf", "out.bin"]),
        Case("convert to VRMA", clips, ["convert", "walk.bvh", "out.vrma", "--force"], ["out.vrma"]),
        Case("convert a folder", many, ["convert", "many", "out", "--to=glb", "--force"], [f"out/{index:02}_{name}.glb" for index in range(12) for name in ("walk", "jump")]),
        Case("simulate", {}, ["simulate", "throw", "--seconds=0.4", "--out=out.glb", "--log=out.log.toml", "--json=out.json", "--force"], ["out.glb", "out.log.toml", "out.json"]),
        Case("simulate, a picture", {}, ["simulate", "throw", "--seconds=0.1", "--size=64,48", "--png=out.png", "--gif=out.gif", "--force"], ["out.png", "out.gif"]),
        Case("survey", many, [*survey, "--out=out.csv", "--html=out.html"], ["out.csv", "out.flights.csv", "out.html"]),
        Case("survey, resumed", many, [*survey, "--out=out.parquet"], ["out.parquet", "out.flights.parquet"], ["survey", "many", "--threads", "2", "--out=out.parquet", "--resume", "--force"]),
        Case("survey, a shard", many, [*survey, "--shard=1/2", "--out=out.csv"], ["out.csv", "out.flights.csv", "out.csv.part"]),
        Case("survey --merge", parts, ["survey", "s1.csv", "s2.csv", "--merge=out.jsonl", "--html=out.html", "--force"], ["out.jsonl", "out.html"]),
    ]


class Bench:
    """A folder in which commands run, and the count of what was seen."""

    def __init__(self, program, base):
        self.program, self.base, self.folder = program, base, os.path.join(base, "run")
        self.faults, self.counts = [], collections.Counter()

    def fill(self, files, folder=None):
        folder = folder or self.folder
        if folder == self.folder:
            shutil.rmtree(folder, ignore_errors=True)
        for name, content in files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
        os.makedirs(folder, exist_ok=True)

    def start(self, arguments, folder=None, out=subprocess.DEVNULL, **more):
        environment = {**os.environ, "RUST_BACKTRACE": "0"}
        return subprocess.Popen([self.program, *arguments], cwd=folder or self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, **more)

    def run(self, arguments, folder=None, **more):
        child = self.start(arguments, folder, **more)
        err = child.communicate(timeout=120)[1].decode(errors="replace")
        return child.returncode, err

    def files(self, folder=None):
        """Contents by path. Names that are gone before they are read were temporary."""
        folder, found = folder or self.folder, {}
        for place, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(place, name)
                try:
                    found[os.path.relpath(path, folder)] = seeds.read(path)
                except FileNotFoundError:
                    pass
        return found

    def fault(self, what):
        self.faults.append(what)
        print(f"FAILED {what}", flush=True)

    def refer(self, case):
        """Runs the command undisturbed: what it writes, how long it takes."""
        self.fill(case.inputs)
        started = time.monotonic()
        code, err = self.run(case.arguments)
        case.seconds = time.monotonic() - started
        if code not in (0, 1):
            self.fault(f"{case.name}: exit code {code} without a kill: {err.strip()[-300:]}")
            return False
        case.codes = (code,)
        after = self.files()
        others = set(after) - set(case.inputs) - set(case.targets)
        if others:
            self.fault(f"{case.name}: leaves {sorted(others)}")
        case.targets = [name for name in case.targets if name in after]
        case.new = {name: after[name] for name in case.targets}
        self.fill(case.inputs)
        self.run(case.arguments)
        again = self.files()
        case.varying = {name for name in case.targets if again.get(name) != case.new[name]}
        for name in case.targets:
            try:
                judge.output(os.path.join(self.folder, name))
            except judge.Fault as fault:
                self.fault(f"{case.name}: {fault}")
        return True

    def is_new(self, case, name, content, code):
        """Whether a target is what the command writes; its JSON may also tell of its failure."""
        if content == case.new[name]:
            return True
        if content is None or not (name in case.varying or (code == 2 and name.endswith(".json"))):
            return False
        with tempfile.TemporaryDirectory(dir=self.base) as folder:
            self.fill({os.path.basename(name): content}, folder)
            try:
                judge.output(os.path.join(folder, os.path.basename(name)))
            except judge.Fault:
                return False
        return True

    def whole(self, case, before, what, killed=False, code=None, folder=None):
        """Targets are old or new and whole; everything else is as before. A kill may leave temporary files, and a survey that
        fails what it resumes from. Whether that holds."""
        faults = len(self.faults)
        after = self.files(folder)
        for name in {*before, *case.targets}:
            now = after.pop(name, None)
            if now != before.get(name) and not (name in case.targets and self.is_new(case, name, now, code)):
                size = "gone" if now is None else f"{len(now)} bytes"
                self.fault(f"{what}: {name} is neither the old one nor the new one ({size})")
        for name in after:
            hidden, parts = os.path.basename(name).startswith("."), ".parts" in name
            if not (killed and hidden) and not ((killed or code == 2) and parts):
                self.fault(f"{what}: {name} is left")
        return len(self.faults) == faults


def old_of(case, generator):
    """Targets as they may be before the command: absent, or with other content."""
    if generator.random() < 0.5:
        return {}
    return {name: b"old " + name.encode() for name in case.targets if name not in case.inputs}


def kills(bench, wanted, generator, chosen):
    """Kills commands until `wanted` kills have hit, and finishes each."""
    hit = tries = 0
    while hit < wanted and tries < 20 * wanted and len(bench.faults) < 40:
        tries += 1
        case = chosen[tries % len(chosen)]
        before = {**case.inputs, **old_of(case, generator)}
        bench.fill(before)
        child = bench.start(case.arguments)
        if generator.random() < 0.5:
            time.sleep(generator.random() * case.seconds)
        else:
            watch(child, bench.folder, len(before))
            time.sleep(generator.choice((0, 0, 0.0003, 0.001, 0.004)) * generator.random())
        child.kill()
        err = child.communicate()[1].decode(errors="replace")
        if child.returncode != -signal.SIGKILL:
            if child.returncode not in case.codes:
                bench.fault(f"{case.name}: exit code {child.returncode} before it was killed: {err.strip()[-300:]}")
            continue
        hit += 1
        bench.counts[case.name] += 1
        what = f"{case.name}, kill {hit}"
        bench.whole(case, before, what, killed=True)
        code, err = bench.run(case.again)
        if code not in case.codes and case.name not in ("fix in place", "fix of a glTF"):
            bench.fault(f"{what}: exit code {code} of the command again: {err.strip()[-300:]}")
        elif code in (0, 1):
            finished(bench, case, what, before)
    return hit


def watch(child, folder, count):
    """Waits until the folder holds another number of files, or the child has ended."""
    while child.poll() is None:
        if sum(len(names) for _, _, names in os.walk(folder)) != count:
            return


def finished(bench, case, what, before):
    """After a command that was not disturbed, there are inputs and targets, and nothing else."""
    after = bench.files()
    for name, content in case.new.items():
        # A file that is corrected again may change again.
        if name not in case.inputs and not bench.is_new(case, name, after.get(name), 0):
            bench.fault(f"{what}: {name} is another one after the command again")
    for name in set(after) - set(before) - set(case.targets):
        bench.fault(f"{what}: {name} is still left after the command again")


def races(bench, wanted, generator, stock):
    """Pairs of commands that write one target."""
    clips = {name: stock[name] for name in ("walk.bvh", "jump.bvh")}
    parts = {name: stock[name] for name in ("s1.csv.part", "s2.csv.part", "t1.csv.part", "t2.csv.part")}
    lists = {**clips, "a.txt": b"walk.bvh\n" * 9, "b.txt": b"jump.bvh\n" * 9}
    pairs = [
        ("convert", clips, [["convert", clip, "out.glb"] for clip in clips], ["out.glb"]),
        ("check --json", clips, [["check", clip, "--json=out.json"] for clip in clips], ["out.json"]),
        ("check --html", clips, [["check", clip, "--html=out.html"] for clip in clips], ["out.html"]),
        ("check --csv", clips, [["check", clip, "--csv=out.csv"] for clip in clips], ["out.csv"]),
        ("fix", clips, [["fix", clip, "--out=out.bvh"] for clip in clips], ["out.bvh"]),
        ("simulate --log", {}, [["simulate", "throw", f"--seconds={seconds}", "--log=out.log.toml"] for seconds in ("0.1", "0.2")], ["out.log.toml"]),
        ("simulate --out", {}, [["simulate", "throw", f"--seconds={seconds}", "--out=out.glb"] for seconds in ("0.1", "0.2")], ["out.glb"]),
        ("survey", lists, [["survey", name, "--out=out.csv"] for name in ("a.txt", "b.txt")], ["out.csv", "out.flights.csv"]),
        ("survey --merge", parts, [["survey", f"{name}1.csv", f"{name}2.csv", "--merge=out.csv"] for name in "st"], ["out.csv", "out.flights.csv"]),
    ]
    alone = {}
    for name, inputs, commands, targets in pairs:
        for side, command in enumerate(commands):
            bench.fill(inputs)
            started = time.monotonic()
            code, err = bench.run(command)
            if code not in (0, 1):
                bench.fault(f"{name}: exit code {code} without a race: {err.strip()[-300:]}")
            after = bench.files()
            alone[name, side] = {target: after.get(target) for target in targets}, time.monotonic() - started
    for race in range(wanted):
        if len(bench.faults) >= 60:
            break
        name, inputs, commands, targets = pairs[race % len(pairs)]
        force = race // len(pairs) % 2 == 1
        bench.fill(inputs)
        pause = generator.random() * alone[name, 0][1] * generator.choice((0, 0, 0.2, 0.8))
        children = []
        for command in commands:
            children.append(bench.start([*command, *(["--force"] if force else [])]))
            time.sleep(pause)
        ends = [(child.communicate()[1].decode(errors="replace"), child.returncode) for child in children]
        what = f"race {race} of {name}{' --force' if force else ''}"
        bench.counts["race: " + name] += 1
        winners = [side for side, (_, code) in enumerate(ends) if code in (0, 1)]
        if not winners or (not force and len(winners) > 1):
            bench.fault(f"{what}: {len(winners)} succeed, exit codes {[code for _, code in ends]} {ends[-1][0].strip()[-200:]}")
        for err, code in ends:
            if code not in (0, 1) and (code != 2 or not ("exists" in err or "another" in err)):
                bench.fault(f"{what}: exit code {code}, and no sentence says that the file exists: {err.strip()[-300:]}")
        after = bench.files()
        for target in targets:
            may = [alone[name, side][0][target] for side in winners]
            if after.get(target) not in may:
                bench.fault(f"{what}: {target} is not that of a run that succeeded, whole")
        for other in set(after) - set(inputs) - set(targets):
            bench.fault(f"{what}: {other} is left")


def limited(bench, generator, chosen):
    """No file may grow beyond some bytes: a full disk, as far as a process can tell."""
    for case in chosen:
        sizes = sorted(len(content) for content in case.new.values()) or [0]
        for limit in (0, 100, sizes[0] // 2, sizes[-1] - 1):
            before = {**case.inputs, **old_of(case, generator)}
            bench.fill(before)
            code, err = bench.run(case.arguments, preexec_fn=lambda most=limit: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
            disturbed(bench, case, f"{case.name}, files of at most {limit} bytes", code, err, before)


def disturbed(bench, case, what, code, err, before, folder=None):
    bench.counts["disks"] += 1
    if code not in (0, 1, 2) or (code == 2 and not err.strip()):
        bench.fault(f"{what}: exit code {code}: {err.strip()[-300:]}")
    bench.whole(case, before, what, code=code, folder=folder)


def mounted(folder, *options):
    os.makedirs(folder, exist_ok=True)
    return subprocess.run(["mount", *options, folder], capture_output=True).returncode == 0


def disks(bench, generator, chosen):
    """A file system that is full, and one that is read-only."""
    place = os.path.join(bench.base, "mount")
    if os.geteuid() != 0 or not mounted(place, "-t", "tmpfs", "-o", "size=4m", "tmpfs"):
        print("not run: full and read-only file systems (this process may not mount one)")
        if os.geteuid() != 0:
            unwritable(bench, chosen)
        return
    subprocess.run(["umount", place], check=True)
    for case in chosen:
        before = {**case.inputs, **old_of(case, generator)}
        pages = sum(-(-len(content) // 4096) for content in before.values())
        for free in (1, 2, 5):
            mounted(place, "-t", "tmpfs", "-o", f"size={4 * (pages + free)}k", "tmpfs")
            try:
                bench.fill(before, place)
                code, err = bench.run(case.arguments, place)
                disturbed(bench, case, f"{case.name}, {4 * free} kB free", code, err, before, place)
                if free == 1:
                    bench.fill(before, place)
                    for name in set(bench.files(place)) - set(before):
                        os.remove(os.path.join(place, name))
                    subprocess.run(["mount", "-o", "remount,ro", place], check=True)
                    code, err = bench.run(case.arguments, place)
                    disturbed(bench, case, f"{case.name}, read-only", code, err, before, place)
                    if code != 2 and any(before.get(name) != content for name, content in case.new.items()):
                        bench.fault(f"{case.name}, read-only: exit code {code}")
            finally:
                subprocess.run(["umount", place], check=True)


def unwritable(bench, chosen):
    """A folder without the permission to write."""
    for case in chosen:
        bench.fill(case.inputs)
        os.chmod(bench.folder, 0o555)
        try:
            code, err = bench.run(case.arguments)
            disturbed(bench, case, f"{case.name}, a folder that is not ours", code, err, case.inputs)
        finally:
            os.chmod(bench.folder, 0o755)


def full_output(bench, stock):
    """Standard output that takes nothing: exit code 2, and no panic."""
    bench.fill({name: stock[name] for name in ("walk.bvh", "s1.csv.part", "s2.csv.part")})
    for arguments in (["check", "walk.bvh"], ["check", "--json"], ["check", "--print-limits"], ["fix", "walk.bvh", "--dry-run"], ["explain"], ["simulate", "--scenes"],
                      ["simulate", "throw", "--seconds=0.1", "--json"], ["survey", "--columns"], ["survey", "walk.bvh", "--out=o.csv"], ["--help"], ["--version"]):
        with open("/dev/full", "w") as full:
            code, err = bench.run(arguments, out=full)
        bench.counts["full standard output"] += 1
        if code != 2 or "panicked" in err:
            bench.fault(f"muybridge {' '.join(arguments)} >/dev/full: exit code {code} {err.strip()[-300:]}")


def without_case(bench, stock):
    """On a file system that takes Walk and walk for one name, no output replaces another."""
    place, image = os.path.join(bench.base, "caseless"), os.path.join(bench.base, "disk")
    ways = [
        (["true"], ["mount", "-t", "tmpfs", "-o", "casefold", "tmpfs", place]),
        (["mkfs.vfat", image], ["mount", "-o", "loop", image, place]),
        (["mkfs.ntfs", "-q", "-F", image], ["lowntfs-3g", "-o", "ignore_case", image, place]),
        (["mkfs.ext4", "-q", "-O", "casefold", image], ["mount", "-o", "loop", image, place]),
    ]
    os.makedirs(place, exist_ok=True)
    for make, mount in ways if os.geteuid() == 0 else []:
        with open(image, "wb") as file:
            file.truncate(32_000_000)
        if all(shutil.which(command[0]) and subprocess.run(command, capture_output=True).returncode == 0 for command in (make, mount)):
            break
    else:
        print("not run: names that differ in case alone (no file system without case can be mounted; ntfs-3g would do)")
        return
    try:
        bench.fill({"a/Walk.bvh": stock["walk.bvh"], "b/walk.bvh": stock["jump.bvh"]}, place)
        out = os.path.join(place, "out")
        for arguments in (["convert", "a/Walk.bvh", "b/walk.bvh", "out", "--to=glb"], ["check", "a/Walk.bvh", "b/walk.bvh", "--csv=out"], ["fix", "a", "b", "--out=out"]):
            for force in ([], ["--force"]):
                shutil.rmtree(out, ignore_errors=True)
                os.mkdir(out)
                if make[0] in ("true", "mkfs.ext4"):
                    subprocess.run(["chattr", "+F", out], capture_output=True)
                code, _ = bench.run([*arguments, *force], place)
                bench.counts["names without case"] += 1
                made = sorted(bench.files(out))
                if code in (0, 1) and len(made) != 2:
                    bench.fault(f"muybridge {' '.join(arguments + force)}: exit code {code}, but {made} are written")
    finally:
        subprocess.run(["umount", place], check=True)


def long_commands(stock):
    """Commands that take seconds, for Ctrl-C."""
    walk = stock["walk.bvh"].decode()
    head, _, rows = walk.partition("\nFrame Time:")
    first, _, rows = rows.partition("\n")
    head = head[: head.rindex("Frames:")]
    rows = rows.strip("\n") + "\n"
    times = 1000
    big = f"{head}Frames: {rows.count(chr(10)) * times}\nFrame Time:{first}\n{rows * times}".encode()
    inputs = {"big.bvh": big, "list.txt": b"big.bvh\n" * 200, "walk.bvh": stock["walk.bvh"]}
    return [
        (["check", "big.bvh", "--json=out.json", "--csv=out.csv"], inputs),
        (["check", *["big.bvh"] * 8, "--csv=out"], inputs),
        (["check", "walk.bvh", "--plate=out.png"], inputs),
        (["fix", "big.bvh", "--out=out.bvh"], inputs),
        (["fix", "big.bvh", "--out=big.bvh", "--force"], inputs),
        (["convert", *["big.bvh"] * 1, "out.glb"], inputs),
        (["survey", "list.txt", "--out=out.csv"], inputs),
        (["simulate", "heap", "--seconds=60", "--out=out.glb", "--log=out.log.toml"], {}),
        (["simulate", "drop", "--seconds=20", "--gif=out.gif"], {}),
    ]


def interrupts(bench, generator, stock, rounds):
    """Ctrl-C: exit code 130 within a second, nothing half-written, nothing left but what a survey resumes from."""
    for arguments, inputs in long_commands(stock) * rounds:
        bench.fill(inputs)
        child = bench.start(arguments)
        time.sleep(0.05 + 0.6 * generator.random())
        if child.poll() is None:
            child.send_signal(signal.SIGINT)
        started = time.monotonic()
        try:
            err = child.communicate(timeout=30)[1].decode(errors="replace")
        except subprocess.TimeoutExpired:
            child.kill()
            err = child.communicate()[1].decode(errors="replace")
        took = time.monotonic() - started
        what = f"Ctrl-C in muybridge {' '.join(arguments)[:70]}"
        if child.returncode in (0, 1):
            bench.counts["Ctrl-C too late"] += 1
            continue
        bench.counts["Ctrl-C"] += 1
        if child.returncode != 130:
            bench.fault(f"{what}: exit code {child.returncode} {err.strip()[-200:]}")
        if took > INTERRUPT_SECONDS:
            bench.fault(f"{what}: ends after {took:.1f} s")
        for name, content in bench.files().items():
            if name in inputs:
                if content != inputs[name]:
                    bench.fault(f"{what}: {name} has changed")
            elif name.startswith("out") and ".parts" not in name and arguments[0] != "survey":
                try:
                    judge.output(os.path.join(bench.folder, name))
                except judge.Fault as fault:
                    bench.fault(f"{what}: {fault}")
            elif ".parts" not in name:
                bench.fault(f"{what}: {name} is left")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--races", type=int, default=200)
    parser.add_argument("--interrupts", type=int, default=3, metavar="ROUNDS", help="Ctrl-C in each of nine commands, so many times")
    parser.add_argument("--no-disks", action="store_true", help="leaves out full and read-only disks")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", default="", help="commands of kills whose name begins so")
    parser.add_argument("--program", default=os.environ.get("MUYBRIDGE_BIN", os.path.join(seeds.ROOT, "target", "debug", "muybridge")))
    options = parser.parse_args()
    # On a disk, for files there take time to become whole.
    # An end that somebody asks for cleans up as any other.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    base = tempfile.mkdtemp(prefix="muybridge-kills-")
    bench, generator, started = Bench(os.path.abspath(options.program), base), random.Random(options.seed), time.monotonic()
    try:
        made = os.path.join(base, "seeds")
        seeds.make(bench.program, made)
        stock = bench.files(made)
        with open(f"{made}/other.txt", "w") as file:
            file.write("jump.bvh\n" * 5)
        for shard in ("1", "2"):
            bench.run(["survey", "other.txt", "--shard", f"{shard}/2", "--out", f"t{shard}.csv"], made)
        stock = bench.files(made)
        every = cases(stock)
        chosen = [case for case in every if case.name.startswith(options.only) and bench.refer(case)]
        hit = kills(bench, options.kills, generator, chosen)
        print(f"{hit} kills after {time.monotonic() - started:.0f} s", flush=True)
        races(bench, options.races, generator, stock)
        print(f"{options.races} races after {time.monotonic() - started:.0f} s", flush=True)
        if not options.no_disks:
            limited(bench, generator, chosen)
            disks(bench, generator, chosen)
            full_output(bench, stock)
            without_case(bench, stock)
        interrupts(bench, generator, stock, options.interrupts)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    for name, count in sorted(bench.counts.items()):
        print(f"{count:6}  {name}")
    print(f"{len(bench.faults)} failures after {time.monotonic() - started:.0f} s, seed {options.seed}")
    sys.exit(1 if bench.faults else 0)


if __name__ == "__main__":
    main()
