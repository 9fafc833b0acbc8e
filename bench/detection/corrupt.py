"""Corrupts copies of a motion in known kinds and sizes, and makes the controls: copies as sound as their original.

All that moves the whole body acts on the root as a world transform, so that it is exact for any channel order, unit and up
axis. Heights of a third of the clip come and go over a tenth of it, smoothly. Lengths are meters, times seconds.
  teleport       from a frame of the middle half on, the body stands elsewhere
  cut            frames are lost where the root travels fastest, faster than 0.4 m/s
  levitate       the middle third hangs higher
  raise, sink    the same by little, where the middle third holds a stance of 0.25 s
  slide          the body drifts at a constant velocity; clips with a stance of 0.25 s
  root, joint    noise of that standard deviation on the root's position, on every rotation channel, each frame anew
  flips          the body faces backward for three frames
  swap           legs swap their angles for two frames, where that moves some joint by more than 10 cm
  held           the fastest frame is the one before once more, where joints move by 1.5 mm a frame or more
  fifth          padded from 4/5 of its rate: every fifth frame repeats, where joints move so in most frames
  clock          a clip with a flight runs at 1.3 times its rate, either way
  hover          the apex of a flight lasts 0.25 s longer
  swerve, spin   a flight leaves its way by so much and comes back; turns so much farther, and the clip after it too
  ghost          a loop has one frame more, a pose from its middle that differs by 10 cm of a joint (judged with --loop)
"""

import re

import numpy as np

import bvh

STAND_SPEED, STAND_HEIGHT, STAND_TIME = 0.2, 0.04, 0.25
MOVES, SEEN = 0.0015, 0.1
RATES = (24, 30, 60, 120)


def usable(clip):
    """Whether every root can be placed and turned, and angles are all of three axes."""
    return all(len(joint.columns(False)) == 3 and k in bvh.turning(clip)
               for k, joint in enumerate(clip.joints) if joint.parent < 0)


class Body:
    """A clip with what the corruptions ask of it: places of its points in meters, its standing and its speed."""

    def __init__(self, clip, meters, up):
        self.clip, self.meters, self.up = clip, meters, "xyz".index(up)
        self.G, joints = bvh.pose(clip)
        ends, self.owners = bvh.ends(clip, self.G, joints)
        self.points = np.concatenate([joints, ends]) * meters
        self.side = (self.up + 1) % 3 if self.up != 1 else 0
        hips = self.hips_joint()
        self.hips = joints[hips]
        # What the hips hang on is no part of the body: a root that stays on the ground.
        above = set(self.way_up(hips)) - {hips}
        self.inside = np.array([k not in above for k in list(range(len(clip.joints))) + self.owners])
        step = np.diff(joints * meters, axis=1)
        self.steps = np.sqrt((step ** 2).sum(2).mean(0))
        level = np.delete(np.diff(self.hips * meters, axis=0), self.up, 1)
        self.travel = np.linalg.norm(level, axis=1)

    def way_up(self, k):
        """The joint and what it hangs on, up to the root."""
        way = []
        while k >= 0:
            way.append(k)
            k = self.clip.joints[k].parent
        return way

    def hips_joint(self):
        """The joint from which the highest and the lowest part of the body part ways."""
        height = self.points[: len(self.clip.joints), :, self.up].mean(1)
        to_top = self.way_up(int(np.argmax(height)))
        height[to_top] = np.inf
        to_bottom = self.way_up(int(np.argmin(height)))
        return next((k for k in to_bottom if k in to_top), 0)

    def stance(self, first, last):
        """Whether some low point of the body stands for STAND_TIME within these frames."""
        points = self.points[self.inside]
        height, step = points[..., self.up], self.clip.step
        low = np.percentile(height, 5, axis=1)
        reach = 0.15 * (height.max(0).mean() - height.min(0).mean())
        needed = max(2, int(round(STAND_TIME / step)))
        for k in np.flatnonzero(low < low.min() + reach):
            speed = np.linalg.norm(np.gradient(points[k], step, axis=0), axis=1)
            stands = (speed < STAND_SPEED) & (height[k] < low[k] + STAND_HEIGHT)
            if needed <= last - first and (np.convolve(stands[first:last], np.ones(needed), "valid") == needed).any():
                return True
        return False

    def legs(self):
        """Pairs of joints, left and right, on the way to what is low."""
        joints, names = self.clip.joints, {joint.name: k for k, joint in enumerate(self.clip.joints)}
        owner = list(range(len(joints))) + self.owners
        height = self.points[..., self.up]
        top, bottom = height[self.inside].max(0).mean(), height[self.inside].min(0).mean()
        lowest = np.full((len(joints), height.shape[1]), np.inf)
        for point, k in enumerate(owner):
            while k >= 0:
                lowest[k] = np.minimum(lowest[k], height[point])
                k = joints[k].parent
        foot = lowest.mean(1) < bottom + 0.15 * (top - bottom)
        pairs = [(k, names.get(mirrored(joint.name), k)) for k, joint in enumerate(joints)]
        return [(k, other) for k, other in pairs
                if k < other and foot[k] and foot[other] and joints[k].channels == joints[other].channels]

    def moved(self, shift=None, turn=None, about=None):
        """The frames with the body turned about a point (frames × 3), then shifted (meters, frames × 3)."""
        clip, frames = self.clip, self.clip.frames.copy()
        for k, joint in enumerate(clip.joints):
            if joint.parent >= 0:
                continue
            rotation, place = bvh.local(clip, k)
            if turn is not None:
                center = 0 if about is None else about
                place = np.einsum("nij,nj->ni", turn, place - center) + center
                bvh.with_rotations(clip, [k], (turn @ rotation)[None], frames)
            if shift is not None:
                place = place + np.asarray(shift) / self.meters
            for axis, column in joint.columns(False):
                frames[:, column] = place[:, axis]
        return clip.with_frames(frames)

    def along(self, axis, amount):
        """Shifts along an axis by an amount per frame."""
        shift = np.zeros((len(self.clip.frames), 3))
        shift[:, axis] = amount
        return self.moved(shift)


def mirrored(name):
    """What the joint on the other side would be called; whether there is one the tree says."""
    for left, right in (("Left", "Right"), ("left", "right"), ("LEFT", "RIGHT")):
        if left in name or right in name:
            return name.replace(left, "\0").replace(right, left).replace("\0", right)
    other = str.maketrans("LlRr", "RrLl")
    letter = r"(?:^|(?<=[_.:\s]))[LlRr](?=$|[_.\s]|[A-Z])|^[lr](?=[a-z])|(?<=[a-z])[LR]$"
    return re.sub(letter, lambda m: m[0].translate(other), name)


def mirror(clip):
    """The clip in a mirror whose normal is x."""
    frames = clip.frames.copy()
    flip = np.array([-1.0, 1, 1])
    joints = []
    names = {joint.name for joint in clip.joints}
    for joint in clip.joints:
        other = mirrored(joint.name)
        joints.append(bvh.Joint(other if other in names else joint.name, joint.parent, joint.offset * flip,
                                joint.channels, [end * flip for end in joint.ends], joint.first))
        for axis, column in joint.columns(True):
            frames[:, column] *= 1 if axis == 0 else -1
        for axis, column in joint.columns(False):
            frames[:, column] *= flip[axis]
    return bvh.Clip(joints, frames, clip.step)


def rest_along_x(clip, _):
    """The same motion from a rest pose in which every bone lies along the x axis of its joint."""
    new = np.broadcast_to(np.eye(3), (len(clip.joints), 3, 3)).copy()
    for k, joint in enumerate(clip.joints):
        bones = [child.offset for child in clip.joints if child.parent == k] + joint.ends
        x = next((bone / np.linalg.norm(bone) for bone in bones if np.linalg.norm(bone) > 1e-6), np.array([1.0, 0, 0]))
        y = np.cross([0, 0, 1.0] if abs(x[2]) < 0.9 else [1.0, 0, 0], x)
        y /= np.linalg.norm(y)
        new[k] = np.stack([x, y, np.cross(x, y)], 1)
    return new


def rest_of_frame(clip, G):
    """The same motion from a rest pose that is the pose of its middle frame."""
    return np.swapaxes(G[:, G.shape[1] // 2], 1, 2)


def other_rest(clip, G, choose):
    """Joint axes turned by Q: G'_j = G_j Q_j, R'_j = Q_parentᵀ R_j Q_j, offsets Q_parentᵀ t."""
    if len(bvh.turning(clip)) < len(clip.joints):
        return None
    Q = choose(clip, G)
    frames, joints, rotations = clip.frames.copy(), [], []
    for k, joint in enumerate(clip.joints):
        back = Q[joint.parent].T if joint.parent >= 0 else np.eye(3)
        rotation, place = bvh.local(clip, k)
        rotations.append(back @ rotation @ Q[k])
        joints.append(bvh.Joint(joint.name, joint.parent, back @ joint.offset, joint.channels,
                                [Q[k].T @ end for end in joint.ends], joint.first))
        place = place @ back.T
        for axis, column in joint.columns(False):
            frames[:, column] = place[:, axis]
    bvh.with_rotations(clip, range(len(joints)), np.stack(rotations), frames)
    return bvh.Clip(joints, frames, clip.step)


def controls(body):
    """(name, clip) of copies that are as sound as their original."""
    clip, count = body.clip, len(body.clip.frames)
    around = np.broadcast_to(bvh.turn(body.up, 37.0), (count, 3, 3))
    shift = np.full((count, 3), -3.0)
    shift[:, body.side], shift[:, body.up] = 5, 0
    yield "identity", clip
    yield "mirror", mirror(clip)
    yield "turn 37°", body.moved(turn=around)
    yield "shift 5 m", body.moved(shift)
    yield "floor up 50 cm", body.along(body.up, 0.5)
    yield "half rate", clip.with_frames(clip.frames[::2], 2 * clip.step)
    yield "double rate", bvh.resample(clip, 2 / clip.step, smooth=False)
    yield "reverse", clip.with_frames(clip.frames[::-1])
    for name, choose in (("rest pose of a frame", rest_of_frame), ("rest pose along x", rest_along_x)):
        other = other_rest(clip, body.G, choose)
        if other:
            yield name, other


def corruptions(body, flight, random):
    """(name, clip) of what no body did. A flight is its first and last frame."""
    clip, frames, count, step = body.clip, body.clip.frames, len(body.clip.frames), body.clip.step
    at = int(random.integers(count // 4, count - count // 4))
    for meters in (0.3, 1, 3):
        angle, shift = random.uniform(0, 2 * np.pi), np.zeros((count, 3))
        shift[at:, body.side], shift[at:, 3 - body.up - body.side] = meters * np.cos(angle), meters * np.sin(angle)
        yield f"teleport {meters} m", body.moved(shift)
    for lost in (1, 3, 6, 12):
        if count > 4 * lost + 10:
            way = np.convolve(body.travel, np.ones(lost), "valid")
            first = count // 5 + int(np.argmax(way[count // 5: count - count // 5 - lost]))
            if way[first] > 0.4 * lost * step:
                yield f"cut {lost} frames", clip.with_frames(np.delete(frames, np.arange(first + 1, first + 1 + lost), 0))
    n = np.arange(count)
    ramp = np.clip(np.minimum(n - count / 3, 2 * count / 3 - n) / (0.1 * count), 0, 1)
    ramp = ramp * ramp * (3 - 2 * ramp)
    for height in (30, 50, 100):
        yield f"levitate {height} cm", body.along(body.up, height / 100 * ramp)
    if body.stance(int(count / 3 + 0.1 * count), int(2 * count / 3 - 0.1 * count)):
        for height in (3, 5, 10):
            yield f"raise {height} cm", body.along(body.up, height / 100 * ramp)
            yield f"sink {height} cm", body.along(body.up, -height / 100 * ramp)
    if body.stance(0, count):
        for speed in (0.05, 0.1, 0.2):
            yield f"slide {speed} m/s", body.along(body.side, speed * step * n)
    yield from jitters(body, random, (2, 5, 10), (0.5, 1, 2))
    back = np.tile(np.eye(3), (count, 1, 1))
    back[at:at + 3] = bvh.turn(body.up, 180.0)
    yield "heading flips", body.moved(turn=back, about=body.hips)
    legs = body.legs()
    swapped = swap(clip, legs, np.ones(count, bool))
    apart = np.linalg.norm(bvh.pose(swapped)[1] - bvh.pose(clip)[1], axis=2).max(0) * body.meters
    first = count // 3 + int(np.argmax(apart[count // 3: 2 * count // 3 - 1]))
    if apart[first:first + 2].max() > SEEN:
        yield "legs swap", swap(clip, legs, (n == first) | (n == first + 1))
    fastest = count // 5 + int(np.argmax(body.steps[count // 5: count - count // 5]))
    if body.steps[fastest] > MOVES:
        held = frames.copy()
        held[fastest + 1] = held[fastest]
        yield "one held frame", clip.with_frames(held)
    if np.median(body.steps) > MOVES:
        slow = bvh.resample(clip, 0.8 / step, smooth=True).frames
        yield "every fifth repeats", clip.with_frames(slow[[k for k in range(len(slow)) for _ in range(1 + (k % 4 == 3))]])
    if flight:
        yield from in_flight(body, *flight)


def jitters(body, random, roots, joints, suffix=""):
    clip, count = body.clip, len(body.clip.frames)
    for size in roots:
        yield f"root {size} mm{suffix}", body.moved(random.normal(0, size / 1000, (count, 3)))
    columns = [column for joint in clip.joints for _, column in joint.columns(True)]
    for size in joints:
        frames = clip.frames.copy()
        frames[:, columns] += random.normal(0, size, (count, len(columns)))
        yield f"joint {size}°{suffix}", clip.with_frames(frames)


def rates(body, random):
    """The clip at four rates, and with jitter there: (name, clip, name of what it is compared with)."""
    for rate in RATES:
        other = Body(bvh.resample(body.clip, rate, smooth=True), body.meters, "xyz"[body.up])
        base = f"resampled to {rate} fps"
        yield base, other.clip, base
        for name, clip in jitters(other, random, (5,), (1,), f" at {rate} fps"):
            yield name, clip, base


def swap(clip, pairs, where):
    frames = clip.frames.copy()
    for left, right in pairs:
        for (_, a), (_, b) in zip(clip.joints[left].columns(True), clip.joints[right].columns(True)):
            frames[where, a], frames[where, b] = clip.frames[where, b], clip.frames[where, a]
    return clip.with_frames(frames)


def in_flight(body, first, last):
    clip, frames, count, step = body.clip, body.clip.frames, len(body.clip.frames), body.clip.step
    first, last = max(first - 1, 0), min(last + 1, count - 1)
    s = np.linspace(0, 1, last - first + 1)
    yield "clock × 1.3 faster", clip.with_frames(frames, step / 1.3)
    yield "clock × 1.3 slower", clip.with_frames(frames, step * 1.3)
    apex = first + int(np.argmax(body.hips[first:last + 1, body.up]))
    hold = max(6, int(0.25 / step))
    yield "hover 0.25 s", clip.with_frames(np.insert(frames, [apex] * hold, frames[apex], 0))
    for size in (10, 20):
        away = np.zeros(count)
        away[first:last + 1] = size / 100 * np.sin(np.pi * s)
        yield f"swerve {size} cm", body.along(body.side, away)
    for size in (45, 90):
        # After the flight body and path turn about the place of landing, so that only spin is added.
        degrees = np.full(count, 0.0)
        degrees[first:last + 1], degrees[last + 1:] = size * s * s * (3 - 2 * s), size
        about = body.hips.copy()
        about[last + 1:] = body.hips[last]
        yield f"spin {size}°", body.moved(turn=bvh.turn(body.up, degrees), about=about)


def ghost(body):
    """A loop with one frame more: the pose of its middle where the root would be, if that moves a joint by SEEN."""
    frames = body.clip.frames
    next_, last = 2 * frames[-1] - frames[-2], frames[len(frames) // 2].copy()
    for joint in body.clip.joints:
        if joint.parent < 0:
            for _, column in joint.columns(False):
                last[column] = next_[column]
    places = bvh.pose(body.clip.with_frames(np.stack([last, next_])))[1] * body.meters
    seen = np.linalg.norm(places[:, 0] - places[:, 1], axis=1).max() > SEEN
    return body.clip.with_frames(np.vstack([frames, last])) if seen else None
