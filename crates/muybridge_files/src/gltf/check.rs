//! Checks the whole tree before anything is read from it: types, references, ranges, and that the nodes form a forest.

use super::layout::{AccessorLayout, BufferView};
use super::target::ChannelTarget;
use super::tree::JsonNode;
use crate::Error;

/// Refuses anything but glTF 2.0.
pub(super) fn asset(root: &JsonNode) -> Result<(), Error> {
    let asset = root.get("asset").ok_or_else(|| root.error("“asset” is missing; this JSON is not a glTF file"))?;
    let version = asset.need("version")?;
    let major_minor = |at: &JsonNode| -> Result<(u32, u32), Error> {
        let text = at.text()?;
        let parts = text.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        parts.ok_or_else(|| at.error(format!("“{text}” is not a version of glTF")))
    };
    let (major, _) = major_minor(&version)?;
    if major != 2 {
        return Err(version.error(format!("glTF {major}; only 2.0 can be read, export as glTF 2.0")));
    }
    if let Some(least) = asset.get("minVersion")
        && major_minor(&least)? > (2, 0)
    {
        return Err(least.error("the file needs a reader for a later version of glTF than 2.0"));
    }
    Ok(())
}

/// Refuses root members that are not lists of objects if glTF requires them to be.
pub(super) fn collections(root: &JsonNode) -> Result<(), Error> {
    const LISTS: [&str; 13] = [
        "buffers",
        "bufferViews",
        "accessors",
        "nodes",
        "scenes",
        "skins",
        "meshes",
        "animations",
        "cameras",
        "materials",
        "samplers",
        "textures",
        "images",
    ];
    for key in LISTS {
        for element in root.list(key)? {
            element.object()?;
        }
    }
    Ok(())
}

/// Claimed length of each buffer.
pub(super) fn buffer_lengths(root: &JsonNode) -> Result<Vec<usize>, Error> {
    let length = |buffer: &JsonNode| -> Result<usize, Error> {
        let at = buffer.need("byteLength")?;
        match at.non_negative_integer()? {
            0 => Err(at.error("a buffer needs at least one byte")),
            length => Ok(length),
        }
    };
    root.list("buffers")?.iter().map(length).collect()
}

/// Refuses references to missing items, and ranges beyond their buffers.
pub(super) fn references(root: &JsonNode, buffer_lengths: &[usize]) -> Result<(), Error> {
    for index in 0..root.count("bufferViews") {
        BufferView::new(root, index, buffer_lengths)?;
    }
    for accessor in root.list("accessors")? {
        AccessorLayout::new(root, &accessor, buffer_lengths)?;
    }
    nodes(root)?;
    scenes(root)?;
    skins(root)?;
    meshes(root)?;
    animations(root)
}

/// Refuses required extensions that change the place of the numbers.
pub(super) fn extensions(root: &JsonNode) -> Result<(), Error> {
    for required in root.list("extensionsRequired")? {
        if let name @ ("EXT_meshopt_compression" | "KHR_meshopt_compression") = required.text()? {
            let message =
                format!("the numbers are compressed with {name}; export or convert the file without compression");
            return Err(required.error(message));
        }
    }
    Ok(())
}

fn nodes(root: &JsonNode) -> Result<(), Error> {
    let nodes = root.list("nodes")?;
    let mut parent = vec![None; nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        node.reference("mesh", "meshes", root.count("meshes"))?;
        node.reference("skin", "skins", root.count("skins"))?;
        node.numbers::<16>("matrix")?;
        node.numbers::<3>("translation")?;
        node.numbers::<4>("rotation")?;
        node.numbers::<3>("scale")?;
        for child_at in node.list("children")? {
            let child = child_at.index("nodes", nodes.len())?;
            if let Some(other) = parent[child].replace(index) {
                return Err(child_at.error(format!("node {child} is also a child of node {other}")));
            }
        }
    }
    refuse_cycles(&nodes, &parent)
}

/// Refuses cycles: every node must lead to a root. Nodes that do are marked on the way, each once.
fn refuse_cycles(nodes: &[JsonNode], parent: &[Option<usize>]) -> Result<(), Error> {
    let mut leads_to_root = vec![false; nodes.len()];
    let mut steps = vec![usize::MAX; nodes.len()];
    for start in 0..nodes.len() {
        let mut at = start;
        while !leads_to_root[at] {
            if steps[at] == start {
                return Err(nodes[at].error("the node is its own ancestor; nodes must form a tree"));
            }
            steps[at] = start;
            match parent[at] {
                Some(next) => at = next,
                None => break,
            }
        }
        let mut at = start;
        while !leads_to_root[at] {
            leads_to_root[at] = true;
            match parent[at] {
                Some(next) => at = next,
                None => break,
            }
        }
    }
    Ok(())
}

fn scenes(root: &JsonNode) -> Result<(), Error> {
    root.reference("scene", "scenes", root.count("scenes"))?;
    for scene in root.list("scenes")? {
        for node in scene.list("nodes")? {
            node.index("nodes", root.count("nodes"))?;
        }
    }
    Ok(())
}

fn skins(root: &JsonNode) -> Result<(), Error> {
    for skin in root.list("skins")? {
        let joints = skin.need("joints")?.elements()?;
        for joint in &joints {
            joint.index("nodes", root.count("nodes"))?;
        }
        skin.reference("skeleton", "nodes", root.count("nodes"))?;
        if let Some(accessor) = skin.reference("inverseBindMatrices", "accessors", root.count("accessors"))? {
            let at = skin.need("inverseBindMatrices")?;
            expect_type(root, &at, accessor, &["MAT4"])?;
            let count =
                root.element("accessors", accessor).map_or(Ok(0), |a| a.need("count")?.non_negative_integer())?;
            if count < joints.len() {
                return Err(at.error(format!("{count} inverse bind matrices for {} joints", joints.len())));
            }
        }
    }
    Ok(())
}

fn meshes(root: &JsonNode) -> Result<(), Error> {
    for mesh in root.list("meshes")? {
        for primitive in mesh.list("primitives")? {
            primitive.object()?;
            primitive.reference("indices", "accessors", root.count("accessors"))?;
            let Some(attributes) = primitive.get("attributes") else { continue };
            attributes.object()?;
            for name in attributes.value.as_object().into_iter().flat_map(|members| members.keys()) {
                let at = attributes.need(name)?;
                let accessor = at.index("accessors", root.count("accessors"))?;
                match name.as_str() {
                    "POSITION" => expect_type(root, &at, accessor, &["VEC3"])?,
                    name if name.starts_with("JOINTS_") || name.starts_with("WEIGHTS_") => {
                        expect_type(root, &at, accessor, &["VEC4"])?;
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(())
}

fn animations(root: &JsonNode) -> Result<(), Error> {
    for animation in root.list("animations")? {
        let samplers = animation.list("samplers")?;
        for sampler in &samplers {
            sampler.object()?;
            let input = sampler.need("input")?;
            let accessor = input.index("accessors", root.count("accessors"))?;
            expect_type(root, &input, accessor, &["SCALAR"])?;
            let float =
                root.element("accessors", accessor).is_some_and(|a| a.value["componentType"].as_f64() == Some(5126.0));
            if !float {
                return Err(input.error(format!("the key times (accessor {accessor}) must be 32-bit floats")));
            }
            sampler.need("output")?.index("accessors", root.count("accessors"))?;
        }
        for channel in animation.list("channels")? {
            channel.object()?;
            channel.need("sampler")?.index("samplers", samplers.len())?;
            let target = channel.need("target")?;
            target.reference("node", "nodes", root.count("nodes"))?;
            target.need("path")?.text()?;
            if let Some(node) = ChannelTarget::of(channel.value).node.filter(|&node| node >= root.count("nodes")) {
                return Err(
                    target.error(format!("there is no /nodes/{node}; the file has {} nodes", root.count("nodes")))
                );
            }
        }
    }
    Ok(())
}

fn expect_type(root: &JsonNode, at: &JsonNode, accessor: usize, types: &[&str]) -> Result<(), Error> {
    let kind = root.element("accessors", accessor).and_then(|a| a.value["type"].as_str()).unwrap_or_default();
    if types.contains(&kind) {
        return Ok(());
    }
    Err(at.error(format!("accessor {accessor} is {kind}, {} is needed", types.join(" or "))))
}
