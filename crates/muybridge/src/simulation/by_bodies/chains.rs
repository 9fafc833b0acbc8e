//! Ropes and flails as chains of capsules with ball joints between them.
//!
//! ```text
//! rope    n capsules from start to end, each with an n-th of the mass; ball joints between them and at each held end;
//!         a spring of E I / length of a link in each joint between them
//! flail   a rope with a ball at its end, jointed at the ball's center
//! ```
//! Specification: mathematics 4.3, 3.10.

use glam::{DQuat, DVec3};

use super::build::{RigidBuild, own_frame};
use super::{RigidHolder, RigidSceneBody, RopeChain};
use crate::collision::shape::{PlacedShape, Shape};
use crate::rigid::model::{Motor, Object, Start};
use crate::rigid::{self, Kind};
use crate::simulation::build::fault;
use crate::simulation::recorder::centered;
use crate::simulation::scene::slot::PartPath;
use crate::simulation::scene::{End, Flail, Rope, Scene, SceneError, Thing};

/// Description of a chain of capsules.
struct Links<'a> {
    name: &'a str,
    ends: [DVec3; 2],
    count: u32,
    mass: f64,
    radius: f64,
    /// Velocity of the end; the chain follows in proportion.
    velocity: DVec3,
}

impl RigidBuild {
    pub(super) fn chains(&mut self, scene: &Scene) -> Result<(), SceneError> {
        for (index, rope) in scene.ropes.iter().enumerate() {
            self.rope(index, rope)?;
        }
        for (index, flail) in scene.flails.iter().enumerate() {
            self.flail(index, flail)?;
        }
        Ok(())
    }

    fn rope(&mut self, index: usize, rope: &Rope) -> Result<(), SceneError> {
        let links = Links {
            name: &rope.name,
            ends: [rope.from, rope.to],
            count: rope.segments,
            mass: rope.mass,
            radius: rope.radius,
            velocity: DVec3::ZERO,
        };
        let object = self.object(Object {
            friction: rope.friction,
            restitution: rope.restitution,
            drag: rope.damping,
            touches_itself: rope.self_collision,
            rolling: 0.0,
        });
        let first_joint = self.model.joints.len();
        let first = self.links(&links, object).map_err(|message| fault::<Rope>(index, "mass", message))?;
        if rope.stiffness > 0.0 {
            // E I over the length of a link, as a moment per angle.
            let stiffness = rope.stiffness * f64::from(rope.segments) / rope.from.distance(rope.to);
            let between = first_joint..self.model.joints.len();
            self.model.motors.extend(between.map(|joint| Motor { stiffness, ..Motor::idle(joint) }));
        }
        let last = first + rope.segments as usize - 1;
        let ends = [
            (End::Start, first, rope.from, &rope.from_attached_to),
            (End::Finish, last, rope.to, &rope.to_attached_to),
        ];
        for (end, link, place, on) in ends {
            let key = if end == End::Start { "from_attached_to" } else { "to_attached_to" };
            if rope.fixed.contains(&end) {
                self.ball(None, link, place);
            }
            self.hang::<Rope>(link, place, on, (index, key))?;
        }
        self.names.insert(rope.name.clone(), RigidHolder::Bodies(first..last + 1));
        Ok(())
    }

    fn flail(&mut self, index: usize, flail: &Flail) -> Result<(), SceneError> {
        let wrong = |key, message: String| fault::<Flail>(index, key, message);
        let links = Links {
            name: &flail.name,
            ends: [flail.from, flail.to],
            count: flail.segments,
            mass: flail.mass,
            radius: flail.radius,
            velocity: flail.velocity,
        };
        let Flail { friction, restitution, damping: drag, .. } = *flail;
        let object = self.object(Object { friction, restitution, drag, touches_itself: false, rolling: 0.0 });
        let first = self.links(&links, object).map_err(|message| wrong("mass", message))?;
        match flail.from_attached_to.is_none() {
            true => self.ball(None, first, flail.from),
            false => self.hang::<Flail>(first, flail.from, &flail.from_attached_to, (index, "from_attached_to"))?,
        }
        let shape = Shape::Sphere { radius: flail.ball_radius };
        let (body, frame) = own_frame(&shape, flail.ball_mass).map_err(|message| wrong("ball_mass", message))?;
        let (position, rotation) = frame.placed(flail.to, DQuat::IDENTITY);
        let start = Start { velocity: flail.velocity, ..Start::at(position, rotation) };
        let ball = self.body(body, start);
        let shapes = centered(shape);
        self.model.solids.extend(shapes.iter().map(|placed| rigid::model::Collider::of(ball, object, placed, &frame)));
        self.ball(Some(ball - 1), ball, flail.to);
        self.names.insert(flail.name.clone(), RigidHolder::Bodies(first..ball + 1));
        self.solids.push(RigidSceneBody { name: flail.name.clone(), body: ball, frame, shapes, shell: None });
        Ok(())
    }

    /// Adds capsules from end to end with ball joints between them. Returns the first body.
    fn links(&mut self, links: &Links<'_>, object: usize) -> Result<usize, String> {
        let [from, to] = links.ends;
        let (count, first) = (f64::from(links.count), self.model.bodies.len());
        let (along, length) = ((to - from).normalize(), from.distance(to) / count);
        let shape = Shape::Capsule { radius: links.radius, half_length: 0.5 * length };
        let (body, frame) = own_frame(&shape, links.mass / count)?;
        let turn = DQuat::from_rotation_arc(DVec3::Y, along);
        let placed = PlacedShape { shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY };
        for link in 0..links.count {
            let share = (f64::from(link) + 0.5) / count;
            let (position, rotation) = frame.placed(from + (to - from) * share, turn);
            // Both ends of a link move with the velocity of the chain there.
            let angular_velocity = along.cross(links.velocity) / (length * count);
            let start = Start { velocity: links.velocity * share, angular_velocity, ..Start::at(position, rotation) };
            let index = self.body(body, start);
            self.model.solids.push(rigid::model::Collider::of(index, object, &placed, &frame));
            if link > 0 {
                self.ball(Some(index - 1), index, from + (to - from) * (f64::from(link) / count));
            }
        }
        let (name, links_of) = (links.name.to_owned(), first..self.model.bodies.len());
        self.chains.push(RopeChain { name, links: links_of, frame, half: 0.5 * length, radius: links.radius });
        Ok(first)
    }

    fn hang<T: Thing>(
        &mut self,
        link: usize,
        place: DVec3,
        on: &PartPath,
        (index, key): (usize, &'static str),
    ) -> Result<(), SceneError> {
        if !on.is_none() {
            let holder = self.held(on, place).map_err(|message| fault::<T>(index, key, message))?;
            self.ball(Some(holder), link, place);
        }
        Ok(())
    }

    fn ball(&mut self, parent: Option<usize>, child: usize, at: DVec3) {
        let parent = parent.map(|parent| self.side(parent));
        let joint = rigid::Joint::between(parent, self.side(child), (at, DQuat::IDENTITY), Kind::Ball);
        self.model.joints.push(joint);
    }
}
