//! The studio as a web page: canvas, requests in the address, files from the browser, and downloads.
//!
//! ```text
//! ?sample       opens the built-in sample
//! ?scene=heap   opens a built-in scene
//! ```

use std::path::Path;
use std::sync::mpsc::Sender;

use eframe::egui;
use js_sys::futures::spawn_local;
use js_sys::{Array, Uint8Array};
use muybridge_files::scene::built_in;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, Document, File, HtmlAnchorElement, HtmlCanvasElement, HtmlInputElement, Url, UrlSearchParams};

use crate::app::{StudioApp, StudioOptions};
use crate::files;
use crate::workspace::{FileToOpen, Request};

/// Id of the canvas element in the page.
const CANVAS: &str = "studio";
/// Id of the element that a screen reader reads out, as the canvas is only a picture to it.
const SAID: &str = "said";
/// Id of the text that is shown until the canvas is drawn.
const WAITING: &str = "waiting";

/// Starts the program in the canvas of the page and returns. If it cannot start, the page shows the reason.
pub fn run() {
    spawn_local(async {
        let said = start().await.err().map(|error| format!("The studio could not start: {}", words(&error)));
        let Some(waiting) = document().and_then(|document| document.get_element_by_id(WAITING)) else { return };
        match said {
            Some(sentence) => waiting.set_text_content(Some(&sentence)),
            None => waiting.remove(),
        }
    });
}

async fn start() -> Result<(), JsValue> {
    let canvas = document().and_then(|document| document.get_element_by_id(CANVAS)).ok_or("the page has no canvas")?;
    let canvas = canvas.dyn_into::<HtmlCanvasElement>().map_err(|_| "the page has no canvas")?;
    let make: eframe::AppCreator<'static> = Box::new(|creation| {
        let mut studio = StudioApp::new(creation, StudioOptions::default());
        asked_by_address().into_iter().for_each(|request| studio.workspace.request(request));
        Ok(Box::new(studio))
    });
    eframe::WebRunner::new().start(canvas, eframe::WebOptions::default(), make).await
}

/// Request in the query string of the page's address; `None` if there is none.
fn asked_by_address() -> Option<Request> {
    let search = web_sys::window()?.location().search().ok()?;
    let asked = UrlSearchParams::new_with_str(&search).ok()?;
    if asked.has("sample") {
        return Some(Request::OpenSample);
    }
    let wanted = asked.get("scene")?;
    built_in::SCENES.iter().find(|(name, _)| *name == wanted).map(|(name, _)| Request::OpenScene(name))
}

/// Announces a sentence to screen readers.
pub fn announce(sentence: &str) {
    if let Some(said) = document().and_then(|document| document.get_element_by_id(SAID)) {
        said.set_text_content(Some(sentence));
    }
}

/// Opens the browser's file dialog, and sends the chosen file once it is read.
pub fn choose(sender: Sender<Result<Option<FileToOpen>, String>>, ctx: &egui::Context) {
    if let Err(error) = try_choose(sender.clone(), ctx) {
        // If the receiver is gone, nobody waits for the error.
        let _ = sender.send(Err(format!("There is no file dialog: {}", words(&error))));
    }
}

fn try_choose(sender: Sender<Result<Option<FileToOpen>, String>>, ctx: &egui::Context) -> Result<(), JsValue> {
    let input = document().ok_or("the page is gone")?.create_element("input")?.dyn_into::<HtmlInputElement>()?;
    input.set_type("file");
    let accepted: Vec<String> = files::opens().iter().map(|extension| format!(".{extension}")).collect();
    input.set_accept(&accepted.join(","));
    let (asked, ctx) = (input.clone(), ctx.clone());
    let chosen = Closure::once_into_js(move || {
        spawn_local(async move {
            let answer = match asked.files().and_then(|files| files.get(0)) {
                Some(file) => content(&file).await.map(Some),
                None => Ok(None),
            };
            let _ = sender.send(answer);
            ctx.request_repaint();
        });
    });
    input.set_onchange(Some(chosen.unchecked_ref()));
    input.click();
    Ok(())
}

async fn content(file: &File) -> Result<FileToOpen, String> {
    let name = file.name();
    let bytes = file.array_buffer().await.map_err(|error| format!("{name} cannot be read: {}", words(&error)))?;
    Ok(FileToOpen::with(name, Uint8Array::new(&bytes).to_vec()))
}

/// Reads a file that was dropped on the page, and sends it.
pub fn read(file: egui::DroppedFileHandle, sender: Sender<Result<FileToOpen, String>>, ctx: &egui::Context) {
    let ctx = ctx.clone();
    spawn_local(async move {
        let path = file.path().to_path_buf();
        let read = file.bytes_async().await;
        let read = read.map_err(|error| format!("{} cannot be read: {error}", path.display()));
        // If the receiver is gone, nobody waits for the file.
        let _ = sender.send(read.map(|bytes| FileToOpen::with(path, bytes)));
        ctx.request_repaint();
    });
}

/// Offers a file to the browser as a download.
///
/// # Errors
/// Returns a message that names the file.
pub fn download(path: &Path, bytes: &[u8]) -> Result<(), String> {
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    try_download(&name, bytes).map_err(|error| format!("{name} could not be downloaded: {}", words(&error)))
}

fn try_download(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let blob = Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes)))?;
    let address = Url::create_object_url_with_blob(&blob)?;
    let anchor = document().ok_or("the page is gone")?.create_element("a")?.dyn_into::<HtmlAnchorElement>()?;
    anchor.set_href(&address);
    anchor.set_download(name);
    anchor.click();
    Url::revoke_object_url(&address)
}

fn document() -> Option<Document> {
    web_sys::window()?.document()
}

fn words(error: &JsValue) -> String {
    error.as_string().unwrap_or_else(|| format!("{error:?}"))
}
