"""Opens what `muybridge simulate -o run.glb` writes in Blender, and compares where things are with what the program did not say.

    python3.11 .ci/blender_recordings.py target/release/muybridge

Bones are compared with the BVH of the same run, which another writer wrote and another reader of Blender's reads; cloth, rope
and bodies with the parabola that they fall on. Needs the module bpy. Exit status 1 if anything stands elsewhere or is missing.
"""

import math
import os
import subprocess
import sys
import tempfile

import bpy
from mathutils import Matrix, Quaternion, Vector

from blender_test import TOLERANCE_M, first_frame, heads, load

RATE = 60
GRAVITY = 9.81
SPIN = (3.0, 0.0, 4.0)  # rad/s

# Everything that is drawn in another way, in free fall: no ground, no air.
FREE_FALL = f"""
[scene]
seconds = 0.5
rate = {RATE}
gravity = [0.0, -{GRAVITY}, 0.0]

[[cloth]]
name = "sheet"
columns = 6
rows = 4
position = [0.0, 5.0, 0.0]
velocity = [1.0, 2.0, 0.5]
damping = 0.0

[[rope]]
name = "rope"
from = [2.0, 5.0, 0.0]
to = [3.0, 5.5, 0.0]
segments = 5
damping = 0.0

[[box]]
name = "crate"
size = [0.3, 0.3, 0.3]
position = [-3.0, 5.0, 0.0]
velocity = [-1.0, 3.0, 0.0]
spin = {list(SPIN)}
damping = 0.0
"""

# Built-in scenes, and the objects they come as: how many armatures, meshes with shape keys, other meshes.
SCENES = [
    ("throw", (1, 0, 1)),
    ("cloth_on_ragdoll", (1, 1, 1)),
    ("cloth_on_sphere", (0, 1, 1)),
    ("rope", (1, 0, 2)),
    ("stairs", (1, 0, 10)),
    ("hit_and_bomb", (3, 0, 3)),
]


def simulate(program, *arguments):
    run = subprocess.run(
        [program, "simulate", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=240
    )
    if run.returncode != 0:
        raise AssertionError(f"simulate {' '.join(arguments)} ends with {run.returncode}: {' '.join(run.stderr.split())}")


def y_up(place):
    return Vector((place.x, place.z, -place.y))


def vertices(name):
    """World positions of the vertices of an object as it is now, armature and shape keys applied; meters, y up."""
    thing = bpy.context.scene.objects[name].evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = thing.to_mesh()
    places = [y_up(thing.matrix_world @ vertex.co) for vertex in mesh.vertices]
    thing.to_mesh_clear()
    return places


def objects():
    """How many armatures, meshes with shape keys and other meshes there are."""
    things = [thing for thing in bpy.context.scene.objects if thing.users_collection]
    meshes = [thing for thing in things if thing.type == "MESH" and "Icosphere" not in thing.name]
    keyed = sum(1 for mesh in meshes if mesh.data.shape_keys)
    return sum(1 for thing in things if thing.type == "ARMATURE"), keyed, len(meshes) - keyed


def show(frame):
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()


def bones_of_a_throw(program, folder):
    """The same run as GLB and as BVH: every bone at eight frames."""
    glb, bvh = os.path.join(folder, "bones.glb"), os.path.join(folder, "bones.bvh")
    for path in (glb, bvh):
        simulate(program, "throw", "--seconds", "1", "-o", path)
    frames, stand = range(0, RATE + 1, 8), {}
    for path in (bvh, glb):
        load(path, RATE)
        first = first_frame(path)
        stand[path] = {frame: heads(first + frame) for frame in frames}
    worst, compared = (0.0, "", 0), 0
    for frame in frames:
        for bone, place in stand[bvh][frame].items():
            if bone == "bones":  # the object the armature is, not a bone
                continue
            assert bone in stand[glb][frame], f"no bone {bone} in the GLB"
            distance = math.dist([0.01 * x for x in place], stand[glb][frame][bone])  # a BVH is in centimeters
            compared, worst = compared + 1, max(worst, (distance, bone, frame))
    assert compared > 100, f"only {compared} positions"
    assert worst[0] <= TOLERANCE_M, f"{1e3 * worst[0]:.4f} mm at {worst[1]}, frame {worst[2]}"
    # Skin and bones are drawn together: no vertex is farther from a bone than a limb is long.
    show(first_frame(glb) + RATE)
    bones = [Vector(place) for place in heads(first_frame(glb) + RATE).values()]
    far = max(min((vertex - bone).length for bone in bones) for vertex in vertices("person_body"))
    assert far < 0.4, f"a vertex of the skin is {far:.2f} m away from every bone"
    return f"{compared} bones, farthest {1e3 * worst[0]:.4f} mm"


def free_fall(program, folder):
    """Every vertex of a sheet, every joint of a rope and a spinning box against x + v t + g t²/2."""
    scene, glb = os.path.join(folder, "fall.toml"), os.path.join(folder, "fall.glb")
    with open(scene, "w") as file:
        file.write(FREE_FALL)
    simulate(program, scene, "-o", glb)
    load(glb, RATE)
    first, worst, compared = first_frame(glb), 0.0, 0
    show(first)
    sheet = vertices("sheet")
    assert len(sheet) == 7 * 5, f"the sheet has {len(sheet)} vertices"
    rope = {name: Vector(place) for name, place in heads(first).items() if name.startswith("rope.")}
    assert len(rope) == 5, f"the rope has {sorted(rope)}"
    for frame in (0, 7, 15, 30):
        time = frame / RATE
        drop = Vector((0.0, -0.5 * GRAVITY * time * time, 0.0))
        show(first + frame)
        for start, now in zip(sheet, vertices("sheet")):
            worst = max(worst, (now - start - Vector((1.0, 2.0, 0.5)) * time - drop).length)
        there = heads(first + frame)
        for name, start in rope.items():
            worst = max(worst, (Vector(there[name]) - start - drop).length)
        crate = bpy.context.scene.objects["crate"].matrix_world
        place = y_up(crate.translation) - Vector((-3.0, 5.0, 0.0)) - Vector((-1.0, 3.0, 0.0)) * time - drop
        turn = Quaternion(Vector(SPIN).normalized(), Vector(SPIN).length * time).to_matrix()
        axes = Matrix(((1, 0, 0), (0, 0, 1), (0, -1, 0)))  # from Blender's z up to y up
        turned = axes @ crate.to_3x3() @ axes.transposed()
        apart = max((turned - turn) @ Vector(axis) for axis in ((0.15, 0, 0), (0, 0.15, 0), (0, 0, 0.15)))
        worst = max(worst, place.length, apart.length)
        compared += len(sheet) + len(rope) + 2
    assert worst <= TOLERANCE_M, f"{1e3 * worst:.4f} mm from the parabola"
    return f"{compared} places, farthest {1e3 * worst:.4f} mm from the parabola"


def built_in(program, folder, name, wanted):
    """Imports without an error, has the objects it should have, and all its vertices are somewhere at the end."""
    glb = os.path.join(folder, f"{name}.glb")
    simulate(program, name, "--seconds", "0.5", "-o", glb)
    load(glb, RATE)
    assert objects() == wanted, f"armatures, meshes with shape keys, other meshes: {objects()}, not {wanted}"
    first = first_frame(glb)
    last = max(action.frame_range[1] for action in bpy.data.actions)
    assert round(last) - first == RATE // 2, f"frames {first} to {last}"
    show(round(last))
    count = 0
    for thing in bpy.context.scene.objects:
        if thing.type == "MESH" and "Icosphere" not in thing.name:
            places = vertices(thing.name)
            count += len(places)
            assert places and all(place.length < 20.0 for place in places), f"{thing.name} has flown away"
    return f"{count} vertices"


def main():
    program = os.path.abspath(sys.argv[1])
    checks = [("throw, GLB against BVH", bones_of_a_throw, ()), ("free fall", free_fall, ())]
    checks += [(name, built_in, (name, wanted)) for name, wanted in SCENES]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for title, check, arguments in checks:
            try:
                print(f"ok     {title}: {check(program, folder, *arguments)}", flush=True)
            except (AssertionError, KeyError, RuntimeError, subprocess.TimeoutExpired) as problem:
                failures += 1
                print(f"FAILED {title}: {problem}", flush=True)
    print(f"Blender {bpy.app.version_string}: {len(checks) - failures} of {len(checks)} recordings are as they were simulated")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
