//! Contact constraint: no penetration, friction bounded by the normal impulse, restitution.
//!
//! ```text
//! normal       C = n·(P − Q) − r ≥ min(0, C*)           Δλ = −C / K,   λ ← max(0, λ + Δλ)             (3.9.3)
//! rolling      φ the turn of a body on an obstacle      remove it with ‖λ_r‖ ≤ ρ λ,   K = φ̂·I⁻¹ φ̂
//! friction     u_t = (1 − n nᵀ)((P − P*) − (Q − Q*))    remove it with ‖λ_t‖ ≤ μ λ                     (3.4)
//! restitution  displacement along n = e v h + ½ a h²,  v² h² = (D − ½ a h²)² + 2 a h² C*                (3.3, 3.1.1)
//! ```
//! `*` marks the start of the substep, `K` is the mobility of both sides, `a` the acceleration towards the obstacle, `D` the
//! predicted displacement towards it, `v` the speed at the instant of touch. `λ
//! K` is the depth `d_p` of 3.4. An earlier overlap (`C* < 0`) is kept by the projection, because correcting it there
//! would add the speed `−C*/h`. It is reduced in positions and previous positions alike.
//!
//! A displacement is the speed at the middle of a substep, the hit happens somewhere within it, and what bounces leaves the
//! surface at its end. Fallen heights take all of this into account, so that a bounce reaches the height of the fall exactly.
//! Specification: mathematics 3.3 (R3, J6, J7), 3.4 (J36), 3.9.3.

use glam::DVec3;

use super::memory::WarmContact;
use super::response::{Bodies, ContactSide};
use super::surfaces::Surfaces;
use super::{Other, Touching};

/// A contact constraint between two points, with its multipliers of this substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactConstraint {
    surface: usize,
    other: Other,
    sides: [ContactSide; 2],
    /// Unit normal from the other to the collider.
    normal: DVec3,
    /// Lower limit of `n·(P − Q)`, meters.
    offset: f64,
    /// Displacement of the obstacle's contact point in the substep, meters.
    pub drift: DVec3,
    pub friction: f64,
    pub restitution: f64,
    /// Lever arm of the rolling resistance, meters.
    pub rolling: f64,
    /// Gap between the skins at the start of the substep, meters; negative for an overlap.
    pub gap_before: f64,
    /// Overlap at the start of the substep, before it was reduced, meters; 0 for a gap.
    pub depth: f64,
    /// Predicted relative displacement of the points along the normal, meters; negative for approach.
    approach: f64,
    /// Distance of the points along the normal, `n·(P − Q)`, at the start of the substep, meters.
    apart_before: f64,
    /// Energy of each body at the start, times the square of the substep, kg m².
    energies_before: Option<[f64; 2]>,
    /// Normal and friction multipliers of the substep, kg m.
    push: f64,
    slide: DVec3,
    /// Accumulated slip of the points while the contact sticks, not yet seen by friction, meters.
    slipped: DVec3,
    /// Multiplier of the rolling resistance, kg m².
    roll: DVec3,
    /// Whether it pushed in the substep before.
    pub rests: bool,
    /// Whether each side falls freely: it moves, and nothing holds it up.
    falls: [bool; 2],
    /// Fall of the other sides in the prediction, along the normal, meters.
    carried: f64,
    /// Displacement of the points along the normal before the bounces, meters, and the impulse of the bounces, kg m.
    parting_before: f64,
    bounce: f64,
    /// Whether it ended in this substep with a bounce.
    pub has_bounced: bool,
}

/// Overlaps below this count as rounding, meters.
const ROUNDING: f64 = 1e-9;
/// Share of an earlier overlap that is removed per substep, and the greatest speed of removal, meters per second.
const RECOVERY: f64 = 0.2;
const RECOVERY_SPEED: f64 = 2.0;
/// Greatest speed that a warm-started impulse may give, meters per second. Faster pushes come from hits, which are
/// over: the full impulse would throw a light limb.
const CARRIED_SPEED: f64 = 2.0;
/// Greatest slip speed that counts as creep of a sticking contact, meters per second. Faster slip comes from a hit.
const CREEP_SPEED: f64 = 0.2;
/// A contact sticks if its friction is below this share of the friction limit.
const STUCK: f64 = 0.999;

impl ContactConstraint {
    pub fn new(surface: usize, other: Other, sides: [ContactSide; 2], normal: DVec3, offset: f64) -> Self {
        Self {
            surface,
            other,
            sides: ContactSide::meeting(sides, matches!(other, Other::Obstacle(_))),
            normal,
            offset,
            drift: DVec3::ZERO,
            friction: 0.0,
            restitution: 0.0,
            rolling: 0.0,
            gap_before: 0.0,
            depth: 0.0,
            approach: 0.0,
            apart_before: 0.0,
            energies_before: None,
            push: 0.0,
            slide: DVec3::ZERO,
            slipped: DVec3::ZERO,
            roll: DVec3::ZERO,
            rests: false,
            falls: [false; 2],
            carried: 0.0,
            parting_before: 0.0,
            bounce: 0.0,
            has_bounced: false,
        }
    }

    pub fn pushes(&self) -> bool {
        self.push > 0.0
    }

    /// Whether the sides approach by more than `least`, meters, before it is solved.
    pub fn strikes(&self, least: f64) -> bool {
        self.approach < -least
    }

    /// Colliders of the model in this contact: one or two.
    pub fn surfaces(&self) -> impl Iterator<Item = usize> {
        self.other.surfaces(self.surface)
    }

    /// Whether the multipliers may start those of the next substep: they are finite, and the contact did not end with a
    /// bounce.
    pub fn lasts(&self) -> bool {
        self.pushes() && !self.has_bounced && self.push.is_finite() && self.slide.is_finite() && self.roll.is_finite()
    }

    pub fn touching(&self) -> Touching {
        Touching { surface: self.surface, other: self.other, push: self.push, normal: self.normal }
    }

    /// Contact point on the skin of the collider (meters), and its normal.
    pub fn place(&self, surfaces: &Surfaces, positions: &[DVec3]) -> (DVec3, DVec3) {
        let radius = surfaces.list[self.surface].radius;
        (self.sides[0].lever.position(positions) - self.normal * radius, self.normal)
    }

    /// Sort key of contacts.
    pub fn pair(&self) -> (bool, usize, usize) {
        WarmContact::pair(self.surface, self.other)
    }

    /// Impulses of this contact, for the warm start.
    pub fn held(&self) -> WarmContact {
        let (places, normal) = (self.sides.map(|side| side.lever), self.normal);
        WarmContact {
            surface: self.surface,
            other: self.other,
            places,
            normal,
            push: self.push,
            slide: self.slide,
            slipped: self.slipped,
            roll: self.roll,
        }
    }

    /// Whether a saved contact matches: levers within a tenth of their weights, and a similar normal.
    pub fn is_where(&self, held: &WarmContact) -> bool {
        let near = |i: usize| self.sides[i].lever.is_near(&held.places[i]);
        self.normal.dot(held.normal) > 0.9 && near(0) && near(1)
    }

    /// Takes over the multipliers of the previous substep, without those of friction between two bodies that have no joints:
    /// most of them have ended a slip, and would give a stack of boxes the opposite one.
    pub fn take_over(&mut self, held: &WarmContact) {
        self.push = held.push;
        if !self.is_without_joints() {
            self.slide = self.across(held.slide);
            self.slipped = self.across(held.slipped);
        }
        self.roll = held.roll;
        self.rests = true;
    }

    /// Multiplies the multipliers by `ratio`.
    pub fn rescale(&mut self, ratio: f64) {
        self.push *= ratio;
        self.slide *= ratio;
        self.roll *= ratio;
    }

    /// Applies the warm-start impulse, limited to `CARRIED_SPEED`. Where friction holds no turn, `bodies` gather it.
    pub fn push_again(&mut self, bodies: &mut Bodies, positions: &mut [DVec3], seconds: f64) {
        let (moved, most) = (self.push * self.mobility(bodies, self.normal, positions), CARRIED_SPEED * seconds);
        if moved > most {
            self.rescale(most / moved);
        }
        if self.friction > 0.0 {
            self.push_apart(bodies, self.normal * self.push + self.slide, 1.0, positions);
            if self.roll != DVec3::ZERO {
                bodies.twist(&self.sides[0], self.roll, positions);
            }
            return;
        }
        let push = self.normal * self.push;
        for (side, push, moment) in [(&self.sides[0], push, self.roll), (&self.sides[1], -push, DVec3::ZERO)] {
            bodies.gather(side, (push, moment), positions);
        }
    }

    /// Records the approach of the sides, their distance and energy at the start. `fall` is the acceleration of gravity times
    /// the square of the substep, meters.
    pub fn start(&mut self, bodies: &Bodies, positions: &[DVec3], previous: &[DVec3], fall: DVec3) {
        bodies.hold_arms(&mut self.sides, previous);
        self.approach = self.approach_of(positions, previous);
        self.falls = self.sides.map(|side| !bodies.is_nothing(&side));
        self.apart_before = self.normal.dot(self.apart(previous));
        self.depth = self.depth.max(-self.gap_before).max(0.0);
        if self.gap_before >= -ROUNDING {
            self.gap_before = self.gap_before.max(0.0);
        }
        let is_free = |side: &ContactSide| side.is_free() || bodies.is_nothing(side);
        if self.restitution > 0.0 && self.drift == DVec3::ZERO && self.sides.iter().all(is_free) {
            self.energies_before = Some(self.energies(bodies, [previous, positions], fall));
        }
    }

    /// Reduces an earlier overlap, unless a neighboring contact has done so already.
    pub fn recover(&mut self, bodies: &Bodies, positions: &mut [DVec3], previous: &mut [DVec3], seconds: f64) {
        if self.gap_before >= 0.0 {
            return;
        }
        let wanted = (-self.gap_before * RECOVERY).min(RECOVERY_SPEED * seconds);
        let done = self.normal.dot(self.apart(previous)) - self.apart_before;
        let mobility = self.mobility(bodies, self.normal, positions);
        if mobility > 0.0 && wanted > done {
            for (side, sign) in self.sides.iter().zip([1.0, -1.0]) {
                let apart = self.normal * (sign * (wanted - done));
                bodies.push_all(side, apart, mobility, [&mut *previous, &mut *positions]);
            }
        }
        self.gap_before += wanted.max(done);
    }

    /// One pass: normal push, friction, rolling resistance. Returns the change of the gap by the push, meters.
    pub fn project(&mut self, bodies: &Bodies, positions: &mut [DVec3], previous: &[DVec3]) -> f64 {
        let gap = self.gap(positions);
        if self.push == 0.0 && gap >= 0.0 {
            return 0.0;
        }
        let mobility = self.mobility(bodies, self.normal, positions);
        if mobility <= 0.0 {
            return 0.0;
        }
        // The push back is limited: the multiplier stays at or above zero.
        let change = (-gap).max(-self.push * mobility);
        self.push = (self.push + change / mobility).max(0.0);
        self.push_apart(bodies, self.normal * change, mobility, positions);
        self.resist(bodies, positions, previous);
        change.abs()
    }

    /// Friction and rolling resistance, with the present push.
    pub fn resist(&mut self, bodies: &Bodies, positions: &mut [DVec3], previous: &[DVec3]) {
        if self.push == 0.0 && self.slide == DVec3::ZERO {
            return;
        }
        if self.friction > 0.0 {
            self.rub(bodies, positions, previous);
        }
        if self.rolling > 0.0 {
            self.brake(bodies, positions, previous);
        }
    }

    /// Gap that the constraint keeps from being negative, meters.
    pub fn gap(&self, positions: &[DVec3]) -> f64 {
        self.normal.dot(self.apart(positions)) - self.offset - self.gap_before.min(0.0)
    }

    /// Whether all that moves in it responds as a rigid body.
    pub fn is_rigid(&self, bodies: &Bodies) -> bool {
        self.sides.iter().all(|side| bodies.is_rigid(side))
    }

    /// Whether a body without joints or a single particle has a part in it. Joints pass on what else hits something fixed.
    pub fn is_of_free(&self) -> bool {
        self.sides.iter().any(|side| side.is_free() || side.is_loose())
    }

    /// Whether both sides are bodies without joints.
    fn is_without_joints(&self) -> bool {
        self.sides.iter().all(ContactSide::is_free)
    }

    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    pub fn side(&self, side: usize) -> &ContactSide {
        &self.sides[side]
    }

    /// Normal multiplier of the substep, kg m.
    pub fn push(&self) -> f64 {
        self.push
    }

    /// Adds to the normal multiplier.
    pub fn add_push(&mut self, change: f64) {
        self.push = (self.push + change).max(0.0);
    }

    /// Removes the rolling of the body, up to the rolling resistance.
    fn brake(&mut self, bodies: &Bodies, positions: &mut [DVec3], previous: &[DVec3]) {
        let Some((turned, yielding)) = bodies.turned(&self.sides[0], positions, previous) else { return };
        let allowed = (self.roll - turned / yielding).clamp_length_max(self.rolling * self.push);
        let change = allowed - self.roll;
        self.roll = allowed;
        bodies.twist(&self.sides[0], change, positions);
    }

    /// Removes the slip of the points, up to the friction limit.
    fn rub(&mut self, bodies: &Bodies, positions: &mut [DVec3], previous: &[DVec3]) {
        let slid = self.slid(bodies, positions, previous) + self.slipped;
        let distance = slid.length();
        let most = self.friction * self.push;
        if distance == 0.0 && self.slide == DVec3::ZERO {
            return;
        }
        let wanted = if distance > 0.0 {
            self.slide - slid / self.mobility(bodies, slid / distance, positions)
        } else {
            self.slide
        };
        let allowed = wanted.clamp_length_max(most);
        let change = allowed - self.slide;
        self.slide = allowed;
        self.push_apart(bodies, change, 1.0, positions);
    }

    /// Records the slip that remains after friction at the end of a substep, because joints come last and move sticking
    /// contacts. Without this record, every substep would start from the moved place, and a heap would creep.
    pub fn note_slip(&mut self, bodies: &Bodies, positions: &[DVec3], previous: &[DVec3], seconds: f64) {
        let sticks = self.push > 0.0 && self.slide.length() < self.friction * self.push * STUCK;
        if !sticks {
            self.slipped = DVec3::ZERO;
            return;
        }
        let slipped = self.slid(bodies, positions, previous) + self.slipped;
        let crept = slipped.length() <= CREEP_SPEED * seconds;
        self.slipped = if crept { slipped } else { DVec3::ZERO };
    }

    /// Relative tangential displacement of the skins in the substep, meters.
    fn slid(&self, bodies: &Bodies, positions: &[DVec3], previous: &[DVec3]) -> DVec3 {
        let rolled = self.sides.map(|side| bodies.rolled(&side, positions, previous));
        let moved = self.moved(positions, previous) + rolled[0] - rolled[1];
        self.across(moved)
    }

    /// Takes the fall of sides that are held up out of what the hit gives back. `fall` as in [`Self::start`].
    pub fn hold(&mut self, held: [bool; 2], fall: DVec3) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if held[side] && core::mem::take(&mut self.falls[side]) {
                self.carried += sign * fall.dot(self.normal);
            }
        }
    }

    /// Call it before the bounces.
    pub fn begin_bounce(&mut self, positions: &[DVec3], previous: &[DVec3]) {
        (self.parting_before, self.bounce) = (self.approach_of(positions, previous), 0.0);
    }

    /// Impulse of the bounces, kg m.
    pub fn bounce_impulse(&self) -> f64 {
        self.bounce
    }

    /// Adds to it.
    pub fn add_bounce(&mut self, change: f64) {
        self.bounce += change;
    }

    /// What its displacement along the normal lacks for a bounce, meters, with `previous` as it is now; if nothing bounces, by how
    /// much the bounces left the points closer than before, beyond the gap of what does not push. `fall` as in [`Self::start`].
    pub fn missing(&self, positions: &[DVec3], previous: &[DVec3], fall: DVec3) -> f64 {
        match self.rebound(fall) {
            Some(speed) => speed - self.parting([positions, previous], fall),
            None => {
                let room = if self.pushes() { 0.0 } else { self.gap(positions).max(0.0) };
                self.parting_before - self.approach_of(positions, previous) - room
            }
        }
    }

    /// Whether the points bounce apart.
    pub fn bounces(&self, fall: DVec3) -> bool {
        self.push > 0.0 && self.restitution > 0.0 && -self.approach > 2.0 * fall.length()
    }

    /// Speed along the normal with which the points bounce apart, times the substep, meters.
    fn rebound(&self, fall: DVec3) -> Option<f64> {
        let (distance, pull) = ((-self.approach - self.carried).max(0.0), self.pull(fall));
        let gap = self.gap_before.clamp(0.0, distance);
        let square = (distance - 0.5 * pull).powi(2) + 2.0 * pull * gap;
        self.bounces(fall).then(|| self.restitution * square.max(0.0).sqrt())
    }

    /// Speed of the points along the normal at the end of the substep, times the substep, meters.
    pub fn parting(&self, [positions, previous]: [&[DVec3]; 2], fall: DVec3) -> f64 {
        self.approach_of(positions, previous) - 0.5 * self.pull(fall)
    }

    /// Growth of the approach in a substep by gravity, meters: it moves both sides alike, unless one does not fall.
    fn pull(&self, fall: DVec3) -> f64 {
        let [falls, other] = self.falls.map(|falls| f64::from(u8::from(falls)));
        fall.dot(self.normal) * (other - falls)
    }

    /// Applies the restitution of a contact of which a side is no rigid body. Returns the change of the gap, meters.
    pub fn bounce(&mut self, bodies: &Bodies, positions: &[DVec3], previous: &mut [DVec3], fall: DVec3) -> f64 {
        let mobility = self.mobility(bodies, self.normal, previous);
        if mobility <= 0.0 {
            return 0.0;
        }
        let missing = self.missing(positions, previous, fall).max(-self.bounce * mobility);
        self.bounce += missing / mobility;
        self.push_apart(bodies, self.normal * -missing, mobility, previous);
        missing.abs()
    }

    /// Relative displacement of the points along the normal in the substep, meters; negative for approach.
    pub fn approach_of(&self, positions: &[DVec3], previous: &[DVec3]) -> f64 {
        self.normal.dot(self.moved(positions, previous))
    }

    /// Energy of each body at the start of the substep, times the square of the substep, kg m²; `None` if a side is neither a
    /// free rigid body nor an obstacle at rest.
    pub fn energies_before(&self) -> Option<[f64; 2]> {
        self.energies_before
    }

    /// Energy of each body where it is `here`, and `there` a substep before or after, times the square of the substep, kg m².
    pub fn energies(&self, bodies: &Bodies, [here, there]: [&[DVec3]; 2], fall: DVec3) -> [f64; 2] {
        self.sides.map(|side| bodies.energy(&side, [here, there], fall))
    }

    /// Friction multiplier of the substep, kg m.
    pub fn slide(&self) -> DVec3 {
        self.slide
    }

    /// Vector from the other point to the collider's; for an obstacle, from the origin.
    fn apart(&self, positions: &[DVec3]) -> DVec3 {
        self.sides[0].lever.position(positions) - self.sides[1].lever.position(positions)
    }

    /// Component of a vector across the normal.
    fn across(&self, vector: DVec3) -> DVec3 {
        vector - self.normal * self.normal.dot(vector)
    }

    /// Relative displacement of the points in the substep, meters.
    fn moved(&self, positions: &[DVec3], previous: &[DVec3]) -> DVec3 {
        self.apart(positions) - self.apart(previous) - self.drift
    }

    fn mobility(&self, bodies: &Bodies, direction: DVec3, positions: &[DVec3]) -> f64 {
        bodies.mobility(&self.sides[0], direction, positions) + bodies.mobility(&self.sides[1], direction, positions)
    }

    fn push_apart(&self, bodies: &Bodies, change: DVec3, mobility: f64, moved: &mut [DVec3]) {
        bodies.push(&self.sides[0], change, mobility, moved);
        bodies.push(&self.sides[1], -change, mobility, moved);
    }
}
