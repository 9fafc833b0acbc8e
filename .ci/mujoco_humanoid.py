"""Lets MuJoCo repeat a humanoid that tumbles free, and one that hangs by its pelvis, and compares where the joints are a second later.

    python .ci/mujoco_humanoid.py target/release/examples/free_humanoid

The program prints bodies, joints, velocities and what became of them (crates/muybridge/examples/free_humanoid.rs). MuJoCo, which
has joint coordinates and no joint equations, gets the same bodies as a tree, integrated by RK4 at 0.1 ms. Without limits,
damping and contact both must go the same way, and steps of half the length must bring the program four times nearer. Needs the
modules mujoco and numpy. Exit status 1 if they part.
"""

import json
import subprocess
import sys
import xml.etree.ElementTree as xml

import mujoco
import numpy as np

STEP_S = 1e-4
POSITION_M = 1e-4
SPEED = 1e-9  # of the start, m/s and rad/s
ENERGY = 1e-9  # of the start, relative
ACCELERATION = 1e-11  # of the start, relative to the greatest
STEPS = 8000  # of the program
FOUR = (3.8, 4.2)  # an integrator of second order


def text(values):
    return " ".join(repr(float(value)) for value in values)


def matrix(body):
    """Rotation of a body as 3 × 3 numbers; quaternions of the program are x y z w, those of MuJoCo w x y z."""
    numbers = np.zeros(9)
    mujoco.mju_quat2Mat(numbers, np.roll(body["rotation"], 1))
    return numbers.reshape(3, 3)


def model_of(run):
    """The bodies as a tree. Every body has its frame at its center of mass, along its principal axes, as in the program."""
    root = xml.Element("mujoco")
    xml.SubElement(root, "compiler", angle="radian", autolimits="false")
    option = xml.SubElement(root, "option", integrator="RK4", timestep=repr(STEP_S), gravity=text(run["gravity"]))
    xml.SubElement(option, "flag", energy="enable", contact="disable")
    world = xml.SubElement(root, "worldbody")
    hangs_by = {joint["child"]: joint for joint in run["joints"]}
    elements = []
    for index, body in enumerate(run["start"]):
        joint = hangs_by.get(index, {"kind": "free", "parent": None})
        parent = joint["parent"]
        place, turn = np.array(body["position"]), matrix(body)
        if parent is not None:
            above = run["start"][parent]
            place = matrix(above).T @ (place - above["position"])
            turn = matrix(above).T @ turn
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, turn.flatten())
        above = world if parent is None else elements[parent]
        element = xml.SubElement(above, "body", name=f"{index}", pos=text(place), quat=text(quaternion))
        elements.append(element)
        xml.SubElement(element, "inertial", pos="0 0 0", mass=repr(body["mass"]), diaginertia=text(body["moments"]))
        kind = {"type": joint["kind"], "name": f"{index}"}
        if joint["kind"] != "free":
            kind["pos"] = text(joint["anchors"][1])
        if joint["kind"] == "hinge":
            kind["axis"] = text(joint["axes"][1])
        xml.SubElement(element, "joint", kind)
    return mujoco.MjModel.from_xml_string(xml.tostring(root, encoding="unicode"))


def set_velocities(model, data, run):
    """Joint velocities: of a ball in the child's frame, of a hinge along its axis, of a free body linear in the world and angular in it."""
    hangs_by = {joint["child"]: joint for joint in run["joints"]}
    for index, body in enumerate(run["start"]):
        joint = hangs_by.get(index)
        at = model.joint(f"{index}").dofadr[0]
        parent = joint["parent"] if joint else None
        above = np.zeros(3) if parent is None else np.array(run["start"][parent]["angular_velocity"])
        spin = matrix(body).T @ (np.array(body["angular_velocity"]) - above)
        if joint is None:
            data.qvel[at : at + 6] = [*body["velocity"], *spin]
        elif joint["kind"] == "ball":
            data.qvel[at : at + 3] = spin
        else:
            data.qvel[at] = spin @ joint["axes"][1]


def difference(model, data, bodies):
    """Greatest differences of all bodies: metres, radians, m/s, rad/s."""
    worst = np.zeros(4)
    for index, body in enumerate(bodies):
        there, six = data.body(f"{index}"), np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, there.id, six, 0)
        turn = there.xmat.reshape(3, 3) - matrix(body)
        apart = [
            np.linalg.norm(there.xpos - body["position"]),
            np.linalg.norm(turn) / np.sqrt(2.0),
            np.linalg.norm(six[3:] - body["velocity"]),
            np.linalg.norm(six[:3] - body["angular_velocity"]),
        ]
        worst = np.maximum(worst, apart)
    return worst


def joint_distance(model, data, run):
    """Greatest distance of the anchors on either body from where MuJoCo has the joint, metres."""
    worst = 0.0
    for joint in run["joints"]:
        there = data.xanchor[model.joint(f"{joint['child']}").id]
        for body, anchor in zip((joint["parent"], joint["child"]), joint["anchors"]):
            here = np.array(anchor)
            if body is not None:
                here = run["end"][body]["position"] + matrix(run["end"][body]) @ here
            worst = max(worst, float(np.linalg.norm(here - there)))
    return worst


def acceleration_difference(model, data, run):
    """Greatest difference of the accelerations of a body, relative to the greatest there is."""
    mujoco.mj_rnePostConstraint(model, data)
    there = np.zeros((len(run["start"]), 6))
    for index, six in enumerate(there):
        mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_BODY, data.body(f"{index}").id, six, 0)
    # MuJoCo says angular before linear, and what an accelerometer feels.
    there = np.hstack([there[:, 3:] + run["gravity"], there[:, :3]])
    return float(np.abs(there - run["accelerations"]).max() / np.abs(there).max())


def run_of(program, name, steps):
    """What the program says of a run in so many steps."""
    return json.loads(subprocess.run([program, name, str(steps)], check=True, capture_output=True, text=True).stdout)


def compare(program, name):
    """Complaints about one run."""
    run, coarse = run_of(program, name, STEPS), run_of(program, name, STEPS // 2)
    model = model_of(run)
    data = mujoco.MjData(model)
    set_velocities(model, data, run)
    mujoco.mj_forward(model, data)
    start = difference(model, data, run["start"]).max()
    acceleration = acceleration_difference(model, data, run)
    energy = float(data.energy.sum())
    ours, after = run["energy"]

    for _ in range(round(run["seconds"] / STEP_S)):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    joints = joint_distance(model, data, run)
    ratio = joint_distance(model, data, coarse) / joints
    place, turn, speed, spin = difference(model, data, run["end"])
    moved = max(np.linalg.norm(np.subtract(a["position"], b["position"])) for a, b in zip(run["start"], run["end"]))
    print(f"{name}: {len(run['start'])} bodies, {len(run['joints'])} joints, {model.nv} degrees of freedom, up to {moved:.2f} m from the start")
    print(f"    start: apart by {start:.1e} m, rad, m/s, rad/s; accelerations {acceleration:.1e}; energy {energy:.6f} J, {ours / energy - 1.0:+.1e}")
    print(f"    after {run['seconds']:g} s: apart by {joints:.2e} m at the joints; {place:.2e} m, {turn:.2e} rad, {speed:.2e} m/s, {spin:.2e} rad/s")
    print(f"    with steps twice as long {ratio:.3f} times as far; energy {after / ours - 1.0:+.1e}, MuJoCo {data.energy.sum() / energy - 1.0:+.1e}")

    checks = [
        (start <= SPEED, f"the two do not start alike, they differ by {start:.1e} m, rad, m/s or rad/s"),
        (abs(ours / energy - 1.0) <= ENERGY, f"at the start the program has {ours} J, MuJoCo {energy} J"),
        (acceleration <= ACCELERATION, f"accelerations differ by {acceleration:.1e} of the greatest, more than {ACCELERATION:g}"),
        (joints <= POSITION_M, f"a joint is {joints * 1e3:.4f} mm from where MuJoCo has it, more than {POSITION_M * 1e3:g} mm"),
        (FOUR[0] <= ratio <= FOUR[1], f"steps twice as long lead {ratio:.3f} times as far away, not four times"),
    ]
    return [f"{name}: {sentence}" for holds, sentence in checks if not holds]


def main():
    program = sys.argv[1]
    print(f"MuJoCo {mujoco.__version__}, RK4 at {STEP_S * 1e3:g} ms")
    complaints = compare(program, "free") + compare(program, "held")
    for complaint in complaints:
        print(f"FAILED {complaint}")
    if not complaints:
        print(f"ok     joints within {POSITION_M * 1e3:g} mm of MuJoCo's")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
