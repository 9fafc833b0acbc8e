"""Holds `muybridge check --json`, `muybridge fix --json` and `muybridge simulate --json` to their schemas 1: every key, the length
of every list, and null for the unknown.

    python3 .ci/schema_test.py target/release/muybridge [DATA]

DATA is the shared data folder; without it, calls on its files are left out. Exit status 1 if a document is not as the
schema says. Needs nothing but Python 3.
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

# The same for `fix --dry-run`.
FIXES = [
    (["bvh/mass_backflip_fast.bvh"], None),
    (["bvh/mass_backflip_fast.bvh", "--curves=42..76", "--takeoff-velocity", "0,3,0"], None),
    (["truth/mj_tumble_speed1p5_120.bvh", "--body", "truth/mj_tumble_speed1p5_120_body.csv"], None),
    (["truth/mj_jump_120.bvh", "--body", "truth/mj_jump_120_body.csv", "--contacts", "truth/mj_geoms.csv"], None),
    (["malformed/git_lfs_pointer.glb", "bvh/cmu_12_01_walk.bvh"], 2),
]
TOOLS = {"place", "path", "time", "spin", "feet"}

# The same for `simulate`.
RUNS = [
    (["--seconds", "0.5"], 0),
    (["throw", "--seconds", "0.5", "--particle-mode", "xpbd"], 0),
    (["throw", "--seconds", "0.5", "--method", "multipliers"], 0),
    (["rope", "--seconds", "0.5", "--fps", "30"], 0),
    (["arm", "--seconds", "3"], 0),
    (["own_feet", "--seconds", "0.5"], 0),
    (["crowd", "--seconds", "0.5"], 0),
    (["pushed", "--seconds", "1.5"], 0),
    (["bvh/mass_backflip_fast.bvh", "--seconds", "0.25"], 0),
]

# The same for `simulate --method all`, and how many methods run.
COMPARISONS = [
    (["throw", "--seconds", "0.25"], 3),
    (["cloth_on_sphere", "--seconds", "0.1"], 1),
]

NUMBER, TEXT, COUNT = (int, float), (str,), (int,)
NULL = type(None)
VERDICTS = {"plausible", "implausible", "undecided"}
SEVERITIES = {"error", "warning", "note"}
ID = re.compile(r"^[a-z]+(\.[a-z_]+)+$")
VECTORS = [
    "mass_center_m", "mass_center_velocity_mps", "mass_center_acceleration_mps2", "linear_momentum_kgmps",
    "angular_momentum_kgm2ps", "angular_momentum_rate_kgm2ps2", "ground_force_n", "zmp_m",
    "residual_force_n", "residual_moment_nm",
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
    keys = {key: (list,) for key in VECTORS + ["time_s", "support_margin_m", "support_polygon_m", "support_area_m2", "contacts"]}
    if not typed(rows, keys, where):
        return
    for key, row in rows.items():
        expect(len(row) == frames, f"{where}.{key}", f"has {len(row)} rows for {frames} frames")
    for key in VECTORS:
        wrong = [k for k, row in enumerate(rows[key]) if row is not None and not is_vector(row)]
        expect(not wrong, f"{where}.{key}", f"row {wrong[:1]} is neither three numbers nor null")
    expect(all(isinstance(t, NUMBER) for t in rows["time_s"]), f"{where}.time_s", "is not all numbers")
    expect(all(a < b for a, b in zip(rows["time_s"], rows["time_s"][1:])), f"{where}.time_s", "does not ascend")
    for key in ("support_margin_m", "support_area_m2"):
        expect(all(m is None or isinstance(m, NUMBER) for m in rows[key]), f"{where}.{key}", "is not numbers or null")
    polygons = [corners for corners in rows["support_polygon_m"] if corners]
    expect(all(is_vector(corner) for corners in polygons for corner in corners), f"{where}.support_polygon_m", "has corners of not three numbers")
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
        "file": TEXT, "name": TEXT, "character": TEXT, "error": TEXT + (NULL,), "frames": COUNT, "fps": number, "bones": COUNT,
        "meters_per_unit": number, "unit_source": TEXT, "up": TEXT, "gravity_mps2": number, "cutoff_hz": NUMBER + (NULL,),
        "body": (dict,), "no_body": TEXT + (NULL,), "floor_m": NUMBER + (NULL,), "treadmill_mps": (list,), "per_frame": (dict,), "flights": (list,),
        "feet": (dict,), "balance": (dict,), "residual": (dict,), "findings": (list,), "ignored": (list,), "verdict": TEXT,
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
    keys = {key: NUMBER + (NULL,) for key in ("mean_force_bw", "worst_force_bw", "mean_moment_nm", "worst_moment_nm")}
    if typed(clip["residual"], keys | {"spans": (list,)}, f"{where}.residual"):
        for k, span in enumerate(clip["residual"]["spans"]):
            keys = {key: NUMBER for key in ("start_s", "end_s", "force_bw", "moment_nm", "at_s")}
            typed(span, keys | SPAN, f"{where}.residual.spans[{k}]")
    for k, flight in enumerate(clip["flights"]):
        check_flight(flight, clip, f"{where}.flights[{k}]")
    for k, finding in enumerate(clip["findings"]):
        check_finding(finding, f"{where}.findings[{k}]")


SPAN = {"first_frame": COUNT, "last_frame": COUNT}
NEW_SPAN = {"new_first_frame": COUNT, "new_last_frame": COUNT}
MAYBE = NUMBER + (NULL,)


def in_clip(entry, prefix, frames, where):
    """First and last frame are frames of a clip of so many."""
    first, last = entry[f"{prefix}first_frame"], entry[f"{prefix}last_frame"]
    expect(first is None or 0 <= first <= last < frames, where, f"frames {first} to {last} of {frames}")


def check_side(side, where):
    keys = {"verdict": TEXT, "frames": COUNT, "seconds": NUMBER, "floor_m": MAYBE, "flights": (list,), "contacts": (list,),
            "feet": (dict,), "findings": (list,)}
    if not typed(side, keys, where):
        return False
    expect(side["verdict"] in VERDICTS, f"{where}.verdict", f"is {side['verdict']!r}")
    for k, flight in enumerate(side["flights"]):
        keys = SPAN | {"start_s": NUMBER, "end_s": NUMBER, "gravity_g": MAYBE, "gravity_se_g": MAYBE, "frames_to_add": COUNT,
                       "horizontal_path_error": MAYBE, "horizontal_path_error_unit": TEXT, "linear_momentum_error_norm": MAYBE,
                       "angular_momentum_error_norm": MAYBE, "angular_momentum_change_kgm2ps": MAYBE}
        if typed(flight, keys, f"{where}.flights[{k}]"):
            in_clip(flight, "", side["frames"], f"{where}.flights[{k}]")
    for k, contact in enumerate(side["contacts"]):
        typed(contact, {"bone": TEXT, "spans": (list,)}, f"{where}.contacts[{k}]")
    typed(side["feet"], {key: MAYBE for key in ("skate_mps", "float_m", "penetration_m")}, f"{where}.feet")
    for k, finding in enumerate(side["findings"]):
        check_finding(finding, f"{where}.findings[{k}]")
        typed(finding, SPAN, f"{where}.findings[{k}]")
    return True


def check_step(step, old, where):
    if not typed(step, {"flights": (list,), "feet": (bool,), "planted": (dict, NULL)}, where):
        return
    for k, flight in enumerate(step["flights"]):
        here = f"{where}.flights[{k}]"
        keys = SPAN | NEW_SPAN | {"intervals": COUNT, "new_intervals": COUNT, "tool": TEXT, "reason": TEXT, "choices": (list,),
                                  "moved_m": NUMBER, "turned_deg": MAYBE, "landing_error_deg": MAYBE,
                                  "newton_iterations": COUNT + (NULL,), "newton_residual_kgm2ps": MAYBE,
                                  "angular_momentum_kgm2ps": (list, NULL),
                                  "not_turned": TEXT + (NULL,), "blend": (dict, NULL)}
        if not typed(flight, keys, here):
            continue
        expect(flight["tool"] in TOOLS, here, f"tool {flight['tool']!r}")
        in_clip(flight, "", old, here)
        for choice in flight["choices"]:
            keys = {"tool": TEXT, "cost": NUMBER, "better": (list,), "left": (list,), "worse": (list,), "beyond": TEXT + (NULL,)}
            typed(choice, keys, f"{here}.choices")


def check_curves(curves, frames, where):
    if not typed(curves, SPAN | {"from_m": (list,), "to_m": (list,), "paths": (list,), "nearest": (dict,)}, where):
        return
    in_clip(curves, "", frames, where)
    expect(len(curves["paths"]) == 7, f"{where}.paths", f"has {len(curves['paths'])} paths")
    for k, path in enumerate(curves["paths"]):
        keys = {"duration_s": NUMBER, "apex_m": (list,), "apex_s": NUMBER, "takeoff_mps": (list,)}
        typed(path, keys, f"{where}.paths[{k}]")


def check_fix(fix, where):
    keys = {"file": TEXT, "name": TEXT, "character": TEXT, "error": TEXT + (NULL,), "output": TEXT + (NULL,), "before": (dict, NULL),
            "after": (dict, NULL), "findings": (list,), "steps": (list,), "left": (list,), "time_map": (list,),
            "loop_s": (list, NULL), "largest": (dict, NULL), "curves": (dict, NULL), "bounds": (dict, NULL), "notes": (list,)}
    if not typed(fix, keys, where):
        return
    unfixed = fix["error"] is not None
    for key in ("before", "after", "largest", "bounds"):
        expect((fix[key] is None) == unfixed, f"{where}.{key}", "is null where it was corrected, or the reverse")
    if unfixed or not (check_side(fix["before"], f"{where}.before") and check_side(fix["after"], f"{where}.after")):
        return
    old, new = fix["before"]["frames"], fix["after"]["frames"]
    if fix["curves"]:
        check_curves(fix["curves"], old, f"{where}.curves")
    for k, pair in enumerate(fix["findings"]):
        maybe = {key: COUNT + (NULL,) for key in SPAN | NEW_SPAN}
        keys = maybe | {"id": TEXT, "unit": TEXT, "severity": TEXT + (NULL,), "value": MAYBE, "limit": (list,),
                        "new_severity": TEXT + (NULL,), "new_value": MAYBE, "new_within_limit": (bool, NULL)}
        if typed(pair, keys, f"{where}.findings[{k}]"):
            in_clip(pair, "", old, f"{where}.findings[{k}]")
            in_clip(pair, "new_", new, f"{where}.findings[{k}]")
    for key, side in (("severity", "before"), ("new_severity", "after")):
        told, found = (sorted(f[name] for f in rows if f[name]) for rows, name in ((fix["findings"], key), (fix[side]["findings"], "severity")))
        expect(told == found, f"{where}.findings", f"severities {told} for {found} {side}")
    for k, step in enumerate(fix["steps"]):
        check_step(step, old, f"{where}.steps[{k}]")
    for k, left in enumerate(fix["left"]):
        if typed(left, NEW_SPAN | {"start_s": NUMBER, "end_s": NUMBER, "why": TEXT}, f"{where}.left[{k}]"):
            in_clip(left, "new_", new, f"{where}.left[{k}]")
    added = 0
    for k, span in enumerate(fix["time_map"]):
        if typed(span, NEW_SPAN | {"first_frame": NUMBER, "last_frame": NUMBER}, f"{where}.time_map[{k}]"):
            added += span["new_last_frame"] - span["new_first_frame"] - (span["last_frame"] - span["first_frame"])
    expect(abs(added - (new - old)) < 1e-6, f"{where}.time_map", f"adds {added} frames, the clip has {new - old} more")
    typed(fix["largest"], {"joint_deg": MAYBE, "joint": TEXT + (NULL,), "joint_new_frame": COUNT, "root_mm": MAYBE,
                           "root_mm_new_frame": COUNT, "root_deg": MAYBE, "root_deg_new_frame": COUNT}, f"{where}.largest")


def fix_deserves(fixes):
    """The exit code the corrections of a document ask for."""
    if any(fix["error"] is not None for fix in fixes):
        return 2
    return int(any(f["severity"] != "note" for fix in fixes for f in fix["after"]["findings"]))


def deserved(clips):
    """The exit code the clips of a document ask for."""
    if any(clip["error"] is not None for clip in clips):
        return 2
    return int(any(f["severity"] in ("error", "warning") for clip in clips for f in clip["findings"]))


def no_constant(word):
    raise ValueError(f"{word} is not JSON")


def check_call(program, data, verb, arguments, code):
    """Runs a verb with --json and holds what it writes to the schema; how many clips there were."""
    words, key, check, asked = VERBS[verb]
    where = f"{verb} " + (" ".join(arguments) or "(the built-in sample)")
    paths = [os.path.join(data, word) if "/" in word or "." in word and not word.startswith("-") else word for word in arguments]
    run = subprocess.run([program, *words, "--json"] + paths, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    try:
        document = json.loads(run.stdout, parse_constant=no_constant)
    except ValueError as error:
        expect(False, where, f"standard output is not JSON: {error}; standard error: {run.stderr[-300:]!r}")
        return 0
    if not typed(document, {"schema": COUNT, key: (list,)}, where):
        return 0
    expect(document["schema"] == 1, where, f"is schema {document['schema']}")
    expect(document[key], where, "holds no clip")
    for k, entry in enumerate(document[key]):
        check(entry, f"{where}: {key}[{k}]")
    wanted = code if code is not None else None if complaints else asked(document[key])
    expect(wanted is None or run.returncode == wanted, where, f"ends with {run.returncode}, not {wanted}")
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "out.json")
        again = subprocess.run([program, *words, f"--json={target}"] + paths, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        expect(again.returncode == run.returncode, where, f"ends with {again.returncode} when it writes to a file")
        same = os.path.exists(target) and open(target, "rb").read() == run.stdout
        expect(same, where, "--json=FILE holds other bytes than --json")
    return len(document[key])


def check_following(entry, where):
    """Holds an entry of `follows` to the schema."""
    keys = {"of": TEXT, "clip": TEXT, "ragdolls": COUNT, "begins_s": NUMBER, "ends_s": NUMBER}
    keys |= {"off": (dict,), "off_where_possible": (dict, NULL), "hand": (dict,), "possible": (dict, NULL)}
    if not typed(entry, keys, where) or entry["possible"] is None:
        return
    possible = entry["possible"]
    keys = {key: NUMBER for key in ("weight_n", "leg_m", "frame_time_s")} | {"floor_m": (int, float, NULL)}
    rows = ("missing_force_n", "missing_moment_nm", "missing_share", "inside_m")
    if not typed(possible, keys | {key: (list,) for key in (*rows, "impossible")}, f"{where}.possible"):
        return
    same = len({len(possible[key]) for key in rows}) == 1 and all(is_vector(row) for key in rows[:2] for row in possible[key])
    expect(same, f"{where}.possible", "has not an entry for every frame of the clip in every list")
    for span in possible["impossible"]:
        keys = {key: NUMBER for key in ("begins_s", "ends_s", "most_at_s", "share", "inside_m")}
        typed(span, keys | {"force_n": (list,), "moment_nm": (list,)}, f"{where}.possible.impossible")


def check_run(program, data, arguments, code):
    """Runs `simulate --json` and holds the one document it writes to the schema."""
    where = "simulate " + " ".join(arguments)
    paths = [os.path.join(data, word) if "/" in word else word for word in arguments]
    run = subprocess.run([program, "simulate", "--json", *paths], stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    expect(run.returncode == code, where, f"ends with {run.returncode}, not {code}: {run.stderr[-300:]!r}")
    try:
        document = json.loads(run.stdout, parse_constant=no_constant)
    except ValueError as error:
        expect(False, where, f"standard output is not JSON: {error}")
        return
    keys = {key: TEXT for key in ("scene", "source", "method", "mode")}
    keys |= {key: COUNT for key in ("schema", "substeps", "iterations", "frames", "particles", "bodies")}
    keys |= {key: NUMBER for key in ("seconds", "rate_hz", "asleep")}
    keys |= {key: (list,) for key in ("characters", "tracks", "actions", "follows", "log", "files", "notes", "warnings", "poses")}
    keys |= {key: (dict,) for key in ("worst", "energy_j", "step_us", "per_frame", "work")} | {"replay": (dict, NULL)}
    if not typed(document, keys, where):
        return
    expect(document["schema"] == 1, where, f"is schema {document['schema']}")
    for character in document["characters"]:
        keys = {"name": TEXT, "bones": COUNT, "mass_kg": NUMBER, "actuated": (dict, NULL)}
        if typed(character, keys, f"{where}: characters") and character["actuated"] is not None:
            for key in ("force_n", "moment_nm"):
                rows = character["actuated"][key]
                fits = len(rows) == document["frames"] and all(is_vector(row) for row in rows)
                expect(fits, f"{where}: characters.actuated.{key}", "is not a vector for every frame")
    for warning in document["warnings"]:
        keys = {"kind": TEXT, "of": TEXT, "value": NUMBER, "time_s": NUMBER, "at_end": NUMBER, "message": TEXT}
        typed(warning, keys, f"{where}: warnings")
    for track in document["tracks"]:
        typed(track, {"name": TEXT, "kind": TEXT, "obstacle": (bool,)}, f"{where}: tracks")
    for action in document["actions"]:
        if typed(action, {"name": TEXT, "on": TEXT, "force_n": (list,), "torque_nm": (list,)}, f"{where}: actions"):
            for key in ("force_n", "torque_nm"):
                fits = len(action[key]) == document["frames"] and all(is_vector(row) for row in action[key])
                expect(fits, f"{where}: actions.{key}", "is not a vector for every frame")
    counted = ("substeps", "pairs", "contacts", "passes", "corrections")
    by_some = ("contact_corrections", "in_lanes", "factorizations", "tree_solves")
    keys = {key: (dict,) for key in counted} | {key: (dict, NULL) for key in by_some}
    for key, count in document["work"].items() if typed(document["work"], keys, f"{where}: work") else ():
        if count is not None and typed(count, {"total": COUNT, "most": COUNT, "per_frame": (list,)}, f"{where}: work.{key}"):
            rows = count["per_frame"]
            fits = len(rows) == document["frames"] and (sum(rows), max(rows)) == (count["total"], count["most"])
            expect(fits, f"{where}: work.{key}", "does not add up")
    for pose in document["poses"]:
        if typed(pose, {"of": TEXT, "position_m": (list,), "rotation_xyzw": (list,)}, f"{where}: poses"):
            expect(all(is_vector(row) for row in pose["position_m"]), f"{where}: poses", f"{pose['of']} is at no place")
            turns = [sum(value * value for value in row) if len(row) == 4 else 0 for row in pose["rotation_xyzw"]]
            expect(all(abs(turn - 1) < 1e-9 for turn in turns), f"{where}: poses", f"{pose['of']} has no orientation")
            rows = [len(pose["position_m"]), len(turns)]
            expect(rows == [document["frames"]] * 2, f"{where}: poses", f"{pose['of']} has {rows} rows")
    bones = sum(character["bones"] for character in document["characters"])
    things = {track["name"] for track in document["tracks"] if track["kind"] == "body" and not track["obstacle"]}
    named = [pose["of"] for pose in document["poses"]]
    expect(things <= set(named), f"{where}: poses", "leaves out a body")
    expect(len(named) >= bones + len(things), f"{where}: poses", "leaves out a bone")
    for entry in document["follows"]:
        check_following(entry, f"{where}: follows")
    for entry in document["log"]:
        keys = {"time_s": NUMBER} | {key: TEXT for key in ("kind", "name", "event", "why")}
        typed(entry, keys, f"{where}: log")
    for key in ("stretch", "gap_m", "limit_rad", "penetration_m"):
        typed(document["worst"].get(key), {"value": NUMBER, "time_s": NUMBER}, f"{where}: worst.{key}")
    typed(document["energy_j"], {key: NUMBER for key in ("start", "greatest", "end")}, f"{where}: energy_j")
    typed(document["step_us"], {key: NUMBER for key in ("mean", "slowest")}, f"{where}: step_us")
    for key, row in document["per_frame"].items():
        expect(len(row) == document["frames"], f"{where}: per_frame.{key}", f"has {len(row)} rows")
        fits = is_vector if key in ("momentum_kgmps", "angular_momentum_kgm2ps") else lambda value: isinstance(value, NUMBER)
        expect(all(fits(value) for value in row), f"{where}: per_frame.{key}", "has a row that is not numbers")


def check_comparison(program, data, arguments, least):
    """Runs `simulate --method all --json` and holds the one document it writes to the schema."""
    where = "simulate --method all " + " ".join(arguments)
    call = [program, "simulate", "--method", "all", "--json", *arguments]
    run = subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    expect(run.returncode == 0, where, f"ends with {run.returncode}: {run.stderr[-300:]!r}")
    try:
        document = json.loads(run.stdout, parse_constant=no_constant)
    except ValueError as error:
        expect(False, where, f"standard output is not JSON: {error}")
        return
    keys = {"schema": COUNT, "scene": TEXT, "source": TEXT, "seconds": NUMBER, "rate_hz": NUMBER, "frames": COUNT}
    keys |= {key: (list,) for key in ("methods", "left_out", "notes")}
    if not typed(document, keys, where):
        return
    expect(document["schema"] == 1, where, f"is schema {document['schema']}")
    expect(len(document["methods"]) >= least, where, f"has {len(document['methods'])} methods, not {least} or more")
    expect(len(document["methods"]) + len(document["left_out"]) == 3, where, "does not speak of three methods")
    for column in document["methods"]:
        keys = {"method": TEXT, "mode": TEXT, "asleep": NUMBER, "asleep_at_s": NUMBER + (NULL,), "limit_rad": NUMBER}
        keys |= {key: COUNT for key in ("substeps", "iterations", "particles", "bodies")}
        keys |= {key: NUMBER for key in ("momentum_drift_kgmps", "angular_momentum_drift_kgm2ps")}
        keys |= {key: (dict,) for key in ("energy_j", "gap_m", "penetration_m", "step_us")}
        if not typed(column, keys, f"{where}: methods"):
            continue
        inner = {"energy_j": ("start", "end", "greatest_gain"), "gap_m": ("greatest", "rms")}
        inner |= {"penetration_m": ("greatest", "end"), "step_us": ("median", "slowest")}
        for key, names in inner.items():
            typed(column[key], {name: NUMBER for name in names}, f"{where}: methods.{key}")
    for left in document["left_out"]:
        typed(left, {"method": TEXT, "why": TEXT}, f"{where}: left_out")


# What a verb is called with, the key of its entries, what holds for one, and the exit code all of them ask for.
VERBS = {
    "check": (["check"], "clips", check_clip, deserved),
    "fix": (["fix", "--dry-run"], "fixes", check_fix, fix_deserves),
}


def main():
    program, data = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else ""
    calls, fixed, runs = ([row for row in rows if data or not any("/" in word for word in row[0])] for rows in (CALLS, FIXES, RUNS))
    clips = sum(check_call(program, data, "check", arguments, code) for arguments, code in calls)
    fixes = sum(check_call(program, data, "fix", arguments, code) for arguments, code in fixed)
    for arguments, code in runs:
        check_run(program, data, arguments, code)
    for arguments, least in COMPARISONS:
        check_comparison(program, data, arguments, least)
    for complaint in complaints:
        print(f"FAILED {complaint}")
    print(f"schema 1: {clips} clips of {len(calls)} calls, {fixes} corrections of {len(fixed)} calls, {len(runs)} runs, {len(COMPARISONS)} comparisons, {len(complaints)} complaints")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
