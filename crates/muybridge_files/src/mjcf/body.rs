//! `<body>` and `<frame>`: the tree of bodies.

use std::collections::{BTreeMap, BTreeSet};

use muybridge::character::Body;
use muybridge::collision::MassProperties;
use muybridge::collision::tensor::{self, Realism};
use muybridge::glam::{DMat3, DQuat, DVec3};

use super::compiler::{Compiler, FromGeoms};
use super::default_classes::Classes;
use super::geom::{self, Geom};
use super::joint::{self, MjcfJoint};
use crate::Error;
use crate::model::{ModelBody, contact_points};
use crate::xml::{Attribute, Element};

/// Converts elements to bodies, parents first.
pub(super) struct BodyBuilder<'a> {
    compiler: &'a Compiler,
    classes: &'a Classes<'a>,
    bodies: Vec<ModelBody>,
    names: BTreeSet<String>,
    ignored: Vec<String>,
    passed_over: BTreeMap<String, usize>,
}

/// Frame of an element's children: pose in the enclosing body, and the class they inherit.
#[derive(Clone, Copy)]
struct ParentFrame<'a> {
    position: DVec3,
    rotation: DQuat,
    childclass: Option<&'a str>,
}

/// Parts of a body besides its child bodies.
#[derive(Default)]
struct Parts<'a> {
    geoms: Vec<Geom>,
    joints: Vec<MjcfJoint>,
    inertial: Option<&'a Element>,
    children: Vec<(&'a Element, ParentFrame<'a>)>,
}

impl<'a> BodyBuilder<'a> {
    pub fn new(compiler: &'a Compiler, classes: &'a Classes<'a>) -> Self {
        Self {
            compiler,
            classes,
            bodies: Vec::new(),
            names: BTreeSet::new(),
            ignored: Vec::new(),
            passed_over: BTreeMap::new(),
        }
    }

    /// Reads the bodies of a `<worldbody>`. Geoms fixed to the world are scenery and are left out.
    pub fn world(&mut self, element: &'a Element) -> Result<(), Error> {
        let place =
            ParentFrame { position: DVec3::ZERO, rotation: DQuat::IDENTITY, childclass: element.value("childclass") };
        let mut parts = Parts::default();
        self.collect(element, place, &mut parts)?;
        if !parts.geoms.is_empty() {
            self.ignored.push(format!("{} geom(s) of the world are scenery", parts.geoms.len()));
        }
        for (child, at) in parts.children {
            self.body(child, None, at)?;
        }
        Ok(())
    }

    /// Returns the bodies, and notes on what was left out.
    pub fn finish(mut self) -> (Vec<ModelBody>, Vec<String>) {
        for (tag, count) in &self.passed_over {
            self.ignored.push(format!("{count} <{tag}> within bodies not read"));
        }
        (self.bodies, self.ignored)
    }

    fn body(&mut self, element: &'a Element, parent: Option<usize>, outer: ParentFrame<'a>) -> Result<(), Error> {
        let (position, rotation) = self.pose(element)?;
        let childclass = element.value("childclass").or(outer.childclass);
        let inner = ParentFrame { position: DVec3::ZERO, rotation: DQuat::IDENTITY, childclass };
        let mut parts = Parts::default();
        self.collect(element, inner, &mut parts)?;
        let name = self.name(element)?;
        let mass = self.mass(element, &name, &parts)?;
        if !(mass.mass.is_finite() && mass.center.is_finite() && mass.inertia.is_finite()) {
            return Err(element.error(format!("the mass or inertia of body “{name}” is too large for a number")));
        }
        let along =
            parts.children.iter().find_map(|(child, _)| child.find("pos")).map(Attribute::vector).transpose()?;
        let along = along.filter(|pos| *pos != DVec3::ZERO).unwrap_or(mass.center);
        let (range, note) = joint::range(&parts.joints, parent.is_none(), along);
        self.ignored.extend(note.map(|note| format!("body “{name}”: {note}")));
        let (shapes, contacts) = solids(&parts.geoms);
        let index = self.bodies.len();
        self.bodies.push(ModelBody {
            name,
            parent,
            position: outer.position + outer.rotation * position,
            rotation: (outer.rotation * rotation).normalize(),
            body: Body { mass: mass.mass, center: mass.center, inertia: mass.inertia, shapes },
            range,
            contacts,
        });
        for (child, at) in parts.children {
            self.body(child, Some(index), at)?;
        }
        Ok(())
    }

    fn name(&mut self, element: &Element) -> Result<String, Error> {
        let name = element.value("name").map_or_else(|| format!("unnamed body {}", self.bodies.len()), str::to_owned);
        if self.names.insert(name.clone()) {
            return Ok(name);
        }
        Err(element.error(format!("two bodies are named “{name}”; names must be unique")))
    }

    fn pose(&self, element: &Element) -> Result<(DVec3, DQuat), Error> {
        let position = element.find("pos").map(Attribute::vector).transpose()?.unwrap_or(DVec3::ZERO);
        Ok((position, self.compiler.orientation(element)?.unwrap_or(DQuat::IDENTITY)))
    }

    /// Sorts the children of a body, or of a frame in a body, into parts.
    fn collect(&mut self, element: &'a Element, place: ParentFrame<'a>, parts: &mut Parts<'a>) -> Result<(), Error> {
        for child in &element.children {
            match child.tag.as_str() {
                "geom" => {
                    let settings = self.classes.of(child, place.childclass)?;
                    parts.geoms.push(geom::read(&settings, self.compiler, place.position, place.rotation)?);
                }
                "joint" => {
                    let settings = self.classes.of(child, place.childclass)?;
                    parts.joints.push(joint::read(&settings, self.compiler, place.rotation)?);
                }
                "freejoint" => parts.joints.push(MjcfJoint::Free),
                "inertial" => parts.inertial = Some(child),
                "body" => parts.children.push((child, place)),
                "frame" => {
                    let (position, rotation) = self.pose(child)?;
                    let inner = ParentFrame {
                        position: place.position + place.rotation * position,
                        rotation: (place.rotation * rotation).normalize(),
                        childclass: child.value("childclass").or(place.childclass),
                    };
                    self.collect(child, inner, parts)?;
                }
                "replicate" | "composite" | "flexcomp" | "attach" => {
                    let message = format!("<{}> makes bodies that are not read; save the compiled model", child.tag);
                    return Err(child.error(message));
                }
                other => *self.passed_over.entry(other.to_owned()).or_default() += 1,
            }
        }
        Ok(())
    }

    /// Mass, center and inertia, from `<inertial>` or the geoms.
    fn mass(&mut self, element: &Element, name: &str, parts: &Parts<'_>) -> Result<MassProperties, Error> {
        let explicit = parts.inertial.filter(|_| self.compiler.from_geoms != FromGeoms::Always);
        if let Some(inertial) = explicit {
            return self.inertial(inertial, name);
        }
        if self.compiler.from_geoms == FromGeoms::Never {
            return Ok(MassProperties::NONE);
        }
        if let Some(Geom::Unread { kind, .. }) =
            parts.geoms.iter().find(|g| matches!(g, Geom::Unread { counts: true, .. }))
        {
            let message =
                format!("body “{name}” takes its mass from a {kind}, which is not read; give it an <inertial>");
            return Err(element.error(message));
        }
        let solids: Vec<MassProperties> = parts
            .geoms
            .iter()
            .filter_map(|geom| match geom {
                Geom::Solid { mass, .. } if mass.mass > 0.0 => Some(*mass),
                _ => None,
            })
            .collect();
        Ok(MassProperties::sum(&solids))
    }

    fn inertial(&mut self, element: &Element, name: &str) -> Result<MassProperties, Error> {
        let (center, rotation) = self.pose(element)?;
        let needed = |attribute: &str| element.error(format!("<inertial> of body “{name}” needs {attribute}"));
        let mass = element.find("mass").ok_or_else(|| needed("a mass"))?.number()?;
        if mass < 0.0 {
            return Err(element.error(format!("body “{name}” has a negative mass")));
        }
        let inertia = if let Some(attribute) = element.find("fullinertia") {
            let [xx, yy, zz, xy, xz, yz] = attribute.array()?;
            DMat3::from_cols_array_2d(&[[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        } else {
            let attribute = element.find("diaginertia").ok_or_else(|| needed("diaginertia or fullinertia"))?;
            DMat3::from_diagonal(attribute.vector()?)
        };
        if mass > 0.0 && !self.compiler.balances() {
            match tensor::check(inertia) {
                Err(error) => return Err(element.error(format!("body “{name}”: {error}"))),
                Ok(Realism::ForEffect) => {
                    self.ignored.push(format!("body “{name}” has an inertia no rigid body has; it is used as given"));
                }
                Ok(Realism::OfABody) => {}
            }
        }
        Ok(MassProperties { mass, center, inertia: tensor::rotated(inertia, rotation) })
    }
}

fn solids(geoms: &[Geom]) -> (Vec<muybridge::collision::shape::PlacedShape>, Vec<(DVec3, f64)>) {
    let (mut shapes, mut contacts) = (Vec::new(), Vec::new());
    for geom in geoms {
        if let Geom::Solid { placed, touches, .. } = geom {
            shapes.push(placed.clone());
            if *touches {
                contacts.extend(contact_points(placed));
            }
        }
    }
    (shapes, contacts)
}
