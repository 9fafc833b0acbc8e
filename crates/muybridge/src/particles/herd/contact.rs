//! Capsule ends against obstacles: an effective mass holds a contact point until the substep ends.
//!
//! ```text
//! gap_0, gap_1         before the substep and as predicted;   allowed = min(0, p gap_0, gap_0 + recovery)
//! active               if gap_1 < allowed
//! + ½ k (n·q + gap_1 − allowed)²  + ½ k_t ‖q_t + D_t‖²         q: correction by the solve, D: prediction
//! k_t = min(k, μ λ/‖D_t‖)                                     Coulomb, λ: normal impulse of the substep before
//! ```
//! Both terms enter the tree solve (mathematics 4.6), so that a foot feels the weight of the whole body above it. k is
//! twenty times the mass of the ragdoll: one substep stops a hit to 5 %, without rebound (restitution 0). A contact
//! that pulled is released for a substep. Specification: mathematics 3.9.3, 3.11.

use super::algebra::{Articulated, elements, symmetric, three};
use super::kernel::KernelPace;
use super::limit::size;
use super::rows::{BlockWidth, BodyRows, LaneValues, Lanes, Sixteen};
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;

/// Obstacles relative to the origins of the ragdolls of a block.
#[derive(Clone, Debug, Default)]
pub struct Obstacles<W: BlockWidth = Sixteen> {
    /// Half-spaces.
    pub planes: Vec<PlaneRows<W>>,
    /// Rounded boxes: spheres (zero extent), capsules (one extent) and boxes.
    pub boxes: Vec<BoxRows<W>>,
}

/// A half-space.
#[derive(Clone, Copy, Debug)]
pub struct PlaneRows<W: BlockWidth = Sixteen> {
    /// Unit normal, out of the ground.
    pub normal: [f32; 3],
    /// Offset of its plane along the normal, meters.
    pub offset: LaneValues<W>,
    /// Coulomb friction coefficient of a contact with it.
    pub friction: f32,
}

/// A box with rounded edges.
#[derive(Clone, Copy, Debug)]
pub struct BoxRows<W: BlockWidth = Sixteen> {
    /// Center relative to the origin of each lane, meters.
    pub center: [LaneValues<W>; 3],
    /// Box axes in world axes.
    pub axes: [[f32; 3]; 3],
    /// Half extents along the axes, meters.
    pub half: [f32; 3],
    /// Rounding radius, meters.
    pub radius: f32,
    /// Coulomb friction coefficient of a contact with it.
    pub friction: f32,
}

impl<W: BlockWidth> Obstacles<W> {
    /// Whether there are no obstacles.
    pub fn is_empty(&self) -> bool {
        self.planes.is_empty() && self.boxes.is_empty()
    }
}

/// An end of a capsule, in principal axes of its body.
#[derive(Clone, Copy)]
pub struct Skin<'a> {
    /// Center of the end sphere in principal axes, meters.
    pub end: &'a [f32; 3],
    /// Radius, meters.
    pub radius: f32,
}

/// Contact data from which the impulse is computed after the solve.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct ContactRows<W: BlockWidth = Sixteen> {
    lever: [LaneValues<W>; 3],
    normal: [LaneValues<W>; 3],
    wanted: LaneValues<W>,
    hold: LaneValues<W>,
    /// Whether the contact is active after revision: 1 or 0.
    holds: LaneValues<W>,
    pub(super) is_active: bool,
}

impl<W: BlockWidth> ContactRows<W> {
    pub(super) const NONE: Self = Self {
        lever: [LaneValues::ZERO; 3],
        normal: [LaneValues::ZERO; 3],
        wanted: LaneValues::ZERO,
        hold: LaneValues::ZERO,
        holds: LaneValues::ZERO,
        is_active: false,
    };

    /// Normal impulse times the substep, kg m.
    #[inline(always)]
    pub(super) fn impulse<V: SingleLanes>(&self, lanes: Lanes<V>, shift: LaneVector<V>, turn: LaneVector<V>) -> V {
        let moved = shift.plus(turn.cross(lanes.vector(&self.lever)));
        let short = lanes.load(&self.wanted) - moved.dot(lanes.vector(&self.normal));
        let (zero, hold) = (lanes.same(0.0), lanes.load(&self.hold));
        V::select(zero.is_below(hold), short * hold, zero)
    }
}

/// Penetration that triggers another solve, meters.
const NEWS: f32 = 2e-4;

/// Penetration above which a contact that pulled is not released for a substep, meters.
const TOO_DEEP: f32 = 0.004;

/// Adds the contact of one capsule end to the articulated body. It is active by prediction in the lanes of `near`, or by
/// revision if there is no mask. Returns the depth of the penetration and the gap there, meters.
#[inline(always)]
pub fn hold<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    pace: &KernelPace,
    obstacles: &Obstacles<W>,
    skin: Skin<'_>,
    (rows, spin): (&BodyRows<W>, &[LaneValues<W>; 3]),
    (touch, contact, near): (&LaneValues<W>, &mut ContactRows<W>, Option<V::Mask>),
    articulated: &mut Articulated<V>,
) -> [V; 2] {
    let (axes, turned) = (lanes.vectors(&rows.axes), lanes.vectors(&rows.turned));
    let arm = lanes.combined(&axes, skin.end);
    let before = lanes.vector(&rows.center).plus(arm);
    let way = lanes.vector(&rows.moved).plus(lanes.combined(&turned, skin.end));
    let Nearest { normal, gap, friction } = nearest(lanes, obstacles, skin.radius, before);
    let zero = lanes.same(0.0);
    let allowed = (gap * lanes.same(pace.patience)).least(gap + lanes.same(pace.recovery[0])).least(zero);
    let over = gap + way.dot(normal) - allowed;
    let last = lanes.load(touch);
    let is_on = if let Some(near) = near {
        let is_ready = V::either((-last).is_below(lanes.same(1e-9)), gap.is_below(lanes.same(-TOO_DEEP)));
        V::both(near, V::both(over.is_below(zero), is_ready))
    } else {
        lanes.same(0.5).is_below(lanes.load(&contact.holds))
    };
    contact.is_active = V::any(is_on);
    if !contact.is_active {
        lanes.store(zero, &mut contact.hold);
        return [zero, gap];
    }
    let stiff = V::select(is_on, lanes.same(pace.hold), zero);
    let lever = arm.minus(lanes.times(normal, skin.radius));
    // The skin rolls: half the sum of axis × its displacement is the rotation of the substep.
    let turn = lanes.times(lanes.vector(spin), -0.5 * skin.radius);
    let slide = way.plus(turn.cross(normal));
    let slide = slide.minus(normal.scaled(slide.dot(normal)));
    let speed = slide.dot(slide).sqrt().greatest(lanes.same(1e-9));
    let grip = (last.greatest(zero) * friction / speed).least(stiff);
    let extra = stiff - grip;
    let n = elements(normal);
    let mass = symmetric!(|i, j| if i == j { grip + extra * n[i] * n[j] } else { extra * n[i] * n[j] });
    let force = slide.scaled(grip).plus(normal.scaled(stiff * over));
    articulated.add_point(&mass, lever, force);
    lanes.store_vector(lever, &mut contact.lever);
    lanes.store_vector(normal, &mut contact.normal);
    lanes.store(-over, &mut contact.wanted);
    lanes.store(stiff, &mut contact.hold);
    [V::select(is_on, -gap, zero), gap]
}

/// Upper bound of the way of the ends of a body's capsules, from the motion of the body and their greatest distance from its
/// center.
#[inline(always)]
pub fn way<V: SingleLanes>(lanes: Lanes<V>, reach: f32, shift: LaneVector<V>, turn: LaneVector<V>) -> V {
    let swept = size(turn) + turn.dot(turn) * lanes.same(2.0);
    size(shift) + swept * lanes.same(reach)
}

/// Penetration depth of one capsule end, meters; below 0 outside.
#[inline(always)]
pub fn depth<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    obstacles: &Obstacles<W>,
    skin: Skin<'_>,
    rows: &BodyRows<W>,
) -> V {
    if obstacles.is_empty() {
        return lanes.same(0.0);
    }
    let arm = lanes.combined(&lanes.vectors(&rows.axes), skin.end);
    -nearest(lanes, obstacles, skin.radius, lanes.vector(&rows.center).plus(arm)).gap
}

/// Active-set update: whether a contact is active in the next solve; only in the lanes of `near`. Returns 1 in lanes with a
/// change.
#[inline(always)]
pub fn revise<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    obstacles: &Obstacles<W>,
    skin: Skin<'_>,
    rows: &BodyRows<W>,
    (shift, turn): (LaneVector<V>, LaneVector<V>),
    (contact, may_release, [solved, near]): (&mut ContactRows<W>, bool, [V; 2]),
) -> V {
    if obstacles.is_empty() {
        return lanes.same(0.0);
    }
    let (axes, turned) = (lanes.vectors(&rows.axes), lanes.vectors(&rows.turned));
    let arm = lanes.combined(&axes, skin.end);
    let before = lanes.vector(&rows.center).plus(arm);
    let way = lanes.vector(&rows.moved).plus(lanes.combined(&turned, skin.end)).plus(shift).plus(turn.cross(arm));
    let Nearest { normal, gap, .. } = nearest(lanes, obstacles, skin.radius, before);
    let (zero, one) = (lanes.same(0.0), lanes.same(1.0));
    let is_out = (gap + way.dot(normal)).is_below(gap.least(zero) - lanes.same(NEWS));
    let is_held = if contact.is_active { zero.is_below(lanes.load(&contact.hold)) } else { one.is_below(zero) };
    let pulls = contact.impulse(lanes, shift, turn).is_below(zero);
    let now =
        V::select(is_held, if may_release { V::select(pulls, zero, one) } else { one }, V::select(is_out, one, zero));
    let held = V::select(is_held, one, zero);
    let now = V::select(zero.is_below(solved), now.least(near), held);
    lanes.store(now, &mut contact.holds);
    (now - held).abs()
}

/// The nearest obstacle of a point.
struct Nearest<V> {
    /// Direction away from it.
    normal: LaneVector<V>,
    /// Gap between it and the skin around the point, meters.
    gap: V,
    /// Coulomb friction coefficient of a contact with it.
    friction: V,
}

/// The obstacle nearest to the skin of `radius` around `point`.
#[inline(always)]
fn nearest<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    obstacles: &Obstacles<W>,
    radius: f32,
    point: LaneVector<V>,
) -> Nearest<V> {
    let mut nearest = match obstacles.planes.first() {
        Some(plane) => over_plane(lanes, plane, radius, point),
        None => around_box(lanes, &obstacles.boxes[0], radius, point),
    };
    for plane in obstacles.planes.iter().skip(1) {
        nearest = nearest.or_nearer(over_plane(lanes, plane, radius, point));
    }
    for rounded in &obstacles.boxes {
        nearest = nearest.or_nearer(around_box(lanes, rounded, radius, point));
    }
    nearest
}

impl<V: SingleLanes> Nearest<V> {
    #[inline(always)]
    fn or_nearer(self, other: Self) -> Self {
        let is_nearer = other.gap.is_below(self.gap);
        Self {
            normal: LaneVector::select(is_nearer, other.normal, self.normal),
            gap: V::select(is_nearer, other.gap, self.gap),
            friction: V::select(is_nearer, other.friction, self.friction),
        }
    }
}

#[inline(always)]
fn over_plane<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    plane: &PlaneRows<W>,
    radius: f32,
    point: LaneVector<V>,
) -> Nearest<V> {
    let normal = lanes.same_vector(plane.normal);
    let height = match plane.normal {
        [x, y, z] if x == 0.0 && y == 1.0 && z == 0.0 => point.y,
        _ => point.dot(normal),
    };
    let gap = height - lanes.load(&plane.offset) - lanes.same(radius);
    Nearest { normal, gap, friction: lanes.same(plane.friction) }
}

/// Direction and gap from the nearest point of a rounded box; inside, out through the nearest face.
#[inline(always)]
fn around_box<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    rounded: &BoxRows<W>,
    radius: f32,
    point: LaneVector<V>,
) -> Nearest<V> {
    let away = point.minus(lanes.vector(&rounded.center));
    let axes = three!(|i| lanes.same_vector(rounded.axes[i]));
    let (zero, one) = (lanes.same(0.0), lanes.same(1.0));
    let local = three!(|i| away.dot(axes[i]));
    let half = three!(|i| lanes.same(rounded.half[i]));
    let outside = three!(|i| (local[i].abs() - half[i]).greatest(zero).with_sign_of(local[i]));
    let distance = (outside[0] * outside[0] + outside[1] * outside[1] + outside[2] * outside[2]).sqrt();
    let depth = three!(|i| local[i].abs() - half[i]);
    let deepest = depth[0].greatest(depth[1]).greatest(depth[2]);
    let is_inside = distance.is_below(lanes.same(1e-7));
    let scale = one / distance.greatest(lanes.same(1e-7));
    let face = three!(|i| V::select(depth[i].is_below(deepest), zero, one.with_sign_of(local[i])));
    let size = (face[0] * face[0] + face[1] * face[1] + face[2] * face[2]).sqrt();
    let part = three!(|i| V::select(is_inside, face[i] / size, outside[i] * scale));
    let normal = axes[0].scaled(part[0]).plus(axes[1].scaled(part[1])).plus(axes[2].scaled(part[2]));
    let gap = V::select(is_inside, deepest, distance);
    Nearest { normal, gap: gap - lanes.same(radius + rounded.radius), friction: lanes.same(rounded.friction) }
}
