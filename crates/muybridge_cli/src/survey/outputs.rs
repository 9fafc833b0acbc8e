//! Output files of a survey: two tables, a page, and for a shard the part file that `--merge` reads.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use muybridge_files::output::{self, Existing};
use muybridge_report::survey::{self, FileRecord, PageText, Statistics, TableError, TableFormat, Tables};
use muybridge_report::terminal;

use super::pending::{Pending, cannot};
use super::plan::SurveyPlan;
use crate::failure::Failure;

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
        let flights = format.has_two_files().then(|| table.with_extension(format!("flights.{extension}")));
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

    /// Fails if one of the files may not be written.
    pub fn check(&self, existing: Existing) -> Result<(), Failure> {
        let all = [Some(&self.table), self.flights.as_ref(), self.part.as_ref(), self.html.as_ref()];
        Ok(all.into_iter().flatten().try_for_each(|path| output::check(path, existing))?)
    }

    /// Handles `--resume` of a complete survey. Fails if a part file says that it belongs to another survey. A table
    /// alone does not tell which survey it is from.
    pub fn is_complete(&self, plan: &SurveyPlan) -> Result<(), Failure> {
        let table = self.table.display();
        let refused = |why: &str| {
            Err(Failure::Usage(format!(
                "{table} is complete already{why}; to survey again, give --force without --resume"
            )))
        };
        let part = part_of(&self.table);
        let Some(line) = File::open(part).ok().and_then(|file| BufReader::new(file).lines().next()?.ok()) else {
            say!(
                "muybridge: {table} is complete, so nothing was surveyed. A table does not record its options and files; \
                 if they changed, survey again with --force and without --resume"
            );
            return Ok(());
        };
        match SurveyPlan::parse(&line) {
            Some(there) if there == *plan => {
                say!("muybridge: {table} is complete; there is nothing to resume");
                Ok(())
            }
            Some(there) if there.shard != plan.shard => {
                refused(&format!(" and is the table of shard {}/{}", there.shard.number, there.shard.of))
            }
            there => {
                refused(&there.and_then(|there| there.differs(plan)).map_or_else(
                    || " by another version of muybridge".to_owned(),
                    |difference| format!(" {difference}"),
                ))
            }
        }
    }

    /// Returns a function from output paths to temporary paths inside `folder`.
    pub fn inside(&self, folder: &Path) -> impl Fn(&Path) -> PathBuf + use<> {
        let folder = folder.to_path_buf();
        move |path| folder.join(path.file_name().unwrap_or_default()).with_added_extension("tmp")
    }

    /// Writes tables, part file and page in one pass over the records, and returns the statistics.
    pub fn write(
        &self,
        plan: &SurveyPlan,
        records: impl Iterator<Item = Result<FileRecord, Failure>>,
        making: impl Fn(&Path) -> PathBuf,
        existing: Existing,
    ) -> Result<Statistics, Failure> {
        let begin = |path: &PathBuf| Pending::new(path, making(path));
        let clips = begin(&self.table)?;
        let flights = self.flights.as_ref().map(begin).transpose()?;
        let mut part = self.part.as_ref().map(begin).transpose()?;
        if let Some(part) = &mut part {
            writeln!(part, "{}", plan.line()).map_err(|error| cannot(part.target(), error))?;
        }
        let failed = |error: TableError| cannot(&self.table, error);
        let mut tables = Tables::new(self.format, clips, flights).map_err(failed)?;
        let mut statistics = Statistics::default();
        for record in records {
            let record = record?;
            statistics.push(&record);
            tables.push(&record).map_err(failed)?;
            if let Some(part) = &mut part {
                writeln!(part, "{}", record.line()).map_err(|error| cannot(part.target(), error))?;
            }
        }
        let (clips, flights) = tables.finish().map_err(failed)?;
        for pending in flights.into_iter().chain(part) {
            pending.finish(existing)?;
        }
        if let Some(html) = &self.html {
            self.write_page(html, &statistics, &making(html), existing)?;
        }
        clips.finish(existing)?;
        Ok(statistics)
    }

    fn write_page(
        &self,
        html: &Path,
        statistics: &Statistics,
        making: &Path,
        existing: Existing,
    ) -> Result<(), Failure> {
        let text = survey::html(statistics, &PageText { link: &|file| link(file, html) });
        if let Some(folder) = html.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| cannot(html, error))?;
        }
        // The page may be on another disk than the tables, so its temporary file is beside it.
        let name = making.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut page = Pending::new(html, html.with_file_name(format!(".{name}")))?;
        page.write_all(text.as_bytes()).map_err(|error| cannot(html, error))?;
        page.finish(existing)
    }

    /// Prints the summary and the written files.
    pub fn print_summary(&self, statistics: &Statistics) -> Result<(), Failure> {
        let style = crate::progress::style();
        let mut out = std::io::stdout().lock();
        out.write_all(terminal::survey_summary(statistics, &style).as_bytes())?;
        let all = [Some(&self.table), self.flights.as_ref(), self.part.as_ref(), self.html.as_ref()];
        let names: Vec<String> = all.into_iter().flatten().map(|path| path.display().to_string()).collect();
        Ok(writeln!(out, "\nwritten: {}", terminal::visible(&names.join(", ")))?)
    }
}

/// Path of the part file beside a table.
pub fn part_of(table: &Path) -> PathBuf {
    with_ending(table, ".part")
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
