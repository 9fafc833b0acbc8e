//! Copies the look of meshes from one glTF file into another: materials, textures, samplers and pictures, with the attributes of
//! vertices that they need.
//!
//! Lists of the JSON are taken as they are, so that extensions of materials stay; only the indices between them move. A picture
//! beside the file goes into the new one.

use std::collections::{BTreeMap, BTreeSet};

use muybridge::skinning::SkinnedMesh;
use serde_json::{Map, Value, json};

use super::accessor::Accessors;
use super::buffer::{ATTRIBUTE, Buffer, rounded};
use super::container::{decode_data_uri, decode_percent};
use super::document::GltfDocument;
use super::tree::JsonNode;
use crate::Error;

/// The meshes that the bones of a character move, and what they look like.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CharacterSkin {
    /// Meshes, each with its look.
    pub meshes: Vec<(SkinnedMesh, PrimitiveLook)>,
    /// Materials of the file.
    pub materials: Materials,
}

/// The look of a primitive of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PrimitiveLook {
    /// Index of its material among those of its file.
    material: Option<usize>,
    /// Name, type and numbers of each attribute.
    attributes: Vec<(String, &'static str, Vec<f32>)>,
}

/// Materials of a file, and what they are made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Materials {
    materials: Vec<Value>,
    textures: Vec<Value>,
    samplers: Vec<Value>,
    /// JSON of each picture, and the index of its bytes; `None` where they are not there.
    pictures: Vec<(Value, Option<usize>)>,
    bytes: Vec<Vec<u8>>,
    required: Vec<String>,
}

impl PrimitiveLook {
    /// Reads the look of a primitive with this many vertices.
    pub(super) fn read(primitive: &JsonNode, vertices: usize, accessors: &Accessors) -> Result<Self, Error> {
        let material = primitive.get("material").map(|at| at.non_negative_integer()).transpose()?;
        let material = material.filter(|&index| index < accessors.document().root().count("materials"));
        let mut look = Self { material, attributes: Vec::new() };
        let all = primitive.get("attributes").and_then(|at| at.value.as_object()).into_iter().flatten();
        let seen = ["TEXCOORD_", "COLOR_", "TANGENT"];
        for (name, accessor) in all.filter(|(name, _)| seen.iter().any(|seen| name.starts_with(seen))) {
            let Some(index) = accessor.as_u64().and_then(|index| usize::try_from(index).ok()) else { continue };
            let numbers = accessors.numbers(index)?;
            let kind = match numbers.len().checked_div(vertices) {
                Some(2) => "VEC2",
                Some(3) => "VEC3",
                Some(4) => "VEC4",
                _ => continue,
            };
            accessors.spend(4 * numbers.len(), primitive)?;
            let numbers = rounded(numbers.iter().copied());
            look.attributes.extend(numbers.ok().map(|numbers| (name.clone(), kind, numbers)));
        }
        Ok(look)
    }

    /// Adds attributes and material to a primitive; `first` is where the materials of its file begin.
    pub fn write(&self, primitive: &mut Value, first: usize, buffer: &mut Buffer) {
        for (name, kind, numbers) in &self.attributes {
            primitive["attributes"][name] = json!(buffer.floats(kind, numbers, Some(ATTRIBUTE)));
        }
        if let Some(material) = self.material {
            primitive["material"] = json!(first + material);
        }
    }
}

impl Materials {
    /// Reads the materials of a document; `resolve` returns the bytes of a file beside it. Also returns notes.
    pub fn read(document: &GltfDocument, resolve: &dyn Fn(&str) -> Option<Vec<u8>>) -> (Self, Vec<String>) {
        let list = |key: &str| document.json()[key].as_array().cloned().unwrap_or_default();
        let required = document.json()["extensionsRequired"].as_array().into_iter().flatten();
        let mut read = Self {
            materials: list("materials"),
            textures: list("textures"),
            samplers: list("samplers"),
            required: required.filter_map(Value::as_str).map(str::to_owned).collect(),
            ..Self::default()
        };
        let (mut known, mut left, mut notes) = (BTreeMap::new(), document.size(), Vec::new());
        for image in list("images") {
            let source = (image["uri"].as_str().map(str::to_owned), image["bufferView"].as_u64());
            let place = *known.entry(source).or_insert_with(|| {
                read.bytes.push(bytes_of(document, &image, &mut left, resolve)?);
                Some(read.bytes.len() - 1)
            });
            if place.is_none() {
                let name = image["uri"].as_str().or(image["name"].as_str()).unwrap_or("without a name");
                notes.push(format!("the picture “{name}” cannot be read; it is left out"));
            }
            read.pictures.push((image, place));
        }
        (read, notes)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.materials.is_empty()
    }
}

/// The bytes of a picture; a file of another kind is none. Of those inside the document, no more than `left`.
fn bytes_of(
    document: &GltfDocument,
    image: &Value,
    left: &mut usize,
    resolve: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Option<Vec<u8>> {
    if let Some(uri) = image["uri"].as_str() {
        let bytes = match uri.starts_with("data:") {
            true => decode_data_uri(uri),
            false => resolve(&String::from_utf8(decode_percent(uri)?).ok()?),
        };
        return bytes.filter(|bytes| mime_type(bytes).is_some());
    }
    let whole = |value: &Value| usize::try_from(value.as_u64()?).ok();
    let view = document.json()["bufferViews"].get(whole(&image["bufferView"])?)?;
    let (offset, length) = (whole(&view["byteOffset"]).unwrap_or(0), whole(&view["byteLength"])?);
    *left = left.checked_sub(length)?;
    let bytes = document.buffers().get(whole(&view["buffer"])?)?;
    let bytes = bytes.get(offset..offset.checked_add(length)?)?;
    mime_type(bytes).map(|_| bytes.to_vec())
}

/// Lists of a file that is written, with the looks copied so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct CopiedLooks {
    materials: Vec<Value>,
    textures: Vec<Value>,
    samplers: Vec<Value>,
    images: Vec<Value>,
    used: BTreeSet<String>,
    required: BTreeSet<String>,
}

impl CopiedLooks {
    /// Adds the materials of a file; returns the index of the first. `own` is the number of materials that stand before all.
    pub fn add(&mut self, from: &Materials, own: usize, buffer: &mut Buffer) -> usize {
        let first = own + self.materials.len();
        let samplers = self.samplers.len();
        let views: Vec<usize> = from.bytes.iter().map(|bytes| buffer.picture(bytes)).collect();
        let mut image_of = Vec::with_capacity(from.pictures.len());
        for (image, bytes) in &from.pictures {
            image_of.push(bytes.map(|_| self.images.len()));
            let (Some(bytes), Some(image)) = (*bytes, image.as_object()) else { continue };
            let mut image = image.clone();
            image.remove("uri");
            image.insert("bufferView".into(), json!(views[bytes]));
            if let Some(kind) = mime_type(&from.bytes[bytes]) {
                image.insert("mimeType".into(), json!(kind));
            }
            self.images.push(Value::Object(image));
        }
        let mut texture_of = Vec::with_capacity(from.textures.len());
        for texture in &from.textures {
            let (mut texture, mut has_image) = (texture.clone(), false);
            each_table(&mut texture, &mut |table| {
                move_index(table, "sampler", |index| (index < from.samplers.len()).then_some(samplers + index));
                move_index(table, "source", |index| image_of.get(index).copied().flatten());
                has_image |= table.contains_key("source");
            });
            texture_of.push(has_image.then_some(self.textures.len()));
            self.textures.extend(has_image.then_some(texture));
        }
        for material in &from.materials {
            let mut material = material.clone();
            each_table(&mut material, &mut |table| {
                table.retain(|key, slot| {
                    let Some(slot) = slot.as_object_mut().filter(|_| key.ends_with("Texture")) else { return true };
                    move_index(slot, "index", |index| texture_of.get(index).copied().flatten());
                    slot.contains_key("index")
                });
            });
            self.materials.push(material);
        }
        self.samplers.extend(from.samplers.iter().cloned());
        let used = &mut self.used;
        for value in self.materials.iter_mut().chain(&mut self.textures) {
            each_table(value, &mut |table| {
                let names = table.get("extensions").and_then(Value::as_object).into_iter().flatten();
                used.extend(names.map(|(name, _)| name.clone()));
            });
        }
        self.required.extend(from.required.iter().filter(|name| used.contains(*name)).cloned());
        first
    }

    /// Writes the lists behind those of a document.
    pub fn write(self, json: &mut Value) {
        let names = |names: BTreeSet<String>| names.into_iter().map(Value::String).collect();
        let lists = [
            ("materials", self.materials),
            ("textures", self.textures),
            ("samplers", self.samplers),
            ("images", self.images),
            ("extensionsUsed", names(self.used)),
            ("extensionsRequired", names(self.required)),
        ];
        for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            match json.get_mut(key).and_then(Value::as_array_mut) {
                Some(before) => before.extend(list),
                None => json[key] = Value::Array(list),
            }
        }
    }
}

/// Kind of a picture, by its first bytes.
fn mime_type(bytes: &[u8]) -> Option<&'static str> {
    let kinds: [(&[u8], usize, &str); 4] = [
        (b"\x89PNG", 0, "image/png"),
        (b"\xff\xd8\xff", 0, "image/jpeg"),
        (b"WEBP", 8, "image/webp"),
        (b"KTX 20", 1, "image/ktx2"),
    ];
    let is = |(mark, at, _): &(&[u8], usize, &str)| bytes.get(*at..).is_some_and(|rest| rest.starts_with(mark));
    kinds.into_iter().find(is).map(|(_, _, kind)| kind)
}

/// Calls a function for each table in a value, the outer one first.
fn each_table(value: &mut Value, call: &mut dyn FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(table) => {
            call(table);
            table.values_mut().for_each(|value| each_table(value, call));
        }
        Value::Array(list) => list.iter_mut().for_each(|value| each_table(value, call)),
        _ => {}
    }
}

/// Replaces an index of a table, or removes it where there is nothing in its place.
fn move_index(table: &mut Map<String, Value>, key: &str, to: impl Fn(usize) -> Option<usize>) {
    let Some(index) = table.get(key) else { return };
    match index.as_u64().and_then(|index| usize::try_from(index).ok()).and_then(to) {
        Some(index) => _ = table.insert(key.to_owned(), json!(index)),
        None => _ = table.remove(key),
    }
}
