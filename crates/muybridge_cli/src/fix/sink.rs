//! Writes corrected files and the reports on them, one file at a time.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use muybridge_files::open;
use muybridge_files::output::{self, SideFile};
use muybridge_files::prepare::Prepared;
use muybridge_files::rewrite::{self, Rewritten};
use muybridge_report::fix::{FixReport, FixRow, FixWriter, fix_block, fix_html, fix_table};
use muybridge_report::terminal::Style;
use muybridge_report::{Labels, UnreadClip};

use super::{Fix, FixedFile, has_findings};
use crate::clip_report::clip_report;
use crate::clips::joined;
use crate::failure::Failure;
use crate::input_files::InputFile;
use crate::targets::{ReportTarget, is_same};
use crate::verb_output::deliver;

/// Results of the verb.
pub struct FixSink<'a> {
    fix: &'a Fix,
    several: bool,
    style: Style,
    json: Option<FixWriter<Vec<u8>>>,
    rows: Vec<FixRow>,
    blocks: Vec<String>,
    written: BTreeSet<PathBuf>,
    code: u8,
}

impl<'a> FixSink<'a> {
    /// For one file or several.
    pub fn new(fix: &'a Fix, several: bool) -> Result<Self, Failure> {
        let json = fix.json.as_ref().map(|_| FixWriter::new(Vec::new())).transpose()?;
        let (rows, blocks, written) = (Vec::new(), Vec::new(), BTreeSet::new());
        Ok(Self { fix, several, style: crate::progress::style(), json, rows, blocks, written, code: 0 })
    }

    /// Writes a corrected file and says what was done, or why it could not be.
    pub fn write_result(&mut self, source: &InputFile, corrected: Result<FixedFile, Failure>) -> Result<(), Failure> {
        let written = corrected.and_then(|mut file| self.write(&mut file).map(|()| file));
        match written {
            Ok(file) => self.print_block(&file),
            Err(Failure::Output(error)) => Err(Failure::Output(error)),
            Err(failure) => self.unfixed(&source.path.display().to_string(), &failure.to_string()),
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

    /// Writes a file and those beside it; none of them if one cannot be written.
    fn write(&mut self, file: &mut FixedFile) -> Result<(), Failure> {
        for clip in &file.clips {
            self.page(file, &clip.found_before.clip, &clip.before)?
                .map_or(Ok(()), |page| output::check(&page, self.fix.existing()))?;
        }
        let Some(target) = file.target.clone() else { return Ok(()) };
        if !self.written.insert(target.clone()) {
            return Err(Failure::Usage(format!(
                "{}: another file of this call goes to {} too; correct them into different folders",
                file.source.path.display(),
                target.display()
            )));
        }
        if self.names_are_taken(file, &file.written, &target) {
            let stem = target.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            file.written = self.renamed(file, &stem, &target)?;
        }
        let mut begun = Vec::new();
        let written = self.write_all(file, &target, &mut begun);
        if written.is_err() {
            begun.iter().for_each(|path| drop(std::fs::remove_file(path)));
        }
        written
    }

    /// The file with numbers beside it under the first name after `stem` that nobody has.
    fn renamed(&self, file: &FixedFile, stem: &str, target: &Path) -> Result<Rewritten, Failure> {
        let mut number = 0;
        loop {
            let name = if number == 0 { stem.to_owned() } else { format!("{stem}_{number}") };
            let mut written = file.written.clone();
            let renamed = rewrite::renamed_beside(&mut written, &name);
            renamed.map_err(|error| error.in_file(&file.source.path))?;
            if !self.names_are_taken(file, &written, target) {
                return Ok(written);
            }
            number += 1;
        }
    }

    /// Whether numbers beside a glTF cannot have their names, which others have: those of the source, in its folder, or
    /// those of another file of this call.
    fn names_are_taken(&self, file: &FixedFile, written: &Rewritten, target: &Path) -> bool {
        let in_place = is_same(&file.source.path, target);
        let taken = |path: &Path, bytes: &[u8]| {
            open::read(path).is_ok_and(|there| there != bytes) && (!in_place || self.written.contains(path))
        };
        written.beside.iter().any(|file| taken(&target.with_file_name(&file.name), &file.bytes))
    }

    /// The same; `begun` are the files that were not there before.
    fn write_all(&mut self, file: &FixedFile, target: &Path, begun: &mut Vec<PathBuf>) -> Result<(), Failure> {
        let existing = self.fix.existing();
        for SideFile { name, bytes } in &file.written.beside {
            let inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
            let path = target.with_file_name(name);
            if !inside {
                let source = file.source.path.display();
                return Err(Failure::Usage(format!("{source}: names a file outside its folder, “{name}”")));
            }
            self.written.insert(path.clone());
            if open::read(&path).is_ok_and(|there| there == *bytes) {
                continue;
            }
            let is_new = !path.exists();
            output::write(&path, bytes, existing)?;
            begun.extend(is_new.then_some(path));
        }
        Ok(output::write(target, &file.written.file, existing)?)
    }

    fn print_block(&mut self, file: &FixedFile) -> Result<(), Failure> {
        let name = file.source.path.display().to_string();
        let output = file.target.as_ref().map(|target| target.display().to_string());
        let several = self.several || file.holds_several();
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
                bounds: self.fix.bounds(),
                looped: self.fix.looped(),
                notes: &file.notes,
            };
            let character = report.before.one_of_several().to_owned();
            let labels = Labels { file: name.clone(), character, unit: side(&clip.before), ..Labels::default() };
            self.code = self.code.max(u8::from(has_findings(clip)));
            if let Err(failure) = self.write_page(file, &report, &clip.before) {
                say!("muybridge: {failure}");
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
        for (clip, failure) in &file.failed {
            self.unfixed(&format!("{name} · {clip}"), &failure.to_string())?;
        }
        if several && self.json.is_none() {
            file.notes.iter().for_each(|note| say!("{name}: {note}"));
        }
        Ok(())
    }

    fn write_page(&self, file: &FixedFile, report: &FixReport<'_>, before: &Prepared) -> Result<(), Failure> {
        let Some(path) = self.page(file, &report.before.analysis.clip, before)? else { return Ok(()) };
        Ok(output::write(&path, fix_html(report).as_bytes(), self.fix.existing())?)
    }

    /// Where the page of a clip goes.
    fn page(&self, file: &FixedFile, clip: &str, before: &Prepared) -> Result<Option<PathBuf>, Failure> {
        let Some(page) = &self.fix.html else { return Ok(None) };
        let stem = file.source.relative.with_extension("").to_string_lossy().into_owned();
        let several = self.several || file.holds_several();
        let character = if before.has_companions { before.character_name.as_str() } else { "" };
        let label = if file.holds_several() { joined(&[&stem, clip, character], "_") } else { stem };
        ReportTarget { name: page, label: &label, extension: "html", several }.path().map(Some)
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
