//! The residual of a clip: the force and moment that its contacts cannot give, frame by frame and in one line.
//!
//! ```text
//! needed    F = M (c̈ − g) − forces of actuators,   Ḣ about the center of mass likewise
//! given     forces in friction cones (μ = 0.9) at the corners of the support polygon, nearest to the need: `contact_wrench`
//! residual  needed − given;   in the air F = M (c̈ − g) and Ḣ themselves, which free fall makes zero
//! ```
//! A point inside the polygon gives no wrench that the corners could not give. Most frames need no search: with friction enough, and a floor that
//! takes any turn about the vertical, the nearest pressure N with its center p (from below the center of mass, at the height h over the floor) is
//! ```text
//! min (F_y − N)² + ‖q* − N p‖²/(L² + h²),   q* = ŷ × Ḣ − h F_horizontal,   p in the polygon,   e = q* − N p
//! H = F_horizontal + h e/(L² + h²)
//! ```
//! the point of a cone over the polygon nearest to (F_y, q*). Shares n_i of N at no more than three corners x_i have their center in p, and
//! ```text
//! f_i = n_i (ŷ + H/N + k ŷ × (x_i − p)),   k = T / Σ n_i ‖x_i − p‖²
//! ```
//! give N, H, p and the turn T. If these forces lie in their cones, k lessened where need be, and the turn left over adds no more than [`NEAR`] to
//! the share, they are taken. A contact counts [`SLACK`] seconds longer on both sides, as in [`super::feasibility`]. Frames that the user marks as
//! supported have no residual. Specification: mathematics 6.5 (b), 6.8 (S34).

use core::f64::consts::FRAC_PI_8;

use glam::{DVec2, DVec3};

use super::contact_wrench::{Demand, FrictionContact};
use super::contacts::PointTracks;
use super::feasibility::{Feasibility, Impossible, Missing, SLACK, longer, missing_wrench};
use super::report::Span;
use super::terrain::Terrain;
use crate::math::hull::{ConvexPolygon, from_ground, on_ground};

/// Coefficient of friction between the body and the ground: that of rubber on a dry floor.
const RESIDUAL_FRICTION: f64 = 0.9;
/// A share this much above the least possible one is taken without a search.
const NEAR: f64 = 0.005;

/// Force and moment that no contact of the clip gives, over the frames that have them.
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    /// Mean force, body weights.
    pub mean_force: f64,
    /// Greatest force, body weights.
    pub worst_force: f64,
    /// Mean moment about the center of mass, N m.
    pub mean_moment: f64,
    /// Greatest moment about the center of mass, N m.
    pub worst_moment: f64,
    /// Spans that ask for more than a tenth of the weight, or of the weight times the length of a leg; by time.
    pub spans: Vec<ResidualSpan>,
    /// The span whose worst frame asks for most, the first of equals; `None` if the contacts can give nearly everything.
    pub worst: Option<ResidualSpan>,
}

/// A span in which the contacts cannot give what the motion asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualSpan {
    /// The frames.
    pub span: Span,
    /// Force at the worst frame, body weights.
    pub force: f64,
    /// Moment about the center of mass at the worst frame, N m.
    pub moment: f64,
    /// Norm of the force by the weight and the moment by weight and leg length, at the worst frame.
    pub share: f64,
    /// Time of the worst frame, seconds.
    pub at: f64,
}

/// The points that bear the body, and the floor they stand on.
pub(crate) struct Bearing<'a> {
    /// World tracks of the contact points.
    pub points: &'a PointTracks,
    /// Whether a point bears weight: `[point][frame]`.
    pub bearing: &'a [Vec<bool>],
    /// Height of the floor, meters; `None` if nothing ever rests.
    pub floor: Option<f64>,
    /// The ground where it is uneven.
    pub terrain: Option<&'a Terrain>,
}

/// Finds the residual of each frame; `demand` is `None` where there is none to judge.
pub(crate) fn residuals(
    frames: usize,
    frame_time: f64,
    support: &Bearing<'_>,
    demand: impl Fn(usize) -> Option<Demand>,
) -> Vec<Option<Missing>> {
    let bearing: Vec<Vec<bool>> = support.bearing.iter().map(|point| longer(point, SLACK / frame_time)).collect();
    let mut spots = Vec::new();
    let of_frame = |frame: usize| {
        let demand = demand(frame)?;
        let Some(floor) = support.floor else { return Some(missing_wrench(&[], &demand)) };
        spots.clear();
        let bears = (0..support.points.len()).filter(|&point| bearing[point][frame]);
        if let Some(terrain) = support.terrain {
            let contact = |point: usize| {
                let position = support.points.place(point, frame);
                FrictionContact { position, normal: terrain.normal(position), friction: RESIDUAL_FRICTION }
            };
            return Some(missing_wrench(&bears.map(contact).collect::<Vec<_>>(), &demand));
        }
        spots.extend(bears.map(|point| on_ground(support.points.spot(point, frame))));
        let hull = ConvexPolygon::new(&spots);
        Some(nearest(hull.corners(), &demand, floor).unwrap_or_else(|| searched(hull.corners(), &demand, floor)))
    };
    (0..frames).map(of_frame).collect()
}

/// The residual by search among all forces in the cones at the corners.
fn searched(corners: &[DVec2], demand: &Demand, floor: f64) -> Missing {
    let contact = |&corner: &DVec2| FrictionContact {
        position: from_ground(corner, floor),
        normal: DVec3::Y,
        friction: RESIDUAL_FRICTION,
    };
    missing_wrench(&corners.iter().map(contact).collect::<Vec<_>>(), demand)
}

/// The residual in closed form; `None` if the forces at the head of this file do not lie in their cones, or are not near enough to the nearest.
fn nearest(corners: &[DVec2], demand: &Demand, floor: f64) -> Option<Missing> {
    let &Demand { mass_center, force, rate, weight, length } = demand;
    let (middle, height) = (on_ground(mass_center), mass_center.y - floor);
    let along = DVec3::new(force.x, 0.0, force.z);
    let arm = libm::sqrt(length * length + height * height);
    let turning = on_ground(DVec3::Y.cross(rate) - height * along);
    let target = DVec3::new(force.y, turning.x / arm, turning.y / arm);
    let pressure = nearest_pressure(corners, middle, arm, target)?;
    let load: f64 = pressure.iter().map(|(_, share)| share).sum();
    let center = pressure.iter().map(|(corner, share)| *corner * *share).sum::<DVec2>() / load;
    let left = turning - load * (center - middle);
    let given = DVec3::Y * load + along + from_ground(left, 0.0) * (height / (arm * arm));
    let grip = DVec2::new(given.x, given.z).length() / load;
    // The cone of eight edges holds a round cone that is narrower by cos 22.5°.
    let free = RESIDUAL_FRICTION * libm::cos(FRAC_PI_8) - grip;
    if free.is_nan() || free < 0.0 {
        return None;
    }
    let position = from_ground(center, floor) - mass_center;
    let twist = (rate - position.cross(given)).y;
    let used = || pressure.iter().filter(|(_, share)| *share > 0.0);
    let spread: f64 = used().map(|(corner, share)| share * corner.distance_squared(center)).sum();
    let farthest = used().map(|(corner, _)| corner.distance(center)).fold(0.0, f64::max);
    let most = if farthest > 0.0 { free / farthest * spread } else { 0.0 };
    let moment = position.cross(given) + DVec3::Y * twist.clamp(-most, most);
    let (force, moment) = (force - given, rate - moment);
    let norm = |moment: DVec3| libm::hypot(force.length() / weight, moment.length() / (weight * length));
    let (share, least) = (norm(moment), norm(moment - DVec3::Y * moment.y));
    (share - least <= NEAR).then_some(Missing { force, moment, share })
}

/// Shares of the pressure at no more than three corners, whose sum and middle are nearest to the target: (force, force times place over `arm`).
/// `None` if no pressure is nearest, or there is no corner.
fn nearest_pressure(corners: &[DVec2], middle: DVec2, arm: f64, target: DVec3) -> Option<[(DVec2, f64); 3]> {
    let ray = |corner: DVec2| {
        let place = (corner - middle) / arm;
        DVec3::new(1.0, place.x, place.y)
    };
    let (&origin, rest) = corners.split_first()?;
    let inside = rest.windows(2).find_map(|pair| {
        let [a, b, c] = [origin, pair[0], pair[1]].map(ray);
        let whole = a.dot(b.cross(c));
        let shares = [target.dot(b.cross(c)), target.dot(c.cross(a)), target.dot(a.cross(b))].map(|part| part / whole);
        let is_inside = shares.iter().all(|share| *share >= 0.0);
        is_inside.then(|| [(origin, shares[0]), (pair[0], shares[1]), (pair[1], shares[2])])
    });
    if inside.is_some() {
        return inside;
    }
    let mut best: Option<(f64, [(DVec2, f64); 3])> = None;
    let mut offer = |shares: [(DVec2, f64); 3]| {
        let off = shares.iter().fold(target, |rest, &(corner, share)| rest - share * ray(corner)).length_squared();
        if best.is_none_or(|(least, _)| off < least) {
            best = Some((off, shares));
        }
    };
    for (index, &corner) in corners.iter().enumerate() {
        let (next, a) = (corners[(index + 1) % corners.len()], ray(corner));
        let share = target.dot(a) / a.length_squared();
        if share > 0.0 {
            offer([(corner, share), (corner, 0.0), (corner, 0.0)]);
        }
        let b = ray(next);
        let (aa, ab, bb, ta, tb) = (a.length_squared(), a.dot(b), b.length_squared(), target.dot(a), target.dot(b));
        let whole = aa * bb - ab * ab;
        let shares = [(ta * bb - tb * ab) / whole, (tb * aa - ta * ab) / whole];
        if shares.iter().all(|share| *share > 0.0) {
            offer([(corner, shares[0]), (next, shares[1]), (corner, 0.0)]);
        }
    }
    best.map(|(_, shares)| shares)
}

/// Sums the residuals of a clip up; `None` if no frame has one. `time` is the time of each frame, seconds.
pub(crate) fn summary(missing: &[Option<Missing>], weight: f64, length: f64, time: &[f64]) -> Option<Residual> {
    let known: Vec<&Missing> = missing.iter().flatten().filter(|one| one.share.is_finite()).collect();
    if known.is_empty() || weight <= 0.0 {
        return None;
    }
    let force = |one: &Missing| one.force.length() / weight;
    let moment = |one: &Missing| one.moment.length();
    let mean = |of: &dyn Fn(&Missing) -> f64| known.iter().map(|one| of(one)).sum::<f64>() / known.len() as f64;
    let worst = |of: &dyn Fn(&Missing) -> f64| known.iter().map(|one| of(one)).fold(0.0, f64::max);
    let all = Feasibility {
        frame_time: if time.len() > 1 { time[1] - time[0] } else { 1.0 },
        weight,
        length,
        floor: None,
        missing: missing.iter().map(|one| one.filter(|one| one.share.is_finite()).unwrap_or_default()).collect(),
        inside: vec![0.0; missing.len()],
    };
    let span = |found: &Impossible| ResidualSpan {
        span: Span::of_frames(time, found.frames.0, found.frames.1),
        force: force(&found.most),
        moment: moment(&found.most),
        share: found.most.share,
        at: time[all.frame(found.at)],
    };
    let spans: Vec<ResidualSpan> = all.impossible().iter().map(span).collect();
    Some(Residual {
        mean_force: mean(&force),
        worst_force: worst(&force),
        mean_moment: mean(&moment),
        worst_moment: worst(&moment),
        worst: spans.iter().copied().reduce(|worst, one| if one.share > worst.share { one } else { worst }),
        spans,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    const WEIGHT: f64 = 70.0 * 9.81;
    const FLOOR: f64 = 0.02;

    fn sole() -> ConvexPolygon {
        ConvexPolygon::new(&[(-0.1, -0.05), (0.15, -0.05), (0.15, 0.05), (0.0, 0.07), (-0.1, 0.05)].map(DVec2::from))
    }

    fn demand(random: &mut Random) -> Demand {
        Demand {
            mass_center: DVec3::new(0.3, 0.1, 0.2) * random.vector() + DVec3::Y,
            force: WEIGHT * (DVec3::Y + DVec3::new(0.4, 1.3, 0.4) * random.vector()),
            rate: WEIGHT * 0.1 * random.vector(),
            weight: WEIGHT,
            length: 0.9,
        }
    }

    #[test]
    fn s34_the_closed_form_is_the_search_within_a_two_hundredth() {
        let (hull, mut random) = (sole(), Random::new(34));
        let [mut inside, mut outside] = [0; 2];
        for _ in 0..3000 {
            let demand = demand(&mut random);
            let Some(found) = nearest(hull.corners(), &demand, FLOOR) else { continue };
            *(if found.share < 1e-9 { &mut inside } else { &mut outside }) += 1;
            let least = searched(hull.corners(), &demand, FLOOR).share;
            assert!(found.share > least - 1e-9 && found.share < least + NEAR + 1e-9, "{demand:?}: {found:?} {least}");
            let norm = found.force.length_squared() + found.moment.length_squared() / (0.9 * 0.9);
            assert!((norm.sqrt() / WEIGHT - found.share).abs() < 1e-9, "{found:?}");
        }
        assert!(inside > 50 && outside > 500, "{inside} {outside}");
        assert_eq!(nearest(&[], &demand(&mut random), FLOOR), None);
    }

    #[test]
    fn s34_a_body_that_leans_over_its_toes_misses_what_geometry_says() {
        // One slippery line of support, d behind the center of mass, which is h over the floor. With friction the share is
        // d/√(L² + h² + d²), and without it d/√(L² + d²): friction turns the body by pushing it along.
        let (length, height, d) = (0.9, 0.98, 0.1);
        let corners = [DVec2::new(0.0, -0.2), DVec2::new(0.0, 0.2)];
        let mass_center = DVec3::new(0.0, FLOOR + height, d);
        let demand = Demand { mass_center, force: WEIGHT * DVec3::Y, rate: DVec3::ZERO, weight: WEIGHT, length };
        let found = nearest(&corners, &demand, FLOOR).unwrap();
        let share = d / libm::sqrt(length * length + height * height + d * d);
        assert!((found.share - share).abs() < 1e-12, "{found:?} {share}");
    }

    #[test]
    fn s34_corners_give_what_all_points_give() {
        let mut random = Random::new(35);
        for _ in 0..50 {
            let points: Vec<DVec2> = (0..12).map(|_| on_ground(0.2 * random.vector())).collect();
            let demand = demand(&mut random);
            let contact = |&at: &DVec2| FrictionContact {
                position: from_ground(at, FLOOR),
                normal: DVec3::Y,
                friction: RESIDUAL_FRICTION,
            };
            let all = missing_wrench(&points.iter().map(contact).collect::<Vec<_>>(), &demand).share;
            let corners = searched(ConvexPolygon::new(&points).corners(), &demand, FLOOR).share;
            assert!((all - corners).abs() < 1e-6, "{all} {corners}");
        }
    }

    #[test]
    fn mean_and_worst_are_over_the_frames_that_are_judged() {
        let missing =
            |share: f64| Missing { force: DVec3::X * (share * WEIGHT), moment: DVec3::Y * (10.0 * share), share };
        let rows: Vec<Option<Missing>> = [None, Some(0.0), Some(0.5), Some(1.0), Some(0.0), Some(0.05), None]
            .map(|share: Option<f64>| share.map(missing))
            .to_vec();
        let time: Vec<f64> = (0..7).map(|frame| 2.0 + 0.1 * f64::from(frame)).collect();
        let found = summary(&rows, WEIGHT, 0.9, &time).unwrap();
        assert!((found.mean_force - 0.31).abs() < 1e-12 && (found.worst_force - 1.0).abs() < 1e-12);
        assert!((found.mean_moment - 3.1).abs() < 1e-12 && (found.worst_moment - 10.0).abs() < 1e-12);
        let [only] = &found.spans[..] else { panic!("{found:?}") };
        assert_eq!((only.span.first, only.span.last, only.at), (2, 3, time[3]));
        assert_eq!(found.worst, Some(*only));
        assert_eq!(summary(&[None, None], WEIGHT, 0.9, &time), None);
        assert_eq!(summary(&rows, 0.0, 0.9, &time), None);
    }
}
