//! What is done to things while they are simulated.

use glam::DVec3;

use super::slot::NumberRange::{Any, NotNegative, Positive, Speed};
use super::slot::{PartPath, Waypoint};
use super::thing::thing;

thing! {
    /// Air that moves: carries what has drag along, and presses on cloth.
    Wind "wind" required ["name"] {
        /// By which reports speak of it.
        name: String = String::new() => Name,
        /// Metres per second.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Share of the velocity that comes and goes.
        gust: f64 = 0.0 => Number(NotNegative),
        /// Seconds between gusts.
        period: f64 = 1.0 => Number(Positive),
        /// When it rises, seconds.
        begins: f64 = 0.0 => Number(NotNegative),
        /// When it dies, seconds; left out: never.
        ends: Option<f64> = None => Optional(NotNegative),
    }
}

thing! {
    /// A ragdoll with a clip plays it until then, and falls from there with the velocity it has.
    Release "release" required ["of", "time"] {
        /// The ragdoll.
        of: PartPath = PartPath::default() => Part,
        /// Seconds from the start of the run.
        time: f64 = 0.0 => Number(NotNegative),
    }
}

thing! {
    /// A ragdoll is driven along a clip, or holds the pose it starts in; of a bone: the strength of its joint and of all below it.
    Follow "follow" required ["of"] {
        /// The ragdoll or herd, or a bone of one.
        of: PartPath = PartPath::default() => Part,
        /// A clip of its character; left out: that of the ragdoll, or the pose it starts in.
        clip: String = String::new() => Text,
        /// Seconds from the start of the run; the clip begins then.
        begins: f64 = 0.0 => Number(NotNegative),
        /// Until when, seconds; left out: to the end.
        ends: Option<f64> = None => Optional(NotNegative),
        /// 0 limp, 1 all of it.
        strength: f64 = 1.0 => Number(NotNegative),
        /// Natural frequency of its joints, hertz.
        frequency: f64 = 20.0 => Number(Positive),
        /// Damping ratio of its joints, 1 is critical.
        damping: f64 = 1.0 => Number(Positive),
        /// Greatest moment of a joint, newton metres; left out: any.
        most: Option<f64> = None => Optional(Positive),
        /// Seconds in which a hand from outside brings the root to the clip; 0: there is none.
        lead: f64 = 0.0 => Number(NotNegative),
        /// Greatest share of its weight that the hand gives, and with half a metre's arm that of its moment; left out: any.
        most_lead: Option<f64> = None => Optional(Positive),
        /// How many times what the clip asks for beyond what the floor can give the hand gives at most, force and moment, at that moment and, less and
        /// less, within 0.4 s of it; most_lead is then its reserve for a ragdoll that is pushed off the clip. Left out: it is bound by most_lead alone.
        most_missing: Option<f64> = None => Optional(Positive),
        /// It keeps to its feet: joints pull so that the ground alone can carry and turn it, as nearly along the clip as that allows, at
        /// frequencies of their own. Needs rigid bodies, ground, and 120 frames per second or more.
        own_feet: bool = false => Flag,
        /// Seconds in which it gets up from where it lies, before the clip begins; 0: it is on the clip.
        rise: f64 = 0.0 => Number(NotNegative),
    }
}

thing! {
    /// A person that stands on its feet, steps where it would fall, and walks. Needs rigid bodies and 60 frames per second or more; walks fastest at 240.
    Stand "stand" required ["of"] {
        /// The ragdoll.
        of: PartPath = PartPath::default() => Part,
        /// Seconds from the start of the run.
        begins: f64 = 0.0 => Number(NotNegative),
        /// Until when, seconds; left out: to the end.
        ends: Option<f64> = None => Optional(NotNegative),
        /// Velocity it walks with, metres per second; its height means nothing.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Whether it steps to save itself.
        steps: bool = true => Flag,
    }
}

thing! {
    /// A ragdoll that turns its face to a place, with chest, neck and head. A follow or stand drives its joints.
    Look "look" required ["of", "path"] {
        /// The ragdoll.
        of: PartPath = PartPath::default() => Part,
        /// What it looks at, `[seconds, x, y, z]`, straight between; before the first and after the last as there.
        path: Vec<Waypoint> = Vec::new() => Path,
        /// Seconds from the start of the run.
        begins: f64 = 0.0 => Number(NotNegative),
        /// Until when, seconds; left out: to the end.
        ends: Option<f64> = None => Optional(NotNegative),
        /// Seconds in which it turns there, and by the end back.
        ease: f64 = 0.3 => Number(NotNegative),
        /// Greatest turn of the head against the trunk, radians.
        swing: f64 = 1.2 => Angle(NotNegative),
    }
}

thing! {
    /// A hand or foot that its limb brings to a place. A follow or stand drives its joints.
    Reach "reach" required ["of", "path"] {
        /// The bone of a ragdoll that ends a limb: `"man/LeftHand"`.
        of: PartPath = PartPath::default() => Part,
        /// Where it is brought, `[seconds, x, y, z]`, straight between; before the first and after the last as there.
        path: Vec<Waypoint> = Vec::new() => Path,
        /// Seconds from the start of the run.
        begins: f64 = 0.0 => Number(NotNegative),
        /// Until when, seconds; left out: to the end.
        ends: Option<f64> = None => Optional(NotNegative),
        /// Seconds in which it gets there, and by the end back.
        ease: f64 = 0.5 => Number(NotNegative),
    }
}

thing! {
    /// An impulse.
    Hit "hit" required ["of", "time", "impulse"] {
        /// The thing or bone.
        of: PartPath = PartPath::default() => Part,
        /// Seconds from the start of the run.
        time: f64 = 0.0 => Number(NotNegative),
        /// Newton seconds.
        impulse: DVec3 = DVec3::ZERO => Vector(Any),
    }
}

thing! {
    /// An explosion: pushes everything away from it, by the square of the distance.
    Bomb "bomb" required ["position", "time"] {
        /// Metres.
        position: DVec3 = DVec3::ZERO => Vector(Any),
        /// Seconds from the start of the run.
        time: f64 = 0.0 => Number(NotNegative),
        /// Speed it gives at one metre, metres per second.
        speed: f64 = 5.0 => Number(Speed),
        /// Metres within which it grows no stronger.
        core: f64 = 0.2 => Number(Positive),
    }
}

thing! {
    /// A thing or bone led along a path by its middle.
    Drag "drag" required ["of", "path"] {
        /// The thing or bone.
        of: PartPath = PartPath::default() => Part,
        /// Where it is led when, `[seconds, x, y, z]`, straight between; it is let go after the last.
        path: Vec<Waypoint> = Vec::new() => Path,
        /// The path counts from where the part is at its first time.
        relative: bool = false => Flag,
    }
}
