//! Writes a document in the other container, or with some of its animations; everything else is kept.
//!
//! ```text
//! .glb → .gltf   the BIN chunk becomes the data URI of buffer 0
//! .gltf → .glb   all buffers become the BIN chunk, one behind the other
//! ```
//! Source: Khronos glTF 2.0 specification, section 4.4.3.3: the BIN chunk is the first buffer, which then has no “uri”.

use serde_json::{Value, json};

use super::channels::non_negative_integer;
use super::container::{decode_percent, encode_base64, encode_percent, join_glb, split};
use super::document::{GltfDocument, parse};
use super::scene::BoneScene;
use super::splice::Splice;
use super::target::ChannelTarget;
use super::tree::JsonNode;
use super::write::WrittenGltf;
use crate::Error;
use crate::output::SideFile;

/// Index of the animation of each clip from [`super::import`](fn@super::import). Animations that move no bone have no clip.
pub fn animations_of_clips(document: &GltfDocument) -> Result<Vec<usize>, Error> {
    let scene = BoneScene::new(document)?;
    let mut moving = Vec::new();
    for (index, animation) in document.root().list("animations")?.iter().enumerate() {
        let moves_a_bone = |channel: &JsonNode| {
            let target = ChannelTarget::of(channel.value);
            target.moves() && target.node.and_then(|node| *scene.bone_of_node.get(node)?).is_some()
        };
        if animation.list("channels")?.iter().any(moves_a_bone) {
            moving.push(index);
        }
    }
    Ok(moving)
}

/// The document of which only the character with these root bones is read.
pub(crate) fn part_of(document: GltfDocument, roots: &[usize]) -> Result<GltfDocument, Error> {
    let scene = BoneScene::new(&document)?;
    let nodes = roots.iter().map(|&bone| scene.node_of_bone[bone]).collect();
    Ok(document.with_part(Some(nodes)))
}

/// Writes the document as `.glb` (`binary`) or `.gltf`, with all animations or only those of `keep`.
///
/// In its own container and with all animations, the document comes back byte for byte.
pub fn repack(document: &GltfDocument, binary: bool, keep: Option<&[usize]>) -> Result<WrittenGltf, Error> {
    let mut splice = Splice::new(&document.container.text);
    let mut notes = Vec::new();
    if let Some(keep) = keep {
        keep_animations(document, &mut splice, keep, &mut notes);
    }
    let (mut beside, mut bin) = (Vec::new(), document.container.bin.clone());
    match (document.is_binary(), binary) {
        (true, false) => {
            spell_out(document, &mut splice);
            if !document.container.other_chunks.is_empty() {
                notes.push("chunks of unknown type were left out: .gltf has no place for them".into());
            }
        }
        (false, true) => bin = take_in(document, &mut splice),
        _ => beside = files_beside(document),
    }
    notes.extend(pictures_beside(document));
    let text = splice.finish();
    let file = if binary {
        join_glb(&text, bin.as_deref(), &document.container.other_chunks)?
    } else {
        let marked = !document.is_binary() && document.container.text_offset == 3;
        let mark: &[u8] = if marked { &[0xEF, 0xBB, 0xBF] } else { &[] };
        [mark, text.as_bytes()].concat()
    };
    Ok(WrittenGltf { file, beside, notes })
}

/// Reads a written document again; unchanged buffer files come from the document before.
pub fn reopened(before: &GltfDocument, written: &WrittenGltf) -> Result<GltfDocument, Error> {
    let unchanged = files_beside(before);
    let mut beside = |name: &str| SideFile::find(&written.beside, name).or_else(|| SideFile::find(&unchanged, name));
    Ok(parse(&written.file, &mut beside)?.with_part(before.part().cloned()))
}

/// A glTF and the files beside it under new names: `stem.bin`, or `stem_0.bin` and so on where there are several.
pub fn renamed_beside(file: &[u8], beside: &[SideFile], stem: &str) -> Result<(Vec<u8>, Vec<SideFile>), Error> {
    let container = split(file)?;
    let mut named: Vec<SideFile> = Vec::new();
    let mut old: Vec<&str> = beside.iter().map(|file| file.name.as_str()).collect();
    old.sort_unstable();
    old.dedup();
    let new = |index: usize| if old.len() == 1 { format!("{stem}.bin") } else { format!("{stem}_{index}.bin") };
    let mut splice = Splice::new(&container.text);
    let list = splice.member(&splice.root(), "buffers").map_or(Vec::new(), |list| splice.elements(&list.value));
    for span in list {
        let Some(uri) = splice.member(&span, "uri") else { continue };
        let value: Value = serde_json::from_str(splice.text(&uri.value)).unwrap_or_default();
        let name = Some(&value).filter(|value| is_file(value)).and_then(file_name);
        let Some(index) = name.and_then(|name| old.iter().position(|known| *known == name)) else { continue };
        splice.replace(uri.value, json!(encode_percent(&new(index))).to_string());
    }
    for (index, name) in old.iter().enumerate() {
        named.push(SideFile { name: new(index), bytes: SideFile::find(beside, name).unwrap_or_default() });
    }
    let text = splice.finish();
    let file = match container.binary {
        true => join_glb(&text, container.bin.as_deref(), &container.other_chunks)?,
        false => [&file[..container.text_offset], text.as_bytes()].concat(),
    };
    Ok((file, named))
}

fn keep_animations(document: &GltfDocument, splice: &mut Splice, keep: &[usize], notes: &mut Vec<String>) {
    let all = document.root().count("animations");
    let Some(list) = splice.member(&splice.root(), "animations").filter(|_| keep.len() < all) else { return };
    let text = &document.container.text;
    let spans = splice.elements(&list.value);
    let kept: Vec<&str> = keep.iter().filter_map(|&index| spans.get(index)).map(|span| &text[span.clone()]).collect();
    splice.replace(list.value, format!("[{}]", kept.join(",")));
    notes.push(format!("{} of {all} animations were left out; their numbers stay in the file", all - kept.len()));
}

/// Writes the BIN chunk as the data URI of buffer 0.
fn spell_out(document: &GltfDocument, splice: &mut Splice) {
    let list = splice.member(&splice.root(), "buffers");
    let first = list.and_then(|list| splice.elements(&list.value).into_iter().next());
    let (Some(span), Some(bytes)) = (first, document.container.bin.as_ref()) else { return };
    if document.json["buffers"][0].get("uri").is_none() {
        splice.set(&span, "uri", &json!(data_uri(claimed(document, 0, bytes))).to_string());
    }
}

/// Returns the bytes of all buffers, one behind the other, as those of buffer 0, and makes the buffer views read them there.
/// Buffers without bytes stay, behind buffer 0.
fn take_in(document: &GltfDocument, splice: &mut Splice) -> Option<Vec<u8>> {
    let list = splice.member(&splice.root(), "buffers")?;
    let (mut bin, mut buffers, mut moved) = (Vec::new(), vec![json!({})], Vec::new());
    for (index, old) in document.json["buffers"].as_array()?.iter().enumerate() {
        let bytes = claimed(document, index, &document.buffers[index]);
        if bytes.is_empty() {
            moved.push((buffers.len(), 0));
            buffers.push(old.clone());
            continue;
        }
        bin.resize(usize::next_multiple_of(bin.len(), 8), 0);
        moved.push((0, bin.len()));
        bin.extend_from_slice(bytes);
        if buffers[0] == json!({}) {
            buffers[0] = old.clone();
        }
    }
    if bin.is_empty() {
        return None;
    }
    buffers[0].as_object_mut().map(|members| members.remove("uri"));
    buffers[0]["byteLength"] = json!(bin.len());
    splice.replace(list.value, Value::Array(buffers).to_string());
    for view in splice.member(&splice.root(), "bufferViews").map_or(Vec::new(), |list| splice.elements(&list.value)) {
        let extensions = splice.member(&view, "extensions").map(|member| member.value);
        let compressed = |name: &str| Some(splice.member(extensions.as_ref()?, name)?.value);
        let meshopt = ["EXT_meshopt_compression", "KHR_meshopt_compression"].into_iter().filter_map(compressed);
        for place in meshopt.chain([view.clone()]).collect::<Vec<_>>() {
            let number = |name: &str| {
                let member = splice.member(&place, name)?;
                serde_json::from_str(splice.text(&member.value)).ok().as_ref().and_then(non_negative_integer)
            };
            let Some(&(buffer, start)) = number("buffer").and_then(|buffer| moved.get(buffer)) else { continue };
            let offset = number("byteOffset").unwrap_or(0);
            for (name, was, is) in [("buffer", number("buffer"), buffer), ("byteOffset", Some(offset), start + offset)]
            {
                if was != Some(is) {
                    splice.set(&place, name, &is.to_string());
                }
            }
        }
    }
    Some(bin)
}

/// Buffer files, by relative name.
pub(crate) fn files_beside(document: &GltfDocument) -> Vec<SideFile> {
    let list = document.json["buffers"].as_array().map_or(&[][..], Vec::as_slice);
    let named = list.iter().zip(&document.buffers).filter(|(buffer, _)| is_file(&buffer["uri"]));
    named
        .filter_map(|(buffer, bytes)| Some(SideFile { name: file_name(&buffer["uri"])?, bytes: bytes.clone() }))
        .collect()
}

fn pictures_beside(document: &GltfDocument) -> Option<String> {
    let images = document.json["images"].as_array().map_or(&[][..], Vec::as_slice);
    let names: Vec<String> =
        images.iter().filter(|image| is_file(&image["uri"])).filter_map(|image| file_name(&image["uri"])).collect();
    let needed = format!("the pictures stay where they are; in another folder the file needs {}", names.join(", "));
    (!names.is_empty()).then_some(needed)
}

/// Relative names of the files that the JSON of a glTF names: its buffers and pictures. None if it is no JSON.
pub fn files_named(json: &str) -> Vec<String> {
    let document: Value = serde_json::from_str(json.trim_start_matches('\u{feff}')).unwrap_or_default();
    let lists = ["buffers", "images"].into_iter().filter_map(|list| document[list].as_array());
    lists.flatten().map(|entry| &entry["uri"]).filter(|uri| is_file(uri)).filter_map(file_name).collect()
}

fn is_file(uri: &Value) -> bool {
    uri.as_str().is_some_and(|uri| !uri.starts_with("data:"))
}

fn file_name(uri: &Value) -> Option<String> {
    let uri = uri.as_str()?;
    decode_percent(uri).and_then(|name| String::from_utf8(name).ok())
}

/// The claimed bytes of a buffer, without padding.
fn claimed<'a>(document: &GltfDocument, index: usize, bytes: &'a [u8]) -> &'a [u8] {
    &bytes[..bytes.len().min(document.buffer_lengths()[index])]
}

fn data_uri(bytes: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", encode_base64(bytes))
}
