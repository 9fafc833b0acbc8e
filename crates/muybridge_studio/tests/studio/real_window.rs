//! The program in a window of a real display server: it opens a file, draws it, and quits when asked to.
//!
//! The display server is Xvfb; `xdotool` presses keys, `xwd` takes the picture (Debian: `xvfb xdotool x11-apps`). If a
//! tool or a graphics adapter is missing, the build marks the tests as ignored.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use egui_kittest::kittest::Queryable;
use muybridge::samples;

/// Longest time to wait for an event.
const PATIENCE: Duration = Duration::from_secs(60);

/// A display server that ends with the test.
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
        // Without `-noreset` the server starts anew whenever its last client leaves, and refuses who connects meanwhile.
        let arguments = ["-displayfd", "1", "-noreset", "-screen", "0", "1280x800x24", "-nolisten", "tcp"];
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

    /// Runs a tool and waits for it; `None` if it is not installed.
    fn tool(&self, program: &str, arguments: &[&str]) -> Option<Output> {
        self.command(program).args(arguments).output().ok()
    }

    /// Number of different colors in a window's picture.
    fn colors(&self, window: &str) -> Option<usize> {
        let dump = self.tool("xwd", &["-silent", "-id", window])?.stdout;
        // The first word of the XWD header is its length; 256 colors of 12 bytes may follow; a pixel has four bytes.
        let word = |at: usize| Some(u32::from_be_bytes(dump.get(at..at + 4)?.try_into().ok()?) as usize);
        let start = word(0)? + 12 * word(76)?;
        let pixels = dump.get(start..)?.chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]);
        Some(pixels.collect::<std::collections::BTreeSet<_>>().len())
    }
}

/// Repeats a check until it returns a value; `None` after a minute.
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

/// The program, running in a window of the display.
struct Program {
    process: Child,
    window: String,
}

impl Drop for Program {
    fn drop(&mut self) {
        // Errors are ignored, as the program may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Opens a display and makes a folder.
fn place(name: &str) -> (Display, PathBuf) {
    let display = Display::open().expect("Xvfb opens a display");
    let folder = std::env::temp_dir().join(format!("muybridge_{name}_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    (display, folder)
}

impl Program {
    /// Starts the program with these files.
    fn start(display: &Display, folder: &Path, files: &[&Path]) -> Self {
        let mut process = display
            .command(env!("CARGO_BIN_EXE_muybridge-studio"))
            .args(files)
            .env("XDG_DATA_HOME", folder)
            .env("XDG_CONFIG_HOME", folder)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let window = wait_for(|| {
            if process.try_wait().expect("a state").is_some() {
                return Some(None);
            }
            let found = display.tool("xdotool", &["search", "--onlyvisible", "--name", "Muybridge studio"])?.stdout;
            let found = String::from_utf8_lossy(&found).lines().next()?.to_owned();
            Some(Some(found))
        });
        let Some(window) = window.flatten() else {
            let output = process.wait_with_output().expect("an output");
            panic!("the program opens no window: {}", String::from_utf8_lossy(&output.stderr));
        };
        Self { process, window }
    }

    /// Waits until the window shows more than `least` colors.
    fn draws(&self, display: &Display, least: usize) {
        let drawn = wait_for(|| display.colors(&self.window).filter(|colors| *colors > least));
        assert!(drawn.is_some(), "the window stays empty: {:?} colors", display.colors(&self.window));
    }

    /// Clicks at a position of the window, pixels.
    fn click(&self, display: &Display, [x, y]: [i32; 2]) {
        let (x, y) = (x.to_string(), y.to_string());
        display.tool("xdotool", &["mousemove", "--window", &self.window, &x, &y]);
        std::thread::sleep(Duration::from_millis(300));
        display.tool("xdotool", &["mousedown", "1", "sleep", "0.2", "mouseup", "1"]);
        std::thread::sleep(Duration::from_millis(500));
    }
}

#[test]
#[cfg_attr(
    any(no_graphics, no_xvfb),
    ignore = "needs a graphics adapter, Xvfb, xdotool and xwd: install mesa-vulkan-drivers xvfb xdotool x11-apps"
)]
fn the_program_opens_a_file_in_a_window_and_ends_when_asked_to() {
    let (display, folder) = place("window");
    let file = folder.join("jump.bvh");
    std::fs::write(&file, crate::written::bvh(samples::jump())).expect("a file");
    let mut program = Program::start(&display, &folder, &[&file]);
    program.draws(&display, 300);
    keep_picture(&display, &program.window);
    display.tool("xdotool", &["windowfocus", "--sync", &program.window, "key", "ctrl+q"]);
    let ended = wait_for(|| program.process.try_wait().expect("a state"));
    let mut told = String::new();
    if ended.is_some() {
        let stderr = program.process.stderr.take().expect("what it says");
        BufReader::new(stderr).read_to_string(&mut told).expect("text");
    }
    assert!(ended.is_some_and(|status| status.success()), "{ended:?} {told}");
    assert!(!told.contains("panicked"), "{told}");
    let _ = std::fs::remove_dir_all(&folder);
}

/// Recovery backups below a folder: path and content of each file.
fn kept(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut folders = vec![folder.to_path_buf()];
    let mut files = Vec::new();
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|extension| extension == "toml")
                && entry.components().any(|part| part.as_os_str() == "recovery")
            {
                files.extend(std::fs::read_to_string(&entry).map(|text| (entry, text)));
            }
        }
    }
    files
}

#[test]
#[cfg_attr(
    any(no_graphics, no_xvfb),
    ignore = "needs a graphics adapter, Xvfb, xdotool and xwd: install mesa-vulkan-drivers xvfb xdotool x11-apps"
)]
fn what_was_not_saved_when_the_program_was_killed_is_offered_when_it_is_started_again_and_comes_back() {
    let (display, folder) = place("killed");
    let scene = folder.join("mine.toml");
    std::fs::write(&scene, "[scene]\nground = 0.0\n\n[[ball]]\nname = \"ball\"\n").expect("a file");
    let mut program = Program::start(&display, &folder, &[&scene]);
    program.draws(&display, 100);
    // Draws two points and a stick into the view.
    display.tool("xdotool", &["windowfocus", "--sync", &program.window, "key", "d"]);
    std::thread::sleep(Duration::from_millis(800));
    for place in [[560, 300], [640, 420]] {
        program.click(&display, place);
    }
    let found = wait_for(|| kept(&folder).pop().filter(|(_, text)| text.contains("sticks")));
    keep_picture(&display, &program.window);
    let (left, text) = found.expect("what is not saved is kept within seconds");
    // On Unix this is SIGKILL, so none of the program's code runs any more.
    program.process.kill().expect("a kill");
    program.process.wait().expect("its end");
    drop(program);

    let again = Program::start(&display, &folder, &[]);
    again.draws(&display, 50);
    assert!(left.is_file(), "what the killed program kept is gone");
    keep_picture(&display, &again.window);
    // The start page has the same layout as in the tests without a display.
    let page = crate::window::window_in(&kept_below(&left));
    let at = page.get_by_label("Recover").rect().center();
    drop(page);
    again.click(&display, [at.x as i32, at.y as i32]);
    let elsewhere = |(file, own): &(PathBuf, String)| *file != left && *own == text;
    let recovered = wait_for(|| kept(&folder).into_iter().find(elsewhere));
    assert!(recovered.is_some(), "it is not open again: {:?}", kept(&folder));
    let gone = wait_for(|| (!left.is_file()).then_some(()));
    assert!(gone.is_some(), "it is kept twice");
    let _ = std::fs::remove_dir_all(&folder);
}

/// Data folder of the program that a recovery backup belongs to.
fn kept_below(file: &Path) -> PathBuf {
    file.ancestors().nth(3).expect("folder/recovery/run/file").to_path_buf()
}

/// Saves the window's picture in XWD format if `MUYBRIDGE_PICTURES` names a folder.
fn keep_picture(display: &Display, window: &str) {
    if let Some(folder) = std::env::var_os("MUYBRIDGE_PICTURES").map(std::path::PathBuf::from)
        && let Some(dump) = display.tool("xwd", &["-silent", "-id", window])
    {
        let _ =
            std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(folder.join("real_window.xwd"), dump.stdout));
    }
}
