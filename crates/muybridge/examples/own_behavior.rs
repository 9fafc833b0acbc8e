//! A custom behavior in twenty lines: a kite that flies above and downwind of a ball, more loosely at larger distance.
//!
//! `cargo run -p muybridge --example own_behavior`

use muybridge::behavior::action::{
    Action, ActionInput, Behavior, BodyPoint, Command, Controller, EndCondition, PointMotion, Response, Script,
};
use muybridge::glam::{DQuat, DVec3};
use muybridge::rigid::model::{Model, Start};
use muybridge::rigid::{Body, Settings, World};

const WIND: DVec3 = DVec3::new(1.5, 0.0, 0.0);

/// Maps sensor input to a target and the stiffness of its pursuit.
fn kite(sensed: &ActionInput<'_>) -> Command {
    let Some(ball) = sensed.seen.first() else { return Command::none() };
    let sway = libm::sin(2.0 * sensed.elapsed) * DVec3::Z * 0.3;
    let to = ball.position + DVec3::Y * 2.0 + WIND + sway;
    let looseness = 0.1 + 0.2 * to.distance(sensed.own.position).min(2.0);
    match Response::critical(looseness) {
        Ok(response) => Command::be_at(to, ball.velocity, response.into()),
        Err(_) => Command::none(),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Test without a world: the command is above the sensed ball, or empty if no ball is sensed.
    let alone = ActionInput::alone(PointMotion::at(DVec3::ZERO), 1.0 / 60.0);
    assert_eq!(kite(&alone), Command::none());
    let ball = [PointMotion::at(DVec3::X)];
    let place = kite(&ActionInput { seen: &ball, ..alone }).place.and_then(|place| place.position);
    assert_eq!(place, Some(DVec3::new(2.5, 2.0, 0.0)));

    let model = Model { bodies: vec![Body::new(1.0, DVec3::splat(0.01))?; 2], ..Model::default() };
    let starts = [Start::at(DVec3::ZERO, DQuat::IDENTITY), Start::at(DVec3::NEG_X, DQuat::IDENTITY)];
    let mut world = World::new(model, &starts, Settings::default())?;
    let point = |body| BodyPoint { body, in_body: DVec3::ZERO };
    let fly = Action::new("fly", point(1), kite).seeing([point(0)]).until(EndCondition::cancelled()).from(0.0);
    let roll = |sensed: &ActionInput<'_>| Command::be_at(DVec3::X * sensed.time, DVec3::X, Response::default().into());
    let roll = Action::new("roll", point(0), roll as fn(&ActionInput<'_>) -> Command)
        .until(EndCondition::cancelled())
        .from(0.0);
    let mut controller = Controller::new(Script::default().action(fly).action(roll), 2)?;
    for second in 0..5 {
        let [ball, kite] = [0, 1].map(|body: usize| world.state.poses[body].place());
        println!("{second} s  ball {ball:.2}  kite {kite:.2}");
        (0..60).for_each(|_| controller.step(&mut world));
    }
    let _: &dyn Behavior = &kite;
    Ok(())
}
