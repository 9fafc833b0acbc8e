//! Drawing and measuring a world of particles.

use glam::{DQuat, DVec3};

use super::World;
use crate::behavior::action::ActionLogEntry;
use crate::behavior::drive::Led;
use crate::character::Character;
use crate::collision::shape::Shape;
use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;
use crate::motion::Clip;
use crate::particles::axes::Axes;
use crate::particles::swing_twist::{AngleRange, Cone};
use crate::particles::{Direction, Model, Point};
use crate::simulation::actions::{InputTarget, target};
use crate::simulation::backend::Backend;
use crate::simulation::build::{Actor, Holder, ParticleSceneBody, Shown};
use crate::simulation::direction;
use crate::simulation::following::Herded;
use crate::simulation::herds::Running;
use crate::simulation::obstacles::PlacedObstacle;
use crate::simulation::recorder::{Observe, Touched, centered, force_of};
use crate::simulation::recording::{Drawn, ExternalForce, Measures, Track};
use crate::simulation::scene::{Drag, Hit, Scene};
use crate::simulation::sums::Sums;
use crate::simulation::warnings::{WarningKind, Watch};

impl Observe for World {
    fn scene(&self) -> &Scene {
        &self.scene
    }

    fn time(&self) -> f64 {
        World::time(self)
    }

    fn obstacles(&self) -> &[PlacedObstacle] {
        &self.obstacles
    }

    fn cast(&self) -> Vec<(&str, &Character)> {
        let alone = self.order.iter().map(|&actor| (self.actors[actor].name.as_str(), &self.actors[actor].character));
        alone.chain(self.herds.iter().flat_map(Running::cast)).collect()
    }

    fn write_pose(&self, index: usize, clip: &mut Clip, frame: usize) -> f64 {
        let Some(mut member) = index.checked_sub(self.actors.len()) else {
            return self.actors[self.order[index]].ragdoll.write_frame(&self.particles.state.positions, clip, frame);
        };
        for running in &self.herds {
            match member.checked_sub(running.slots.len()) {
                Some(rest) => member = rest,
                None => return running.write_pose(member, clip, frame),
            }
        }
        0.0
    }

    fn tracks(&self) -> Vec<Track> {
        self.solids.iter().map(solid).chain(self.shown.iter().map(shown)).collect()
    }

    fn pose(&self, tracks: &mut [Track]) {
        let positions = &self.particles.state.positions;
        let (solids, rest) = tracks.split_at_mut(self.solids.len());
        for (track, solid) in solids.iter_mut().zip(&self.solids) {
            track.note(solid.body.frame(&[0, 1, 2, 3].map(|k| positions[solid.first + k])));
        }
        for (track, shown) in rest.iter_mut().zip(&self.shown) {
            match (&mut track.drawn, shown) {
                (Drawn::Lines { points, .. }, Shown::Lines { particles, .. })
                | (Drawn::Mesh { points, .. }, Shown::Mesh { particles, .. }) => {
                    points.push(positions[particles.clone()].to_vec());
                }
                (Drawn::Body { poses, .. }, Shown::Ball { particle, .. }) => {
                    poses.push((positions[*particle], DQuat::IDENTITY));
                }
                _ => {}
            }
        }
    }

    fn measures(&self) -> Measures {
        let work = self.particles.report().into();
        let (mut measures, mut sums) = (Measures { work, ..Measures::default() }, Sums::default());
        let [count, asleep] = self.measure(&mut measures, &mut sums);
        sums.tell(&mut measures);
        measures.asleep = asleep as f64 / count.max(1) as f64;
        measures
    }

    fn errors(&self, watch: &mut Watch, time: f64) {
        let (model, positions) = (self.particles.model(), &self.particles.state.positions);
        let mut note = |kind: WarningKind, particle: usize, value: f64| {
            watch.note((kind, value), time, || self.part_of(particle));
        };
        for distance in model.distances.iter().filter(|distance| distance.compliance == 0.0) {
            note(WarningKind::Stretch, distance.particles[0], distance.relative_error(positions));
        }
        for body in model.tetrahedra.iter().filter(|body| body.particles[0] >= model.proxy_particles()) {
            note(WarningKind::Stretch, body.particles[0], body.deformation(positions));
        }
        for joint in model.attachments.iter().filter(|joint| joint.compliance == 0.0) {
            note(WarningKind::Gap, joint.a.particles[0], joint.gap(positions).length());
        }
        self.excesses().for_each(|(particle, excess)| note(WarningKind::Limit, particle, excess));
        self.particles.overlaps().for_each(|(particle, depth)| note(WarningKind::Penetration, particle, depth));
        for (running, said) in self.herds.iter().zip(&self.scene.herds) {
            let (mut own, mut sums) = (Measures::default(), Sums::default());
            running.measure(&self.obstacles, (&mut own, &mut sums), &mut 0);
            sums.tell(&mut own);
            watch.note_all(&own, time, &said.name);
        }
    }

    fn led(&self) -> Vec<&str> {
        self.hands().map(|(name, _)| name).collect()
    }

    fn exert(&self, exertions: &mut [ExternalForce]) {
        let actions = self.acting.iter().flat_map(|acting| acting.efforts(&self.particles));
        let actions = actions.map(|(effort, center)| (effort, Some(center)));
        let hands = self.hands().map(|(_, led)| ((led.force, led.moment), None));
        let drags = self.scene.pulls.iter().map(|drag| self.dragged(drag));
        let hits = self.scene.hits.iter().map(|hit| self.was_hit(hit));
        let all = actions.chain(hands).chain(drags).chain(hits);
        exertions.iter_mut().zip(all).for_each(|(exertion, now)| exertion.note(now));
    }

    fn touched(&self) -> Vec<Touched> {
        let positions = &self.particles.state.positions;
        let of_scene = |point: &Point| {
            let same = |drag: &Drag| matches!(target(self, &drag.of), Ok(InputTarget::Point(own)) if own == *point);
            self.scene.pulls.iter().any(same)
        };
        let pulls = self.particles.state.drags.iter().filter(|drag| !of_scene(&drag.point));
        let pulled = |drag: &crate::particles::Drag| Touched {
            step: self.steps(),
            on: self.holder_of(drag.point.particles[0]).to_owned(),
            force: self.particles.pull_on(&drag.point),
            place: drag.point.position(positions),
        };
        pulls.map(pulled).chain(self.touched.iter().filter(|own| own.step == self.steps()).cloned()).collect()
    }

    fn told(&self) -> Vec<(&str, &direction::Goals)> {
        let told = self.directions.iter().map(|directed| &directed.direction);
        told.map(|direction| (self.actors[direction.actor].name.as_str(), direction)).collect()
    }

    fn herded(&self) -> Vec<Herded<'_>> {
        self.herds
            .iter()
            .zip(&self.scene.herds)
            .flat_map(|(running, said)| running.herded(&said.name, self.time()))
            .collect()
    }

    fn log(&self) -> Vec<ActionLogEntry> {
        self.acting.as_ref().map_or_else(Vec::new, |acting| acting.controller.log())
    }
}

impl World {
    /// Ragdolls with a root assist, and its wrench in the last step.
    fn hands(&self) -> impl Iterator<Item = (&str, Led)> {
        let led = self.directions.iter().filter(|directed| directed.direction.may_be_led());
        let alone = led.map(|directed| (self.actors[directed.direction.actor].name.as_str(), directed.led));
        alone.chain(self.herds.iter().flat_map(Running::hands))
    }

    /// Force of a drag of the scene in the last step, and where it acts.
    fn dragged(&self, drag: &Drag) -> ((DVec3, DVec3), Option<DVec3>) {
        let Ok(InputTarget::Point(point)) = target(self, &drag.of) else { return ((DVec3::ZERO, DVec3::ZERO), None) };
        let force = self.particles.pull_on(&point);
        ((force, DVec3::ZERO), Some(point.position(&self.particles.state.positions)))
    }

    /// Mean force of a hit of the scene in the last step, and where it acts.
    pub(in crate::simulation) fn was_hit(&self, hit: &Hit) -> ((DVec3, DVec3), Option<DVec3>) {
        let force = force_of(hit, self.particles.settings.time_step, self.steps());
        let center = match target(self, &hit.of) {
            Ok(InputTarget::Point(point)) => Some(point.position(&self.particles.state.positions)),
            _ => None,
        };
        ((force, DVec3::ZERO), center)
    }

    /// Excess over each joint limit, radians, with a particle of the limited body; without those of ragdolls whose pose is that
    /// of a clip.
    fn excesses(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (time, step) = (self.time(), self.particles.settings.time_step);
        let plays = |actor: &&Actor| actor.plays.as_ref().is_some_and(|playing| playing.holds(time, step));
        let particles = |actor: &Actor| actor.ragdoll.first..actor.ragdoll.first + 4 * actor.ragdoll.bodies.len();
        let playing: Vec<_> = self.actors.iter().filter(plays).map(particles).collect();
        let all = excesses(self.particles.model(), &self.particles.state.positions);
        all.filter(move |(particle, _)| !playing.iter().any(|own| own.contains(particle)))
    }

    /// Name of the thing to which a particle belongs, of a ragdoll with the bone.
    fn part_of(&self, particle: usize) -> String {
        let of_actor = self.actors.iter().find_map(|actor| {
            let body = actor.ragdoll.bodies.get(particle.checked_sub(actor.ragdoll.first)? / 4)?;
            Some(format!("{}/{}", actor.name, actor.character.skeleton.bones()[body.bone].name))
        });
        of_actor.unwrap_or_else(|| self.holder_of(particle).to_owned())
    }

    /// Name of the thing to which a particle belongs.
    pub(in crate::simulation) fn holder_of(&self, particle: usize) -> &str {
        let is_of = |holder: &Holder| match holder {
            Holder::Actor(actor) => {
                let first = self.actors[*actor].ragdoll.first;
                (first..first + 4 * self.actors[*actor].ragdoll.bodies.len()).contains(&particle)
            }
            Holder::Solid(solid) => (self.solids[*solid].first..self.solids[*solid].first + 4).contains(&particle),
            Holder::Particles(particles) => particles.contains(&particle),
        };
        self.names.iter().find(|(_, holder)| is_of(holder)).map_or("", |(name, _)| name)
    }
}

fn solid(solid: &ParticleSceneBody) -> Track {
    let drawn = Drawn::Body { shapes: solid.shapes.clone(), shell: solid.shell.clone(), poses: Vec::new() };
    Track { name: solid.name.clone(), obstacle: false, drawn }
}

fn shown(shown: &Shown) -> Track {
    let (name, drawn) = match shown {
        Shown::Lines { name, segments, radius, .. } => {
            (name, Drawn::Lines { segments: segments.clone(), radius: *radius, points: Vec::new() })
        }
        Shown::Mesh { name, triangles, .. } => (name, Drawn::Mesh { triangles: triangles.clone(), points: Vec::new() }),
        Shown::Ball { name, radius, .. } => {
            let shapes = centered(Shape::Sphere { radius: *radius });
            (name, Drawn::Body { shapes, shell: None, poses: Vec::new() })
        }
    };
    Track { name: name.clone(), obstacle: false, drawn }
}

impl World {
    /// Adds the measures of the present frame. Returns the number of particles and bodies, and of those asleep. Penetration
    /// between ragdolls of a herd is left out.
    pub(in crate::simulation) fn measure(&self, measures: &mut Measures, sums: &mut Sums) -> [usize; 2] {
        let particles = &self.particles;
        let (model, state, gravity) = (particles.model(), &particles.state, particles.settings.acceleration());
        let own = model.proxy_particles()..model.masses.len();
        sums.moment(particles.angular_momentum());
        for particle in own.clone().filter(|&particle| model.masses[particle].is_finite()) {
            let (mass, place) = (model.masses[particle], state.previous[particle]);
            // Bodies beside them are where they are now.
            sums.place(mass, state.positions[particle]);
            measures.kinetic_energy += 0.5 * mass * particles.central_velocity(particle).length_squared();
            measures.potential_energy -= mass * gravity.dot(place);
        }
        measures.momentum += particles.momentum();
        let stretch = particles.worst_stretch().max(particles.worst_deformation());
        measures.worst_stretch = measures.worst_stretch.max(stretch);
        measures.worst_gap = measures.worst_gap.max(particles.worst_gap());
        measures.worst_limit = self.excesses().fold(measures.worst_limit, |worst, (_, excess)| worst.max(excess));
        measures.worst_penetration = measures.worst_penetration.max(particles.worst_penetration());
        let (mut count, mut asleep) = (own.len(), own.filter(|&particle| particles.is_asleep(particle)).count());
        gaps(model, &state.positions, sums);
        for running in &self.herds {
            count += running.measure(&self.obstacles, (measures, sums), &mut asleep);
        }
        [count, asleep]
    }
}

/// Adds the gaps of rigid joints.
pub(in crate::simulation) fn gaps(model: &Model, positions: &[DVec3], sums: &mut Sums) {
    for joint in model.attachments.iter().filter(|joint| joint.compliance == 0.0) {
        sums.gap(joint.gap(positions).length_squared());
    }
}

/// Greatest excess over a joint limit, radians.
pub(in crate::simulation) fn worst_limit(model: &Model, positions: &[DVec3]) -> f64 {
    excesses(model, positions).map(|(_, excess)| excess).fold(0.0, f64::max)
}

/// Excess over each joint limit, radians, with a particle of the limited body.
fn excesses<'a>(model: &'a Model, positions: &'a [DVec3]) -> impl Iterator<Item = (usize, f64)> + 'a {
    let axes = |a: &[Direction; 3], b: &[Direction; 3]| -> Axes<f64> {
        [a, b].map(|side| side.map(|direction| lane(direction.vector(positions))))
    };
    let cones = model.swing_twist_limits().map(move |limit| {
        let axes = axes(&limit.a, &limit.b);
        let swing = excess(Cone::new(limit.swing).excess(&axes).angle);
        (limit.a[0].particles[0], swing.max(excess(AngleRange::new(limit.twist).excess(&axes).angle)))
    });
    let hinges = model.hinge_limits().map(move |limit| {
        let angle = AngleRange::new(limit.range).excess(&axes(&limit.a, &limit.b)).angle;
        (limit.a[0].particles[0], excess(angle))
    });
    cones.chain(hinges)
}

fn excess(angle: f64) -> f64 {
    angle.max(0.0)
}

fn lane<V: Arithmetic + From<f64>>(v: DVec3) -> LaneVector<V> {
    LaneVector { x: v.x.into(), y: v.y.into(), z: v.z.into() }
}
