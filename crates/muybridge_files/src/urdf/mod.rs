//! URDF, the robot models of ROS and Bullet: links, masses, joint limits and contact points.
//!
//! ```text
//! rpy          R = Rz(yaw) Ry(pitch) Rx(roll), radians
//! link frame   = frame of the joint above it: position and rotation of a body are the joint's <origin>
//! <inertia>    about the center of mass in the axes of the inertial <origin>; tensor elements
//! cylinder     along z, length from end to end; capsule along z, length of its straight part (Bullet)
//! ```
//! Source: the URDF XML specification of ROS. Links on fixed joints stay bodies of their own; `model::fit` joins those without a bone to their parents. Shapes are those of `<collision>`,
//! or of `<visual>` if a link has no collision shapes. The XML is read directly, so that an error can name line and column.

mod link;

use std::collections::BTreeMap;
use std::path::Path;

use muybridge::character::JointRange;
use muybridge::glam::{DQuat, DVec3};
use muybridge::math::rotation::about;

use crate::model::{Model, ModelBody};
use crate::xml::{self, Attribute, Element};
use crate::{Axis, Error};

/// Reads a model. A NUL byte after the last tag is skipped.
pub fn read(bytes: &[u8]) -> Result<Model, Error> {
    let root = xml::parse(bytes, Path::new(""))?;
    if root.tag != "robot" {
        return Err(root.error(format!("a URDF file begins with <robot>, this one with <{}>", root.tag)));
    }
    let links = named_links(&root)?;
    let joints = joints(&root, &links)?;
    let mut ignored = Vec::new();
    let bodies = assemble(&root, &links, &joints, &mut ignored)?;
    ignored.extend(unread(&root));
    Ok(Model { format: "URDF".to_owned(), bodies, up: Some(Axis::Z), ignored })
}

/// A joint, seen from its child link.
struct UrdfJoint<'a> {
    element: &'a Element,
    parent: usize,
    position: DVec3,
    rotation: DQuat,
}

/// Index of every link by name, in the order of the file.
fn named_links(root: &Element) -> Result<BTreeMap<&str, usize>, Error> {
    let mut links = BTreeMap::new();
    for (index, link) in root.all("link").enumerate() {
        let name = link.need("name")?;
        if links.insert(name.value.as_str(), index).is_some() {
            return Err(name.at.error(format!("two links are named “{}”; names must be unique", name.value)));
        }
    }
    if links.is_empty() {
        return Err(root.error("the model has no links"));
    }
    Ok(links)
}

/// Joint above each link; `None` for a root.
fn joints<'a>(root: &'a Element, links: &BTreeMap<&str, usize>) -> Result<Vec<Option<UrdfJoint<'a>>>, Error> {
    let mut above: Vec<Option<UrdfJoint<'_>>> = (0..links.len()).map(|_| None).collect();
    for element in root.all("joint") {
        let link = |tag: &str| {
            let end =
                element.child(tag).ok_or_else(|| element.error(format!("{} needs a <{tag}>", element.label())))?;
            let name = end.need("link")?;
            let unknown = || name.at.error(format!("there is no link named “{}”", xml::shorten(&name.value)));
            links.get(name.value.as_str()).copied().ok_or_else(unknown)
        };
        let (parent, child) = (link("parent")?, link("child")?);
        let (position, rotation) = origin(element)?;
        if above[child].is_some() {
            return Err(element.error(format!("{}: its child hangs on another joint already", element.label())));
        }
        above[child] = Some(UrdfJoint { element, parent, position, rotation });
    }
    Ok(above)
}

/// Bodies, parents first and otherwise in file order.
fn assemble(
    root: &Element,
    links: &BTreeMap<&str, usize>,
    joints: &[Option<UrdfJoint<'_>>],
    ignored: &mut Vec<String>,
) -> Result<Vec<ModelBody>, Error> {
    let elements: Vec<&Element> = root.all("link").collect();
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); links.len()];
    for (child, joint) in joints.iter().enumerate() {
        if let Some(joint) = joint {
            below[joint.parent].push(child);
        }
    }
    let mut open: Vec<usize> = (0..elements.len()).rev().filter(|&link| joints[link].is_none()).collect();
    let mut body_of = vec![None; elements.len()];
    let mut bodies = Vec::with_capacity(elements.len());
    while let Some(link) = open.pop() {
        open.extend(below[link].iter().rev());
        body_of[link] = Some(bodies.len());
        let mut body = link::read(elements[link], ignored)?;
        if let Some(joint) = &joints[link] {
            body.parent = body_of[joint.parent];
            (body.position, body.rotation) = (joint.position, joint.rotation);
            body.range = range(joint.element, ignored)?;
        }
        bodies.push(body);
    }
    match body_of.iter().position(Option::is_none) {
        None => Ok(bodies),
        Some(link) => {
            Err(elements[link].error(format!("{} hangs on itself through its joints", elements[link].label())))
        }
    }
}

/// Joint limits of a joint.
fn range(joint: &Element, ignored: &mut Vec<String>) -> Result<JointRange, Error> {
    let kind = joint.need("type")?;
    let turn = std::f64::consts::PI;
    let hinge = |lower, upper| Ok(JointRange::Hinge { axis: axis(joint)?, lower, upper });
    match kind.value.trim() {
        "fixed" => Ok(JointRange::Fixed),
        "floating" | "spherical" => Ok(JointRange::Free),
        "continuous" => hinge(-turn, turn),
        "revolute" => {
            let limit = |name: &str| joint.child("limit").and_then(|l| l.find(name)).map_or(Ok(0.0), Attribute::number);
            let (lower, upper) = (limit("lower")?, limit("upper")?);
            if lower == 0.0 && upper == 0.0 {
                ignored.push(format!("{} has the range 0 to 0, which is taken as unlimited", joint.label()));
                return hinge(-turn, turn);
            }
            if lower > upper {
                return Err(joint.error(format!("{}: the lower limit is above the upper one", joint.label())));
            }
            hinge(lower, upper)
        }
        "prismatic" => {
            ignored.push(format!("{} slides, which a joint range does not hold", joint.label()));
            Ok(JointRange::Fixed)
        }
        "planar" => {
            ignored.push(format!("{} slides in a plane, which a joint range does not hold", joint.label()));
            hinge(-turn, turn)
        }
        other => {
            let known = "fixed, revolute, continuous, spherical, prismatic, planar or floating";
            Err(kind.at.error(format!("the joint type “{}” is not known; it must be {known}", xml::shorten(other))))
        }
    }
}

fn axis(joint: &Element) -> Result<DVec3, Error> {
    let Some(attribute) = joint.child("axis").and_then(|axis| axis.find("xyz")) else { return Ok(DVec3::X) };
    let axis = attribute.vector()?;
    let length = axis.length();
    if length > 1e-12 && length.is_finite() {
        Ok(axis / length)
    } else {
        Err(attribute.at.error("the axis of a joint must have a length"))
    }
}

/// The `<origin>` of an element; at the origin, unrotated, if it has none.
fn origin(element: &Element) -> Result<(DVec3, DQuat), Error> {
    let Some(origin) = element.child("origin") else { return Ok((DVec3::ZERO, DQuat::IDENTITY)) };
    let position = origin.find("xyz").map_or(Ok(DVec3::ZERO), Attribute::vector)?;
    let [roll, pitch, yaw] = origin.find("rpy").map_or(Ok([0.0; 3]), Attribute::array)?;
    Ok((position, about(DVec3::Z, yaw) * about(DVec3::Y, pitch) * about(DVec3::X, roll)))
}

/// Counts elements of the robot that are not read.
fn unread(root: &Element) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for child in root.children.iter().filter(|child| child.tag != "link" && child.tag != "joint") {
        *counts.entry(&child.tag).or_default() += 1;
    }
    counts.into_iter().map(|(tag, count)| format!("{count} <{tag}> not read")).collect()
}

#[cfg(test)]
mod tests;
