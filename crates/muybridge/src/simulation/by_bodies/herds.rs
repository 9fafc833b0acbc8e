//! Herds of a scene as rigid bodies.
//!
//! ```text
//! herd                     ragdolls of the world like any other: they collide with each other and everything else, and follow goals
//! herd with `alone`        instances in lanes, solved by multipliers, as a `Crowd`: they collide only with half-spaces that stand still
//! ```
//! Both kinds start in the same places as a herd of particles.

use glam::DVec3;

use super::build::RigidBuild;
use super::recorded::{add, excess, square_gap};
use super::{RigidActor, RigidHolder};
use crate::character::Character;
use crate::collision::{Obstacle, ObstacleShape};
use crate::motion::Clip;
use crate::particles::herd::InstancePlacement;
use crate::ragdoll::{BodyOfBone, RagdollStart, RigidRagdoll, rigid};
use crate::rigid::crowd::{self, Crowd};
use crate::rigid::model;
use crate::rigid::{Model, Pose};
use crate::simulation::assets::{Assets, Cast};
use crate::simulation::build::fault;
use crate::simulation::direction::HerdPlace;
use crate::simulation::herds::{self, HerdMember, members, start};
use crate::simulation::obstacles::PlacedObstacle;
use crate::simulation::recording::Measures;
use crate::simulation::scene::{Follow, Herd, Method, Scene, SceneError, Setting, Solver};
use crate::simulation::sums::Sums;

/// A herd simulated in lanes.
#[derive(Clone, Debug)]
pub(in crate::simulation) struct InLanes {
    /// Name of the herd.
    pub(super) herd: String,
    pub crowd: Crowd,
    substeps: u32,
    ragdoll: RigidRagdoll,
    /// Character of every ragdoll of the herd.
    character: Character,
    /// Name of each ragdoll.
    names: Vec<String>,
}

impl RigidBuild {
    /// Adds a herd, as ragdolls of the world or in lanes.
    pub fn herd(
        &mut self,
        scene: &Scene,
        assets: &Assets,
        (index, said): (usize, &Herd),
        standing: &[PlacedObstacle],
    ) -> Result<(), SceneError> {
        let wrong = |message: String| fault::<Herd>(index, "character", message);
        let cast = assets.cast(&said.character).map_err(wrong)?;
        let begin = start(scene, said, &cast.character, &cast.clips)?;
        let settings = herds::settings(said);
        let of_one = |begin: &RagdollStart| {
            rigid(&cast.character, begin, &settings).map_err(|error| wrong(format!("cannot become a ragdoll: {error}")))
        };
        let one = of_one(&begin)?;
        let members = members(scene, said, middle(&one));
        self.notes.extend(one.notes.iter().map(|note| format!("{}: {note}", said.name)));
        let usual = Herd::default();
        if said.substeps != usual.substeps || said.sleep_threshold != usual.sleep_threshold {
            self.notes.push(format!(
                "{}: substeps and sleep_threshold are those of the solver but under particles",
                said.name
            ));
        }
        if said.alone && scene.solver.method == Method::Multipliers {
            let starts: Vec<Vec<model::Start>> = members.iter().map(|own| own.starts(&one)).collect();
            return self.in_lanes(scene, (index, said), (cast, one), (&starts, standing));
        }
        if said.alone {
            self.notes
                .push(format!("{}: alone only under particles and multipliers; here they touch each other", said.name));
        }
        for (number, own) in members.iter().enumerate() {
            let (mut ragdoll, name) = (of_one(&own.begin(&begin))?, format!("{} {}", said.name, number + 1));
            ragdoll.first = self.append(&ragdoll.model, &ragdoll.starts);
            self.names.insert(name.clone(), RigidHolder::Actor(self.actors.len()));
            let herd = Some(HerdPlace { herd: said.name.clone(), delay: own.delay });
            self.actors.push(RigidActor { name, character: cast.character.clone(), ragdoll, plays: None, herd });
        }
        Ok(())
    }

    fn in_lanes(
        &mut self,
        scene: &Scene,
        (index, said): (usize, &Herd),
        (cast, ragdoll): (&Cast, RigidRagdoll),
        (starts, standing): (&[Vec<model::Start>], &[PlacedObstacle]),
    ) -> Result<(), SceneError> {
        if let Some(told) = scene.follows.iter().position(|follow| follow.of.thing() == said.name) {
            let message = format!(
                "“{}” is a herd whose ragdolls are alone, and under multipliers these follow nothing; take “alone” away",
                said.name
            );
            return Err(fault::<Follow>(told, "of", message));
        }
        let mut model = Model { motors: Vec::new(), ..ragdoll.model.clone() };
        let half_space = |one: &Obstacle| matches!(one.shape, ObstacleShape::HalfSpace).then(|| one.clone());
        model.obstacles =
            herds::met(scene, standing, (said, "half-spaces that stand still while it is alone"), half_space)?;
        self.notes.extend(herds::beside(scene, said));
        let settings = settings(&scene.setting, &scene.solver);
        let crowd = Crowd::touching(&model, starts, settings);
        let crowd = crowd.map_err(|error| fault::<Herd>(index, "alone", format!("cannot be used here: {error}")))?;
        let names = herds::names(&said.name, starts.len());
        let substeps = scene.solver.rigid.substeps;
        let ragdoll = RigidRagdoll { model, ..ragdoll };
        self.in_lanes.push(InLanes {
            herd: said.name.clone(),
            crowd,
            substeps,
            ragdoll,
            character: cast.character.clone(),
            names,
        });
        Ok(())
    }
}

impl HerdMember {
    /// Places the herd's common start at this ragdoll's own place and velocity.
    fn begin(&self, begin: &RagdollStart) -> RagdollStart {
        let placed = self.placement;
        begin.clone().moved(placed.position, placed.rotation).with_velocity(placed.velocity, placed.spin)
    }

    /// Starts of the bodies of a ragdoll that is placed without being rebuilt. It keeps its principal axes, which a rebuilt
    /// ragdoll need not.
    fn starts(&self, ragdoll: &RigidRagdoll) -> Vec<model::Start> {
        let InstancePlacement { position, rotation, velocity, spin } = self.placement;
        let middle = middle(ragdoll);
        let placed = |start: &model::Start| {
            let arm = rotation * (start.position - middle);
            model::Start {
                position: position + rotation * start.position,
                rotation: (rotation * start.rotation).normalize(),
                velocity: rotation * start.velocity + velocity + spin.cross(arm),
                angular_velocity: rotation * start.angular_velocity + spin,
            }
        };
        ragdoll.starts.iter().map(placed).collect()
    }
}

/// Center of mass at the start, meters.
fn middle(ragdoll: &RigidRagdoll) -> DVec3 {
    let bodies = || ragdoll.starts.iter().zip(&ragdoll.model.bodies);
    let total: f64 = bodies().map(|(_, body)| body.mass).sum();
    bodies().map(|(start, body)| start.position * body.mass).sum::<DVec3>() / total
}

fn settings(setting: &Setting, solver: &Solver) -> crowd::Settings {
    let time_step = 1.0 / (setting.rate * f64::from(solver.rigid.substeps));
    crowd::Settings { time_step, gravity: setting.gravity, ..crowd::Settings::default() }
}

impl InLanes {
    /// Advances the herd by one frame.
    pub fn step(&mut self) {
        self.crowd.step(self.substeps);
    }

    /// Takes gravity, time step and substeps from other settings.
    pub fn tune(&mut self, setting: &Setting, solver: &Solver) {
        self.substeps = solver.rigid.substeps;
        self.crowd.settings = settings(setting, solver);
    }

    /// Number of rigid bodies of all ragdolls.
    pub fn bodies(&self) -> usize {
        self.crowd.len() * self.ragdoll.bodies.len()
    }

    /// Total mass of the herd, kilograms.
    pub fn mass(&self) -> f64 {
        self.ragdoll.model.bodies.iter().map(|body| body.mass).sum::<f64>() * self.crowd.len() as f64
    }

    /// Names and characters of all ragdolls.
    pub fn cast(&self) -> impl Iterator<Item = (&str, &Character)> {
        self.names.iter().map(|name| (name.as_str(), &self.character))
    }

    /// Writes the pose of one ragdoll into a frame of its clip. Returns how far the farthest body was moved to close joints, meters.
    pub fn write_pose(&self, instance: usize, clip: &mut Clip, frame: usize) -> f64 {
        let of_body = |(body, own): (usize, &BodyOfBone)| {
            let (pose, _) = self.crowd.body(instance, body);
            own.frame.origin_of(pose.place(), pose.turn())
        };
        let frames: Vec<_> = self.ragdoll.bodies.iter().enumerate().map(of_body).collect();
        self.ragdoll.bones.write_frame(&frames, clip, frame)
    }

    /// Adds the herd's energies, gaps and worst errors.
    pub fn measure(&self, measures: &mut Measures, sums: &mut Sums) {
        let model = &self.ragdoll.model;
        let gravity = self.crowd.settings.gravity;
        for instance in 0..self.crowd.len() {
            let all = (0..model.bodies.len()).map(|body| self.crowd.body(instance, body));
            let (poses, momenta): (Vec<Pose<f64>>, Vec<_>) = all.unzip();
            for ((body, pose), momentum) in model.bodies.iter().zip(&poses).zip(&momenta) {
                add((measures, sums), (body, pose, momentum), gravity);
            }
            model.joints.iter().for_each(|joint| sums.gap(square_gap(joint, &poses)));
            let excesses = model.ranges.iter().map(|own| excess(own, &model.joints, &poses));
            measures.worst_limit = excesses.fold(measures.worst_limit, f64::max);
            measures.worst_penetration = measures.worst_penetration.max(self.crowd.depth(instance));
        }
    }
}
