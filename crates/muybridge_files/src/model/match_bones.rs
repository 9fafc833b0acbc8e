//! Fits a model to the bones of a clip by name, through the rotation of axes that makes their offsets agree.
//!
//! ```text
//! offsets   o = position of a body in the frame of the nearest body above it that the clip also names
//! axes      C, one of the 24 proper rotations of the axes, with |C o_model − o_clip| ≤ 1 % of the extent for every bone
//! result    center C c, inertia C I Cᵀ, shapes and contacts C p, rotations C R Cᵀ (bone frame = C × body frame)
//! ```
//! Order of trials: no rotation, (X, Y, Z) = (y, z, x), then the others, of which exactly one must fit. If none fits, it is an error.

use std::collections::BTreeMap;

use muybridge::character::{Body, ContactPoint, JointRange, Skeleton};
use muybridge::collision::MassProperties;
use muybridge::collision::shape::PlacedShape;
use muybridge::glam::{DMat3, DQuat, DVec3};

use super::{Model, ModelBody};
use crate::{Error, Location};

/// Mass ratio to the model below which a body is a dummy that a clip need not have.
const DUMMY: f64 = 1e-5;
/// Tolerance of offsets, as a share of the model's extent.
const AGREE: f64 = 0.01;

/// Tolerance of a few outliers, as a multiple of [`AGREE`].
const LOOSE: f64 = 3.0;

/// Properties that a model gives the bones of a clip; one entry per bone, axes of the clip, meters.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// Mass and shapes; [`Body::none`] for bones the model does not name.
    pub bodies: Vec<Body>,
    /// Joint ranges; free for bones the model does not name.
    pub ranges: Vec<JointRange>,
    /// Rest rotation of each bone against its parent, from which `ranges` count: the model's rest pose. It may differ from the
    /// skeleton's (a BVH has no rest rotations).
    pub rest: Vec<DQuat>,
    /// Contact spheres.
    pub contacts: Vec<ContactPoint>,
    /// Rotation of the model's axes, in words: "(X, Y, Z) = (y, z, x)".
    pub axes: String,
    /// Notes on bodies that were joined to their parents, one sentence each.
    pub notes: Vec<String>,
}

/// Fits `model` to the bones of `skeleton`, whose lengths are in units of `meters_per_unit`.
pub fn fit(model: &Model, skeleton: &Skeleton, meters_per_unit: f64) -> Result<Fitted, Error> {
    let by_name: BTreeMap<&str, usize> =
        skeleton.bones().iter().enumerate().map(|(index, bone)| (bone.name.as_str(), index)).collect();
    let bones: Vec<Option<usize>> = model.bodies.iter().map(|body| by_name.get(body.name.as_str()).copied()).collect();
    let (model, notes) = joined(model, &bones);
    let model = &model;
    check_names(model, &bones)?;
    let offsets = offsets(model, skeleton, &bones, meters_per_unit);
    let turn = find_axes(&offsets, AGREE * extent(model))?;
    let c = DQuat::from_mat3(&turn).normalize();
    let mut fitted = Fitted {
        bodies: vec![Body::none(); skeleton.len()],
        ranges: vec![JointRange::Free; skeleton.len()],
        rest: skeleton.bones().iter().map(|bone| bone.rotation).collect(),
        contacts: Vec::new(),
        axes: in_words(turn),
        notes,
    };
    for (index, bone) in bones.iter().enumerate() {
        let (Some(bone), body) = (*bone, &model.bodies[index]) else { continue };
        fitted.bodies[bone] = turned_body(&body.body, turn, c);
        fitted.ranges[bone] = turned_range(&body.range, turn, c);
        if body.parent.is_some_and(|parent| bones[parent].is_some() && bones[parent] == skeleton.bones()[bone].parent) {
            fitted.rest[bone] = (c * body.rotation * c.conjugate()).normalize();
        }
        let spheres = body.contacts.iter();
        fitted.contacts.extend(spheres.map(|&(at, radius)| ContactPoint { bone, position: turn * at, radius }));
    }
    Ok(fitted)
}

/// The model with each body that has neither joint nor bone (a helmet, a head welded to its trunk) as a part of its
/// parent: mass, shapes and contacts move there.
fn joined(model: &Model, bones: &[Option<usize>]) -> (Model, Vec<String>) {
    let (mut model, mut notes) = (model.clone(), Vec::new());
    for index in (0..model.bodies.len()).rev() {
        let body = &model.bodies[index];
        let Some(parent) = body.parent.filter(|_| bones[index].is_none() && body.range == JointRange::Fixed) else {
            continue;
        };
        let (position, rotation) = (body.position, body.rotation);
        let moved = core::mem::replace(&mut model.bodies[index].body, Body::none());
        let contacts = core::mem::take(&mut model.bodies[index].contacts);
        if moved.mass > 0.0 {
            let names = [index, parent].map(|body| &model.bodies[body].name);
            notes.push(format!("body “{}” has no joint and no bone; it is a part of “{}”", names[0], names[1]));
        }
        let above = &mut model.bodies[parent];
        let properties = |body: &Body| MassProperties { mass: body.mass, center: body.center, inertia: body.inertia };
        let parts = [properties(&above.body), properties(&moved).placed(position, rotation)];
        let parts: Vec<MassProperties> = parts.into_iter().filter(|part| part.mass > 0.0).collect();
        if !parts.is_empty() {
            let whole = MassProperties::sum(&parts);
            (above.body.mass, above.body.center, above.body.inertia) = (whole.mass, whole.center, whole.inertia);
        }
        above.body.shapes.extend(moved.shapes.into_iter().map(|placed| PlacedShape {
            shape: placed.shape,
            position: position + rotation * placed.position,
            rotation: (rotation * placed.rotation).normalize(),
        }));
        above.contacts.extend(contacts.into_iter().map(|(at, radius)| (position + rotation * at, radius)));
    }
    (model, notes)
}

/// Checks that every body with mass has a bone, and that at least one body has one.
fn check_names(model: &Model, bones: &[Option<usize>]) -> Result<(), Error> {
    let dummy = DUMMY * model.mass();
    let missing: Vec<&str> = (model.bodies.iter().zip(bones))
        .filter(|(body, bone)| bone.is_none() && body.body.mass > dummy)
        .map(|(body, _)| body.name.as_str())
        .collect();
    if missing.is_empty() && bones.iter().any(Option::is_some) {
        return Ok(());
    }
    let shown: Vec<String> = missing.iter().take(12).map(|name| format!("“{name}”")).collect();
    let more =
        if missing.len() > shown.len() { format!(" and {} more", missing.len() - shown.len()) } else { String::new() };
    let message = format!(
        "the clip has no bones for these bodies of the model: {}{more}; rename them to the clip's bones",
        shown.join(", ")
    );
    Err(Error::new(Location::File, message))
}

/// Offset of a body in the model and in the clip, for comparison.
struct BoneOffset<'a> {
    name: &'a str,
    in_model: DVec3,
    in_clip: DVec3,
}

/// Offsets of all bodies that have an ancestor which the clip names.
fn offsets<'a>(model: &'a Model, skeleton: &Skeleton, bones: &[Option<usize>], scale: f64) -> Vec<BoneOffset<'a>> {
    let rest = skeleton.rest_pose();
    let mut offsets = Vec::new();
    for (index, body) in model.bodies.iter().enumerate() {
        let Some(bone) = bones[index] else { continue };
        let (mut in_model, mut above) = (body.position, body.parent);
        while let Some(parent) = above.filter(|&parent| bones[parent].is_none()) {
            in_model = moved(&model.bodies[parent], in_model);
            above = model.bodies[parent].parent;
        }
        if let Some(parent_bone) = above.and_then(|parent| bones[parent]) {
            let (position, rotation) = rest[parent_bone];
            let in_clip = rotation.conjugate() * (rest[bone].0 - position) * scale;
            offsets.push(BoneOffset { name: &body.name, in_model, in_clip });
        }
    }
    offsets
}

/// Transforms a point from a body's frame to its parent's frame.
fn moved(body: &ModelBody, point: DVec3) -> DVec3 {
    body.position + body.rotation * point
}

/// Longest side of the bounding box of the joints at rest, meters.
fn extent(model: &Model) -> f64 {
    let mut world: Vec<(DVec3, DQuat)> = Vec::with_capacity(model.bodies.len());
    for body in &model.bodies {
        let (position, rotation) = body.parent.map_or((DVec3::ZERO, DQuat::IDENTITY), |parent| world[parent]);
        world.push((position + rotation * body.position, rotation * body.rotation));
    }
    let (low, high) = world.iter().fold((DVec3::MAX, DVec3::MIN), |(l, h), (p, _)| (l.min(*p), h.max(*p)));
    (high - low).max_element().max(0.0)
}

fn find_axes(offsets: &[BoneOffset<'_>], tolerance: f64) -> Result<DMat3, Error> {
    let misfit = |turn: &DMat3| {
        let worst = offsets.iter().map(|offset| (*turn * offset.in_model - offset.in_clip).length());
        worst.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
    };
    // A slide joint rests elsewhere in another export of the same clip: one bone in five may differ more.
    let fits = |turn: &DMat3| {
        let close = |offset: &&BoneOffset<'_>| (*turn * offset.in_model - offset.in_clip).length() <= tolerance + 1e-9;
        misfit(turn).1 <= LOOSE * tolerance + 1e-9 && 5 * offsets.iter().filter(close).count() >= 4 * offsets.len()
    };
    let turns = axis_turns();
    if let Some(usual) = turns[..2].iter().find(|turn| fits(turn)) {
        return Ok(*usual);
    }
    let others: Vec<&DMat3> = turns[2..].iter().filter(|turn| fits(turn)).collect();
    if let [only] = others[..] {
        return Ok(*only);
    }
    if !others.is_empty() {
        let message =
            "the offsets of model and clip agree under several turns of the axes; turn the model to the clip's axes";
        return Err(Error::new(Location::File, message));
    }
    let best = turns.iter().map(misfit).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
    let message = format!(
        "model and clip do not have the same proportions: under no turn of the axes do the offsets of their bones agree \
         to {:.4} m; at best the offset of this bone differs by {:.4} m. Check the clip's unit, or use the model the clip was made for",
        tolerance, best.1
    );
    Err(Error::new(Location::Named(offsets[best.0].name.to_owned()), message))
}

/// The 24 proper rotations of the axes: identity first, then (X, Y, Z) = (y, z, x), then the others.
fn axis_turns() -> Vec<DMat3> {
    let rows = [DVec3::X, DVec3::Y, DVec3::Z];
    let usual = DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X).transpose();
    let mut turns = vec![DMat3::IDENTITY, usual];
    for x in 0..3 {
        for y in (0..3).filter(|&y| y != x) {
            for signs in 0..4 {
                let first = if signs & 1 == 0 { rows[x] } else { -rows[x] };
                let second = if signs & 2 == 0 { rows[y] } else { -rows[y] };
                let turn = DMat3::from_cols(first, second, first.cross(second)).transpose();
                if !turns.contains(&turn) {
                    turns.push(turn);
                }
            }
        }
    }
    turns
}

fn in_words(turn: DMat3) -> String {
    if turn == DMat3::IDENTITY {
        return "as in the file".to_owned();
    }
    let word = |row: DVec3| {
        let names = ["x", "y", "z"];
        let axis = (0..3).max_by(|&a, &b| row[a].abs().total_cmp(&row[b].abs())).unwrap_or(0);
        format!("{}{}", if row[axis] < 0.0 { "−" } else { "" }, names[axis])
    };
    format!("(X, Y, Z) = ({}, {}, {})", word(turn.row(0)), word(turn.row(1)), word(turn.row(2)))
}

fn turned_body(body: &Body, turn: DMat3, c: DQuat) -> Body {
    let place = |shape: &PlacedShape| PlacedShape {
        shape: shape.shape.clone(),
        position: turn * shape.position,
        rotation: (c * shape.rotation).normalize(),
    };
    Body {
        mass: body.mass,
        center: turn * body.center,
        inertia: turn * body.inertia * turn.transpose(),
        shapes: body.shapes.iter().map(place).collect(),
    }
}

fn turned_range(range: &JointRange, turn: DMat3, c: DQuat) -> JointRange {
    match range.clone() {
        JointRange::Hinge { axis, lower, upper } => JointRange::Hinge { axis: turn * axis, lower, upper },
        JointRange::SwingTwist { frame, swing_x, swing_z, twist } => {
            JointRange::SwingTwist { frame: (c * frame).normalize(), swing_x, swing_z, twist }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
