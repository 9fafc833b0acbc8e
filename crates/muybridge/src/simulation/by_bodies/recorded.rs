//! Drawing and measuring a world of rigid bodies.

use std::borrow::Cow;

use glam::{DQuat, DVec3};

use super::actions::target;
use super::herds::InLanes;
use super::{Carrier, RigidActor, RigidHolder, RigidSceneBody, RopeChain, World};
use crate::behavior::action::ActionLogEntry;
use crate::behavior::drive::Led;
use crate::character::Character;
use crate::motion::Clip;
use crate::rigid::model::{JointLimit, Range};
use crate::rigid::motion::vector;
use crate::rigid::{Body, Joint, Momentum, Pose, range};
use crate::simulation::direction::Goals;
use crate::simulation::following::{Follower, Herded};
use crate::simulation::obstacles::PlacedObstacle;
use crate::simulation::recorder::{Observe, Touched, force_of};
use crate::simulation::recording::{Drawn, ExternalForce, Measures, Track};
use crate::simulation::scene::{Hit, Scene};
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
        let actors = self.order.iter().map(|&actor| (self.actors[actor].name.as_str(), &self.actors[actor].character));
        actors.chain(self.in_lanes.iter().flat_map(InLanes::cast)).collect()
    }

    fn write_pose(&self, index: usize, clip: &mut Clip, frame: usize) -> f64 {
        let Some(mut member) = index.checked_sub(self.actors.len()) else {
            return self.actors[self.order[index]].ragdoll.write_frame(&self.bodies.state.poses, clip, frame);
        };
        for herd in &self.in_lanes {
            match member.checked_sub(herd.crowd.len()) {
                Some(rest) => member = rest,
                None => return herd.write_pose(member, clip, frame),
            }
        }
        0.0
    }

    fn tracks(&self) -> Vec<Track> {
        let soft = self.soft.iter().flat_map(|soft| soft.world.tracks());
        self.solids
            .iter()
            .map(RigidSceneBody::track)
            .chain(self.chains.iter().map(RopeChain::track))
            .chain(soft)
            .collect()
    }

    fn pose(&self, tracks: &mut [Track]) {
        let (solids, rest) = tracks.split_at_mut(self.solids.len());
        let (chains, soft) = rest.split_at_mut(self.chains.len());
        for (track, solid) in solids.iter_mut().zip(&self.solids) {
            let pose = &self.bodies.state.poses[solid.body];
            track.note(solid.frame.origin_of(pose.place(), pose.turn()));
        }
        for (track, chain) in chains.iter_mut().zip(&self.chains) {
            if let Drawn::Lines { points, .. } = &mut track.drawn {
                points.push(self.points(chain));
            }
        }
        if let Some(things) = &self.soft {
            things.world.pose(soft);
        }
    }

    fn chains(&self) -> Vec<(&str, Vec<(DVec3, DQuat)>)> {
        let links = |chain: &RopeChain| chain.links.clone().map(|link| self.link(chain, link)).collect();
        self.chains.iter().map(|chain| (chain.name.as_str(), links(chain))).collect()
    }

    fn measures(&self) -> Measures {
        let work = self.bodies.report().into();
        let (mut measures, mut sums) = (Measures { work, ..Measures::default() }, Sums::default());
        for (body, pose, momentum) in self.moving() {
            add((&mut measures, &mut sums), (body, pose, momentum), self.bodies.settings.gravity);
        }
        self.gaps_of_joints().for_each(|(_, gap)| sums.gap(gap * gap));
        measures.worst_limit = self.worst_limit();
        measures.worst_penetration = self.overlaps().map(|(_, depth)| depth).fold(0.0, f64::max);
        let trees = &self.bodies.forest().tree[..self.own];
        let mut asleep = trees.iter().filter(|&&tree| self.bodies.state.asleep[tree].is_some()).count();
        self.in_lanes.iter().for_each(|herd| herd.measure(&mut measures, &mut sums));
        let mut count = self.own + self.in_lanes.iter().map(InLanes::bodies).sum::<usize>();
        if let Some(soft) = &self.soft {
            soft.gaps(&self.bodies).for_each(|gap| sums.gap(gap * gap));
            let [all, sleeping] = soft.world.measure(&mut measures, &mut sums);
            (count, asleep) = (count + all, asleep + sleeping);
        }
        sums.tell(&mut measures);
        measures.asleep = asleep as f64 / count.max(1) as f64;
        measures
    }

    fn errors(&self, watch: &mut Watch, time: f64) {
        let (model, poses) = (&self.bodies.model, &self.bodies.state.poses);
        for (body, gap) in self.gaps_of_joints() {
            watch.note((WarningKind::Gap, gap), time, || self.part_of(body));
        }
        for range in self.angular_ranges() {
            let excess = excess(range, &model.joints, poses);
            watch.note((WarningKind::Limit, excess), time, || self.part_of(model.joints[range.joint].child));
        }
        for (body, depth) in self.overlaps() {
            let name = || body.map_or_else(String::new, |body| self.part_of(body));
            watch.note((WarningKind::Penetration, depth), time, name);
        }
        for herd in &self.in_lanes {
            let (mut own, mut sums) = (Measures::default(), Sums::default());
            herd.measure(&mut own, &mut sums);
            sums.tell(&mut own);
            watch.note_all(&own, time, &herd.herd);
        }
        if let Some(soft) = &self.soft {
            soft.world.errors(watch, time);
        }
    }

    fn led(&self) -> Vec<&str> {
        self.hands().map(|(name, _)| name).collect()
    }

    fn exert(&self, exertions: &mut [ExternalForce]) {
        let centers = self.controller.actions().iter().map(|action| self.bodies.state.poses[action.on.body].place());
        let efforts = self.controller.efforts().iter().map(|effort| (effort.force, effort.torque));
        let actions = efforts.zip(centers.map(Some));
        let hands = self.hands().map(|(_, led)| ((led.force, led.moment), None));
        let drags = self.carriers.iter().map(|carrier| self.dragged(carrier.as_ref()));
        let hits = self.scene.hits.iter().map(|hit| match self.world_of_soft(&hit.of) {
            Some(soft) => soft.was_hit(hit),
            None => self.was_hit(hit),
        });
        let all = actions.chain(hands).chain(drags).chain(hits);
        exertions.iter_mut().zip(all).for_each(|(exertion, now)| exertion.note(now));
    }

    fn touched(&self) -> Vec<Touched> {
        let own = self.touched.iter().filter(|own| own.step == self.bodies.state.steps).cloned();
        own.chain(self.soft.iter().flat_map(|soft| soft.world.touched())).collect()
    }

    fn told(&self) -> Vec<(&str, &Goals)> {
        let told = self.directions.iter().map(|directed| &directed.direction);
        let alone = told.filter(|direction| self.actors[direction.actor].herd.is_none());
        alone.map(|direction| (self.actors[direction.actor].name.as_str(), direction)).collect()
    }

    fn herded(&self) -> Vec<Herded<'_>> {
        let mut all: Vec<Herded<'_>> = Vec::new();
        for herd in &self.scene.herds {
            let told = self.directions.iter().map(|directed| &directed.direction);
            let herd_of = |direction: &Goals| self.actors[direction.actor].herd.as_ref().map(|own| own.herd.as_str());
            let members: Vec<&Goals> = told.filter(|told| herd_of(told) == Some(herd.name.as_str())).collect();
            let Some(first) = members.first() else { continue };
            for clip in 0..first.followed().count() {
                let mut followed: Vec<Follower<'_>> = Vec::new();
                for &member in &members {
                    let name = self.actors[member.actor].name.as_str();
                    let own = member.followed().nth(clip);
                    followed.extend(own.map(|(track, span)| (name, Cow::Borrowed(track), span)));
                }
                all.push((&herd.name, &first.figure, Box::new(followed.into_iter())));
            }
        }
        all
    }

    fn log(&self) -> Vec<ActionLogEntry> {
        self.controller.log()
    }
}

impl World {
    /// Ragdolls with a root assist, and its wrench in the last step.
    fn hands(&self) -> impl Iterator<Item = (&str, &Led)> {
        let led = self.directions.iter().filter(|directed| directed.direction.may_be_led());
        led.map(|directed| (self.actors[directed.direction.actor].name.as_str(), &directed.led))
    }

    /// Force of a mouse anchor in the last step, and where it acts. It is the anchor's lost momentum per second; its weight is
    /// carried.
    fn dragged(&self, carrier: Option<&Carrier>) -> ((DVec3, DVec3), Option<DVec3>) {
        let Some(&Carrier { body, given, .. }) = carrier else { return ((DVec3::ZERO, DVec3::ZERO), None) };
        let (mass, state) = (self.bodies.model.bodies[body].mass, &self.bodies.state);
        let lost = given.map_or(DVec3::ZERO, |given| given * mass - vector(state.momenta[body].linear));
        ((lost / self.bodies.settings.time_step, DVec3::ZERO), Some(state.poses[body].place()))
    }

    /// Mean force of a hit of the scene in the last step, and where it acts.
    fn was_hit(&self, hit: &Hit) -> ((DVec3, DVec3), Option<DVec3>) {
        let force = force_of(hit, self.bodies.settings.time_step, self.bodies.state.steps);
        let bodies = target(self, &hit.of).unwrap_or_default();
        let center = (bodies.len() == 1).then(|| self.bodies.state.poses[bodies.start].place());
        ((force, DVec3::ZERO), center)
    }

    /// Name of the thing to which a body belongs, of a ragdoll with the bone.
    fn part_of(&self, body: usize) -> String {
        let of_actor = self.actors.iter().find_map(|actor| {
            let own = actor.ragdoll.bodies.get(body.checked_sub(actor.ragdoll.first)?)?;
            Some(format!("{}/{}", actor.name, actor.character.skeleton.bones()[own.bone].name))
        });
        of_actor.unwrap_or_else(|| self.holder_of(body).to_owned())
    }

    /// Name of the thing to which a body belongs.
    pub(in crate::simulation) fn holder_of(&self, body: usize) -> &str {
        let is_of = |holder: &RigidHolder| match holder {
            RigidHolder::Actor(actor) => {
                let first = self.actors[*actor].ragdoll.first;
                (first..first + self.actors[*actor].ragdoll.bodies.len()).contains(&body)
            }
            RigidHolder::Solid(solid) => self.solids[*solid].body == body,
            RigidHolder::Bodies(bodies) => bodies.contains(&body),
        };
        self.names.iter().find(|(_, holder)| is_of(holder)).map_or("", |(name, _)| name)
    }

    /// Bodies that are things of the scene, without mouse anchors.
    fn moving(&self) -> impl Iterator<Item = (&Body, &Pose<f64>, &Momentum<f64>)> {
        let (model, state) = (&self.bodies.model, &self.bodies.state);
        let all = model.bodies.iter().zip(&state.poses).zip(&state.momenta);
        all.take(self.own).map(|((body, pose), momentum)| (body, pose, momentum))
    }

    /// Position (m) and orientation of a link of a chain.
    fn link(&self, chain: &RopeChain, link: usize) -> (DVec3, DQuat) {
        let pose = &self.bodies.state.poses[link];
        chain.frame.origin_of(pose.place(), pose.turn())
    }

    /// Joints and ends of a chain, meters.
    fn points(&self, chain: &RopeChain) -> Vec<DVec3> {
        let end = |link: usize, side: f64| {
            let (position, rotation) = self.link(chain, link);
            position + rotation * DVec3::Y * (side * chain.half)
        };
        core::iter::once(end(chain.links.start, -1.0)).chain(chain.links.clone().map(|link| end(link, 1.0))).collect()
    }

    /// Gaps of rigid joints, and excesses over the limits of sliders and distances, meters, with the body that a joint
    /// holds.
    fn gaps_of_joints(&self) -> impl Iterator<Item = (usize, f64)> {
        let (model, poses) = (&self.bodies.model, &self.bodies.state.poses);
        let rigid = model.joints.iter().filter(|joint| joint.compliance == 0.0 && joint.point_rows() > 0);
        let gaps = rigid.map(|joint| (joint.child, libm::sqrt(square_gap(joint, poses))));
        let ways = model.ranges.iter().filter(|own| !is_angular(own));
        gaps.chain(ways.map(|own| (model.joints[own.joint].child, excess(own, &model.joints, poses))))
    }

    /// Limits of angles, without those of ragdolls that play a clip.
    fn angular_ranges(&self) -> impl Iterator<Item = &Range> {
        let (joints, playing) = (&self.bodies.model.joints, self.playing());
        let plays = move |body: usize| playing.iter().any(|own| own.contains(&body));
        self.bodies.model.ranges.iter().filter(move |own| is_angular(own) && !plays(joints[own.joint].child))
    }

    /// Overlaps, meters, each with a body; without those of ragdolls that play a clip with what does not move.
    fn overlaps(&self) -> impl Iterator<Item = (Option<usize>, f64)> {
        let playing = self.playing();
        let plays = move |body: usize| playing.iter().any(|own| own.contains(&body));
        let all = self.bodies.contacts().iter().map(|contact| (contact.bodies, -contact.gap));
        let moved = all.filter(move |(bodies, _)| !bodies.iter().flatten().all(|&body| plays(body)));
        moved.map(|(bodies, depth)| (bodies.into_iter().flatten().next(), depth))
    }

    /// Bodies of the ragdolls whose pose is that of a clip, which no solver moves.
    fn playing(&self) -> Vec<core::ops::Range<usize>> {
        let (time, step) = (self.time(), self.bodies.settings.time_step);
        let plays = |actor: &&RigidActor| actor.plays.as_ref().is_some_and(|playing| playing.holds(time, step));
        let bodies = |actor: &RigidActor| actor.ragdoll.first..actor.ragdoll.first + actor.ragdoll.bodies.len();
        self.actors.iter().filter(plays).map(bodies).collect()
    }

    /// Greatest excess over a joint limit, radians.
    fn worst_limit(&self) -> f64 {
        let (joints, poses) = (&self.bodies.model.joints, &self.bodies.state.poses);
        self.angular_ranges().map(|own| excess(own, joints, poses)).fold(0.0, f64::max)
    }
}

/// Adds the energies and momenta of a body.
pub(super) fn add(
    (measures, sums): (&mut Measures, &mut Sums),
    (body, pose, momentum): (&Body, &Pose<f64>, &Momentum<f64>),
    gravity: DVec3,
) {
    let linear = vector(momentum.linear);
    measures.kinetic_energy += momentum.kinetic_energy(body, pose.turn());
    measures.potential_energy -= body.mass * gravity.dot(pose.place());
    measures.momentum += linear;
    sums.moment(vector(momentum.angular) + pose.place().cross(linear));
    sums.place(body.mass, pose.place());
}

fn is_angular(range: &Range) -> bool {
    matches!(range.bounds, JointLimit::Hinge(_) | JointLimit::SwingTwist { .. })
}

/// Square of the distance by which a joint gapes, m².
pub(super) fn square_gap(joint: &Joint, poses: &[Pose<f64>]) -> f64 {
    let sides = joint.sides_at(poses);
    let errors = joint.errors(&sides, joint.guide(&sides).as_ref());
    errors[..joint.point_rows()].iter().map(|error| error * error).sum()
}

/// Excess over a joint limit, radians.
pub(super) fn excess(own: &Range, joints: &[Joint], poses: &[Pose<f64>]) -> f64 {
    let sides = joints[own.joint].sides_at(poses);
    range::bounds(&own.bounds, &sides).into_iter().flatten().map(|bound| -bound.room).fold(0.0, f64::max)
}

impl RigidSceneBody {
    fn track(&self) -> Track {
        let (shapes, shell) = (self.shapes.clone(), self.shell.clone());
        let drawn = Drawn::Body { shapes, shell, poses: Vec::<(DVec3, DQuat)>::new() };
        Track { name: self.name.clone(), obstacle: false, drawn }
    }
}

impl RopeChain {
    fn track(&self) -> Track {
        let segments = (1..=self.links.len()).map(|end| [end - 1, end]).collect();
        let drawn = Drawn::Lines { segments, radius: self.radius, points: Vec::new() };
        Track { name: self.name.clone(), obstacle: false, drawn }
    }
}
