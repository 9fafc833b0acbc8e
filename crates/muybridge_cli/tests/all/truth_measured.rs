//! The measured family: recorded people on force plates, posed by an independent program. Tests every row of the table "What a
//! correct analysis must find (measured family)" of the truth data. Only the forces and the center of pressure are measured; the
//! limits are those of the table, at each of its cut-off frequencies.

use crate::test_files::here;
use crate::truth;

use muybridge::analysis::{Analysis, Cutoff, FindingId, Severity};
use truth::{Table, analysis, clips, rms};

fn measured(clip: &str, cutoff: Cutoff) -> (Analysis, Table) {
    (analysis(clip, cutoff), Table::read(&format!("{clip}_truth.csv")))
}

const CLIPS: [&str; 3] = ["opencap4_static1", "opencap4_DJ1", "opencap4_walking1"];

#[test]
fn s1_the_mass_center_is_the_models_to_the_lumped_patella() {
    for clip in clips(CLIPS) {
        let (analysis, truth) = measured(clip, Cutoff::Off);
        for row in 0..truth.len() {
            let error = analysis.per_frame.mass_center[row].unwrap().distance(truth.vector(row, "com").unwrap());
            assert!(error < 1.5e-4, "{clip} frame {row}: {error} m");
        }
    }
}

#[test]
fn s2_central_differences_give_the_velocity_of_the_splined_recording() {
    for clip in clips(CLIPS) {
        let (analysis, truth) = measured(clip, Cutoff::Off);
        let errors = (0..truth.len()).map(|row| {
            analysis.per_frame.mass_center_velocity[row].unwrap().distance(truth.vector(row, "vel").unwrap())
        });
        let error = rms(errors);
        assert!(error < 0.015, "{clip}: {error} m/s");
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn s24_a_real_drop_jump_falls_with_one_g_whatever_the_filter() {
    for cutoff in [Cutoff::Off, Cutoff::Auto, Cutoff::Hertz(6.0), Cutoff::Hertz(15.0)] {
        let (analysis, truth) = measured("opencap4_DJ1", cutoff);
        let (first, last) = *truth.runs("flight").last().unwrap();
        let flight = analysis.flights.last().expect("the jump");
        assert!(flight.span.first.abs_diff(first) <= 2 && flight.span.last.abs_diff(last) <= 2, "{:?}", flight.span);
        assert!((flight.gravity * analysis.gravity - 9.81).abs() < 0.25, "{} g", flight.gravity);
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn the_box_under_a_drop_jump_is_unseen_support_and_no_error() {
    let (analysis, _) = measured("opencap4_DJ1", Cutoff::Auto);
    let unseen = analysis.unseen_support.first().expect("the box");
    assert!(unseen.start < 0.05 && (unseen.end - 1.05).abs() < 0.1, "{unseen:?}");
    let errors: Vec<_> = analysis.findings.iter().filter(|f| f.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert!(analysis.findings.iter().any(|f| f.id == FindingId::SupportUnseen && f.severity == Severity::Note));
}

/// Distances from the measured center of pressure in millimeters, x and z: frames of the trial's plates with more than 50 N,
/// without the first and last five. If `firm`, only frames whose measured and predicted force exceed 0.3 of the weight.
fn zmp_error(analysis: &Analysis, truth: &Table, firm: bool) -> (f64, f64) {
    let weight = analysis.mass * analysis.gravity;
    let frames: Vec<(f64, f64)> = (5..truth.len() - 5)
        .filter(|&row| truth.get(row, "support") == Some(0.0))
        .filter_map(|row| {
            let measured = truth.get(row, "grf_y")?;
            let predicted = analysis.per_frame.ground_force[row]?.y;
            let loaded = measured > 50.0 && (!firm || (measured > 0.3 * weight && predicted > 0.3 * weight));
            let zmp = analysis.per_frame.zero_moment_point[row].filter(|_| loaded)?;
            Some((1e3 * (zmp.x - truth.get(row, "cop_x")?), 1e3 * (zmp.z - truth.get(row, "cop_z")?)))
        })
        .collect();
    (rms(frames.iter().map(|e| e.0)), rms(frames.iter().map(|e| e.1)))
}

#[test]
fn s4_the_zero_moment_point_is_the_measured_center_of_pressure_at_every_cutoff() {
    // Clip, cut-off, firm frames only, reference x and z in millimeters.
    let rows = [
        ("opencap4_static1", 6.0, false, 1.7, 1.8),
        ("opencap4_static1", 6.0, true, 1.7, 1.8),
        ("opencap4_static1", 10.0, true, 2.8, 3.1),
        ("opencap4_static1", 15.0, false, 5.7, 5.0),
        ("opencap4_static1", 15.0, true, 5.7, 5.0),
        ("opencap4_static1", 20.0, true, 10.6, 7.7),
        ("opencap4_walking1", 6.0, false, 29.1, 13.7),
        ("opencap4_walking1", 6.0, true, 29.1, 13.7),
        ("opencap4_walking1", 10.0, true, 26.6, 17.3),
        ("opencap4_walking1", 15.0, false, 27.6, 18.6),
        ("opencap4_walking1", 15.0, true, 27.6, 18.6),
        ("opencap4_walking1", 20.0, true, 27.9, 19.1),
        ("opencap4_DJ1", 6.0, true, 74.2, 33.1),
        ("opencap4_DJ1", 10.0, true, 80.0, 46.3),
        ("opencap4_DJ1", 15.0, true, 91.0, 59.6),
        ("opencap4_DJ1", 20.0, true, 104.7, 70.7),
    ];
    for (clip, hertz, firm, reference_x, reference_z) in here(rows, |row| format!("truth/{}.bvh", row.0)) {
        let (analysis, truth) = measured(clip, Cutoff::Hertz(hertz));
        let (x, z) = zmp_error(&analysis, &truth, firm);
        let limit = |reference: f64| if clip == "opencap4_DJ1" { 1.5 * reference } else { 1.25 * reference + 3.0 };
        println!("{clip} {hertz} Hz firm {firm}: {x:.1} / {z:.1} mm, reference {reference_x} / {reference_z}");
        assert!(x < limit(reference_x) && z < limit(reference_z), "{clip} at {hertz} Hz: {x} / {z} mm");
    }
}

#[test]
fn s4_in_a_walk_the_zero_moment_point_beats_the_projection_of_the_mass_center() {
    let (analysis, truth) = measured("opencap4_walking1", Cutoff::Hertz(6.0));
    let (x, z) = zmp_error(&analysis, &truth, false);
    // Errors of the projection: 114.2 / 45.3 mm.
    assert!(x < 114.2 / 2.0 && z < 45.3 / 2.0, "{x} / {z}");
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn s4_standing_still_zero_moment_point_pressure_and_projection_agree() {
    let (analysis, truth) = measured("opencap4_static1", Cutoff::Hertz(6.0));
    let (x, z) = zmp_error(&analysis, &truth, false);
    assert!(x < 3.0 && z < 3.0, "{x} / {z} mm from the measured center of pressure");
    let apart = (5..truth.len() - 5).map(|row| {
        let (zmp, center) =
            (analysis.per_frame.zero_moment_point[row].unwrap(), analysis.per_frame.mass_center[row].unwrap());
        1e3 * (zmp - center).x.hypot((zmp - center).z)
    });
    assert!(rms(apart) < 3.0);
}

#[test]
fn s5_the_measured_center_of_pressure_lies_inside_the_support_found() {
    for clip in clips(["opencap4_static1", "opencap4_walking1"]) {
        let (analysis, truth) = measured(clip, Cutoff::Hertz(6.0));
        let (mut inside, mut all) = (0, 0);
        for row in (0..truth.len()).filter(|&row| truth.get(row, "support") == Some(0.0)) {
            let (Some(x), Some(z)) = (truth.get(row, "cop_x"), truth.get(row, "cop_z")) else { continue };
            let corners: Vec<_> =
                analysis.per_frame.support_polygon[row].iter().map(|&c| muybridge::math::on_ground(c)).collect();
            let hull = muybridge::math::ConvexPolygon::new(&corners);
            let cop = muybridge::math::on_ground(muybridge::glam::DVec3::new(x, 0.0, z));
            all += 1;
            inside += usize::from(hull.signed_distance(cop) < 0.01);
        }
        let fraction = inside as f64 / all as f64;
        println!("{clip}: {:.1} % of {all} frames inside", 100.0 * fraction);
        assert!(fraction >= 0.95, "{clip}: {fraction}");
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn s3_the_angular_momentum_of_a_real_flight_is_no_evidence_below_6() {
    let (analysis, _) = measured("opencap4_DJ1", Cutoff::Hertz(6.0));
    let flight = analysis.flights.last().unwrap();
    assert!(flight.angular_momentum_change < 6.0, "{}", flight.angular_momentum_change);
    assert!(!analysis.findings.iter().any(|f| f.id == FindingId::FlightSpin));
}
