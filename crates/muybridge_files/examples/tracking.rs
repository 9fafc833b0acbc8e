//! Measures how well a driven person of rigid bodies follows recorded clips, and how much root assist that takes.
//!
//!     MUYBRIDGE_DATA=… cargo run --release -p muybridge_files --example tracking [-- FILE.bvh ...]
//!
//! The sample walk and jump come first, then BVH files: the named ones, or those of the shared data. `led` has a root assist
//! with a time constant of 0.02 s, on a ground if the analysis finds one; `weak` one of 0.3 s; `free` has none. The second table is
//! whole-body control on its own feet, without assist, and with one of at most 1.5 times the forces that the clip needs beyond
//! those of the floor. It shows errors where the clip is feasible and in all frames, and the root mean square and greatest force of
//! the assist in weights. Then the person is pushed by 50 N s to the side: seconds until it is back on the clip, with a reserve of
//! 0, 0.1, 0.2 and 0.3 weights.

use std::path::{Path, PathBuf};

use muybridge::analysis::{self, analyze};
use muybridge::behavior::{Followed, Push, RootAssist, TrackingSettings, hand, run_tracking};
use muybridge::character::{Character, Role};
use muybridge::glam::DVec3;
use muybridge::motion::Clip;
use muybridge::samples;
use muybridge_files::open::{OpenOptions, open};
use muybridge_files::prepare::{Preparation, prepare};

type Failure = Box<dyn std::error::Error>;

/// Greatest time for which a clip is followed, seconds.
const LONGEST: f64 = 8.0;

fn main() -> Result<(), Failure> {
    let mut clips = vec![
        ("sample walk".to_string(), samples::humanoid(), samples::walk()),
        ("sample jump".to_string(), samples::humanoid(), samples::jump()),
    ];
    let named: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    for path in if named.is_empty() { shared()? } else { named } {
        let opened = open(&path, &OpenOptions::default())?;
        let prepared = prepare(&opened.imported, 0, &Preparation::default())?;
        let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        clips.push((name, prepared.character, prepared.clip));
    }
    println!(
        "{:28} {:9} {:>5} | {:>8} {:>8} {:>6} {:>7} {:>7} | {:>8} {:>7} | {:>7} | {:>6}",
        "clip",
        "verdict",
        "s",
        "led cm",
        "rel cm",
        "angle°",
        "hand mg",
        "hand Nm",
        "weak cm",
        "hand mg",
        "push s",
        "free s"
    );
    for (name, character, clip) in &clips {
        row(name, character, clip).map_err(|error| format!("{name}: {error}"))?;
    }
    println!(
        "\n{:30} {:>5} possible | alone, where possible   | helped, where possible  | in all       | hand, most | pushed, reserve 0, 0.1, 0.2, 0.3",
        "own feet", "s"
    );
    for (name, character, clip) in &clips {
        own_row(name, character, clip).map_err(|error| format!("{name}: {error}"))?;
    }
    Ok(())
}

/// BVH files of people who walk, run, jump and turn cartwheels.
fn shared() -> Result<Vec<PathBuf>, Failure> {
    let Ok(folder) = std::env::var("MUYBRIDGE_DATA") else { return Ok(Vec::new()) };
    let names = [
        "cmu_12_01_walk",
        "freebvh_walk_55joints",
        "snu_walk_phase",
        "games105_walk_turn_left_metres",
        "mass_run",
        "cmu_01_01_forward_hops",
        "snu_hjump_phase",
        "snu_ljump_phase",
        "mass_cartwheel",
        "mass_backflip_fast",
    ];
    Ok(names.iter().map(|name| Path::new(&folder).join("bvh").join(format!("{name}.bvh"))).collect())
}

fn row(name: &str, character: &Character, clip: &Clip) -> Result<(), Failure> {
    let settings = analysis::Settings::default();
    let whole = analyze(character, clip, &settings);
    let first = whole.range.0;
    let frames = (LONGEST / clip.frame_time) as usize;
    let clip = &clip.cut(first, clip.frames().min(first + frames));
    let trial = TrackingSettings {
        time_step: 1.0 / 120.0,
        substeps: 4,
        frequency: 30.0,
        missing: None,
        on_own_feet: false,
        lead: Some(hand(0.02)),
        ground: whole.floor.map(|floor| floor - 0.01),
        push: None,
    };
    let led = run_tracking(character, clip, &trial)?;
    let weak = run_tracking(character, clip, &TrackingSettings { lead: Some(hand(0.3)), ..trial.clone() })?;
    let free = run_tracking(character, clip, &TrackingSettings { lead: None, ..trial.clone() })?;
    let chest = character.bone_of(Role::Chest).or(character.bone_of(Role::Spine)).unwrap_or(0);
    let push = Push {
        time: (0.3 * clip.duration() / trial.time_step).round() * trial.time_step,
        impulse: DVec3::X * 50.0,
        bone: chest,
    };
    let pushed = run_tracking(character, clip, &TrackingSettings { push: Some(push), ..trial })?;
    print(name, &format!("{:?}", whole.verdict), clip.duration(), [&led, &weak, &free, &pushed]);
    Ok(())
}

/// Prints how long and how closely whole-body control follows the clip: alone, with root assist, and pushed.
fn own_row(name: &str, character: &Character, clip: &Clip) -> Result<(), Failure> {
    let whole = analyze(character, clip, &analysis::Settings::default());
    let first = whole.range.0;
    let clip = &clip.cut(first, clip.frames().min(first + (LONGEST / clip.frame_time) as usize));
    let trial = TrackingSettings {
        time_step: 1.0 / 240.0,
        substeps: 2,
        frequency: 30.0,
        missing: None,
        on_own_feet: true,
        lead: None,
        ground: whole.floor,
        push: None,
    };
    let weight = character.mass() * analysis::Settings::default().gravity;
    let helped = |reserve: f64| TrackingSettings {
        lead: Some(RootAssist { most_force: reserve * weight, most_moment: 0.5 * reserve * weight, ..hand(0.1) }),
        missing: Some(TIMES),
        ..trial.clone()
    };
    let words = |followed: &Followed| {
        let lost = followed.lost.map_or("all".to_string(), |seconds| format!("{seconds:.2} s"));
        let off = followed.possible.map_or("      –         ".into(), |possible| {
            format!("{:6.1} cm {:4.1}°", possible.place * 100.0, possible.angle.to_degrees())
        });
        format!("{lost:>7} {off}")
    };
    let alone = run_tracking(character, clip, &trial)?;
    let with = run_tracking(character, clip, &helped(0.0))?;
    let share = with.possible.map_or(0.0, |possible| possible.share);
    print!("{name:30} {:5.2} {:4.0} % | {:>23}", clip.duration(), 100.0 * share, words(&alone));
    print!(" | {:>23} {:6.1} cm {:4.1}°", words(&with), with.place * 100.0, with.angle.to_degrees());
    print!(" {:5.2} {:5.2} |", with.force, with.most_force);
    let chest = character.bone_of(Role::Chest).or(character.bone_of(Role::Spine)).unwrap_or(0);
    let time = (0.3 * clip.duration() / trial.time_step).round() * trial.time_step;
    let push = Some(Push { time, impulse: DVec3::X * 50.0, bone: chest });
    for reserve in [0.0, 0.1, 0.2, 0.3] {
        let pushed = run_tracking(character, clip, &TrackingSettings { push, ..helped(reserve) })?;
        let back = pushed.returned.map_or("  held".to_string(), |seconds| format!("{seconds:6.2}"));
        print!(" {}", if pushed.lost.is_some() { "  lost".into() } else { back });
    }
    println!();
    Ok(())
}

/// Greatest root assist as a multiple of the missing forces.
const TIMES: f64 = 1.5;

fn print(name: &str, verdict: &str, seconds: f64, [led, weak, free, pushed]: [&Followed; 4]) {
    let returned = pushed.returned.map_or("never".to_string(), |seconds| format!("{seconds:.2}"));
    let lost = free.lost.map_or("all".to_string(), |seconds| format!("{seconds:.2}"));
    println!(
        "{name:28} {verdict:9} {seconds:5.2} | {:8.2} {:8.2} {:6.2} {:7.2} {:7.0} | {:8.2} {:7.2} | {returned:>7} | {lost:>6}   worst {:.1} cm at {:.2} s",
        led.place * 100.0,
        led.relative * 100.0,
        led.angle.to_degrees(),
        led.force,
        led.moment,
        weak.place * 100.0,
        weak.force,
        led.worst.1 * 100.0,
        led.worst.0,
    );
}
