//! Points, sticks and triangles made by hand.

use glam::DVec3;

use super::{Builder, Holder, Shown, own_passes};
use crate::particles::frame::TriangleFrame;
use crate::particles::objects::{Traits, particle};
use crate::particles::{Angle, Core, Distance, Orientation, Plane, Point, Surface};
use crate::simulation::scene::{Limit, LimitKind, Points};

impl Builder<'_> {
    pub(super) fn points(&mut self) {
        let scene = self.scene;
        let firsts: Vec<usize> = scene.points.iter().map(|points| self.by_hand(points)).collect();
        for limit in &scene.limits {
            let of = scene.points.iter().zip(&firsts).find(|(points, _)| points.name == limit.of.0);
            let Some((points, &first)) = of else { continue };
            let (model, compliance, share) = (&mut self.built.model, limit.compliance, limit.share);
            let mut named = limit.points.iter().map(|&index| first + index as usize);
            match limit.kind {
                LimitKind::Triangles => model.orientations.push(orientation(limit, &model.positions, (points, first))),
                LimitKind::Angle => {
                    let particles = core::array::from_fn(|_| named.next().unwrap_or(first));
                    model.angles.push(Angle { particles, range: limit.angle_limits, compliance, share });
                }
                LimitKind::Plane => {
                    let (normal, offset, both_sides) = (limit.normal.normalize(), limit.offset, limit.both_sides);
                    model.planes.extend(named.map(|particle| Plane { particle, normal, offset, both_sides }));
                }
            }
        }
    }

    /// Adds the points and returns the first particle.
    fn by_hand(&mut self, points: &Points) -> usize {
        let (first, object) = (self.built.model.positions.len(), self.built.model.objects.len());
        for (index, &position) in points.positions.iter().enumerate() {
            let mass = points.masses[if points.masses.len() == 1 { 0 } else { index }];
            let mass = if points.fixed.contains(&(index as u32)) { f64::INFINITY } else { mass };
            let velocity = points.velocities.get(index).copied().unwrap_or(DVec3::ZERO);
            particle(&mut self.built.model, position, velocity, mass);
        }
        let at = |index: u32| first + index as usize;
        let length = |[a, b]: [u32; 2]| points.positions[a as usize].distance(points.positions[b as usize]);
        let distance = |pair: [u32; 2], slack: f64| Distance {
            least: slack * length(pair),
            compliance: points.compliance,
            share: points.share,
            ..Distance::rigid(pair.map(at), length(pair))
        };
        let sticks = all_sticks(points);
        let model = &mut self.built.model;
        model.distances.extend(sticks.iter().map(|&pair| distance(pair, 1.0)));
        model.distances.extend(points.strings.iter().map(|&pair| distance(pair, points.slack)));
        let one = points.apart_shares.first().unwrap_or(&1.0);
        let shares = points.apart_shares.iter().chain(core::iter::repeat(one));
        model.distances.extend(points.apart.iter().zip(shares).map(|(&pair, share)| Distance {
            least: share * length(pair),
            most: f64::INFINITY,
            ..distance(pair, 0.0)
        }));
        let corner = |index: u32| Point::at(at(index));
        let segments: Vec<[u32; 2]> = points.sticks.iter().chain(&points.strings).copied().collect();
        let mut cores: Vec<Core> = segments.iter().map(|pair| Core::Segment(pair.map(corner))).collect();
        cores.extend(points.triangles.iter().map(|triple| Core::Triangle(triple.map(corner))));
        if cores.is_empty() {
            cores.extend((0..points.positions.len()).map(|index| Core::Ball(Point::at(first + index))));
        }
        let surface = |(part, core)| Surface { core, radius: points.radius, object, part };
        model.surfaces.extend(cores.into_iter().enumerate().map(surface));
        let Points { friction, restitution, damping: drag, self_collision: touches_itself, .. } = *points;
        let iterations = own_passes(points.iterations);
        Traits { friction, restitution, drag, touches_itself, iterations, ..Traits::default() }.close(model, first);
        self.show(points, first, &segments);
        first
    }

    fn show(&mut self, points: &Points, first: usize, segments: &[[u32; 2]]) {
        let particles = first..self.built.model.positions.len();
        let name = points.name.clone();
        self.built.names.insert(name.clone(), Holder::Particles(particles.clone()));
        let local = |index: u32| index as usize;
        if !points.triangles.is_empty() {
            let triangles = points.triangles.iter().map(|triple| triple.map(local)).collect();
            self.built.shown.push(Shown::Mesh { name: name.clone(), particles: particles.clone(), triangles });
        }
        if !segments.is_empty() {
            let segments = segments.iter().map(|pair| pair.map(local)).collect();
            self.built.shown.push(Shown::Lines { name, particles, segments, radius: points.radius });
        } else if points.triangles.is_empty() {
            let ball = |particle| Shown::Ball { name: name.clone(), particle, radius: points.radius };
            self.built.shown.extend(particles.map(ball));
        }
    }
}

/// Limit of two triangles of points, of which `first` is the first particle.
fn orientation(limit: &Limit, positions: &[DVec3], (points, first): (&Points, usize)) -> Orientation {
    let corners = |triangle: u32| points.triangles[triangle as usize].map(|corner| first + corner as usize);
    let (a, b) = (corners(limit.first), corners(limit.second));
    let frame = |corners: [usize; 3]| TriangleFrame::at(corners.map(|corner| positions[corner])).rotation();
    let middle = (frame(b).conjugate() * frame(a)).normalize();
    let Limit { max_angle: most, compliance, share, friction, stick, .. } = *limit;
    Orientation { first: a, second: b, middle, most, compliance, share, friction, stick }
}

/// Sticks, and the sides of triangles that are not already sticks or strings.
fn all_sticks(points: &Points) -> Vec<[u32; 2]> {
    let ordered = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
    let sides = points.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut known: std::collections::BTreeSet<[u32; 2]> =
        points.sticks.iter().chain(&points.strings).map(|&pair| ordered(pair)).collect();
    let new = sides.filter(|&side| known.insert(ordered(side)));
    points.sticks.iter().copied().chain(new.collect::<Vec<_>>()).collect()
}
