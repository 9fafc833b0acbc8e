//! Validation of a model: checks every index and number once, and says which is wrong.

use core::fmt::Display;

use glam::{DMat3, DVec3};

use super::model::{Anchor, Core, Model};
use super::point::{Direction, Point};

/// Error in a model. Reads: `distance 3 names particle 17, but the model has 12 particles, counted from 0`.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{list} {index} {problem}")]
pub struct ModelError {
    /// Name of the list, in the singular: `distance`, `tetrahedron`, `object` …
    pub list: &'static str,
    /// Index of the entry in the list.
    pub index: usize,
    /// Description of the error, in words that follow list and index.
    pub problem: String,
}

/// Tolerance of weight sums: 1 for a point, 0 for a direction.
const WEIGHT_ERROR: f64 = 1e-6;

/// Tolerance of the axes of a solid's frame at the start.
const AXIS_ERROR: f64 = 1e-3;

/// Checks everything a world relies on.
pub(crate) fn check(model: &Model) -> Result<(), ModelError> {
    particles(model)?;
    linear(model)?;
    angular(model)?;
    rest(model)
}

/// An entry of a list under check.
#[derive(Clone, Copy)]
struct Entry {
    list: &'static str,
    index: usize,
    particles: usize,
}

impl Entry {
    fn wrong<T>(self, problem: impl Display) -> Result<T, ModelError> {
        Err(ModelError { list: self.list, index: self.index, problem: problem.to_string() })
    }

    fn names(self, particles: &[usize]) -> Result<(), ModelError> {
        match particles.iter().find(|&&particle| particle >= self.particles) {
            Some(particle) => self.wrong(format_args!(
                "names particle {particle}, but the model has {} particles, counted from 0",
                self.particles
            )),
            None => Ok(()),
        }
    }

    fn distinct(self, particles: &[usize]) -> Result<(), ModelError> {
        self.names(particles)?;
        for (place, particle) in particles.iter().enumerate() {
            if particles[..place].contains(particle) {
                return self.wrong(format_args!("names particle {particle} twice; its particles must differ"));
            }
        }
        Ok(())
    }

    /// Checks a solid's index, and that one rigid body carries its frame.
    fn solid(self, solid: usize, frame: &[Point; 4], model: &Model) -> Result<(), ModelError> {
        let count = model.solids.len();
        if solid >= count {
            return self.wrong(format_args!("names solid {solid}, but the model has {count} solids, counted from 0"));
        }
        let particles = frame[0].particles;
        if !model.tetrahedra.iter().any(|body| body.particles == particles)
            || frame.iter().any(|point| point.particles != particles)
        {
            return self.wrong("has a frame that no rigid body carries; name its four particles in their order");
        }
        let [origin, x, y, z] = frame.map(|point| point.position(&model.positions));
        let axes = DMat3::from_cols(x - origin, y - origin, z - origin);
        let error = axes.transpose() * axes - DMat3::IDENTITY;
        if !(error.to_cols_array().iter().all(|error| error.abs() < AXIS_ERROR) && axes.determinant() > 0.0) {
            return self.wrong("has a frame whose axes are not right-handed unit vectors at right angles");
        }
        Ok(())
    }

    fn finite(self, name: &str, value: f64) -> Result<(), ModelError> {
        if value.is_finite() {
            Ok(())
        } else {
            self.wrong(format_args!("has {name} {value}; it must be a finite number"))
        }
    }

    fn vector(self, name: &str, value: DVec3) -> Result<(), ModelError> {
        if value.is_finite() {
            Ok(())
        } else {
            self.wrong(format_args!("has {name} {value}; its components must be finite numbers"))
        }
    }

    fn at_least_zero(self, name: &str, value: f64) -> Result<(), ModelError> {
        self.finite(name, value)?;
        if value >= 0.0 { Ok(()) } else { self.wrong(format_args!("has {name} {value}; it must be 0 or more")) }
    }

    fn share(self, name: &str, value: f64) -> Result<(), ModelError> {
        let inside = (0.0..=1.0).contains(&value);
        if inside { Ok(()) } else { self.wrong(format_args!("has {name} {value}; it must be from 0 to 1")) }
    }

    fn range(self, name: &str, range: [f64; 2]) -> Result<(), ModelError> {
        self.finite(name, range[0])?;
        self.finite(name, range[1])?;
        let ordered = range[0] <= range[1];
        let [least, most] = range;
        if ordered {
            Ok(())
        } else {
            self.wrong(format_args!("has {name} from {least} to {most}; the lower limit must not exceed the upper"))
        }
    }

    fn point(self, point: &Point) -> Result<(), ModelError> {
        self.weights("a point", &point.particles, &point.weights, 1.0)
    }

    fn direction(self, direction: &Direction) -> Result<(), ModelError> {
        self.weights("a direction", &direction.particles, &direction.weights, 0.0)
    }

    fn weights(self, what: &str, particles: &[usize; 4], weights: &[f64; 4], sum: f64) -> Result<(), ModelError> {
        self.names(particles)?;
        let total: f64 = weights.iter().sum();
        let near = (total - sum).abs() <= WEIGHT_ERROR * weights.iter().fold(1.0, |size, w| size + w.abs());
        if near {
            Ok(())
        } else {
            self.wrong(format_args!("has {what} whose weights add up to {total}; they must add up to {sum}"))
        }
    }
}

fn entries<'a, T>(
    list: &'static str,
    items: &'a [T],
    model: &Model,
) -> impl Iterator<Item = (Entry, &'a T)> + use<'a, T> {
    let particles = model.positions.len();
    items.iter().enumerate().map(move |(index, item)| (Entry { list, index, particles }, item))
}

fn particles(model: &Model) -> Result<(), ModelError> {
    let count = model.positions.len();
    let lists = [("velocities", model.velocities.len()), ("masses", model.masses.len())];
    for (name, length) in lists {
        if length != count {
            let problem = format!("has {count} positions, but {length} {name}; give one for each particle");
            return Err(ModelError { list: "model", index: 0, problem });
        }
    }
    for (entry, &position) in entries("particle", &model.positions, model) {
        entry.vector("position", position)?;
        entry.vector("velocity", model.velocities[entry.index])?;
        let mass = model.masses[entry.index];
        if mass.is_nan() || mass <= 0.0 {
            return entry.wrong(format_args!(
                "has mass {mass} kg; give a positive mass, or infinity for a particle that nothing moves"
            ));
        }
    }
    Ok(())
}

fn linear(model: &Model) -> Result<(), ModelError> {
    for (entry, distance) in entries("distance", &model.distances, model) {
        entry.distinct(&distance.particles)?;
        entry.at_least_zero("least length", distance.least)?;
        if distance.most.is_nan() || distance.most < distance.least {
            let (least, most) = (distance.least, distance.most);
            return entry
                .wrong(format_args!("has lengths from {least} to {most}; the least must not exceed the greatest"));
        }
        entry.at_least_zero("compliance", distance.compliance)?;
        entry.at_least_zero("damping", distance.damping)?;
        entry.share("share", distance.share)?;
    }
    for (entry, tetrahedron) in entries("tetrahedron", &model.tetrahedra, model) {
        entry.distinct(&tetrahedron.particles)?;
        for corner in tetrahedron.rest {
            entry.vector("corner", corner)?;
        }
        let [a, b, c] = [1, 2, 3].map(|corner| tetrahedron.rest[corner] - tetrahedron.rest[0]);
        let size = a.length() * b.length() * c.length();
        if a.dot(b.cross(c)).abs() <= 1e-12 * size || size == 0.0 {
            return entry.wrong("has its four corners in one plane; a tetrahedron needs a volume");
        }
    }
    for (entry, attachment) in entries("attachment", &model.attachments, model) {
        entry.point(&attachment.a)?;
        match &attachment.b {
            Anchor::Point(point) => entry.point(point)?,
            Anchor::Place(place) => entry.vector("place", *place)?,
        }
        entry.at_least_zero("compliance", attachment.compliance)?;
    }
    Ok(())
}

fn angular(model: &Model) -> Result<(), ModelError> {
    for (entry, limit) in entries("swing-twist", &model.swing_twists, model) {
        entry.at_least_zero("friction", limit.friction)?;
        limit.a.iter().chain(&limit.b).try_for_each(|axis| entry.direction(axis))?;
        entry.at_least_zero("swing", limit.swing[0])?;
        entry.at_least_zero("swing", limit.swing[1])?;
        entry.range("twist", limit.twist)?;
        entry.at_least_zero("compliance", limit.compliance)?;
    }
    for (entry, drive) in entries("drive", &model.drives, model) {
        drive.a.iter().chain(&drive.b).try_for_each(|axis| entry.direction(axis))?;
        entry.at_least_zero("frequency", drive.frequency)?;
        entry.at_least_zero("damping ratio", drive.damping_ratio)?;
        if drive.most.is_nan() || drive.most < 0.0 {
            return entry
                .wrong("has a greatest moment that is negative or not a number; give 0 or more, in newton meters");
        }
    }
    for (entry, limit) in entries("hinge", &model.hinges, model) {
        entry.at_least_zero("friction", limit.friction)?;
        limit.a.iter().chain(&limit.b).try_for_each(|axis| entry.direction(axis))?;
        entry.range("angles", limit.range)?;
        entry.at_least_zero("compliance", limit.compliance)?;
    }
    for (entry, limit) in entries("orientation", &model.orientations, model) {
        entry.distinct(&limit.first)?;
        entry.distinct(&limit.second)?;
        if !limit.middle.is_finite() || (limit.middle.length() - 1.0).abs() > WEIGHT_ERROR {
            return entry.wrong("has a middle orientation that is not a unit quaternion; normalize it");
        }
        let numbers = [
            ("greatest angle", limit.most),
            ("compliance", limit.compliance),
            ("friction", limit.friction),
            ("stick", limit.stick),
        ];
        numbers.into_iter().try_for_each(|(name, value)| entry.at_least_zero(name, value))?;
        entry.share("share", limit.share)?;
    }
    for (entry, angle) in entries("angle", &model.angles, model) {
        entry.distinct(&angle.particles)?;
        entry.range("angles", angle.range)?;
        entry.at_least_zero("compliance", angle.compliance)?;
        entry.share("share", angle.share)?;
    }
    for (entry, bend) in entries("bend", &model.bends, model) {
        entry.distinct(&bend.particles)?;
        entry.finite("angle at rest", bend.rest)?;
        entry.at_least_zero("compliance", bend.compliance)?;
    }
    Ok(())
}

/// Checks that proxies are the first bodies, of the first particles.
fn proxies(model: &Model) -> Result<(), ModelError> {
    for (index, _) in model.proxies.iter().enumerate() {
        let own = [0, 1, 2, 3].map(|corner| 4 * index + corner);
        if model.tetrahedra.get(index).is_none_or(|body| body.particles != own) {
            let problem =
                "is no body of the model; proxies are the first tetrahedra, of the first particles".to_owned();
            return Err(ModelError { list: "proxy", index, problem });
        }
    }
    Ok(())
}

fn rest(model: &Model) -> Result<(), ModelError> {
    for (entry, volume) in entries("volume", &model.volumes, model) {
        entry.distinct(&volume.particles)?;
        entry.finite("volume at rest", volume.rest)?;
        entry.at_least_zero("compliance", volume.compliance)?;
    }
    for (entry, plane) in entries("plane", &model.planes, model) {
        entry.names(&[plane.particle])?;
        entry.finite("offset", plane.offset)?;
        if !plane.normal.is_finite() || (plane.normal.length() - 1.0).abs() > WEIGHT_ERROR {
            return entry.wrong(format_args!("has normal {}; it must be a unit vector", plane.normal));
        }
    }
    objects(model)?;
    proxies(model)?;
    for (entry, surface) in entries("surface", &model.surfaces, model) {
        entry.at_least_zero("radius", surface.radius)?;
        if surface.object >= model.objects.len() {
            return entry.wrong(format_args!(
                "names object {}, but the model has {} objects, counted from 0",
                surface.object,
                model.objects.len()
            ));
        }
        surface.core.points().iter().try_for_each(|point| entry.point(point))?;
        if let Core::Solid { solid, frame } = &surface.core {
            entry.solid(*solid, frame, model)?;
        }
    }
    for (entry, solid) in entries("solid", &model.solids, model) {
        solid.shape().or_else(|error| entry.wrong(format_args!("has no shape: {error}")))?;
    }
    Ok(())
}

fn objects(model: &Model) -> Result<(), ModelError> {
    let mut end = 0;
    for (entry, object) in entries("object", &model.objects, model) {
        let range = &object.particles;
        if range.start > range.end || range.end > entry.particles {
            let (from, to, count) = (range.start, range.end, entry.particles);
            return entry
                .wrong(format_args!("has the particle range {from} to {to}, but the model has {count} particles"));
        }
        if range.start < end {
            return entry.wrong(format_args!(
                "starts at particle {}, which belongs to the object before it; objects must not overlap",
                range.start
            ));
        }
        end = range.end;
        entry.at_least_zero("friction", object.friction)?;
        entry.at_least_zero("rolling resistance", object.rolling)?;
        entry.share("restitution", object.restitution)?;
        entry.at_least_zero("drag", object.drag)?;
    }
    Ok(())
}
