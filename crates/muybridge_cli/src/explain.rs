//! `muybridge explain`: what a finding means, how it is computed and how to mend it, without a network.

use std::io::Write;

use clap::Args;
use muybridge::analysis::{FindingId, Limits};
use muybridge::simulation::scene::nearest;
use muybridge_files::limits_file;
use muybridge_report::terminal::{explanation, finding_list, residual_explanation, residual_line};

use crate::failure::Failure;
use crate::progress;

/// Arguments of the verb.
#[derive(Args)]
pub struct Explain {
    /// Name of a finding, such as flight.gravity, or residual; without it all are listed
    finding: Option<String>,
}

impl Explain {
    /// Prints the explanation, or the list.
    pub fn run(&self) -> Result<u8, Failure> {
        let style = progress::style();
        let text = match &self.finding {
            None => finding_list(&style) + &residual_line(&style),
            Some(name) if name == "residual" => residual_explanation(&style),
            Some(name) => {
                let id = name.parse().map_err(|_| Failure::Usage(unknown(name)))?;
                explanation(id, &limits_of(id), &style)
            }
        };
        std::io::stdout().write_all(text.as_bytes())?;
        Ok(0)
    }
}

/// The limits of a finding with their default values and meanings, one sentence each.
fn limits_of(id: FindingId) -> Vec<String> {
    let lines = limits_file::lines(&Limits::default());
    let of_finding = lines.iter().filter(|line| id.facts().limits.contains(&line.key.as_str()));
    of_finding.map(|line| format!("{}: {}", line.assignment, line.meaning)).collect()
}

/// The sentence about a name that is no finding's, with the names nearest to it.
fn unknown(name: &str) -> String {
    let known = || FindingId::ALL.iter().map(|id| id.name());
    let wanted = name.to_lowercase();
    let mut near: Vec<&str> = known().filter(|known| !wanted.is_empty() && known.contains(&wanted)).collect();
    if near.is_empty() {
        let short = nearest(name, FindingId::ALL.iter().map(|id| id.short_name()));
        let of_short = FindingId::ALL.iter().find(|id| Some(id.short_name()) == short).map(|id| id.name());
        near.extend(nearest(name, known()).or(of_short));
    }
    let hint = match near.as_slice() {
        [] => "muybridge explain lists them all".to_owned(),
        near => format!("did you mean {}?", near.join(", ")),
    };
    format!("there is no finding “{name}”; {hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_name_and_a_slip_of_the_finger_lead_to_the_names() {
        assert!(unknown("gravity").ends_with("did you mean flight.gravity?"));
        assert!(unknown("gravty").ends_with("did you mean flight.gravity?"));
        assert!(unknown("flight.gravty").ends_with("did you mean flight.gravity?"));
        assert!(unknown("Skate").ends_with("did you mean feet.skate?"));
        assert!(unknown("flight.").contains("flight.gravity, flight.hover, flight.momentum, flight.path"));
        for name in ["", "%", "something else entirely"] {
            assert!(unknown(name).ends_with("lists them all"), "{name}");
        }
    }
}
