//! Requirements of following a clip with whole-body control (`own_feet`).

use super::{Follow, Method, Scene};

/// Least frame rate for whole-body control, 1/s; at lower rates its sensor readings come too late.
const LEAST_RATE: f64 = 120.0;

/// The unmet requirement of `own_feet`, as a sentence that follows the key; `None` if all are met.
pub(super) fn fault(scene: &Scene, follow: &Follow, is_herd: bool) -> Option<String> {
    let of = &follow.of.0;
    if is_herd {
        return Some(format!("is for a single ragdoll, and “{of}” is a herd: a hand leads it (assist_time)"));
    }
    if let Some(bone) = follow.of.bone() {
        return Some(format!("is for a whole ragdoll, not for the bone “{bone}”"));
    }
    if matches!(scene.solver.method, Method::Particles | Method::Hennix) {
        return Some(format!(
            "needs the moments of rigid joints that do not give way: “{of}” keeps to its feet under method = \"multipliers\" or \
             \"displacement\"; under others a hand leads it (assist_time)"
        ));
    }
    if scene.setting.ground.is_none() {
        return Some("needs something to stand on: a height `ground` in the section [scene]".into());
    }
    if scene.setting.rate < LEAST_RATE {
        return Some(format!(
            "needs {LEAST_RATE} frames per second or more, not {}: what stands learns too late what it does",
            scene.setting.rate
        ));
    }
    if follow.get_up_time > 0.0 {
        return Some(
            "and get_up_time do not go together: nobody gets up along a straight way on feet alone; give it a hand (assist_time)"
                .into(),
        );
    }
    if follow.strength < 1.0 {
        return Some(
            "takes all the strength of the joints; strength of single limbs is for entries of their bones".into(),
        );
    }
    let told = scene.looks.iter().map(|look| &look.of).chain(scene.reaches.iter().map(|reach| &reach.of));
    told.map(|part| part.thing())
        .find(|thing| thing == of)
        .map(|thing| format!("makes nothing but the motion of the clip: “{thing}” cannot look or reach meanwhile"))
}
