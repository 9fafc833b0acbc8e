//! Records a running world frame by frame. Obstacles are drawn here, moving things by the worlds themselves.

use glam::{DQuat, DVec3};

use super::actions::is_in_step;
use super::direction::Goals;
use super::following::{self, Following, Herded};
use super::obstacles::{self, PlacedObstacle};
use super::recording::{ChainTrack, Drawn, ExternalForce, Measures, Recording, Track};
use super::scene::{Hit, ObstacleKind, Scene};
use super::warnings::Watch;
use crate::behavior::action::ActionLogEntry;
use crate::character::Character;
use crate::collision::obstacle::ObstacleShape;
use crate::collision::shape::{PlacedShape, Shape};
use crate::motion::Clip;
use crate::particles::objects::bodies::box_corners;

/// Observations that a recording takes from a world, of particles or of bodies.
pub(super) trait Observe {
    fn scene(&self) -> &Scene;
    /// Seconds since the start.
    fn time(&self) -> f64;
    /// The obstacles of the scene.
    fn obstacles(&self) -> &[PlacedObstacle];
    /// Names and characters of the ragdolls.
    fn cast(&self) -> Vec<(&str, &Character)>;
    /// Writes the pose of one ragdoll into a frame of its clip. Returns how far the farthest body was moved to close joints,
    /// meters.
    fn write_pose(&self, index: usize, clip: &mut Clip, frame: usize) -> f64;
    /// Tracks of everything else that moves, without a frame yet.
    fn tracks(&self) -> Vec<Track>;
    /// Adds a frame to each track.
    fn pose(&self, tracks: &mut [Track]);
    /// Name of each chain of rigid bodies, and the present poses of its links.
    fn chains(&self) -> Vec<(&str, Vec<(DVec3, DQuat)>)> {
        Vec::new()
    }
    /// Measures of the present frame.
    fn measures(&self) -> Measures;
    /// Names of the ragdolls with a root assist.
    fn led(&self) -> Vec<&str>;
    /// Adds to each list of external forces those of the last step.
    fn exert(&self, exertions: &mut [ExternalForce]);
    /// Forces of the user in the last step.
    fn touched(&self) -> Vec<Touched>;
    /// Names and goals of the driven ragdolls that belong to no herd.
    fn told(&self) -> Vec<(&str, &Goals)>;
    /// Herds that follow clips, one entry for each clip.
    fn herded(&self) -> Vec<Herded<'_>>;
    /// Gives every error of the present frame to `watch`, which notes those above its limits.
    fn errors(&self, watch: &mut Watch, time: f64);
    /// Log of actions and plans: when each began and ended, and why.
    fn log(&self) -> Vec<ActionLogEntry> {
        Vec::new()
    }
}

/// Force of the user on a thing in one step.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Touched {
    /// Number of the step, from 1.
    pub step: u64,
    /// Name of the thing.
    pub on: String,
    /// Force, newtons; of an impulse, its mean over the step.
    pub force: DVec3,
    /// Point of the force, world, meters.
    pub place: DVec3,
}

impl Touched {
    /// Notes this force of the coming step and drops those of earlier steps.
    pub fn note(self, touched: &mut Vec<Self>) {
        touched.retain(|own| own.step == self.step);
        touched.push(self);
    }
}

/// External forces without a frame yet: actions, root assists, drags and hits, in this order.
fn exertions(world: &dyn Observe) -> Vec<ExternalForce> {
    let scene = world.scene();
    let actions = scene.actions.iter().map(ExternalForce::of_action);
    let hands = world.led().into_iter().map(ExternalForce::of_hand);
    let drags = scene.pulls.iter().map(|drag| ExternalForce::of_part("drag of", &drag.of.0));
    let hits = scene.hits.iter().map(|hit| ExternalForce::of_part("hit on", &hit.of.0));
    actions.chain(hands).chain(drags).chain(hits).collect()
}

/// Mean force of a hit during the last of `steps` steps, newtons; zero if it struck in another step.
pub(super) fn force_of(hit: &Hit, step: f64, steps: u64) -> DVec3 {
    let is_now = steps.checked_sub(1).is_some_and(|last| is_in_step(hit.time, step, last));
    if is_now { hit.impulse / step } else { DVec3::ZERO }
}

/// Number of frames whose poses are held for a recording of `frames` frames. Without poses it is one, but the report on clips
/// that are followed needs all.
pub(super) fn held_frames(scene: &Scene, frames: usize, keeps_poses: bool) -> usize {
    if keeps_poses || !scene.follows.is_empty() { frames } else { 1 }
}

/// A recording in progress.
pub(super) struct Recorder {
    keeps_poses: bool,
    /// Number of frames whose poses are held, and number of those that were dropped.
    held: usize,
    dropped: usize,
    clips: Vec<Option<Clip>>,
    /// Tracks of moving things, then of obstacles.
    tracks: [Vec<Track>; 2],
    chains: Vec<ChainTrack>,
    measures: Vec<Measures>,
    exertions: Vec<ExternalForce>,
    /// Forces of the user, one entry per thing; earlier frames are zero.
    touched: Vec<ExternalForce>,
    watch: Watch,
    /// Time of the first frame, seconds of the run.
    began: f64,
}

impl Recorder {
    /// Prepares a recording of `frames` frames. Without poses it has measures, warnings and reports only.
    pub fn new(world: &dyn Observe, frames: usize, keeps_poses: bool) -> Self {
        let held = held_frames(world.scene(), frames, keeps_poses);
        let clip = |(name, character): (&str, &Character)| {
            let mut clip = Clip::new(character.skeleton.len(), held, 1.0 / world.scene().setting.rate).ok()?;
            clip.name = name.to_owned();
            Some(clip)
        };
        let clips = world.cast().into_iter().map(clip).collect();
        let obstacles = world.obstacles().iter().filter(|_| keeps_poses);
        let tracks = [world.tracks(), obstacles.filter_map(obstacle).collect()];
        let chain = |(name, _): (&str, _)| ChainTrack { name: name.to_owned(), poses: Vec::with_capacity(held) };
        let chains = world.chains().into_iter().map(chain).collect();
        let measures = Vec::with_capacity(frames);
        let (exertions, watch, touched) = (exertions(world), Watch::new(world.scene()), Vec::new());
        let (dropped, began) = (0, world.time());
        Self { keeps_poses, held, dropped, clips, tracks, chains, measures, exertions, touched, watch, began }
    }

    /// Adds the present frame of the world.
    pub fn frame(&mut self, world: &dyn Observe) {
        if self.measures.len() - self.dropped == self.held {
            self.drop_poses();
        }
        let frame = self.measures.len() - self.dropped;
        let mut read_out = 0.0_f64;
        for (index, clip) in self.clips.iter_mut().enumerate() {
            if let Some(clip) = clip {
                read_out = read_out.max(world.write_pose(index, clip, frame));
            }
        }
        let [moving, standing] = &mut self.tracks;
        world.pose(moving);
        for (track, all) in standing.iter_mut().zip(world.obstacles().iter().filter(|all| is_drawn(all))) {
            pose_obstacle(track, all, (self.began, world.time()));
        }
        pose_chains(world, &mut self.chains);
        world.exert(&mut self.exertions);
        self.touch(world, frame);
        let measures = Measures { read_out, ..world.measures() };
        self.watch.next();
        if self.watch.wants(&measures) {
            world.errors(&mut self.watch, world.time() - self.began);
        }
        self.watch.take(&measures, &self.tracks[0], self.exertions.iter().chain(&self.touched));
        self.measures.push(measures);
    }

    /// Drops the poses and forces of earlier frames.
    fn drop_poses(&mut self) {
        self.dropped = self.measures.len();
        self.tracks[0].iter_mut().for_each(Track::forget);
        self.chains.iter_mut().for_each(|chain| chain.poses.clear());
        for own in self.exertions.iter_mut().chain(&mut self.touched) {
            own.clear();
        }
    }

    /// Adds the user's forces that led to this frame.
    fn touch(&mut self, world: &dyn Observe, frame: usize) {
        let now = if self.measures.is_empty() { Vec::new() } else { world.touched() };
        for Touched { on, place, .. } in &now {
            if self.touched.iter().all(|own| own.on != *on) {
                let none = ((DVec3::ZERO, DVec3::ZERO), Some(*place));
                let mut own = ExternalForce::of_part("user at", on);
                (0..frame).for_each(|_| own.note(none));
                self.touched.push(own);
            }
        }
        for own in &mut self.touched {
            // Moments are about the last point, if several forces act.
            let center = now.iter().rfind(|touched| touched.on == own.on).map(|touched| touched.place);
            let center = center.or(own.centers.last().copied()).unwrap_or_default();
            let mut sum = (DVec3::ZERO, DVec3::ZERO);
            for touched in now.iter().filter(|touched| touched.on == own.on) {
                sum.0 += touched.force;
                sum.1 += (touched.place - center).cross(touched.force);
            }
            own.note((sum, Some(center)));
        }
    }

    /// Finishes the recording.
    pub fn finish(self, world: &dyn Observe) -> Recording {
        let named = |(clip, (name, character)): (Option<Clip>, (&str, &Character))| {
            Some((name.to_owned(), character.clone(), clip?))
        };
        let (setting, moving) = (&world.scene().setting, self.tracks[0].len());
        let mut recording = Recording {
            name: setting.name.clone(),
            frame_time: 1.0 / setting.rate,
            frames: self.measures.len(),
            characters: self.clips.into_iter().zip(world.cast()).filter_map(named).collect(),
            tracks: self.tracks.into_iter().flatten().collect(),
            chains: self.chains,
            measures: self.measures,
            exertions: self.exertions.into_iter().chain(self.touched).collect(),
            follows: Vec::new(),
            log: world.log(),
            warnings: Vec::new(),
            ground: setting.ground,
        };
        let took = |(name, direction)| following::of(&recording, self.began, world.scene(), name, direction);
        let mut follows: Vec<Following> = world.told().into_iter().flat_map(took).collect();
        for (name, figure, mut members) in world.herded() {
            follows.extend(following::all_of(&recording, self.began, (world.scene(), name), (figure, &mut members)));
        }
        recording.follows = follows;
        recording.warnings = self.watch.finish(&recording.tracks[..moving], recording.frame_time, world.scene());
        if !self.keeps_poses {
            recording.characters.clear();
            recording.tracks.clear();
            recording.chains.clear();
            recording.exertions.clear();
        }
        recording
    }
}

/// Updates a recording of one frame of the same world; records anew if it is of another world.
pub(super) fn snapshot_into(world: &dyn Observe, seen: &mut Recording) {
    let mut standing = world.obstacles().iter().filter(|all| is_drawn(all));
    let moving = seen.tracks.iter().position(|track| track.obstacle).unwrap_or(seen.tracks.len());
    let cast = world.cast();
    let same = cast.iter().map(|(name, _)| *name).eq(seen.characters.iter().map(|(name, ..)| name.as_str()));
    if seen.frames != 1 || !same || seen.tracks.len() - moving != standing.clone().count() {
        let mut recorder = Recorder::new(world, 1, true);
        recorder.frame(world);
        *seen = recorder.finish(world);
        return;
    }
    let mut read_out = 0.0_f64;
    for (index, (_, _, clip)) in seen.characters.iter_mut().enumerate() {
        read_out = read_out.max(world.write_pose(index, clip, 0));
    }
    let (moving, still) = seen.tracks.split_at_mut(moving);
    for track in moving.iter_mut() {
        match &mut track.drawn {
            Drawn::Body { poses, .. } => poses.clear(),
            Drawn::Lines { points, .. } | Drawn::Mesh { points, .. } => points.clear(),
        }
    }
    world.pose(moving);
    seen.chains.iter_mut().for_each(|chain| chain.poses.clear());
    pose_chains(world, &mut seen.chains);
    for track in still {
        let Some(all) = standing.next() else { break };
        if all.moves()
            && let Some(mut made) = obstacle(all)
        {
            pose_obstacle(&mut made, all, (world.time(), world.time()));
            *track = made;
        }
    }
    seen.exertions.iter_mut().for_each(ExternalForce::clear);
    world.exert(&mut seen.exertions);
    seen.log = world.log();
    seen.measures.clear();
    seen.measures.push(Measures { read_out, ..world.measures() });
}

/// Adds the present frame to each chain.
fn pose_chains(world: &dyn Observe, chains: &mut [ChainTrack]) {
    chains.iter_mut().zip(world.chains()).for_each(|(chain, (_, links))| chain.poses.push(links));
}

/// A shape at the origin of its frame.
pub(super) fn centered(shape: Shape) -> Vec<PlacedShape> {
    vec![PlacedShape { shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY }]
}

/// Whether an obstacle is drawn as a track. Half-spaces are drawn as ground.
fn is_drawn(standing: &PlacedObstacle) -> bool {
    standing.said.as_ref().is_some_and(|said| said.kind != ObstacleKind::HalfSpace)
}

/// Lines along the edges of a room, so that its inside can be seen.
fn edges_of(size: DVec3) -> Drawn {
    let pairs = (0..8_usize).flat_map(|a| [1, 2, 4].map(|bit| [a, a | bit]));
    let segments = pairs.filter(|[a, b]| a != b).collect();
    Drawn::Lines { segments, radius: 0.004 * size.min_element(), points: vec![box_corners(0.5 * size).to_vec()] }
}

fn obstacle(standing: &PlacedObstacle) -> Option<Track> {
    let said = standing.said.as_ref().filter(|_| is_drawn(standing))?;
    let half_length = 0.5 * said.length;
    let body = |shape| Drawn::Body { shapes: centered(shape), shell: None, poses: Vec::new() };
    let drawn = match said.kind {
        ObstacleKind::Sphere => body(Shape::Sphere { radius: said.radius }),
        ObstacleKind::Capsule => body(Shape::Capsule { radius: said.radius, half_length }),
        ObstacleKind::Room => edges_of(said.size),
        _ => match &standing.obstacle.shape {
            ObstacleShape::Box { half_extents } => body(Shape::Box { half_extents: *half_extents }),
            shape => {
                let (points, triangles) = skin(shape);
                Drawn::Mesh { triangles, points: vec![points] }
            }
        },
    };
    Some(Track { name: said.name.clone(), obstacle: true, drawn })
}

/// Triangles of an obstacle that is no simple shape, in its own frame.
fn skin(shape: &ObstacleShape) -> (Vec<DVec3>, Vec<[usize; 3]>) {
    let mut corners = Vec::new();
    match shape {
        ObstacleShape::Mesh(mesh) => corners.extend(mesh.triangles().iter().map(|triangle| triangle.corners)),
        ObstacleShape::Hull(hull) => corners.extend(hull.faces().iter().map(|face| face.corners)),
        ObstacleShape::HeightField(field) => field.each(|triangle| corners.push(triangle.corners)),
        _ => {}
    }
    let triangles = (0..corners.len()).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect();
    (corners.concat(), triangles)
}

/// Adds the pose of an obstacle. An obstacle that never moves has one frame.
fn pose_obstacle(track: &mut Track, standing: &PlacedObstacle, (began, time): (f64, f64)) {
    let Some(said) = &standing.said else { return };
    let (position, rotation) = obstacles::frame(said, &standing.obstacle, time);
    let moves = said.moves();
    match &mut track.drawn {
        Drawn::Body { poses, .. } if moves || poses.is_empty() => poses.push((position, rotation)),
        Drawn::Mesh { points, .. } | Drawn::Lines { points, .. } if moves || time == began => {
            // The first frame initially holds the points in the shape's own frame.
            let turn = |points: &[DVec3], position: DVec3, rotation: DQuat| -> Vec<DVec3> {
                points.iter().map(|&point| position + rotation * point).collect()
            };
            if time == began {
                let made = points.pop().unwrap_or_default();
                points.push(turn(&made, position, rotation));
            } else if let Some(first) = points.first() {
                let (start, turned) = obstacles::frame(said, &standing.obstacle, began);
                let back = turned.conjugate();
                let made: Vec<DVec3> = first.iter().map(|&point| back * (point - start)).collect();
                points.push(turn(&made, position, rotation));
            }
        }
        _ => {}
    }
}
