//! `<geom>`: a solid with its place, mass and whether it collides.

use muybridge::collision::MassProperties;
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DQuat, DVec3};

use super::compiler::{Compiler, choice, turn_z_to, unit};
use super::default_classes::DefaultClasses;
use crate::Error;
use crate::model::Z_FROM_Y;

/// A geom in its body's frame.
pub(super) enum Geom {
    /// A geom that is a solid.
    Solid {
        placed: PlacedShape,
        mass: MassProperties,
        /// Whether contype or conaffinity lets it collide with anything.
        touches: bool,
    },
    /// A mesh or another shape that is not read; `counts` tells whether the body's mass depends on it.
    Unread { kind: &'static str, counts: bool },
}

/// Reads a geom in the frame (`position`, `rotation`) within its body.
pub(super) fn read(
    settings: &DefaultClasses<'_>,
    compiler: &Compiler,
    position: DVec3,
    rotation: DQuat,
) -> Result<Geom, Error> {
    let kind = match settings.find("type") {
        Some(attribute) => choice(attribute, &KINDS)?,
        None if settings.find("mesh").is_some() => "mesh",
        None => "sphere",
    };
    let weight = GeomMass::read(settings)?;
    let counts = counts_in_mass(settings, compiler)?;
    let fitted = settings.find("mesh").is_some();
    if fitted || ["mesh", "plane", "hfield", "sdf"].contains(&kind) {
        let counts = counts && !weight.is_nothing() && kind != "plane" && kind != "hfield";
        return Ok(Geom::Unread { kind: if fitted { "mesh" } else { kind }, counts });
    }
    let local = place(settings, compiler, kind)?;
    let placed = PlacedShape {
        shape: local.shape,
        position: position + rotation * local.position,
        rotation: (rotation * local.rotation).normalize(),
    };
    let solid = MassProperties::of_placed_shape(&placed, weight.density);
    let mass = match (weight.mass, counts) {
        (_, false) => MassProperties::NONE,
        (Some(0.0), true) => MassProperties::NONE,
        (Some(mass), true) => MassProperties::of_placed_shape(&placed, 1.0).with_mass(mass),
        (None, true) => solid,
    };
    let shell = settings.value("shellinertia").is_some_and(|value| value.trim() == "true");
    if shell && mass.mass > 0.0 {
        return Err(settings.element.error("shellinertia is not read; give the body an <inertial>"));
    }
    Ok(Geom::Solid { placed, mass, touches: touches(settings)? })
}

const KINDS: [(&str, &str); 9] = [
    ("sphere", "sphere"),
    ("capsule", "capsule"),
    ("cylinder", "cylinder"),
    ("box", "box"),
    ("ellipsoid", "ellipsoid"),
    ("plane", "plane"),
    ("mesh", "mesh"),
    ("hfield", "hfield"),
    ("sdf", "sdf"),
];

struct GeomMass {
    mass: Option<f64>,
    density: f64,
}

impl GeomMass {
    fn read(settings: &DefaultClasses<'_>) -> Result<Self, Error> {
        let weight = Self { mass: settings.number("mass")?, density: settings.number("density")?.unwrap_or(1000.0) };
        for (name, value) in [("mass", weight.mass.unwrap_or(0.0)), ("density", weight.density)] {
            if value < 0.0 {
                return Err(settings.element.error(format!("{} has a negative {name}", settings.element.label())));
            }
        }
        Ok(weight)
    }

    fn is_nothing(&self) -> bool {
        self.mass.unwrap_or(self.density) == 0.0
    }
}

fn counts_in_mass(settings: &DefaultClasses<'_>, compiler: &Compiler) -> Result<bool, Error> {
    let group = settings.number("group")?.unwrap_or(0.0);
    Ok(group >= compiler.groups[0] && group <= compiler.groups[1])
}

fn touches(settings: &DefaultClasses<'_>) -> Result<bool, Error> {
    let kind = settings.number("contype")?.unwrap_or(1.0);
    let affinity = settings.number("conaffinity")?.unwrap_or(1.0);
    Ok(kind != 0.0 || affinity != 0.0)
}

/// The solid at `pos` with its orientation, or between the ends of `fromto`.
fn place(settings: &DefaultClasses<'_>, compiler: &Compiler, kind: &str) -> Result<PlacedShape, Error> {
    let mut size = [0.0; 3];
    for layer in settings.layers().rev() {
        if let Some(attribute) = layer.find("size") {
            let given = attribute.numbers(3)?;
            size[..given.len()].copy_from_slice(&given);
        }
    }
    let long = kind != "sphere";
    if let Some(attribute) = settings.find("fromto").filter(|_| long) {
        let [a, b, c, d, e, f] = attribute.array()?;
        let (from, to) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
        let half = 0.5 * (to - from).length();
        let rotation = turn_z_to(unit(attribute, from - to)?);
        size = if kind == "box" || kind == "ellipsoid" { [size[0], size[0], half] } else { [size[0], half, 0.0] };
        return solid(settings, kind, size, 0.5 * (from + to), rotation);
    }
    let position = settings.find("pos").map(|pos| pos.vector()).transpose()?.unwrap_or(DVec3::ZERO);
    let mut rotation = None;
    for layer in settings.layers() {
        rotation = match rotation {
            None => compiler.orientation(layer)?,
            found => found,
        };
    }
    solid(settings, kind, size, position, rotation.unwrap_or(DQuat::IDENTITY))
}

fn solid(
    settings: &DefaultClasses<'_>,
    kind: &str,
    size: [f64; 3],
    position: DVec3,
    rotation: DQuat,
) -> Result<PlacedShape, Error> {
    let [radius, half_length, _] = size;
    let needed = match kind {
        "sphere" => 1,
        "capsule" | "cylinder" => 2,
        _ => 3,
    };
    if size[..needed].iter().any(|&length| length <= 0.0) {
        let label = settings.element.label();
        return Err(settings
            .element
            .error(format!("{label}: a {kind} needs a size of {needed} numbers greater than 0")));
    }
    let (shape, rotation) = match kind {
        "sphere" => (Shape::Sphere { radius }, rotation),
        "capsule" => (Shape::Capsule { radius, half_length }, rotation * Z_FROM_Y),
        "cylinder" => (Shape::Cylinder { radius, half_length }, rotation * Z_FROM_Y),
        "box" => (Shape::Box { half_extents: size.into() }, rotation),
        _ => (Shape::Ellipsoid { semi_axes: size.into() }, rotation),
    };
    Ok(PlacedShape { shape, position, rotation })
}
