//! A plan in code: a pendulum of two rods touches two places in turn, twice, rests, and prints its log.
//!
//! `cargo run -p muybridge --example plan_in_code`

use muybridge::behavior::action::{
    Action, BodyPoint, Controller, Ease, EndCondition, Journey, MoveTo, Script, Stop, Strength,
};
use muybridge::behavior::action::{act, race, repeat, sequence, wait, wait_until};
use muybridge::glam::{DQuat, DVec3};
use muybridge::rigid::model::{Model, Start};
use muybridge::rigid::{Body, Joint, Kind, Settings, World};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rod = Body::new(1.0, DVec3::new(0.085, 0.002, 0.085))?;
    let starts = [0.5, 1.5].map(|down: f64| Start::at(DVec3::NEG_Y * down, DQuat::IDENTITY));
    let side = |body: usize| (body, starts[body].position, DQuat::IDENTITY);
    let joints = vec![
        Joint::between(None, side(0), (DVec3::ZERO, DQuat::IDENTITY), Kind::Ball),
        Joint::between(Some(side(0)), side(1), (DVec3::NEG_Y, DQuat::IDENTITY), Kind::Ball),
    ];
    let model = Model { bodies: vec![rod; 2], joints, ..Model::default() };
    let mut world = World::new(model, &starts, Settings::default())?;

    let tip = BodyPoint { body: 1, in_body: DVec3::NEG_Y * 0.5 };
    let go = |to: DVec3| MoveTo {
        to,
        journey: Some(Journey { ease: Ease::Quintic, ..Journey::straight(0.8) }),
        strength: Strength::default(),
    };
    let script = Script::default()
        .action(Action::new("left", tip, go(DVec3::new(-1.0, -0.8, 0.4))))
        .action(Action::new("right", tip, go(DVec3::new(1.0, -0.8, -0.4))))
        .action(Action::new("rest", tip, Stop::default()).until(EndCondition::cancelled()))
        .condition("it is late", |world| world.state.steps >= 600)
        .plan(
            "touch",
            sequence([
                repeat(2, sequence([act("left"), act("right")])),
                race([act("rest"), wait(1.0), wait_until("it is late")]),
            ]),
        );
    let mut controller = Controller::new(script, world.model.bodies.len())?;
    (0..480).for_each(|_| controller.step(&mut world));
    for entry in controller.log() {
        println!("{entry}");
    }
    Ok(())
}
