//! Output files of a survey: two tables, a page, and for a shard the part file that `--merge` reads.

use std::io::Write;
use std::path::{Path, PathBuf};

use muybridge_files::output::{self, Existing};
use muybridge_report::survey::{self, PageText, Statistics, TableError, TableFormat, Tables};
use muybridge_report::terminal;

use super::kept::{FileState, KeptRecord};
use super::part::{NewPart, Part};
use super::plan::SurveyPlan;
use super::table_file::{TableFile, cannot};
use crate::failure::Failure;
use crate::targets::Targets;

/// Paths of the output files.
pub struct SurveyOutputs {
    format: TableFormat,
    table: PathBuf,
    flights: Option<PathBuf>,
    part: Option<PathBuf>,
    html: Option<PathBuf>,
}

impl SurveyOutputs {
    /// Paths beside `table`, with the format of its extension; a shard also has a part file.
    pub fn new(table: &Path, html: Option<&Path>, is_shard: bool) -> Result<Self, Failure> {
        let extension = table.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(format) = TableFormat::of_extension(&extension) else {
            let name = table.display();
            return Err(Failure::Usage(format!("{name}: a table needs the extension .parquet, .csv or .jsonl")));
        };
        // A link is followed, so that all runs that write the table have one folder of parts.
        let table = &output::followed(table)?;
        let flights = format.has_two_files().then(|| flights_of(table));
        Ok(Self {
            format,
            table: table.to_path_buf(),
            flights,
            part: is_shard.then(|| part_of(table)),
            html: html.map(Path::to_path_buf),
        })
    }

    /// Path of the table of clips. The table is written last, so its existence marks a complete survey.
    pub fn table(&self) -> &Path {
        &self.table
    }

    /// Folder of the segments, `OUT.parts`.
    pub fn parts_folder(&self) -> PathBuf {
        with_ending(&self.table, ".parts")
    }

    fn all(&self) -> impl Iterator<Item = &PathBuf> {
        [Some(&self.table), self.flights.as_ref(), self.part.as_ref(), self.html.as_ref()].into_iter().flatten()
    }

    /// Fails if one of the files may not be written, or is one of the `inputs`.
    pub fn check<'a>(&self, existing: Existing, inputs: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Failure> {
        let mut targets = Targets::new(existing, inputs.into_iter().cloned());
        self.all().try_for_each(|path| targets.name(path))
    }

    /// Handles `--resume` of a complete survey of `files`. Fails if it is another survey, as far as can be known, or if
    /// clips have changed since.
    pub fn is_complete(&self, plan: &SurveyPlan, files: &[PathBuf]) -> Result<(), Failure> {
        let table = self.table.display();
        let refused = |why: String| {
            Err(Failure::Usage(format!(
                "{table} is complete already{why}; to survey again, give --force without --resume"
            )))
        };
        let part = part_of(&self.table);
        let there = part.exists().then(|| Part::open(&part)).transpose()?;
        let changed = match there {
            None => changed_after(&self.table, files),
            Some(there) if there.plan.shard != plan.shard => {
                let shard = there.plan.shard;
                return refused(format!(" and is the table of shard {}/{}", shard.number, shard.of));
            }
            Some(there) if there.plan != *plan => {
                let difference = there.plan.differs(plan).unwrap_or_default();
                return refused(format!(" {difference}"));
            }
            Some(there) => changed_since(there, files)?,
        };
        if changed > 0 {
            return refused(format!(", but {changed} of its files have changed or gone since"));
        }
        match part.exists() {
            true => say!("muybridge: {table} is complete; there is nothing to resume"),
            false => say!(
                "muybridge: {table} is complete, so nothing was surveyed. A table does not record its options and files; \
                 if they changed, survey again with --force and without --resume"
            ),
        }
        Ok(())
    }

    /// Writes tables, part file and page in one pass over the records, and returns the statistics.
    pub fn write(
        &self,
        plan: &SurveyPlan,
        records: impl Iterator<Item = Result<KeptRecord, Failure>>,
        existing: Existing,
    ) -> Result<Statistics, Failure> {
        let begin = |path: &PathBuf| TableFile::new(path, existing);
        let clips = begin(&self.table)?;
        let flights = self.flights.as_ref().map(begin).transpose()?;
        let mut part = self.part.as_ref().map(|path| NewPart::new(path, existing, plan)).transpose()?;
        let failed = |error: TableError| cannot(&self.table, error);
        let mut tables = Tables::new(self.format, clips, flights).map_err(failed)?;
        let mut statistics = Statistics::default();
        for kept in records {
            let kept = kept?;
            statistics.push(&kept.record);
            tables.push(&kept.record).map_err(failed)?;
            part.iter_mut().try_for_each(|part| part.push(&kept))?;
        }
        let (clips, flights) = tables.finish().map_err(failed)?;
        let page = self.html.as_ref().map(|html| written_page(html, &statistics, existing)).transpose()?;
        for (file, path) in [(flights, &self.flights), (page, &self.html)] {
            file.zip(path.as_ref()).map_or(Ok(()), |(file, path)| file.finish(path))?;
        }
        part.map_or(Ok(()), NewPart::finish)?;
        clips.finish(&self.table)?;
        Ok(statistics)
    }

    /// Prints the summary and the written files.
    pub fn print_summary(&self, statistics: &Statistics) -> Result<(), Failure> {
        let style = crate::progress::style();
        let mut out = std::io::stdout().lock();
        out.write_all(terminal::survey_summary(statistics, &style).as_bytes())?;
        let names: Vec<String> = self.all().map(|path| path.display().to_string()).collect();
        Ok(writeln!(out, "\nwritten: {}", terminal::visible(&names.join(", ")))?)
    }
}

fn written_page(html: &Path, statistics: &Statistics, existing: Existing) -> Result<TableFile, Failure> {
    let text = survey::html(statistics, &PageText { link: &|file| link(file, html) });
    let mut page = TableFile::new(html, existing)?;
    page.write_all(text.as_bytes()).map_err(|error| cannot(html, error))?;
    Ok(page)
}

/// Number of files that were changed after the table was written.
fn changed_after(table: &Path, files: &[PathBuf]) -> usize {
    let time = |path: &Path| path.metadata().and_then(|metadata| metadata.modified()).ok();
    let Some(written) = time(table) else { return 0 };
    files.iter().filter(|file| time(file).is_some_and(|changed| changed > written)).count()
}

/// Number of files of a shard that have changed since its part was written, or are gone.
fn changed_since(mut part: Part, files: &[PathBuf]) -> Result<usize, Failure> {
    let mut changed = 0;
    for position in part.plan.own_positions() {
        let there = part.next(position)?.state;
        changed += usize::from(FileState::of(&files[position as usize]) != there);
    }
    part.ended()?;
    Ok(changed)
}

/// Path of the part file beside a table.
pub fn part_of(table: &Path) -> PathBuf {
    with_ending(table, ".part")
}

/// The table of flights beside a table of clips.
pub fn flights_of(table: &Path) -> PathBuf {
    let extension = table.extension().unwrap_or_default().to_string_lossy();
    table.with_extension(format!("flights.{extension}"))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Relative link from the folder of the page to a file.
fn link(file: &str, html: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let (file, page) = (absolute(Path::new(file)), absolute(html));
    let folder = page.parent().unwrap_or(Path::new("/"));
    let shared = file.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| "..".to_owned());
    let down = file.components().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).map(|part| encoded(&part)).collect::<Vec<_>>().join("/")
}

/// Percent-encodes a path component.
fn encoded(part: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    part.bytes().map(|byte| if plain(&byte) { (byte as char).to_string() } else { format!("%{byte:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_go_from_the_page_to_the_file() {
        assert_eq!(link("/a/clips/run fast#1.bvh", Path::new("/a/reports/x.html")), "../clips/run%20fast%231.bvh");
        assert_eq!(link("/a/reports/b.bvh", Path::new("/a/reports/x.html")), "b.bvh");
    }

    #[test]
    fn flights_go_beside_the_clips() {
        let outputs = SurveyOutputs::new(Path::new("out/all.2024.csv"), None, true).unwrap();
        assert_eq!(outputs.flights.as_deref(), Some(Path::new("out/all.2024.flights.csv")));
        assert_eq!(outputs.part.as_deref(), Some(Path::new("out/all.2024.csv.part")));
        assert_eq!(outputs.parts_folder(), Path::new("out/all.2024.csv.parts"));
        assert!(SurveyOutputs::new(Path::new("all.jsonl"), None, false).unwrap().flights.is_none());
        assert!(SurveyOutputs::new(Path::new("all.xls"), None, false).is_err());
    }
}
