//! A correction's changes, in the units and axes of the file.

use muybridge::character::Skeleton;
use muybridge::character::units::Units;
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::Clip;

use crate::{Error, Location};

/// An original and a corrected clip in meters, y up, with the file's units and axes.
pub(crate) struct ClipChange<'a> {
    skeleton: &'a Skeleton,
    units: &'a Units,
    original: &'a Clip,
    corrected: &'a Clip,
}

impl<'a> ClipChange<'a> {
    /// Checks that both clips have the bones and frames of `clip`, the clip of the file, and only finite numbers.
    pub fn new(
        skeleton: &'a Skeleton,
        clip: &Clip,
        units: &'a Units,
        original: &'a Clip,
        corrected: &'a Clip,
    ) -> Result<Self, Error> {
        let size = |clip: &Clip| (clip.bones(), clip.frames());
        if size(original) != size(clip) || size(corrected) != size(clip) {
            let ((bones, frames), (own, length)) = (size(corrected), size(clip));
            let message = format!("a correction of {frames} frames and {bones} bones for a clip of {length} and {own}");
            return Err(Error::new(Location::File, message));
        }
        corrected.check_finite().map_err(|error| Error::new(Location::File, error.to_string()))?;
        Ok(Self { skeleton, units, original, corrected })
    }

    /// Meters per unit of the file.
    pub fn meters_per_unit(&self) -> f64 {
        self.units.meters_per_unit
    }

    /// Whether any frame of a bone changes.
    pub fn touches(&self, bone: usize) -> bool {
        (0..self.original.frames())
            .any(|frame| self.shift(bone, frame).is_some() || self.rotation(bone, frame).is_some())
    }

    /// Whether the correction changes nothing.
    pub fn is_empty(&self) -> bool {
        !(0..self.original.bones()).any(|bone| self.touches(bone))
    }

    /// Shift of a bone against its parent, file units; `None` if its position is bit for bit the same.
    pub fn shift(&self, bone: usize, frame: usize) -> Option<DVec3> {
        let (old, new) = (self.original.translation(bone, frame), self.corrected.translation(bone, frame));
        let same = old.to_array().map(f64::to_bits) == new.to_array().map(f64::to_bits);
        (!same).then(|| self.axes(bone, new - old) / self.units.meters_per_unit)
    }

    /// New local rotation of a bone, in the axes of the file; `None` if it is bit for bit the same.
    pub fn rotation(&self, bone: usize, frame: usize) -> Option<DQuat> {
        let (old, new) = (self.original.rotation(bone, frame), self.corrected.rotation(bone, frame));
        let same = old.to_array().map(f64::to_bits) == new.to_array().map(f64::to_bits);
        let is_root = self.skeleton.bones()[bone].parent.is_none();
        (!same).then(|| if is_root { self.units.up.orientation_from_y(new) } else { new }.normalize())
    }

    fn axes(&self, bone: usize, v: DVec3) -> DVec3 {
        if self.skeleton.bones()[bone].parent.is_none() { self.units.up.vector_from_y(v) } else { v }
    }
}
