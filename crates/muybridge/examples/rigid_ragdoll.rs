//! A person of rigid bodies falls on the ground and comes to rest.
//!
//! `cargo run -p muybridge --example rigid_ragdoll`

use muybridge::collision::Obstacle;
use muybridge::ragdoll::{RagdollSettings, RagdollStart, rigid};
use muybridge::rigid::{Settings, World};
use muybridge::{glam::DVec3, samples::humanoid};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let character = humanoid();
    let start = RagdollStart::at_rest(&character.skeleton).with_velocity(DVec3::new(0.0, 2.0, 1.0), DVec3::X);
    let mut ragdoll = rigid(&character, &start, &RagdollSettings::default())?;
    ragdoll.model.obstacles.push(Obstacle::ground(0.0)?);
    let head = ragdoll.bone("Head").ok_or("no head")?;
    let mut world = World::new(ragdoll.model.clone(), &ragdoll.starts, Settings::default())?;
    for frame in 0..180 {
        world.step();
        println!("{frame:3}  head {:.3}", ragdoll.pose(&world.state.poses)[head].0);
    }
    Ok(())
}
