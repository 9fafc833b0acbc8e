//! Gives channels of an animation new keys, with the least changes to the text.
//!
//! A sampler with a single channel is pointed to the new keys. A sampler that several channels read stays, and the channel gets
//! a new sampler. A bone without a channel gets both.

use std::ops::Range;

use serde_json::{Value, json};

use super::document::GltfDocument;
use super::splice::Splice;
use super::target::ChannelTarget;
use super::track::Interpolation;

/// New keys of a channel: accessors of times and values, and the interpolation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SamplerAccessors {
    pub input: usize,
    pub output: usize,
    pub interpolation: Interpolation,
}

/// The channels of an animation, with their new keys.
pub(super) struct Channels<'a> {
    channels: &'a [Value],
    samplers: usize,
    /// Samplers with their new keys.
    changed: Vec<(usize, SamplerAccessors)>,
    /// Channels with their new samplers.
    redirected: Vec<(usize, usize)>,
    new_samplers: Vec<SamplerAccessors>,
    new_channels: Vec<Value>,
}

impl<'a> Channels<'a> {
    /// The channels of animation `animation`, unchanged.
    pub fn new(document: &'a GltfDocument, animation: usize) -> Self {
        let animation = &document.json["animations"][animation];
        let list = |key: &str| animation[key].as_array().map_or(&[][..], Vec::as_slice);
        let (channels, samplers) = (list("channels"), list("samplers").len());
        Self {
            channels,
            samplers,
            changed: Vec::new(),
            redirected: Vec::new(),
            new_samplers: Vec::new(),
            new_channels: Vec::new(),
        }
    }

    /// Makes the channel of `node` and `path` read `curve`. Its sampler changes if nothing else reads it; otherwise, and for a new
    /// channel, a new sampler is added.
    pub fn set(&mut self, node: usize, path: &str, curve: SamplerAccessors) {
        let wanted = ChannelTarget { node: Some(node), path };
        let reads = |channel: &Value| ChannelTarget::of(channel) == wanted;
        let found = self.channels.iter().position(reads);
        if let Some(sampler) = found.and_then(|c| non_negative_integer(&self.channels[c]["sampler"]))
            && self.channels.iter().filter(|c| non_negative_integer(&c["sampler"]) == Some(sampler)).count() == 1
        {
            self.changed.push((sampler, curve));
            return;
        }
        let sampler = self.samplers + self.new_samplers.len();
        self.new_samplers.push(curve);
        match found {
            Some(channel) => self.redirected.push((channel, sampler)),
            None => self.new_channels.push(json!({"sampler": sampler, "target": {"node": node, "path": path}})),
        }
    }

    /// Writes the changes to the text.
    pub fn write(self, splice: &mut Splice, animation: usize) {
        let Some(animation) = element(splice, "animations", animation) else { return };
        let (samplers, channels) = (splice.member(&animation, "samplers"), splice.member(&animation, "channels"));
        let (Some(samplers), Some(channels)) = (samplers, channels) else { return };
        let spans = splice.elements(&samplers.value);
        for (sampler, curve) in self.changed {
            let span = &spans[sampler];
            splice.set(span, "input", &curve.input.to_string());
            splice.set(span, "output", &curve.output.to_string());
            let name = format!("\"{}\"", curve.interpolation.name());
            let spelled = splice.member(span, "interpolation").map(|member| splice.text(&member.value) == name);
            if spelled == Some(false) || spelled.is_none() && curve.interpolation != Interpolation::Linear {
                splice.set(span, "interpolation", &name);
            }
        }
        let spans = splice.elements(&channels.value);
        for (channel, sampler) in self.redirected {
            splice.set(&spans[channel], "sampler", &sampler.to_string());
        }
        let sampler = |curve: SamplerAccessors| {
            let interpolation = curve.interpolation.name();
            json!({"input": curve.input, "interpolation": interpolation, "output": curve.output}).to_string()
        };
        let new_samplers: Vec<String> = self.new_samplers.into_iter().map(sampler).collect();
        let new_channels: Vec<String> = self.new_channels.iter().map(Value::to_string).collect();
        if !new_samplers.is_empty() {
            splice.append(&samplers.value, new_samplers.join(","));
        }
        if !new_channels.is_empty() {
            splice.append(&channels.value, new_channels.join(","));
        }
    }
}

/// Byte span of an element in a list of the root object.
pub(super) fn element(splice: &Splice, list: &str, index: usize) -> Option<Range<usize>> {
    let list = splice.member(&splice.root(), list)?;
    splice.elements(&list.value).into_iter().nth(index)
}

/// Parses a non-negative whole number; `None` if the value is none.
pub(super) fn non_negative_integer(value: &Value) -> Option<usize> {
    let float = || value.as_f64().map(|x| x as u64);
    value.as_u64().or_else(float).and_then(|n| usize::try_from(n).ok())
}
