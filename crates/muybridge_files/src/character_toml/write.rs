//! Writes a character as text. Numbers have all the digits needed to be read back exactly.

use std::fmt::Write;

use muybridge::character::{Body, Bone, Character, JointRange, Role};
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DMat3, DQuat, DVec3};

use super::{FORMAT, VERSION, role_words};

/// Writes a character file with skeleton, masses, shapes, joint limits, roles and contacts.
pub fn write(character: &Character) -> String {
    let name = text(&character.body_source);
    let mut out = format!("format = \"{FORMAT}\"\nversion = {VERSION}\nunits = \"m\"\nname = {name}\n");
    let bones = character.skeleton.bones();
    for (index, bone) in bones.iter().enumerate() {
        let parent = bone.parent.map(|parent| bones[parent].name.as_str());
        let lines = [
            skeleton_lines(bone, parent),
            character.roles[index].map_or_else(String::new, role_line),
            body_lines(&character.bodies[index]),
            format!("range = {}\n", range(&character.ranges[index])),
        ];
        // Writing to a string cannot fail.
        let _ = write!(out, "\n[[bone]]\n{}", lines.concat());
    }
    for contact in &character.contacts {
        let bone = text(&bones[contact.bone].name);
        let (position, radius) = (vector(contact.position), number(contact.radius));
        let _ = write!(out, "\n[[contact]]\nbone = {bone}\nposition = {position}\nradius = {radius}\n");
    }
    out
}

fn skeleton_lines(bone: &Bone, parent: Option<&str>) -> String {
    let parent = parent.map_or_else(String::new, |parent| format!("parent = {}\n", text(parent)));
    let ends: Vec<String> = bone.ends.iter().map(|&end| vector(end)).collect();
    let ends = if ends.is_empty() { String::new() } else { format!("ends = [{}]\n", ends.join(", ")) };
    let (name, position, rotation) = (text(&bone.name), vector(bone.translation), quaternion(bone.rotation));
    format!("name = {name}\n{parent}position = {position}\nrotation = {rotation}\n{ends}")
}

fn role_line(role: Role) -> String {
    let word = role_words().find(|(_, known)| *known == role).map(|(word, _)| word);
    word.map_or_else(String::new, |word| format!("role = \"{word}\"\n"))
}

fn body_lines(body: &Body) -> String {
    if *body == Body::none() {
        return String::new();
    }
    let DMat3 { x_axis: x, y_axis: y, z_axis: z } = body.inertia;
    let inertia = numbers(&[x.x, y.y, z.z, y.x, z.x, z.y]);
    let mut lines = format!("mass = {}\ncenter = {}\ninertia = {inertia}\n", number(body.mass), vector(body.center));
    if !body.shapes.is_empty() {
        let shapes: Vec<String> = body.shapes.iter().map(|placed| format!("  {},\n", shape(placed))).collect();
        lines += &format!("shapes = [\n{}]\n", shapes.concat());
    }
    lines
}

fn shape(placed: &PlacedShape) -> String {
    let long = |kind: &str, radius: f64, half_length: f64| {
        format!("kind = \"{kind}\", radius = {}, half_length = {}", number(radius), number(half_length))
    };
    let size = match placed.shape {
        Shape::Sphere { radius } => format!("kind = \"sphere\", radius = {}", number(radius)),
        Shape::Capsule { radius, half_length } => long("capsule", radius, half_length),
        Shape::Cylinder { radius, half_length } => long("cylinder", radius, half_length),
        Shape::Box { half_extents } => format!("kind = \"box\", half_extents = {}", vector(half_extents)),
        Shape::Ellipsoid { semi_axes } => format!("kind = \"ellipsoid\", semi_axes = {}", vector(semi_axes)),
    };
    format!("{{ {size}, position = {}, rotation = {} }}", vector(placed.position), quaternion(placed.rotation))
}

fn range(range: &JointRange) -> String {
    match range {
        JointRange::Free => "{ kind = \"free\" }".to_owned(),
        JointRange::Fixed => "{ kind = \"fixed\" }".to_owned(),
        JointRange::Hinge { axis, lower, upper } => {
            let (axis, lower, upper) = (vector(*axis), number(*lower), number(*upper));
            format!("{{ kind = \"hinge\", axis = {axis}, lower = {lower}, upper = {upper} }}")
        }
        JointRange::SwingTwist { frame, swing_x, swing_z, twist } => {
            let (frame, x, z, twist) = (quaternion(*frame), numbers(swing_x), numbers(swing_z), numbers(twist));
            format!("{{ kind = \"swing_twist\", frame = {frame}, swing_x = {x}, swing_z = {z}, twist = {twist} }}")
        }
    }
}

fn text(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn vector(v: DVec3) -> String {
    numbers(&v.to_array())
}

fn quaternion(q: DQuat) -> String {
    numbers(&q.to_array())
}

fn numbers(values: &[f64]) -> String {
    let values: Vec<String> = values.iter().map(|&value| number(value)).collect();
    format!("[{}]", values.join(", "))
}

/// Writes a number with the fewest digits that read back exactly.
fn number(value: f64) -> String {
    format!("{value:?}")
}
