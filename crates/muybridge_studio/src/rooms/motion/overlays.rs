//! Overlays: drawings of the motion at the time of the cursor, each with its own toggle.
//!
//! ```text
//! overlays/paths.rs    center of mass, its projection on the floor, flights and the family of curves
//! overlays/demands.rs  momenta, zero-moment point, support, contacts, unseen support
//! overlays/measure.rs  ghost exposures, pole and meter labels
//! overlays/panel.rs    toggles, each beside the sign it is drawn with
//! ```
//! All numbers come from the analysis; overlays only compute where to draw them.

mod demands;
mod measure;
mod panel;
mod paths;

use crate::motions::AnalyzedMotion;
use crate::theme::Theme;
use crate::timeline::Bar;
use crate::view::{Drawing, DrawnMesh};

pub use measure::labels;
pub use panel::panel;

/// Which overlays are shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlays {
    /// Collision shapes of the bodies.
    pub bodies: bool,
    /// The skinned mesh of the file, if it has one.
    pub skin: bool,
    /// Lines from bone to bone.
    pub skeleton: bool,
    /// The center of mass and its path.
    pub mass_center: bool,
    /// Projection of the center of mass on the floor, with a drop line.
    pub ground: bool,
    /// The ballistic path of each flight.
    pub ballistic: bool,
    /// Ballistic paths between the same ends in less and in more time.
    pub family: bool,
    /// Arrow of the linear momentum.
    pub linear_momentum: bool,
    /// Arrow of the angular momentum, with an arc that shows the sense of rotation.
    pub angular_momentum: bool,
    /// The zero-moment point.
    pub zero_moment_point: bool,
    /// The support polygon.
    pub support: bool,
    /// Ticks below the bodies in contact.
    pub contacts: bool,
    /// A dotted box at frames in which something that the clip does not show must support the body.
    pub unseen: bool,
    /// Ghosts evenly spaced in time.
    pub exposures: bool,
    /// A measuring pole, and meters along the floor.
    pub scale: bool,
    /// Number of ghosts, 6 to 12.
    pub exposure_count: usize,
    /// Shortest and longest time of the family of curves, as fractions of the flight's duration.
    pub family_times: [f64; 2],
}

impl Default for Overlays {
    fn default() -> Self {
        Self {
            bodies: true,
            skin: true,
            skeleton: false,
            mass_center: true,
            ground: true,
            ballistic: true,
            family: false,
            linear_momentum: false,
            angular_momentum: false,
            zero_moment_point: true,
            support: true,
            contacts: true,
            unseen: true,
            exposures: false,
            scale: true,
            exposure_count: 8,
            family_times: [0.5, 1.5],
        }
    }
}

impl Overlays {
    /// The overlays with only bodies, skin and skeleton shown as before; all others are off.
    pub fn without_signs(&self) -> Self {
        let mut bare = *self;
        bare.signs().into_iter().for_each(|sign| *sign = false);
        bare
    }

    /// Toggles of all overlays except bodies, skin and skeleton.
    fn signs(&mut self) -> [&mut bool; 12] {
        [
            &mut self.mass_center,
            &mut self.ground,
            &mut self.ballistic,
            &mut self.family,
            &mut self.linear_momentum,
            &mut self.angular_momentum,
            &mut self.zero_moment_point,
            &mut self.support,
            &mut self.contacts,
            &mut self.unseen,
            &mut self.exposures,
            &mut self.scale,
        ]
    }
}

/// Draws a frame of the motion with its overlays.
pub fn drawing(motion: &AnalyzedMotion, frame: usize, overlays: &Overlays, theme: &Theme) -> Drawing {
    let floor = motion.analysis.floor;
    let mut drawing = Drawing { floor: Some(floor.unwrap_or(0.0)), ..Drawing::default() };
    let character = &motion.prepared.character;
    let pose = |bone: usize| motion.pose(bone, frame);
    let skinned = overlays.skin && !motion.skins.is_empty();
    if overlays.bodies {
        // Bodies are visible through the skin.
        drawing.character(character, pose, if skinned { theme.body.gamma_multiply(0.3) } else { theme.body });
    }
    if skinned {
        skin(&mut drawing, motion, frame, theme);
    }
    if overlays.skeleton {
        drawing.skeleton(character, pose, theme.text);
    }
    let parts: [(bool, OverlayPainter); 12] = [
        (overlays.exposures, measure::exposures),
        (overlays.scale, measure::pole),
        (overlays.support, demands::support),
        (overlays.contacts, demands::contacts),
        (overlays.unseen, demands::unseen),
        (overlays.family, paths::family),
        (overlays.mass_center, paths::mass_center),
        (overlays.ground, paths::ground),
        (overlays.ballistic, paths::ballistic),
        (overlays.zero_moment_point, demands::zero_moment_point),
        (overlays.linear_momentum, demands::linear_momentum),
        (overlays.angular_momentum, demands::angular_momentum),
    ];
    let scene = OverlayInput { motion, frame, overlays, theme };
    parts.iter().filter(|(shown, _)| *shown).for_each(|(_, add)| add(&mut drawing, &scene));
    drawing
}

/// Draws the skinned meshes of the file in the pose of a frame.
fn skin(drawing: &mut Drawing, motion: &AnalyzedMotion, frame: usize, theme: &Theme) {
    let bones = motion.prepared.character.skeleton.len();
    let pose: Vec<_> = (0..bones).map(|bone| motion.pose(bone, frame)).collect();
    for mesh in motion.skins.iter() {
        let (mut points, mut normals) = (mesh.points.clone(), mesh.normals.clone());
        mesh.pose_points(&pose, &mut points);
        if !normals.is_empty() {
            mesh.pose_normals(&pose, &mut normals);
        }
        drawing.meshes.push(DrawnMesh {
            points,
            normals,
            colors: vec![theme.cloth],
            triangles: mesh.triangles.clone(),
        });
    }
}

/// Draws another motion at a time in seconds as a ghost.
pub fn ghost(drawing: &mut Drawing, motion: &AnalyzedMotion, time: f64, theme: &Theme) {
    let clip = &motion.prepared.clip;
    let frame = ((time / clip.frame_time).round() as usize).min(clip.frames().saturating_sub(1));
    drawing.character(&motion.prepared.character, |bone| motion.pose(bone, frame), theme.quiet.gamma_multiply(0.35));
    let path: Vec<muybridge::glam::DVec3> = motion.analysis.per_frame.mass_center.iter().copied().flatten().collect();
    drawing.path(&path, 1.5, theme.quiet, crate::view::Stroke::Solid);
}

/// Input of an overlay.
struct OverlayInput<'a> {
    motion: &'a AnalyzedMotion,
    frame: usize,
    overlays: &'a Overlays,
    theme: &'a Theme,
}

/// Function that adds one overlay to a drawing.
type OverlayPainter = fn(&mut Drawing, &OverlayInput<'_>);

/// Rows of bars under the time line: flights and contacts.
pub const ROWS: [&str; 2] = ["flight", "contact"];

/// Bars of flights, unseen support and contacts for the rows under the time line.
pub fn bars(motion: &AnalyzedMotion, theme: &Theme) -> Vec<Bar> {
    let analysis = &motion.analysis;
    let mut bars = Vec::new();
    for flight in &analysis.flights {
        let words = format!("flight {:.2}–{:.2} s, {:.2} g", flight.span.start, flight.span.end, flight.gravity);
        bars.push(Bar { row: ROWS[0], frames: (flight.span.first, flight.span.last), color: theme.ballistic, words });
    }
    for span in &analysis.unseen_support {
        let words = format!("carried by something the clip does not show, {:.2}–{:.2} s", span.start, span.end);
        bars.push(Bar { row: ROWS[0], frames: (span.first, span.last), color: theme.unseen, words });
    }
    let touches = analysis.per_frame.contacts.iter().map(|bones| !bones.is_empty());
    for (first, end) in muybridge::analysis::runs(touches) {
        let words = format!("contact, frames {first} to {}", end - 1);
        bars.push(Bar { row: ROWS[1], frames: (first, end - 1), color: theme.contact, words });
    }
    bars
}

/// Frames at which a flight or a contact begins or ends, in order.
pub fn events(motion: &AnalyzedMotion) -> Vec<usize> {
    let flights = motion.analysis.flights.iter().flat_map(|flight| [flight.span.first, flight.span.last]);
    let touches = motion.analysis.per_frame.contacts.iter().map(|bones| !bones.is_empty());
    let contacts = muybridge::analysis::runs(touches).into_iter().flat_map(|(first, end)| [first, end - 1]);
    let mut frames: Vec<usize> = flights.chain(contacts).collect();
    frames.sort_unstable();
    frames.dedup();
    frames
}
