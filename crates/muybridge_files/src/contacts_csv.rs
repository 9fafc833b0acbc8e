//! Contact shapes of the bones from a CSV table with a header line, in one of two forms.
//!
//! ```text
//! solids:  joint, geom, type, ax, ay, az, bx, by, bz, radius      type: sphere, capsule, cylinder, box, point
//! points:  joint, point, x, y, z [, radius]
//! ```
//! Meters, in the frame of the bone. Columns may stand in any order; unknown columns are ignored. A capsule or cylinder reaches
//! from `a` to `b` (centers of its caps; centers of its flat ends), a sphere is centered on `a`, a box has the opposite corners `a`
//! and `b` and sides along the bone's axes. A table with a column `type` is one of solids.
//!
//! Contact points: a sphere's center and both ends of a capsule or cylinder, each with the radius of the solid; the eight
//! corners of a box and single points, with radius 0. A flat-ended cylinder reaches beyond its ends like a capsule, because its
//! rims are rounded outwards.

use muybridge::character::{ContactPoint, Skeleton};
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DQuat, DVec3};

use crate::Error;
use crate::body_csv::bones_of;
use crate::table::{CsvRow, CsvTable};

/// One row of a table of contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedContact {
    /// Name of the bone, from the cell of column `joint`.
    pub bone: String,
    /// Name of the shape, from the cell of column `geom` or `point`; may be empty.
    pub label: String,
    /// Contact spheres: center (in the bone's frame) and radius, meters.
    pub points: Vec<(DVec3, f64)>,
    /// The solid in the bone's frame; `None` for points.
    pub shape: Option<PlacedShape>,
    /// Line of the table, from 1.
    pub line: usize,
}

/// Contacts of a skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedContacts {
    /// Contact points in file order.
    pub points: Vec<ContactPoint>,
    /// Bones and their solids, in file order.
    pub shapes: Vec<(usize, PlacedShape)>,
}

/// Reads a table of contacts. Errors name line and column.
pub fn parse(bytes: &[u8]) -> Result<Vec<NamedContact>, Error> {
    let table = CsvTable::parse(bytes)?;
    let joint = table.find("joint").or(table.find("bone")).map_or_else(|| table.column("joint"), Ok)?;
    let label = table.find("geom").or(table.find("point"));
    let columns = ContactColumns::find(&table)?;
    let mut contacts = Vec::new();
    for row in &table.rows {
        let (points, shape) = match &columns {
            ContactColumns::Solids(columns) => columns.solid(&table, row)?,
            ContactColumns::Points { at, radius } => {
                let radius = radius.map_or(Ok(0.0), |column| length(&table, row, column))?;
                (vec![(vector(&table, row, *at)?, radius)], None)
            }
        };
        let bone = table.text(row, joint)?.to_owned();
        let label = label.map_or(String::new(), |column| row.cell(column).to_owned());
        contacts.push(NamedContact { bone, label, points, shape, line: row.line });
    }
    Ok(contacts)
}

/// Finds the bones of the points and solids. Names that are no bones are an error that lists them.
pub fn match_bones(contacts: &[NamedContact], skeleton: &Skeleton) -> Result<PlacedContacts, Error> {
    let bones = bones_of(contacts.iter().map(|contact| (contact.bone.as_str(), contact.line)), skeleton)?;
    let mut placed = PlacedContacts { points: Vec::new(), shapes: Vec::new() };
    for (contact, bone) in contacts.iter().zip(bones) {
        let point = |&(position, radius): &(DVec3, f64)| ContactPoint { bone, position, radius };
        placed.points.extend(contact.points.iter().map(point));
        placed.shapes.extend(contact.shape.clone().map(|shape| (bone, shape)));
    }
    Ok(placed)
}

/// Column indices of a contact table, in either of its two forms.
enum ContactColumns {
    Solids(SolidColumns),
    Points { at: [usize; 3], radius: Option<usize> },
}

impl ContactColumns {
    fn find(table: &CsvTable) -> Result<Self, Error> {
        if table.find("type").is_some() {
            return Ok(Self::Solids(SolidColumns::find(table)?));
        }
        let at = [table.column("x")?, table.column("y")?, table.column("z")?];
        Ok(Self::Points { at, radius: table.find("radius") })
    }
}

struct SolidColumns {
    kind: usize,
    a: [usize; 3],
    b: [usize; 3],
    radius: usize,
}

type ContactSolid = (Vec<(DVec3, f64)>, Option<PlacedShape>);

impl SolidColumns {
    fn find(table: &CsvTable) -> Result<Self, Error> {
        Ok(Self {
            kind: table.column("type")?,
            a: [table.column("ax")?, table.column("ay")?, table.column("az")?],
            b: [table.column("bx")?, table.column("by")?, table.column("bz")?],
            radius: table.column("radius")?,
        })
    }

    fn solid(&self, table: &CsvTable, row: &CsvRow) -> Result<ContactSolid, Error> {
        let a = vector(table, row, self.a)?;
        let kind = table.text(row, self.kind)?.to_ascii_lowercase();
        if kind == "point" {
            return Ok((vec![(a, 0.0)], None));
        }
        if kind == "box" {
            return Ok(cuboid(a, vector(table, row, self.b)?));
        }
        let radius = length(table, row, self.radius)?;
        let unturned = |shape: Shape| PlacedShape { shape, position: a, rotation: DQuat::IDENTITY };
        match kind.as_str() {
            "sphere" => Ok((vec![(a, radius)], Some(unturned(Shape::Sphere { radius })))),
            "capsule" | "cylinder" => {
                let b = vector(table, row, self.b)?;
                let (half_length, rotation) = along(b - a);
                let shape = match kind.as_str() {
                    "capsule" => Shape::Capsule { radius, half_length },
                    _ => Shape::Cylinder { radius, half_length },
                };
                let placed = PlacedShape { shape, position: a + 0.5 * (b - a), rotation };
                Ok((vec![(a, radius), (b, radius)], Some(placed)))
            }
            _ => {
                let message = format!("the type “{kind}” is unknown; use sphere, capsule, cylinder, box or point");
                Err(table.error(row, self.kind, message))
            }
        }
    }
}

/// Half the length of a segment, and the rotation from y to its direction.
fn along(stretch: DVec3) -> (f64, DQuat) {
    let direction = stretch.try_normalize();
    (
        0.5 * stretch.length(),
        direction.map_or(DQuat::IDENTITY, |direction| DQuat::from_rotation_arc(DVec3::Y, direction)),
    )
}

fn cuboid(a: DVec3, b: DVec3) -> ContactSolid {
    let corner = |n: usize| {
        let pick = |axis: usize| if n >> axis & 1 == 0 { a[axis] } else { b[axis] };
        (DVec3::new(pick(0), pick(1), pick(2)), 0.0)
    };
    let shape = Shape::Box { half_extents: (0.5 * (b - a)).abs() };
    let placed = PlacedShape { shape, position: a + 0.5 * (b - a), rotation: DQuat::IDENTITY };
    ((0..8).map(corner).collect(), Some(placed))
}

/// Greatest coordinate in a bone's frame, meters; a greater number is a mistake, and its square may overflow.
const FARTHEST: f64 = 1e6;

fn vector(table: &CsvTable, row: &CsvRow, columns: [usize; 3]) -> Result<DVec3, Error> {
    let mut vector = DVec3::ZERO;
    for (axis, column) in columns.into_iter().enumerate() {
        vector[axis] = table.number(row, column)?;
        if vector[axis].abs() > FARTHEST {
            return Err(table.error(row, column, "too far from the bone; lengths are in metres"));
        }
    }
    Ok(vector)
}

fn length(table: &CsvTable, row: &CsvRow, column: usize) -> Result<f64, Error> {
    let length = table.number(row, column)?;
    if length < 0.0 {
        return Err(table.error(row, column, format!("the radius is {length} m; it must not be negative")));
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    const HEADER: &str = "joint,geom,type,ax,ay,az,bx,by,bz,radius\n";

    fn one(row: &str) -> NamedContact {
        let mut contacts = parse(format!("{HEADER}{row}\n").as_bytes()).unwrap();
        assert_eq!(contacts.len(), 1);
        contacts.remove(0)
    }

    #[test]
    fn the_ends_of_a_capsule_lie_where_its_shape_ends() {
        for row in ["foot,f,capsule,0.1,0.2,0.3,-0.4,0.6,0.9,0.05", "foot,f,cylinder,0,1,0,0,-1,0,0.05"] {
            let contact = one(row);
            let shape = contact.shape.unwrap();
            let (Shape::Capsule { half_length, .. } | Shape::Cylinder { half_length, .. }) = shape.shape else {
                panic!("{:?}", shape.shape)
            };
            let end = |sign: f64| shape.position + shape.rotation * (sign * half_length * DVec3::Y);
            assert!((end(-1.0) - contact.points[0].0).length() < 1e-15, "{row}");
            assert!((end(1.0) - contact.points[1].0).length() < 1e-15, "{row}");
            assert_eq!((contact.points[0].1, contact.points[1].1), (0.05, 0.05));
        }
    }

    #[test]
    fn a_box_touches_with_its_eight_corners_and_a_sphere_with_its_own() {
        let contact = one("foot,sole,Box,-1,0,2,1,-0.5,5,");
        let shape = contact.shape.unwrap();
        assert_eq!(shape.shape, Shape::Box { half_extents: DVec3::new(1.0, 0.25, 1.5) });
        for (corner, radius) in &contact.points {
            assert_eq!(((*corner - shape.position).abs(), *radius), (DVec3::new(1.0, 0.25, 1.5), 0.0));
        }
        let mut corners: Vec<[i64; 3]> =
            contact.points.iter().map(|(c, _)| (*c * 2.0).as_i64vec3().to_array()).collect();
        corners.sort();
        corners.dedup();
        assert_eq!(corners.len(), 8);
        let sphere = one("head,,sphere,1,2,3,,,,0.1");
        assert_eq!(sphere.points, [(DVec3::new(1.0, 2.0, 3.0), 0.1)]);
        assert_eq!(one("head,,point,1,2,3,,,,").points, [(DVec3::new(1.0, 2.0, 3.0), 0.0)]);
    }

    #[test]
    fn points_need_no_radius() {
        let contacts = parse(b"joint,point,x,y,z,source\nheel,back,1,2,3,\"a, b\"\n").unwrap();
        assert_eq!((contacts[0].bone.as_str(), contacts[0].label.as_str(), contacts[0].line), ("heel", "back", 2));
        assert_eq!((&contacts[0].points, &contacts[0].shape), (&vec![(DVec3::new(1.0, 2.0, 3.0), 0.0)], &None));
        assert_eq!(parse(b"radius,joint,x,y,z\n0.5,a,1,2,3\n").unwrap()[0].points[0].1, 0.5);
    }

    #[test]
    fn x14_bad_rows_are_errors_with_line_and_column() {
        let place = |row: &str| parse(format!("{HEADER}{row}\n").as_bytes()).unwrap_err().place;
        assert_eq!(place("a,b,torus,0,0,0,0,0,0,1"), Location::Text { line: 2, column: 5 });
        assert_eq!(place("a,b,sphere,0,0,0,0,0,0,-1"), Location::Text { line: 2, column: 24 });
        assert_eq!(place("a,b,capsule,0,0,0,0,,0,1"), Location::Text { line: 2, column: 21 });
        assert_eq!(place(",b,capsule,0,0,0,0,0,0,1"), Location::Text { line: 2, column: 1 });
        assert!(parse(b"joint,x,y\na,1,2\n").unwrap_err().message.contains("“z”"));
        assert!(parse(b"joint,type,ax,ay,az,bx,by,bz\n").unwrap_err().message.contains("radius"));
    }
}
