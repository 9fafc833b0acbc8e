//! Recorded clips followed by whole-body control with bounded root assist, and the frames in which they are infeasible.

use std::path::Path;

use crate::test_files::{here, path};
use muybridge::analysis::{Floor, feasibility};
use muybridge::analysis::{Settings, analyze};
use muybridge::behavior::{Followed, Push, RootAssist, TrackingSettings, hand, run_tracking};
use muybridge::character::{Character, Role};
use muybridge::glam::DVec3;
use muybridge::motion::{Clip, WorldMotion};
use muybridge_files::open::{OpenOptions, open};
use muybridge_files::prepare::{Preparation, prepare};

/// A clip of the shared data without a stray first frame, and the height of its floor.
fn clip(name: &str) -> (Character, Clip, f64) {
    let opened = open(&path(&format!("bvh/{name}.bvh")), &OpenOptions::default()).unwrap();
    let prepared = prepare(&opened.imported, 0, &Preparation::default()).unwrap();
    let whole = analyze(&prepared.character, &prepared.clip, &Settings::default());
    let clip = prepared.clip.cut(whole.range.0, prepared.clip.frames());
    (prepared.character, clip, whole.floor.unwrap())
}

/// Follows a clip with a root assist of at most 1.5 times the missing forces, and a reserve in weights.
fn helped((character, clip, floor): &(Character, Clip, f64), reserve: f64, push: f64) -> Followed {
    let weight = character.mass() * Settings::default().gravity;
    let lead = RootAssist { most_force: reserve * weight, most_moment: 0.5 * reserve * weight, ..hand(0.1) };
    let time_step = 1.0 / 240.0;
    let bone = character.bone_of(Role::Chest).or(character.bone_of(Role::Spine)).unwrap();
    let time = (0.3 * clip.duration() / time_step).round() * time_step;
    let trial = TrackingSettings {
        time_step,
        substeps: 2,
        frequency: 30.0,
        lead: Some(lead),
        missing: Some(1.5),
        on_own_feet: true,
        ground: Some(*floor),
        push: (push > 0.0).then_some(Push { time, impulse: DVec3::X * push, bone }),
    };
    run_tracking(character, clip, &trial).unwrap()
}

#[test]
fn r20_recorded_walks_and_jumps_are_followed_within_3_cm_and_5_degrees_where_they_are_possible() {
    let clips = [("cmu_12_01_walk", 0.95), ("snu_walk_phase", 0.6), ("snu_hjump_phase", 0.8), ("snu_ljump_phase", 0.8)];
    for (name, share) in here(clips, |case| format!("bvh/{}.bvh", case.0)) {
        let followed = helped(&clip(name), 0.0, 0.0);
        let possible = followed.possible.unwrap();
        assert!(followed.lost.is_none() && possible.share > share, "{name}: {followed:?}");
        assert!(possible.place < 0.03 && possible.angle < 5_f64.to_radians(), "{name}: {followed:?}");
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn r20_pushed_by_50_newton_seconds_it_comes_back_to_a_recorded_jump_with_a_reserve_of_0_3_weights() {
    let jump = clip("snu_ljump_phase");
    assert!(helped(&jump, 0.0, 50.0).lost.is_some(), "on its own it falls");
    let followed = helped(&jump, 0.3, 50.0);
    assert!(followed.lost.is_none() && followed.returned.is_some_and(|seconds| seconds < 1.5), "{followed:?}");
}

#[test]
fn a_jump_that_pushes_off_with_its_feet_in_the_air_is_impossible_there() {
    // Measured on the clip: both soles leave the floor while the center of mass still accelerates, so no contact can push it.
    let (character, clip, floor) = clip("snu_hjump_phase");
    let found = feasibility(&character, &clip, &Settings::default(), Floor { height: Some(floor), friction: 0.9 });
    let world = WorldMotion::new(&character.skeleton, &clip);
    let lowest = |frame: usize| {
        let spots = character
            .contacts
            .iter()
            .map(|contact| (world.point(contact.bone, frame, contact.position).y - contact.radius) - floor);
        spots.fold(f64::INFINITY, f64::min)
    };
    let spans = found.impossible();
    let span = spans.iter().max_by(|a, b| a.most.share.total_cmp(&b.most.share)).unwrap();
    let frame = span.frames.0 + ((span.at - span.seconds.0) / clip.frame_time).round() as usize;
    assert!(lowest(frame) > 0.02, "{} m over the floor at {} s", lowest(frame), span.at);
    assert!(span.most.force.y > 0.5 * found.weight && span.most.share > 0.5, "{span:?}");
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn a_scene_leaves_out_a_first_frame_that_is_none_of_the_clip_and_follows_the_rest() {
    let file = path("bvh/cmu_12_01_walk.bvh");
    let (_, _, floor) = clip("cmu_12_01_walk");
    let text = format!(
        "[scene]\nseconds = 2.0\nrate = 240.0\nground = {floor}\nground_friction = 0.9\n[solver]\nmethod = \"multipliers\"\n\
         [[ragdoll]]\nname = \"who\"\ncharacter = {file:?}\nclip = \"cmu_12_01_walk\"\nfriction = 0.9\nself_collision = false\n\
         joint_limits = false\nhinges = false\n[[follow]]\nof = \"who\"\nown_feet = true\nassist_time = 0.1\nmax_missing_assist = 1.5\n"
    );
    let scene = muybridge_files::scene::read(text.as_bytes()).unwrap();
    let (assets, notes) =
        muybridge_files::scene::load_with(&scene, Path::new(""), &muybridge_files::AllowedFiles::everywhere()).unwrap();
    assert!(notes.iter().any(|note| note.contains("first frame of “cmu_12_01_walk”")), "{notes:?}");
    let recording = muybridge::simulation::World::new(scene, &assets).unwrap().record();
    let possible = recording.follows[0].possible.unwrap();
    assert!(possible.place < 0.03 && possible.angle < 5_f64.to_radians(), "{possible:?}");
}
