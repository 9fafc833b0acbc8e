"""Opens what `muybridge convert` and `muybridge fix` write in Blender, and compares where the bones stand with tables that
neither wrote.

    python3.11 .ci/blender_test.py target/release/muybridge DATA

Needs the module bpy (pip install bpy==5.0.1). DATA is the shared data folder. Exit status 1 if a bone stands elsewhere.
"""

import csv
import os
import shutil
import subprocess
import sys
import tempfile

import bpy

TOLERANCE_M = 1e-4 + 2e-6  # 0.1 mm, and the rounding of 32-bit floats at a few meters

# Source, format to convert to, table of positions, frames per second.
CASES = [
    ("truth/mj_jump_120.bvh", "glb", "truth/mj_jump_120_joints.csv", 120),
    ("truth/mj_jump_120.bvh", "bvh", "truth/mj_jump_120_joints.csv", 120),
    ("truth/mj_tumble_120.glb", "bvh", "truth/mj_tumble_120_joints.csv", 120),
    ("fbx/mj_tumble_30.fbx", "glb", "fbx/mj_tumble_30_heads.csv", 30),
    ("fbx/snu_hjump_phase.fbx", "glb", "fbx/snu_hjump_phase_heads.csv", 30),
    ("fbx/snu_hjump_phase.fbx", "gltf", "fbx/snu_hjump_phase_heads.csv", 30),
    ("fbx/snu_hjump_phase.fbx", "vrma", "fbx/snu_hjump_phase_heads.csv", 30),
]

# A VRMA holds the humanoid bones alone: at least so many.
HUMANOID_BONES = 15

# Two bones with a sheet that bends; Blender reads the FBX itself. It mixes the quaternions of the two keys without regard to the
# arc, which is right at the keys and halfway.
SKIN = "crates/muybridge_files/src/fbx/skin.fbx"
SKIN_FRAMES = (0, 30, 60)

# A simulated tumble that someone played 1.5 times too fast, corrected as a GLB: where its bones should be is where the
# simulator had them. Between its frames the corrected clip is a spline.
SPOILED = ("truth/mj_tumble_speed1p5_120.bvh", "truth/mj_tumble_speed1p5_120_body.csv")
SPOILED_TRUTH = ("truth/mj_tumble_120_joints.csv", 120)
SPLINE_TOLERANCE_M = 1e-3


def table(path):
    """{frame: {bone: (x, y, z)}}, meters, y up."""
    rows = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            bone = row.get("bone") or row.get("joint")
            rows.setdefault(int(row["frame"]), {})[bone] = tuple(float(row[axis]) for axis in "xyz")
    return rows



def first_frame(path):
    """Blender's frame of the clip's first: its BVH reader knows no frame 0; a glTF keeps the times of its keys."""
    if path.endswith(".bvh"):
        return 1
    return round(min(action.frame_range[0] for action in bpy.data.actions))


def load(path, fps):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = fps, 1.0
    if path.endswith(".bvh"):
        bpy.ops.import_anim.bvh(
            filepath=path, frame_start=1, use_fps_scale=False, update_scene_fps=False, update_scene_duration=True
        )
    elif path.endswith(".fbx"):
        bpy.ops.wm.fbx_import(filepath=path)
    else:
        if path.endswith(".vrma"):  # Blender knows the format by another name
            path = shutil.copy(path, path + ".glb")
        bpy.ops.import_scene.gltf(filepath=path)


def heads(frame):
    """World positions of all bones and nodes at a frame of Blender's, meters, y up."""
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()
    found = {}
    for thing in bpy.context.scene.objects:
        places = {thing.name: thing.matrix_world.translation}
        if thing.type == "ARMATURE":
            places = {bone.name: thing.matrix_world @ bone.head for bone in thing.pose.bones}
        for name, place in places.items():
            found.setdefault(name, (place.x, place.z, -place.y))
    return found


def compare(written, truth, fps):
    """Greatest distance in meters and how many positions were compared; a sentence instead if bones are missing."""
    load(written, fps)
    first = first_frame(written)
    frames = sorted(truth)
    frames = frames[:: max(1, len(frames) // 8)] + frames[-1:]
    worst, compared = (0.0, "", 0), 0
    for frame in frames:
        stand = heads(first + frame)
        missing = [bone for bone in truth[frame] if bone not in stand]
        if written.endswith(".vrma") and len(truth[frame]) - len(missing) >= HUMANOID_BONES:
            missing = []
        if missing:
            return f"Blender finds no bone {missing[0]} (it has {', '.join(sorted(stand)[:6])} …)"
        for bone, place in truth[frame].items():
            if bone not in stand:
                continue
            compared += 1
            distance = sum((a - b) ** 2 for a, b in zip(stand[bone], place)) ** 0.5
            worst = max(worst, (distance, bone, frame))
    return worst, compared


def corrected(program, data, folder):
    """Whether the corrected tumble is not the simulated one, and a sentence."""
    source, body = (os.path.join(data, path) for path in SPOILED)
    spoiled, written = os.path.join(folder, "spoiled.glb"), os.path.join(folder, "corrected.glb")
    for call in (["convert", source, spoiled, "--unit", "m"], ["fix", spoiled, "-o", written, "--body", body]):
        run = subprocess.run([program, *call], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        if run.returncode != 0:
            return True, f"{call[0]} ends with {run.returncode}: {' '.join(run.stderr.split())}"
    truth, fps = SPOILED_TRUTH
    result = compare(written, table(os.path.join(data, truth)), fps)
    if isinstance(result, str):
        return True, result
    (distance, bone, frame), compared = result
    sentence = f"{compared} positions, farthest {1e3 * distance:.4f} mm ({bone}, frame {frame})"
    return distance > SPLINE_TOLERANCE_M or compared == 0, sentence


def vertices(frame):
    """World positions of the vertices of the only mesh at a frame of Blender's, armature applied."""
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    [thing] = [thing for thing in bpy.context.scene.objects if thing.type == "MESH" and "Icosphere" not in thing.name]
    evaluated = thing.evaluated_get(graph)
    places = [(thing.matrix_world @ vertex.co).copy() for vertex in evaluated.to_mesh().vertices]
    evaluated.to_mesh_clear()
    return places


def skinned(program, folder):
    """Whether a mesh stands elsewhere in the GLB that an FBX becomes than in the FBX, and a sentence."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", SKIN)
    written, stand = os.path.join(folder, "skin.glb"), []
    run = subprocess.run([program, "convert", source, written], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    if run.returncode != 0:
        return True, f"convert ends with {run.returncode}: {' '.join(run.stderr.split())}"
    for path in (source, written):
        load(path, 30)
        first = first_frame(path)
        stand.append([place for frame in SKIN_FRAMES for place in vertices(first + frame)])
    if len(stand[0]) != len(stand[1]):
        return True, f"{len(stand[0])} vertices are {len(stand[1])}"
    farthest = max((a - b).length for a, b in zip(*stand))
    return farthest > TOLERANCE_M, f"{len(stand[0])} vertices, farthest {1e3 * farthest:.4f} mm"


def main():
    program, data = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (source, target, truth, fps) in enumerate(CASES):
            written = os.path.join(folder, f"{number}.{target}")
            call = [program, "convert", os.path.join(data, source), written]
            call += ["--out-unit", "m"] if target == "bvh" else []
            run = subprocess.run(call, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
            if run.returncode != 0 or not os.path.exists(written):
                result = f"convert ends with {run.returncode}: {' '.join(run.stderr.split())}"
            else:
                result = compare(written, table(os.path.join(data, truth)), fps)
            wrong = isinstance(result, str) or result[0][0] > TOLERANCE_M or result[1] == 0
            failures += wrong
            if not isinstance(result, str):
                (distance, bone, frame), compared = result
                result = f"{compared} positions, farthest {1e3 * distance:.4f} mm ({bone}, frame {frame})"
            print(f"{'FAILED' if wrong else 'ok':6} {source} -> {target}: {result}", flush=True)
        wrong, result = corrected(program, data, folder)
        failures += wrong
        print(f"{'FAILED' if wrong else 'ok':6} {SPOILED[0]} corrected: {result}", flush=True)
        wrong, result = skinned(program, folder)
        failures += wrong
        print(f"{'FAILED' if wrong else 'ok':6} {SKIN} -> glb: {result}", flush=True)
    count = len(CASES) + 2
    print(f"Blender {bpy.app.version_string}: {count - failures} of {count} files stand where they should")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
