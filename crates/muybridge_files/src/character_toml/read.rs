//! Reads text to a checked document, and a document to a character.

use std::collections::BTreeMap;
use std::ops::Range;

use muybridge::character::{Body, Bone, Character, ContactPoint, JointRange, Role, Skeleton};
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::collision::tensor;
use muybridge::glam::{DMat3, DQuat, DVec3};

use super::{BoneEntry, CharacterDocument, FORMAT, RangeEntry, ShapeEntry, VERSION, role_words};
use crate::error::Complaint;
use crate::xml::shorten;
use crate::{Error, Location};

/// Reads a character file. Errors carry line and column.
pub fn read(bytes: &[u8]) -> Result<CharacterDocument, Error> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        Error::new(Location::Byte(error.valid_up_to()), "this is not UTF-8 text; save the file as UTF-8")
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document: CharacterDocument =
        toml::from_str(text).map_err(|error| at(text, error.span(), error.message().to_owned()))?;
    check(&document).map_err(|(span, message)| at(text, Some(span), message))?;
    Ok(document)
}

impl CharacterDocument {
    /// Builds the whole character; fails unless the file holds the skeleton too.
    pub fn character(&self) -> Result<Character, Error> {
        let mut bones: Vec<Bone> = Vec::with_capacity(self.bones.len());
        let mut by_name = BTreeMap::new();
        for (index, entry) in self.bones.iter().enumerate() {
            let name = entry.name.get_ref().clone();
            let Some(translation) = entry.position else {
                let message = "the file holds no skeleton: this bone has no position; give a motion to fit it to";
                return Err(Error::new(Location::Named(name), message));
            };
            let parent = entry.parent.as_ref().map(|parent| {
                let above = by_name.get(parent.get_ref().as_str()).copied();
                let message = format!("its parent “{}” must stand above it in the file", shorten(parent.get_ref()));
                above.ok_or_else(|| Error::new(Location::Named(name.clone()), message))
            });
            by_name.insert(entry.name.get_ref().as_str(), index);
            let rotation = entry.rotation.unwrap_or(DQuat::IDENTITY);
            bones.push(Bone { parent: parent.transpose()?, name, translation, rotation, ends: entry.ends.clone() });
        }
        let skeleton = Skeleton::new(bones).map_err(|error| Error::new(Location::File, error.to_string()))?;
        self.fit(&skeleton)
    }

    /// Applies the masses, joint limits, roles and contacts of the file to the bones of `skeleton` (in meters), by name. Bones that
    /// the file does not name get none; bones that the skeleton does not have are an error.
    pub fn fit(&self, skeleton: &Skeleton) -> Result<Character, Error> {
        let by_name: BTreeMap<&str, usize> =
            skeleton.bones().iter().enumerate().map(|(index, bone)| (bone.name.as_str(), index)).collect();
        let names = self.bones.iter().map(|bone| bone.name.get_ref());
        let missing: Vec<String> = names
            .filter(|name| !by_name.contains_key(name.as_str()))
            .map(|name| format!("“{}”", shorten(name)))
            .collect();
        if !missing.is_empty() {
            let shown = missing[..missing.len().min(12)].join(", ");
            let message = format!("the clip has no bones for these of the character ({}): {shown}", missing.len());
            return Err(Error::new(Location::File, message));
        }
        let mut character = Character {
            skeleton: skeleton.clone(),
            bodies: vec![Body::none(); skeleton.len()],
            ranges: vec![JointRange::Free; skeleton.len()],
            roles: vec![None; skeleton.len()],
            contacts: Vec::with_capacity(self.contacts.len()),
            body_source: self.name.clone().unwrap_or_else(|| "character.toml".to_owned()),
            measured_contacts: true,
        };
        for entry in &self.bones {
            let bone = by_name[entry.name.get_ref().as_str()];
            character.bodies[bone] = body(entry);
            character.ranges[bone] = entry.range.as_ref().map_or(JointRange::Free, range);
            character.roles[bone] = entry.role.as_ref().and_then(|word| role(word.get_ref()));
        }
        for contact in &self.contacts {
            let bone = by_name[contact.bone.get_ref().as_str()];
            character.contacts.push(ContactPoint { bone, position: contact.position, radius: contact.radius });
        }
        Ok(character)
    }
}

fn check(document: &CharacterDocument) -> Result<(), Complaint> {
    if document.format.get_ref() != FORMAT {
        return Err((document.format.span(), format!("format must be \"{FORMAT}\"")));
    }
    if *document.version.get_ref() != VERSION {
        return Err((document.version.span(), format!("only version {VERSION} is known; update muybridge")));
    }
    if document.units.get_ref() != "m" {
        return Err((document.units.span(), "units must be \"m\": write lengths in metres".to_owned()));
    }
    let mut names = BTreeMap::new();
    let mut roles = BTreeMap::new();
    for bone in &document.bones {
        let complain =
            |message: String| Err((bone.name.span(), format!("bone “{}”: {message}", shorten(bone.name.get_ref()))));
        if names.insert(bone.name.get_ref().as_str(), ()).is_some() {
            return complain("there is another bone of this name".to_owned());
        }
        if let Some(word) = &bone.role {
            let Some(role) = role(word.get_ref()) else {
                return Err((word.span(), format!("the role “{}” is not known", shorten(word.get_ref()))));
            };
            if roles.insert(role, ()).is_some() {
                return Err((word.span(), format!("two bones have the role {}", word.get_ref())));
            }
        }
        if let Some(fault) = fault(bone) {
            return complain(fault.to_owned());
        }
    }
    for contact in &document.contacts {
        let complain = |message: &str| Err((contact.bone.span(), message.to_owned()));
        if !names.contains_key(contact.bone.get_ref().as_str()) {
            return complain("a contact names a bone that the file does not hold");
        }
        if !(contact.position.is_finite() && contact.radius.is_finite() && contact.radius >= 0.0) {
            return complain("a contact needs a finite position and a radius of 0 or more");
        }
    }
    Ok(())
}

/// Error sentence about the numbers of a bone.
fn fault(bone: &BoneEntry) -> Option<&'static str> {
    let not_unit = |q: DQuat| !is_one(q.length());
    if !(bone.mass.is_finite() && bone.mass >= 0.0) {
        return Some("mass must be a number of 0 or more");
    }
    let inertia = inertia(bone);
    if !(bone.center.is_finite() && inertia.is_finite()) {
        return Some("center and inertia must be finite numbers");
    }
    let [least, _, greatest] = tensor::principal_moments(inertia);
    if least < -1e-6 * greatest.abs() {
        return Some("the inertia has a negative principal moment; no body has that");
    }
    if bone.rotation.is_some_and(not_unit) {
        return Some("rotation must be a unit quaternion x, y, z, w");
    }
    let sizes_and_places = bone.shapes.iter().map(shape).map(|placed| (sizes(&placed.shape), placed));
    for (sizes, placed) in sizes_and_places {
        if !(sizes.is_finite() && sizes.min_element() >= 0.0 && placed.position.is_finite())
            || not_unit(placed.rotation)
        {
            return Some("a shape needs sizes of 0 or more, a finite position and a unit quaternion x, y, z, w");
        }
    }
    match bone.range.as_ref()? {
        RangeEntry::Free | RangeEntry::Fixed => None,
        RangeEntry::Hinge { axis, lower, upper } => {
            let good = is_one(axis.length()) && lower <= upper;
            (!good).then_some("a hinge needs an axis of length 1 and a lower limit not above the upper one")
        }
        RangeEntry::SwingTwist { frame, swing_x, swing_z, twist } => {
            let good = [swing_x, swing_z, twist].iter().all(|[lower, upper]| lower <= upper) && !not_unit(*frame);
            (!good).then_some("a swing_twist needs a unit quaternion and lower limits not above the upper ones")
        }
    }
}

fn is_one(length: f64) -> bool {
    (length - 1.0).abs() < 1e-6
}

fn body(entry: &BoneEntry) -> Body {
    let shapes = entry.shapes.iter().map(shape).collect();
    Body { mass: entry.mass, center: entry.center, inertia: inertia(entry), shapes }
}

fn inertia(entry: &BoneEntry) -> DMat3 {
    let [xx, yy, zz, xy, xz, yz] = entry.inertia;
    DMat3::from_cols_array_2d(&[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
}

fn shape(entry: &ShapeEntry) -> PlacedShape {
    let (shape, position, rotation) = match *entry {
        ShapeEntry::Sphere { radius, position, rotation } => (Shape::Sphere { radius }, position, rotation),
        ShapeEntry::Capsule { radius, half_length, position, rotation } => {
            (Shape::Capsule { radius, half_length }, position, rotation)
        }
        ShapeEntry::Cylinder { radius, half_length, position, rotation } => {
            (Shape::Cylinder { radius, half_length }, position, rotation)
        }
        ShapeEntry::Box { half_extents, position, rotation } => (Shape::Box { half_extents }, position, rotation),
        ShapeEntry::Ellipsoid { semi_axes, position, rotation } => (Shape::Ellipsoid { semi_axes }, position, rotation),
    };
    PlacedShape { shape, position, rotation }
}

fn sizes(shape: &Shape) -> DVec3 {
    match *shape {
        Shape::Sphere { radius } => DVec3::splat(radius),
        Shape::Capsule { radius, half_length } | Shape::Cylinder { radius, half_length } => {
            DVec3::new(radius, half_length, radius)
        }
        Shape::Box { half_extents } => half_extents,
        Shape::Ellipsoid { semi_axes } => semi_axes,
    }
}

fn range(entry: &RangeEntry) -> JointRange {
    match *entry {
        RangeEntry::Free => JointRange::Free,
        RangeEntry::Fixed => JointRange::Fixed,
        RangeEntry::Hinge { axis, lower, upper } => JointRange::Hinge { axis, lower, upper },
        RangeEntry::SwingTwist { frame, swing_x, swing_z, twist } => {
            JointRange::SwingTwist { frame, swing_x, swing_z, twist }
        }
    }
}

fn role(word: &str) -> Option<Role> {
    role_words().find(|(known, _)| known == word).map(|(_, role)| role)
}

/// An error at the beginning of a span of the text.
fn at(text: &str, span: Option<Range<usize>>, message: String) -> Error {
    let Some(before) = span.and_then(|span| text.get(..span.start)) else { return Error::new(Location::File, message) };
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    Error::new(Location::Text { line, column }, message)
}
