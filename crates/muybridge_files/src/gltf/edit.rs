//! Collects edits of a document and numbers to append, and writes the file.
//!
//! The JSON text is edited in place (`splice`); new numbers are appended to the end of a buffer (`buffer`).

use serde_json::{Value, json};

use super::buffer::{Buffer, FilledBuffer};
use super::channels::{element, non_negative_integer};
use super::container;
use super::document::GltfDocument;
use super::placement::NodeLocal;
use super::repack::repack;
use super::splice::Splice;
use super::write::WrittenGltf;
use crate::Error;
use crate::output::SideFile;

/// Edits of a document, and the numbers to append.
pub(super) struct GltfEdit<'a> {
    /// The document before the edits.
    pub document: &'a GltfDocument,
    /// Edits of the JSON text.
    pub splice: Splice<'a>,
    /// Numbers to append.
    pub keys: Buffer,
    /// The buffer that gets the numbers.
    home: Home,
    /// Notes on losses, one sentence each.
    pub notes: Vec<String>,
}

impl<'a> GltfEdit<'a> {
    /// Starts without edits.
    pub fn new(document: &'a GltfDocument) -> Self {
        let root = document.root();
        let home = Home::of(document);
        let keys = Buffer::behind(FilledBuffer {
            buffer: home.buffer,
            bytes: home.bytes.len(),
            views: root.count("bufferViews"),
            accessors: root.count("accessors"),
        });
        Self { document, splice: Splice::new(&document.container.text), keys, home, notes: Vec::new() }
    }

    /// Replaces the matrix of a node by translation, rotation and scale, because only those can be animated.
    pub fn free_of_matrix(&mut self, node: usize, local: &NodeLocal) -> bool {
        if self.document.json["nodes"][node].get("matrix").is_none() {
            return true;
        }
        let span = element(&self.splice, "nodes", node);
        let Some(matrix) = span.and_then(|span| self.splice.member(&span, "matrix")) else { return true };
        if local.shear.is_some() {
            self.notes.push(format!("node {node} is placed by a sheared matrix and could not be moved"));
            return false;
        }
        let members = json!({
            "translation": local.translation.to_array(),
            "rotation": local.rotation.to_array(),
            "scale": local.scale.to_array(),
        });
        let text = members.to_string();
        self.splice.replace(matrix.whole, text[1..text.len() - 1].to_string());
        self.notes.push(format!("the matrix of node {node} became translation, rotation and scale, to be animated"));
        true
    }

    /// Writes the file with all edits.
    pub fn finish(mut self) -> Result<WrittenGltf, Error> {
        let document = self.document;
        if self.keys.accessors.is_empty() {
            let mut written = repack(document, document.is_binary(), None)?;
            self.notes.append(&mut written.notes);
            return Ok(WrittenGltf { notes: self.notes, ..written });
        }
        let Home { buffer, mut bytes } = std::mem::take(&mut self.home);
        bytes.append(&mut self.keys.bytes);
        let Buffer { views, accessors, .. } = std::mem::take(&mut self.keys);
        for (list, added) in [("bufferViews", views), ("accessors", accessors)] {
            self.append_to_root(list, added.iter().map(Value::to_string).collect::<Vec<_>>().join(","));
        }
        let mut written = WrittenGltf { file: Vec::new(), beside: Vec::new(), notes: std::mem::take(&mut self.notes) };
        let mut bin = document.container.bin.clone();
        let uri = document.json.pointer(&format!("/buffers/{buffer}/uri")).and_then(Value::as_str);
        match (element(&self.splice, "buffers", buffer), uri) {
            (None, _) => {
                let uri = data_uri("data:application/octet-stream;base64", &bytes);
                self.append_to_root("buffers", json!({"byteLength": bytes.len(), "uri": uri}).to_string());
            }
            (Some(span), uri) => {
                self.splice.set(&span, "byteLength", &bytes.len().to_string());
                match uri {
                    None => bin = Some(bytes),
                    Some(uri) if uri.starts_with("data:") => {
                        let uri = data_uri(uri.split_once(',').map_or("", |(head, _)| head), &bytes);
                        self.splice.set(&span, "uri", &json!(uri).to_string());
                    }
                    Some(uri) => {
                        let name = container::decode_percent(uri).and_then(|name| String::from_utf8(name).ok());
                        written.beside.push(SideFile { name: name.unwrap_or_else(|| uri.to_string()), bytes });
                    }
                }
            }
        }
        let text = self.splice.finish();
        written.file = if document.is_binary() {
            container::join_glb(&text, bin.as_deref(), &document.container.other_chunks)?
        } else {
            let mark: &[u8] = if document.container.text_offset == 3 { &[0xEF, 0xBB, 0xBF] } else { &[] };
            [mark, text.as_bytes()].concat()
        };
        Ok(written)
    }

    fn append_to_root(&mut self, list: &str, added: String) {
        let root = self.splice.root();
        match self.splice.member(&root, list) {
            Some(member) => self.splice.append(&member.value, added),
            None => self.splice.append(&root, format!("\"{list}\":[{added}]")),
        }
    }
}

/// The buffer for the new numbers, with its bytes so far, padded to whole words. A new buffer if no existing one can take them.
#[derive(Default)]
struct Home {
    buffer: usize,
    bytes: Vec<u8>,
}

impl Home {
    fn of(document: &GltfDocument) -> Self {
        let json = &document.json;
        let has_bytes = |buffer: &usize| document.buffers().get(*buffer).is_some_and(|bytes| !bytes.is_empty());
        let in_bin = |buffer: &usize| has_bytes(buffer) && json["buffers"][*buffer].get("uri").is_none();
        let of_animations = || {
            let accessor = json.pointer("/animations/0/samplers/0/input").and_then(non_negative_integer)?;
            let view = non_negative_integer(&json["accessors"][accessor]["bufferView"])?;
            non_negative_integer(&json["bufferViews"][view]["buffer"])
        };
        let known = Some(0).filter(in_bin).or_else(|| of_animations().filter(has_bytes));
        let known = known.or_else(|| (0..document.buffers().len()).find(has_bytes));
        let Some(buffer) = known else { return Self { buffer: document.buffers().len(), bytes: Vec::new() } };
        let mut bytes = document.buffers()[buffer].clone();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        Self { buffer, bytes }
    }
}

fn data_uri(head: &str, bytes: &[u8]) -> String {
    let head = if head.ends_with(";base64") { head } else { "data:application/octet-stream;base64" };
    format!("{head},{}", container::encode_base64(bytes))
}

#[cfg(test)]
mod tests {
    use super::super::document::parse;
    use super::*;

    #[test]
    fn what_could_not_be_kept_is_told_where_no_numbers_are_added_too() {
        let text = br#"{"asset": {"version": "2.0"}, "nodes": [{}]}"#;
        let document = parse(text, &mut |_| None).unwrap();
        let mut edit = GltfEdit::new(&document);
        edit.notes.push("made up".into());
        let written = edit.finish().unwrap();
        assert_eq!((written.file.as_slice(), written.notes), (text.as_slice(), vec!["made up".to_owned()]));
    }
}
