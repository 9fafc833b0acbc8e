#!/usr/bin/env python3
"""Attacks the program: mutated inputs of every kind, each in a process of its own, judged by what holds for any input.

    bench/attack/attack.py --runs 2000
    bench/attack/attack.py --runs 100000 --keep /tmp/failures      as many as a release is asked for
    bench/attack/attack.py --runs 1000 --seconds 120               at least 1,000, and more until 120 s are over
    bench/attack/attack.py --only fix/bvh --seed 7 --runs 500
    bench/attack/attack.py --seed 1 --first 4711 --runs 1 --keep here     one run again

Every run must end with exit code 0, 1 or 2, within 10 s of CPU (RLIMIT_CPU ends it) and 1 GB of memory (ru_maxrss of wait4). A
scene or log may ask for longer work than that: after 8.5 s it gets Ctrl-C, must end with exit code 130 at once, and is counted as
"stopped". A refusal is a sentence. No output holds a number that is none; JSON is strict, pictures and tables are whole; what was converted,
corrected or recorded is read again by the program, and a log is replayed to the same bits. Nothing is left beside the outputs,
and inputs stay as they were. Run N of seed S is the same on any machine, whatever --jobs is.

Needs Python 3.9 and Linux, and no module. The inputs are those of tests/data and what the program makes of them; with
MUYBRIDGE_DATA also small clips of the shared data, with --inputs those of other folders. Exit status 1 if a rule does not hold.
"""

import argparse
import collections
import contextlib
import json
import os
import pickle
import random
import re
import resource
import shlex
import shutil
import signal
import sys
import tempfile
import time

import judge
import mutate
import seeds

CPU_SECONDS, STOP_SECONDS, MEMORY_BYTES, WALL_SECONDS = 10, 8.5, 1_000_000_000, 90
# More than the program may use, and less than the machine has: a runaway ends before others suffer.
ADDRESS_BYTES = 6_000_000_000
# A simulation may take half of the machine's memory unless it is told less.
SIMULATIONS = ["--max-memory=800M"]
CLIPS = ("bvh", "glb", "gltf", "vrma", "fbx")
# Which kinds of input each verb takes, and how often.
MENU = (
    [("check", kind, 5) for kind in CLIPS]
    + [("check", kind, 2) for kind in ("body_csv", "contacts_csv", "roles", "limits", "forces", "character", "mjcf", "urdf")]
    + [("fix", kind, 4) for kind in CLIPS]
    + [("fix", kind, 1) for kind in ("roles", "limits", "character")]
    + [("convert", kind, 4) for kind in CLIPS]
    + [("convert", "roles", 1)]
    + [("survey", kind, 2) for kind in (*CLIPS, "list", "limits")]
    + [("merge", "part", 5), ("resume", "segments", 4)]
    + [("simulate", "scene", 12), ("simulate", "mesh", 3), ("simulate", "character", 2), ("simulate", "bvh", 2), ("simulate", "glb", 2)]
    + [("simulate", kind, 1) for kind in ("mjcf", "urdf", "body_csv")]
    + [("replay", "log", 8)]
)
OPTION_OF = {"body_csv": "--body", "character": "--body", "mjcf": "--body", "urdf": "--body", "contacts_csv": "--contacts", "roles": "--roles", "limits": "--limits", "forces": "--forces"}

NUMBER = "1 2 0 -1 0.5 1e-3 70 1.7 9.81 60 1e5 1e9 1e-9 1e300 -1e300 1e308 1e-320 nan inf -inf 4294967296 18446744073709551616 x".split()
COUNT = "1 2 3 8 64 0 -1 60000 65535 65536 4294967296 1.5 x".split()
RANGE = "0..5 2..9 0..0 5..2 0..1000000 18446744073709551615..18446744073709551615 -1..3 3.. ..4 1..1 x 3..9223372036854775807".split()
VECTOR = "0,0,0 0.1,0,0 0,1,0 1e308,0,0 nan,0,0 1,2 1,2,3,4 1e5,-1e5,0".split()
ANALYSIS = {
    "--height": NUMBER, "--mass": NUMBER, "--unit": NUMBER + ["m", "cm", "mm", "in", "ft"], "--up": ["x", "y", "z", "w"], "--gravity": NUMBER,
    "--cutoff": NUMBER + ["off", "auto"], "--floor": NUMBER, "--fps": NUMBER, "--frames": RANGE, "--flight": RANGE, "--support": RANGE, "--loop": None,
    "--velocity-scheme": ["central", "backward", "five-point", "savitzky-golay-9"], "--anthropometry": ["deleva-male", "dempster"], "--clip": ["x", "", "motion"], "--character": ["x", "Hips", "#2"],
}
CORRECTION = {
    "--tools": ["path", "time", "spin", "feet", "path,feet", ""], "--strength": NUMBER, "--most-shift": NUMBER, "--most-turn": NUMBER,
    "--least-gravity": NUMBER, "--blend": None, "--momentum": VECTOR + ["mean", "takeoff", "landing"], "--apex": NUMBER, "--duration": NUMBER,
    "--move-takeoff": VECTOR, "--move-landing": VECTOR, "--protect": ["hips", "head,x", ""], "--dry-run": None,
}
OPTIONS = {
    "check": {**ANALYSIS, "--threads": COUNT, "--residual": None, "--details": None},
    "fix": {**{option: ANALYSIS[option] for option in ANALYSIS if option != "--loop"}, **CORRECTION, "--loop": None, "--threads": COUNT},
    "convert": {option: ANALYSIS[option] for option in ("--unit", "--up", "--fps", "--frames", "--clip", "--character")} | {"--out-unit": NUMBER + ["m", "cm"]},
    "survey": {**{option: ANALYSIS[option] for option in ("--height", "--mass", "--unit", "--gravity", "--cutoff", "--floor", "--frames")}, "--threads": COUNT},
    "simulate": {
        "--method": ["particles", "multipliers", "displacement", "hennix", "all"], "--particle-mode": ["shake", "xpbd", "jakobsen", "rosen"],
        "--integrator": ["splitting", "euler", "heun", "rk4"], "--substeps": ["1", "2", "0", "-1", "4294967296", "x"], "--iterations": ["1", "0", "4294967296", "x"],
        "--fps": NUMBER, "--seed": COUNT, "--unit": NUMBER + ["cm"], "--up": ["x", "z"], "--mass": NUMBER, "--at": NUMBER, "--size": ["64,48", "0,0", "1,1", "x", "1e9,1e9"],
    },
    "merge": {}, "resume": {"--threads": COUNT}, "replay": {},
}


class Run:
    """One run: its verb, the files it starts from, its command line, and the outputs that it may write."""

    def __init__(self, verb, kind, files, arguments, outputs, rewrites=()):
        self.verb, self.kind, self.files, self.arguments = verb, kind, files, arguments
        self.outputs, self.rewrites = outputs, rewrites


def drawn(generator, stock, menu):
    """The next run: mutated files, options and outputs."""
    verb, kind, _ = generator.choices(menu, [weight for *_, weight in menu])[0]
    seed = generator.choice(stock[kind])
    files, name = dict(seed.files), seed.name
    target = name
    if kind == "segments":
        target = generator.choice([other for other in files if other.startswith("again")] * 4 + ["walk.bvh", "clips.txt"])
    elif kind in ("part", "gltf", "mesh", "list"):
        target = generator.choice([name] * 4 + list(files))
    others = [generator.choice(stock[kind]).files.get(target, files[target]), files[target]]
    only_options = generator.random() < 0.12
    if not only_options:
        plan = files.get("again.csv.parts/plan.json", b"").rstrip() if target.endswith(".jsonl") else None
        how = {"segments": "part", "character": "toml", "scene": "toml"}.get(kind, kind)
        files[target] = mutate.mutated(generator, files[target], how, others, plan)
        if kind in OPTION_OF and generator.random() < 0.1:
            clip = clip_of(files, name)
            files[clip] = mutate.mutated(generator, files[clip], "bvh", [files[clip]])
    options, given = OPTIONS.get(verb, {}), []
    for _ in range(generator.choice((1, 2, 3)) if only_options else generator.choice((0, 0, 0, 0, 1))):
        if options:
            option = generator.choice(list(options))
            if option not in (word.partition("=")[0] for word in given):
                values = options[option]
                given.append(option if values is None else f"{option}={generator.choice(values)}")
    return commanded(generator, verb, kind, name, files, given)


def clip_of(files, name):
    """The clip that goes with a file that an option names."""
    return next(other for other in files if other != name and other.endswith(".bvh"))


def commanded(generator, verb, kind, name, files, given):
    clip, outputs, rewrites = name, [], ()

    def report(*choices):
        for option, file, likely in choices:
            if generator.random() < likely:
                outputs.append(file)
                given.append(option + file)

    if kind in OPTION_OF and verb != "simulate":
        clip = clip_of(files, name)
        given.append(f"{OPTION_OF[kind]}={name}")
    if verb == "check":
        if generator.random() < 0.3:
            given.append("--json")
        else:
            report(("--json=", "out.json", 0.4))
        report(("--csv=", "out.csv", 0.3), ("--html=", "out.html", 0.15), ("--plate=", "out.png", 0.002))
        return Run(verb, kind, files, ["check", clip, *given], outputs)
    if verb == "fix":
        extension = clip.rsplit(".", 1)[-1]
        extension = {"fbx": "glb"}.get(extension, extension)
        if generator.random() < 0.15 and extension == clip.rsplit(".", 1)[-1]:
            rewrites = tuple(file for file in files if file == clip or file.endswith(".bin"))
            given += ["--out=" + clip, "--force"]
        else:
            outputs.append(f"out.{extension}")
            given.append(f"--out=out.{extension}")
        report(("--json=", "out.json", 0.3), ("--html=", "out.html", 0.1))
        return Run(verb, kind, files, ["fix", clip, *given], outputs, rewrites)
    if verb == "convert":
        outputs.append("out." + generator.choice(("bvh", "bvh", "gltf", "glb", "glb", "vrma")))
        return Run(verb, kind, files, ["convert", *given, clip, outputs[0]], outputs)
    table = "out." + generator.choice(("csv", "jsonl", "parquet"))
    if verb in ("survey", "merge", "resume"):
        outputs += [table, table.replace(".", ".flights."), table + ".part"]
        report(("--html=", "out.html", 0.15))
        if verb == "merge":
            return Run(verb, kind, files, ["survey", *given, "s1.csv", "s2.csv", "--merge", table], outputs)
        if verb == "resume":
            rewrites = tuple(file for file in files if file.startswith("again.csv.parts/"))
            return Run(verb, kind, files, ["survey", *given, "clips.txt", "--out=again.csv", "--resume"], outputs + ["again.csv", "again.flights.csv"], rewrites)
        if kind == "limits" or generator.random() < 0.3:
            given.append("--shard=1/2") if generator.random() < 0.3 else None
        return Run(verb, kind, files, ["survey", *given, clip, f"--out={table}"], outputs)
    if verb == "replay":
        return Run(verb, kind, files, ["simulate", "--replay", name, *SIMULATIONS, *(["--json"] if generator.random() < 0.3 else [])], outputs)
    # Simulations of scenes and characters; a tenth of a second shows what a scene does in its first frames.
    scene = name
    if kind == "mesh":
        scene = next(other for other in files if other.endswith(".toml"))
    elif kind in ("mjcf", "urdf", "body_csv"):
        scene = clip_of(files, name)
        given.append(f"--body={name}")
    given.append("--seconds=" + generator.choice(("0.1", "0.1", "0.1", "0.05", "0", "1e-320", "nan") if generator.random() < 0.2 else ("0.1",)))
    person = any(name == seed or name.startswith(seed) for seed in ("drop", "throw", "stairs", "walk", "jump", "stands"))
    motion = generator.choice(("out.glb", "out.gltf", "out.bvh", "out.vrma") if person else ("out.glb", "out.glb", "out.gltf", "out.bvh"))
    report(("--out=", motion, 0.3), ("--json=", "out.json", 0.3), ("--log=", "out.log.toml", 0.3), ("--png=", "out.png", 0.02))
    if not outputs:
        given.append("--json")
    return Run(verb, kind, files, ["simulate", scene, *SIMULATIONS, *given], outputs)


def cpu_of(process):
    """Seconds of CPU of a process that is ours; after its end, those that it had."""
    try:
        with open(f"/proc/{process}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Place:
    """A folder of this process in which runs start, with what they print beside it."""

    def __init__(self, program, base):
        self.program, self.base = program, base
        self.folder = os.path.join(base, "run")
        self.environment = {**os.environ, "RAYON_NUM_THREADS": "1", "RUST_BACKTRACE": "0"}
        self.child, self.started, self.stops, self.stopped = None, 0.0, False, False
        signal.signal(signal.SIGALRM, self.tick)

    def tick(self, *_):
        """Once a second: Ctrl-C after much work that was asked for, and the end of what hangs."""
        if self.child is None:
            return
        sent = None
        if time.monotonic() > self.started + WALL_SECONDS:
            sent = signal.SIGKILL
        elif self.stops and not self.stopped and cpu_of(self.child) >= STOP_SECONDS:
            self.stopped, sent = True, signal.SIGINT
        if sent:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.child, sent)

    def fill(self, files):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        os.chdir(self.folder)
        for name, content in files.items():
            if "/" in name:
                os.makedirs(os.path.dirname(name), exist_ok=True)
            with open(name, "wb") as file:
                file.write(content)

    def call(self, arguments):
        """Exit code (below zero: a signal), seconds of CPU, bytes of memory, standard output and error."""
        paths = [os.path.join(self.base, name) for name in ("out", "err")]
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        actions = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0)]
        actions += [(os.POSIX_SPAWN_OPEN, stream, path, flags, 0o600) for stream, path in enumerate(paths, 1)]
        self.started, self.stopped, self.stops = time.monotonic(), False, arguments[0] == "simulate"
        signal.setitimer(signal.ITIMER_REAL, 1, 1)
        self.child = os.posix_spawn(self.program, [self.program, *arguments], self.environment, file_actions=actions)
        try:
            resource.prlimit(self.child, resource.RLIMIT_CPU, (CPU_SECONDS + 1, CPU_SECONDS + 2))
            resource.prlimit(self.child, resource.RLIMIT_AS, (ADDRESS_BYTES, ADDRESS_BYTES))
        except ProcessLookupError:
            pass
        _, status, usage = os.wait4(self.child, 0)
        self.child = None
        signal.setitimer(signal.ITIMER_REAL, 0)
        said = [seeds.read(path) for path in paths]
        return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, *said

    def left(self):
        """Files below the folder, by their paths in it."""
        found = []
        for folder, _, names in os.walk("."):
            found += [os.path.normpath(os.path.join(folder, name)) for name in names]
        return found


def judged(place, run, tally):
    """Starts a run and raises the first rule that does not hold."""
    place.fill(run.files)
    code, cpu, memory, out, err = place.call(run.arguments)
    row = tally.rows[run.verb, run.kind]
    row.count(code, cpu, memory)
    limits(place, code, cpu, memory, err)
    if place.stopped and code == 130:
        nothing_else(place, run, code)
        return
    as_json = "--json" in run.arguments
    judge.text_of("standard error", err, code)
    if as_json and code != 2:
        judge.large_json("standard output", out)
    elif not as_json:
        judge.text_of("standard output", out, code)
    if code == 2 and not err.strip():
        raise judge.Fault("exit code 2 without a sentence")
    nothing_else(place, run, code)
    sources = set(run.files.values())
    for name in [*run.outputs, *(run.rewrites if run.verb == "fix" else ())]:
        # Where there was nothing to correct, the file is as it came.
        if os.path.exists(name) and seeds.read(name) not in sources:
            judge.output(os.path.join(place.folder, name))
    if code != 2:
        read_again(place, run, row)


def limits(place, code, cpu, memory, err):
    if code == -signal.SIGXCPU or cpu > CPU_SECONDS:
        raise judge.Fault("more than 10 s of CPU", f"{cpu:.1f} s")
    if code not in (0, 1, 2) and not (place.stopped and code == 130):
        last = err.decode(errors="replace").strip().splitlines()[-3:]
        raise judge.Fault(f"signal {-code}" if code < 0 else f"exit code {code}", " ".join(last)[:300])
    if memory > MEMORY_BYTES:
        raise judge.Fault("more than 1 GB", f"{memory / 1e6:.0f} MB")


def nothing_else(place, run, code):
    """Inputs are as they were, and beside them are outputs alone."""
    rewritten = set(run.rewrites)
    for name in place.left():
        if name in run.files:
            if name not in rewritten and seeds.read(name) != run.files[name]:
                raise judge.Fault("an input has changed", name)
            continue
        first = name.split("/")[0]
        kept = ".parts" in first and code == 2
        own = any(name == output or name.startswith(output.rsplit(".", 1)[0]) for output in run.outputs if output[0] != ".")
        buffer = name.endswith(".bin") and bool(rewritten)
        if not (kept or own or buffer) or os.path.basename(name).startswith(".") or name.endswith((".tmp", ".log~")):
            raise judge.Fault("a file is left", name)
    for name in run.files:
        if name not in rewritten and not os.path.exists(name):
            raise judge.Fault("an input is gone", name)


def read_again(place, run, row):
    """What was written is read by the program; a log is replayed."""
    if run.verb == "replay":
        return
    for name in [*run.outputs, *run.rewrites]:
        if not os.path.exists(name) or not name.endswith((".bvh", ".glb", ".gltf", ".vrma", ".log.toml")):
            continue
        arguments = ["simulate", "--replay", name] if name.endswith(".toml") else ["check", name]
        code, cpu, memory, _, err = place.call(arguments)
        row.again += 1
        limits(place, code, cpu, memory, err)
        if place.stopped and code == 130:
            continue
        judge.text_of("standard error", err, code)
        if name.endswith(".toml"):
            if code != 0:
                raise judge.Fault("a log is not replayed", err.decode(errors="replace").strip()[:300])
        elif code == 2 and not too_little(place, run, err):
            raise judge.Fault("an output is not read again", err.decode(errors="replace").strip()[:300])


def too_little(place, run, err):
    """Whether the clip is refused for what it shows, not for how it is written: then its source is refused as well, or the
    output holds no clip, as a run of things that are no characters."""
    # The reader has read it: these are sizes that no body has, and a scene or a mutated number may ask for them.
    if re.search(rb"1e9 m\b|is not within 1e-30 to 1e30 kg", err):
        return True
    if run.verb == "simulate":
        return b"no " in err
    clip = next(word for word in run.arguments[1:] if word in run.files and word.rsplit(".", 1)[-1] in ("bvh", "glb", "gltf", "vrm", "vrma", "fbx"))
    if clip in run.rewrites:
        return False
    return place.call(["check", clip])[0] == 2


class Row:
    """What runs of one verb on one kind of input came to."""

    def __init__(self):
        self.codes, self.cpu, self.memory, self.failures, self.again = collections.Counter(), 0.0, 0, 0, 0

    def count(self, code, cpu, memory):
        self.codes[code] += 1
        self.cpu, self.memory = max(self.cpu, cpu), max(self.memory, memory)

    def add(self, other):
        self.codes.update(other.codes)
        self.cpu, self.memory = max(self.cpu, other.cpu), max(self.memory, other.memory)
        self.failures, self.again = self.failures + other.failures, self.again + other.again


class Tally:
    """All rows, and failures by rule: how many, and the first of each."""

    def __init__(self):
        self.rows, self.failures = collections.defaultdict(Row), {}

    def fail(self, run, index, fault):
        self.rows[run.verb, run.kind].failures += 1
        count, first = self.failures.get(fault.name, (0, f"run {index}, {run.verb}/{run.kind}: {fault}"))
        self.failures[fault.name] = count + 1, first

    def add(self, other):
        for key, row in other.rows.items():
            self.rows[key].add(row)
        for name, (count, first) in other.failures.items():
            mine = self.failures.get(name, (0, first))
            self.failures[name] = mine[0] + count, mine[1]

    def runs(self):
        return sum(sum(row.codes.values()) for row in self.rows.values())

    def table(self):
        lines = [f"{'verb':10} {'input':13} {'runs':>7} {'again':>6} {'code 0':>7} {'1':>6} {'2':>7} {'stopped':>7} {'other':>6} {'CPU s':>6} {'MB':>5} {'failed':>7}"]
        total = Row()
        for (verb, kind), row in [*sorted(self.rows.items()), (("all", ""), total)]:
            codes = row.codes
            other = sum(count for code, count in codes.items() if code not in (0, 1, 2, 130))
            lines.append(
                f"{verb:10} {kind:13} {sum(codes.values()):7} {row.again:6} {codes[0]:7} {codes[1]:6} {codes[2]:7} {codes[130]:7} {other:6} {row.cpu:6.2f} {row.memory / 1e6:5.0f} {row.failures:7}"
            )
            if row is not total:
                total.add(row)
        return "\n".join(lines)


def keep(folder, run, index, fault, seed):
    """A failing run as a folder: its files, and `command.sh` that runs it again."""
    place = os.path.join(folder, f"{fault.name.replace(' ', '_').replace('/', '_').replace('*', '')}_{seed}_{index}")
    for name, content in run.files.items():
        path = os.path.join(place, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
    with open(os.path.join(place, "command.sh"), "w", errors="surrogateescape") as file:
        file.write(f"# {str(fault)[:500]!a}\nRAYON_NUM_THREADS=1 ${{MUYBRIDGE_BIN:-muybridge}} {shlex.join(run.arguments)}\n")


def sound(program, stock, menu, base):
    """Ends unless the program takes an input of each kind that is not mutated: an attack on refusals would show little."""
    place = Place(program, os.path.join(base, "sound"))
    os.makedirs(place.base)
    place.fill({})
    if b"--max-memory" not in place.call(["simulate", "--help"])[3]:
        SIMULATIONS.clear()
    for verb, kind, _ in menu:
        seed = stock[kind][0]
        run = commanded(random.Random(0), verb, kind, seed.name, dict(seed.files), [])
        place.fill(run.files)
        code, _, _, _, err = place.call(run.arguments)
        if code not in (0, 1):
            sys.exit(f"muybridge {shlex.join(run.arguments)}: exit code {code} on a sound input: {err.decode(errors='replace').strip()[-300:]}")


def work(options, stock, menu, base, number):
    """The share of one process: every `jobs`-th run."""
    place, tally = Place(options.program, os.path.join(base, str(number))), Tally()
    os.makedirs(place.base)
    end, told = options.started + options.seconds, time.monotonic()
    index = options.first + number
    while index < options.first + options.runs or (options.seconds and time.monotonic() < end):
        run = drawn(random.Random(f"{options.seed}/{index}"), stock, menu)
        try:
            try:
                judged(place, run, tally)
            except (AttributeError, LookupError, TypeError, ValueError) as error:
                raise judge.Fault("an output that the judge cannot read", repr(error)) from error
        except judge.Fault as fault:
            tally.fail(run, index, fault)
            if options.keep and tally.failures[fault.name][0] <= 20:
                keep(options.keep, run, index, fault, options.seed)
        index += options.jobs
        if number == 0 and time.monotonic() > told + 30:
            told = time.monotonic()
            print(f"    about {tally.runs() * options.jobs} runs after {told - options.started:.0f} s", file=sys.stderr, flush=True)
    return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000, help="number of runs, without those that read outputs again")
    parser.add_argument("--seconds", type=float, default=0, help="go on until these are over, after the runs")
    parser.add_argument("--seed", default="1", help="another seed, other mutations")
    parser.add_argument("--first", type=int, default=0, help="number of the first run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--only", default="", metavar="VERB/KIND", help="such as fix/bvh, fix, or /scene")
    parser.add_argument("--program", default=os.environ.get("MUYBRIDGE_BIN", os.path.join(seeds.ROOT, "target", "debug", "muybridge")))
    parser.add_argument("--inputs", action="append", default=[], metavar="FOLDER", help="further inputs to start from")
    parser.add_argument("--keep", metavar="FOLDER", help="writes failing runs there: files, and the command line")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    options.keep = options.keep and os.path.abspath(options.keep)
    verb, _, kind = options.only.partition("/")
    menu = [row for row in MENU if verb in ("", row[0]) and kind in ("", row[1])]
    if not menu:
        sys.exit(f"nothing is called {options.only}; there are {', '.join(f'{verb}/{kind}' for verb, kind, _ in MENU)}")
    # An end that somebody asks for cleans up as any other.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    base = tempfile.mkdtemp(prefix="muybridge-attack-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    try:
        stock = seeds.make(options.program, os.path.join(base, "seeds"), os.environ.get("MUYBRIDGE_DATA"), options.inputs)
        sound(options.program, stock, menu, base)
        options.started = time.monotonic()
        tally, children = Tally(), []
        for number in range(options.jobs):
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                code = 1
                try:
                    os.close(reading)
                    result = work(options, stock, menu, base, number)
                    with os.fdopen(writing, "wb") as pipe:
                        pickle.dump(result, pipe)
                    code = 0
                finally:
                    sys.stderr.flush()
                    if code:
                        sys.excepthook(*sys.exc_info())
                    os._exit(code)
            os.close(writing)
            children.append((child, reading))
        broken = False
        for child, reading in children:
            with os.fdopen(reading, "rb") as pipe:
                content = pipe.read()
            broken |= os.waitpid(child, 0)[1] != 0
            if content:
                tally.add(pickle.loads(content))
    finally:
        os.chdir("/")
        shutil.rmtree(base, ignore_errors=True)
    seconds = time.monotonic() - options.started
    print(tally.table())
    print(f"{tally.runs()} runs in {seconds:.0f} s, {tally.runs() / seconds:.0f} a second, seed {options.seed}, {options.jobs} processes")
    for name, (count, first) in sorted(tally.failures.items(), key=lambda item: -item[1][0]):
        print(f"FAILED {count} times: {name}\n    {json.dumps(first, ensure_ascii=True)[:600]}")
    sys.exit(1 if tally.failures or broken else 0)


if __name__ == "__main__":
    main()
