//! The curves of one animation, and the node transforms they give at a time.

use muybridge::glam::{DQuat, DVec3};

use super::accessor::Accessors;
use super::placement::NodeLocal;
use super::scene::BoneScene;
use super::target::ChannelTarget;
use super::track::{KeyTrack, Property};
use super::tree::JsonNode;
use crate::Error;

/// The curves of an animation.
#[derive(Clone, Debug, Default)]
pub(super) struct Curves {
    pub name: String,
    /// Curves, at most one per bone and property, in that order.
    pub tracks: Vec<KeyTrack>,
    /// Notes on omissions and repairs, one sentence each.
    pub notes: Vec<String>,
}

impl Curves {
    /// Reads `animation`; channels that move no bone are left out.
    pub fn new(animation: &JsonNode, scene: &BoneScene, accessors: &Accessors) -> Result<Self, Error> {
        let name = animation.value["name"].as_str().unwrap_or_default().to_string();
        let mut curves = Self { name, ..Self::default() };
        let samplers = animation.list("samplers")?;
        let (mut weights, mut unknown, mut elsewhere) = (0, 0, 0);
        for channel in animation.list("channels")? {
            let target = ChannelTarget::of(channel.value);
            let property = match target.path {
                "translation" => Property::Translation,
                "rotation" => Property::Rotation,
                "scale" => Property::Scale,
                "weights" => {
                    weights += 1;
                    continue;
                }
                _ => {
                    unknown += 1;
                    continue;
                }
            };
            match target.node.and_then(|n| scene.bone_of_node[n]) {
                Some(bone) => {
                    let sampler = &samplers[channel.need("sampler")?.non_negative_integer()?];
                    curves.tracks.push(KeyTrack::new(bone, property, sampler, accessors, &mut curves.notes)?);
                }
                None => elsewhere += usize::from(scene.is_whole),
            }
        }
        curves.note_count(weights, "morph target weights");
        curves.note_count(unknown, "a kind this reader does not know");
        curves.note_count(elsewhere, "no bone to move");
        curves.drop_doubles();
        Ok(curves)
    }

    /// Sets the node transforms of the bones from the curves at a time; see [`KeyTrack::at`] for `snap`. `cursors` holds one number
    /// per curve, initially 0, and requires times that do not decrease.
    pub fn apply(&self, seconds: f64, snap: f64, cursors: &mut [usize], locals: &mut [NodeLocal]) {
        for (track, cursor) in self.tracks.iter().zip(cursors) {
            let local = &mut locals[track.bone];
            match (track.property, track.at(seconds, snap, cursor)) {
                (Property::Translation, v) => local.translation = DVec3::new(v[0], v[1], v[2]),
                (Property::Scale, v) => local.scale = DVec3::new(v[0], v[1], v[2]),
                (Property::Rotation, v) => local.rotation = DQuat::from_array(v),
            }
        }
    }

    fn note_count(&mut self, count: usize, what: &str) {
        if count > 0 {
            let curves = if count == 1 { "1 curve was".to_string() } else { format!("{count} curves were") };
            self.notes.push(format!("{curves} left out: {what}"));
        }
    }

    /// Keeps only the first curve of each bone and property.
    fn drop_doubles(&mut self) {
        self.tracks.sort_by_key(|track| (track.bone, track.property));
        let before = self.tracks.len();
        self.tracks.dedup_by_key(|track| (track.bone, track.property));
        self.note_count(before - self.tracks.len(), "another curve already moves the property");
    }
}
