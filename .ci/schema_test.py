"""Holds `muybridge check --json` to schema 1 of its JSON: every key, the length of every list, and null for the unknown.

    python3 .ci/schema_test.py target/release/muybridge DATA

DATA is the shared data folder. Exit status 1 if a document is not as the schema says. Needs nothing but Python 3.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile

# Arguments, and the exit code they must give (None: whatever the motion deserves).
CALLS = [
    ([], 0),
    (["truth/mj_jump_120.bvh", "--body", "truth/mj_jump_120_body.csv", "--contacts", "truth/mj_geoms.csv"], 0),
    (["truth/mj_tumble_30.bvh", "--body", "truth/mj_tumble_30_body.csv", "--cutoff", "off"], 0),
    (["bvh/mass_backflip_fast.bvh"], 1),
    (["bvh/pybvh_single_frame.bvh", "bvh/wisc_example_2frames.bvh"], None),
    (["gltf/Fox.glb"], None),
    (["gltf/interpolation_test.gltf"], None),
    (["fbx/snu_hjump_phase.fbx"], None),
    (["vrm/test.vrma"], None),
    (["malformed/git_lfs_pointer.glb", "bvh/cmu_12_01_walk.bvh"], 2),
    (["forceplate/opencap_subject4/static1.trc"], 2),
    (["no_such_file.bvh"], 2),
]

NUMBER, TEXT, COUNT = (int, float), (str,), (int,)
NULL = type(None)
VERDICTS = {"plausible", "implausible", "undecided"}
SEVERITIES = {"error", "warning", "note"}
ID = re.compile(r"^[a-z]+(\.[a-z_]+)+$")
VECTORS = [
    "mass_center_m", "mass_center_velocity_mps", "mass_center_acceleration_mps2", "linear_momentum_kgmps",
    "angular_momentum_kgm2ps", "angular_momentum_rate_kgm2ps2", "ground_force_n", "zmp_m",
]

complaints = []


def expect(holds, where, sentence):
    if not holds:
        complaints.append(f"{where}: {sentence}")
    return holds


def typed(entry, keys, where):
    """Every key is there and of one of its types. False if one is missing."""
    if not expect(isinstance(entry, dict), where, "is not an object"):
        return False
    missing = [key for key in keys if key not in entry]
    expect(not missing, where, f"lacks {', '.join(missing)}")
    for key, types in keys.items():
        if key in entry:
            value = entry[key]
            right = isinstance(value, types) and not (isinstance(value, bool) and bool not in types)
            expect(right, f"{where}.{key}", f"is {json.dumps(value)[:60]}")
    return not missing


def is_vector(value, null_inside=False):
    inside = NUMBER + ((NULL,) if null_inside else ())
    return isinstance(value, list) and len(value) == 3 and all(isinstance(x, inside) for x in value)


def check_rows(rows, frames, where):
    keys = {key: (list,) for key in VECTORS + ["time_s", "support_margin_m", "contacts"]}
    if not typed(rows, keys, where):
        return
    for key, row in rows.items():
        expect(len(row) == frames, f"{where}.{key}", f"has {len(row)} rows for {frames} frames")
    for key in VECTORS:
        wrong = [k for k, row in enumerate(rows[key]) if row is not None and not is_vector(row)]
        expect(not wrong, f"{where}.{key}", f"row {wrong[:1]} is neither three numbers nor null")
    expect(all(isinstance(t, NUMBER) for t in rows["time_s"]), f"{where}.time_s", "is not all numbers")
    expect(all(a < b for a, b in zip(rows["time_s"], rows["time_s"][1:])), f"{where}.time_s", "does not ascend")
    margins = rows["support_margin_m"]
    expect(all(m is None or isinstance(m, NUMBER) for m in margins), f"{where}.support_margin_m", "is not numbers or null")
    for touching in rows["contacts"]:
        names = touching is None or isinstance(touching, list) and all(isinstance(name, str) for name in touching)
        if not expect(names, f"{where}.contacts", f"holds {json.dumps(touching)[:60]}"):
            break


def check_flight(flight, clip, where):
    keys = {key: NUMBER for key in ("start_s", "end_s")}
    keys |= {key: NUMBER + (NULL,) for key in ("gravity_g", "gravity_se_g", "size_factor", "horizontal_path_error")}
    keys |= {"linear_momentum_error": (list,), "angular_momentum_error": (list,), "frames_to_add": COUNT}
    if not typed(flight, keys, where):
        return
    expect(flight["start_s"] <= flight["end_s"], where, "ends before it starts")
    linear = flight["linear_momentum_error"]
    expect(is_vector(linear, True) and linear[1] is None, f"{where}.linear_momentum_error", f"is {linear}")
    expect(is_vector(flight["angular_momentum_error"], True), f"{where}.angular_momentum_error", "is not of three")
    times = clip["per_frame"]["time_s"]
    flown = sum(flight["start_s"] - 1e-9 <= t <= flight["end_s"] + 1e-9 for t in times)
    for key, row in flight.get("per_frame", {}).items():
        expect(len(row) == flown, f"{where}.per_frame.{key}", f"has {len(row)} rows for {flown} airborne frames")


def check_finding(finding, where):
    keys = {"id": TEXT, "severity": TEXT, "start_s": NUMBER + (NULL,), "end_s": NUMBER + (NULL,),
            "value": NUMBER + (NULL,), "limit": (list,), "message": TEXT}
    if typed(finding, keys, where):
        expect(ID.match(finding["id"]), f"{where}.id", f"is {finding['id']!r}")
        expect(finding["severity"] in SEVERITIES, f"{where}.severity", f"is {finding['severity']!r}")
        limits = finding["limit"]
        expect(len(limits) == 2 and all(x is None or isinstance(x, NUMBER) for x in limits), f"{where}.limit", f"is {limits}")
        expect(finding["message"].strip(), f"{where}.message", "is empty")


def check_clip(clip, where):
    unread = isinstance(clip, dict) and clip.get("error") is not None
    number = NUMBER + ((NULL,) if unread else ())
    keys = {
        "file": TEXT, "name": TEXT, "error": TEXT + (NULL,), "frames": COUNT, "fps": number, "bones": COUNT,
        "meters_per_unit": number, "unit_source": TEXT, "up": TEXT, "gravity_mps2": number, "cutoff_hz": NUMBER + (NULL,),
        "body": (dict,), "floor_m": NUMBER + (NULL,), "treadmill_mps": (list,), "per_frame": (dict,), "flights": (list,),
        "feet": (dict,), "balance": (dict,), "findings": (list,), "ignored": (list,), "verdict": TEXT,
    }
    if not typed(clip, keys, where):
        return
    expect(clip["verdict"] in VERDICTS, f"{where}.verdict", f"is {clip['verdict']!r}")
    expect(is_vector(clip["treadmill_mps"]), f"{where}.treadmill_mps", "is not three numbers")
    expect(all(isinstance(line, str) for line in clip["ignored"]), f"{where}.ignored", "is not all sentences")
    check_rows(clip["per_frame"], clip["frames"], f"{where}.per_frame")
    if typed(clip["body"], {"mass_kg": number, "source": TEXT, "segments": (list,)}, f"{where}.body"):
        segments = clip["body"]["segments"]
        for k, segment in enumerate(segments):
            typed(segment, {"bone": TEXT, "mass_kg": NUMBER}, f"{where}.body.segments[{k}]")
        if segments and not unread:
            total = sum(segment["mass_kg"] for segment in segments)
            same = math.isclose(total, clip["body"]["mass_kg"], rel_tol=1e-9)
            expect(same, f"{where}.body", f"weighs {clip['body']['mass_kg']} kg, its segments {total} kg")
    typed(clip["feet"], {key: NUMBER + (NULL,) for key in ("skate_mps", "float_m", "penetration_m")}, f"{where}.feet")
    if typed(clip["balance"], {"inside_fraction": NUMBER + (NULL,), "normalized_distance": (list,)}, f"{where}.balance"):
        rows = len(clip["balance"]["normalized_distance"])
        expect(rows == clip["frames"], f"{where}.balance.normalized_distance", f"has {rows} rows")
    for k, flight in enumerate(clip["flights"]):
        check_flight(flight, clip, f"{where}.flights[{k}]")
    for k, finding in enumerate(clip["findings"]):
        check_finding(finding, f"{where}.findings[{k}]")


def deserved(clips):
    """The exit code the clips of a document ask for."""
    if any(clip["error"] is not None for clip in clips):
        return 2
    return int(any(f["severity"] in ("error", "warning") for clip in clips for f in clip["findings"]))


def no_constant(word):
    raise ValueError(f"{word} is not JSON")


def check_call(program, data, arguments, code):
    where = "check " + (" ".join(arguments) or "(the built-in sample)")
    paths = [os.path.join(data, word) if "/" in word or "." in word and not word.startswith("-") else word for word in arguments]
    run = subprocess.run([program, "check", "--json"] + paths, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    try:
        document = json.loads(run.stdout, parse_constant=no_constant)
    except ValueError as error:
        expect(False, where, f"standard output is not JSON: {error}; standard error: {run.stderr[-300:]!r}")
        return 0
    if not typed(document, {"schema": COUNT, "clips": (list,)}, where):
        return 0
    expect(document["schema"] == 1, where, f"is schema {document['schema']}")
    expect(document["clips"], where, "holds no clip")
    for k, clip in enumerate(document["clips"]):
        check_clip(clip, f"{where}: clips[{k}]")
    wanted = code if code is not None else None if complaints else deserved(document["clips"])
    expect(wanted is None or run.returncode == wanted, where, f"ends with {run.returncode}, not {wanted}")
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "out.json")
        again = subprocess.run([program, "check", f"--json={target}"] + paths, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        expect(again.returncode == run.returncode, where, f"ends with {again.returncode} when it writes to a file")
        same = os.path.exists(target) and open(target, "rb").read() == run.stdout
        expect(same, where, "--json=FILE holds other bytes than --json")
    return len(document["clips"])


def main():
    program, data = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    clips = sum(check_call(program, data, arguments, code) for arguments, code in CALLS)
    for complaint in complaints:
        print(f"FAILED {complaint}")
    print(f"schema 1: {clips} clips of {len(CALLS)} calls, {len(complaints)} complaints")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
