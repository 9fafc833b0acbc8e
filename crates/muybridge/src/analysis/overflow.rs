//! The last gate of the analysis: where a number is not finite, or so great that its square might not be, nothing is judged.
//!
//! Readers refuse numbers that no body has. What overflows all the same, such as a simulation that explodes, gives an
//! analysis without quantities, without findings and with the verdict undecided.

use glam::DVec3;

use super::report::{Analysis, Balance, Feet, PerFrame, Verdict};

/// Greatest size of a quantity, in its unit. What readers let pass stays far below.
const GREATEST: f64 = 1e60;

/// The analysis itself, or one that judges nothing if a quantity of it overflows.
pub(crate) fn without_overflow(analysis: Analysis) -> Analysis {
    match overflowing(&analysis) {
        None => analysis,
        Some(quantity) => unjudged(analysis, quantity),
    }
}

/// Name of the first quantity that is beyond [`GREATEST`]; `None` if none is.
fn overflowing(analysis: &Analysis) -> Option<&'static str> {
    let Analysis { per_frame: rows, feet, balance, residual, .. } = analysis;
    let vectors = [
        ("center of mass", &rows.mass_center),
        ("velocity", &rows.mass_center_velocity),
        ("acceleration", &rows.mass_center_acceleration),
        ("linear momentum", &rows.linear_momentum),
        ("angular momentum", &rows.angular_momentum),
        ("rate of the angular momentum", &rows.angular_momentum_rate),
        ("ground force", &rows.ground_force),
        ("zero-moment point", &rows.zero_moment_point),
        ("residual force", &rows.residual_force),
        ("residual moment", &rows.residual_moment),
    ];
    let vector =
        |(name, values): (&'static str, &Vec<Option<DVec3>>)| (!values.iter().flatten().all(is_sound)).then_some(name);
    let residuals = residual
        .as_ref()
        .map_or([0.0; 4], |found| [found.mean_force, found.mean_moment, found.worst_force, found.worst_moment]);
    let scalars = [
        ("time", all(rows.time.iter().copied())),
        ("mass", all([analysis.mass])),
        ("floor", all(analysis.floor)),
        ("speed of the ground", is_sound(&analysis.treadmill)),
        ("distance of the feet", all([feet.skate, feet.float, feet.penetration])),
        ("support", all(rows.support_margin.iter().chain(&rows.support_area).flatten().copied())),
        ("support", rows.support_polygon.iter().flatten().all(is_sound)),
        ("balance", all(balance.normalized_distance.iter().flatten().copied())),
        ("balance", all(balance.inside_fraction.into_iter().chain(balance.within_one_fraction))),
        ("residual", all(residuals)),
    ];
    let scalar = scalars.into_iter().find(|(_, is_sound)| !is_sound).map(|(name, _)| name);
    vectors.into_iter().find_map(vector).or(scalar)
}

fn all(values: impl IntoIterator<Item = f64>) -> bool {
    values.into_iter().all(|value| value.abs() <= GREATEST)
}

fn is_sound(vector: &DVec3) -> bool {
    all(vector.to_array())
}

/// The analysis without its quantities, and the reason.
fn unjudged(analysis: Analysis, quantity: &str) -> Analysis {
    let frames = analysis.frames;
    let (vectors, numbers) = (vec![None; frames], vec![None; frames]);
    let per_frame = PerFrame {
        time: analysis.per_frame.time.iter().map(|time| if time.is_finite() { *time } else { 0.0 }).collect(),
        mass_center: vectors.clone(),
        mass_center_velocity: vectors.clone(),
        mass_center_acceleration: vectors.clone(),
        linear_momentum: vectors.clone(),
        angular_momentum: vectors.clone(),
        angular_momentum_rate: vectors.clone(),
        ground_force: vectors.clone(),
        zero_moment_point: vectors.clone(),
        support_margin: numbers.clone(),
        support_area: numbers.clone(),
        residual_force: vectors.clone(),
        residual_moment: vectors,
        support_polygon: vec![Vec::new(); frames],
        contacts: vec![Vec::new(); frames],
    };
    Analysis {
        no_body: Some(format!(
            "There is no motion to judge: the {quantity} overflows. Look for a number that cannot be meant, or give the unit."
        )),
        floor: None,
        treadmill: DVec3::ZERO,
        per_frame,
        flights: Vec::new(),
        unseen_support: Vec::new(),
        feet: Feet::default(),
        balance: Balance { normalized_distance: numbers, ..Balance::default() },
        residual: None,
        findings: Vec::new(),
        verdict: Verdict::Undecided,
        ..analysis
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Settings, analyze};
    use crate::samples;

    #[test]
    fn a_motion_that_overflows_is_undecided_and_shows_no_number() {
        let (character, mut clip) = (samples::humanoid(), samples::jump());
        assert_eq!(analyze(&character, &clip, &Settings::default()).no_body, None);
        for far in [1e70, 1e160, 1e300, f64::MAX] {
            clip.set_translation(0, 40, DVec3::new(0.0, far, -far));
            let found = analyze(&character, &clip, &Settings::default());
            assert_eq!(found.verdict, Verdict::Undecided, "{far:e} m");
            assert!(found.no_body.as_ref().is_some_and(|why| why.contains("overflows")), "{:?}", found.no_body);
            assert!(found.findings.is_empty() && found.flights.is_empty());
            assert_eq!(overflowing(&found), None);
        }
    }
}
