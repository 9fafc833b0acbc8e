//! Moves the keys of an animation to other times: of all its curves, including other nodes and morph weights.
//!
//! ```text
//! outside a changed span   t' = t + whole frames                   values and spacing stay
//! inside, dense curve      a key at every new frame k, value at source(k)
//! inside, sparse curve     t' = inverse(t), on a frame if t was;   a_k' = a_k Δt/Δt',  b_k' = b_k Δt/Δt'
//! ```
//! A curve is dense in a span if it has keys at four of five frames there, or if two of its keys would meet. Between the keys
//! of a dense linear curve, values follow Catmull–Rom splines, as between the frames of any clip ([`muybridge::motion::spline`]).
//! A sparse curve that passes through an end of a span gets a key there, on the curve, so that the part outside the span stays.

use muybridge::motion::spline;
use muybridge::motion::{Clip, RetimedSpan, TimeMap};

use super::accessor::Accessors;
use super::channels::{Channels, SamplerAccessors, element, non_negative_integer};
use super::correct::ON_FRAME;
use super::curve::{KeyCurve, SplinePart};
use super::document::GltfDocument;
use super::edit::GltfEdit;
use super::import::budget;
use super::scene::BoneScene;
use super::target::ChannelTarget;
use super::track::Interpolation;
use super::tree::JsonNode;
use super::write::WrittenGltf;
use crate::Error;

/// Least number of keys per frame of a dense curve.
const DENSE: f64 = 0.8;

/// Moves the frames of animation `animation` to other times; `clip` is the clip read from it. Where one character of several is read,
/// the curves of the others stay.
pub(crate) fn retimed(
    document: &GltfDocument,
    animation: usize,
    clip: &Clip,
    map: &TimeMap,
) -> Result<WrittenGltf, Error> {
    let root = document.root();
    let at = root.animation(animation)?;
    let accessors = Accessors::new(document, budget(document));
    let mut turns = vec![false; at.count("samplers")];
    for channel in at.list("channels")? {
        let rotates = ChannelTarget::of(channel.value).path == "rotation";
        let sampler = channel.need("sampler")?.non_negative_integer()?;
        turns[sampler] |= rotates;
    }
    let line = RetimedFrames { clip, map, spans: map.spans() };
    if document.part().is_some() {
        return line.retimed_character(document, animation, &accessors);
    }
    let mut edit = GltfEdit::new(document);
    let span = element(&edit.splice, "animations", animation).and_then(|span| edit.splice.member(&span, "samplers"));
    let texts = span.map_or(Vec::new(), |list| edit.splice.elements(&list.value));
    for ((sampler, text), turns) in at.list("samplers")?.iter().zip(texts).zip(turns) {
        let Some(old) = KeyCurve::read(sampler, &accessors, turns)? else {
            edit.notes
                .push(format!("{}: the numbers of this curve do not make keys; it keeps its times", sampler.path));
            continue;
        };
        let new = line.retimed(&old);
        if new.times != old.times {
            let input = edit.keys.times(new.times.iter().copied())?;
            edit.splice.set(&text, "input", &input.to_string());
        }
        let stored = accessors.numbers(sampler.need("output")?.non_negative_integer()?)?;
        if new.values != *stored {
            let output = sampler.need("output")?.non_negative_integer()?;
            let kind = root.element("accessors", output).and_then(|a| a.value["type"].as_str()).unwrap_or("SCALAR");
            let output = edit.keys.pack(kind, new.values.iter().copied())?;
            edit.splice.set(&text, "output", &output.to_string());
        }
    }
    edit.finish()
}

/// Inserts keys at every frame of `clip` on the `count` curves of animation `animation` with the most keys. The motion stays,
/// and the frame rate can be read from the keys.
pub(crate) fn with_frame_keys(
    document: &GltfDocument,
    animation: usize,
    clip: &Clip,
    count: usize,
) -> Result<WrittenGltf, Error> {
    let root = document.root();
    let accessors = Accessors::new(document, budget(document));
    let mut edit = GltfEdit::new(document);
    let Some(at) = root.element("animations", animation) else { return edit.finish() };
    let scene = BoneScene::new(document)?;
    let mut curves: Vec<(usize, KeyCurve)> = Vec::new();
    let samplers = at.list("samplers")?;
    for channel in at.list("channels")? {
        let ChannelTarget { node, path, .. } = ChannelTarget::of(channel.value);
        let sampler = channel.need("sampler")?.non_negative_integer()?;
        let is_bone = node.and_then(|node| scene.bone_of_node[node]).is_some();
        let moves =
            is_bone && matches!(path, "translation" | "rotation") && curves.iter().all(|(known, _)| *known != sampler);
        let curve = KeyCurve::read(&samplers[sampler], &accessors, path == "rotation")?;
        let level =
            |c: &KeyCurve| (1..c.times.len()).all(|k| c.part(k, SplinePart::Value) == c.part(0, SplinePart::Value));
        curves.extend(curve.filter(|curve| moves && !level(curve)).map(|curve| (sampler, curve)));
    }
    curves.sort_by_key(|(sampler, curve)| (std::cmp::Reverse(curve.times.len()), *sampler));
    let list = element(&edit.splice, "animations", animation).and_then(|span| edit.splice.member(&span, "samplers"));
    let texts = list.map_or(Vec::new(), |list| edit.splice.elements(&list.value));
    for (sampler, mut curve) in curves.into_iter().take(count) {
        let (first, last) = (curve.times[0], curve.times[curve.times.len() - 1]);
        for time in (0..clip.frames()).map(|frame| clip.time(frame)).filter(|time| (first..=last).contains(time)) {
            curve.insert(time, ON_FRAME * clip.frame_time);
        }
        let input = edit.keys.times(curve.times.iter().copied())?;
        let kind = if curve.turns { "VEC4" } else { "VEC3" };
        let output = edit.keys.pack(kind, curve.values.iter().copied())?;
        edit.splice.set(&texts[sampler], "input", &input.to_string());
        edit.splice.set(&texts[sampler], "output", &output.to_string());
    }
    edit.finish()
}

/// Whether a node is a bone of the character that is read, hangs from one, or carries its skin.
fn is_of_character(root: &JsonNode, scene: &BoneScene, node: usize) -> Result<bool, Error> {
    if scene.carrier[node].is_some() {
        return Ok(true);
    }
    let skin = root.element("nodes", node).and_then(|node| non_negative_integer(&node.value["skin"]));
    skin.and_then(|skin| root.element("skins", skin)).map_or(Ok(false), |skin| scene.has_skin(&skin))
}

/// The frames of a clip and their new times.
struct RetimedFrames<'a> {
    clip: &'a Clip,
    map: &'a TimeMap,
    spans: Vec<RetimedSpan>,
}

/// A key of the new curve.
struct Key {
    time: f64,
    numbers: Vec<f64>,
    /// Index of the key in the old curve; `None` for a new key.
    old: Option<usize>,
}

impl RetimedFrames<'_> {
    /// Moves the keys of the curves that move the character, its scales and its shapes.
    fn retimed_character(
        &self,
        document: &GltfDocument,
        animation: usize,
        accessors: &Accessors,
    ) -> Result<WrittenGltf, Error> {
        let scene = BoneScene::new(document)?;
        let root = document.root();
        let at = root.animation(animation)?;
        let samplers = at.list("samplers")?;
        let (mut edit, mut channels) = (GltfEdit::new(document), Channels::new(document, animation));
        for channel in at.list("channels")? {
            let ChannelTarget { node: Some(node), path, .. } = ChannelTarget::of(channel.value) else { continue };
            if scene.is_above_character[node] || !is_of_character(&root, &scene, node)? {
                continue;
            }
            let sampler = &samplers[channel.need("sampler")?.non_negative_integer()?];
            let Some(old) = KeyCurve::read(sampler, accessors, path == "rotation")? else { continue };
            let output = sampler.need("output")?.non_negative_integer()?;
            let kind = root.element("accessors", output).and_then(|a| a.value["type"].as_str()).unwrap_or("SCALAR");
            let new = self.retimed(&old);
            let input = edit.keys.times(new.times.iter().copied())?;
            let output = edit.keys.pack(kind, new.values.iter().copied())?;
            channels.set(node, path, SamplerAccessors { input, output, interpolation: new.interpolation });
        }
        channels.write(&mut edit.splice, animation);
        edit.finish()
    }

    fn near(&self) -> f64 {
        ON_FRAME * self.clip.frame_time
    }

    /// Position of a time in frames of the old clip, rounded to a frame if near to one.
    fn frame_at(&self, seconds: f64) -> f64 {
        let at = (seconds - self.clip.start_time) / self.clip.frame_time;
        let whole = libm::round(at);
        if (at - whole).abs() <= ON_FRAME { whole } else { at }
    }

    fn retimed(&self, old: &KeyCurve) -> KeyCurve {
        let mut curve = old.clone();
        let dense: Vec<bool> = self.spans.iter().map(|span| self.is_dense(old, span)).collect();
        for span in &self.spans {
            for end in [span.old.0, span.old.1] {
                self.pin(&mut curve, self.clip.time(end));
            }
        }
        let mut keys: Vec<Key> = Vec::with_capacity(curve.times.len() + self.map.frames());
        for key in 0..curve.times.len() {
            let at = self.frame_at(curve.times[key]);
            let inside = self.spans.iter().position(|s| at > s.old.0 as f64 && at < s.old.1 as f64);
            if inside.is_some_and(|span| dense[span]) {
                continue;
            }
            let time = match inside {
                Some(_) => self.moved(at),
                None => self.shifted(curve.times[key], at),
            };
            let stride = curve.stride();
            let numbers = curve.values[key * stride..][..stride].to_vec();
            keys.push(Key { time, numbers, old: Some(key) });
        }
        for (span, _) in self.spans.iter().zip(&dense).filter(|(_, dense)| **dense) {
            keys.extend((span.new.0 + 1..span.new.1).filter_map(|frame| self.sampled(&curve, frame)));
        }
        keys.sort_by(|a, b| a.time.total_cmp(&b.time));
        keys.dedup_by(|b, a| b.time <= a.time);
        self.stretch_tangents(&curve, &mut keys);
        KeyCurve {
            times: keys.iter().map(|key| key.time).collect(),
            values: keys.into_iter().flat_map(|key| key.numbers).collect(),
            ..curve
        }
    }

    /// Whether a curve has a key at nearly every frame of a span, where it covers the span, or keys that would meet.
    fn is_dense(&self, curve: &KeyCurve, span: &RetimedSpan) -> bool {
        let (first, last) = (curve.times[0] - self.near(), curve.times[curve.times.len() - 1] + self.near());
        let covered = |frame: &usize| (first..=last).contains(&self.clip.time(*frame));
        let frames: Vec<usize> = (span.old.0..=span.old.1).filter(covered).collect();
        let with_key = frames.iter().filter(|&&f| curve.key_at(self.clip.time(f), self.near()).is_some()).count();
        if frames.len() > 2 && with_key as f64 >= DENSE * frames.len() as f64 {
            return true;
        }
        let inside = |at: &f64| *at > span.old.0 as f64 && *at < span.old.1 as f64;
        let positions = curve.times.iter().map(|&time| self.frame_at(time)).filter(inside);
        let ends = [self.clip.time(span.new.0), self.clip.time(span.new.1)];
        let moved: Vec<f64> =
            [ends[0]].into_iter().chain(positions.map(|at| self.moved(at))).chain([ends[1]]).collect();
        moved.windows(2).any(|pair| pair[1] - pair[0] < self.near())
    }

    /// Inserts a key at a time, if the curve passes through that time and is not level there.
    fn pin(&self, curve: &mut KeyCurve, seconds: f64) {
        let after = curve.times.partition_point(|&time| time <= seconds);
        let ends = after > 0 && after < curve.times.len();
        if !ends || curve.interpolation == Interpolation::Step {
            return;
        }
        let level = curve.interpolation == Interpolation::Linear
            && curve.part(after - 1, SplinePart::Value) == curve.part(after, SplinePart::Value);
        if !level {
            curve.insert(seconds, self.near());
        }
    }

    /// New time of a key outside the spans.
    fn shifted(&self, seconds: f64, at: f64) -> f64 {
        let passed = self.spans.iter().rev().find(|span| at >= span.old.1 as f64);
        match passed.map(|span| span.new.1 as f64 - span.old.1 as f64) {
            Some(frames) if frames != 0.0 => seconds + frames * self.clip.frame_time,
            _ => seconds,
        }
    }

    /// New time of a key inside a span; on a frame if the old time was.
    fn moved(&self, at: f64) -> f64 {
        let new = self.map.inverse(at);
        let new = if at == libm::round(at) { libm::round(new) } else { new };
        self.clip.start_time + new * self.clip.frame_time
    }

    /// The key of a dense curve at a new frame; `None` beyond the ends of the curve.
    fn sampled(&self, curve: &KeyCurve, frame: usize) -> Option<Key> {
        let near = self.near();
        let source = self.map.old_frame(frame).map_or(self.map.source(frame), |whole| whole as f64);
        let seconds = self.clip.start_time + source * self.clip.frame_time;
        if seconds < curve.times[0] - near || seconds > curve.times[curve.times.len() - 1] + near {
            return None;
        }
        let time = self.clip.time(frame);
        let numbers = match curve.interpolation {
            Interpolation::Step => curve.at(seconds, near),
            Interpolation::Linear => self.smooth(curve, source),
            Interpolation::CubicSpline => {
                let slope = match curve.key_at(seconds, near) {
                    Some(key) => {
                        [curve.part(key, SplinePart::Arriving).to_vec(), curve.part(key, SplinePart::Leaving).to_vec()]
                    }
                    None => [curve.slope(seconds), curve.slope(seconds)],
                };
                let before = self.map.source(frame) - self.map.source(frame - 1);
                let after = self.map.source(frame + 1) - self.map.source(frame);
                let scaled = |slope: &[f64], by: f64| -> Vec<f64> { slope.iter().map(|x| x * by).collect() };
                [scaled(&slope[0], before), curve.at(seconds, near), scaled(&slope[1], after)].concat()
            }
        };
        Some(Key { time, numbers, old: None })
    }

    /// Value between two frames, on the spline through the four frames around; on a frame, its own value.
    fn smooth(&self, curve: &KeyCurve, source: f64) -> Vec<f64> {
        let at = |frame: usize| curve.at(self.clip.time(frame), self.near());
        let Some(spline) = spline(self.clip.frames(), source) else {
            let nearest = (source.round().max(0.0) as usize).min(self.clip.frames() - 1);
            let key = curve.key_at(self.clip.time(nearest), self.near());
            return key.map_or_else(|| at(nearest), |key| curve.part(key, SplinePart::Value).to_vec());
        };
        let reference = at(spline[1].0);
        let mut sum = vec![0.0; curve.width];
        for (frame, weight) in spline {
            let value = at(frame);
            let opposite = curve.turns && value.iter().zip(&reference).map(|(a, b)| a * b).sum::<f64>() < 0.0;
            let weight = if opposite { -weight } else { weight };
            sum.iter_mut().zip(value).for_each(|(sum, value)| *sum += weight * value);
        }
        let length = libm::sqrt(sum.iter().map(|x| x * x).sum::<f64>());
        match curve.turns {
            true if length > 1e-6 => sum.into_iter().map(|x| x / length).collect(),
            true => reference,
            false => sum,
        }
    }

    /// Scales the tangents of splines where the time between two keys has changed.
    fn stretch_tangents(&self, curve: &KeyCurve, keys: &mut [Key]) {
        if curve.interpolation != Interpolation::CubicSpline {
            return;
        }
        let width = curve.width;
        for index in 1..keys.len() {
            let (leaving, arriving) = match (keys[index - 1].old, keys[index].old) {
                (Some(a), Some(b)) => {
                    let ratio = (curve.times[b] - curve.times[a]) / (keys[index].time - keys[index - 1].time);
                    let ratio = if (ratio - 1.0).abs() < 1e-6 { 1.0 } else { ratio };
                    (ratio, ratio)
                }
                (Some(_), None) => (self.pace(keys[index].time), 1.0),
                (None, Some(_)) => (1.0, self.pace(keys[index].time)),
                (None, None) => (1.0, 1.0),
            };
            keys[index - 1].numbers[2 * width..].iter_mut().for_each(|x| *x *= leaving);
            keys[index].numbers[..width].iter_mut().for_each(|x| *x *= arriving);
        }
    }

    /// Old frames per new frame just before a new time.
    fn pace(&self, seconds: f64) -> f64 {
        let frame = libm::round((seconds - self.clip.start_time) / self.clip.frame_time).max(0.0) as usize;
        if frame == 0 || frame >= self.map.frames() {
            return 1.0;
        }
        self.map.source(frame) - self.map.source(frame - 1)
    }
}
