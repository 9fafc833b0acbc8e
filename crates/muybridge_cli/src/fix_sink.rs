//! Where corrected files and what is said of them go, one file at a time.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use muybridge_files::output;
use muybridge_files::prepare::Prepared;
use muybridge_report::fix::{FixReport, FixRow, FixWriter, fix_block, fix_html, fix_table};
use muybridge_report::terminal::Style;
use muybridge_report::{ClipReport, Labels, UnreadClip};

use crate::failure::Failure;
use crate::fix::{Fix, FixedFile, has_findings};
use crate::sources::Source;
use crate::targets::Target;

/// Results of the verb.
pub struct Sink<'a> {
    fix: &'a Fix,
    several: bool,
    style: Style,
    json: Option<FixWriter<Vec<u8>>>,
    rows: Vec<FixRow>,
    blocks: Vec<String>,
    written: BTreeSet<PathBuf>,
    code: u8,
}

impl<'a> Sink<'a> {
    /// For one file or several.
    pub fn new(fix: &'a Fix, several: bool) -> Result<Self, Failure> {
        let json = fix.json.as_ref().map(|_| FixWriter::new(Vec::new())).transpose()?;
        let (rows, blocks, written) = (Vec::new(), Vec::new(), BTreeSet::new());
        Ok(Self { fix, several, style: crate::progress::style(), json, rows, blocks, written, code: 0 })
    }

    /// Writes a corrected file and says what was done, or why it could not be.
    pub fn take(&mut self, source: &Source, corrected: Result<FixedFile, Failure>) -> Result<(), Failure> {
        let written = corrected.and_then(|file| self.write(&file).map(|()| file));
        match written {
            Ok(file) => self.tell(&file),
            Err(Failure::Output(error)) => Err(Failure::Output(error)),
            Err(failure) => {
                let (name, message) = (source.path.display().to_string(), failure.to_string());
                eprintln!("muybridge: {message}");
                self.code = 2;
                self.rows
                    .push(FixRow::unfixed(&name, message.trim_start_matches(&name).trim_start_matches([':', ' '])));
                match &mut self.json {
                    Some(json) => Ok(json.unfixed(&UnreadClip { file: &name, error: &message })?),
                    None => Ok(()),
                }
            }
        }
    }

    fn write(&mut self, file: &FixedFile) -> Result<(), Failure> {
        let Some(target) = &file.target else { return Ok(()) };
        if !self.written.insert(target.clone()) {
            return Err(Failure::Usage(format!(
                "{}: another file of this call goes to {} too; correct them into different folders",
                file.source.path.display(),
                target.display()
            )));
        }
        let existing = self.fix.existing();
        for (name, bytes) in &file.written.beside {
            let inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
            let path = target.with_file_name(name);
            if !inside {
                let source = file.source.path.display();
                return Err(Failure::Usage(format!("{source}: names a file outside its folder, “{name}”")));
            }
            if std::fs::read(&path).is_ok_and(|there| there == *bytes) {
                continue;
            }
            output::write(&path, bytes, existing)?;
        }
        Ok(output::write(target, &file.written.file, existing)?)
    }

    fn tell(&mut self, file: &FixedFile) -> Result<(), Failure> {
        let name = file.source.path.display().to_string();
        let output = file.target.as_ref().map(|target| target.display().to_string());
        let several = self.several || file.clips.len() > 1;
        for clip in &file.clips {
            let side = |prepared: &'_ Prepared| prepared.unit_in_words();
            let report = FixReport {
                before: clip_report(&name, &clip.before, &clip.found_before),
                after: clip_report(output.as_deref().unwrap_or(&name), &clip.after, &clip.found_after),
                output: output.as_deref(),
                steps: &clip.steps,
                left: &clip.left,
                map: &clip.map,
                largest: &clip.largest,
                looped: self.fix.looped(),
                notes: &file.notes,
            };
            let labels = Labels { file: name.clone(), unit: side(&clip.before), dark: false };
            self.code = self.code.max(u8::from(has_findings(clip)));
            if let Err(failure) = self.write_page(file, &report, several) {
                eprintln!("muybridge: {failure}");
                self.code = 2;
            }
            if let Some(json) = &mut self.json {
                json.clip(&report)?;
            }
            self.rows.push(FixRow::new(&report, &labels));
            if self.blocks.len() < 2 {
                self.blocks.push(fix_block(&report, &labels, &self.style));
            }
        }
        if several && self.json.is_none() {
            file.notes.iter().for_each(|note| eprintln!("{name}: {note}"));
        }
        Ok(())
    }

    fn write_page(&self, file: &FixedFile, report: &FixReport<'_>, several: bool) -> Result<(), Failure> {
        let Some(page) = &self.fix.html else { return Ok(()) };
        let stem = file.source.relative.with_extension("").to_string_lossy().into_owned();
        let clip = &report.before.analysis.clip;
        let label = if file.clips.len() > 1 && !clip.is_empty() { format!("{stem}_{clip}") } else { stem };
        let path = Target { name: page, label: &label, extension: "html", several }.path()?;
        Ok(output::write(&path, fix_html(report).as_bytes(), self.fix.existing())?)
    }

    /// Prints what is left to print and gives the exit code.
    pub fn finish(self) -> Result<u8, Failure> {
        let mut out = std::io::stdout().lock();
        let to_stdout = matches!(self.fix.json, Some(None));
        if let Some(writer) = self.json {
            let bytes = writer.finish()?;
            match &self.fix.json {
                Some(Some(file)) => output::write(file, &bytes, self.fix.existing())?,
                _ => out.write_all(&bytes)?,
            }
        }
        if !to_stdout {
            match (self.rows.len(), self.blocks.first()) {
                (1, Some(block)) => out.write_all(block.as_bytes())?,
                (1, None) => {}
                _ => writeln!(out, "{}", fix_table(&self.rows, &self.style).trim_end())?,
            }
        }
        Ok(self.code)
    }
}

fn clip_report<'a>(
    file: &'a str,
    prepared: &'a Prepared,
    analysis: &'a muybridge::analysis::Analysis,
) -> ClipReport<'a> {
    ClipReport {
        file,
        meters_per_unit: prepared.units.meters_per_unit,
        unit_source: &prepared.units.unit_source,
        up: prepared.units.up.name(),
        analysis,
        ignored: &prepared.ignored,
        character: &prepared.character,
        clip: &prepared.clip,
    }
}
