//! Reads bytes to a glTF document: the JSON tree as in the file, and the bytes of its buffers.
//!
//! The tree is walked directly, not through typed structures, so that every range is checked before a byte is read and every
//! error names its JSON pointer. Files are written back by editing the text itself.

use serde_json::Value;

use super::check;
use super::container::{self, Container};
use super::tree::JsonNode;
use crate::{Error, Location};

/// A glTF file in memory: JSON tree, buffers, and the rest needed to write the file back unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct GltfDocument {
    pub(super) json: Value,
    pub(super) container: Container,
    pub(super) buffers: Vec<Vec<u8>>,
    buffer_lengths: Vec<usize>,
    notes: Vec<String>,
    /// Nodes at the roots of the character that is read; `None` for all.
    part: Option<Vec<usize>>,
}

impl GltfDocument {
    /// The JSON tree.
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// Bytes of each buffer, from BIN chunk, data URI or a file beside it. Empty if the file has none; a few bytes more than
    /// claimed are possible.
    pub fn buffers(&self) -> &[Vec<u8>] {
        &self.buffers
    }

    /// Whether the file is a GLB.
    pub fn is_binary(&self) -> bool {
        self.container.binary
    }

    /// Notes on oddities that are readable, one sentence each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The document of which only the bones at and below these nodes, and those above, are read; `None` reads all.
    pub(crate) fn with_part(mut self, part: Option<Vec<usize>>) -> Self {
        self.part = part;
        self
    }

    pub(super) fn part(&self) -> Option<&Vec<usize>> {
        self.part.as_ref()
    }

    pub(super) fn root(&self) -> JsonNode<'_> {
        JsonNode::root(&self.json)
    }

    /// Claimed length of each buffer; the buffer has at least as many bytes, or none.
    pub(super) fn buffer_lengths(&self) -> &[usize] {
        &self.buffer_lengths
    }

    /// Number of bytes of text and buffers, which bounds the memory of reading.
    pub(super) fn size(&self) -> usize {
        self.container.text.len() + self.buffers.iter().map(Vec::len).sum::<usize>()
    }
}

/// Reads a `.gltf`, `.glb`, `.vrm` or `.vrma` file from its bytes and checks every reference and range in it.
///
/// `resolve` returns the bytes of a file beside it, given a relative URI with escapes such as `%20` already decoded. It is not
/// called for data URIs. Errors name the byte, line or JSON pointer.
pub fn parse(bytes: &[u8], resolve: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> Result<GltfDocument, Error> {
    let container = container::split(bytes)?;
    let json: Value = serde_json::from_str(&container.text).map_err(|e| syntax_error(&container, &e))?;
    let root = JsonNode::root(&json);
    root.object()?;
    check::asset(&root)?;
    check::collections(&root)?;
    let buffer_lengths = check::buffer_lengths(&root)?;
    check::references(&root, &buffer_lengths)?;
    check::extensions(&root)?;
    let mut notes = container.notes.clone();
    let buffers = read_buffers(&root, &container, &buffer_lengths, resolve, &mut notes)?;
    Ok(GltfDocument { json, container, buffers, buffer_lengths, notes, part: None })
}

fn syntax_error(container: &Container, error: &serde_json::Error) -> Error {
    let (line, column) = (error.line().max(1), error.column().max(1));
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    let message = format!("the JSON text is broken: {what}");
    if container.binary {
        let before: usize = container.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        return Error::new(Location::Byte(container.text_offset + before + column - 1), message);
    }
    Error::new(Location::Text { line, column }, message)
}

fn read_buffers(
    root: &JsonNode,
    container: &Container,
    lengths: &[usize],
    resolve: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
    notes: &mut Vec<String>,
) -> Result<Vec<Vec<u8>>, Error> {
    let mut buffers = Vec::new();
    for (index, at) in root.list("buffers")?.iter().enumerate() {
        let length = lengths[index];
        let bytes = match at.get("uri") {
            Some(uri) => fetch(&uri, resolve)?,
            None if index == 0 && container.bin.is_some() => container.bin.clone().unwrap_or_default(),
            None => {
                notes.push(format!("buffer {index} has neither a “uri” nor a BIN chunk that holds its bytes"));
                buffers.push(Vec::new());
                continue;
            }
        };
        if bytes.len() < length {
            return Err(at.error(format!("the buffer should hold {length} bytes and has {}", bytes.len())));
        }
        if bytes.len() > length + 3 {
            notes.push(format!("buffer {index} has {} bytes more than its “byteLength” says", bytes.len() - length));
        }
        buffers.push(bytes);
    }
    Ok(buffers)
}

fn fetch(uri: &JsonNode, resolve: &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> Result<Vec<u8>, Error> {
    let text = uri.text()?;
    if text.starts_with("data:") {
        return container::decode_data_uri(text).ok_or_else(|| uri.error("the data URI is malformed"));
    }
    let name = container::decode_percent(text).and_then(|bytes| String::from_utf8(bytes).ok());
    let name = name.ok_or_else(|| uri.error("the URI is malformed"))?;
    let has_scheme = name.find(':').is_some_and(|colon| !name[..colon].contains('/'));
    if has_scheme {
        return Err(uri.error(format!(
            "“{}” names no file in this folder; only files beside the glTF and data URIs are read",
            shortened(&name)
        )));
    }
    resolve(&name).ok_or_else(|| {
        let name = shortened(&name);
        uri.error(format!("the file “{name}” that holds the numbers is not there; put it beside this file"))
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}
