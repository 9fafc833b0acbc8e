"""Tests of the reader and of the corruptions on a generated walk: python3 -m unittest discover bench/detection -p '*_test.py'"""

import os
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bvh
import corrupt

SKELETON = """HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest
  {
    OFFSET 0 30 0
    CHANNELS 3 Yrotation Zrotation Xrotation
    End Site
    {
      OFFSET 0 30 0
    }
  }
  JOINT LeftLeg
  {
    OFFSET 10 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT LeftFoot
    {
      OFFSET 0 -85 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 -4 15
      }
    }
  }
  JOINT RightLeg
  {
    OFFSET -10 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT RightFoot
    {
      OFFSET 0 -85 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 -4 15
      }
    }
  }
}
MOTION
Frames: 1
Frame Time: 0.0333333333
0 90 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
"""


def walk(count=90):
    """Legs swing, the body goes forward at 1.2 m/s and turns, angles pass ±180°."""
    with tempfile.NamedTemporaryFile("w", suffix=".bvh", delete=False) as file:
        file.write(SKELETON)
    clip = bvh.read(file.name)
    os.unlink(file.name)
    t = np.arange(count) / 30
    frames = np.tile(clip.frames, (count, 1))
    frames[:, 2], frames[:, 5], frames[:, 3] = 120 * t, 100 * t, 10 * np.sin(t)
    frames[:, 6], frames[:, 10], frames[:, 16] = 20 * np.sin(3 * t), 30 * np.sin(6 * t), -30 * np.sin(6 * t)
    return clip.with_frames(frames, 1 / 30)


def places(clip):
    G, P = bvh.pose(clip)
    return np.concatenate([P, bvh.ends(clip, G, P)[0]])


class Reader(unittest.TestCase):
    def test_a_written_clip_reads_back(self):
        clip = walk()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "walk.bvh")
            bvh.write(clip, path)
            back = bvh.read(path)
        self.assertEqual([joint.name for joint in back.joints], [joint.name for joint in clip.joints])
        self.assertLess(np.abs(places(back) - places(clip)).max(), 1e-4)

    def test_angles_give_their_rotation_back(self):
        random = np.random.default_rng(1)
        for order in ((0, 1, 2), (2, 0, 1), (1, 0, 2), (2, 1, 0)):
            degrees = np.cumsum(random.normal(0, 15, (2, 200, 3)), 1)
            turn = lambda d: bvh.turn(order[0], d[..., 0]) @ bvh.turn(order[1], d[..., 1]) @ bvh.turn(order[2], d[..., 2])
            self.assertLess(np.abs(turn(bvh.angles(turn(degrees), order)) - turn(degrees)).max(), 1e-9)

    def test_a_resampled_clip_passes_through_its_keys(self):
        clip = walk()
        for smooth in (False, True):
            self.assertLess(np.abs(places(bvh.resample(clip, 60, smooth))[:, ::2] - places(clip)).max(), 1e-6)


class Corruptions(unittest.TestCase):
    def setUp(self):
        self.clip = walk()
        self.body = corrupt.Body(self.clip, 0.01, "y")

    def test_controls_move_no_joint_in_the_body(self):
        inside = lambda p: np.linalg.norm(p[:, None] - p[None], axis=-1)
        expected = inside(places(self.clip))
        for name, clip in corrupt.controls(self.body):
            if "rate" not in name and name != "reverse":
                self.assertLess(np.abs(inside(places(clip)) - expected).max(), 1e-6, name)

    def test_another_rest_pose_is_the_same_motion(self):
        for choose in (corrupt.rest_of_frame, corrupt.rest_along_x):
            other = corrupt.other_rest(self.clip, self.body.G, choose)
            self.assertLess(np.abs(places(other) - places(self.clip)).max(), 1e-6)
            self.assertGreater(max(np.abs(a.offset - b.offset).max() for a, b in zip(other.joints, self.clip.joints)), 1)

    def test_sizes_are_as_told(self):
        made = dict(corrupt.corruptions(self.body, (30, 45), np.random.default_rng(3)))
        moved = lambda name: np.linalg.norm(places(made[name]) - places(self.clip), axis=2).max() / 100
        self.assertAlmostEqual(moved("teleport 3 m"), 3, 6)
        self.assertAlmostEqual(moved("levitate 30 cm"), 0.3, 6)
        self.assertAlmostEqual(moved("swerve 10 cm"), 0.1, 2)
        self.assertAlmostEqual(moved("slide 0.1 m/s") if "slide 0.1 m/s" in made else 89 / 300, 89 / 300, 6)
        self.assertEqual(len(made["cut 6 frames"].frames), 84)
        self.assertEqual(len(made["hover 0.25 s"].frames), 97)

    def test_a_root_on_the_ground_is_no_part_of_the_body(self):
        joints = [bvh.Joint("Ground", -1, np.zeros(3), [(a, False) for a in range(3)] + [(a, True) for a in range(3)], [], 0)]
        joints += [bvh.Joint(j.name, j.parent + 1, j.offset, j.channels, j.ends, j.first + 6) for j in self.clip.joints]
        clip = bvh.Clip(joints, np.hstack([np.zeros((len(self.clip.frames), 6)), self.clip.frames]), self.clip.step)
        body = corrupt.Body(clip, 0.01, "y")
        self.assertEqual(joints[body.hips_joint()].name, "Hips")
        self.assertEqual(list(np.flatnonzero(~body.inside)), [0])
        self.assertFalse(body.stance(0, 90))

    def test_legs_are_paired_and_arms_are_not(self):
        names = [joint.name for joint in self.clip.joints]
        self.assertEqual([(names[a], names[b]) for a, b in self.body.legs()], [("LeftLeg", "RightLeg"), ("LeftFoot", "RightFoot")])
        for name, other in (("thigh_l", "thigh_r"), ("mixamorig:LeftUpLeg", "mixamorig:RightUpLeg"), ("lShin", "rShin"),
                            ("LThigh", "RThigh"), ("lfemur", "rfemur"), ("FootL", "FootR"), ("Root", "Root"), ("LowerBack", "LowerBack")):
            self.assertEqual(corrupt.mirrored(name), other)


if __name__ == "__main__":
    unittest.main()
