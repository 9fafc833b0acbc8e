//! Films of analyses and their pictures, and what all films share.

use std::path::{Path, PathBuf};

use clap::Args;
use muybridge_report::film::{FilmStyle, FilmedMotion, analysis_gif, analysis_png};

use crate::failure::Failure;
use crate::options::{size, time};
use crate::progress::FileProgress;

/// Frame rate of a film, frames per second; every viewer can play it.
pub const FILM_RATE: f64 = 25.0;

/// Options of the film of an analysis.
#[derive(Args)]
#[group(skip)]
#[command(group(clap::ArgGroup::new("film").multiple(true)))]
pub struct FilmOptions {
    /// A film of everything that the analysis finds, frame by frame: mass center and paths, momenta, support and zero-moment
    /// point; of fix before and after, side by side
    #[arg(long, value_name = "FILE", group = "film", help_heading = "Reports")]
    pub gif: Option<PathBuf>,
    /// A picture of that film, as PNG
    #[arg(long, value_name = "FILE", group = "film", help_heading = "Reports")]
    pub png: Option<PathBuf>,
    /// Time of the picture in the film, seconds [default: its end]
    #[arg(long, value_name = "S", requires = "png", value_parser = time, allow_negative_numbers = true, help_heading = "Reports")]
    at: Option<f64>,
    /// Width and height of film and picture, pixels
    #[arg(long, value_name = "WxH", requires = "film", value_parser = size, help_heading = "Reports")]
    size: Option<(u32, u32)>,
    /// Draw on slate instead of paper
    #[arg(long, help_heading = "Reports")]
    pub dark: bool,
}

impl FilmOptions {
    /// Fails unless film and picture have the extensions of such files.
    pub fn check(&self) -> Result<(), Failure> {
        for (path, wanted, what) in [(&self.gif, "gif", "a film"), (&self.png, "png", "a picture")] {
            let other = path
                .as_ref()
                .filter(|path| path.extension().is_some_and(|extension| !extension.eq_ignore_ascii_case(wanted)));
            if let Some(path) = other {
                let path = path.display();
                return Err(Failure::Usage(format!("{path}: {what} is a .{wanted} file; give it that extension")));
            }
        }
        Ok(())
    }

    /// The film of motions side by side; `path` is the file that errors name.
    pub fn film(&self, motions: &[FilmedMotion<'_>], path: &Path) -> Result<Vec<u8>, Failure> {
        let frames = motions.iter().map(|motion| motion.report.clip.frames()).max();
        let progress = FileProgress::frames(frames.unwrap_or(0));
        let bytes = analysis_gif(motions, &self.style(motions), FILM_RATE, &mut |done, all| progress.at(done, all));
        progress.finish();
        bytes.map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
    }

    /// The picture of that film at the time asked for.
    pub fn picture(&self, motions: &[FilmedMotion<'_>], path: &Path) -> Result<Vec<u8>, Failure> {
        let bytes = analysis_png(motions, &self.style(motions), self.at.unwrap_or(f64::INFINITY));
        bytes.map_err(|error| Failure::Usage(format!("{}: {error}", path.display())))
    }

    fn style(&self, motions: &[FilmedMotion<'_>]) -> FilmStyle {
        let usual = FilmStyle::default();
        let wide = if motions.len() > 1 { 3 * usual.width / 2 } else { usual.width };
        let (width, height) = self.size.unwrap_or((wide, usual.height));
        FilmStyle { width, height, dark: self.dark, ..usual }
    }
}
