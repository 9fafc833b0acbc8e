"""Small sound inputs of every kind, made by the program itself and from tests/data: what mutations start from."""

import array
import glob
import os
import signal
import subprocess
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
DATA = os.path.join(ROOT, "tests", "data")

BODY = (
    "joint,mass_kg,com_x,com_y,com_z,Ixx,Iyy,Izz,Ixy,Ixz,Iyz\n"
    "{0},30,0,0.1,0,0.5,0.5,0.3,0,0,0\n{1},3.5,0,-0.2,0,0.05,0.01,0.05,0,0,0\n"
)
CONTACTS = (
    "joint,geom,type,ax,ay,az,bx,by,bz,radius\n"
    "{1},sole,capsule,0,-0.05,0.05,0,-0.05,-0.05,0.03\n{1},heel,sphere,0,-0.05,-0.1,0,0,0,0.03\n"
)
OBJ = "o box\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 1\nvt 0 0\nvn 0 0 1\n" + (
    "f 1/1/1 3/1/1 2/1/1\nf 1 4 3\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"
)
STL = "solid a\n" + "".join(
    f"facet normal 0 0 1\nouter loop\nvertex {a}\nvertex {b}\nvertex {c}\nendloop\nendfacet\n"
    for a, b, c in [("0 0 0", "1 1 0", "1 0 0"), ("0 0 0", "1 0 0", "0.5 0.5 1"), ("1 0 0", "1 1 0", "0.5 0.5 1"), ("1 1 0", "0 0 0", "0.5 0.5 1")]
) + "endsolid a\n"
PLY = (
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 4\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"
)
CARVED = '[[body]]\nname = "stone"\nmesh = "{0}"\nposition = [0, 2, 0]\n'
CLOTH = '[[cloth]]\nname = "sheet"\nmesh = "{0}"\nposition = [0, 2, 0]\n'
WALL = '[[obstacle]]\nname = "wall"\nkind = "mesh"\nmesh = "{0}"\n[[box]]\nname = "b"\nposition = [0.5, 3, 0.3]\nsize = [0.2, 0.2, 0.2]\n'
SCENES = (
    "drop throw rope flail cloth_on_sphere cloth_on_ragdoll plant_in_wind flag tetrahedra_in_box skittles stairs hit_and_bomb "
    "dragged clip_into_ragdoll arm chain fish mobile docks points stands pushed walks reaches own_feet gets_up"
).split()


class Seed:
    """An input: `name` and `files` (bytes by name); `name` is the one that the command line gives."""

    def __init__(self, kind, name, files):
        self.kind, self.name, self.files = kind, name, files


def read(path):
    with open(path, "rb") as file:
        return file.read()


def make(program, folder, data=None, more=()):
    """Seeds by kind, built in `folder`. `data` is the shared data; `more` are folders of further inputs."""
    os.makedirs(folder, exist_ok=True)

    def run(*arguments, codes=(0, 1)):
        done = subprocess.run([program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        if done.returncode not in codes:
            raise SystemExit(f"no seed from muybridge {' '.join(arguments)}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    seeds = {}

    def add(kind, name, *beside, content=None):
        path = os.path.join(folder, name)
        if content is not None:
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        if os.path.exists(path):
            files = {other: read(os.path.join(folder, other)) for other in (name, *beside)}
            seeds.setdefault(kind, []).append(Seed(kind, name, files))

    def take(kind, path, most=40_000):
        if os.path.exists(path) and os.path.getsize(path) <= most:
            add(kind, os.path.basename(path), content=read(path))

    # Clips.
    for path in sorted(glob.glob(f"{DATA}/bvh/*.bvh")):
        take("bvh", path, 28_000)
    walk, jump = f"{DATA}/bvh/snu_walk_phase.bvh", f"{DATA}/bvh/snu_hjump_phase.bvh"
    run("convert", walk, "walk.bvh", "--frames", "0..16")
    run("convert", jump, "jump.bvh", "--frames", "20..44")
    add("bvh", "walk.bvh")
    add("bvh", "jump.bvh")
    run("simulate", "throw", "--seconds", "0.3", "-o", "throw.bvh", "--json=throw.json", "--log", "throw.log.toml")
    add("bvh", "throw.bvh")
    for name in ("walk", "jump", "throw"):
        run("convert", f"{name}.bvh", f"{name}.glb")
        run("convert", f"{name}.bvh", f"{name}.gltf")
        add("glb", f"{name}.glb")
        buffers = [os.path.basename(path) for path in glob.glob(f"{folder}/{name}*.bin")]
        add("gltf", f"{name}.gltf", *buffers)
    run("convert", "walk.bvh", "walk.vrma", codes=(0, 2))
    add("vrma", "walk.vrma")
    take("vrma", f"{DATA}/vrm/test.vrma")
    take("vrma", f"{DATA}/vrm/vrm1_expressions_isBinary_Overrides.vrm")
    for path in sorted(glob.glob(f"{DATA}/gltf/*.gl*")):
        if "interpolation" not in path:
            take("gltf" if path.endswith("f") else "glb", path)
    with open(os.path.join(folder, "interpolation_test.bin"), "wb") as file:
        file.write(read(f"{DATA}/gltf/interpolation_test.bin"))
    add("gltf", "interpolation_test.gltf", "interpolation_test.bin", content=read(f"{DATA}/gltf/interpolation_test.gltf"))
    take("gltf", f"{DATA}/malformed/assimp_gltf/RecursiveNodes__RecursiveNodes.gltf")
    run("simulate", "skittles", "--seconds", "0.1", "-o", "run.glb", "--force")
    add("glb", "run.glb")
    for name in ("ball", "skin"):
        take("fbx", f"{ROOT}/crates/muybridge_files/src/fbx/{name}.fbx")

    # Files about bodies, and what else options name. The first name of the list is the clip that they go with.
    names = [line.split()[1] for line in read(f"{folder}/walk.bvh").decode().splitlines() if line.split()[:1] in (["ROOT"], ["JOINT"])]
    root, foot = names[0], next((name for name in names if "foot" in name.lower() or "ankle" in name.lower()), names[-1])
    add("body_csv", "body.csv", "walk.bvh", content=BODY.format(root, foot))
    add("contacts_csv", "contacts.csv", "walk.bvh", content=CONTACTS.format(root, foot))
    add("contacts_csv", "points.csv", "walk.bvh", content=f"joint,point,x,y,z,source\n{foot},heel,0,-0.05,0,guess\n{foot},toe,0,-0.05,0.1,guess\n")
    add("roles", "roles.toml", "walk.bvh", content=f'hips = "{root}"\nleft_foot = "{foot}"\n')
    limits = run("check", "--print-limits").decode()
    add("limits", "limits.toml", "jump.bvh", content=limits)
    add("limits", "bare.toml", "jump.bvh", content="\n".join(line for line in limits.splitlines() if line and line[0] != "#"))
    add("forces", "throw.json", "throw.bvh")
    with open(os.path.join(folder, "arm.bvh"), "w") as file:
        file.write(ARM + "".join(f"0 1 {0.01 * k:.3f} 0 0 {3 * k} 0 {2 * k} 0\n" for k in range(12)))
    add("character", "person.toml", "walk.bvh", content=CHARACTER.replace("ROOT", root).replace("FOOT", foot))
    add("character", "own.toml", "arm.bvh", content=CHARACTER)
    add("mjcf", "arm.xml", "arm.bvh", content=MJCF)
    add("urdf", "arm.urdf", "arm.bvh", content=URDF)
    run("convert", f"{DATA}/truth/mj_tumble_30.bvh", "mj.bvh", "--frames", "0..12")
    add("mjcf", "mj.xml", "mj.bvh", content=read(f"{DATA}/models/mjcf/mujoco_humanoid.xml"))
    add("urdf", "simple.urdf", "walk.bvh", content=read(f"{DATA}/models/urdf/pinocchio_simple_humanoid.urdf"))

    # Scenes, logs of runs, meshes.
    for name in SCENES:
        add("scene", f"{name}.toml", content=run("simulate", name, "--print-scene"))
        if os.path.getsize(os.path.join(folder, f"{name}.toml")) > 20_000:
            seeds["scene"].pop()
    for name in ("drop", "rope", "skittles", "flail", "arm"):
        run("simulate", name, "--seconds", "0.1", "--log", f"{name}.log.toml")
        add("log", f"{name}.log.toml")
    # STL and PLY are no meshes of scenes: they are refused.
    meshes = (("m.obj", OBJ), ("m.glb", read(f"{folder}/run.glb")), ("m.stl", STL), ("m.ply", PLY), ("b.stl", binary_stl()))
    for name, text in meshes:
        with open(os.path.join(folder, name), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        for kind, scene in (("carved", CARVED), ("cloth", CLOTH), ("wall", WALL))[: 3 if name[2:] in ("obj", "glb") else 1]:
            scene_name = f"{kind}_{name}.toml"
            with open(os.path.join(folder, scene_name), "w") as file:
                file.write(scene.format(name))
            add("mesh", name, scene_name)

    # What surveys read: lists, parts, unfinished surveys.
    add("list", "clips.txt", "walk.bvh", "jump.bvh", content="# two clips\nwalk.bvh\njump.bvh\n\nwalk.bvh\n")
    for shard in ("1", "2"):
        run("survey", "clips.txt", "--shard", f"{shard}/2", "--out", f"s{shard}.csv")
    add("part", "s1.csv.part", "s2.csv.part")
    add("segments", "clips.txt", "walk.bvh", *unfinished(program, folder))

    # Clips of the shared data and of other folders.
    for place in ([data] if data else []) + list(more):
        extensions = {"bvh": "bvh", "glb": "glb", "gltf": "gltf", "vrm": "vrma", "vrma": "vrma", "fbx": "fbx", "urdf": "urdf"}
        for path in sorted(glob.glob(f"{glob.escape(place)}/**/*", recursive=True)):
            kind = extensions.get(path.rsplit(".", 1)[-1].lower())
            if kind and os.path.isfile(path):
                take(kind, path, 60_000)
            elif place in more and path.endswith(".toml") and os.path.isfile(path):
                text = read(path)
                kind = "log" if b"fingerprint" in text or b"[log" in text else "scene"
                take("limits" if b"gravity_g" in text else kind, path)
    for seed in seeds["limits"] + seeds["urdf"]:
        if not any(name.endswith(".bvh") for name in seed.files):
            seed.files["jump.bvh"] = read(f"{folder}/jump.bvh")
    return seeds


def binary_stl():
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    triangles = b""
    for triangle in ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)):
        triangles += array.array("f", [0, 0, 1] + [x for k in triangle for x in corners[k]]).tobytes() + b"\0\0"
    return b"\0" * 80 + (4).to_bytes(4, "little") + triangles


def unfinished(program, folder):
    """Files of a survey that was killed between its segments and its tables: names below `folder`."""
    parts = os.path.join(folder, "again.csv.parts")
    with open(os.path.join(folder, "clips.txt"), "w") as file:
        file.write("walk.bvh\n" * 70)
    for _ in range(50):
        command = [program, "survey", "clips.txt", "--out", "again.csv", "--force", "--threads", "1"]
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while child.poll() is None and not os.path.exists(os.path.join(parts, "0000000000.jsonl")):
            time.sleep(0.0005)
        child.send_signal(signal.SIGKILL)
        child.wait()
        if os.path.exists(os.path.join(parts, "0000000000.jsonl")):
            return sorted(os.path.join("again.csv.parts", name) for name in os.listdir(parts) if not name.endswith(".tmp"))
    return []


MJCF = """<mujoco><compiler angle="degree"/><default><geom density="1000"/></default><worldbody>
<body name="ROOT" pos="0 0 1"><joint type="ball"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".05"/>
<body name="FOOT" pos="0 0 -.3"><joint type="hinge" axis="0 1 0" range="-90 0"/><inertial pos="0 0 -.1" mass="1" diaginertia=".1 .1 .01"/>
<geom type="box" size=".05 .05 .1" euler="0 30 0"/></body></body></worldbody></mujoco>
"""
ARM = """HIERARCHY
ROOT ROOT
{
OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT FOOT
{
OFFSET 0 -0.3 0
CHANNELS 3 Zrotation Xrotation Yrotation
End Site
{
OFFSET 0 -0.2 0
}
}
}
MOTION
Frames: 12
Frame Time: 0.03333333
"""
URDF = """<robot name="arm"><link name="ROOT"><inertial><origin xyz="0 0 0.1"/><mass value="9"/>
<inertia ixx="0.1" iyy="0.1" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><box size="0.2 0.1 0.3"/></geometry></collision></link>
<link name="FOOT"><inertial><origin xyz="0 0 -0.1" rpy="0 0 0.3"/><mass value="1.2"/><inertia ixx="0.01" iyy="0.01" izz="0.005" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0 0 -0.1"/><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="ROOT"/><child link="FOOT"/><origin xyz="0 0 -0.3" rpy="0 0 0"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>
"""
CHARACTER = """format = "muybridge character"
version = 1
units = "m"
name = "by hand"
[[bone]]
name = "ROOT"
role = "hips"
mass = 10.5
center = [0.0, 0.05, 0.0]
inertia = [0.1, 0.08, 0.1, 0.0, 0.0, 0.0]
shapes = [{ kind = "box", half_extents = [0.1, 0.1, 0.08], position = [0.0, 0.0, 0.0], rotation = [0.0, 0.0, 0.0, 1.0] }]
range = { kind = "free" }
position = [0.0, 1.0, 0.0]
rotation = [0.0, 0.0, 0.0, 1.0]
[[bone]]
name = "FOOT"
parent = "ROOT"
role = "left_upper_leg"
mass = 7.2
center = [0.0, -0.17, 0.0]
inertia = [0.05, 0.006, 0.05, 0.0, 0.0, 0.0]
shapes = [{ kind = "capsule", radius = 0.05, half_length = 0.15, position = [0.0, -0.17, 0.0], rotation = [0.0, 0.0, 0.0, 1.0] }]
range = { kind = "hinge", axis = [1.0, 0.0, 0.0], lower = 0.0, upper = 2.4 }
position = [0.1, -0.1, 0.0]
rotation = [0.0, 0.0, 0.0, 1.0]
ends = [[0.0, -0.4, 0.0]]
[[contact]]
bone = "FOOT"
position = [0.0, -0.4, 0.05]
radius = 0.02
"""
