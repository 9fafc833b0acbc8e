//! Inputs and goals of a scene: wind, released clips, clips to follow, standing, hits, bombs, drags.

use glam::DVec3;

use super::check::{Names, WrongKey};
use super::slot::NumberRange::{Any, NotNegative, Positive, Speed};
use super::slot::{PartPath, Waypoint};
use super::thing::{AttachPoint, thing};
use super::{Ragdoll, Scene, check_own_feet, check_stand};

thing! {
    /// Wind: carries things with drag along, and presses on cloth.
    Wind "wind" required ["name"] {
        /// Name of the wind in reports.
        name: String = String::new() => Name,
        /// Velocity of the air, meters per second.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Amplitude of gusts, as a share of the velocity.
        gust_share ("gust"): f64 = 0.0 => Number(NotNegative),
        /// Seconds between gusts.
        period: f64 = 1.0 => Number(Positive),
        /// Time at which the wind begins, seconds.
        begins: f64 = 0.0 => Number(NotNegative),
        /// Time at which the wind ends, seconds; left out: never.
        ends: Option<f64> = None => Optional(NotNegative),
    }
}

thing! {
    /// A ragdoll with a clip plays the clip until this time, then falls with the clip's velocity.
    Release "release" required ["of", "time"] checked by check_release {
        /// The ragdoll to release.
        of: PartPath = PartPath::default() => Part,
        /// Time of the release, seconds from the start of the run.
        time: f64 = 0.0 => Number(NotNegative),
    }
}

thing! {
    /// A ragdoll follows a clip, or holds the pose it starts in. For a bone: strength of its joint and all joints below it.
    Follow "follow" required ["of"] checked by check_follow {
        /// The ragdoll or herd, or a bone of one.
        of: PartPath = PartPath::default() => Part,
        /// Clip of the character; left out: the ragdoll's own clip, or the pose it starts in.
        clip: String = String::new() => Text,
        /// Time at which the clip begins, seconds from the start of the run.
        begins: f64 = 0.0 => Number(NotNegative),
        /// Time at which the entry ends, seconds; left out: the end of the run.
        ends: Option<f64> = None => Optional(NotNegative),
        /// Strength of the joints: 0 limp, 1 full.
        strength: f64 = 1.0 => Number(NotNegative),
        /// Natural frequency of the joints, hertz.
        frequency: f64 = 20.0 => Number(Positive),
        /// Damping ratio of the joints, 1 is critical.
        damping: f64 = 1.0 => Number(Positive),
        /// Greatest moment of a joint, newton meters; left out: unlimited.
        max_torque ("most"): Option<f64> = None => Optional(Positive),
        /// Seconds in which a hand from outside, the root assist, brings the root to the clip; 0: there is none.
        assist_time ("lead"): f64 = 0.0 => Number(NotNegative),
        /// Greatest force of the root assist by the weight; its greatest moment has an arm of 0.5 m. Left out: unlimited.
        max_assist ("most_lead"): Option<f64> = None => Optional(Positive),
        /// How many times what the clip asks for beyond what the floor can give the hand gives at most, force and moment, at that moment and, less and
        /// less, within 0.4 s of it; max_assist is then its reserve for a ragdoll that is pushed off the clip. Left out: max_assist alone bounds it.
        max_missing_assist ("most_missing"): Option<f64> = None => Optional(Positive),
        /// Whole-body control: joints track the clip as closely as ground contact forces alone allow, with frequencies of their own.
        /// Needs rigid bodies, ground, and 120 frames per second or more.
        own_feet: bool = false => Flag,
        /// Seconds in which a lying ragdoll gets up before the clip begins; 0: it starts on the clip.
        get_up_time ("rise"): f64 = 0.0 => Number(NotNegative),
    }
}

thing! {
    /// A person who stands, steps to avoid a fall, and walks. Needs rigid bodies and 60 frames per second or more; walks fastest at 240.
    Stand "stand" required ["of"] checked by check_stand::check {
        /// The ragdoll that stands.
        of: PartPath = PartPath::default() => Part,
        /// Time at which standing begins, seconds from the start of the run.
        begins: f64 = 0.0 => Number(NotNegative),
        /// Time at which the entry ends, seconds; left out: the end of the run.
        ends: Option<f64> = None => Optional(NotNegative),
        /// Walking velocity, meters per second; the vertical part is ignored.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Whether the person may step to avoid a fall.
        steps: bool = true => Flag,
    }
}

thing! {
    /// A ragdoll turns its face to a place, with chest, neck and head. A follow or stand must drive its joints.
    Look "look" required ["of", "path"] checked by check_look {
        /// The ragdoll that looks.
        of: PartPath = PartPath::default() => Part,
        /// Place to look at, `[seconds, x, y, z]`, interpolated linearly; constant before the first and after the last.
        path: Vec<Waypoint> = Vec::new() => Path,
        /// Time at which looking begins, seconds from the start of the run.
        begins: f64 = 0.0 => Number(NotNegative),
        /// Time at which looking ends, seconds; left out: the end of the run.
        ends: Option<f64> = None => Optional(NotNegative),
        /// Seconds of turning towards the place, and back at the end.
        ease: f64 = 0.3 => Number(NotNegative),
        /// Greatest angle of the head against the trunk, radians.
        swing_limit ("swing"): f64 = 1.2 => Angle(NotNegative),
    }
}

thing! {
    /// A hand or foot reaches a place. A follow or stand must drive the joints of the ragdoll.
    Reach "reach" required ["of", "path"] checked by check_reach {
        /// The bone of a ragdoll that ends a limb: `"man/LeftHand"`.
        of: PartPath = PartPath::default() => Part,
        /// Place to reach, `[seconds, x, y, z]`, interpolated linearly; constant before the first and after the last.
        path: Vec<Waypoint> = Vec::new() => Path,
        /// Time at which reaching begins, seconds from the start of the run.
        begins: f64 = 0.0 => Number(NotNegative),
        /// Time at which reaching ends, seconds; left out: the end of the run.
        ends: Option<f64> = None => Optional(NotNegative),
        /// Seconds of moving to the place, and back at the end.
        ease: f64 = 0.5 => Number(NotNegative),
    }
}

thing! {
    /// An impulse on a thing or bone.
    Hit "hit" required ["of", "time", "impulse"] checked by check_hit {
        /// The thing or bone that is hit.
        of: PartPath = PartPath::default() => Part,
        /// Time of the hit, seconds from the start of the run.
        time: f64 = 0.0 => Number(NotNegative),
        /// Impulse, newton seconds.
        impulse: DVec3 = DVec3::ZERO => Vector(Any),
    }
}

thing! {
    /// An explosion: pushes everything away from it, by the inverse square of the distance.
    Bomb "explosion" ("bomb") required ["position", "time"] {
        /// Center of the explosion, meters.
        position: DVec3 = DVec3::ZERO => Vector(Any),
        /// Time of the explosion, seconds from the start of the run.
        time: f64 = 0.0 => Number(NotNegative),
        /// Speed given at a distance of one meter, meters per second.
        speed: f64 = 5.0 => Number(Speed),
        /// Radius within which the push grows no stronger, meters.
        inner_radius ("core"): f64 = 0.2 => Number(Positive),
    }
}

impl Follow {
    /// Keys that are set and have no effect under whole-body control, which has frequencies of its own.
    pub(super) fn idle_on_own_feet(&self) -> impl Iterator<Item = &'static str> {
        let usual = Self::default();
        let keys = [("frequency", self.frequency != usual.frequency), ("damping", self.damping != usual.damping)];
        keys.into_iter().filter(|(_, is_set)| *is_set).map(|(key, _)| key)
    }
}

impl Bomb {
    /// Velocity that it gives at a place, m/s: `speed` at one meter, by the inverse square of the distance, and no more
    /// within the inner radius than at its edge.
    pub(in crate::simulation) fn change(&self, place: DVec3) -> DVec3 {
        let away = place - self.position;
        let distance = away.length().max(self.inner_radius);
        away.normalize_or_zero() * (self.speed / (distance * distance))
    }
}

thing! {
    /// A thing or bone dragged along a path by its center.
    Drag "pull" ("drag") required ["of", "path"] checked by check_pull {
        /// The thing or bone that is dragged.
        of: PartPath = PartPath::default() => Part,
        /// Path, `[seconds, x, y, z]`, interpolated linearly; the part is let go after the last point.
        path: Vec<Waypoint> = Vec::new() => Path,
        /// Whether the path is relative to the part's place at the start of the run.
        relative: bool = false => Flag,
    }
}

fn check_release(release: &Release, index: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    let wrong = |message: String| Err(("of", message));
    names.is_a::<Ragdoll>(&release.of).or_else(wrong)?;
    let scene = names.scene;
    let of = Scene::numbered(&release.of.0).map_or(release.of.0.as_str(), |(stem, _)| stem);
    let named = |name: &str| scene.ragdolls.iter().find(|ragdoll| ragdoll.name == name);
    let Some(ragdoll) = named(release.of.thing()).or_else(|| named(of)) else { return Ok(()) };
    if release.of.bone().is_some() || ragdoll.clip.is_empty() {
        return wrong(format!("“{}” plays no clip to be released from; give the ragdoll a clip", release.of.0));
    }
    if ragdoll.balanced {
        return wrong(format!(
            "“{}” starts at rest in balance, so it cannot be released from a clip; leave balanced or the release out",
            release.of.0
        ));
    }
    if scene.releases[..index].iter().any(|other| other.of == release.of) {
        return wrong(format!("“{}” is released twice; remove one of the two", release.of.0));
    }
    Ok(())
}

fn check_follow(follow: &Follow, index: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    let scene = names.scene;
    let is_herd = |name: &str| scene.herds.iter().any(|herd| herd.name == name);
    let of = follow.of.thing();
    match Scene::numbered(of).filter(|(stem, _)| is_herd(stem)) {
        Some((stem, _)) => {
            return Err((
                "of",
                format!("“{of}” is one ragdoll of a herd, which follows a clip only as a whole; name “{stem}”"),
            ));
        }
        None if is_herd(of) && follow.get_up_time > 0.0 => {
            let message = format!("works for a single ragdoll only, and “{of}” is a herd; leave it out");
            return Err(("get_up_time", message));
        }
        None if is_herd(of) => {}
        None => names.is_a::<Ragdoll>(&follow.of).map_err(|message| ("of", message))?,
    }
    if follow.strength > 1.0 {
        return Err(("strength", format!("must be from 0 (limp) to 1 (full strength), not {}", follow.strength)));
    }
    check_assist(follow, is_herd(of), scene)?;
    if let Some(message) = (follow.own_feet).then(|| check_own_feet::fault(scene, follow, is_herd(of))).flatten() {
        return Err(("own_feet", message));
    }
    check_stand::check_span(&scene.follows, index, |follow| (&follow.of, follow.begins, follow.ends))
}

/// Checks the bounds of the root assist.
fn check_assist(follow: &Follow, is_herd: bool, scene: &Scene) -> Result<(), WrongKey> {
    let bounds = [("max_assist", follow.max_assist), ("max_missing_assist", follow.max_missing_assist)];
    for (key, _) in bounds.into_iter().filter(|(_, bound)| bound.is_some()) {
        if follow.assist_time == 0.0 {
            let message = "limits the root assist, which is off; set assist_time to the seconds in which it leads";
            return Err((key, message.into()));
        }
        if is_herd {
            let of = follow.of.thing();
            let message = format!(
                "works for a single ragdoll only, and “{of}” is a herd, whose root assist has no limit; leave it out"
            );
            return Err((key, message));
        }
    }
    if follow.max_missing_assist.is_none() {
        return Ok(());
    }
    if scene.falls_at().is_none() {
        let message = "needs gravity that points straight down, along -y; change gravity in [scene]";
        return Err(("max_missing_assist", message.into()));
    }
    if follow.get_up_time > 0.0 {
        let message = "cannot be combined with get_up_time: the clip does not tell which forces getting up needs; remove one of them";
        return Err(("max_missing_assist", message.into()));
    }
    Ok(())
}

fn check_look(look: &Look, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    check_aim(&look.of, &look.path, names)?;
    if let Some(bone) = look.of.bone() {
        return Err(("of", format!("names the bone “{bone}”, but the whole ragdoll looks; name the ragdoll alone")));
    }
    Ok(())
}

fn check_reach(reach: &Reach, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    check_aim(&reach.of, &reach.path, names)?;
    if reach.of.bone().is_none() {
        return Err(("of", format!("must name the bone that reaches, such as “{}/LeftHand”", reach.of.0)));
    }
    Ok(())
}

/// Checks that a ragdoll that looks or reaches has driven joints, and a place to look at or to reach.
fn check_aim(of: &PartPath, path: &[Waypoint], names: &Names<'_>) -> Result<(), WrongKey> {
    names.is_a::<Ragdoll>(of).map_err(|message| ("of", message))?;
    let scene = names.scene;
    let follows = scene.follows.iter().filter(|follow| follow.of.bone().is_none()).map(|follow| follow.of.thing());
    let mut driven = follows.chain(scene.stands.iter().map(|stand| stand.of.thing()));
    if !driven.any(|driven| driven == of.thing()) {
        let message = format!("“{}” has no driven joints; add a [[follow]] or [[stand]] for it", of.thing());
        return Err(("of", message));
    }
    if path.is_empty() {
        Err(("path", "must hold at least one time and place: [[0.0, x, y, z]]".into()))
    } else {
        Ok(())
    }
}

fn check_hit(hit: &Hit, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    names.attaches(&hit.of, AttachPoint::Points).map_err(|message| ("of", message))
}

fn check_pull(pull: &Drag, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    names.attaches(&pull.of, AttachPoint::Bodies).map_err(|message| ("of", message))?;
    if pull.path.is_empty() {
        Err(("path", "must hold at least one time and place: [[0.0, x, y, z]]".into()))
    } else {
        Ok(())
    }
}
