//! Prints the comparison table from the JSON lines of the peers: `table out/*.jsonl`.
//!
//! Reads the lines of this workspace and those of `../shared/bench/peers/run.sh`. Peers that were not run are listed
//! with the figures of `figures.md` and marked: they are from another machine and not comparable to the microsecond.

use std::collections::BTreeMap;

use serde_json::Value;

/// Peers that are not built from crates.io: workload, peer, size, CPU µs, gap max and rms mm, penetration max and end
/// mm, limits °.
const NOT_RUN: [(&str, &str, u64, [f64; 6]); 9] = [
    ("W1a", "Jolt 5.5.1 *", 512, [18.8, 67.0, 2.8, 247.0, 27.0, 64.0]),
    ("W1a", "PhysX 5.1.3 *", 512, [38.5, 0.003, f64::NAN, 131.0, 1.2, 123.0]),
    ("W1a", "MuJoCo 4 *", 64, [48.0, 0.0, 0.0, 88.0, 0.4, 37.0]),
    ("W1b", "Jolt 5.5.1 *", 512, [21.4, f64::NAN, f64::NAN, f64::NAN, f64::NAN, f64::NAN]),
    ("W1b", "PhysX 5.1.3 *", 512, [43.3, f64::NAN, f64::NAN, f64::NAN, f64::NAN, f64::NAN]),
    ("W1b", "MuJoCo 4 *", 64, [49.0, f64::NAN, f64::NAN, f64::NAN, f64::NAN, f64::NAN]),
    ("W1a", "Jolt 5.5.1 *", 1, [18.0, f64::NAN, f64::NAN, f64::NAN, f64::NAN, f64::NAN]),
    ("W2", "Jolt 5.5.1 *", 64, [29.8, f64::NAN, f64::NAN, f64::NAN, f64::NAN, f64::NAN]),
    ("W2", "PhysX 5.1.3 *", 64, [55.8, f64::NAN, f64::NAN, f64::NAN, f64::NAN, f64::NAN]),
];

/// Cloth peers that were not run: peer, side, CPU µs, stretch max, end, mean %.
const CLOTH_NOT_RUN: [(&str, u64, [f64; 4]); 4] = [
    ("Jolt 5.5.1, 5 iterations + tethers *", 64, [689.0, 119.0, 43.0, 1.9]),
    ("Jolt 5.5.1, 20 iterations + tethers *", 64, [2441.0, 170.0, 53.0, 2.4]),
    ("Jolt 5.5.1, 5 iterations + tethers *", 128, [2818.0, 323.0, 174.0, 8.2]),
    ("Jolt 5.5.1, 20 iterations + tethers *", 128, [10160.0, 288.0, 106.0, 6.5]),
];

/// Rows of a table by workload and size: peer and numbers.
type Rows = BTreeMap<(String, u64), Vec<(String, Vec<f64>)>>;

fn number(value: &Value, names: &[&str]) -> f64 {
    let find = |name: &&str| value.get(*name).or_else(|| value.get("quality").and_then(|quality| quality.get(*name)));
    names.iter().find_map(find).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

fn add(rows: &mut Rows, line: &Value) {
    let text = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
    let workload = text("workload");
    let side = text("cloth").split('x').next().and_then(|side| side.parse().ok());
    let size = side.unwrap_or_else(|| number(line, &["size", "ragdolls"]) as u64);
    let numbers = if workload == "W3" {
        vec![
            number(line, &["cpu_us", "cpu_us_per_step"]),
            number(line, &["stretch_max_pct"]),
            number(line, &["stretch_end_pct", "stretch_end_max_pct"]),
            number(line, &["stretch_mean_pct", "stretch_end_mean_pct"]),
        ]
    } else {
        let limits = [
            "cone_deg",
            "hinge_deg",
            "hinge_axis_deg",
            "cone_limit_violation_max_deg",
            "hinge_limit_violation_max_deg",
        ];
        vec![
            number(line, &["cpu_us", "cpu_us_per_ragdoll_step"]),
            number(line, &["gap_max_mm", "joint_sep_max_mm"]),
            number(line, &["gap_rms_mm", "joint_sep_rms_mm"]),
            number(line, &["penetration_max_mm", "ground_pen_max_mm"]),
            number(line, &["penetration_end_mm", "ground_pen_end_mm"]),
            limits.iter().map(|name| number(line, &[name])).fold(f64::NAN, f64::max),
        ]
    };
    let broken = number(line, &["exploded", "nan"]).is_nan() && line.to_string().contains("\"exploded\":true");
    let peer = if broken { format!("{} (exploded)", text("peer")) } else { text("peer") };
    rows.entry((workload, size)).or_default().push((peer, numbers));
}

/// Scenes of the door: lines of each scene, in the order of the peers. Rounds of one peer are merged: the median of the
/// medians, the least of the least, the worst quality.
type Scenes = BTreeMap<String, Vec<Value>>;

fn text_of<'a>(line: &'a Value, name: &str) -> &'a str {
    line.get(name).and_then(Value::as_str).unwrap_or("")
}

/// Prints the table of a scene: times as ratios to Box3D in the same run, or to the fastest other peer where it has none.
fn print_scene(scene: &str, lines: &[Value]) {
    let mut peers: Vec<(&str, Vec<&Value>)> = Vec::new();
    for line in lines {
        let peer = text_of(line, "peer");
        match peers.iter_mut().find(|(name, _)| *name == peer) {
            Some((_, own)) => own.push(line),
            None => peers.push((peer, vec![line])),
        }
    }
    let all = |own: &[&Value], name: &str| -> Vec<f64> {
        own.iter().map(|line| line.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN)).collect()
    };
    let middle = |own: &[&Value]| {
        let mut times = all(own, "median_us");
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let others = peers.iter().filter(|(name, _)| !name.starts_with("Muybridge"));
    let fastest = others.min_by(|a, b| middle(&a.1).total_cmp(&middle(&b.1)));
    let reference = peers.iter().find(|(name, _)| *name == "Box3D").or(fastest);
    let of = reference.map_or("no peer", |(name, _)| name);
    println!("\n{scene}, µs a frame of 1/60 s; fastest peer: {}\n", fastest.map_or("none".into(), |(name, own)| format!("{name} {}", cell(middle(own)))));
    println!("| peer | median | least | × {of} | gap mm | limits ° | depth mm | at the end | stretch at the end % |");
    println!("|{}", " --- |".repeat(9));
    for (peer, own) in &peers {
        let worst = |name: &str| all(own, name).into_iter().fold(f64::NAN, f64::max);
        let share = reference.map_or(f64::NAN, |(_, reference)| middle(own) / middle(reference));
        let least = all(own, "least_us").into_iter().fold(f64::NAN, f64::min);
        let is = |name: &str| own.iter().any(|line| line.get(name) == Some(&Value::Bool(true)));
        let marks = [("exploded", " (exploded)"), ("without_cloth", " (without the cloth)")];
        let marks: String = marks.iter().filter(|(name, _)| is(name)).map(|(_, mark)| *mark).collect();
        let numbers = [
            middle(own),
            least,
            share,
            worst("gap_mm"),
            worst("limit_deg"),
            worst("depth_mm"),
            worst("depth_end_mm"),
            worst("stretch_end_pct"),
        ];
        println!("| {peer}{marks} | {} |", numbers.map(cell).join(" | "));
    }
}

fn cell(value: f64) -> String {
    match value {
        v if v.is_nan() => "–".to_owned(),
        v if v.abs() < 0.1 => format!("{v:.3}"),
        v if v.abs() < 100.0 => format!("{v:.2}"),
        v => format!("{v:.0}"),
    }
}

fn main() {
    let (mut rows, mut scenes) = (Rows::new(), Scenes::new());
    for path in std::env::args().skip(1) {
        match std::fs::read_to_string(&path) {
            Ok(text) => {
                for line in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
                    match text_of(&line, "door") {
                        "" => add(&mut rows, &line),
                        scene => scenes.entry(scene.to_owned()).or_default().push(line),
                    }
                }
            }
            Err(error) => eprintln!("{path}: {error}"),
        }
    }
    scenes.iter().for_each(|(scene, lines)| print_scene(scene, lines));
    if rows.is_empty() {
        return;
    }
    for (workload, peer, size, numbers) in NOT_RUN {
        let known = rows.entry((workload.to_owned(), size)).or_default();
        if !known.iter().any(|(name, _)| name.split(' ').next() == peer.split(' ').next()) {
            known.push((peer.to_owned(), numbers.to_vec()));
        }
    }
    for (peer, size, numbers) in CLOTH_NOT_RUN {
        rows.entry(("W3".to_owned(), size)).or_default().push((peer.to_owned(), numbers.to_vec()));
    }
    for ((workload, size), peers) in &rows {
        let cloth = workload == "W3";
        let columns = if cloth {
            "µs per step | stretch max % | end % | mean %"
        } else {
            "µs per ragdoll-step | gap max mm | rms | penetration max mm | end | limits °"
        };
        println!(
            "\n{workload}, {size}{}\n\n| peer | {columns} |",
            if cloth { format!(" × {size}") } else { String::new() }
        );
        println!("|{}", " --- |".repeat(1 + columns.split('|').count()));
        let mut sorted: Vec<_> = peers.iter().collect();
        sorted.sort_by(|a, b| a.1[0].total_cmp(&b.1[0]));
        for (peer, numbers) in sorted {
            println!("| {peer} | {} |", numbers.iter().map(|&value| cell(value)).collect::<Vec<_>>().join(" | "));
        }
    }
    println!("\n\\* not run here: figures.md, another machine (Zen 5)");
}
