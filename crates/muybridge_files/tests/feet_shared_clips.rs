//! Contacts of the shared clips before and after they are cleaned.

use std::path::{Path, PathBuf};

use muybridge::analysis::{Analysis, Settings, Severity, analyze};
use muybridge::correction::{FeetReport, FeetSettings, Scope, clean_feet};
use muybridge_files::open::{OpenOptions, open};
use muybridge_files::prepare::{Preparation, Prepared, prepare};

fn shared(path: &str) -> PathBuf {
    Path::new(&std::env::var("MUYBRIDGE_DATA").expect("MUYBRIDGE_DATA")).join(path)
}

fn clips(path: &str) -> Vec<Prepared> {
    let opened = open(&shared(path), &OpenOptions::default()).unwrap();
    let count = opened.imported.clips.len();
    (0..count).filter_map(|index| prepare(&opened.imported, index, &Preparation::default()).ok()).collect()
}

fn cleaned(prepared: &mut Prepared) -> (Analysis, FeetReport, Analysis) {
    let settings = Settings::default();
    let before = analyze(&prepared.character, &prepared.clip, &settings);
    let scope = Scope::all(0..prepared.clip.frames());
    let report = clean_feet(&prepared.character, &mut prepared.clip, (&settings, &FeetSettings::default()), &scope);
    let after = analyze(&prepared.character, &prepared.clip, &settings);
    (before, report, after)
}

fn findings(analysis: &Analysis) -> Vec<(&'static str, f64, Severity)> {
    analysis
        .findings
        .iter()
        .filter(|f| f.severity != Severity::Note)
        .map(|f| (f.id, (f.value * 1000.0).round() / 1000.0, f.severity))
        .collect()
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn measure() {
    let files = std::env::var("FEET_FILES").unwrap_or_default();
    for path in files.split_whitespace() {
        for mut prepared in clips(path) {
            let original = prepared.clip.clone();
            let (before, report, after) = cleaned(&mut prepared);
            let once = prepared.clip.clone();
            let (_, again, _) = cleaned(&mut prepared);
            let mut again_change: f64 = 0.0;
            let mut moved: f64 = 0.0;
            let (mut a, mut b) = (0.0_f64, 0.0_f64);
            for bone in 0..once.bones() {
                for frame in 0..once.frames() {
                    again_change =
                        again_change.max((once.rotation(bone, frame) - prepared.clip.rotation(bone, frame)).length());
                    moved = moved.max((once.rotation(bone, frame) - original.rotation(bone, frame)).length());
                }
                for frame in 1..once.frames() {
                    let turn = |c: &muybridge::motion::Clip| {
                        let d = c.rotation(bone, frame).dot(c.rotation(bone, frame - 1)).abs().min(1.0);
                        2.0 * d.acos().to_degrees()
                    };
                    a = a.max(turn(&original));
                    b = b.max(turn(&once));
                }
            }
            println!("{path} {} frames {} fps {:.0}", original.name, original.frames(), original.frames_per_second());
            println!(
                "   skate {:.4} float {:.4} pen {:.4}",
                report.before.skate, report.before.float, report.before.penetration
            );
            println!(
                "   skate {:.4} float {:.4} pen {:.4}  hips {:.4} left {:?}",
                report.after.skate, report.after.float, report.after.penetration, report.hips, report.left
            );
            for limb in &report.limbs {
                println!(
                    "      {} shift {:.4} residual {:.4} spans {} turns {:?}",
                    before.bones[limb.end],
                    limb.shift,
                    limb.residual,
                    limb.contacts.len(),
                    limb.turns.iter().map(|t| (t.1.to_degrees() * 10.0).round() / 10.0).collect::<Vec<_>>()
                );
            }
            let (old, new) = (findings(&before), findings(&after));
            for f in &new {
                let sum = |l: &[(&str, f64, Severity)]| {
                    (
                        l.iter().filter(|g| g.0 == f.0).count(),
                        l.iter().filter(|g| g.0 == f.0).map(|g| g.1).fold(0.0, f64::max),
                    )
                };
                let (o, n) = (sum(&old), sum(&new));
                if n.0 > o.0 || n.1 > 1.02 * o.1 {
                    println!("   WORSE {} {o:?} {n:?}", f.0);
                }
            }
            println!("   {old:?}\n   {new:?}");
            println!(
                "   flights {:?}\n   flights {:?}",
                before.flights.iter().map(|f| (f.span.first, f.span.last)).collect::<Vec<_>>(),
                after.flights.iter().map(|f| (f.span.first, f.span.last)).collect::<Vec<_>>()
            );
            println!(
                "   step/frame {a:.1} → {b:.1} deg; again: change {again_change:.2e} of {moved:.2e} skate {:.4} float {:.4} pen {:.4}",
                again.after.skate, again.after.float, again.after.penetration
            );
        }
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn look() {
    use muybridge::analysis::check::standing;
    let Ok(file) = std::env::var("FEET_LOOK") else { return };
    let words: Vec<&str> = file.split_whitespace().collect();
    let (from, to): (usize, usize) = (words[1].parse().unwrap(), words[2].parse().unwrap());
    let mut prepared = clips(words[0]).remove(0);
    let show = |prepared: &Prepared| {
        let found = standing(&prepared.character, &prepared.clip, &Settings::default());
        println!("floor {:?} scale {:?} range {:?}", found.ground, found.scale, found.range);
        for frame in from..to {
            print!("{frame:4}");
            for limb in muybridge::motion::ik::limbs(&prepared.character) {
                let mut carried = vec![false; prepared.clip.bones()];
                carried[limb.end] = true;
                for b in limb.end + 1..prepared.clip.bones() {
                    carried[b] = prepared.character.skeleton.bones()[b].parent.is_some_and(|p| carried[p]);
                }
                let points: Vec<usize> = (0..found.points.len()).filter(|&p| carried[found.points.bones[p]]).collect();
                let low = points
                    .iter()
                    .map(|&p| found.points.spot(p, frame).y - found.ground.floor.unwrap_or(0.0))
                    .fold(f64::INFINITY, f64::min);
                let flags: String = points.iter().map(|&p| if found.touching[p][frame] { '#' } else { '.' }).collect();
                let slow = points
                    .iter()
                    .map(|&p| {
                        let v = found.points.velocity(p, frame, found.range) - found.ground.treadmill;
                        (v.x * v.x + v.z * v.z).sqrt()
                    })
                    .fold(f64::INFINITY, f64::min);
                print!("  {flags} {:7.4} {:6.3}", low, slow);
            }
            let low = found.points.lowest(frame).unwrap();
            println!(
                "   low {:.4} by {}",
                low.0 - found.ground.floor.unwrap_or(0.0),
                prepared.character.skeleton.bones()[found.points.bones[low.1]].name
            );
        }
    };
    show(&prepared);
    cleaned(&mut prepared);
    show(&prepared);
}
