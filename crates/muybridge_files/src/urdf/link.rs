//! `<link>`: mass, shapes and contact points.

use muybridge::character::{Body, JointRange};
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::collision::tensor::{self, Realism};
use muybridge::glam::{DMat3, DQuat, DVec3};

use super::origin;
use crate::Error;
use crate::model::{ModelBody, Z_FROM_Y, contact_points};
use crate::xml::{Attribute, Element};

/// Reads a link as a body on the world; the joint above it sets its parent and place.
pub(super) fn read(link: &Element, ignored: &mut Vec<String>) -> Result<ModelBody, Error> {
    let mut body = Body::none();
    if let Some(inertial) = link.child("inertial") {
        inertia(link, inertial, &mut body, ignored)?;
    }
    let collision = shapes(link, "collision", ignored)?;
    let contacts = collision.iter().flat_map(contact_points).collect();
    body.shapes = if collision.is_empty() { shapes(link, "visual", ignored)? } else { collision };
    Ok(ModelBody {
        name: link.need("name")?.value.clone(),
        parent: None,
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        body,
        range: JointRange::Free,
        contacts,
    })
}

fn inertia(link: &Element, inertial: &Element, body: &mut Body, ignored: &mut Vec<String>) -> Result<(), Error> {
    let (center, rotation) = origin(inertial)?;
    let label = link.label();
    let mass = inertial.child("mass").ok_or_else(|| inertial.error(format!("<inertial> of {label} needs a <mass>")))?;
    let mass = mass.need("value")?;
    let kilograms = mass.number()?;
    if kilograms < 0.0 {
        return Err(mass.at.error(format!("{label} has a negative mass")));
    }
    let Some(element) = inertial.child("inertia") else {
        return Err(inertial.error(format!("<inertial> of {label} needs an <inertia>")));
    };
    let entry = |name: &str| element.find(name).map_or(Ok(0.0), Attribute::number);
    let (xx, yy, zz) = (entry("ixx")?, entry("iyy")?, entry("izz")?);
    let (xy, xz, yz) = (entry("ixy")?, entry("ixz")?, entry("iyz")?);
    let tensor = DMat3::from_cols_array_2d(&[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
    if tensor == DMat3::ZERO && kilograms > 0.0 {
        ignored.push(format!("{label} has mass but no inertia; it is taken as a point"));
    } else if kilograms > 0.0 {
        match tensor::check(tensor) {
            Err(error) => return Err(element.error(format!("{label}: {error}"))),
            Ok(Realism::ForEffect) => {
                ignored.push(format!("{label} has an inertia no rigid body has; it is used as given"));
            }
            Ok(Realism::OfABody) => {}
        }
    }
    (body.mass, body.center, body.inertia) = (kilograms, center, tensor::rotated(tensor, rotation));
    Ok(())
}

/// Solids of the elements with that tag; meshes are left out with a note.
fn shapes(link: &Element, tag: &str, ignored: &mut Vec<String>) -> Result<Vec<PlacedShape>, Error> {
    let mut shapes = Vec::new();
    for element in link.all(tag) {
        let (position, rotation) = origin(element)?;
        let Some(geometry) = element.child("geometry").and_then(|geometry| geometry.children.first()) else {
            return Err(element.error(format!("<{tag}> of {} needs a <geometry> with a shape in it", link.label())));
        };
        match shape(geometry)? {
            Some(shape @ (Shape::Cylinder { .. } | Shape::Capsule { .. })) => {
                shapes.push(PlacedShape { shape, position, rotation: rotation * Z_FROM_Y });
            }
            Some(shape) => shapes.push(PlacedShape { shape, position, rotation }),
            None => ignored.push(format!("<{}> in <{tag}> of {} is not read", geometry.tag, link.label())),
        }
    }
    Ok(shapes)
}

fn shape(geometry: &Element) -> Result<Option<Shape>, Error> {
    let length = |name: &str| {
        let attribute = geometry.need(name)?;
        match attribute.number()? {
            value if value >= 0.0 => Ok(value),
            _ => Err(attribute.at.error(format!("{name} of a {} must not be negative", geometry.tag))),
        }
    };
    Ok(Some(match geometry.tag.as_str() {
        "sphere" => Shape::Sphere { radius: length("radius")? },
        "cylinder" => Shape::Cylinder { radius: length("radius")?, half_length: 0.5 * length("length")? },
        "capsule" => Shape::Capsule { radius: length("radius")?, half_length: 0.5 * length("length")? },
        "box" => {
            let attribute = geometry.need("size")?;
            let size = attribute.vector()?;
            if size.min_element() < 0.0 {
                return Err(attribute.at.error("the size of a box must not be negative"));
            }
            Shape::Box { half_extents: 0.5 * size }
        }
        _ => return Ok(None),
    }))
}
