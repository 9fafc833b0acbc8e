//! Packs key times and values as 32-bit floats in one buffer view, with the accessors that describe them.

use serde_json::{Value, json};

use crate::{Error, Location};

/// Numbers to append to a buffer, with their accessors.
#[derive(Clone, Debug)]
pub(super) struct PackedKeys {
    /// Little-endian bytes, 4 per number.
    pub bytes: Vec<u8>,
    /// Accessors of the numbers.
    pub accessors: Vec<Value>,
    view: usize,
    first_accessor: usize,
    /// Key times packed so far, with their accessors.
    times: Vec<(Vec<f32>, usize)>,
}

impl PackedKeys {
    /// Starts with nothing packed. The numbers will lie in buffer view `view`; their accessors begin at `first_accessor`.
    pub fn new(view: usize, first_accessor: usize) -> Self {
        Self { bytes: Vec::new(), accessors: Vec::new(), view, first_accessor, times: Vec::new() }
    }

    /// Packs strictly increasing key times and returns the index of their accessor; equal times share an accessor.
    pub fn times(&mut self, seconds: impl ExactSizeIterator<Item = f64>) -> Result<usize, Error> {
        let rounded: Vec<f32> = seconds.map(|t| t as f32).collect();
        if rounded.windows(2).any(|t| t[1] <= t[0]) {
            let message = "frames are too close together for times in 32-bit floats; let the clip start nearer to 0 s";
            return Err(Error::new(Location::File, message));
        }
        if let Some((_, known)) = self.times.iter().find(|(times, _)| *times == rounded) {
            return Ok(*known);
        }
        let (first, last) = (rounded[0], rounded[rounded.len() - 1]);
        let index = self.pack("SCALAR", 1, rounded.iter().map(|&t| f64::from(t)))?;
        let accessor = self.accessors.last_mut().expect("just packed");
        accessor["min"] = json!([f64::from(first)]);
        accessor["max"] = json!([f64::from(last)]);
        self.times.push((rounded, index));
        Ok(index)
    }

    /// Packs vectors of `kind` with `width` numbers each and returns the index of their accessor.
    pub fn pack(&mut self, kind: &str, width: usize, numbers: impl Iterator<Item = f64>) -> Result<usize, Error> {
        let offset = self.bytes.len();
        for number in numbers {
            let rounded = number as f32;
            if !rounded.is_finite() {
                return Err(Error::new(Location::File, format!("{number} is not a number that fits in 32 bits")));
            }
            self.bytes.extend_from_slice(&rounded.to_le_bytes());
        }
        let count = (self.bytes.len() - offset) / (4 * width);
        self.accessors.push(json!({
            "bufferView": self.view, "byteOffset": offset, "componentType": 5126, "count": count, "type": kind,
        }));
        Ok(self.first_accessor + self.accessors.len() - 1)
    }
}
