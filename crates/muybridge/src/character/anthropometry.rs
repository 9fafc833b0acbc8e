//! Masses of a humanoid skeleton from tables of human segments.
//!
//! ```text
//! m = μ M,   c = p + γ (d − p),   I = m L² diag(k_sag², k_trans², k_long²) in the segment's frame,   L = ‖d − p‖
//! ```
//! with μ, γ, k from de Leva (1996) or Dempster (1955), `p` and `d` the segment's ends (mathematics 2.5.3, S1). The
//! longitudinal axis runs along the segment, the transverse axis to the body's side, the sagittal axis across both.
//! The thirds of the trunk are on the line from mid-hip to mid-shoulder: the lower third belongs to the hips, the upper
//! third to the bone above the arms, the middle third to the trunk bone with the highest joint below the third's
//! center. A segment without its own bone belongs to the bone before it. Bones without a role (fingers, twist bones,
//! helpers) have no mass.

use glam::{DMat3, DQuat, DVec3};

use super::Body;
use super::anthropometry_table::{BodySegment, SegmentRow, row, trunk_length};
use super::landmarks::{Landmarks, LimbMarks};
use crate::collision::MassProperties;

/// A table of human segment parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Anthropometry {
    /// de Leva 1996, male.
    DeLevaMale,
    /// de Leva 1996, female.
    DeLevaFemale,
    /// Mean of de Leva's male and female tables, row by row.
    #[default]
    DeLevaMean,
    /// Dempster 1955 as tabulated by Winter 2009.
    Dempster,
}

impl Anthropometry {
    /// All tables.
    pub const ALL: [Self; 4] = [Self::DeLevaMale, Self::DeLevaFemale, Self::DeLevaMean, Self::Dempster];

    /// Name of the table in options: "deleva-male".
    pub fn name(self) -> &'static str {
        match self {
            Self::DeLevaMale => "deleva-male",
            Self::DeLevaFemale => "deleva-female",
            Self::DeLevaMean => "deleva-mean",
            Self::Dempster => "dempster",
        }
    }

    /// Source of the table, as a report cites it.
    pub(crate) fn source(self) -> &'static str {
        match self {
            Self::DeLevaMale => "de Leva 1996 male",
            Self::DeLevaFemale => "de Leva 1996 female",
            Self::DeLevaMean => "de Leva 1996 mean",
            Self::Dempster => "Dempster 1955 (Winter 2009)",
        }
    }
}

/// Mass assumed for a person of a given height in meters, kg: a body-mass index of 22 kg/m², the middle of the normal
/// range (WHO: 18.5 to 25).
pub(crate) fn assumed_mass(height: f64) -> f64 {
    22.0 * height * height
}

/// Bodies of all bones, `mass` kg in total, without shapes.
pub(crate) fn bodies(marks: &Landmarks, table: Anthropometry, mass: f64) -> Vec<Body> {
    let mut pieces = trunk_pieces(marks, table);
    let head = row(table, BodySegment::Head);
    pieces.push(ReferenceSegment::new(marks, head, marks.head_bone, [marks.vertex, marks.cervicale]));
    for arm in &marks.arms {
        pieces.extend(limb_pieces(
            marks,
            arm,
            table,
            &[BodySegment::UpperArm, BodySegment::Forearm, BodySegment::Hand],
        ));
    }
    for (leg, foot) in marks.legs.iter().zip(&marks.feet) {
        pieces.extend(limb_pieces(marks, leg, table, &[BodySegment::Thigh, BodySegment::Shank]));
        pieces.push(ReferenceSegment::new(marks, row(table, BodySegment::Foot), foot.bone, foot.axis()));
    }
    let total: f64 = pieces.iter().map(|piece| piece.properties.mass).sum();
    let mut bodies = vec![Body::none(); marks.pose.len()];
    for (bone, body) in bodies.iter_mut().enumerate() {
        let own: Vec<&ReferenceSegment> = pieces.iter().filter(|piece| piece.bone == bone).collect();
        if !own.is_empty() {
            *body = composed(&own, marks.pose[bone], mass / total);
        }
    }
    bodies
}

/// A segment in the reference pose: mass, world center and inertia about it, for a body of 1 kg.
struct ReferenceSegment {
    bone: usize,
    properties: MassProperties,
}

impl ReferenceSegment {
    fn new(marks: &Landmarks, row: SegmentRow, bone: usize, [from, to]: [DVec3; 2]) -> Self {
        let along = (to - from).normalize_or(marks.up);
        // The transverse axis of a sideways segment (an arm in T-pose) is the body's up axis.
        let side = if along.dot(marks.left).abs() < 0.9 { marks.left } else { marks.up };
        let transverse = (side - along * along.dot(side)).normalize();
        let axes = DMat3::from_cols(transverse.cross(along), transverse, along);
        let moment = |k: f64| row.mass * (k * k) * from.distance_squared(to);
        let [sagittal, transverse, longitudinal] = row.gyration.map(moment);
        let principal = DMat3::from_diagonal(DVec3::new(sagittal, transverse, longitudinal));
        let inertia = axes * principal * axes.transpose();
        Self { bone, properties: MassProperties { mass: row.mass, center: from.lerp(to, row.center), inertia } }
    }
}

/// Thirds of the trunk, between heights that are de Leva's fractions of mid-hip to mid-shoulder.
fn trunk_pieces(marks: &Landmarks, table: Anthropometry) -> Vec<ReferenceSegment> {
    let mut bottom = 0.0;
    let thirds = [BodySegment::LowerTrunk, BodySegment::MiddleTrunk, BodySegment::UpperTrunk];
    let pieces = thirds.into_iter().enumerate().map(|(third, segment)| {
        let row = row(table, segment);
        let top = bottom + row.length / trunk_length(table);
        let ends = [marks.on_trunk(top), marks.on_trunk(bottom)];
        bottom = top;
        ReferenceSegment::new(marks, row, marks.trunk_bone(third), ends)
    });
    pieces.collect()
}

fn limb_pieces(
    marks: &Landmarks,
    limb: &LimbMarks,
    table: Anthropometry,
    segments: &[BodySegment],
) -> Vec<ReferenceSegment> {
    let piece = |(at, &segment): (usize, &BodySegment)| {
        ReferenceSegment::new(marks, row(table, segment), limb.bones[at], [limb.points[at], limb.points[at + 1]])
    };
    segments.iter().enumerate().map(piece).collect()
}

/// Combines the segments of one bone to a body in the bone's frame.
fn composed(pieces: &[&ReferenceSegment], (origin, rotation): (DVec3, DQuat), scale: f64) -> Body {
    let parts: Vec<MassProperties> = pieces.iter().map(|piece| piece.properties).collect();
    let sum = MassProperties::sum(&parts);
    let sum = sum.with_mass(sum.mass * scale);
    let bone_from_world = rotation.inverse();
    let own = sum.placed(bone_from_world * -origin, bone_from_world);
    Body { mass: own.mass, center: own.center, inertia: own.inertia, shapes: Vec::new() }
}
