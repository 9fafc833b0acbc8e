//! Clips followed by whole-body control and with a root assist, and the tracking report of the run.

use super::*;

#[test]
fn a_jump_is_followed_on_own_feet_to_its_end_and_beyond_where_joints_alone_fall() {
    let clip = crate::samples::jump();
    for method in [Method::Multipliers, Method::Displacement] {
        let mut scene = jumping(3.0);
        let recording = under(method, &scene).record();
        assert!(recording.exertions.is_empty(), "nobody leads it");
        let hips = places(&recording, "man/Hips");
        // The sample rises 0.21 m; the jump and 2.5 s of it are run. It ends standing and stays so.
        let farthest = (0..hips.len()).map(|frame| {
            let at = (frame as f64 * recording.frame_time / clip.frame_time).min((clip.frames() - 1) as f64);
            hips[frame].distance(crate::motion::sample::translation_at(&clip, 0, at))
        });
        let farthest = farthest.fold(0.0, f64::max);
        assert!(farthest < 0.15, "{method:?}: {farthest}");
        scene.follows[0].own_feet = false;
        assert!(end_of(&scene, method).y < 0.5, "{method:?}");
    }
}

#[test]
fn a_hand_beside_own_feet_gives_no_more_than_its_share_of_the_weight() {
    let mut scene = jumping(2.5);
    (scene.follows[0].assist_time, scene.follows[0].max_assist) = (0.1, Some(0.05));
    let mut world = under(Method::Multipliers, &scene);
    let weight = world.mass() * 9.81;
    let recording = world.record();
    let [hand] = &recording.exertions[..] else { panic!("{:?}", recording.exertions.len()) };
    let most = hand.efforts.iter().map(|effort| effort.0.length()).fold(0.0, f64::max);
    assert!(most > 0.01 * weight && most < 0.05 * weight * (1.0 + 1e-9), "{most} N of {weight}");
}

#[test]
fn a_run_says_how_its_clips_were_followed_and_what_a_hand_gave() {
    let recording = under(Method::Multipliers, &jumping(2.6)).record();
    let [jump] = &recording.follows[..] else { panic!("{}", recording.follows.len()) };
    let clip = crate::samples::jump();
    assert_eq!((jump.of.as_str(), jump.clip.as_str(), jump.span), ("man", "jump", [0.0, clip.duration()]));
    // The root's tracking error is computed here for comparison.
    let hips = places(&recording, "man/Hips");
    let frames = 0..=libm::floor(clip.duration() * 240.0) as usize;
    let off = |frame: usize| {
        let at = frame as f64 / 240.0 / clip.frame_time;
        hips[frame].distance_squared(crate::motion::sample::translation_at(&clip, 0, at))
    };
    let root = libm::sqrt(frames.clone().map(off).sum::<f64>() / frames.clone().count() as f64);
    assert_eq!(jump.all.frames, frames.count());
    assert!(jump.all.place > 0.5 * root && jump.all.place < 0.05, "{jump:?} {root}");
    // A jump made by Newton's laws is feasible and needs no root assist.
    let possible = jump.possible.unwrap();
    assert!(possible.frames as f64 > 0.95 * jump.all.frames as f64 && possible.place < 0.05, "{possible:?}");
    assert_eq!(jump.hand, crate::simulation::following::Hand::default());
}

#[test]
fn a_hand_gives_no_more_than_what_the_clip_asks_for_beyond_the_floor() {
    let mut scene = jumping(2.5);
    (scene.follows[0].assist_time, scene.follows[0].max_missing_assist) = (0.1, Some(1.5));
    let recording = under(Method::Multipliers, &scene).record();
    let [jump] = &recording.follows[..] else { panic!("{}", recording.follows.len()) };
    let missing = &jump.feasibility.as_ref().unwrap().missing;
    let weight = jump.feasibility.as_ref().unwrap().weight;
    let most = missing.iter().map(|missing| missing.force.length()).fold(0.0, f64::max);
    assert!(jump.hand.most > 0.0 && jump.hand.most <= 1.5 * most / weight * (1.0 + 1e-9), "{:?} {most}", jump.hand);
    assert!(jump.possible.unwrap().place < 0.03, "{jump:?}");
}

#[test]
fn who_is_held_in_the_air_misses_its_weight_and_the_hand_gives_it() {
    for method in [Method::Multipliers, Method::Particles] {
        let mut scene = standing(1.5);
        scene.ragdolls[0].position = DVec3::Y * 0.5;
        scene.follows.push(Follow { of: "man".into(), assist_time: 0.1, ..Follow::default() });
        let mut world = under(method, &scene);
        let weight = world.mass() * scene.setting.gravity.length();
        let [held] = &world.record().follows[..] else { panic!("one follows") };
        let found = held.feasibility.as_ref().unwrap();
        assert!((found.missing[0].force - DVec3::Y * weight).length() < 1e-6 * weight, "{:?}", found.missing[0]);
        assert!(found.impossible().len() == 1 && held.possible.is_none());
        // It begins at rest in its place and sinks until the root assist carries its weight.
        assert!((held.hand.mean - 1.0).abs() < 0.05, "{method:?}: {:?}", held.hand);
        assert!(held.clip.is_empty() && held.all.place < 0.15, "{:?}", held.all);
    }
    // Without gravity no floor force is needed.
    let mut scene = weightless(0.1);
    scene.ragdolls.push(Ragdoll { name: "man".into(), ..Ragdoll::default() });
    scene.follows.push(Follow { of: "man".into(), ..Follow::default() });
    let [adrift] = &under(Method::Multipliers, &scene).record().follows[..] else { panic!("one follows") };
    assert!(adrift.feasibility.is_none() && adrift.possible.is_none());
}

#[test]
fn x14_own_feet_say_what_they_need() {
    let wrong = |change: &dyn Fn(&mut Scene)| {
        let mut scene = jumping(1.0);
        change(&mut scene);
        let fault = Any::new(scene, &assets()).unwrap_err();
        (fault.key, fault.message)
    };
    let follow = |change: &dyn Fn(&mut Follow)| wrong(&|scene| change(&mut scene.follows[0]));
    for ((key, message), word) in [
        (wrong(&|scene| scene.solver.method = Method::Particles), "multipliers"),
        (wrong(&|scene| scene.solver.method = Method::Hennix), "give way"),
        (wrong(&|scene| scene.setting.ground = None), "ground"),
        (wrong(&|scene| scene.setting.rate = 60.0), "120"),
        (follow(&|follow| follow.get_up_time = 1.0), "get_up_time"),
        (follow(&|follow| follow.strength = 0.5), "strength"),
        (follow(&|follow| follow.of = "man/LeftHand".into()), "LeftHand"),
        (
            wrong(&|scene| {
                let path = vec![Waypoint::default()];
                scene.looks.push(crate::simulation::scene::Look { of: "man".into(), path, ..Default::default() });
            }),
            "look",
        ),
    ] {
        assert!(key == "own_feet" && message.contains(word), "{key}: {message}");
    }
    let (key, message) = follow(&|follow| follow.max_assist = Some(0.1));
    assert!(key == "max_assist" && message.contains("assist_time"), "{message}");
    let (key, message) = follow(&|follow| follow.max_missing_assist = Some(1.5));
    assert!(key == "max_missing_assist" && message.contains("assist_time"), "{message}");
    let (key, message) = wrong(&|scene| {
        scene.follows[0] = Follow {
            of: "man".into(),
            assist_time: 0.1,
            get_up_time: 1.0,
            max_missing_assist: Some(1.5),
            ..Follow::default()
        };
    });
    assert!(key == "max_missing_assist" && message.contains("get_up_time"), "{message}");
    let (key, message) = wrong(&|scene| {
        scene.setting.gravity = DVec3::ZERO;
        (scene.follows[0].assist_time, scene.follows[0].max_missing_assist) = (0.1, Some(1.5));
    });
    assert!(key == "max_missing_assist" && message.contains("gravity"), "{message}");
}
