//! The kinds of findings, and everything that is known of each: the one place that names them.
//!
//! A new finding is a line of the list and an arm of [`FindingId::facts`]; `findings`, `carriage` or `continuity` makes it.
//! Reports, pages, the studio and `muybridge explain` ask here.

use core::fmt;
use core::str::FromStr;

use super::finding_facts::{FindingCurve, FindingFacts, FindingSection, FindingUnit, FindingValue};
use super::report::Analysis;
use super::tool::Tool;

/// Declares the variants, the list of all of them and their texts from one list.
macro_rules! finding_ids {
    ($($id:ident $name:literal),* $(,)?) => {
        /// A kind of finding. Its name is stable: reports, JSON and tables write it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingId {
            $(#[doc = concat!("`", $name, "`")] $id,)*
        }

        impl FindingId {
            /// Every kind, in the alphabetical order of the names, which is the order of the enum.
            pub const ALL: &[Self] = &[$(Self::$id),*];

            /// The name: "flight.gravity".
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$id => $name,)*
                }
            }
        }
    };
}

finding_ids! {
    BalanceZmp "balance.zmp",
    ClipFirstFrame "clip.first_frame",
    ClipHeld "clip.held",
    ClipInPlace "clip.in_place",
    ClipJitter "clip.jitter",
    ClipJump "clip.jump",
    ClipLoopSeam "clip.loop_seam",
    ClipTimeBase "clip.time_base",
    ClipUnits "clip.units",
    FeetFloat "feet.float",
    FeetPenetration "feet.penetration",
    FeetSkate "feet.skate",
    FlightGravity "flight.gravity",
    FlightHover "flight.hover",
    FlightMomentum "flight.momentum",
    FlightPath "flight.path",
    FlightShape "flight.shape",
    FlightSpin "flight.spin",
    ForceGround "force.ground",
    RootNeverMoves "root.never_moves",
    SupportNone "support.none",
    SupportUnseen "support.unseen",
}

impl FindingId {
    /// Everything that is known of this kind of finding.
    pub const fn facts(self) -> FindingFacts {
        match self {
            Self::BalanceZmp => FindingFacts {
                section: FindingSection::Balance,
                unit: FindingUnit::NUMBER,
                value: FindingValue::OfFinding,
                curve: Some(FindingCurve::ZmpMargin),
                tools: &[],
                limits: &["zmp_distance", "zmp_seconds"],
                ignores_small: false,
                quantity: "distance outside the support, in its mean radii",
                meaning: "The zero-moment point lies outside the support polygon: with these contacts the body would tip over.",
                formula: "p = o + (n × M) / (n · F): the point of the floor about which the ground's moment has no horizontal part; F = m (a - g), M = (c - o) × F + dH/dt. The value is the median over the span of the distance of p outside the support polygon, divided by the polygon's mean radius: perimeter / (2 pi), or 0.15 of the leg where that is more.",
                source: "Vukobratovic's zero-moment point after Popovic, Goswami and Herr (2005), normalized as by Shapiro and Lee (2011): S4, S5, S27; mathematics 6.4 and 6.5",
                severity: "Frames count in which the ground carries more than 0.3 of the weight, at least 0.05 s away from a flight. Longer than zmp_seconds above the first value of zmp_distance is a warning. It is an error if it lasts twice as long and the median is above the second value, unless a foot moves faster than 6 m/s meanwhile: the acceleration of a kick is less sure than the support is small. A body whose vertical force stays within a tenth of its weight gets a warning at most: more probably something unseen carries it.",
                remedy: "Shift the hips over what touches, or slow the motion down there. If something that the clip does not show carries the body, say so with --support A..B.",
            },
            Self::ClipFirstFrame => FindingFacts {
                section: FindingSection::Clip,
                unit: FindingUnit::CENTIMETERS,
                value: FindingValue::OfFinding,
                curve: None,
                tools: &[],
                limits: &[],
                ignores_small: false,
                quantity: "first or last frames from somewhere else",
                meaning: "The first or the last frames are a pose that does not belong to the motion, such as a T-pose of an exporter or a row of zeros.",
                formula: "The value is 0 if the first step is more than ten times the largest of the 59 steps after it, and more than a tenth of the leg; a step is the median way of the joints, or the median of 2 sin(turn / 2) times the leg where that is more. Else the value is the root mean square over the joints of the step less the steps beside it, m, with the limits of clip.jump, where the step is the first or the last, or all frames before it or after it, no more than half of the clip, show one pose. These frames are left out of the analysis.",
                source: "this project",
                severity: "A note where the value is 0, else a warning.",
                remedy: "Delete these frames, or export without the rest pose.",
            },
            Self::ClipHeld => FindingFacts {
                section: FindingSection::Clip,
                unit: FindingUnit::SECONDS,
                value: FindingValue::OfFinding,
                curve: None,
                tools: &[],
                limits: &[],
                ignores_small: false,
                quantity: "time in which frames only repeat",
                meaning: "Frames repeat the one before them although the body moves before and after, as a body that has mass cannot stop and go on.",
                formula: "Steps whose root mean square over the joints is below a twentieth of the step before them (at least 1 mm for a leg of 0.9 m), until a step that is 20 times the longest of them. They are no hold where the steps on both sides are three times as long as those beyond them: then these jump. Not in clips slower than 60 ms a frame. The value is the time of all of them, s.",
                source: "this project",
                severity: "Always a warning. A hold of a tenth of a second in the air is flight.hover instead.",
                remedy: "Delete the repeated frames and play the clip at its own rate, or interpolate across them.",
            },
            Self::ClipInPlace => FindingFacts {
                section: FindingSection::Clip,
                unit: FindingUnit::METERS_PER_SECOND,
                value: FindingValue::OfFinding,
                curve: None,
                tools: &[],
                limits: &[],
                ignores_small: false,
                quantity: "speed of the ground under the feet",
                meaning: "The clip moves on the spot, so it is judged on ground that moves with its feet.",
                formula: "The value is the common horizontal velocity of what stands on the floor, m/s.",
                source: "this project",
                severity: "Always a note.",
                remedy: "Nothing, if the clip is meant for a treadmill. Else let the root travel with that speed.",
            },
            Self::ClipJitter => FindingFacts {
                section: FindingSection::Clip,
                unit: FindingUnit::MILLIMETERS,
                value: FindingValue::OfFinding,
                curve: Some(FindingCurve::VerticalForce),
                tools: &[],
                limits: &["jitter_m"],
                ignores_small: false,
                quantity: "tremble of joints from frame to frame",
                meaning: "Joints tremble from frame to frame, faster than a body moves.",
                formula: "The largest of three deviations of white noise, m: median |third difference| / sqrt(20 · 2.366) of feet slower than 0.3 m/s; median |fourth difference| / sqrt(70 · 2.366) of the hips, where neighboring fourth differences have a correlation below -0.6; the same of the median joint, where neighboring second differences have one below -0.3. Not in clips slower than 60 ms a frame. Where all steps of the root along an axis are multiples of one length q, and neighboring second differences have a correlation below -0.3, its positions are rounded, as by keys in single precision far from the origin: then q / sqrt(12).",
                source: "this project; how noise grows in forces: mathematics 6.8",
                severity: "A warning above the first limit, an error above the second, for rounded positions a warning at most; the limits are those of a leg of 0.9 m and grow with the leg. None where frames repeat in a rhythm, for they alternate like noise; clip.time_base tells of them.",
                remedy: "Smooth the curves, or capture again. Forces are read through a low-pass filter; --cutoff sets it.",
            },
            Self::ClipJump => FindingFacts {
                section: FindingSection::Clip,
                unit: FindingUnit::CENTIMETERS,
                value: FindingValue::OfFinding,
                curve: Some(FindingCurve::MassCenterHeight),
                tools: &[],
                limits: &[],
                ignores_small: false,
                quantity: "step that the motion does not announce",
                meaning: "From one frame to the next the body moves as the frames beside do not announce: frames are lost, or the body is somewhere else.",
                formula: "R: root mean square over the joints of a step less the mean of the steps before and after it, m. z: R by its median over 12 frames to either side and 0.6 mm (for a leg of 0.9 m). a = 2 R / (3 g h^2), h the time of a frame. It is a jump if z > 8, a > 2 and z a > 60, and 0.7 R remain where the steps before and after are extrapolated; likewise with a from the joints that move most, sqrt(sum of r^4 / sum of r^2) of their parts r of R, if the pose is back within three frames; or if the step of all joints is the usual one, 1.6 or more times as long, and 1.5 times the one that the steps before and after extrapolate, with z > 6 and R > 3 mm, or z > 3 and R > 2 cm. It is none if the R of one step beside is above 0.75 R and that of the other below 0.25 R: then only the pace changes, as by a hit. Not in clips slower than 60 ms a frame.",
                source: "this project",
                severity: "A warning; an error where the mass center jumps too, with its own z > 8, a > 10 and R above 8 cm for a leg of 0.9 m.",
                remedy: "Insert the lost frames, move the part behind the jump to where the part before ends, or replace the strange frames.",
            },
            Self::ClipLoopSeam => FindingFacts {
                section: FindingSection::Clip,
                unit: FindingUnit::TIMES,
                value: FindingValue::OfFinding,
                curve: Some(FindingCurve::Contacts),
                tools: &[],
                limits: &["loop_seam"],
                ignores_small: false,
                quantity: "jump from last frame to first, in usual steps",
                meaning: "Played in a loop, the body jumps from the last frame to the first.",
                formula: "Mean way of the bones from the last frame to the first, without the horizontal travel of the root, divided by the larger of their mean steps at both ends; the step of an end is the smaller of its last two. Only with --loop.",
                source: "this project",
                severity: "A warning above the first limit; never an error.",
                remedy: "Make the last pose the one before the first, or blend the ends of the clip into each other.",
            },
            Self::ClipTimeBase => FindingFacts {
                section: FindingSection::Clip,
                unit: FindingUnit::TIMES,
                value: FindingValue::OfFinding,
                curve: Some(FindingCurve::MassCenterHeight),
                tools: &[],
                limits: &["gravity_g", "skeleton_error_m"],
                ignores_small: false,
                quantity: "speed factor of the clock",
                meaning: "The clock of the clip is wrong rather than its poses: all flights fall with nearly the same gravity, which is not 1 g, frames repeat in a rhythm, as in a clip padded to a faster rate, or the file writes a rate where a time belongs.",
                formula: "sqrt of the mean of the least and the greatest gravity of the flights whose standard error is below a tenth of it, without those beside an unseen support. They agree if the greatest is below 1.25 times the least, and all lie on one side of gravity_g. Above 1 the clip plays too fast by that factor; with a right clock its unit is too long by the factor's square. In a rhythm of repeated frames (clip.held) it is the share of frames that do not repeat. For a file whose frame time is 5 s or more, and so a rate or a number of milliseconds, it is the time that was taken by the time that is written.",
                source: "Shapiro and Lee (2011): S24, S25, S29; mathematics 6.7 and 6.9",
                severity: "An error if each of these flights has at least 6 frames, their weighted mean lies outside gravity_g by more than twice its uncertainty, and no flight.gravity is an error already. A flight weighs 1 / (e² + 0.0025), e = 8 skeleton_error_m / (g T²) as in flight.gravity; the uncertainty is 1 / sqrt(sum of weights), at least 0.8 of the median e. Else a note, and always a note for repeated frames. A frame time that is a rate or a number of milliseconds is a warning.",
                remedy: "Play the clip slower by the factor, or give its unit with --unit. Delete repeated frames.",
            },
            Self::ClipUnits => FindingFacts {
                section: FindingSection::Clip,
                unit: FindingUnit::METERS,
                value: FindingValue::OfFinding,
                curve: Some(FindingCurve::MassCenterHeight),
                tools: &[],
                limits: &[],
                ignores_small: false,
                quantity: "metres per unit of the file",
                meaning: "The unit or the up axis of the file does not fit the size or the pose of the figure.",
                formula: "The value is the number of metres per unit of the file that was taken.",
                source: "this project",
                severity: "Always a note.",
                remedy: "Say the unit with --unit and the axis with --up.",
            },
            Self::FeetFloat => FindingFacts {
                section: FindingSection::Feet,
                unit: FindingUnit::CENTIMETERS,
                value: FindingValue::OfClip(|analysis| analysis.feet.float),
                curve: Some(FindingCurve::Contacts),
                tools: &[Tool::Feet],
                limits: &["float_m"],
                ignores_small: false,
                quantity: "gap between the body and the floor",
                meaning: "The body stands above the floor.",
                formula: "Median height of the lowest foot over the level at which it stands, over 80 ms or more in which it is higher than 2.5 cm (for a leg of 0.9 m), a foot rests, and the body is carried away from flights and jumps; the highest such stretch, m. For a body without feet the largest height of the lowest contact point while something touches.",
                source: "measure of the motion-generation field; contacts: S5, mathematics 6.5",
                severity: "A warning above the first value of float_m, for feet only if such stretches last more than 0.1 s in all. Never an error, for the soles of a skeleton are a guess. The limit grows with the leg of a body that has feet.",
                remedy: "Lower the root, or give the soles with --contacts. muybridge fix moves the body if it stands too high as a whole, else the feet.",
            },
            Self::FeetPenetration => FindingFacts {
                section: FindingSection::Feet,
                unit: FindingUnit::CENTIMETERS,
                value: FindingValue::OfClip(|analysis| analysis.feet.penetration),
                curve: Some(FindingCurve::Contacts),
                tools: &[Tool::Feet],
                limits: &["penetration_m"],
                ignores_small: false,
                quantity: "depth of the body in the floor",
                meaning: "The body sinks into the floor.",
                formula: "The deeper of two depths of the lowest foot under the level at which it stands, m: the one that it keeps for 50 ms; and the median over 80 ms or more in which a resting foot is deeper than 3.3 cm (for a leg of 0.9 m) and the body is carried, away from flights and jumps. For a body without feet the depth of its deepest contact point.",
                source: "measure of the motion-generation field; contacts: S5, mathematics 6.5",
                severity: "A warning above the first value of penetration_m. For feet only if such stretches last more than 0.2 s in all, 0.1 s where one is deeper than 3.5 cm, or if a human keeps 1.15 times the limit for 50 ms. An error for a human above the second value if the stretches last more than 0.3 s in all and the feet without the tips of their toes are as deep; all others have soles that are a guess. The limits grow with the leg of a body that has feet.",
                remedy: "Lift the root, turn the foot about its ankle if only a toe dips, or give the soles with --contacts.",
            },
            Self::FeetSkate => FindingFacts {
                section: FindingSection::Feet,
                unit: FindingUnit::CENTIMETERS_PER_SECOND,
                value: FindingValue::OfClip(|analysis| analysis.feet.skate),
                curve: Some(FindingCurve::Contacts),
                tools: &[Tool::Feet],
                limits: &["skate_mps"],
                ignores_small: false,
                quantity: "speed of what should be planted",
                meaning: "What should be planted slides over the floor.",
                formula: "For feet the speed at which the stances of 0.25 s and more (and 6 frames) slide in common, m/s: the median of the mean velocities of their slowest points over the middle half. Its uncertainty is the median distance from that velocity / sqrt(number of stances) + 4 mm/s. For a body without feet, and in the line of the feet in a report, the mean over the frames with contact of the horizontal speed of the slowest point that touches.",
                source: "measure of the motion-generation field; contacts: S5, mathematics 6.5",
                severity: "A warning above the first value of skate_mps, an error above the second; for feet only if the speed is more than 2.5 times its uncertainty. A body without feet gets the warning from 2.3 times the first value, for its points roll and turn on the ground.",
                remedy: "Pin the foot while it carries the body, by inverse kinematics or by flat tangents.",
            },
            Self::FlightGravity => FindingFacts {
                section: FindingSection::Flight,
                unit: FindingUnit::GRAVITIES,
                value: FindingValue::OfFlight(|flight| flight.gravity),
                curve: Some(FindingCurve::MassCenterHeight),
                tools: &[Tool::Path, Tool::Time],
                limits: &["gravity_g", "skeleton_error_m"],
                ignores_small: false,
                quantity: "gravity the body falls with",
                meaning: "In the air the center of mass falls with a gravity that is not 1 g.",
                formula: "c(t) = a + b t + G t² / 2, fitted by least squares to the center of mass in the air; the value is the downward part of G, divided by g. The residual of the fit gives its standard error.",
                source: "Shapiro and Lee (2011), Practical Character Physics for Animators, table 1: S24, S25, S35; mathematics 6.7. Limits after Reitsma and Pollard (2003): S36, mathematics 6.10",
                severity: "A warning outside gravity_g by more than e = 8 skeleton_error_m / (g T²), T the time in the air; the error of the skeleton grows with the leg, and is doubled for a body that is no human. An error outside by more than 2.5 e and two standard errors, if the flight has at least 6 frames. Too little gravity is a warning at most where a foot stays near the floor in two fifths of the frames while the body leaves it behind: it may stand, on its toes or on a step. No flight is judged that begins or ends beside an unseen support (unless --flight marks it), or in or beside which the body jumps (clip.jump); nor any in a clip whose root never moves.",
                remedy: "Give the flight sqrt(value) times its time, or lower its apex by (value - 1) g T² / 8; the message says how many frames and centimetres that is. muybridge fix leaves a flight below 0.5 g unless --flight A..B marks it.",
            },
            Self::FlightHover => FindingFacts {
                section: FindingSection::Flight,
                unit: FindingUnit::SECONDS,
                value: FindingValue::OfFinding,
                curve: Some(FindingCurve::MassCenterHeight),
                tools: &[],
                limits: &[],
                ignores_small: false,
                quantity: "time of hanging motionless in the air",
                meaning: "The body hangs in the air without any motion, though it moves before and after.",
                formula: "A hold as in clip.held of at least 0.1 s, in which nothing touches in most frames and the lowest point stays more than 3 cm above the floor (for a leg of 0.9 m). The value is its time, s.",
                source: "this project",
                severity: "Always an error: nothing falls with 0 g.",
                remedy: "Delete the repeated frames.",
            },
            Self::FlightMomentum => FindingFacts {
                section: FindingSection::Flight,
                unit: FindingUnit::PERCENT,
                value: FindingValue::OfFlight(|flight| flight.linear_momentum_error_norm),
                curve: None,
                tools: &[Tool::Path, Tool::Time],
                limits: &["momentum_error", "ignore_speed_change_mps", "path_m"],
                ignores_small: true,
                quantity: "change of the horizontal speed in the air",
                meaning: "In the air the horizontal speed of the body changes, though there is nothing to push against.",
                formula: "Largest |P - mean(P)| / |mean(P)| over the frames of the flight, P the horizontal part of the linear momentum.",
                source: "Shapiro and Lee (2011): S2, S21; mathematics 6.2 and 6.6",
                severity: "A warning above the first value of momentum_error, if the speed changes by ignore_speed_change_mps and the way is off by the first value of path_m (see flight.path): a change that leaves no trace in the way is noise. An error above the second value, if the speed changes by twice as much and the way is off by the second value. At most a warning in a clip on the spot. The flights are those of flight.gravity.",
                remedy: "Space the horizontal keys of the root evenly between take-off and landing.",
            },
            Self::FlightPath => FindingFacts {
                section: FindingSection::Flight,
                unit: FindingUnit::CENTIMETERS,
                value: FindingValue::OfFlight(|flight| flight.sideways_error),
                curve: Some(FindingCurve::MassCenterHeight),
                tools: &[Tool::Path, Tool::Time],
                limits: &["path_m"],
                ignores_small: false,
                quantity: "distance from a straight way in the air",
                meaning: "Seen from above, the center of mass does not go straight and evenly in the air, though nothing can push it aside.",
                formula: "Greatest horizontal distance of the center of mass from c0 + v t, the uniform motion nearest to it by least squares, m.",
                source: "Shapiro and Lee (2011): S20, S21; mathematics 6.6",
                severity: "A warning above the first value of path_m, an error above the second; both grow with the leg. At most a warning in a clip on the spot, which has lost the way of its root. The flights are those of flight.gravity.",
                remedy: "Let the hips go straight and evenly between take-off and landing.",
            },
            Self::FlightShape => FindingFacts {
                section: FindingSection::Flight,
                unit: FindingUnit::CENTIMETERS,
                value: FindingValue::OfFlight(|flight| flight.shape_error),
                curve: Some(FindingCurve::MassCenterHeight),
                tools: &[Tool::Path, Tool::Time],
                limits: &["shape_m"],
                ignores_small: false,
                quantity: "distance from the parabola in the air",
                meaning: "In the air the center of mass does not follow a parabola, whatever its gravity: it hangs, or falls in steps.",
                formula: "Root mean square over the flight of the vertical distance of the center of mass from the parabola fitted to it, m.",
                source: "Shapiro and Lee (2011): S24; mathematics 6.7",
                severity: "A warning above the first value of shape_m, an error above the second; both grow with the leg. The flights are those of flight.gravity.",
                remedy: "Give the path the shape of a thrown stone between take-off and landing.",
            },
            Self::FlightSpin => FindingFacts {
                section: FindingSection::Flight,
                unit: FindingUnit::PERCENT,
                value: FindingValue::OfFlight(|flight| flight.angular_momentum_error_norm),
                curve: Some(FindingCurve::AngularMomentum),
                tools: &[Tool::Spin],
                limits: &["angular_momentum_error", "angular_momentum_floor"],
                ignores_small: true,
                quantity: "change of the angular momentum in the air",
                meaning: "In the air the angular momentum about the center of mass changes; limbs can trade spin with the trunk, but their sum must stay.",
                formula: "Largest |H - mean(H)| / |mean(H)| over the frames of the flight, H = sum of (x - c) × m (v - v_c) + I w over the bodies. Steps about the vertical are looked for in means over 33 ms to either side, in units of M L sqrt(g L), L the leg: the greatest distance of H_y from its mean is above 0.005 + 0.1 |mean(H)|, or that of its middle half from its outer quarters above 0.0025 + 0.03 |mean(H)|.",
                source: "Shapiro and Lee (2011): S3, S22; mathematics 6.2 and 6.6",
                severity: "The milder of two grades: that of the change by the mean (angular_momentum_error) and that of the change by M L sqrt(g L) (angular_momentum_floor); each a warning above its first value, an error above its second, none below. A step about the vertical is a warning below them too, for gravity cannot cause it. A flight of less than 6 frames gets a warning at most. The flights are those of flight.gravity.",
                remedy: "Turn the whole body against the limbs: an arm that swings forward turns the trunk back.",
            },
            Self::ForceGround => FindingFacts {
                section: FindingSection::Force,
                unit: FindingUnit::WEIGHTS,
                value: FindingValue::OfFinding,
                curve: Some(FindingCurve::VerticalForce),
                tools: &[],
                limits: &["ground_force_weights"],
                ignores_small: false,
                quantity: "vertical force of the ground",
                meaning: "The ground would have to pull the body down, or to push it harder than a body bears.",
                formula: "1 + a / g, a the upward acceleration of the center of mass by a parabola through the frames within 50 ms; the value is the extreme over the span, in weights of the body. Flights do not count unless they are beside an unseen support; nor do the ends of the clip, nor frames within 0.07 s of a jump.",
                source: "this project; forces of people who run, jump and land: mathematics 6.4",
                severity: "An error below the first value of ground_force_weights for 80 ms, and above the second for two frames.",
                remedy: "Spread the landing or the start over more frames; the body must fall before it can be stopped.",
            },
            Self::RootNeverMoves => FindingFacts {
                section: FindingSection::Root,
                unit: FindingUnit::METERS,
                value: FindingValue::OfFinding,
                curve: None,
                tools: &[],
                limits: &[],
                ignores_small: false,
                quantity: "motion of the hips in the world",
                meaning: "The hips stay at one point while the feet move, as in the output of a tracker that gives no root.",
                formula: "The hips stay within 2 mm along each axis over the whole clip, and a foot rises by more than 4 cm (for a leg of 0.9 m). The value is always 0.",
                source: "this project",
                severity: "Always a warning; without errors the clip is undecided.",
                remedy: "Export or reconstruct the motion of the root, by holding the standing foot in place.",
            },
            Self::SupportNone => FindingFacts {
                section: FindingSection::Support,
                unit: FindingUnit::CENTIMETERS,
                value: FindingValue::OfFinding,
                curve: Some(FindingCurve::Contacts),
                tools: &[],
                limits: &["drift_m"],
                ignores_small: false,
                quantity: "height gained or lost without support",
                meaning: "The body is carried, not falling, while it rises or sinks and no part of it rests.",
                formula: "Where more than half of the weight is carried: the way of the slowest touching foot point, or without contact of the slowest joint, while it goes up or down faster than 3.5 cm/s for 0.1 s, but no more than the change of the lowest foot's height over its level, m; the largest of the clip. In an unseen support: the change of that height in 0.1 s or more without a joint at rest, if it is above 15 cm (for a leg of 0.9 m) and more than half of the weight pushes for a third of that time while nothing moves slower than 0.5 m/s.",
                source: "this project; mathematics 6.5 and 6.6",
                severity: "A warning above the first value of drift_m, an error above the second; a warning at most where the body rests on trunk or arms in the half second before or after, for then it slides on a seat. An error if all points of the feet move straight up or down alike and the feet stand apart from their level by the second value for 0.3 s. In an unseen support a warning, and an error above 0.2 m. All limits grow with the leg.",
                remedy: "Let a foot stand, or let the body fall. If a lift, a partner or a horse carries it, say so with --support A..B.",
            },
            Self::SupportUnseen => FindingFacts {
                section: FindingSection::Support,
                unit: FindingUnit::SECONDS,
                value: FindingValue::OfFinding,
                curve: None,
                tools: &[],
                limits: &[],
                ignores_small: false,
                quantity: "time on a support that is not shown",
                meaning: "Something that the clip does not show carries the body: a box, a chair, a wall.",
                formula: "Nothing touches the floor, the motion asks for more than half of the weight for 0.12 s, and in two fifths of that time some part of the body is slower than 0.2 m/s (for a leg of 0.9 m); or the hips rest low for half a second while what touches could not hold the body up; or --support says so. The value is the time that lasts, s.",
                source: "this project; flights: S26, mathematics 6.6",
                severity: "Always a note; a clip of which more than half is on such a support is undecided.",
                remedy: "Say what happens: --support A..B if something carries the body, --flight A..B if nothing does.",
            },
        }
    }

    /// The part of the name after its dot: "gravity".
    pub fn short_name(self) -> &'static str {
        self.name().split_once('.').map_or(self.name(), |(_, short)| short)
    }

    /// The names, joined with commas.
    pub fn joined(ids: &[Self]) -> String {
        ids.iter().map(|id| id.name()).collect::<Vec<_>>().join(", ")
    }

    /// Part of the analysis that makes the finding.
    pub const fn section(self) -> FindingSection {
        self.facts().section
    }

    /// Whether a tool of a correction can mend the finding.
    pub(crate) fn is_mended_by(self, tool: Tool) -> bool {
        self.facts().tools.contains(&tool)
    }

    /// The quantity of the finding over the frames `first..=last` of an analysis, whether or not it is outside its limits;
    /// `None` where only a finding tells it, or no flight is there.
    pub fn value_in(self, analysis: &Analysis, frames: (usize, usize)) -> Option<f64> {
        match self.facts().value {
            FindingValue::OfFlight(value) => analysis.flight_over(frames).map(value),
            FindingValue::OfClip(value) => Some(value(analysis)),
            FindingValue::OfFinding => None,
        }
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no finding's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no finding “{0}”")]
pub struct UnknownFindingId(pub String);

impl FromStr for FindingId {
    type Err = UnknownFindingId;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.iter().copied().find(|id| id.name() == name);
        known.ok_or_else(|| UnknownFindingId(name.to_owned()))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for FindingId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for FindingId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_the_findings_is_that_of_their_names_and_each_name_is_read_back() {
        assert!(FindingId::ALL.windows(2).all(|pair| pair[0] < pair[1] && pair[0].name() < pair[1].name()));
        for id in FindingId::ALL {
            assert_eq!(id.name().parse(), Ok(*id));
            assert_eq!(id.name().split_once('.').unwrap().0, id.section().name(), "{id}");
        }
        assert_eq!("gravity".parse::<FindingId>(), Err(UnknownFindingId("gravity".into())));
    }

    #[test]
    fn every_finding_is_explained_in_sentences() {
        for id in FindingId::ALL {
            let facts = id.facts();
            for text in [facts.meaning, facts.formula, facts.severity, facts.remedy] {
                assert!(text.ends_with('.') && !text.contains("  "), "{id}: {text}");
            }
            assert!(!facts.source.is_empty() && !facts.quantity.is_empty() && facts.quantity.len() < 48, "{id}");
            assert!(!facts.meaning.contains(". "), "{id}: one sentence");
        }
    }
}
