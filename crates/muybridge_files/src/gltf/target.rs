//! What a channel of an animation moves: a property of a node, that the target or a pointer names.
//!
//! ```text
//! {"node": 3, "path": "rotation"}
//! {"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/nodes/3/rotation"}}}
//! ```
//! Source: Khronos glTF 2.0 specification, section 3.11; the extension `KHR_animation_pointer`.

use serde_json::Value;

use super::channels::non_negative_integer;

/// What a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChannelTarget<'a> {
    /// Index of the node; `None` if the channel moves none.
    pub node: Option<usize>,
    /// "translation", "rotation", "scale", "weights", or another word, which is no property of a node.
    pub path: &'a str,
}

impl<'a> ChannelTarget<'a> {
    /// Reads the target of `channel`.
    pub fn of(channel: &'a Value) -> Self {
        let target = &channel["target"];
        let path = target["path"].as_str().unwrap_or_default();
        let pointed = || -> Option<Self> {
            let pointer = target.pointer("/extensions/KHR_animation_pointer/pointer")?.as_str()?;
            let (node, path) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
            Some(Self { node: Some(node.parse().ok()?), path })
        };
        match path {
            "pointer" => pointed().unwrap_or(Self { node: None, path }),
            _ => Self { node: non_negative_integer(&target["node"]), path },
        }
    }

    /// Whether the property places the node.
    pub fn moves(self) -> bool {
        matches!(self.path, "translation" | "rotation" | "scale")
    }
}
