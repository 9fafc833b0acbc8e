//! Tests of plates and terminal blocks of the shared clips: every kind of motion gets a plate, and all text fits.

use std::path::PathBuf;

use crate::test_files::{self, here};
use muybridge::analysis::{Analysis, Settings, analyze};
use muybridge::character::{Body, Character, ContactPoint, JointRange, Skeleton, roles};
use muybridge::glam::{DMat3, DVec3};
use muybridge::motion::{Axis, Clip, conform};
use muybridge_files::{body_csv, bvh, contacts_csv};
use muybridge_report::terminal::{Style, clip_block};
use muybridge_report::{Labels, plate};

fn read(name: &str) -> Vec<u8> {
    std::fs::read(test_files::path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Draws a plate, writes it to the folder of `MUYBRIDGE_PICTURES`, and checks the format of plate and block.
fn show(name: &str, character: &Character, clip: &Clip, unit: &str) -> Analysis {
    let analysis = analyze(character, clip, &Settings::default());
    let labels = Labels { file: format!("{name}.bvh"), unit: unit.into(), ..Labels::default() };
    let block = clip_block(&analysis, &labels, &Style::default());
    println!("{block}");
    assert!(block.lines().all(|line| line.chars().count() <= 80), "{block}");
    let bytes = plate::plate(character, clip, &analysis, &labels).unwrap();
    if let Some(folder) = std::env::var_os("MUYBRIDGE_PICTURES") {
        std::fs::write(PathBuf::from(folder).join(format!("{name}.png")), &bytes).unwrap();
    }
    let width = u32::from_be_bytes(bytes[16..20].try_into().unwrap());
    let height = u32::from_be_bytes(bytes[20..24].try_into().unwrap());
    assert_eq!(width, 2400);
    assert!((1000..=2200).contains(&height), "{name}: {height} pixels high");
    analysis
}

/// Analyzes a simulated clip with the masses and solids of its simulator.
fn truth(name: &str) -> Analysis {
    let imported = bvh::import(&bvh::parse(&read(&format!("truth/{name}.bvh"))).unwrap()).unwrap();
    let skeleton = imported.skeleton;
    let table = body_csv::parse(&read(&format!("truth/{name}_body.csv"))).unwrap();
    let mut bodies = body_csv::match_bones(&table.bodies, &skeleton).unwrap();
    let mut contacts = Vec::new();
    if name.starts_with("mj_") {
        let placed =
            contacts_csv::match_bones(&contacts_csv::parse(&read("truth/mj_geoms.csv")).unwrap(), &skeleton).unwrap();
        contacts = placed.points;
        for (bone, shape) in placed.shapes {
            bodies[bone].shapes.push(shape);
        }
    }
    let character = Character {
        bodies,
        ranges: vec![JointRange::Free; skeleton.len()],
        roles: roles(&skeleton).roles,
        contacts,
        body_source: format!("{name}_body.csv"),
        measured_contacts: true,
        skeleton,
    };
    show(name, &character, &imported.clips[0], "1 unit = 1 m")
}

/// Analyzes an internet clip with masses proportional to bone lengths, which is good enough to draw.
fn wild(name: &str, meters_per_unit: f64) -> Analysis {
    let imported = bvh::import(&bvh::parse(&read(&format!("bvh/{name}.bvh"))).unwrap()).unwrap();
    let (skeleton, clip) = conform(&imported.skeleton, &imported.clips[0], meters_per_unit, Axis::Y);
    let character = Character {
        bodies: (0..skeleton.len()).map(|bone| stick(&skeleton, bone)).collect(),
        ranges: vec![JointRange::Free; skeleton.len()],
        roles: roles(&skeleton).roles,
        contacts: ends(&skeleton),
        body_source: "by length of bone".into(),
        measured_contacts: true,
        skeleton,
    };
    show(name, &character, &clip, "")
}

fn stick(skeleton: &Skeleton, bone: usize) -> Body {
    let children: Vec<DVec3> = skeleton.children(bone).map(|child| skeleton.bones()[child].translation).collect();
    let tips = children.iter().chain(&skeleton.bones()[bone].ends);
    let reach = tips.fold(DVec3::ZERO, |most, tip| if tip.length() > most.length() { *tip } else { most });
    Body { mass: 30.0 * reach.length(), center: 0.5 * reach, inertia: DMat3::IDENTITY * 0.01, shapes: vec![] }
}

/// Contact points at the ends of the skeleton.
fn ends(skeleton: &Skeleton) -> Vec<ContactPoint> {
    let bones = skeleton.bones().iter().enumerate();
    bones
        .flat_map(|(bone, at)| at.ends.iter().chain([&DVec3::ZERO]).map(move |&position| (bone, position)))
        .map(|(bone, position)| ContactPoint { bone, position, radius: 0.02 })
        .collect()
}

#[test]
fn simulated_jumps_tumbles_and_stances_get_a_plate() {
    let names = ["mj_jump_120", "mj_jump_30", "mj_tumble_120", "mj_tumble_30", "mj_sway_120"];
    for name in here(names, |name| format!("truth/{name}.bvh")) {
        let _ = truth(name);
    }
}

#[test]
fn clips_of_the_wild_get_a_plate() {
    let clips = [
        ("snu_hjump_phase", 0.01),
        ("mass_backflip_fast", 0.01),
        ("mass_cartwheel", 0.01),
        ("cmu_01_01_forward_hops", 0.056444),
        ("games105_idle_metres", 1.0),
        ("mass_run", 0.01),
    ];
    for (name, unit) in here(clips, |case| format!("bvh/{}.bvh", case.0)) {
        let _ = wild(name, unit);
    }
}
