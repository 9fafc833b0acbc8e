//! A humanoid of fifteen bodies tumbles for a second, free or hung by its pelvis; prints JSON with all data for another
//! engine.
//!
//! `cargo run --release -p muybridge --example free_humanoid [-- held 4000]`, the number of steps last.
//! `.ci/mujoco_humanoid.py` compares it with MuJoCo.
//!
//! Meters, kilograms, seconds, radians. Body frames are at the center of mass along the principal axes, quaternions are
//! x y z w, anchors and axes of joints are in the frames of parent and child (world frame for a null parent).

#[path = "../tests/all/free_humanoid/mod.rs"]
#[allow(dead_code, reason = "the tests ask more of the figure")]
mod free_humanoid;

use free_humanoid::Figure;
use muybridge::glam::{DQuat, DVec3};
use muybridge::rigid::model::Start;
use muybridge::rigid::multipliers::{Elimination, Feedback, Multipliers};
use muybridge::rigid::rattle::Mechanism;
use muybridge::rigid::state::{kinetic_energy, potential_energy};
use muybridge::rigid::{Body, Joint, Kind, Model, Momentum, Settings, World};
use serde_json::{Value, json};

/// Point at which the pelvis is held, off its center, so that gravity rotates it.
const HOOK: DVec3 = DVec3::new(0.05, 1.05, 0.02);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is_held = words.iter().any(|word| word == "held");
    let steps: u32 = words.iter().find_map(|word| word.parse().ok()).unwrap_or(8000);
    let Figure { bodies, mut joints, poses, momenta, .. } = Figure::new();
    let start = |body: usize| {
        let (velocity, angular_velocity) = momenta[body].velocities(&bodies[body], poses[body].turn());
        Start { position: poses[body].place(), rotation: poses[body].turn(), velocity, angular_velocity }
    };
    let mut starts: Vec<Start> = (0..bodies.len()).map(start).collect();
    let mut settings = Settings {
        time_step: 1.0 / f64::from(steps),
        substeps: 1,
        rest_steps: 0,
        gravity: DVec3::ZERO,
        ..Settings::default()
    };
    if is_held {
        settings.gravity = DVec3::new(0.0, -9.81, 0.0);
        let pelvis = starts[0];
        let slip = pelvis.velocity + pelvis.angular_velocity.cross(HOOK - pelvis.position);
        starts.iter_mut().for_each(|start| start.velocity -= slip);
        let child = (0, pelvis.position, pelvis.rotation);
        joints.push(Joint::between(None, child, (HOOK, DQuat::IDENTITY), Kind::Ball));
    }

    let model = Model { bodies, joints, ..Model::default() };
    let mut world = World::new(model, &starts, settings)?;
    let (start, accelerations, start_energy) = (bodies_of(&world), accelerations(&world), energy(&world));
    for _ in 0..steps {
        world.step();
    }
    let run = json!({
        "seconds": 1.0,
        "gravity": settings.gravity.to_array(),
        "start": start,
        "accelerations": accelerations,
        "joints": world.model.joints.iter().map(joint).collect::<Vec<_>>(),
        "end": bodies_of(&world),
        "energy": [start_energy, energy(&world)],
    });
    println!("{run:#}");
    Ok(())
}

/// Kinetic plus potential energy, joules.
fn energy(world: &World) -> f64 {
    kinetic_energy(&world.model, &world.state) + potential_energy(&world.model, &world.state, world.settings.gravity)
}

fn bodies_of(world: &World) -> Vec<Value> {
    let body = |index: usize| {
        let (body, pose) = (&world.model.bodies[index], &world.state.poses[index]);
        let (velocity, angular_velocity) = world.state.momenta[index].velocities(body, pose.turn());
        json!({
            "mass": body.mass,
            "moments": body.moments.to_array(),
            "position": pose.place().to_array(),
            "rotation": pose.turn().to_array(),
            "velocity": velocity.to_array(),
            "angular_velocity": angular_velocity.to_array(),
        })
    };
    (0..world.model.bodies.len()).map(body).collect()
}

/// Linear and angular acceleration of every body, from the multipliers of the joints: m/s² and rad/s².
fn accelerations(world: &World) -> Vec<[f64; 6]> {
    let World { model, state, settings, .. } = world;
    let mechanism = Mechanism { bodies: &model.bodies, joints: &model.joints, forest: world.forest() };
    let weight = |body: &Body| Momentum::from_vectors(settings.gravity * body.mass, DVec3::ZERO);
    let weights: Vec<_> = model.bodies.iter().map(weight).collect();
    let mut multipliers = Multipliers::new(mechanism);
    let how = (Elimination::Tree, Feedback { stiffness: 0.0, damping: 0.0 });
    multipliers.solve(mechanism, (&state.poses, &state.momenta), &weights, how);
    multipliers.accelerations
}

fn joint(joint: &Joint) -> Value {
    json!({
        "kind": if joint.kind == Kind::Hinge { "hinge" } else { "ball" },
        "parent": joint.parent,
        "child": joint.child,
        "anchors": joint.frames.map(|frame| frame.position.to_array()),
        "axes": joint.frames.map(|frame| (frame.rotation * DVec3::X).to_array()),
    })
}
