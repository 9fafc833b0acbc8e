//! Builds the ropes, flails, cloth and plants of a scene as [`objects`], with their attachments.

use glam::DVec3;

use super::joints::hang;
use super::{Builder, Holder, Sail, Shown, fault, nearest_point, own_passes, turn};
use crate::particles::objects::{self, Bending, Grid, ObjectError, ObjectRange, Traits};
use crate::simulation::scene::slot::PartPath;
use crate::simulation::scene::{Cloth, End, Flail, Pin, Plant, Rope, SceneError, Thing};

impl Builder<'_> {
    pub(super) fn soft(&mut self) -> Result<(), SceneError> {
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
        for (index, plant) in scene.plants.iter().enumerate() {
            self.plant(index, plant)?;
        }
        Ok(())
    }

    fn hang<T: Thing>(
        &mut self,
        particle: usize,
        on: &PartPath,
        index: usize,
        key: &'static str,
    ) -> Result<(), SceneError> {
        if on.is_none() {
            return Ok(());
        }
        let place = self.built.model.positions[particle];
        let point = self.point(on, place).map_err(|message| fault::<T>(index, key, message))?;
        self.built.model.attachments.push(hang(particle, point));
        Ok(())
    }

    fn rope(&mut self, index: usize, rope: &Rope) -> Result<(), SceneError> {
        let Rope { radius, friction, restitution, damping: drag, self_collision: touches_itself, .. } = *rope;
        let traits = Traits { friction, restitution, drag, touches_itself, ..Traits::default() };
        let made = objects::Rope {
            segments: rope.segments as usize,
            mass: rope.mass,
            radius,
            fixed: [End::Start, End::Finish].map(|end| rope.fixed.contains(&end)),
            stiffness: rope.stiffness,
            traits,
            ..objects::Rope::new(rope.from, rope.to)
        };
        let built = made.add_to(&mut self.built.model).map_err(|error| unmade::<Rope>(index, "from", &error))?;
        self.hang::<Rope>(built.particles.start, &rope.from_attached_to, index, "from_attached_to")?;
        self.hang::<Rope>(built.particles.end - 1, &rope.to_attached_to, index, "to_attached_to")?;
        self.show_lines(&rope.name, &built, chain(&built), radius);
        Ok(())
    }

    fn flail(&mut self, index: usize, flail: &Flail) -> Result<(), SceneError> {
        let Flail { radius, friction, restitution, damping: drag, ball_mass, ball_radius, .. } = *flail;
        let traits = Traits { friction, restitution, drag, ..Traits::default() };
        let chain_of_it = objects::Rope {
            velocities: [DVec3::ZERO, flail.velocity],
            segments: flail.segments as usize,
            mass: flail.mass,
            radius,
            fixed: [flail.from_attached_to.is_none(), false],
            traits,
            ..objects::Rope::new(flail.from, flail.to)
        };
        let made = objects::Flail { chain: chain_of_it, ball_mass, ball_radius };
        let built = made.add_to(&mut self.built.model).map_err(|error| unmade::<Flail>(index, "from", &error))?;
        self.hang::<Flail>(built.particles.start, &flail.from_attached_to, index, "from_attached_to")?;
        self.show_lines(&flail.name, &built, chain(&built), radius);
        let (name, particle) = (flail.name.clone(), built.particles.end - 1);
        self.built.shown.push(Shown::Ball { name, particle, radius: ball_radius });
        Ok(())
    }

    fn cloth(&mut self, index: usize, cloth: &Cloth) -> Result<(), SceneError> {
        let (points, triangles) = self.mesh(index, cloth)?;
        let held = held(cloth, &points);
        let (pinned, hung) = if cloth.attached_to.is_none() { (held, Vec::new()) } else { (Vec::new(), held) };
        let Cloth { friction, damping: drag, self_collision: touches_itself, .. } = *cloth;
        let made = objects::Cloth {
            pinned,
            hung,
            mass: cloth.mass,
            mass_by_area: true,
            thickness: cloth.thickness,
            stretch: cloth.stretch_compliance,
            shear: cloth.stretch_compliance,
            bending: cloth.bend_compliance.map_or(Bending::Free, Bending::Sticks),
            velocity: cloth.velocity,
            traits: Traits {
                friction,
                drag,
                touches_itself,
                iterations: own_passes(cloth.iterations),
                ..Traits::default()
            },
            ..objects::Cloth::new(points, triangles)
        };
        let distances = self.built.model.distances.len();
        let built = made.add_to(&mut self.built.model).map_err(|error| unmade::<Cloth>(index, "mesh", &error))?;
        self.share(distances, cloth.share);
        let first = built.particles.start;
        for &point in &made.hung {
            self.hang::<Cloth>(first + point, &cloth.attached_to, index, "attached_to")?;
        }
        self.sails(cloth, &made, first);
        self.built.names.insert(cloth.name.clone(), Holder::Particles(built.particles.clone()));
        let (name, particles) = (cloth.name.clone(), built.particles);
        self.built.shown.push(Shown::Mesh { name, particles, triangles: made.triangles });
        Ok(())
    }

    /// Adds the triangles of a cloth to those that wind presses on.
    fn sails(&mut self, cloth: &Cloth, made: &objects::Cloth, first: usize) {
        let area = |&[a, b, c]: &[usize; 3]| {
            let [a, b, c] = [a, b, c].map(|corner| made.points[corner]);
            (b - a).cross(c - a).length()
        };
        let total: f64 = made.triangles.iter().map(area).sum();
        let sail = |triangle: &[usize; 3]| Sail {
            corners: triangle.map(|corner| first + corner),
            mass: cloth.mass * area(triangle) / total,
            drag: cloth.air_drag,
            lift: cloth.air_lift,
        };
        self.built.sails.extend(made.triangles.iter().filter(|triangle| area(triangle) > 0.0).map(sail));
    }

    /// Points and triangles of a cloth in the world.
    fn mesh(&self, index: usize, cloth: &Cloth) -> Result<(Vec<DVec3>, Vec<[usize; 3]>), SceneError> {
        let (position, rotation) = (cloth.position, turn(cloth.rotation));
        if cloth.mesh.is_empty() {
            return Grid { position, rotation, ..grid(cloth) }
                .mesh()
                .map_err(|error| unmade::<Cloth>(index, "width", &error));
        }
        let missing = || fault::<Cloth>(index, "mesh", format!("names “{}”, which has not been loaded", cloth.mesh));
        let mesh = self.assets.meshes.get(&cloth.mesh).ok_or_else(missing)?;
        Ok((mesh.points.iter().map(|&point| position + rotation * point).collect(), mesh.triangles.clone()))
    }

    fn plant(&mut self, index: usize, plant: &Plant) -> Result<(), SceneError> {
        let mut made = objects::Plant {
            height: plant.height,
            segments: plant.segments as usize,
            branches: plant.branches as usize,
            branch: plant.branch,
            mass: plant.mass,
            radius: plant.radius,
            support: plant.support as usize,
            ..objects::Plant::new(plant.position)
        };
        made.softness = made.softness_of(plant.bend_compliance);
        (made.traits.drag, made.traits.iterations) = (plant.damping, own_passes(plant.iterations));
        let distances = self.built.model.distances.len();
        let built = made.add_to(&mut self.built.model).map_err(|error| unmade::<Plant>(index, "height", &error))?;
        self.share(distances, plant.share);
        self.show_lines(&plant.name, &built, made.lines(), 0.75 * plant.radius);
        Ok(())
    }

    /// Sets the share of their error that a pass removes from the rigid sticks from the distance `first` on.
    fn share(&mut self, first: usize, share: f64) {
        let all = self.built.model.distances[first..].iter_mut();
        let sticks = all.filter(|distance| distance.is_bilateral() && distance.compliance == 0.0);
        sticks.for_each(|stick| stick.share = share);
    }

    /// Registers the name of a thing of lines and draws it.
    fn show_lines(&mut self, name: &str, built: &ObjectRange, segments: Vec<[usize; 2]>, radius: f64) {
        let (name, particles) = (name.to_owned(), built.particles.clone());
        self.built.names.insert(name.clone(), Holder::Particles(particles.clone()));
        self.built.shown.push(Shown::Lines { name, particles, segments, radius });
    }
}

/// Converts an object error to an error of the thing.
fn unmade<T: Thing>(index: usize, key: &'static str, error: &ObjectError) -> SceneError {
    fault::<T>(index, key, format!("gives no valid {}: {error}", T::KIND))
}

/// Segments from each particle to the next.
fn chain(built: &ObjectRange) -> Vec<[usize; 2]> {
    (1..built.particles.len()).map(|end| [end - 1, end]).collect()
}

/// The grid of a cloth, about the origin.
fn grid(cloth: &Cloth) -> Grid {
    let cells = [cloth.columns as usize, cloth.rows as usize];
    Grid { cells, shape: cloth.cells, size: [cloth.width, cloth.depth], ..Grid::square(1, 1.0) }
}

/// Indices of the points that hold a cloth, each once.
fn held(cloth: &Cloth, points: &[DVec3]) -> Vec<usize> {
    let (grid, rows) = (grid(cloth), cloth.rows as usize);
    let at = |column: usize, row: usize| grid.point(column, row);
    let last = |row: usize| grid.point(grid.columns(row), row);
    let of_pin = |pin: &Pin| match pin {
        Pin::LeftBack => vec![at(0, 0)],
        Pin::RightBack => vec![last(0)],
        Pin::LeftFront => vec![at(0, rows)],
        Pin::RightFront => vec![last(rows)],
        Pin::Left => (0..=rows).map(|row| at(0, row)).collect(),
        Pin::Right => (0..=rows).map(last).collect(),
        Pin::Back => (at(0, 0)..=last(0)).collect(),
        Pin::Front => (at(0, rows)..=last(rows)).collect(),
    };
    let mut held: Vec<usize> = cloth.pins.iter().flat_map(of_pin).collect();
    held.extend(cloth.pin_points.iter().filter_map(|&place| nearest_point(points, place)));
    held.sort_unstable();
    held.dedup();
    held
}
