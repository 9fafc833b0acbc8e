//! Numbers to write: bytes of a buffer, with one buffer view per accessor, aligned to four bytes, and bounds where glTF requires
//! them.
//!
//! No view is shared, because one view must not hold numbers of two uses: inverse bind matrices and keys, for example.
//! Source: Khronos glTF 2.0 specification, section 3.6.2.

use serde_json::{Value, json};

use crate::{Error, Location};

/// Bytes to write, their views and their accessors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffer {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
    behind: FilledBuffer,
    /// Key times packed so far, with their accessors.
    times: Vec<(Vec<f32>, usize)>,
}

/// What a document has before numbers are added: the buffer that takes them, its bytes, and the counts of the lists.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FilledBuffer {
    pub buffer: usize,
    pub bytes: usize,
    pub views: usize,
    pub accessors: usize,
}

/// Targets of buffer views: vertex attributes, or vertex indices.
pub(crate) const ATTRIBUTE: u32 = 34962;
const INDICES: u32 = 34963;

/// Number of components of an accessor type.
fn width(kind: &str) -> usize {
    match kind {
        "SCALAR" => 1,
        "VEC2" => 2,
        "VEC3" => 3,
        "VEC4" => 4,
        _ => 16,
    }
}

impl Buffer {
    /// Nothing yet, to be written behind the numbers of a document.
    pub(crate) fn behind(behind: FilledBuffer) -> Self {
        Self { behind, ..Self::default() }
    }

    fn push(&mut self, bytes: impl Iterator<Item = u8>, target: Option<u32>, mut accessor: Value) -> usize {
        accessor["bufferView"] = json!(self.view(bytes, target));
        self.accessors.push(accessor);
        self.behind.accessors + self.accessors.len() - 1
    }

    fn view(&mut self, bytes: impl Iterator<Item = u8>, target: Option<u32>) -> usize {
        let offset = self.bytes.len();
        self.bytes.extend(bytes);
        let (buffer, length) = (self.behind.buffer, self.bytes.len() - offset);
        let mut view = json!({"buffer": buffer, "byteOffset": self.behind.bytes + offset, "byteLength": length});
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(view);
        self.behind.views + self.views.len() - 1
    }

    /// Adds the bytes of a picture; returns the view.
    pub(crate) fn picture(&mut self, bytes: &[u8]) -> usize {
        self.view(bytes.iter().copied(), None)
    }

    /// Adds 32-bit floats of accessor type `kind`; returns the accessor. Attributes of three numbers get bounds.
    pub(crate) fn floats(&mut self, kind: &str, values: &[f32], target: Option<u32>) -> usize {
        let mut accessor = json!({"componentType": 5126, "count": values.len() / width(kind), "type": kind});
        if target.is_some() && kind == "VEC3" {
            let (low, high) = bounds(values);
            (accessor["min"], accessor["max"]) = (json!(low), json!(high));
        }
        self.push(values.iter().flat_map(|value| value.to_le_bytes()), target, accessor)
    }

    /// Adds numbers that are not vertices, rounded to 32-bit floats; returns the accessor.
    pub(crate) fn pack(&mut self, kind: &str, numbers: impl Iterator<Item = f64>) -> Result<usize, Error> {
        Ok(self.floats(kind, &rounded(numbers)?, None))
    }

    /// Adds vertex indices, in 16 bits if they fit.
    pub(crate) fn indices(&mut self, indices: &[u32]) -> usize {
        let short = indices.iter().all(|&index| index < 65_535);
        let accessor =
            json!({"componentType": if short { 5123 } else { 5125 }, "count": indices.len(), "type": "SCALAR"});
        let bytes = |index: &u32| {
            let bytes = index.to_le_bytes();
            bytes.into_iter().take(if short { 2 } else { 4 })
        };
        self.push(indices.iter().flat_map(bytes), Some(INDICES), accessor)
    }

    /// Adds four joint indices per vertex, in 16 bits.
    pub(crate) fn joints(&mut self, joints: &[[u16; 4]]) -> usize {
        let accessor = json!({"componentType": 5123, "count": joints.len(), "type": "VEC4"});
        self.push(joints.iter().flatten().flat_map(|joint| joint.to_le_bytes()), Some(ATTRIBUTE), accessor)
    }

    /// Adds key times, at least one, which must increase; equal times share an accessor.
    pub(crate) fn times(&mut self, seconds: impl Iterator<Item = f64>) -> Result<usize, Error> {
        let seconds: Vec<f32> = seconds.map(|second| second as f32).collect();
        if seconds.windows(2).any(|pair| pair[1] <= pair[0]) {
            let message = "frames are too close together for times in 32-bit floats; take fewer frames per second, or let \
                           the clip start nearer to 0 s";
            return Err(Error::new(Location::File, message));
        }
        if let Some((_, known)) = self.times.iter().find(|(times, _)| *times == seconds) {
            return Ok(*known);
        }
        let index = self.floats("SCALAR", &seconds, None);
        let (first, last) = (seconds.first().copied().unwrap_or(0.0), seconds.last().copied().unwrap_or(0.0));
        let accessor = self.accessors.last_mut().expect("just packed");
        (accessor["min"], accessor["max"]) = (json!([f64::from(first)]), json!([f64::from(last)]));
        self.times.push((seconds, index));
        Ok(index)
    }
}

/// Numbers as 32-bit floats. The error says which number does not fit.
pub(crate) fn rounded(numbers: impl Iterator<Item = f64>) -> Result<Vec<f32>, Error> {
    numbers
        .map(|number| {
            let rounded = number as f32;
            let message = || format!("{number} is not a number that fits in 32 bits");
            if rounded.is_finite() { Ok(rounded) } else { Err(Error::new(Location::File, message())) }
        })
        .collect()
}

/// Least and greatest of each of three components. JSON holds exactly these 32-bit numbers.
fn bounds(values: &[f32]) -> ([f64; 3], [f64; 3]) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for vector in values.chunks_exact(3) {
        for axis in 0..3 {
            (low[axis], high[axis]) = (low[axis].min(vector[axis]), high[axis].max(vector[axis]));
        }
    }
    (low.map(f64::from), high.map(f64::from))
}
