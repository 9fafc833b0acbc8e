//! The eframe application: menu bar, current room and status line, and the requests that rooms make.

use std::path::PathBuf;

use eframe::egui;

use crate::bar::{self, MenuChoice};
use crate::documents::{Saving, Way};
use crate::files::{self, Dropped, Purpose, Question};
use crate::job::JobMode;
use crate::motions::MotionDocument;
use crate::preferences::Preferences;
use crate::recovery::Recovery;
use crate::rooms::{RoomName, Rooms};
use crate::shortcuts;
use crate::stage::{Begins, Opening, of_motion};
use crate::theme;
use crate::view::renderer;
use crate::workspace::{FileToOpen, Request, Workspace};

/// The studio as an eframe application.
pub struct StudioApp {
    /// State shared by all rooms.
    pub workspace: Workspace,
    rooms: Rooms,
    shown: RoomName,
    sheet_open: bool,
    question: Option<Question>,
    dropped: Dropped,
    /// Folder of preferences and recovery files; `None` on the web and in tests.
    folder: Option<PathBuf>,
    /// Time of the last check for documents to back up, seconds of egui's clock.
    kept: f64,
}

/// Start options of the studio.
#[derive(Clone, Debug, Default)]
pub struct StudioOptions {
    /// Files to open at start.
    pub files: Vec<PathBuf>,
    /// Folder for preferences and recovery files; if `None`, nothing is stored.
    pub folder: Option<PathBuf>,
    /// Whether background work runs at once on this thread instead of on threads of its own; used in tests.
    pub at_once: bool,
}

/// Seconds between two checks for unsaved documents to back up.
const KEEP_EVERY: f64 = 5.0;

impl StudioApp {
    /// Creates the studio in a window that egui opened.
    pub fn new(creation: &eframe::CreationContext<'_>, options: StudioOptions) -> Self {
        theme::install(&creation.egui_ctx);
        if let Some(state) = &creation.wgpu_render_state {
            renderer::install(state);
        }
        let running = if options.at_once { JobMode::AtOnce } else { JobMode::Beside };
        let mut workspace = Workspace::new(Preferences::load(options.folder.as_deref()), running);
        if let Some(folder) = &options.folder {
            workspace.left = Recovery::left(folder);
            workspace.recovery = Recovery::begin(folder);
        }
        options.files.into_iter().for_each(|path| workspace.request(Request::Open(FileToOpen::file(path))));
        let theme = if workspace.preferences.dark { egui::Theme::Dark } else { egui::Theme::Light };
        creation.egui_ctx.set_theme(theme);
        Self {
            workspace,
            rooms: Rooms::default(),
            shown: RoomName::Start,
            sheet_open: false,
            question: None,
            dropped: Dropped::default(),
            folder: options.folder,
            kept: 0.0,
        }
    }

    /// Name of the room that is shown.
    pub fn shown(&self) -> RoomName {
        self.shown
    }

    fn handle_request(&mut self, request: Request, ctx: &egui::Context) {
        let (running, workspace) = (self.workspace.running, &mut self.workspace);
        match request {
            Request::Go(room) => self.shown = room,
            Request::Save => self.choose(MenuChoice::Save, ctx),
            Request::Ask => self.open_dialog(Purpose::Open, "", ctx),
            Request::Open(source) => self.open(source, ctx),
            Request::OpenSample => {
                workspace.motions.open_sample(running, ctx);
                self.shown = RoomName::Motion;
            }
            Request::OpenScene(name) => {
                workspace.stage.begin(Opening::BuiltIn(name), running, ctx);
                if self.shown != RoomName::Behavior {
                    self.shown = RoomName::Simulate;
                }
            }
            Request::Show(name, prepared) => {
                workspace.motions.show(MotionDocument::new(name, *prepared));
                self.shown = RoomName::Motion;
            }
            Request::Fall => {
                if of_motion(workspace, ctx, Begins::AtCursor).is_some() {
                    self.shown = RoomName::Simulate;
                }
            }
            Request::Export(name, bytes) => self.open_dialog(Purpose::Export(bytes), &name, ctx),
            Request::Recover(left) => match muybridge_files::open::read(&left.path) {
                Ok(bytes) => {
                    let source = FileToOpen { is_recovered: true, ..FileToOpen::with(&left.name, bytes) };
                    self.open(source, ctx);
                    self.workspace.left.retain(|other| *other != left);
                    self.workspace.recovered.push(left);
                }
                Err(error) => workspace.messages.error(error.to_string()),
            },
            Request::Discard(left) => {
                Recovery::discard(&left);
                workspace.left.retain(|other| *other != left);
            }
        }
    }

    /// Opens a file in the first room that accepts it.
    fn open(&mut self, source: FileToOpen, ctx: &egui::Context) {
        let takes = |name: &RoomName| self.rooms.get(*name).takes(&source);
        let Some(name) = RoomName::ALL.into_iter().find(takes) else {
            let known = files::opens().iter().map(|extension| format!(".{extension}")).collect::<Vec<_>>().join(" ");
            self.workspace
                .messages
                .error(format!("{} has a format that the studio cannot open; it opens {known}", source.name()));
            return;
        };
        if source.bytes.is_none() {
            self.remember(&source.path);
        }
        self.rooms.get(name).open(&mut self.workspace, source, ctx);
        self.shown = name;
    }

    fn choose(&mut self, chosen: MenuChoice, ctx: &egui::Context) {
        let room = self.rooms.get(self.shown);
        match chosen {
            MenuChoice::Undo | MenuChoice::Redo => {
                let (running, way) =
                    (self.workspace.running, if chosen == MenuChoice::Undo { Way::Back } else { Way::On });
                if let Some(documents) = room.documents(&mut self.workspace) {
                    documents.travel(way, running, ctx);
                }
            }
            MenuChoice::Sheet => self.sheet_open = !self.sheet_open,
            MenuChoice::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            MenuChoice::Theme => {
                let dark = !self.workspace.preferences.dark;
                self.workspace.preferences.dark = dark;
                ctx.set_theme(if dark { egui::Theme::Dark } else { egui::Theme::Light });
                self.keep_preferences();
            }
            MenuChoice::Save | MenuChoice::SaveAs => {
                let Some(documents) = room.documents(&mut self.workspace) else { return };
                let Some(saving) = documents.save(chosen == MenuChoice::SaveAs) else {
                    if documents.can_save() {
                        self.workspace
                            .messages
                            .error("This motion cannot be saved, because no file format can hold it.");
                    }
                    return;
                };
                saving.notes.iter().for_each(|note| self.workspace.messages.note(note));
                match saving.path.clone().filter(|_| chosen == MenuChoice::Save) {
                    Some(path) => self.write(&path, &saving, self.shown),
                    None => {
                        let name = saving.name.clone();
                        self.open_dialog(Purpose::Save(Box::new(saving), self.shown), &name, ctx);
                    }
                }
            }
        }
    }

    fn open_dialog(&mut self, purpose: Purpose, name: &str, ctx: &egui::Context) {
        self.question = Some(Question::open_dialog(purpose, name, ctx));
    }

    fn write(&mut self, path: &std::path::Path, saving: &Saving, room: RoomName) {
        match files::save(path, saving) {
            Ok(()) => {
                if let Some(documents) = self.rooms.get(room).documents(&mut self.workspace) {
                    documents.saved(path, &saving.tickets);
                }
                self.remember(path);
                self.workspace.messages.note(format!("Saved {}", path.display()));
            }
            Err(sentence) => self.workspace.messages.error(sentence),
        }
    }

    /// Puts a file at the head of the recent files; not on the web, as a page cannot reopen a file by its path.
    fn remember(&mut self, path: &std::path::Path) {
        if cfg!(not(target_arch = "wasm32")) {
            self.workspace.preferences.remember(path);
            self.keep_preferences();
        }
    }

    fn keep_preferences(&mut self) {
        if let Err(sentence) = self.workspace.preferences.save(self.folder.as_deref()) {
            self.workspace.messages.error(sentence);
        }
    }

    /// Opens files dropped on the window.
    fn dropped(&mut self, ctx: &egui::Context) {
        self.dropped.take(ctx);
        for file in self.dropped.poll() {
            match file {
                Ok(source) => self.workspace.request(Request::Open(source)),
                Err(sentence) => self.workspace.messages.error(sentence),
            }
        }
    }

    fn answered(&mut self, ctx: &egui::Context) {
        let Some(answer) = self.question.as_ref().and_then(Question::poll) else { return };
        let Some(question) = self.question.take() else { return };
        let sources = match answer {
            Ok(sources) => sources,
            Err(sentence) => return self.workspace.messages.error(sentence),
        };
        for source in sources {
            match &question.purpose {
                Purpose::Open => self.open(source, ctx),
                Purpose::Save(saving, room) => self.write(&source.path, saving, *room),
                Purpose::Export(bytes) => match files::write(&source.path, bytes) {
                    Ok(()) => self.workspace.messages.note(format!("Wrote {}", source.path.display())),
                    Err(sentence) => self.workspace.messages.error(sentence),
                },
            }
        }
    }
}

impl eframe::App for StudioApp {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let ctx = ui.ctx().clone();
        self.dropped(&ctx);
        self.answered(&ctx);
        self.workspace.poll(&ctx);
        let room = self.rooms.get(self.shown);
        let chosen = bar::show(ui, &mut self.workspace, self.shown, room);
        crate::status::show(ui, &mut self.workspace);
        room.ui(&mut self.workspace, ui);
        let mut groups = vec![("Everywhere", shortcuts::EVERYWHERE)];
        groups.extend_from_slice(room.shortcuts());
        crate::unsaved::question(&mut self.workspace, &ctx);
        shortcuts::sheet(&ctx, &mut self.sheet_open, &groups);
        if let Some(chosen) = chosen {
            self.choose(chosen, &ctx);
        }
        for request in self.workspace.take_requests() {
            self.handle_request(request, &ctx);
            ctx.request_repaint();
        }
        let now = ctx.input(|input| input.time);
        if now - self.kept > KEEP_EVERY {
            self.kept = now;
            self.workspace.save_recovery();
        }
        if !self.workspace.unsaved().is_empty() {
            // Repaints now and then, so that unsaved documents are backed up even if nobody moves the mouse.
            ctx.request_repaint_after(std::time::Duration::from_secs_f64(KEEP_EVERY));
        }
    }
}
