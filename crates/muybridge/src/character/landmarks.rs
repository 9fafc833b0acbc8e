//! Anatomical landmarks on a skeleton: joint centers, vertex, heels, tips, and body axes.
//!
//! All are measured in one reference pose (the rest pose or, if it is no pose, the mean stance of the clip), independent of world axes: up is from the hips to the shoulders, left from the right hip and shoulder to the
//! left ones, forward = left × up. Ends that rigs leave out or fill with garbage are compared with the proportions of
//! de Leva's reference subjects and replaced if they do not fit.

use glam::{DQuat, DVec3};

use super::Skeleton;
use super::ancestry::Family;
use super::humanoid::{Role, RoleMap, Side};

/// Heights of cervicale above the shoulders and vertex above the cervicale, fractions of mid-hip to mid-shoulder (de
/// Leva, male).
const NECK: f64 = 0.170;
const HEAD: f64 = 0.471;
/// Foot length divided by shank length; positions of ankle and ball from the heel, fractions of the foot.
const FOOT: f64 = 0.586;
const ANKLE: f64 = 0.25;
const BALL: f64 = 0.73;
/// Height of the ankle joint above the sole, fraction of the foot (Winter: 0.039 of stature, de Leva's foot 0.148 of
/// it).
const ANKLE_HEIGHT: f64 = 0.26;

/// Landmarks of an arm or a leg: joint centers in the reference pose and the bones of its three segments.
#[derive(Clone, Debug)]
pub(crate) struct LimbMarks {
    pub(crate) side: Side,
    pub(crate) bones: [usize; 3],
    /// Shoulder, elbow, wrist, fingertip; or hip, knee, ankle and the ankle again (see [`FootMarks`] for the foot).
    pub(crate) points: [DVec3; 4],
}

/// Landmarks of a foot: position and direction.
#[derive(Clone, Debug)]
pub(crate) struct FootMarks {
    pub(crate) side: Side,
    /// Bone of the foot, or the lower leg of a rig without feet.
    pub(crate) bone: usize,
    pub(crate) toes: Option<usize>,
    /// Pose of the toe bone with the foot flat and the foot bone in its reference pose.
    pub(crate) toes_pose: (DVec3, DQuat),
    pub(crate) ankle: DVec3,
    /// Unit vectors of the foot: from heel to toe, and away from the sole.
    pub(crate) forward: DVec3,
    pub(crate) up: DVec3,
    /// Distance from heel to tip of the longest toe, meters.
    pub(crate) length: f64,
    /// Height of the ankle above the sole, meters.
    pub(crate) height: f64,
}

impl FootMarks {
    /// A point of the sole: `along` is measured from the heel, `across` to the body's left, both as fractions of the
    /// foot length.
    pub(crate) fn sole(&self, along: f64, across: f64) -> DVec3 {
        let left = self.up.cross(self.forward);
        self.ankle + self.forward * ((along - ANKLE) * self.length) + left * (across * self.length)
            - self.up * self.height
    }

    /// Heel and toe tip where de Leva measures the foot: slightly above the sole.
    pub(crate) fn axis(&self) -> [DVec3; 2] {
        let raise = self.up * (0.5 * self.height);
        [self.sole(0.0, 0.0) + raise, self.sole(1.0, 0.0) + raise]
    }
}

/// Landmarks of a humanoid in its reference pose.
#[derive(Clone, Debug)]
pub(crate) struct Landmarks {
    /// World position and rotation of every bone in the reference pose.
    pub(crate) pose: Vec<(DVec3, DQuat)>,
    pub(crate) up: DVec3,
    pub(crate) left: DVec3,
    pub(crate) mid_hip: DVec3,
    /// Distance from mid-hip to mid-shoulder, meters.
    pub(crate) trunk: f64,
    pub(crate) cervicale: DVec3,
    pub(crate) vertex: DVec3,
    /// Hips and the trunk bones above, each with the height of its lower joint as a fraction of the trunk.
    pub(crate) trunk_bones: Vec<(usize, f64)>,
    pub(crate) head_bone: usize,
    pub(crate) arms: Vec<LimbMarks>,
    pub(crate) legs: Vec<LimbMarks>,
    pub(crate) feet: Vec<FootMarks>,
}

impl Landmarks {
    /// Finds the landmarks; `None` if the map is not humanoid or the pose is collapsed.
    pub(crate) fn new(skeleton: &Skeleton, map: &RoleMap, pose: Vec<(DVec3, DQuat)>) -> Option<Self> {
        let find = Find { skeleton, family: Family::new(skeleton), map, pose: &pose };
        let (mid_hip, mid_shoulder) = (find.middle(Role::UpperLeg)?, find.shoulders()?);
        let trunk = mid_hip.distance(mid_shoulder);
        let up = (mid_shoulder - mid_hip).try_normalize()?;
        let across = find.across(Role::UpperLeg)? + find.across(Role::UpperArm).unwrap_or(DVec3::ZERO);
        let left = (across - up * up.dot(across)).try_normalize()?;
        let trunk_bones = find.trunk_bones(mid_hip, up, trunk);
        let top = trunk_bones.last()?.0;
        let (neck, vertex) = find.head(mid_shoulder, up, trunk);
        let cervicale = neck.unwrap_or(mid_shoulder + up * (NECK * trunk));
        // Rigs place shoulders more freely than necks: with both known, the trunk is the mean of the two estimates.
        let by_neck = neck.map_or(trunk, |neck| up.dot(neck - mid_hip) / (1.0 + NECK));
        let trunk = 0.5 * (trunk + by_neck);
        let legs: Vec<LimbMarks> = SIDES.iter().filter_map(|&side| find.leg(side)).collect();
        let forward = left.cross(up);
        let feet = SIDES.iter().zip(&legs).map(|(&side, leg)| find.foot(side, leg, up, forward)).collect();
        let arms = SIDES.iter().filter_map(|&side| find.arm(side)).collect();
        let head_bone = find.bone(Role::Head).or_else(|| find.bone(Role::Neck)).unwrap_or(top);
        if legs.len() < 2 {
            return None;
        }
        Some(Self { up, left, mid_hip, trunk, cervicale, vertex, trunk_bones, head_bone, arms, legs, feet, pose })
    }

    /// Standing height from the lengths of the segments, meters, whatever the pose: sole to ankle, shank, thigh, trunk,
    /// neck and head. A standing body is 0.98 of the sum (de Leva, male: 1.741 of 1.777 m), because it is not straight.
    pub(crate) fn height(&self) -> f64 {
        let mean = |of: &dyn Fn(usize) -> f64| 0.5 * (of(0) + of(1));
        let legs = mean(&|at| {
            let [hip, knee, ankle, _] = self.legs[at].points;
            hip.distance(knee) + knee.distance(ankle) + self.feet[at].height
        });
        let above = self.up.dot(self.vertex - self.mid_hip);
        0.98 * (legs + above)
    }

    /// Bone of a third of the trunk: hips for the lower third, the bone above the arms for the upper third, for the
    /// middle third the bone with the highest joint below the third's center (de Leva, male).
    pub(crate) fn trunk_bone(&self, third: usize) -> usize {
        let center = [f64::NEG_INFINITY, 0.51, f64::INFINITY][third];
        let below = self.trunk_bones.iter().rev().find(|(_, joint)| *joint <= center);
        below.map_or(self.trunk_bones[0].0, |(bone, _)| *bone)
    }

    /// A point on the trunk's axis at a height above mid-hip, given as a fraction of the trunk.
    pub(crate) fn on_trunk(&self, height: f64) -> DVec3 {
        self.mid_hip + self.up * (height * self.trunk)
    }
}

const SIDES: [Side; 2] = [Side::Left, Side::Right];

struct Find<'a> {
    skeleton: &'a Skeleton,
    family: Family,
    map: &'a RoleMap,
    pose: &'a [(DVec3, DQuat)],
}

impl Find<'_> {
    fn bone(&self, role: Role) -> Option<usize> {
        self.map.bone_of(role)
    }

    fn at(&self, role: Role) -> Option<DVec3> {
        self.bone(role).map(|bone| self.pose[bone].0)
    }

    fn middle(&self, of: fn(Side) -> Role) -> Option<DVec3> {
        Some((self.at(of(Side::Left))? + self.at(of(Side::Right))?) * 0.5)
    }

    fn across(&self, of: fn(Side) -> Role) -> Option<DVec3> {
        Some(self.at(of(Side::Left))? - self.at(of(Side::Right))?)
    }

    /// Mid-shoulder; without arms a point slightly below the neck or head.
    fn shoulders(&self) -> Option<DVec3> {
        self.middle(Role::UpperArm).or_else(|| {
            let hips = self.middle(Role::UpperLeg)?;
            let neck = self.at(Role::Neck).or_else(|| self.at(Role::Head))?;
            Some(hips + (neck - hips) / (1.0 + NECK))
        })
    }

    fn trunk_bones(&self, mid_hip: DVec3, up: DVec3, trunk: f64) -> Vec<(usize, f64)> {
        let roles = [Role::Hips, Role::Spine, Role::Chest, Role::UpperChest];
        let bones: Vec<usize> = roles.into_iter().filter_map(|role| self.bone(role)).collect();
        let mut found = Vec::with_capacity(bones.len());
        for (at, &bone) in bones.iter().enumerate() {
            // The joint between two consecutive bones is that of the child of the two.
            let joint = match at.checked_sub(1).map(|before| bones[before]) {
                Some(below) if self.family.is_below(below, bone) => below,
                _ => bone,
            };
            let height = up.dot(self.pose[joint].0 - mid_hip) / trunk;
            found.push((bone, if at == 0 { f64::NEG_INFINITY } else { height }));
        }
        found
    }

    fn head(&self, mid_shoulder: DVec3, up: DVec3, trunk: f64) -> (Option<DVec3>, DVec3) {
        let fits = |point: DVec3, from: DVec3, low: f64, high: f64| {
            let rise = up.dot(point - from) / trunk;
            (low..=high).contains(&rise) && (point - from).length() < 1.5 * high * trunk
        };
        let neck = self.at(Role::Neck).filter(|&neck| fits(neck, mid_shoulder, -0.05, 0.35));
        let cervicale = neck.unwrap_or(mid_shoulder + up * (NECK * trunk));
        let end = self.bone(Role::Head).and_then(|head| self.farthest(head));
        let vertex = end.filter(|&end| fits(end, cervicale, 0.3, 1.2));
        (neck, vertex.unwrap_or(cervicale + up * (HEAD * trunk)))
    }

    fn leg(&self, side: Side) -> Option<LimbMarks> {
        let (upper, lower) = (self.bone(Role::UpperLeg(side))?, self.bone(Role::LowerLeg(side))?);
        let foot = self.bone(Role::Foot(side));
        let (hip, knee) = (self.pose[upper].0, self.pose[lower].0);
        let ankle = foot.map_or_else(|| self.end_of(lower, hip, knee, 1.043), |foot| self.pose[foot].0);
        (hip != knee && knee != ankle).then(|| LimbMarks {
            side,
            bones: [upper, lower, foot.unwrap_or(lower)],
            points: [hip, knee, ankle, ankle],
        })
    }

    fn arm(&self, side: Side) -> Option<LimbMarks> {
        let upper = self.bone(Role::UpperArm(side))?;
        let lower = self.bone(Role::LowerArm(side));
        let hand = self.bone(Role::Hand(side));
        let shoulder = self.pose[upper].0;
        let elbow = lower.map_or_else(|| self.farthest(upper).unwrap_or(shoulder), |lower| self.pose[lower].0);
        let wrist =
            hand.map_or_else(|| self.end_of(lower.unwrap_or(upper), shoulder, elbow, 0.955), |h| self.pose[h].0);
        let tip = self.end_of(hand.unwrap_or(upper), elbow, wrist, 0.0);
        let reach = 0.667 * shoulder.distance(elbow);
        let toward = (tip - wrist).try_normalize().or((wrist - elbow).try_normalize())?;
        let lower = lower.unwrap_or(upper);
        (shoulder != elbow && elbow != wrist).then(|| LimbMarks {
            side,
            bones: [upper, lower, hand.unwrap_or(lower)],
            points: [shoulder, elbow, wrist, wrist + toward * reach],
        })
    }

    /// End of a bone that starts at `joint`: its farthest descendant if the distance is within a factor of two of the
    /// expected one, else `ratio` times the previous segment, straight on. With a ratio of 0, half the previous segment
    /// is expected.
    fn end_of(&self, bone: usize, before: DVec3, joint: DVec3, ratio: f64) -> DVec3 {
        let length = before.distance(joint);
        let expected = if ratio > 0.0 { ratio * length } else { 0.5 * length };
        let range = if ratio > 0.0 { 0.5 * expected..=2.0 * expected } else { 0.1 * expected..=2.5 * expected };
        let end = self.farthest(bone).filter(|&end| range.contains(&end.distance(joint)));
        end.unwrap_or(joint + (joint - before).normalize_or_zero() * expected)
    }

    /// Farthest end or descendant from a bone's joint, garbage included; `None` if there is none.
    fn farthest(&self, bone: usize) -> Option<DVec3> {
        let joint = self.pose[bone].0;
        self.tips(bone).into_iter().max_by(|a, b| a.distance(joint).total_cmp(&b.distance(joint)))
    }

    fn tips(&self, bone: usize) -> Vec<DVec3> {
        let mut tips = Vec::new();
        let mut open = vec![bone];
        while let Some(at) = open.pop() {
            let (position, rotation) = self.pose[at];
            tips.extend(self.skeleton.bones()[at].ends.iter().map(|&end| position + rotation * end));
            open.extend(self.family.children(at));
            if at != bone {
                tips.push(position);
            }
        }
        tips
    }

    fn foot(&self, side: Side, leg: &LimbMarks, up: DVec3, body_forward: DVec3) -> FootMarks {
        let [_, knee, ankle, _] = leg.points;
        let expected = FOOT * knee.distance(ankle);
        let bone = leg.bones[2];
        let toes = self.bone(Role::Toes(side));
        let level = |v: DVec3| v - up * up.dot(v);
        // A foot whose toes are along the leg at rest is a pointed foot, not a short one.
        let lying = |v: DVec3| if level(v).length() < 0.5 * v.length() { v } else { level(v) };
        let measured = |point: DVec3, along: f64| {
            let forward = lying(point - ankle);
            let length = forward.length() / (along - ANKLE);
            (0.6 * expected..=2.5 * expected).contains(&length).then_some((forward, length))
        };
        let by_toes = toes.and_then(|toes| measured(self.pose[toes].0, BALL));
        let own_foot = self.bone(Role::Foot(side)).is_some();
        let tips = if own_foot { self.tips(bone) } else { Vec::new() };
        let ahead = |tip: &DVec3| (*tip - ankle).dot(body_forward);
        let by_tip = || measured(tips.iter().copied().max_by(|a, b| ahead(a).total_cmp(&ahead(b)))?, 1.0);
        let (forward, length) = by_toes.or_else(by_tip).unwrap_or((body_forward, expected));
        let forward = forward.normalize_or(body_forward);
        let shin = (knee - ankle).normalize_or(up);
        let upright = if forward.dot(up).abs() < 0.5 { up } else { shin };
        let foot_up = (upright - forward * forward.dot(upright)).try_normalize();
        // If the toes point straight down the leg, the sole faces the body's back.
        let foot_up = foot_up.unwrap_or_else(|| (body_forward - forward * forward.dot(body_forward)).normalize_or(up));
        let toes_pose = self.pose[toes.unwrap_or(bone)];
        FootMarks { side, bone, toes, toes_pose, ankle, forward, up: foot_up, length, height: ANKLE_HEIGHT * length }
    }
}
