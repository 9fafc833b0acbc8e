//! Measures how hard a person on its feet can be pushed from each side, and how fast it can walk before it falls.
//!
//! `cargo run --release -p muybridge --example balance`
//!
//! A push is an impulse at the chest of a person of 70 kg: 14 N s change its speed by 0.2 m/s. Results: `.` it stayed
//! standing, a number of recovery steps, or `x` it fell.

use muybridge::behavior::GaitSettings;
use muybridge::behavior::OnFoot;
use muybridge::character::Role;
use muybridge::glam::{DVec2, DVec3};
use muybridge::samples::humanoid;

type Failure = Box<dyn std::error::Error>;

const SIDES: [(&str, f64); 8] = [
    ("front", 0.0),
    ("left front", 45.0),
    ("left", 90.0),
    ("left back", 135.0),
    ("back", 180.0),
    ("right back", 225.0),
    ("right", 270.0),
    ("right front", 315.0),
];

fn main() -> Result<(), Failure> {
    for may_step in [false, true] {
        println!("pushed toward, {} (N s)", if may_step { "stepping" } else { "without a step" });
        print!("{:>12}", "");
        let impulses: &[f64] =
            if may_step { &[20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0] } else { &[10.0, 15.0, 20.0, 25.0, 30.0, 35.0] };
        impulses.iter().for_each(|impulse| print!("{impulse:5}"));
        println!();
        for (name, degrees) in SIDES {
            print!("{name:>12}");
            for &impulse in impulses {
                print!("{:>5}", push(impulse, degrees.to_radians(), may_step)?);
            }
            println!();
        }
    }
    println!("walking for 20 s (m/s)");
    for speed in [-0.4, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4] {
        println!("{speed:12} {}", walk(speed)?);
    }
    Ok(())
}

fn push(impulse: f64, angle: f64, may_step: bool) -> Result<String, Failure> {
    let mut person = OnFoot::new(&humanoid(), GaitSettings::default(), OnFoot::settings())?;
    person.biped.may_step = may_step;
    person.go_on(0.5);
    let chest = person.figure.bone_of(Role::Chest).ok_or("no chest")?;
    person.push(chest, DVec3::new(angle.sin(), 0.0, angle.cos()) * impulse)?;
    let stands = person.go_on(5.0);
    Ok(match (stands, person.biped.steps) {
        (false, _) => "x".into(),
        (true, 0) => ".".into(),
        (true, steps) => steps.to_string(),
    })
}

fn walk(speed: f64) -> Result<String, Failure> {
    let gait = GaitSettings { velocity: DVec2::Y * speed, ..GaitSettings::default() };
    let mut person = OnFoot::new(&humanoid(), gait, OnFoot::settings())?;
    let (mut seconds, mut began) = (0.0, DVec3::ZERO);
    while seconds < 20.0 && person.go_on(0.5) {
        seconds += 0.5;
        if seconds == 10.0 {
            began = person.step().mass_center;
        }
    }
    if seconds < 20.0 {
        return Ok(format!("fell after {seconds} s and {} steps", person.biped.steps));
    }
    let went = (person.step().mass_center - began) / 10.0;
    Ok(format!("{} steps, {:.2} m/s", person.biped.steps, went.z))
}
