//! Ropes, flails, cloth and plants as particles and sticks.
//!
//! ```text
//! rope     n + 1 particles, n sticks
//! flail    a rope whose last particle is heavy and round
//! cloth    sticks along the edges of the mesh and across its cells; across two cells, soft, against folds
//! plant    a tower of triangles: three stalks braced against each other, so that bending stretches sticks
//! ```
//! Specification: mathematics 3.10 (J11, J14, R27).

use core::f64::consts::TAU;

use glam::DVec3;

use super::joints::hang;
use super::{Builder, Holder, Shown, Skin, fault, turn};
use crate::particles::objects::mesh;
use crate::particles::{Core, Distance, Point, Surface};
use crate::simulation::scene::slot::Part;
use crate::simulation::scene::{Cloth, End, Fault, Flail, Pin, Plant, Rope, Thing};

impl Builder<'_> {
    pub(super) fn soft(&mut self) -> Result<(), Fault> {
        let scene = self.scene;
        for (index, rope) in scene.ropes.iter().enumerate() {
            self.rope(index, rope)?;
        }
        for (index, flail) in scene.flails.iter().enumerate() {
            self.flail(index, flail)?;
        }
        for (index, cloth) in scene.cloths.iter().enumerate() {
            self.cloth(index, cloth)?;
        }
        scene.plants.iter().for_each(|plant| self.plant(plant));
        Ok(())
    }

    /// Particles from one place to another, sticks between them, capsules around those.
    fn chain(&mut self, [from, to]: [DVec3; 2], segments: u32, mass: f64, radius: f64) -> usize {
        let (first, object) = (self.built.model.positions.len(), self.built.model.objects.len());
        let (count, length) = (segments as usize + 1, from.distance(to) / f64::from(segments));
        for index in 0..count {
            let share = if index == 0 || index + 1 == count { 0.5 } else { 1.0 };
            let place = from + (to - from) * (index as f64 / f64::from(segments));
            self.particle(place, DVec3::ZERO, mass * share / f64::from(segments));
        }
        let model = &mut self.built.model;
        for a in first..first + count - 1 {
            model.distances.push(Distance::rigid([a, a + 1], length));
            let core = Core::Segment([Point::at(a), Point::at(a + 1)]);
            model.surfaces.push(Surface { core, radius, object, part: a - first });
        }
        first
    }

    fn hang<T: Thing>(&mut self, particle: usize, on: &Part, index: usize, key: &'static str) -> Result<(), Fault> {
        if on.is_none() {
            return Ok(());
        }
        let place = self.built.model.positions[particle];
        let point = self.point(on, place).map_err(|message| fault::<T>(index, key, message))?;
        self.built.model.attachments.push(hang(particle, point));
        Ok(())
    }

    fn rope(&mut self, index: usize, rope: &Rope) -> Result<(), Fault> {
        let first = self.chain([rope.from, rope.to], rope.segments, rope.mass, rope.radius);
        let last = first + rope.segments as usize;
        for (end, particle) in [(End::Start, first), (End::Finish, last)] {
            if rope.fixed.contains(&end) {
                self.built.model.masses[particle] = f64::INFINITY;
            }
        }
        if rope.stiffness > 0.0 {
            // A stick across two others, as stiff along itself as the rod is across one of them.
            let length = rope.from.distance(rope.to) / f64::from(rope.segments);
            let across = |a: usize| Distance {
                compliance: length * length * length / rope.stiffness,
                ..Distance::rigid([a, a + 2], 2.0 * length)
            };
            self.built.model.distances.extend((first..last.saturating_sub(1)).map(across));
        }
        self.hang::<Rope>(first, &rope.from_on, index, "from_on")?;
        self.hang::<Rope>(last, &rope.to_on, index, "to_on")?;
        let Rope { friction, restitution, drag, touches_itself, .. } = *rope;
        self.finish_chain(first, &rope.name, rope.radius, &Skin { friction, restitution, drag, touches_itself });
        Ok(())
    }

    fn flail(&mut self, index: usize, flail: &Flail) -> Result<(), Fault> {
        let object = self.built.model.objects.len();
        let first = self.chain([flail.from, flail.to], flail.segments, flail.mass, flail.radius);
        let last = first + flail.segments as usize;
        let model = &mut self.built.model;
        model.masses[last] += flail.ball_mass;
        let core = Core::Ball(Point::at(last));
        model.surfaces.push(Surface { core, radius: flail.ball_radius, object, part: flail.segments as usize });
        for particle in first..=last {
            model.velocities[particle] = flail.velocity * ((particle - first) as f64 / f64::from(flail.segments));
        }
        if flail.from_on.is_none() {
            model.masses[first] = f64::INFINITY;
        }
        self.hang::<Flail>(first, &flail.from_on, index, "from_on")?;
        let Flail { friction, restitution, drag, .. } = *flail;
        self.finish_chain(
            first,
            &flail.name,
            flail.radius,
            &Skin { friction, restitution, drag, touches_itself: false },
        );
        let (name, radius) = (flail.name.clone(), flail.ball_radius);
        self.built.shown.push(Shown::Ball { name, particle: last, radius });
        Ok(())
    }

    fn finish_chain(&mut self, first: usize, name: &str, radius: f64, skin: &Skin) {
        self.object(first, skin);
        let particles = first..self.built.model.positions.len();
        let segments = (1..particles.len()).map(|end| [end - 1, end]).collect();
        self.built.names.insert(name.into(), Holder::Particles(particles.clone()));
        self.built.shown.push(Shown::Lines { name: name.into(), particles, segments, radius });
    }

    fn cloth(&mut self, index: usize, cloth: &Cloth) -> Result<(), Fault> {
        let (points, triangles) = match cloth.mesh.is_empty() {
            true => sheet(cloth),
            false => {
                let missing = || fault::<Cloth>(index, "mesh", format!("“{}” has not been loaded", cloth.mesh));
                let mesh = self.assets.meshes.get(&cloth.mesh).ok_or_else(missing)?;
                (mesh.points.clone(), mesh.triangles.clone())
            }
        };
        mesh::check(&points, &triangles)
            .map_err(|error| fault::<Cloth>(index, "mesh", format!("is no cloth: {error}")))?;
        let (first, object, rotation) =
            (self.built.model.positions.len(), self.built.model.objects.len(), turn(cloth.rotation));
        let areas = mesh::areas(&points, &triangles);
        let area: f64 = areas.iter().sum();
        for (point, own) in points.iter().zip(&areas) {
            // A point of no triangle weighs as much as a thread would.
            let mass = cloth.mass * (own / area).max(1e-6);
            self.particle(cloth.position + rotation * *point, cloth.velocity, mass);
        }
        let model = &mut self.built.model;
        model.distances.extend(threads(cloth, &points, &triangles, first));
        let corner = |index: usize| Point::at(first + index);
        let surface = |(part, triangle): (usize, &[usize; 3])| Surface {
            core: Core::Triangle(triangle.map(corner)),
            radius: 0.5 * cloth.thickness,
            object,
            part,
        };
        model.surfaces.extend(triangles.iter().enumerate().map(surface));
        let Cloth { friction, drag, touches_itself, .. } = *cloth;
        self.object(first, &Skin { friction, restitution: 0.0, drag, touches_itself });
        let particles = first..self.built.model.positions.len();
        for particle in self.held(cloth, first) {
            match cloth.on.is_none() {
                true => self.built.model.masses[particle] = f64::INFINITY,
                false => self.hang::<Cloth>(particle, &cloth.on, index, "on")?,
            }
        }
        self.built.names.insert(cloth.name.clone(), Holder::Particles(particles.clone()));
        self.built.shown.push(Shown::Mesh { name: cloth.name.clone(), particles, triangles });
        Ok(())
    }

    /// Particles a cloth is held by, each once.
    fn held(&self, cloth: &Cloth, first: usize) -> Vec<usize> {
        let (columns, rows) = (cloth.columns as usize, cloth.rows as usize);
        let at = |column: usize, row: usize| first + row * (columns + 1) + column;
        let mut held: Vec<usize> = cloth
            .pins
            .iter()
            .flat_map(|pin| match pin {
                Pin::LeftBack => vec![at(0, 0)],
                Pin::RightBack => vec![at(columns, 0)],
                Pin::LeftFront => vec![at(0, rows)],
                Pin::RightFront => vec![at(columns, rows)],
                Pin::Left => (0..=rows).map(|row| at(0, row)).collect(),
                Pin::Right => (0..=rows).map(|row| at(columns, row)).collect(),
                Pin::Back => (0..=columns).map(|column| at(column, 0)).collect(),
                Pin::Front => (0..=columns).map(|column| at(column, rows)).collect(),
            })
            .collect();
        let particles = first..self.built.model.positions.len();
        held.extend(cloth.pin_points.iter().map(|&place| self.nearest(&particles, place)));
        held.sort_unstable();
        held.dedup();
        held
    }

    fn plant(&mut self, plant: &Plant) {
        let (first, object) = (self.built.model.positions.len(), self.built.model.objects.len());
        let mut wood = Wood { segments: Vec::new(), sticks: Vec::new() };
        let segments = plant.segments as usize;
        let total = plant.height + f64::from(plant.branches) * plant.branch;
        let per_metre = plant.mass / total;
        let rise = plant.height / f64::from(plant.segments);
        for level in 0..=segments {
            let share = level as f64 / segments as f64;
            let around = plant.radius * (2.0 - share);
            for corner in 0..3 {
                let (sine, cosine) = libm::sincos(TAU * corner as f64 / 3.0);
                let place = plant.position + DVec3::new(around * cosine, rise * level as f64, around * sine);
                let mass = if level == 0 { f64::INFINITY } else { per_metre * rise / 3.0 };
                self.particle(place, DVec3::ZERO, mass);
            }
            wood.level(first, level);
        }
        for branch in 0..plant.branches as usize {
            self.branch(plant, branch, first, &mut wood, per_metre);
        }
        let model = &mut self.built.model;
        for (ends, is_soft) in wood.sticks {
            let length = model.positions[ends[0]].distance(model.positions[ends[1]]);
            // A turn by θ lengthens a stalk by θ r: compliance of the turn times r².
            let compliance = if is_soft { plant.bend * plant.radius * plant.radius } else { 0.0 };
            model.distances.push(Distance { compliance, damping: 0.0, ..Distance::rigid(ends, length) });
        }
        // What stands in the ground does not touch it.
        for &[a, b] in wood.segments.iter().filter(|[a, _]| *a > 2) {
            let core = Core::Segment([Point::at(first + a), Point::at(first + b)]);
            model.surfaces.push(Surface { core, radius: 0.5 * plant.radius, object, part: 0 });
        }
        self.object(first, &Skin { friction: 0.5, restitution: 0.0, drag: plant.drag, touches_itself: false });
        let (name, particles) = (plant.name.clone(), first..self.built.model.positions.len());
        self.built.names.insert(name.clone(), Holder::Particles(particles.clone()));
        let (segments, radius) = (wood.segments, 0.5 * plant.radius);
        self.built.shown.push(Shown::Lines { name, particles, segments, radius });
    }

    /// A branch: two sticks outward, braced to the stalk, each the golden angle further around.
    fn branch(&mut self, plant: &Plant, branch: usize, first: usize, wood: &mut Wood, per_metre: f64) {
        const GOLDEN: f64 = 2.399_963_229_728_653;
        let share = (branch as f64 + 1.0) / (f64::from(plant.branches) + 1.0);
        let level = ((0.3 + 0.65 * share) * f64::from(plant.segments)) as usize;
        let level = level.clamp(1, plant.segments as usize - 1);
        let (sine, cosine) = libm::sincos(GOLDEN * branch as f64);
        let out = DVec3::new(cosine, 0.6, sine).normalize() * plant.branch * (1.0 - 0.5 * share);
        let ring: [usize; 3] = [0, 1, 2].map(|corner| first + 3 * level + corner);
        let middle = ring.iter().map(|&particle| self.built.model.positions[particle]).sum::<DVec3>() / 3.0;
        let mass = 0.5 * per_metre * plant.branch;
        let [near, tip] = [0.5, 1.0].map(|way| self.particle(middle + out * way, DVec3::ZERO, mass));
        let above = [0, 1, 2].map(|corner| first + 3 * (level + 1) + corner);
        wood.sticks.extend(ring.map(|corner| ([corner, near], true)));
        wood.sticks.extend([([above[0], near], true), ([near, tip], false)]);
        wood.sticks.extend([([ring[0], tip], true), ([ring[1], tip], true), ([ring[2], tip], true)]);
        wood.segments.extend([[3 * level, near - first], [near - first, tip - first]]);
    }
}

/// Sticks of a plant, and which of them are seen.
struct Wood {
    segments: Vec<[usize; 2]>,
    /// Ends, and whether they give.
    sticks: Vec<([usize; 2], bool)>,
}

impl Wood {
    /// A ring, and what ties it to the one below.
    fn level(&mut self, first: usize, level: usize) {
        let at = |level: usize, corner: usize| first + 3 * level + corner % 3;
        for corner in 0..3 {
            self.sticks.push(([at(level, corner), at(level, corner + 1)], false));
            if level > 0 {
                self.sticks.push(([at(level - 1, corner), at(level, corner)], true));
                self.sticks.push(([at(level - 1, corner), at(level, corner + 1)], true));
                self.segments.push([3 * (level - 1) + corner, 3 * level + corner]);
            }
        }
    }
}

/// A grid in the plane y = 0 with diagonals that alternate, row by row along x.
fn sheet(cloth: &Cloth) -> (Vec<DVec3>, Vec<[usize; 3]>) {
    let (columns, rows) = (cloth.columns as usize, cloth.rows as usize);
    let place = |index: usize| {
        let (column, row) = (index % (columns + 1), index / (columns + 1));
        let (x, z) = (column as f64 / columns as f64 - 0.5, row as f64 / rows as f64 - 0.5);
        DVec3::new(x * cloth.width, 0.0, z * cloth.depth)
    };
    let points = (0..(columns + 1) * (rows + 1)).map(place).collect();
    let mut triangles = Vec::with_capacity(2 * columns * rows);
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let a = row * (columns + 1) + column;
        let (b, c, d) = (a + 1, a + columns + 1, a + columns + 2);
        let cell = if (row + column) % 2 == 0 { [[a, c, b], [b, c, d]] } else { [[a, c, d], [a, d, b]] };
        triangles.extend(cell);
    }
    (points, triangles)
}

/// Sticks along the edges, across the cells, and, if folds are resisted, across two cells.
fn threads(cloth: &Cloth, points: &[DVec3], triangles: &[[usize; 3]], first: usize) -> Vec<Distance> {
    let stick = |ends: [usize; 2], compliance: f64| Distance {
        compliance,
        ..Distance::rigid(ends.map(|end| first + end), points[ends[0]].distance(points[ends[1]]))
    };
    let mut sticks = Vec::new();
    for edge in mesh::edges(triangles) {
        sticks.push(stick(edge.ends, cloth.stretch));
        let Some(wings) = edge.wings() else { continue };
        if edge.is_diagonal(points) {
            sticks.push(stick(wings, cloth.stretch));
        } else if let Some(bend) = cloth.bend {
            sticks.push(stick(wings, bend));
        }
    }
    sticks
}
