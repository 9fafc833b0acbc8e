//! The exact family: clips of a rigid-body simulator, with its results. Tests every row of the table "What a correct analysis must
//! find (exact family)" of the truth data, at its tolerance, with the filter off.

use crate::test_files::here;
use crate::truth;

use muybridge::analysis::{Analysis, Cutoff, FindingId, Severity};
use truth::{Table, analysis, clips, rms};

const TUMBLES: [&str; 3] = ["mj_tumble_120", "mj_tumble_30", "cmu2020_tumble_120"];
const CORRUPTED: [&str; 2] = ["mj_tumble_speed1p5_120", "mj_tumble_zerog_120"];
const ON_THE_FLOOR: [&str; 5] = ["mj_drop_120", "mj_sway_120", "mj_squat_120", "mj_jump_120", "mj_jump_30"];

fn exact(clip: &str) -> (Analysis, Table) {
    (analysis(clip, Cutoff::Off), Table::read(&format!("{clip}_truth.csv")))
}

fn file(clip: &str) -> String {
    format!("truth/{clip}.bvh")
}

fn everything() -> Vec<&'static str> {
    clips(TUMBLES.into_iter().chain(CORRUPTED).chain(ON_THE_FLOOR))
}

#[test]
fn s1_the_mass_center_is_the_simulators_to_a_hundredth_of_a_millimeter() {
    for clip in everything() {
        let (analysis, truth) = exact(clip);
        for row in 0..truth.len() {
            let error = analysis.per_frame.mass_center[row].unwrap().distance(truth.vector(row, "com").unwrap());
            assert!(error < 1e-5, "{clip} frame {row}: {error} m");
        }
    }
}

#[test]
fn s2_the_velocity_of_the_mass_center_is_the_simulators() {
    let limits = [
        ("mj_sway_120", 1e-3, f64::INFINITY),
        ("mj_squat_120", 1e-3, f64::INFINITY),
        ("mj_drop_120", 0.04, 0.5),
        ("mj_jump_120", 0.04, 0.5),
        ("mj_jump_30", 0.15, 0.8),
        ("mj_tumble_120", 3e-4, 3e-4),
        ("mj_tumble_30", 3e-4, 3e-4),
        ("cmu2020_tumble_120", 3e-4, 3e-4),
    ];
    for (clip, rms_limit, max_limit) in here(limits, |case| file(case.0)) {
        let (analysis, truth) = exact(clip);
        let errors: Vec<f64> = (0..truth.len())
            .map(|row| {
                let momentum = truth.vector(row, "p").unwrap();
                analysis.per_frame.mass_center_velocity[row].unwrap().distance(momentum / analysis.mass)
            })
            .collect();
        let worst = errors.iter().copied().fold(0.0, f64::max);
        assert!(rms(errors.iter().copied()) < rms_limit && worst < max_limit, "{clip}: {} {worst}", rms(errors));
    }
}

#[test]
fn s3_the_angular_momentum_is_the_simulators_and_stays_in_a_tumble() {
    let limits = [
        ("mj_tumble_120", 0.0025, 0.003),
        ("cmu2020_tumble_120", 0.0025, 0.003),
        ("mj_tumble_speed1p5_120", 0.0025, 0.003),
        ("mj_tumble_zerog_120", 0.0025, 0.003),
        ("mj_tumble_30", 0.03, 0.025),
    ];
    for (clip, error_limit, spread_limit) in here(limits, |case| file(case.0)) {
        let (analysis, truth) = exact(clip);
        let momenta: Vec<_> = analysis.per_frame.angular_momentum.iter().map(|h| h.unwrap()).collect();
        let size = truth.vector(0, "H").unwrap().length();
        for (row, momentum) in momenta.iter().enumerate() {
            let error = momentum.distance(truth.vector(row, "H").unwrap()) / size;
            assert!(error < error_limit, "{clip} frame {row}: {error}");
        }
        for axis in 0..3 {
            let (low, high) = momenta
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h[axis]), high.max(h[axis])));
            assert!((high - low) / size < spread_limit, "{clip} axis {axis}: {}", (high - low) / size);
        }
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn s3_the_angular_momentum_of_who_stands_is_the_simulators() {
    for clip in ["mj_sway_120", "mj_squat_120"] {
        let (analysis, truth) = exact(clip);
        let errors = (0..truth.len())
            .map(|row| analysis.per_frame.angular_momentum[row].unwrap().distance(truth.vector(row, "H").unwrap()));
        assert!(rms(errors) < 0.01, "{clip}");
    }
}

#[test]
fn s24_every_flight_falls_as_the_simulator_let_it_fall() {
    let all = [
        ("mj_tumble_120", &[9.81][..]),
        ("mj_tumble_30", &[9.81]),
        ("cmu2020_tumble_120", &[9.81]),
        ("mj_tumble_speed1p5_120", &[22.0725]),
        ("mj_tumble_zerog_120", &[0.0]),
        ("mj_drop_120", &[9.81, 9.811]),
        ("mj_jump_120", &[9.811]),
        ("mj_jump_30", &[9.811]),
        ("mj_sway_120", &[]),
        ("mj_squat_120", &[]),
    ];
    for (clip, flights) in here(all, |case| file(case.0)) {
        let (analysis, _) = exact(clip);
        assert_eq!(analysis.flights.len(), flights.len(), "{clip}: {:?}", analysis.flights);
        for (flight, gravity) in analysis.flights.iter().zip(flights) {
            let found = flight.gravity * analysis.gravity;
            assert!((found - gravity).abs() < 0.02, "{clip}: {found} m/s², not {gravity}");
        }
    }
}

#[test]
fn the_mass_center_of_a_tumble_accelerates_with_g_in_every_frame() {
    for clip in clips(TUMBLES) {
        let (analysis, _) = exact(clip);
        for acceleration in &analysis.per_frame.mass_center_acceleration {
            let error = (acceleration.unwrap() + 9.81 * muybridge::glam::DVec3::Y).length();
            assert!(error < 0.01, "{clip}: {error} m/s²");
        }
    }
}

#[test]
fn s26_flights_begin_and_end_where_the_simulator_has_no_contact() {
    for clip in everything() {
        let (analysis, truth) = exact(clip);
        let flights: Vec<(usize, usize)> =
            truth.runs("flight").into_iter().filter(|(first, last)| last - first >= 4).collect();
        assert_eq!(analysis.flights.len(), flights.len(), "{clip}");
        for (found, (first, last)) in analysis.flights.iter().zip(flights) {
            let (a, b) = (found.span.first, found.span.last);
            assert!(a.abs_diff(first) <= 1 && b.abs_diff(last) <= 1, "{clip}: {a}–{b}, not {first}–{last}");
        }
    }
}

#[test]
fn s4_the_floor_force_is_what_the_simulators_contacts_exert() {
    for clip in clips(ON_THE_FLOOR) {
        let (analysis, truth) = exact(clip);
        let largest = (0..truth.len()).filter_map(|row| truth.get(row, "grf_y")).fold(0.0, f64::max);
        let quiet = clip == "mj_sway_120" || clip == "mj_squat_120";
        let errors = (1..truth.len() - 1)
            .filter_map(|row| Some(analysis.per_frame.ground_force[row].unwrap().distance(truth.vector(row, "grfm")?)));
        let limit = if quiet { 0.1 } else { 0.01 * largest };
        for (row, error) in errors.enumerate() {
            assert!(error < limit, "{clip} frame {row}: {error} N of {limit} N");
        }
    }
}

/// Errors of the zero-moment point against the simulator's `cop`, x and z, over frames with more than 50 N. If `quiet`, only
/// frames with a steady force (changes below 0.25 m g within three frames, more than 0.5 m g).
fn zmp_errors(analysis: &Analysis, truth: &Table, quiet: bool) -> (f64, f64) {
    let weight = analysis.mass * analysis.gravity;
    let load = |row: usize| truth.get(row, "grf_y").unwrap_or(0.0);
    let steady = |row: usize| {
        let near = row.saturating_sub(3)..(row + 4).min(truth.len());
        load(row) > 0.5 * weight && near.into_iter().all(|k| (load(k) - load(row)).abs() < 0.25 * weight)
    };
    let frames: Vec<(f64, f64)> = (1..truth.len() - 1)
        .filter(|&row| load(row) > 50.0 && (!quiet || steady(row)))
        .filter_map(|row| {
            let zmp = analysis.per_frame.zero_moment_point[row]?;
            Some((zmp.x - truth.get(row, "cop_x")?, zmp.z - truth.get(row, "cop_z")?))
        })
        .collect();
    (rms(frames.iter().map(|e| e.0)), rms(frames.iter().map(|e| e.1)))
}

#[test]
fn s4_the_zero_moment_point_is_the_center_of_pressure() {
    let limits = [
        ("mj_sway_120", false, 1.0, 1.0),
        ("mj_squat_120", false, 1.0, 1.0),
        ("mj_jump_120", true, 2.0, 2.0),
        ("mj_jump_30", true, 2.0, 2.0),
        ("mj_jump_120", false, 1.5 * 2.73, 1.5 * 7.41),
        ("mj_jump_30", false, 1.5 * 6.07, 1.5 * 22.4),
        ("mj_drop_120", true, 1.5 * 2.85, 1.5 * 3.75),
    ];
    for (clip, quiet, limit_x, limit_z) in here(limits, |case| file(case.0)) {
        let (analysis, truth) = exact(clip);
        let (x, z) = zmp_errors(&analysis, &truth, quiet);
        println!("{clip} quiet {quiet}: {:.3} / {:.3} mm", 1e3 * x, 1e3 * z);
        assert!(1e3 * x < limit_x && 1e3 * z < limit_z, "{clip} quiet {quiet}: {} / {} mm", 1e3 * x, 1e3 * z);
    }
}

#[test]
fn nothing_sound_is_an_error() {
    for clip in clips(TUMBLES.into_iter().chain(ON_THE_FLOOR)) {
        let (analysis, _) = exact(clip);
        let errors: Vec<_> = analysis.findings.iter().filter(|f| f.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{clip}: {errors:?}");
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn every_planted_corruption_is_named() {
    for (clip, gravity) in [("mj_tumble_speed1p5_120", 2.25), ("mj_tumble_zerog_120", 0.0)] {
        let (analysis, _) = exact(clip);
        let finding =
            analysis.findings.iter().find(|f| f.id == FindingId::FlightGravity).expect("a finding about gravity");
        assert_eq!(finding.severity, Severity::Error);
        assert!((finding.value - gravity).abs() < 0.002, "{clip}: {finding:?}");
    }
    let (fast, _) = exact("mj_tumble_speed1p5_120");
    let clock = fast.findings.iter().find(|f| f.id == FindingId::ClipTimeBase).expect("a note about the clock");
    assert!((clock.value - 1.5).abs() < 1e-3, "{clock:?}");
    assert_eq!(fast.findings.iter().filter(|f| f.severity == Severity::Error).count(), 1, "only the clock is wrong");
}
