//! Tables of masses, centers of mass and radii of gyration of human segments.
//!
//! de Leva (1996), Table 4 and its alternative end points, and Dempster (1955) as tabulated by Winter (2009), Table 4.1:
//! mathematics 2.5.1 and 2.5.2. Columns: length of the reference subject (m), mass (fraction of the body's), center
//! (fraction of the length from the first end point), radii of gyration about the sagittal, transverse and longitudinal
//! axis (fractions of the length).

use super::Anthropometry;

/// A body segment between two landmarks; `center` is measured from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodySegment {
    /// Vertex to cervicale.
    Head,
    /// Cervicale to xiphion.
    UpperTrunk,
    /// Xiphion to omphalion.
    MiddleTrunk,
    /// Omphalion to mid-hip.
    LowerTrunk,
    /// Shoulder to elbow.
    UpperArm,
    /// Elbow to wrist.
    Forearm,
    /// Wrist to third fingertip.
    Hand,
    /// Hip to knee.
    Thigh,
    /// Knee to ankle.
    Shank,
    /// Heel to tip of the longest toe.
    Foot,
}

/// Table row of a segment: length, mass, center of mass and radii of gyration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SegmentRow {
    /// Length in the reference subject, meters.
    pub length: f64,
    /// Fraction of body mass.
    pub mass: f64,
    /// Center of mass, fraction of the length from the first end.
    pub center: f64,
    /// Radii of gyration about the sagittal, transverse and longitudinal axis, fractions of the length.
    pub gyration: [f64; 3],
}

/// Returns the row of a segment. The masses of a whole body sum to 1 within the rounding of the table.
pub(crate) fn row(table: Anthropometry, segment: BodySegment) -> SegmentRow {
    let at = segment as usize;
    match table {
        Anthropometry::DeLevaMale => unpack(MALE[at]),
        Anthropometry::DeLevaFemale => unpack(FEMALE[at]),
        Anthropometry::DeLevaMean => mean(unpack(MALE[at]), unpack(FEMALE[at])),
        Anthropometry::Dempster => unpack(DEMPSTER[at]),
    }
}

/// Distance from mid-shoulder to mid-hip in the reference subject, meters; heights on the trunk are fractions of it.
pub(crate) fn trunk_length(table: Anthropometry) -> f64 {
    match table {
        Anthropometry::DeLevaFemale => 0.4979,
        Anthropometry::DeLevaMean => 0.5067,
        Anthropometry::DeLevaMale | Anthropometry::Dempster => 0.5155,
    }
}

fn unpack([length, mass, center, sagittal, transverse, longitudinal]: [f64; 6]) -> SegmentRow {
    SegmentRow { length, mass, center, gyration: [sagittal, transverse, longitudinal] }
}

fn mean(a: SegmentRow, b: SegmentRow) -> SegmentRow {
    let half = |a: f64, b: f64| 0.5 * (a + b);
    SegmentRow {
        length: half(a.length, b.length),
        mass: half(a.mass, b.mass),
        center: half(a.center, b.center),
        gyration: [0, 1, 2].map(|axis| half(a.gyration[axis], b.gyration[axis])),
    }
}

const MALE: [[f64; 6]; 10] = [
    [0.2429, 0.0694, 0.5002, 0.303, 0.315, 0.261],
    [0.2421, 0.1596, 0.5066, 0.505, 0.320, 0.465],
    [0.2155, 0.1633, 0.4502, 0.482, 0.383, 0.468],
    [0.1457, 0.1117, 0.6115, 0.615, 0.551, 0.587],
    [0.2817, 0.0271, 0.5772, 0.285, 0.269, 0.158],
    [0.2689, 0.0162, 0.4574, 0.276, 0.265, 0.121],
    [0.1879, 0.0061, 0.3624, 0.288, 0.235, 0.184],
    [0.4222, 0.1416, 0.4095, 0.329, 0.329, 0.149],
    [0.4403, 0.0433, 0.4395, 0.251, 0.246, 0.102],
    [0.2581, 0.0137, 0.4415, 0.257, 0.245, 0.124],
];

const FEMALE: [[f64; 6]; 10] = [
    [0.2437, 0.0668, 0.4841, 0.271, 0.295, 0.261],
    [0.2280, 0.1545, 0.5050, 0.466, 0.314, 0.449],
    [0.2053, 0.1465, 0.4512, 0.433, 0.354, 0.415],
    [0.1815, 0.1247, 0.4920, 0.433, 0.402, 0.444],
    [0.2751, 0.0255, 0.5754, 0.278, 0.260, 0.148],
    [0.2643, 0.0138, 0.4559, 0.261, 0.257, 0.094],
    [0.1701, 0.0056, 0.3427, 0.244, 0.208, 0.154],
    [0.3685, 0.1478, 0.3612, 0.369, 0.364, 0.162],
    [0.4386, 0.0481, 0.4352, 0.267, 0.263, 0.092],
    [0.2283, 0.0129, 0.4014, 0.299, 0.279, 0.139],
];

/// Dempster has one transverse radius and none about the long axis, and no lengths: lengths, long-axis radii and the
/// radii of the trunk's thirds are de Leva's (male). His head ends at the ear canal, taken as half way from C7 to the
/// vertex; his thirds of the trunk end at T12/L1 and L4/L5, taken at 0.55 and 0.28 of the way from hips to shoulders,
/// and the centers are rewritten for the end points used here. The foot runs from the malleolus in Dempster: its center
/// is the same point counted from the heel, 0.25 + 0.5 × 0.48 of the foot, and its radius 0.475 × 0.48.
const DEMPSTER: [[f64; 6]; 10] = [
    [0.2429, 0.0810, 0.5000, 0.303, 0.315, 0.261],
    [0.2421, 0.2160, 1.0831, 0.505, 0.320, 0.465],
    [0.2155, 0.1390, 0.6446, 0.482, 0.383, 0.468],
    [0.1457, 0.1420, 0.1134, 0.615, 0.551, 0.587],
    [0.2817, 0.0280, 0.4360, 0.322, 0.322, 0.158],
    [0.2689, 0.0160, 0.4300, 0.303, 0.303, 0.121],
    [0.1879, 0.0060, 0.2321, 0.136, 0.136, 0.184],
    [0.4222, 0.1000, 0.4330, 0.323, 0.323, 0.149],
    [0.4403, 0.0465, 0.4330, 0.302, 0.302, 0.102],
    [0.2581, 0.0145, 0.4900, 0.228, 0.228, 0.124],
];

#[cfg(test)]
mod tests {
    use super::*;

    impl BodySegment {
        /// All segments; limb segments count twice in a body.
        const ALL: [Self; 10] = [
            Self::Head,
            Self::UpperTrunk,
            Self::MiddleTrunk,
            Self::LowerTrunk,
            Self::UpperArm,
            Self::Forearm,
            Self::Hand,
            Self::Thigh,
            Self::Shank,
            Self::Foot,
        ];

        /// Number of such segments in a body.
        fn count(self) -> usize {
            match self {
                Self::Head | Self::UpperTrunk | Self::MiddleTrunk | Self::LowerTrunk => 1,
                _ => 2,
            }
        }
    }

    fn total(table: Anthropometry) -> f64 {
        BodySegment::ALL.into_iter().map(|segment| segment.count() as f64 * row(table, segment).mass).sum()
    }

    #[test]
    fn s1_de_leva_male_masses_sum_to_one() {
        assert!((total(Anthropometry::DeLevaMale) - 1.0).abs() < 1e-12);
        assert!((total(Anthropometry::DeLevaFemale) - 0.9999).abs() < 1e-12, "rounding of the printed table");
        assert!((total(Anthropometry::Dempster) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_male_thigh_of_73_kg_weighs_what_mathematics_2_5_says() {
        let thigh = row(Anthropometry::DeLevaMale, BodySegment::Thigh);
        let mass = 73.0 * thigh.mass;
        let moment = |k: f64| mass * (k * thigh.length) * (k * thigh.length);
        assert!((mass - 10.3368).abs() < 5e-5);
        assert!((moment(thigh.gyration[0]) - 0.19944).abs() < 5e-6);
        assert!((moment(thigh.gyration[2]) - 0.04091).abs() < 5e-6);
    }

    #[test]
    fn the_thirds_of_the_trunk_balance_where_the_whole_trunk_does() {
        // Trunk, mid-shoulder to mid-hip: male .4310, female .3782 from the shoulders; Dempster .500.
        for (table, center, tolerance) in [
            (Anthropometry::DeLevaMale, 0.4310, 0.01),
            (Anthropometry::DeLevaFemale, 0.3782, 0.01),
            (Anthropometry::Dempster, 0.500, 0.03),
        ] {
            let trunk = trunk_length(table);
            let mut bottom = 0.0;
            let (mut mass, mut moment) = (0.0, 0.0);
            for segment in [BodySegment::LowerTrunk, BodySegment::MiddleTrunk, BodySegment::UpperTrunk] {
                let row = row(table, segment);
                mass += row.mass;
                moment += row.mass * (bottom + (1.0 - row.center) * row.length);
                bottom += row.length;
            }
            let height = moment / mass / trunk;
            assert!((height - (1.0 - center)).abs() < tolerance, "{table:?}: {height}");
        }
    }
}
