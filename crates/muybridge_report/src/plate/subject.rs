//! Subject of a plate: figures, view directions, and spacing of the figures.
//!
//! The side view shows the horizontal direction of travel r and up. Figures of an in-place clip are spaced by a steady
//! velocity along r: x' = r·p + v (t − t₀). Adding a constant velocity turns a parabola into a parabola, so the
//! ballistic path remains ballistic.

use muybridge::analysis::Analysis;
use muybridge::character::{Character, Role, Side};
use muybridge::glam::DVec3;
use muybridge::motion::{Clip, WorldMotion};

use crate::draw::{Figure, OrthographicView, Palette};
use crate::labels::Labels;

use super::exposures;

/// A clip prepared for a plate.
pub(super) struct PlateSubject<'a> {
    pub character: &'a Character,
    pub analysis: &'a Analysis,
    pub labels: &'a Labels,
    pub world: WorldMotion,
    pub frame_time: f64,
    /// Frames of the exposures, evenly spaced.
    pub frames: Vec<usize>,
    /// One figure per exposure.
    pub figures: Vec<Figure>,
    /// Horizontal unit vector to the right of the side view.
    pub forward: DVec3,
    /// Whether the motion leaves the plane of the side view.
    pub leaves_plane: bool,
    /// Height of the floor, meters; without a floor the lowest shown point.
    pub floor: f64,
    /// Height of the lowest and of the highest shown point, meters.
    pub heights: (f64, f64),
    /// Largest extent of a figure, meters; scales lines and blending.
    pub size: f64,
    /// Extent of the skeleton at rest, meters; travel is compared with it.
    reach: f64,
}

impl<'a> PlateSubject<'a> {
    pub(super) fn new(character: &'a Character, clip: &Clip, analysis: &'a Analysis, labels: &'a Labels) -> Self {
        let world = WorldMotion::new(&character.skeleton, clip);
        let mut subject = Self {
            character,
            analysis,
            labels,
            world,
            frame_time: clip.frame_time,
            frames: Vec::new(),
            figures: Vec::new(),
            forward: DVec3::X,
            leaves_plane: false,
            floor: 0.0,
            heights: (0.0, 1.0),
            size: 1.0,
            reach: extent_at_rest(character),
        };
        subject.expose(12);
        subject.forward = subject.direction();
        subject.leaves_plane = subject.lateral_share() > 0.45;
        subject
    }

    /// Selects up to `count` exposures and measures their figures.
    pub(super) fn expose(&mut self, count: usize) {
        self.frames = exposures::frames(self.analysis, count, 5.5 * self.reach);
        self.figures = self.frames.iter().map(|&frame| Figure::of(self.character, &self.world, frame)).collect();
        let view = self.view(self.forward);
        let bounds: Vec<(DVec3, DVec3)> = self.figures.iter().map(|figure| figure.bounds(&view)).collect();
        let lowest = bounds.iter().fold(f64::INFINITY, |least, (low, _)| least.min(low.y));
        let highest = bounds.iter().fold(f64::NEG_INFINITY, |most, (_, high)| most.max(high.y));
        let (lowest, highest) = if lowest.is_finite() { (lowest, highest) } else { (0.0, 1.0) };
        self.size = bounds.iter().fold(1e-3, |most, (low, high)| most.max((*high - *low).max_element()));
        self.floor = self.analysis.floor.filter(|floor| (floor - lowest).abs() < 4.0 * self.size).unwrap_or(lowest);
        self.heights = (self.floor.min(lowest), highest.max(self.floor + 1e-3));
    }

    /// A view of unit scale: pixel 0 at coordinate 0, one pixel per meter.
    pub(super) fn view(&self, right: DVec3) -> OrthographicView {
        OrthographicView { right, scale: 1.0, origin: (0.0, 0.0), left: 0.0, floor: self.floor }
    }

    /// Left and right edge of the figure of an exposure along `right`, meters.
    pub(super) fn edges(&self, exposure: usize, right: DVec3) -> (f64, f64) {
        let (low, high) = self.figures[exposure].bounds(&self.view(right));
        if low.x.is_finite() { (low.x, high.x) } else { (-0.5, 0.5) }
    }

    /// Width of the widest figure along `right`, meters.
    pub(super) fn widest(&self, right: DVec3) -> f64 {
        let widths = (0..self.frames.len()).map(|exposure| self.edges(exposure, right)).map(|(low, high)| high - low);
        widths.fold(1e-3, f64::max)
    }

    /// Palette of the wall: without a floor the ground has the color of the wall.
    pub(super) fn ground(&self, palette: &Palette) -> Palette {
        match self.analysis.floor {
            Some(_) => *palette,
            None => Palette { ground: palette.backdrop_low, ..*palette },
        }
    }

    /// Seconds from the middle of the exposures to `frame`.
    pub(super) fn seconds(&self, frame: usize) -> f64 {
        let middle = 0.5 * (self.frames[0] + self.frames[self.frames.len() - 1]) as f64;
        (frame as f64 - middle) * self.frame_time
    }

    /// First and last frame shown.
    pub(super) fn shown(&self) -> (usize, usize) {
        (self.frames[0], self.frames[self.frames.len() - 1])
    }

    /// Animated center of mass at a frame, meters; `None` if the frame was not analyzed.
    pub(super) fn mass_center(&self, frame: usize) -> Option<DVec3> {
        self.analysis.per_frame.mass_center.get(frame).copied().flatten()
    }

    /// Displacement of the body by the treadmill ground at `frame`, meters: zero for a clip that travels.
    pub(super) fn ground_offset(&self, frame: usize) -> DVec3 {
        -self.analysis.treadmill * self.seconds(frame)
    }

    /// Position of the body on the ground at a frame, meters: center of mass, or root bone if that is unknown.
    pub(super) fn place(&self, frame: usize) -> DVec3 {
        self.mass_center(frame).unwrap_or_else(|| self.world.position(0, frame)) + self.ground_offset(frame)
    }

    /// Direction of travel, else the direction the person faces, else the longest horizontal axis of the motion.
    fn direction(&self) -> DVec3 {
        let (first, last) = self.shown();
        let travel = (self.place(last) - self.place(first)) * DVec3::new(1.0, 0.0, 1.0);
        if travel.length() > 0.25 * self.size {
            return travel.normalize();
        }
        let facing = self.facing(self.frames[self.frames.len() / 2]);
        facing.unwrap_or_else(|| self.longest_axis())
    }

    fn facing(&self, frame: usize) -> Option<DVec3> {
        let hip = |side| self.character.bone_of(Role::UpperLeg(side)).map(|bone| self.world.position(bone, frame));
        let right = hip(Side::Right)? - hip(Side::Left)?;
        let facing = DVec3::Y.cross(right);
        (facing.length() > 1e-3 * self.size).then(|| facing.normalize())
    }

    fn longest_axis(&self) -> DVec3 {
        let (mut xx, mut xz, mut zz) = (0.0, 0.0, 0.0);
        for (bone, frame) in self.bone_frames() {
            let offset = self.world.position(bone, frame) - self.place(frame);
            (xx, xz, zz) = (xx + offset.x * offset.x, xz + offset.x * offset.z, zz + offset.z * offset.z);
        }
        let angle = 0.5 * libm::atan2(2.0 * xz, xx - zz);
        DVec3::new(libm::cos(angle), 0.0, libm::sin(angle))
    }

    /// Bone movement across the plane of the side view divided by movement within it, root mean square over the
    /// exposures.
    fn lateral_share(&self) -> f64 {
        let across = self.forward.cross(DVec3::Y);
        let count = self.frames.len() as f64;
        let (mut out, mut within) = (0.0, 0.0);
        for bone in 0..self.character.skeleton.len() {
            let places = || self.frames.iter().map(|&frame| self.world.position(bone, frame));
            let mean = places().sum::<DVec3>() / count;
            for offset in places().map(|place| place - mean) {
                out += offset.dot(across) * offset.dot(across);
                within += offset.length_squared() - offset.dot(across) * offset.dot(across);
            }
        }
        let floor = 0.02 * self.size;
        let samples = count * self.character.skeleton.len() as f64;
        (out / samples).sqrt() / (within / samples).sqrt().max(floor)
    }

    fn bone_frames(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.character.skeleton.len()).flat_map(|bone| self.frames.iter().map(move |&frame| (bone, frame)))
    }
}

/// Largest side of the bounding box of the bones at rest, meters, at least 0.3.
fn extent_at_rest(character: &Character) -> f64 {
    let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let rest = character.skeleton.rest_pose();
    let (low, high) = rest.iter().fold(empty, |(low, high), (place, _)| (low.min(*place), high.max(*place)));
    (high - low).max_element().max(0.3)
}
