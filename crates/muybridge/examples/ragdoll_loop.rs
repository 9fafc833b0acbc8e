//! A game loop: a person falls, is hit in the air, and every frame prints the poses of the bones.
//!
//! `cargo run -p muybridge --example ragdoll_loop`

use muybridge::collision::Obstacle;
use muybridge::glam::DVec3;
use muybridge::particles::{Settings, World};
use muybridge::ragdoll::{RagdollSettings, RagdollStart, particles};
use muybridge::samples::humanoid;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let character = humanoid();
    let start = RagdollStart::at_rest(&character.skeleton).with_velocity(DVec3::new(0.0, 3.0, 2.0), DVec3::X);
    let ragdoll = particles(&character, &start, &RagdollSettings::default())?;
    let head = ragdoll.bone("Head").ok_or("no head")?;
    let mut world = World::new(ragdoll.model.clone(), Settings::default())?;
    world.obstacles.push(Obstacle::ground(0.0)?);
    for frame in 0..180 {
        if frame == 15 {
            ragdoll.hit(&mut world, head, DVec3::ZERO, DVec3::X * 20.0)?;
        }
        world.step();
        let pose = ragdoll.pose(&world.state.positions);
        println!("{frame:3}  head {:.3}", pose[head].0);
    }
    Ok(())
}
