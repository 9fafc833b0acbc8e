//! Requirements of standing, and of the time spans of `[[stand]]` and `[[follow]]`.

use super::check::{Names, WrongKey};
use super::slot::PartPath;
use super::{Follow, Method, Ragdoll, Stand};

/// Least frame rate for standing, 1/s; at lower rates sensor readings come too late.
const LEAST_RATE: f64 = 60.0;

/// Checks that a ragdoll can stand, and does nothing else meanwhile.
pub(super) fn check(stand: &Stand, index: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    let (scene, of) = (names.scene, &stand.of.0);
    let wrong = |message: String| Err(("of", message));
    names.is_a::<Ragdoll>(&stand.of).or_else(wrong)?;
    if let Some(bone) = stand.of.bone() {
        return wrong(format!("names the bone “{bone}”, but the whole ragdoll stands; name the ragdoll alone"));
    }
    let gives_way = matches!(scene.solver.method, Method::Particles | Method::Hennix);
    if gives_way || scene.setting.rate < LEAST_RATE {
        return wrong(format!(
            "“{of}” can stand only as rigid bodies (method = \"multipliers\" or \"displacement\") and at {LEAST_RATE} frames per second or more"
        ));
    }
    if scene.falls_at().is_none() {
        return wrong(format!(
            "“{of}” can stand only if gravity points straight down, along -y; change gravity in [scene]"
        ));
    }
    if scene.setting.ground.is_none() && scene.obstacles.is_empty() {
        return wrong(format!(
            "“{of}” has nothing to stand on; set the height `ground` in the section [scene], or add an obstacle"
        ));
    }
    if let Some(follow) = scene.follows.iter().find(|follow| follow.of == stand.of && is_at_once(follow, stand)) {
        return wrong(format!(
            "“{of}” follows a clip from {} s on and cannot stand on its own at the same time; let one end before the other begins",
            follow.begins
        ));
    }
    check_span(&scene.stands, index, |stand| (&stand.of, stand.begins, stand.ends))
}

fn is_at_once(follow: &Follow, stand: &Stand) -> bool {
    let end = |ends: Option<f64>| ends.unwrap_or(f64::INFINITY);
    follow.begins < end(stand.ends) && stand.begins < end(follow.ends)
}

/// Checks that a thing ends after it begins, and that none before it is for the same part from the same time on.
pub(super) fn check_span<T>(
    things: &[T],
    index: usize,
    span: impl Fn(&T) -> (&PartPath, f64, Option<f64>),
) -> Result<(), WrongKey> {
    let (of, begins, ends) = span(&things[index]);
    if let Some(ends) = ends.filter(|ends| *ends <= begins) {
        return Err((
            "ends",
            format!("is {ends} s, but the entry begins at {begins} s; give a later time, or leave ends out"),
        ));
    }
    let is_same = |other: &T| (span(other).0, span(other).1) == (of, begins);
    if things[..index].iter().any(is_same) {
        return Err(("of", format!("“{}” has two entries that begin at {begins} s; remove one of the two", of.0)));
    }
    Ok(())
}
