//! Per-frame lists of an entry of `clips`, and the JSON form of a vector.

use muybridge::analysis::Analysis;
use muybridge::analysis::PerFrame;
use muybridge::glam::DVec3;
use serde::ser::{Serialize, Serializer};

/// The per-frame lists of a clip: row k is frame k.
#[derive(serde::Serialize)]
pub struct PerFrameDocument<'a> {
    time_s: &'a [f64],
    mass_center_m: VectorRows<'a>,
    mass_center_velocity_mps: VectorRows<'a>,
    mass_center_acceleration_mps2: VectorRows<'a>,
    linear_momentum_kgmps: VectorRows<'a>,
    angular_momentum_kgm2ps: VectorRows<'a>,
    angular_momentum_rate_kgm2ps2: VectorRows<'a>,
    ground_force_n: VectorRows<'a>,
    zmp_m: VectorRows<'a>,
    support_margin_m: &'a [Option<f64>],
    support_polygon_m: Polygons<'a>,
    support_area_m2: &'a [Option<f64>],
    residual_force_n: VectorRows<'a>,
    residual_moment_nm: VectorRows<'a>,
    contacts: ContactRows<'a>,
}

impl<'a> PerFrameDocument<'a> {
    /// Borrows the lists of an analyzed clip.
    pub fn new(analysis: &'a Analysis) -> Self {
        Self::of(&analysis.per_frame, Some(analysis))
    }

    /// Empty lists, for a file that could not be read.
    pub fn none(rows: &'a PerFrame) -> Self {
        Self::of(rows, None)
    }

    fn of(rows: &'a PerFrame, analysis: Option<&'a Analysis>) -> Self {
        Self {
            time_s: &rows.time,
            mass_center_m: VectorRows(&rows.mass_center),
            mass_center_velocity_mps: VectorRows(&rows.mass_center_velocity),
            mass_center_acceleration_mps2: VectorRows(&rows.mass_center_acceleration),
            linear_momentum_kgmps: VectorRows(&rows.linear_momentum),
            angular_momentum_kgm2ps: VectorRows(&rows.angular_momentum),
            angular_momentum_rate_kgm2ps2: VectorRows(&rows.angular_momentum_rate),
            ground_force_n: VectorRows(&rows.ground_force),
            zmp_m: VectorRows(&rows.zero_moment_point),
            support_margin_m: &rows.support_margin,
            support_polygon_m: Polygons { analysis },
            support_area_m2: &rows.support_area,
            residual_force_n: VectorRows(&rows.residual_force),
            residual_moment_nm: VectorRows(&rows.residual_moment),
            contacts: ContactRows { analysis },
        }
    }
}

/// A vector as a list of three numbers; `null` if a component is not finite.
#[derive(Clone, Copy)]
pub struct Vector(pub DVec3);

impl Serialize for Vector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.is_finite().then(|| self.0.to_array()).serialize(serializer)
    }
}

/// Per frame a vector or `null`.
struct VectorRows<'a>(&'a [Option<DVec3>]);

impl Serialize for VectorRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|row| row.map(Vector)))
    }
}

/// Per frame the corners of the support polygon, none without one; `null` for a frame outside the analyzed range.
struct Polygons<'a> {
    analysis: Option<&'a Analysis>,
}

impl Serialize for Polygons<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(analysis) = self.analysis else { return serializer.collect_seq(std::iter::empty::<()>()) };
        let (first, end) = analysis.range;
        serializer.collect_seq(analysis.per_frame.support_polygon.iter().enumerate().map(|(frame, corners)| {
            (first..end).contains(&frame).then(|| corners.iter().copied().map(Vector).collect()) as Option<Vec<Vector>>
        }))
    }
}

/// Per frame the names of the bones in contact; `null` for a frame outside the analyzed range.
struct ContactRows<'a> {
    analysis: Option<&'a Analysis>,
}

impl Serialize for ContactRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(analysis) = self.analysis else { return serializer.collect_seq(std::iter::empty::<()>()) };
        let (first, end) = analysis.range;
        serializer.collect_seq(analysis.per_frame.contacts.iter().enumerate().map(|(frame, touching)| {
            (first..end).contains(&frame).then(|| touching.iter().map(|&bone| analysis.bones[bone].as_str()).collect())
                as Option<Vec<&str>>
        }))
    }
}
