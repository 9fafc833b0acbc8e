//! Writes corrected files and the reports on them, one file at a time.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use muybridge_files::output;
use muybridge_files::prepare::Prepared;
use muybridge_files::rewrite::Rewritten;
use muybridge_report::film::FilmedMotion;
use muybridge_report::fix::{FixReport, FixRow, FixWriter, fix_block, fix_html, fix_table};
use muybridge_report::terminal::Style;
use muybridge_report::{Labels, UnreadClip};

use super::{Fix, FixedFile, has_findings};
use crate::clip_report::clip_report;
use crate::clips::joined;
use crate::failure::Failure;
use crate::input_files::InputFile;
use crate::internal_error::within;
use crate::targets::{MotionFile, ReportTarget, Targets, numbered};
use crate::verb_output::deliver;

/// Results of the verb.
pub struct FixSink<'a> {
    fix: &'a Fix,
    several: bool,
    style: Style,
    json: Option<FixWriter<Vec<u8>>>,
    rows: Vec<FixRow>,
    blocks: Vec<String>,
    targets: &'a Mutex<Targets>,
    code: u8,
}

impl<'a> FixSink<'a> {
    /// For one file or several.
    pub fn new(fix: &'a Fix, several: bool, targets: &'a Mutex<Targets>) -> Result<Self, Failure> {
        let json = fix.json.as_ref().map(|_| FixWriter::new(Vec::new())).transpose()?;
        let (rows, blocks) = (Vec::new(), Vec::new());
        Ok(Self { fix, several, style: crate::progress::style(), json, rows, blocks, targets, code: 0 })
    }

    /// Writes a corrected file and says what was done, or why it could not be.
    pub fn write_result(&mut self, source: &InputFile, corrected: Result<FixedFile, Failure>) -> Result<(), Failure> {
        let name = source.path.display().to_string();
        let written = corrected.and_then(|mut file| self.write(&mut file).map(|()| file));
        let printed = written.and_then(|file| within(&name, || self.print_block(&file)));
        match printed {
            Ok(()) => Ok(()),
            Err(Failure::Output(error)) => Err(Failure::Output(error)),
            Err(failure) => self.unfixed(&name, &failure.to_string()),
        }
    }

    /// A file, or a clip of one, that could not be corrected.
    fn unfixed(&mut self, name: &str, message: &str) -> Result<(), Failure> {
        say!("muybridge: {message}");
        self.code = 2;
        self.rows.push(FixRow::unfixed(name, message.trim_start_matches(name).trim_start_matches([':', ' '])));
        match &mut self.json {
            Some(json) => Ok(json.unfixed(&UnreadClip { file: name, error: message })?),
            None => Ok(()),
        }
    }

    /// Writes a file and those beside it, and names its reports; none of them if one cannot be written.
    fn write(&mut self, file: &mut FixedFile) -> Result<(), Failure> {
        let mut targets = self.targets.lock().unwrap_or_else(PoisonError::into_inner);
        let several = self.several || file.holds_several();
        let holds_several = file.holds_several();
        for clip in &mut file.clips {
            let stem = file.source.relative.with_extension("").to_string_lossy().into_owned();
            let character = if clip.before.has_companions { clip.before.character_name.as_str() } else { "" };
            let parts = [&stem, clip.found_before.clip.as_str(), character];
            let label = if holds_several { joined(&parts, "_") } else { stem };
            let places = self.fix.reports().map(|(name, extension)| {
                let target = ReportTarget { name, label: &label, extension, several };
                Ok::<_, Failure>((targets.place(&target)?, extension))
            });
            file.reports.push(places.collect::<Result<_, _>>()?);
        }
        let source = &file.source.path;
        let Some(target) = &file.target else { return Ok(()) };
        let target = targets.place_motion(source, &|number| Ok(numbered(target, number)))?;
        let Rewritten { file: bytes, beside, .. } = &mut file.written;
        targets.write(MotionFile { source, target: &target, bytes, beside })?;
        file.target = Some(target);
        Ok(())
    }

    fn print_block(&mut self, file: &FixedFile) -> Result<(), Failure> {
        let name = file.source.path.display().to_string();
        let output = file.target.as_ref().map(|target| target.display().to_string());
        let several = self.several || file.holds_several();
        for (index, clip) in file.clips.iter().enumerate() {
            let side = |prepared: &'_ Prepared| prepared.unit_in_words();
            let curves = self.fix.curves_of(&clip.found_before);
            let report = FixReport {
                before: clip_report(&name, &clip.before, &clip.found_before),
                after: clip_report(output.as_deref().unwrap_or(&name), &clip.after, &clip.found_after),
                output: output.as_deref(),
                steps: &clip.steps,
                left: &clip.left,
                map: &clip.map,
                largest: &clip.largest,
                bounds: self.fix.bounds(),
                curves: curves.as_ref(),
                looped: self.fix.looped(),
                notes: &file.notes,
            };
            let character = report.before.one_of_several().to_owned();
            let labels = Labels { file: name.clone(), character, unit: side(&clip.before), ..Labels::default() };
            self.code = self.code.max(u8::from(has_findings(clip)));
            for (path, extension) in file.reports.get(index).into_iter().flatten() {
                let written = self
                    .report(&report, (path, *extension))
                    .and_then(|bytes| Ok(output::write(path, &bytes, self.fix.existing())?));
                if let Err(failure) = written {
                    say!("muybridge: {failure}");
                    self.code = 2;
                }
            }
            if let Some(json) = &mut self.json {
                json.clip(&report)?;
            }
            self.rows.push(FixRow::new(&report, &labels));
            if self.blocks.len() < 2 {
                self.blocks.push(fix_block(&report, &labels, &self.style));
            }
        }
        for (clip, failure) in &file.failed {
            self.unfixed(&format!("{name} · {clip}"), &failure.to_string())?;
        }
        if several && self.json.is_none() {
            file.notes.iter().for_each(|note| say!("{name}: {note}"));
        }
        Ok(())
    }

    /// Bytes of a report that is written to `path`.
    fn report(&self, report: &FixReport<'_>, (path, extension): (&Path, &str)) -> Result<Vec<u8>, Failure> {
        if extension == "html" {
            return Ok(fix_html(report).into_bytes());
        }
        // What stays as it is is shown once.
        let is_one = report.is_unchanged();
        let title = if is_one { report.before.file_name() } else { "before" };
        let before = FilmedMotion { title, report: report.before, curves: report.curves };
        let after = FilmedMotion { title: "after", report: report.after, curves: None };
        let shown = &[before, after][..if is_one { 1 } else { 2 }];
        match extension {
            "gif" => self.fix.film.film(shown, path),
            _ => self.fix.film.picture(shown, path),
        }
    }

    /// Prints what is left to print and gives the exit code.
    pub fn finish(self) -> Result<u8, Failure> {
        let json = self.json.map(|writer| writer.finish()).transpose()?;
        let told = match (self.rows.len(), self.blocks.into_iter().next()) {
            (1, block) => block.unwrap_or_default(),
            _ => format!("{}\n", fix_table(&self.rows, &self.style).trim_end()),
        };
        deliver(json.as_deref(), self.fix.json.as_ref(), self.fix.existing(), &told)?;
        Ok(self.code)
    }
}
