"""Records what the program computes, one line per result, so that two builds can be compared: a refactoring changes none.

    python3 .ci/results.py record PROGRAM DATA [CASES] > results.txt
    diff before.txt after.txt

Runs `check`, `fix` and `convert` on every clip below DATA (and CASES), and `simulate` on every built-in scene under every
method (and the scenes of CASES). A line holds the digest of the JSON or of the written bytes, the exit code and the call.
Times, paths and notes (sentences for people) are left out of the digests. Needs nothing but Python 3.
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

CLIPS = (".bvh", ".glb", ".gltf", ".vrm", ".vrma", ".fbx")
FORMATS = ("bvh", "glb", "gltf", "vrma")
METHODS = ("particles", "multipliers", "displacement", "hennix")
OPTIONS = ([], ["--cutoff", "6"], ["--loop"], ["--height", "1.7", "--anthropometry", "dempster"])
# Seconds of scenes that take long; the others run for one.
SHORT = {"heap": "0.2", "herd": "0.2", "rain": "0.2", "crowd": "0.2", "cloth_on_sphere": "0.3", "flail": "0.5"}
# The dense matrix of many ragdolls takes minutes a frame.
LEFT_OUT_SCENES = {("heap", "hennix"), ("crowd", "hennix")}
LEFT_OUT = {"step_us", "notes", "note", "files", "file", "seconds_to_run"}


def below(folder, endings):
    found = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(endings)]
    return sorted(found)


def without(value):
    if isinstance(value, dict):
        return {key: without(inner) for key, inner in value.items() if key not in LEFT_OUT}
    return [without(inner) for inner in value] if isinstance(value, list) else value


def digest_json(text):
    try:
        return hashlib.sha256(json.dumps(without(json.loads(text))).encode()).hexdigest()[:16]
    except ValueError:
        return "no JSON"


def run(program, arguments, seconds=300):
    done = subprocess.run([program, *arguments], capture_output=True, timeout=seconds)
    return done.returncode, done.stdout.decode(errors="replace")


def digest_files(folder):
    whole = hashlib.sha256()
    for path in below(folder, ("",)):
        with open(path, "rb") as file:
            whole.update(os.path.relpath(path, folder).encode() + b"\0" + file.read())
    return whole.hexdigest()[:16]


def checked(program, clip, options):
    code, text = run(program, ["check", clip, "--json", *options])
    return f"{digest_json(text)} {code}"


def fixed(program, clip):
    with tempfile.TemporaryDirectory() as folder:
        code, text = run(program, ["fix", clip, "--json", "-o", folder + os.sep])
        return f"{digest_json(text.replace(folder, ''))} {digest_files(folder)} {code}"


def converted(program, clip, ending):
    with tempfile.TemporaryDirectory() as folder:
        code, _ = run(program, ["convert", clip, folder + os.sep, "--to", ending])
        return f"{digest_files(folder)} {code}"


def simulated(program, scene, method, seconds):
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "run.toml")
        code, text = run(program, ["simulate", scene, "--method", method, "--seconds", seconds, "--json", "--log", log])
        sums = []
        if os.path.exists(log):
            with open(log, encoding="utf-8") as file:
                sums = re.findall(r'^sum = "(\w+)"', file.read(), re.M)
        return f"{digest_json(text)} {code} {' '.join(sums)}".rstrip()


def calls(program, data, cases):
    clips = [clip for folder in (data, cases) if folder for clip in below(folder, CLIPS) if "malformed" not in clip and "hostile" not in clip]
    for clip in clips:
        name = os.path.relpath(clip, os.path.dirname(os.path.abspath(data)))
        yield f"fix {name}", lambda clip=clip: fixed(program, clip)
        for options in OPTIONS if clip.startswith(data) else OPTIONS[:1]:
            yield " ".join(["check", name, *options]), lambda clip=clip, options=options: checked(program, clip, options)
        for ending in FORMATS:
            yield f"convert {name} {ending}", lambda clip=clip, ending=ending: converted(program, clip, ending)
    scenes = re.findall(r"^(\w+)  ", run(program, ["simulate", "--scenes"])[1], re.M)
    for scene in scenes:
        for method in (method for method in METHODS if (scene, method) not in LEFT_OUT_SCENES):
            seconds = SHORT.get(scene, "1")
            yield f"simulate {scene} {method}", lambda s=scene, m=method, t=seconds: simulated(program, s, m, t)
    for scene in below(cases, (".toml",)) if cases else []:
        if "hostile" not in scene:
            name = os.path.relpath(scene, cases)
            for method in METHODS[:3]:
                yield f"simulate {name} {method}", lambda s=scene, m=method: simulated(program, s, m, "0.1")


def answer(call):
    name, work = call
    try:
        return f"{name}: {work()}"
    except subprocess.TimeoutExpired:
        return f"{name}: too long"


def main():
    if len(sys.argv) not in (4, 5) or sys.argv[1] != "record":
        sys.exit(__doc__)
    program, data = os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
    cases = os.path.abspath(sys.argv[4]) if len(sys.argv) == 5 else None
    work = list(calls(program, data, cases))
    if not any("simulate" in name for name, _ in work):
        sys.exit("the program lists no scenes")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for line in pool.map(answer, work):
            print(line, flush=True)


main()
