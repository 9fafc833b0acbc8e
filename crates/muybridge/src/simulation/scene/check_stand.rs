//! What a ragdoll needs to stand, and that nobody is told two things at once.

use super::check::fault;
use super::slot::PartPath;
use super::{Follow, Method, Scene, SceneError, Stand, Thing};

/// Frames per second below which a person that stands learns too late what it does.
const LEAST_RATE: f64 = 60.0;

/// What is in the way of standing: the first entry that makes no sense, of those whose ragdolls there are.
pub(super) fn check(scene: &Scene) -> Result<(), SceneError> {
    for (index, stand) in scene.stands.iter().enumerate() {
        let of = &stand.of.0;
        let wrong = |message: String| Err(fault::<Stand>(index, "of", message));
        if let Some(bone) = stand.of.bone() {
            return wrong(format!("names the bone “{bone}”; it is the whole ragdoll that stands"));
        }
        let gives_way = matches!(scene.solver.method, Method::Particles | Method::Hennix);
        if gives_way || scene.setting.rate < LEAST_RATE {
            return wrong(format!(
                "“{of}” can stand only as rigid bodies (method = \"multipliers\") and at {LEAST_RATE} frames per second or more"
            ));
        }
        if scene.setting.falls_at().is_none() {
            return wrong(format!("“{of}” has nothing that holds it on its feet: gravity must point down y"));
        }
        if scene.setting.ground.is_none() && scene.obstacles.is_empty() {
            return wrong(format!("“{of}” has nothing to stand on: give the section [scene] a height `ground`"));
        }
        if let Some(follow) = scene.follows.iter().find(|follow| follow.of == stand.of && is_at_once(follow, stand)) {
            return wrong(format!(
                "“{of}” follows a clip from {} s on, and cannot stand on its own meanwhile: let one end before the other begins",
                follow.begins
            ));
        }
    }
    spans(&scene.stands, |stand| (&stand.of, stand.begins, stand.ends))?;
    spans(&scene.follows, |follow| (&follow.of, follow.begins, follow.ends))
}

fn is_at_once(follow: &Follow, stand: &Stand) -> bool {
    let end = |ends: Option<f64>| ends.unwrap_or(f64::INFINITY);
    follow.begins < end(stand.ends) && stand.begins < end(follow.ends)
}

/// Each ends after it begins, and no two of the same part begin together.
fn spans<T: Thing>(things: &[T], span: impl Fn(&T) -> (&PartPath, f64, Option<f64>)) -> Result<(), SceneError> {
    for (index, thing) in things.iter().enumerate() {
        let (of, begins, ends) = span(thing);
        if let Some(ends) = ends.filter(|ends| *ends <= begins) {
            let message = format!("is {ends} s, but it begins at {begins} s: it ends after that, or never");
            return Err(fault::<T>(index, "ends", message));
        }
        let is_same = |other: &T| (span(other).0, span(other).1) == (of, begins);
        if things[..index].iter().any(is_same) {
            let message = format!("“{}” is told so twice from {begins} s on; leave one of the two out", of.0);
            return Err(fault::<T>(index, "of", message));
        }
    }
    Ok(())
}
