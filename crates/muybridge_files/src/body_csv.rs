//! Masses of the bones from a CSV table with a header line.
//!
//! ```text
//! joint, mass_kg, com_x, com_y, com_z, Ixx, Iyy, Izz [, Ixy, Ixz, Iyz]
//! ```
//! Columns may stand in any order; unknown columns are ignored. Center of mass in the bone's frame (m); inertia about the center
//! of mass along the bone's axes (kg m²). `Ixy` is the tensor element `−∫ x y dm`, not its negative; if left out, it is 0.
//!
//! An inertia belongs to a solid if and only if the second moments of its mass, `J = ½ tr(I) 1 − I`, are positive
//! semi-definite: that contains both `I ⪰ 0` and the triangle inequality of the principal moments
//! (Wensing, Kim, Slotine 2018, *Linear matrix inequalities for physically consistent inertial parameter
//! identification*, equation 14). A table that violates this is read with a note.

use std::collections::{BTreeMap, BTreeSet};

use muybridge::character::{Body, Skeleton};
use muybridge::glam::{DMat3, DVec3};

use crate::table::CsvTable;
use crate::{Error, Location};

/// Mass properties of a bone, by the bone's name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedBody {
    /// Name of the bone, from the cell of column `joint`.
    pub name: String,
    /// Mass, center of mass and inertia; no shapes.
    pub body: Body,
    /// Line of the table, from 1.
    pub line: usize,
}

/// A table of masses.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyTable {
    /// Bodies in file order; names are unique.
    pub bodies: Vec<NamedBody>,
    /// Doubts about the numbers, one sentence each.
    pub notes: Vec<String>,
}

/// Reads a table of masses. Errors name line and column.
pub fn parse(bytes: &[u8]) -> Result<BodyTable, Error> {
    let table = CsvTable::parse(bytes)?;
    let joint = table.find("joint").or(table.find("bone")).map_or_else(|| table.column("joint"), Ok)?;
    let mass = table.column("mass_kg")?;
    let center = [table.column("com_x")?, table.column("com_y")?, table.column("com_z")?];
    let moments = [table.column("Ixx")?, table.column("Iyy")?, table.column("Izz")?];
    let products = [table.find("Ixy"), table.find("Ixz"), table.find("Iyz")];
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut bodies, mut notes) = (Vec::new(), Vec::new());
    for row in &table.rows {
        let number = |column: usize| table.number(row, column);
        let optional = |column: Option<usize>| column.map_or(Ok(0.0), number);
        let (name, line) = (table.text(row, joint)?, row.line);
        if let Some(first) = lines.insert(name, line) {
            return Err(table.error(row, joint, format!("“{name}” has a body on line {first} already; keep one")));
        }
        let kilograms = number(mass)?;
        if kilograms < 0.0 {
            return Err(table.error(
                row,
                mass,
                format!("the mass of “{name}” is {kilograms} kg; it must not be negative"),
            ));
        }
        let center = DVec3::new(number(center[0])?, number(center[1])?, number(center[2])?);
        let [xx, yy, zz] = [number(moments[0])?, number(moments[1])?, number(moments[2])?];
        let [xy, xz, yz] = [optional(products[0])?, optional(products[1])?, optional(products[2])?];
        let inertia = DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
        notes.extend(doubt(kilograms, inertia).map(|doubt| format!("Line {line}: {doubt} (“{name}”).")));
        bodies.push(NamedBody {
            name: name.into(),
            body: Body { mass: kilograms, center, inertia, shapes: vec![] },
            line,
        });
    }
    Ok(BodyTable { bodies, notes })
}

/// Sorts the bodies by bones of the skeleton, with [`Body::none`] for bones that the table does not name. Names that are no
/// bones are an error that lists them.
pub fn match_bones(bodies: &[NamedBody], skeleton: &Skeleton) -> Result<Vec<Body>, Error> {
    let mut placed = vec![Body::none(); skeleton.len()];
    let bones = bones_of(bodies.iter().map(|body| (body.name.as_str(), body.line)), skeleton)?;
    for (named, bone) in bodies.iter().zip(bones) {
        placed[bone] = named.body.clone();
    }
    Ok(placed)
}

/// Bone index of each name, given with its line. Names that are no bones are an error that lists them.
pub(crate) fn bones_of<'a>(
    names: impl Iterator<Item = (&'a str, usize)>,
    skeleton: &Skeleton,
) -> Result<Vec<usize>, Error> {
    let index: BTreeMap<&str, usize> =
        skeleton.bones().iter().enumerate().map(|(bone, b)| (b.name.as_str(), bone)).collect();
    let (mut bones, mut unknown, mut listed) = (Vec::new(), BTreeSet::new(), Vec::new());
    let mut first_line = 0;
    for (name, line) in names {
        match index.get(name) {
            Some(&bone) => bones.push(bone),
            None if unknown.insert(name) && listed.len() < LISTED => {
                first_line = if listed.is_empty() { line } else { first_line };
                listed.push(format!("“{name}”"));
            }
            None => {}
        }
    }
    if unknown.is_empty() {
        return Ok(bones);
    }
    let more = unknown.len() - listed.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let list = listed.join(", ");
    let message = format!("the clip has no bone named {list}{more}; use the clip's names, letter by letter");
    Err(Error::new(Location::Text { line: first_line, column: 1 }, message))
}

/// Greatest number of unknown names in an error.
const LISTED: usize = 10;

/// Relative size of a negative minor that is taken for rounding of digits.
const ROUNDING: f64 = 1e-6;

fn doubt(mass: f64, inertia: DMat3) -> Option<&'static str> {
    if mass == 0.0 {
        return (inertia != DMat3::ZERO).then_some("inertia without mass");
    }
    let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    if inertia == DMat3::ZERO {
        return None;
    }
    let second_moments = (DMat3::from_diagonal(DVec3::splat(0.5 * trace)) - inertia) * (1.0 / trace.abs());
    (!(trace > 0.0 && is_positive_semidefinite(second_moments)))
        .then_some("no solid has this inertia: a principal moment is negative or exceeds the sum of the others")
}

/// Whether all principal minors of a symmetric matrix of size about 1 are at least 0.
fn is_positive_semidefinite(m: DMat3) -> bool {
    let minor = |i: usize, j: usize| m.col(i)[i] * m.col(j)[j] - m.col(i)[j] * m.col(j)[i];
    let minors = [m.x_axis.x, m.y_axis.y, m.z_axis.z, minor(0, 1), minor(0, 2), minor(1, 2), m.determinant()];
    minors.into_iter().all(|minor| minor >= -ROUNDING)
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::character::Bone;
    use muybridge::glam::DQuat;

    const HEADER: &str = "joint,mass_kg,com_x,com_y,com_z,Ixx,Iyy,Izz,Ixy,Ixz,Iyz\n";

    fn skeleton(names: &[&str]) -> Skeleton {
        let bone = |name: &&str| Bone {
            name: (*name).into(),
            parent: None,
            translation: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            ends: vec![],
        };
        Skeleton::new(names.iter().map(bone).collect()).unwrap()
    }

    #[test]
    fn columns_are_found_by_name_in_any_order_through_bom_crlf_quotes_and_blank_lines() {
        let text = "\u{feff}Iyz,mass_kg,note,Ixx,Iyy,Izz,com_x,com_y,com_z,joint\r\n\r\n\
                    -0.5,2,\"a, b\",3,4,5,0.1,-.2,3e-1,\"Left \"\"Up\"\" Leg, 1\"\r\n\r\n";
        let table = parse(text.as_bytes()).unwrap();
        let [body] = table.bodies.as_slice() else { panic!("one row") };
        assert_eq!((body.name.as_str(), body.line), ("Left \"Up\" Leg, 1", 3));
        assert_eq!(body.body.center, DVec3::new(0.1, -0.2, 0.3));
        assert_eq!(body.body.inertia * DVec3::Y, DVec3::new(0.0, 4.0, -0.5));
        assert_eq!(table.notes, Vec::<String>::new());
    }

    #[test]
    fn bad_cells_are_errors_with_line_and_column() {
        let place = |rows: &str| match parse(format!("{HEADER}{rows}").as_bytes()).unwrap_err().place {
            Location::Text { line, column } => (line, column),
            other => panic!("{other:?}"),
        };
        assert_eq!(place("a,1,0,0,0,1,1,1,0,0,0\nb,1,0,x,0,1,1,1,0,0,0\n"), (3, 7));
        assert_eq!(place("a,-1,0,0,0,1,1,1,0,0,0\n"), (2, 3));
        assert_eq!(place("a,nan,0,0,0,1,1,1,0,0,0\n"), (2, 3));
        assert_eq!(place("\"é,é\",1,0,0,0,1e999,1,1,0,0,0\n"), (2, 15));
        assert_eq!(place("a,1,0,0,0,1,1,1,0,0,0\n\na,1,0,0,0,1,1,1,0,0,0\n"), (4, 1));
        assert_eq!(place(",1,0,0,0,1,1,1,0,0,0\n"), (2, 1));
        assert_eq!(place("a,1,0,0\n").0, 2);
        let missing = parse(b"joint,mass_kg,com_x,com_z,Ixx,Iyy,Izz\n").unwrap_err();
        assert!(missing.message.contains("com_y"), "{missing}");
        assert!(parse(b"").is_err() && parse(b"joint\xff\n").is_err());
    }

    #[test]
    fn an_inertia_no_solid_has_is_noted() {
        let notes = |row: &str| parse(format!("{HEADER}{row}\n").as_bytes()).unwrap().notes.len();
        assert_eq!(notes("a thin rod along y,1,0,0,0,1,0,1,0,0,0"), 0);
        assert_eq!(notes("a thin disc across y,1,0,0,0,1,2,1,0,0,0"), 0);
        assert_eq!(notes("a point,1,0,0,0,0,0,0,0,0,0"), 0);
        assert_eq!(notes("beyond a disc,1,0,0,0,1,2.1,1,0,0,0"), 1);
        assert_eq!(notes("a negative moment,1,0,0,0,1,-1,1,0,0,0"), 1);
        assert_eq!(notes("products too large,1,0,0,0,1,1,1,0.9,0,0"), 1);
        assert_eq!(notes("inertia without mass,0,0,0,0,1,1,1,0,0,0"), 1);
    }

    #[test]
    fn names_the_skeleton_has_not_are_listed_and_bones_not_named_carry_nothing() {
        let table = parse(format!("{HEADER}b,2,0,0,0,1,1,1,0,0,0\n").as_bytes()).unwrap();
        let placed = match_bones(&table.bodies, &skeleton(&["a", "b"])).unwrap();
        assert_eq!((placed[0].clone(), placed[1].mass), (Body::none(), 2.0));
        let error = match_bones(&table.bodies, &skeleton(&["a", "B"])).unwrap_err();
        assert!(error.message.contains("“b”"), "{error}");
    }
}
