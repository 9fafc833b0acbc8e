//! The program itself in a window of a real display server: it opens a file, draws it, and ends when it is asked to.
//!
//! The display is Xvfb's; `xdotool` presses keys, `xwd` takes the picture (Debian: `xvfb xdotool x11-apps`). Where one is
//! missing, or no graphics driver for a display is there, the test says that it is skipped.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use muybridge::samples;

/// The longest that anything is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A display that ends with the test.
struct Display {
    server: Child,
    name: String,
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Display {
    fn open() -> Option<Self> {
        let arguments = ["-displayfd", "1", "-screen", "0", "1280x800x24", "-nolisten", "tcp"];
        let spawned = Command::new("Xvfb").args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut server = spawned.ok()?;
        let mut number = String::new();
        BufReader::new(server.stdout.take()?).read_line(&mut number).ok()?;
        Some(Self { server, name: format!(":{}", number.trim()) })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("DISPLAY", &self.name).env_remove("WAYLAND_DISPLAY");
        command
    }

    /// Runs a tool to its end; `None` where it is not there.
    fn tool(&self, program: &str, arguments: &[&str]) -> Option<Output> {
        self.command(program).args(arguments).output().ok()
    }

    /// Number of colors of a window's picture.
    fn colors(&self, window: &str) -> Option<usize> {
        let dump = self.tool("xwd", &["-silent", "-id", window])?.stdout;
        // The header's first word is its length; 256 colors of 12 bytes may follow; pixels have four bytes.
        let word = |at: usize| Some(u32::from_be_bytes(dump.get(at..at + 4)?.try_into().ok()?) as usize);
        let start = word(0)? + 12 * word(76)?;
        let pixels = dump.get(start..)?.chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]);
        Some(pixels.collect::<std::collections::BTreeSet<_>>().len())
    }
}

/// Asks again and again until there is an answer.
fn wait_for<T>(mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    None
}

#[test]
fn the_program_opens_a_file_in_a_window_and_ends_when_asked_to() {
    let Some(display) = Display::open() else { return skipped("there is no Xvfb") };
    if display.tool("xdotool", &["--version"]).is_none() || display.tool("xwd", &["-help"]).is_none() {
        return skipped("xdotool or xwd is missing");
    }
    let folder = std::env::temp_dir().join(format!("muybridge_window_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("jump.bvh");
    std::fs::write(&file, crate::written::bvh(samples::jump())).expect("a file");
    let mut program = display
        .command(env!("CARGO_BIN_EXE_muybridge-studio"))
        .arg(&file)
        .env("XDG_DATA_HOME", &folder)
        .env("XDG_CONFIG_HOME", &folder)
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let window = wait_for(|| {
        if program.try_wait().expect("a state").is_some() {
            return Some(None);
        }
        let found = display.tool("xdotool", &["search", "--onlyvisible", "--name", "Muybridge studio"])?.stdout;
        let found = String::from_utf8_lossy(&found).lines().next()?.to_owned();
        Some(Some(found))
    });
    let Some(window) = window.flatten() else {
        let output = program.wait_with_output().expect("an output");
        let told = String::from_utf8_lossy(&output.stderr);
        // Without a driver that draws to this display there is a sentence, and that is all there can be.
        assert!(told.contains("no window could be opened"), "{told}");
        return skipped("no graphics driver draws to this display");
    };
    let drawn = wait_for(|| display.colors(&window).filter(|colors| *colors > 300));
    keep_picture(&display, &window);
    assert!(drawn.is_some(), "the window stays empty: {:?} colors", display.colors(&window));
    display.tool("xdotool", &["windowfocus", "--sync", &window, "key", "ctrl+q"]);
    let ended = wait_for(|| program.try_wait().expect("a state"));
    if ended.is_none() {
        let _ = program.kill();
    }
    let told = program.wait_with_output().expect("an output").stderr;
    let told = String::from_utf8_lossy(&told);
    assert!(ended.is_some_and(|status| status.success()), "{ended:?} {told}");
    assert!(!told.contains("panicked"), "{told}");
    let _ = std::fs::remove_dir_all(&folder);
}

fn skipped(why: &str) {
    eprintln!("SKIPPED: {why}");
}

/// Keeps the window's picture where pictures are wanted, as `xwd` gives it.
fn keep_picture(display: &Display, window: &str) {
    if let Some(folder) = std::env::var_os("MUYBRIDGE_PICTURES").map(std::path::PathBuf::from)
        && let Some(dump) = display.tool("xwd", &["-silent", "-id", window])
    {
        let _ =
            std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(folder.join("real_window.xwd"), dump.stdout));
    }
}
