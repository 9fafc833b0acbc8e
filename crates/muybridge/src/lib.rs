//! Physics for character animation: check, fix and simulate motion.
//!
//! This crate is pure computation: it opens no file, reads no clock and prints nothing. Everything is SI and
//! radians, right-handed, y up; `muybridge_files` converts at the border. Same input, same bits: trigonometry
//! is `libm`'s, never the platform's, and no result depends on the number of threads.
//!
//! The modules stand in the order data flows through them; `ARCHITECTURE.md` says which may use which.
//!
//! Check a clip built from arrays: half a second of falling, 60 frames a second.
//! ```
//! use muybridge::analysis::{Settings, analyze};
//! use muybridge::character::{BodySettings, CharacterEvidence, Skeleton, assemble};
//! use muybridge::motion::{Clip, RotationArray};
//! let skeleton = Skeleton::from_arrays(&["hips", "head"], &[-1, 0], &[0.0, 0.0, 0.0, 0.0, 0.6, 0.0])?;
//! let height = |seconds: f64| 3.0 - 0.5 * 9.81 * seconds * seconds;
//! let positions: Vec<f64> = (0..31).flat_map(|frame| [0.0, height(f64::from(frame) / 60.0), 0.0]).collect();
//! let turns = [1.0_f32, 0.0, 0.0, 0.0].repeat(31 * skeleton.len());
//! let clip = Clip::from_arrays(&skeleton, 1.0 / 60.0, &positions, RotationArray::Wxyz(&turns))?;
//! let character = assemble(&skeleton, &CharacterEvidence::default(), &BodySettings::default())?.character;
//! let analysis = analyze(&character, &clip, &Settings { flights: vec![(0, 30)], ..Settings::default() });
//! assert!((analysis.flights[0].gravity - 1.0).abs() < 1e-3, "it falls with 1 g");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! Drop a ragdoll:
//! ```
//! use muybridge::particles::{Settings, World};
//! use muybridge::ragdoll::{RagdollSettings, RagdollStart, particles};
//! let character = muybridge::samples::humanoid();
//! let ragdoll = particles(&character, &RagdollStart::at_rest(&character.skeleton), &RagdollSettings::default())?;
//! let mut world = World::new(ragdoll.model.clone(), Settings::default())?;
//! world.obstacles.push(muybridge::collision::Obstacle::ground(0.0)?);
//! (0..180).for_each(|_| world.step());
//! let pose = ragdoll.pose(&world.state.positions);
//! assert!(pose[0].0.y < 0.5, "the hips lie on the ground: {}", pose[0].0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//! Write a behavior, a function of what a body senses, and let it act in a world of rigid bodies:
//! ```
//! use muybridge::behavior::action::{Action, BodyPoint, Command, Controller, Response, Script, ActionInput, EndCondition};
//! use muybridge::glam::{DQuat, DVec3};
//! use muybridge::rigid::{Body, Model, Settings, World, model::Start};
//! let model = Model { bodies: vec![Body::new(1.0, DVec3::splat(0.01))?], ..Model::default() };
//! let mut world = World::new(model, &[Start::at(DVec3::ZERO, DQuat::IDENTITY)], Settings::default())?;
//! let hover = |_: &ActionInput<'_>| Command::be_at(DVec3::Y * 2.0, DVec3::ZERO, Response::default().into());
//! let action = Action::new("hover", BodyPoint { body: 0, in_body: DVec3::ZERO }, hover);
//! let script = Script::default().action(action.until(EndCondition::cancelled()).from(0.0));
//! let mut controller = Controller::new(script, 1)?;
//! (0..300).for_each(|_| controller.step(&mut world));
//! assert!((world.state.poses[0].place().y - 2.0).abs() < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
pub mod behavior;
pub mod character;
pub mod collision;
pub mod correction;
pub mod math;
pub mod motion;
pub mod particles;
pub mod ragdoll;
pub mod rigid;
pub mod samples;
pub mod simulation;
pub mod skinning;

pub use glam;

/// Runs the example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

// Files that tests inside and outside share name the library as users do.
#[cfg(test)]
extern crate self as muybridge;
