//! Requirements of following a clip with whole-body control (`own_feet`).

use super::{Follow, Method, Scene};

/// Least frame rate for whole-body control, 1/s; at lower rates its sensor readings come too late.
const LEAST_RATE: f64 = 120.0;

/// The unmet requirement of `own_feet`, as a sentence that follows the key; `None` if all are met.
pub(super) fn fault(scene: &Scene, follow: &Follow, is_herd: bool) -> Option<String> {
    let of = &follow.of.0;
    if is_herd {
        return Some(format!(
            "works for a single ragdoll only, and “{of}” is a herd; set assist_time instead, which leads it by the root assist"
        ));
    }
    if let Some(bone) = follow.of.bone() {
        return Some(format!("works for a whole ragdoll only; name it without the bone “{bone}”"));
    }
    if matches!(scene.solver.method, Method::Particles | Method::Hennix) {
        return Some(format!(
            "needs the moments of rigid joints that do not give way: “{of}” keeps to its feet under method = \"multipliers\" or \
             \"displacement\"; under others a hand leads it (assist_time)"
        ));
    }
    if scene.setting.ground.is_none() {
        return Some("needs a floor to stand on; set the height `ground` in the section [scene]".into());
    }
    if scene.setting.rate < LEAST_RATE {
        return Some(format!(
            "needs {LEAST_RATE} frames per second or more, not {}: at lower rates the balance control reacts too late",
            scene.setting.rate
        ));
    }
    if follow.get_up_time > 0.0 {
        return Some(
            "cannot be combined with get_up_time: forces on the feet alone do not lift a body along a straight path; set assist_time instead"
                .into(),
        );
    }
    if follow.strength < 1.0 {
        return Some("needs strength = 1; give a lower strength only in entries of single bones".into());
    }
    let told = scene.looks.iter().map(|look| &look.of).chain(scene.reaches.iter().map(|reach| &reach.of));
    told.map(|part| part.thing()).find(|thing| thing == of).map(|thing| {
        format!("follows the clip only, so “{thing}” cannot look or reach at the same time; remove one of the two")
    })
}
