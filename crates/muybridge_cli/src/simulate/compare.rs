//! Compares one scene under every method: a table of 80 columns, or JSON, schema 1 of `simulate --method all`.
//!
//! ```text
//! {"schema": 1, "scene": …, "source": …, "seconds": …, "rate_hz": …, "frames": …,
//!  "methods": [{"method", "mode", "substeps", "iterations", "particles", "bodies", "energy_j": {"start", "end", "greatest_gain"},
//!               "momentum_drift_kgmps", "angular_momentum_drift_kgm2ps", "gap_m": {"greatest", "rms"}, "limit_rad",
//!               "penetration_m": {"greatest", "end"}, "step_us": {"median", "slowest"}, "asleep", "asleep_at_s", "log": [{"time_s", "kind", "name", "event", "why"}]}],
//!  "same_order": whether actions and plans begin and end in one order by all, null without any, "left_out": [{"method", "why"}], "notes": […]}
//! ```
//! `momentum_drift_kgmps` is the largest ‖P(t) − P(0) − M g t‖ of all frames, `angular_momentum_drift_kgm2ps` the
//! largest ‖L(t) − L(0)‖ about the common center of mass. In free flight a drift is an error, otherwise ground, hits
//! and wind cause it too. `asleep_at_s` is the time from which everything sleeps to the end, or `null`. `step_us` is
//! the only entry that differs between two runs.

use muybridge::simulation::recording::Measures;
use muybridge::simulation::scene::Method;
use muybridge::simulation::scene::slot::Choice;
use muybridge_report::terminal::Style;
use serde::Serialize;

use super::json::{LogEntry, SCHEMA, how};
use super::source::SceneSource;
use super::summary::{duration, millimetres, plain, things, time};
use super::{Simulate, SimulatedRun, run_loop};
use crate::failure::Failure;
use crate::progress::style;
use crate::verb_output::deliver;

/// The methods that are compared.
const METHODS: [Method; 3] = [Method::Particles, Method::Multipliers, Method::Displacement];

#[derive(Serialize)]
struct CompareDocument<'a> {
    schema: u64,
    scene: &'a str,
    source: &'a str,
    seconds: f64,
    rate_hz: f64,
    frames: usize,
    methods: Vec<MethodColumn>,
    same_order: Option<bool>,
    left_out: Vec<LeftOut>,
    notes: Vec<String>,
}

/// JSON of a method that ran.
#[derive(Serialize)]
struct MethodColumn {
    method: &'static str,
    mode: &'static str,
    substeps: u32,
    iterations: u32,
    particles: usize,
    bodies: usize,
    energy_j: CompareEnergy,
    momentum_drift_kgmps: f64,
    angular_momentum_drift_kgm2ps: f64,
    gap_m: Gap,
    limit_rad: f64,
    penetration_m: CompareDepth,
    step_us: CompareStepTime,
    asleep: f64,
    asleep_at_s: Option<f64>,
    log: Vec<LogEntry>,
}

#[derive(Serialize)]
struct CompareEnergy {
    start: f64,
    end: f64,
    greatest_gain: f64,
}

#[derive(Serialize)]
struct Gap {
    greatest: f64,
    rms: f64,
}

#[derive(Serialize)]
struct CompareDepth {
    greatest: f64,
    end: f64,
}

#[derive(Serialize)]
struct CompareStepTime {
    median: f64,
    slowest: f64,
}

/// JSON of a method that did not run, with the reason.
#[derive(Serialize)]
struct LeftOut {
    method: &'static str,
    why: String,
}

/// Runs the scene under every method. Returns the exit code: 0 if at least one method can run it.
pub fn run(options: &Simulate, source: &SceneSource) -> Result<u8, Failure> {
    let files = [&options.out, &options.gif, &options.png, &options.plate, &options.log];
    if files.into_iter().any(Option::is_some) {
        let message = "--method all compares three runs and writes no files of one; choose a single method for -o, --gif, --png, --plate and --log";
        return Err(Failure::Usage(message.into()));
    }
    let (mut methods, mut left_out, mut notes, mut first) = (Vec::new(), Vec::new(), source.notes.clone(), None);
    for method in METHODS {
        let mut source = source.clone();
        source.scene.solver.method = method;
        source.notes.clear();
        let name = method.word();
        match run_loop::run(&source, None) {
            Ok((run, _)) => {
                notes.extend(run.notes.iter().map(|note| format!("{name}: {note}")));
                notes.extend(run.recording.warnings.iter().map(|warning| format!("{name}: warning: {warning}")));
                methods.push(MethodColumn::of(&run));
                first = first.or(Some(run));
            }
            Err(failure) => left_out.push((name, failure)),
        }
    }
    let Some(first) = first else {
        // If no method can run the scene, the scene is at fault and the command fails.
        return left_out.into_iter().next().map_or(Ok(0), |(_, failure)| Err(failure));
    };
    let left_out = left_out.into_iter().map(|(method, failure)| LeftOut { method, why: failure.to_string() });
    let setting = &first.scene.setting;
    let document = CompareDocument {
        schema: SCHEMA,
        scene: &first.recording.name,
        source: &first.source,
        seconds: setting.seconds,
        rate_hz: setting.rate,
        frames: first.recording.frames,
        same_order: same_order(&methods),
        methods,
        left_out: left_out.collect(),
        notes,
    };
    document.notes.iter().for_each(|note| say!("{note}"));
    let json = options.json.as_ref().map(|_| serde_json::to_vec(&document)).transpose();
    let json = json.map_err(|error| Failure::Usage(format!("the JSON cannot be written: {error}")))?;
    let json = json.map(|mut bytes| {
        bytes.push(b'\n');
        bytes
    });
    let told = document.text(&first, &style());
    deliver(json.as_deref(), options.json.as_ref(), options.existing(), &told)?;
    Ok(0)
}

impl MethodColumn {
    fn of(run: &SimulatedRun) -> Self {
        let (solver, measures) = (&run.scene.solver, &run.recording.measures);
        let (mode, [substeps, iterations]) = how(&run.scene);
        let energy = |m: &Measures| m.kinetic_energy + m.potential_energy;
        let (first, last) =
            (measures.first().copied().unwrap_or_default(), measures.last().copied().unwrap_or_default());
        let greatest = |of: &dyn Fn(&Measures) -> f64| measures.iter().map(of).fold(0.0, f64::max);
        let fall = run.scene.solver.gravity(&run.scene.setting) * (run.mass * run.recording.frame_time);
        let drift = |(frame, m): (usize, &Measures)| (m.momentum - first.momentum - fall * frame as f64).length();
        let squares: f64 = measures.iter().map(|m| m.rms_gap * m.rms_gap).sum();
        let mut spent: Vec<f64> = run.spent.iter().map(|spent| spent.as_secs_f64() * 1e6).collect();
        spent.sort_by(f64::total_cmp);
        let awake = measures.iter().rposition(|m| m.asleep < 1.0).map_or(0, |frame| frame + 1);
        Self {
            method: solver.method.word(),
            mode,
            substeps,
            iterations,
            particles: run.count.particles,
            bodies: run.count.bodies,
            energy_j: CompareEnergy {
                start: energy(&first),
                end: energy(&last),
                greatest_gain: greatest(&|m| energy(m) - energy(&first)),
            },
            momentum_drift_kgmps: measures.iter().enumerate().map(drift).fold(0.0, f64::max),
            angular_momentum_drift_kgm2ps: greatest(&|m| (m.angular_momentum - first.angular_momentum).length()),
            gap_m: Gap { greatest: greatest(&|m| m.worst_gap), rms: (squares / measures.len().max(1) as f64).sqrt() },
            limit_rad: greatest(&|m| m.worst_limit),
            penetration_m: CompareDepth { greatest: greatest(&|m| m.worst_penetration), end: last.worst_penetration },
            step_us: CompareStepTime {
                median: spent.get(spent.len() / 2).copied().unwrap_or(0.0),
                slowest: spent.last().copied().unwrap_or(0.0),
            },
            asleep: last.asleep,
            asleep_at_s: (awake < measures.len()).then_some(awake as f64 * run.recording.frame_time),
            log: run.recording.log.iter().map(LogEntry::of).collect(),
        }
    }
}

/// Whether all methods began and ended actions and plans in the same order; `None` without any.
fn same_order(methods: &[MethodColumn]) -> Option<bool> {
    let (first, rest) = methods.split_first().filter(|(first, _)| !first.log.is_empty())?;
    let what = |column: &MethodColumn| -> Vec<(&str, String, &str)> {
        column.log.iter().map(|event| (event.kind, event.name.clone(), event.event)).collect()
    };
    let wanted = what(first);
    Some(rest.iter().all(|column| what(column) == wanted))
}

impl CompareDocument<'_> {
    /// The comparison table with a column per method.
    fn text(&self, first: &SimulatedRun, style: &Style) -> String {
        let mut lines = vec![format!("{}   {}   {}", self.source, time(first), things(&first.scene)), String::new()];
        let mut row = |name: &str, of: &dyn Fn(&MethodColumn) -> String| {
            let cells: String = self.methods.iter().map(|column| format!("{:>18}", of(column))).collect();
            lines.push(format!("  {name:<20}{cells}"));
        };
        row("", &|column| column.method.into());
        row("made of", &|column| match column.bodies {
            0 => format!("{} particles", column.particles),
            bodies => format!("{bodies} bodies"),
        });
        row("substeps", &|column| column.substeps.to_string());
        row("energy at the start", &|column| joules(column.energy_j.start));
        row("  at the end", &|column| joules(column.energy_j.end));
        row("  gained at most", &|column| joules(column.energy_j.greatest_gain));
        row("momentum drift", &|column| small(column.momentum_drift_kgmps, "kg m/s"));
        row("spin drift", &|column| small(column.angular_momentum_drift_kgm2ps, "kg m²/s"));
        row("joint gap", &|column| millimetres(column.gap_m.greatest));
        row("  rms", &|column| millimetres(column.gap_m.rms));
        row("limits exceeded by", &|column| format!("{:.2}°", column.limit_rad.to_degrees()));
        row("penetration", &|column| millimetres(column.penetration_m.greatest));
        row("  at the end", &|column| millimetres(column.penetration_m.end));
        row("time per frame", &|column| duration(column.step_us.median));
        row("  slowest", &|column| duration(column.step_us.slowest));
        row("asleep", &|column| match column.asleep_at_s {
            Some(time) => format!("at {time:.2} s"),
            None => format!("{:.0} % at the end", 100.0 * column.asleep),
        });
        if let Some(same) = self.same_order {
            row("begun and ended", &|column| format!("{} events", column.log.len()));
            lines.push(format!("  {}", if same { "in the same order by all" } else { "not in the same order by all" }));
        }
        if !self.left_out.is_empty() {
            lines.push(String::new());
            lines.extend(self.left_out.iter().map(|left| format!("{} left out: {}", left.method, left.why)));
        }
        lines.iter().map(|line| plain(line.trim_end(), style) + "\n").collect()
    }
}

fn joules(energy: f64) -> String {
    if energy == 0.0 || energy.abs() >= 0.1 { format!("{energy:.1} J") } else { format!("{energy:.0e} J") }
}

fn small(value: f64, unit: &str) -> String {
    if value == 0.0 || value >= 0.01 { format!("{value:.2} {unit}") } else { format!("{value:.0e} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_numbers_of_the_table_keep_a_digit_that_means_something() {
        assert_eq!([joules(0.0), joules(-12.34), joules(1.2e-9)], ["0.0 J", "-12.3 J", "1e-9 J"]);
        assert_eq!([small(0.0, "m"), small(0.456, "m"), small(3e-13, "m")], ["0.00 m", "0.46 m", "3e-13 m"]);
    }
}
