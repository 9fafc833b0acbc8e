//! scratch
use muybridge::correction::{fix::*, settings::FixSettings};
use muybridge_files::prepare::*;
fn main() {
    let mut prep = Preparation::default();
    let mut files = vec![];
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        if a == "--body" {
            prep.bodies.push(BodyFile::read(args.next().unwrap().as_ref()).unwrap());
        } else {
            files.push(a)
        }
    }
    for f in files {
        let Ok(opened) = muybridge_files::open::open(f.as_ref(), &Default::default()) else {
            println!("{f}: unreadable");
            continue;
        };
        for i in 0..opened.imported.clips.len() {
            let Ok(p) = prepare(&opened.imported, i, &prep) else {
                println!("{f}: unprepared");
                continue;
            };
            let t = std::time::Instant::now();
            let r = fix(&p.character, &p.clip, &Default::default(), &FixSettings::default());
            let el = t.elapsed();
            let show = |a: &muybridge::analysis::Analysis| {
                a.findings
                    .iter()
                    .filter(|f| f.severity < muybridge::analysis::Severity::Note)
                    .map(|f| {
                        format!(
                            "{}{}[{}-{}]={:.2}",
                            if f.severity == muybridge::analysis::Severity::Error { "!" } else { "" },
                            f.id,
                            f.span.first,
                            f.span.last,
                            f.value
                        )
                    })
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            if show(&r.before).is_empty() && r.steps.is_empty() {
                continue;
            }
            println!(
                "== {f} #{i} {} {} -> {} frames {:.0} ms",
                p.clip.name,
                p.clip.frames(),
                r.clip.frames(),
                el.as_secs_f64() * 1e3
            );
            println!("   before {}", show(&r.before));
            for s in &r.steps {
                for (fl, ch) in s.plan.flights.iter().zip(&s.applied.flights) {
                    println!(
                        "   {:?} {}-{} -> {} iv: {} moved {:.3}",
                        fl.tool, fl.first, fl.last, fl.intervals, fl.reason, ch.moved
                    );
                }
            }
            if std::env::var("TRIALS").is_ok() {
                use muybridge::correction::plan::*;
                let task = Task {
                    character: &p.character,
                    clip: &p.clip,
                    analysis: &r.before,
                    settings: &Default::default(),
                    fix: &FixSettings::default(),
                };
                for tool in [Tool::Time, Tool::Path] {
                    for one in 0..r.before.flights.len() {
                        let fl = &r.before.flights[one];
                        let n =
                            muybridge::correction::retime::right_intervals(fl.span.last - fl.span.first, fl.gravity)
                                .map(|x| x.1)
                                .unwrap_or(0);
                        let iv = if tool == Tool::Time { n } else { fl.span.last - fl.span.first };
                        if iv == 0 {
                            continue;
                        }
                        let t = task.try_out(&Plan {
                            flights: vec![FlightPlan {
                                first: fl.span.first,
                                last: fl.span.last,
                                intervals: iv,
                                tool,
                                reason: String::new(),
                                choices: vec![],
                            }],
                            feet: false,
                        });
                        println!("   trial {tool:?} {}: {}", fl.span.first, show(&t.analysis));
                    }
                }
            }
            for l in &r.left {
                println!("   left {}-{}: {}", l.first, l.last, l.why);
            }
            println!("   after  {}", show(&r.after));
            println!(
                "   g {:?}",
                r.after
                    .flights
                    .iter()
                    .map(|f| (f.span.first, f.span.last, (f.gravity * 1e3).round() / 1e3))
                    .collect::<Vec<_>>()
            );
        }
    }
}
