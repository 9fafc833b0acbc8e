//! Text summary of a run's measures, a block of 80 columns.

use std::path::PathBuf;

use muybridge::analysis::{Feasibility, Impossible, LEAST_MISSING_SHARE, Missing};
use muybridge::rigid::integrator::Integrator;
use muybridge::simulation::following::{Following, Hand, Off};
use muybridge::simulation::recording::{Measures, Recording};
use muybridge::simulation::scene::slot::Choice;
use muybridge::simulation::scene::{Method, RigidSolver, Scene};
use muybridge_report::terminal::{Style, visible};

use super::work::WorkEntry;
use super::{Replayed, SimulatedRun};

/// Largest value of a measure, with its time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Worst {
    /// Value in the unit of the measure.
    pub value: f64,
    /// Time, seconds from the start.
    pub time: f64,
}

/// Summary of a run's measures.
pub struct RunSummary {
    /// Largest relative error of a rigid distance.
    pub stretch: Worst,
    /// Largest distance between joint anchors, meters.
    pub gap: Worst,
    /// Largest distance by which a body was moved to close the joints of a clip, meters.
    pub read_out: Worst,
    /// Largest excess over a joint limit, radians.
    pub limit: Worst,
    /// Largest penetration, meters.
    pub penetration: Worst,
    /// Kinetic plus potential energy at the start, at its maximum and at the end, joules.
    pub energy: [f64; 3],
    /// Share of things asleep at the end, 0 to 1.
    pub asleep: f64,
    /// Mean and slowest time of a step, microseconds.
    pub step_us: [f64; 2],
}

impl RunSummary {
    /// Summarizes a run.
    pub fn new(run: &SimulatedRun) -> Self {
        let (measures, frame_time) = (&run.recording.measures, run.recording.frame_time);
        let worst = |of: fn(&Measures) -> f64| {
            let rated =
                measures.iter().enumerate().map(|(frame, m)| Worst { value: of(m), time: frame as f64 * frame_time });
            rated.fold(Worst::default(), |worst, now| if now.value > worst.value { now } else { worst })
        };
        let energy = |m: &Measures| m.kinetic_energy + m.potential_energy;
        let (first, last) =
            (measures.first().copied().unwrap_or_default(), measures.last().copied().unwrap_or_default());
        let greatest = measures.iter().map(energy).fold(f64::NEG_INFINITY, f64::max);
        let seconds = || run.spent.iter().map(std::time::Duration::as_secs_f64);
        let (all, slowest) = (seconds().sum::<f64>(), seconds().fold(0.0, f64::max));
        let steps = measures.len().saturating_sub(1).max(1) as f64;
        Self {
            stretch: worst(|m| m.worst_stretch),
            gap: worst(|m| m.worst_gap),
            read_out: worst(|m| m.read_out),
            limit: worst(|m| m.worst_limit),
            penetration: worst(|m| m.worst_penetration),
            energy: [energy(&first), greatest, energy(&last)],
            asleep: last.asleep,
            step_us: [all * 1e6 / steps, slowest * 1e6],
        }
    }

    /// The summary block, ending in the written files.
    pub fn text(&self, run: &SimulatedRun, files: &[PathBuf], style: &Style) -> String {
        let mut lines = vec![
            format!("{}   {}   {}", run.source, time(run), things(&run.scene)),
            format!("    {}", solver(run)),
            String::new(),
        ];
        let row = |name: &str, text: String| format!("  {name:<12} {text}");
        let worst = |worst: Worst, text: String| {
            if worst.value > 0.0 { format!("{text} at {:.2} s", worst.time) } else { "none".into() }
        };
        lines.push(row("stretch", worst(self.stretch, percent(self.stretch.value))));
        lines.push(row("joint gap", worst(self.gap, millimetres(self.gap.value))));
        if self.read_out.value > 0.0 {
            let moved = millimetres(self.read_out.value);
            lines.push(row("", format!("closed in the clip, which moves a body by at most {moved}")));
        }
        let limits = if self.limit.value > 0.0 {
            worst(self.limit, format!("exceeded by {:.2}°", self.limit.value.to_degrees()))
        } else if run.count.limited_joints == 0 && run.scene.herds.is_empty() {
            "no joint has any".into()
        } else {
            "none exceeded".into()
        };
        lines.push(row("limits", limits));
        lines.push(row("penetration", worst(self.penetration, millimetres(self.penetration.value))));
        let [start, greatest, end] = self.energy;
        lines.push(row("energy", format!("{start:.1} J at the start, at most {greatest:.1} J, {end:.1} J at the end")));
        lines.push(row("asleep", format!("{:.0} % at the end", 100.0 * self.asleep)));
        let [mean, slowest] = self.step_us;
        lines.push(row("time", format!("{} per frame, slowest {}", duration(mean), duration(slowest))));
        lines.extend(WorkEntry::new(&run.recording.measures).text().map(|counts| row("work", counts)));
        if let Some(Replayed { inputs, steps, compared, difference }) = &run.replayed {
            let told = match difference {
                None if *compared == 0 => {
                    format!("{steps} steps with {inputs} inputs; the log has no fingerprint to compare them with")
                }
                None => format!("{steps} steps with {inputs} inputs, the same bits as recorded"),
                Some(difference) => difference.clone(),
            };
            lines.push(row("done again", told));
        }
        lines.extend(follows(&run.recording.follows));
        lines.extend(plans(&run.recording));
        lines.push(String::new());
        if files.is_empty() {
            lines.push("nothing written: -o CLIP, --gif, --png, --plate and --json write results".into());
        } else {
            lines.extend(files.iter().map(|file| format!("wrote {}", file.display())));
        }
        lines.iter().map(|line| plain(line.trim_end(), style) + "\n").collect()
    }
}

/// Lines on how closely clips were followed and where they are impossible, as many as fit.
fn follows(follows: &[Following]) -> Vec<String> {
    let (shown, rest) = follows.split_at(follows.len().min(MOST_FOLLOWS));
    let mut lines: Vec<String> = shown.iter().flat_map(following).collect();
    if !rest.is_empty() {
        lines.push(format!("  … and {} more, in the JSON (--json)", rest.len()));
    }
    lines
}

/// Largest numbers of listed following ragdolls and impossible spans.
const MOST_FOLLOWS: usize = 8;
const MOST_TIMES: usize = 6;

/// Name of a ragdoll, or the number of ragdolls of a herd.
fn who(own: &Following) -> String {
    if own.ragdolls > 1 { format!("{} of {}", own.ragdolls, own.of) } else { own.of.clone() }
}

fn following(own: &Following) -> Vec<String> {
    let clip = if own.clip.is_empty() { "its pose" } else { &own.clip };
    let seconds = (own.span[1] - own.span[0]).max(0.0);
    let off = |off: &Off| format!("{:.1} cm, {:.1}°", 100.0 * off.place, off.angle.to_degrees());
    let share = own.possible.map_or(0.0, |possible| possible.frames as f64 / own.all.frames.max(1) as f64);
    let possible = match own.feasibility {
        Some(_) => format!(", possible for {:.0} % of it", 100.0 * share),
        None => String::new(),
    };
    let row = |name: &str, text: String| format!("    {name:<10} {text}");
    let mut lines = vec![
        String::new(),
        format!("  {:<12} follows {clip} from {:.2} s for {seconds:.2} s{possible}", who(own), own.span[0]),
    ];
    lines.extend(own.possible.as_ref().map(|possible| row("possible", format!("off by {}", off(possible)))));
    lines.push(row("all of it", format!("off by {}", off(&own.all))));
    let Hand { mean, most, most_moment } = own.hand;
    if most > 0.0 || most_moment > 0.0 {
        let given = format!("gives {mean:.3} of the weight in the mean, at most {most:.3}, {most_moment:.0} N m");
        lines.push(row("the hand", given));
    }
    let mut times = own.feasibility.as_ref().map_or_else(Vec::new, Feasibility::impossible);
    // Drop impossible spans later than the part of the clip that was followed.
    times.retain(|time| time.seconds.0 < seconds);
    for (index, time) in times.iter().take(MOST_TIMES).enumerate() {
        let name = if index == 0 { "impossible" } else { "" };
        let said = missing(time, own).into_iter().enumerate();
        lines.extend(said.map(|(line, text)| row(if line == 0 { name } else { "" }, text)));
    }
    if times.len() > MOST_TIMES {
        let more = times.len() - MOST_TIMES;
        let times = if more == 1 { "time" } else { "times" };
        lines.push(row("", format!("and {more} {times} more, in the JSON (--json)")));
    }
    lines
}

/// Lines on an impossible span: its time in the clip, penetration of the floor, and the largest missing force and
/// moment.
fn missing(time: &Impossible, own: &Following) -> Vec<String> {
    let weight = own.feasibility.as_ref().map_or(1.0, |feasibility| feasibility.weight);
    let Missing { force, moment, share } = time.most;
    let level = force.x.hypot(force.z);
    let upright = if force.y >= 0.0 { "up" } else { "down" };
    // Name a direction only if it has at least half of the other component.
    let way = match (2.0 * force.y.abs() >= level, 2.0 * level >= force.y.abs()) {
        (true, true) => format!("{upright} and level"),
        (true, false) => upright.into(),
        _ => "level".into(),
    };
    let (from, to, size) = (time.seconds.0, time.seconds.1, force.length());
    let by = size / weight;
    let mut said = Vec::new();
    if time.inside > 0.0 {
        said.push(format!("inside the floor by {:.0} cm", 100.0 * time.inside));
    }
    if share > LEAST_MISSING_SHARE {
        said.push(format!("lacks {size:.0} N ({by:.2} weights, {way}), {:.0} N m", moment.length()));
    }
    said.into_iter().map(|what| format!("{from:.2} to {to:.2} s: {what}")).collect()
}

/// Lines on begins and ends of actions and plans, as many as fit.
fn plans(recording: &Recording) -> Vec<String> {
    let (log, rest) = recording.log.split_at(recording.log.len().min(MOST_EVENTS));
    let mut lines: Vec<String> = log.iter().map(|entry| format!("  {entry}")).collect();
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    if !rest.is_empty() {
        lines.push(format!("  … and {} more, in the JSON (--json)", rest.len()));
    }
    lines
}

/// Largest number of listed log lines.
const MOST_EVENTS: usize = 24;

/// Frames, rate and duration of a run, as text.
pub fn time(run: &SimulatedRun) -> String {
    let setting = &run.scene.setting;
    let frames = run.recording.frames;
    let seconds = if run.replayed.is_some() { frames.saturating_sub(1) as f64 / setting.rate } else { setting.seconds };
    format!("{frames} frames, {} fps, {seconds:.2} s", setting.rate)
}

/// Solver settings and numbers of particles or bodies, as text.
fn solver(run: &SimulatedRun) -> String {
    let solver = &run.scene.solver;
    let method = solver.method.word();
    let herds: Vec<String> = run.scene.herds.iter().map(|herd| format!("{} substeps", herd.substeps)).collect();
    match run.scene.body_method() {
        Method::Particles if run.count.particles == 0 && !herds.is_empty() => format!("herd   {}", herds.join(", ")),
        Method::Particles => {
            let (own, passes) = (&solver.particles, passes(solver.particles.constraint_iterations));
            let settings = solver.settings(&run.scene.setting);
            let taken = settings.substeps_taken();
            let substeps = match (settings.lanes, taken) {
                (true, _) => format!("substeps by need, or {taken} of {passes}"),
                (false, 1) => format!("1 substep of {passes}"),
                (false, _) => format!("{taken} substeps of {passes}"),
            };
            format!("{method}, {}   {substeps}   {} particles", own.mode.word(), run.count.particles)
        }
        _ => {
            let by = match solver.rigid.integrator {
                Integrator::Splitting => String::new(),
                other => format!(", {}", other.word()),
            };
            let particles = match run.count.particles {
                0 => String::new(),
                count => format!(", {count} particles"),
            };
            let free = if solver.method == Method::Particles { ", as rigid bodies" } else { "" };
            let (own, bodies) = (&solver.rigid, run.count.bodies);
            let substeps = match own.step_tolerance {
                Some(tolerance) => format!("substeps by an error of {tolerance}"),
                None if run.scene.body_method() == Method::Multipliers
                    && own.substeps == RigidSolver::default().substeps =>
                {
                    format!("{} substeps by need", own.substeps)
                }
                None => format!("{} substeps or more", own.substeps),
            };
            format!(
                "{method}{free}{by}   {substeps}   {bodies} rigid {}{particles}",
                if bodies == 1 { "body" } else { "bodies" }
            )
        }
    }
}

fn passes(iterations: u32) -> String {
    if iterations == 1 { "1 pass".into() } else { format!("{iterations} passes") }
}

/// Numbers of things in a scene by kind, as text.
pub fn things(scene: &Scene) -> String {
    let many = |grids: Vec<[u32; 3]>| grids.iter().map(|grid| grid.iter().product::<u32>()).sum::<u32>() as usize;
    let counts = [
        (many(scene.ragdolls.iter().map(|thing| thing.grid).collect()), "ragdoll", "ragdolls"),
        (scene.herds.iter().map(|herd| herd.count as usize).sum(), "ragdoll in a herd", "ragdolls in a herd"),
        (scene.ropes.len() + scene.flails.len(), "rope", "ropes"),
        (scene.cloths.len(), "cloth", "cloths"),
        (scene.plants.len(), "plant", "plants"),
        (bodies(scene), "body", "bodies"),
        (scene.points.len(), "set of points", "sets of points"),
        (scene.obstacles.len(), "obstacle", "obstacles"),
    ];
    let there = counts.iter().filter(|(count, ..)| *count > 0);
    let words = there.map(|(count, one, more)| format!("{count} {}", if *count == 1 { one } else { more }));
    words.collect::<Vec<_>>().join(", ")
}

fn bodies(scene: &Scene) -> usize {
    let boxes = scene.boxes.iter().map(|thing| thing.grid).chain(scene.balls.iter().map(|thing| thing.grid));
    let others = scene.capsules.iter().map(|thing| thing.grid).chain(scene.tetrahedra.iter().map(|thing| thing.grid));
    let meshes = scene.carved.iter().map(|thing| thing.grid);
    boxes.chain(others).chain(meshes).map(|grid| grid.iter().product::<u32>()).sum::<u32>() as usize
}

fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent >= 0.01 { format!("{percent:.2} %") } else { format!("{percent:.0e} %") }
}

pub fn millimetres(metres: f64) -> String {
    let length = 1000.0 * metres;
    if length >= 0.01 { format!("{length:.2} mm") } else { format!("{length:.0e} mm") }
}

pub fn duration(microseconds: f64) -> String {
    if microseconds >= 10_000.0 { format!("{:.1} ms", microseconds / 1000.0) } else { format!("{microseconds:.0} µs") }
}

/// Writes hidden characters as escapes and, without Unicode, replaces letters outside ASCII.
pub fn plain(line: &str, style: &Style) -> String {
    let letter = |letter: char| match letter {
        'µ' if !style.unicode => 'u',
        _ if !style.unicode && !letter.is_ascii() => '?',
        _ => letter,
    };
    let line = visible(line);
    let line = if style.unicode { line } else { line.replace('°', " deg").into() };
    line.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_keep_a_digit_that_means_something() {
        assert_eq!([percent(0.0123), percent(1.2e-9)], ["1.23 %", "1e-7 %"]);
        assert_eq!([millimetres(0.0123), millimetres(3e-16)], ["12.30 mm", "3e-13 mm"]);
        assert_eq!([duration(12.3), duration(12_345.0)], ["12 µs", "12.3 ms"]);
    }

    #[test]
    fn a_terminal_without_unicode_gets_ascii() {
        let style = Style { unicode: false, ..Style::default() };
        assert_eq!(plain("3 µs, 2.5°\u{1b}[31m", &style), "3 us, 2.5 deg\\u{1b}[31m");
    }
}
