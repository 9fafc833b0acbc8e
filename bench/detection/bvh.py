"""Reads, writes and poses BVH files, and the few operations on rotations that the corruptions need.

A clip is a tree of joints with channels. `pose` gives world rotations G and positions P per frame:
G_j = G_parent R_j, P_j = P_parent + G_parent t_j, with R_j the product of the joint's rotation channels in file order and
t_j its OFFSET, each component of which a position channel replaces. Lengths are in the file's unit, angles in degrees.
"""

import dataclasses
import re

import numpy as np

AXES = {"X": 0, "Y": 1, "Z": 2}


@dataclasses.dataclass
class Joint:
    name: str
    parent: int                 # -1 for a root
    offset: np.ndarray
    channels: list              # (axis 0..2, is a rotation)
    ends: list                  # offsets of its End Sites
    first: int = 0              # column of its first channel

    def columns(self, rotation):
        """(axis, column) of its rotation or position channels, in file order."""
        return [(axis, self.first + k) for k, (axis, turns) in enumerate(self.channels) if turns == rotation]


@dataclasses.dataclass
class Clip:
    joints: list
    frames: np.ndarray          # frames × channels
    step: float                 # seconds a frame

    def with_frames(self, frames, step=None):
        return Clip(self.joints, frames, self.step if step is None else step)


def read(path):
    with open(path, errors="replace") as file:
        text = file.read().replace("\r", "\n")
    head, motion = re.split(r"\bMOTION\b", text, maxsplit=1)
    words, joints, stack, k, end = head.split(), [], [], 0, False
    while k < len(words):
        word = words[k].upper()
        if word in ("ROOT", "JOINT"):
            name = words[k + 1: words.index("{", k)]
            joints.append(Joint(" ".join(name), stack[-1] if stack else -1, np.zeros(3), [], []))
            end = False
        elif word == "END":
            end = True
        elif word == "{":
            stack.append(-2 if end else len(joints) - 1)
            end = False
        elif word == "}":
            stack.pop()
        elif word == "OFFSET":
            offset = np.array([float(x) for x in words[k + 1: k + 4]])
            if stack[-1] == -2:
                joints[stack[-2]].ends.append(offset)
            else:
                joints[stack[-1]].offset = offset
        elif word == "CHANNELS":
            names = words[k + 2: k + 2 + int(words[k + 1])]
            joints[stack[-1]].channels = [(AXES[c[0].upper()], c.lower().endswith("rotation")) for c in names]
        k += 1
    columns = 0
    for joint in joints:
        joint.first = columns
        columns += len(joint.channels)
    step = float(re.search(r"Frame Time:\s*(\S+)", motion).group(1))
    count = int(re.search(r"Frames:\s*(\d+)", motion).group(1))
    numbers = np.array(motion[re.search(r"Frame Time:\s*\S+", motion).end():].split(), float)
    return Clip(joints, numbers[: count * columns].reshape(-1, columns), step)


def write(clip, path):
    children = {k: [] for k in range(-1, len(clip.joints))}
    for k, joint in enumerate(clip.joints):
        children[joint.parent].append(k)
    lines = ["HIERARCHY"]

    def offset(pad, value):
        lines.append(pad + "OFFSET %.6f %.6f %.6f" % tuple(value))

    def emit(k, depth):
        joint, pad = clip.joints[k], "\t" * depth
        names = " ".join("XYZ"[axis] + ("rotation" if turns else "position") for axis, turns in joint.channels)
        lines.extend([f"{pad}{'JOINT' if depth else 'ROOT'} {joint.name}", pad + "{"])
        offset(pad + "\t", joint.offset)
        lines.append(f"{pad}\tCHANNELS {len(joint.channels)} {names}")
        for child in children[k]:
            emit(child, depth + 1)
        for end in joint.ends:
            lines.extend([pad + "\tEnd Site", pad + "\t{"])
            offset(pad + "\t\t", end)
            lines.append(pad + "\t}")
        lines.append(pad + "}")

    for root in children[-1]:
        emit(root, 0)
    count, columns = clip.frames.shape
    row = " ".join(["%.6f"] * columns) + "\n"
    with open(path, "w") as file:
        file.write("\n".join(lines) + f"\nMOTION\nFrames: {count}\nFrame Time: {clip.step:.9f}\n")
        file.write(row * count % tuple(clip.frames.ravel()))


def turn(axis, degrees):
    """Matrices of turns about a coordinate axis."""
    angle = np.radians(degrees)
    c, s = np.cos(angle), np.sin(angle)
    m = np.zeros(np.shape(angle) + (3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    m[..., axis, axis] = 1
    m[..., i, i], m[..., j, j], m[..., i, j], m[..., j, i] = c, c, -s, s
    return m


def angles(matrices, order):
    """Degrees about three different axes, R = R_i(a) R_j(b) R_k(c), of joints × frames × 3 × 3; continuous in time."""
    i, j, k = order
    s = 1 if (j - i) % 3 == 1 else -1
    a = np.arctan2(-s * matrices[..., j, k], matrices[..., k, k])
    b = np.arcsin(np.clip(s * matrices[..., i, k], -1, 1))
    c = np.arctan2(-s * matrices[..., i, j], matrices[..., i, i])
    out = np.stack([a, b, c], -1)
    # Of the two triples of angles of a rotation, the one nearer to that of the frame before.
    for t in range(1, out.shape[1]):
        last, this = out[:, t - 1], out[:, t]
        both = np.stack([this, np.stack([this[:, 0] + np.pi, np.pi - this[:, 1], this[:, 2] + np.pi], 1)])
        both += 2 * np.pi * np.round((last - both) / (2 * np.pi))
        other = np.abs(both[1] - last).sum(1) < np.abs(both[0] - last).sum(1)
        out[:, t] = np.where(other[:, None], both[1], both[0])
    return np.degrees(out)


def with_rotations(clip, joints, matrices, frames):
    """Writes the rotations of these joints (joints × frames × 3 × 3) into the frames."""
    by_order = {}
    for n, k in enumerate(joints):
        by_order.setdefault(tuple(axis for axis, _ in clip.joints[k].columns(True)), []).append((n, k))
    for order, members in by_order.items():
        degrees = angles(matrices[[n for n, _ in members]], order)
        for place, (_, k) in enumerate(members):
            for q, (_, column) in enumerate(clip.joints[k].columns(True)):
                frames[:, column] = degrees[place, :, q]


def turning(clip):
    """The joints with three rotation channels about different axes."""
    axes = [[axis for axis, _ in joint.columns(True)] for joint in clip.joints]
    return [k for k, about in enumerate(axes) if len(set(about)) == 3 == len(about)]


def resample(clip, rate, smooth):
    """The clip at another rate: rotations and positions are interpolated linearly, or smoothly by Catmull-Rom splines."""
    count = len(clip.frames)
    times = np.arange(0, count - 1 + 1e-9, 1 / (rate * clip.step))
    at = np.minimum(times.astype(int), count - 2)
    f = times - at
    if smooth:
        weights = np.stack([f * (f * (2 - f) - 1), f * f * (3 * f - 5) + 2, f * (f * (4 - 3 * f) + 1), f * f * (f - 1)]) / 2
        keys = np.clip(np.stack([at - 1, at, at + 1, at + 2]), 0, count - 1)
    else:
        weights, keys = np.stack([1 - f, f]), np.stack([at, at + 1])
    frames = sum(w[:, None] * clip.frames[k] for w, k in zip(weights, keys))
    joints = turning(clip)
    rotations = np.stack([local(clip, k)[0] for k in joints])
    mixed = sum(w[:, None, None] * rotations[:, k] for w, k in zip(weights, keys))
    u, _, v = np.linalg.svd(mixed)
    with_rotations(clip, joints, u @ v, frames)
    return clip.with_frames(frames, 1 / rate)


def local(clip, k):
    """Rotations of joint k in its parent, and its place there, per frame."""
    joint, count = clip.joints[k], len(clip.frames)
    rotation, place = np.broadcast_to(np.eye(3), (count, 3, 3)), np.tile(joint.offset, (count, 1))
    for axis, column in joint.columns(True):
        rotation = rotation @ turn(axis, clip.frames[:, column])
    for axis, column in joint.columns(False):
        place[:, axis] = clip.frames[:, column]
    return rotation, place


def pose(clip):
    """World rotations (joints × frames × 3 × 3) and positions (joints × frames × 3) of all joints."""
    G, P = [], []
    for k, joint in enumerate(clip.joints):
        rotation, place = local(clip, k)
        if joint.parent >= 0:
            g = G[joint.parent]
            place = P[joint.parent] + np.einsum("nij,nj->ni", g, place)
            rotation = g @ rotation
        G.append(rotation)
        P.append(place)
    return np.stack(G), np.stack(P)


def ends(clip, G, P):
    """World positions of the End Sites, and the joint each belongs to."""
    owners = [(k, end) for k, joint in enumerate(clip.joints) for end in joint.ends]
    places = [P[k] + np.einsum("nij,j->ni", G[k], end) for k, end in owners]
    return (np.stack(places) if places else np.zeros((0,) + P.shape[1:])), [k for k, _ in owners]
