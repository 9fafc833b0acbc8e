//! Boxes, balls, capsules, tetrahedra and bodies of meshes, as rigid bodies of four particles.

use core::f64::consts::SQRT_2;
use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};

use super::{Builder, Holder, Instance, ParticleSceneBody, fault, instances, turn};
use crate::collision::convex_pieces::{self, coarse_hull};
use crate::collision::polyhedron::MeshError;
use crate::collision::shape::{PlacedShape, Shape};
use crate::collision::signed_distance::ConvexHull;
use crate::collision::{MassProperties, polyhedron};
use crate::particles::objects::Traits;
use crate::particles::{Core, Placement, RigidBody, Solid, Surface};
use crate::rigid::Body;
use crate::simulation::assets::{Assets, TriangleMesh};
use crate::simulation::scene::{Ball, Block, Capsule, MeshBody, Scene, SceneError, Tetrahedron};
use crate::simulation::shell::Shell;

/// Keys that all rigid things share.
pub(in crate::simulation) struct Rigid<'a> {
    pub name: &'a str,
    mass: f64,
    inertia: &'a [f64],
    pub placement: Placement,
    pub grid: ([u32; 3], DVec3, bool),
    pub surface: Traits,
}

macro_rules! rigid {
    ($thing:expr) => {
        Rigid {
            name: &$thing.name,
            mass: $thing.mass,
            inertia: &$thing.inertia,
            placement: Placement {
                position: $thing.position,
                rotation: turn($thing.rotation),
                velocity: $thing.velocity,
                angular_velocity: $thing.spin,
            },
            grid: ($thing.grid, $thing.spacing, $thing.random_orientation),
            surface: Traits {
                friction: $thing.friction,
                restitution: $thing.restitution,
                drag: $thing.damping,
                rolling: $thing.rolling_resistance,
                ..Traits::default()
            },
        }
    };
}

/// A solid in its own frame: mass properties, collision geometry, appearance.
pub(in crate::simulation) struct BodyForm {
    properties: MassProperties,
    /// At most one shape: a ball, a capsule or a box.
    pub shapes: Vec<PlacedShape>,
    /// Mesh drawn instead of its shapes; `None` if the shapes are drawn.
    pub shell: Option<Arc<Shell>>,
    /// Corners of its convex pieces, if these are not its shapes.
    pub hulls: Vec<Vec<DVec3>>,
}

/// Calls `make` for every rigid thing of a scene, in order. Fails if a thing cannot be made.
pub(in crate::simulation) fn each_solid<'a>(
    scene: &'a Scene,
    assets: &Assets,
    make: &mut dyn FnMut(&Rigid<'a>, &BodyForm) -> Result<(), String>,
) -> Result<(), SceneError> {
    for (index, thing) in scene.boxes.iter().enumerate() {
        let made = make(&rigid!(thing), &simple(Shape::Box { half_extents: 0.5 * thing.size }));
        made.map_err(|message| fault::<Block>(index, "mass", message))?;
    }
    for (index, thing) in scene.balls.iter().enumerate() {
        let made = make(&rigid!(thing), &simple(Shape::Sphere { radius: thing.radius }));
        made.map_err(|message| fault::<Ball>(index, "mass", message))?;
    }
    for (index, thing) in scene.capsules.iter().enumerate() {
        let half_length = 0.5 * thing.length;
        let made = make(&rigid!(thing), &simple(Shape::Capsule { radius: thing.radius, half_length }));
        made.map_err(|message| fault::<Capsule>(index, "mass", message))?;
    }
    for (index, thing) in scene.tetrahedra.iter().enumerate() {
        let made = tetrahedron(thing).and_then(|form| make(&rigid!(thing), &form));
        made.map_err(|message| fault::<Tetrahedron>(index, "mass", message))?;
    }
    for (index, thing) in scene.carved.iter().enumerate() {
        let missing = || fault::<MeshBody>(index, "mesh", format!("names “{}”, which has not been loaded", thing.mesh));
        let mesh = assets.meshes.get(&thing.mesh).ok_or_else(missing)?;
        let form = carved(thing, mesh).map_err(|message| fault::<MeshBody>(index, "mesh", message))?;
        make(&rigid!(thing), &form).map_err(|message| fault::<MeshBody>(index, "mass", message))?;
    }
    Ok(())
}

impl Rigid<'_> {
    /// Mass properties of this thing with the geometry of `form`.
    pub fn properties(&self, form: &BodyForm) -> MassProperties {
        let mut properties = form.properties.with_mass(self.mass);
        if let &[x, y, z] = self.inertia {
            properties.inertia = DMat3::from_diagonal(DVec3::new(x, y, z));
        }
        properties
    }

    /// Note on principal moments that no real body has: each is at most the sum of the others. `use_of` says what is
    /// taken.
    pub fn inertia_note(&self, use_of: &str) -> Option<String> {
        let &[a, b, c] = self.inertia else { return None };
        let is_real = Body::new(self.mass, DVec3::new(a, b, c)).is_ok_and(|body| body.is_real());
        let name = self.name;
        (!is_real).then(|| format!("{name}: the inertia {a}, {b}, {c} is that of no real body, where none exceeds the sum of the others; {use_of}"))
    }

    /// Start of one instance.
    pub fn placed(&self, instance: &Instance) -> Placement {
        let mut placement = self.placement;
        placement.position += instance.offset;
        placement.rotation = (placement.rotation * instance.turn).normalize();
        placement
    }
}

impl Builder<'_> {
    pub(super) fn bodies(&mut self) -> Result<(), SceneError> {
        let (scene, assets) = (self.scene, self.assets);
        each_solid(scene, assets, &mut |rigid, form| self.solids(rigid, form))
    }

    fn solids(&mut self, rigid: &Rigid<'_>, form: &BodyForm) -> Result<(), String> {
        let body = RigidBody::new(&rigid.properties(form)).map_err(|error| format!("gives no valid body: {error}"))?;
        self.built.notes.extend(rigid.inertia_note("particles take the nearest that one has"));
        let solids = &mut self.built.model.solids;
        let first_solid = solids.len();
        let boxes = form.shapes.iter().filter_map(|placed| match placed.shape {
            Shape::Box { half_extents } => Some(Solid::Box { half_extents }),
            _ => None,
        });
        solids.extend(boxes.chain(form.hulls.iter().map(|points| Solid::Hull { points: points.clone() })));
        let carried = first_solid..solids.len();
        for instance in instances(&mut self.chance, rigid.name, rigid.grid) {
            let placement = rigid.placed(&instance);
            let first = body.add_to(&mut self.built.model, &placement);
            let object = self.built.model.objects.len();
            let point = |in_body: DVec3| body.point(first, in_body);
            let round = form.shapes.iter().filter_map(|placed| match placed.shape {
                Shape::Sphere { radius } => Some((Core::Ball(point(DVec3::ZERO)), radius)),
                Shape::Capsule { radius, half_length } => {
                    let ends = [half_length, -half_length].map(|y| point(DVec3::Y * y));
                    Some((Core::Segment(ends), radius))
                }
                _ => None,
            });
            let frame = body.frame_points(first);
            let cores = round.chain(carried.clone().map(|solid| (Core::Solid { solid, frame }, 0.0)));
            self.built.model.surfaces.extend(cores.map(|(core, radius)| Surface { core, radius, object, part: 0 }));
            rigid.surface.close(&mut self.built.model, first);
            self.built.names.insert(instance.name.clone(), Holder::Solid(self.built.solids.len()));
            let (name, shapes, shell) = (instance.name, form.shapes.clone(), form.shell.clone());
            let (position, rotation) = (placement.position, placement.rotation);
            self.built.solids.push(ParticleSceneBody { name, body, first, shapes, shell, position, rotation });
        }
        Ok(())
    }
}

/// Form of a ball, a box, or a capsule along y.
fn simple(shape: Shape) -> BodyForm {
    let properties = MassProperties::of_shape(&shape, 1.0);
    let shapes = vec![PlacedShape { shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY }];
    BodyForm { properties, shapes, shell: None, hulls: Vec::new() }
}

fn tetrahedron(thing: &Tetrahedron) -> Result<BodyForm, String> {
    let regular = [DVec3::ONE, DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, -1.0, 1.0), DVec3::new(-1.0, 1.0, -1.0)];
    let given: Vec<DVec3> = match thing.corners.len() {
        4 => thing.corners.clone(),
        _ => regular.iter().map(|&corner| corner * (thing.size / (2.0 * SQRT_2))).collect(),
    };
    let middle = 0.25 * given.iter().sum::<DVec3>();
    let mut skin: Vec<DVec3> = given.iter().map(|&corner| corner - middle).collect();
    if volume(&skin) < 0.0 {
        skin.swap(2, 3);
    }
    let faces = vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let properties =
        polyhedron::of_mesh(&skin, &faces, 1.0).map_err(|error| format!("gives no valid body: {error}"))?;
    // Faces share no corners, so that each is shaded flat.
    let mesh = TriangleMesh { points: skin.clone(), triangles: faces };
    let shell = Some(Arc::new(Shell::new(mesh)));
    Ok(BodyForm { properties, shapes: Vec::new(), shell, hulls: vec![skin] })
}

/// Form of a body of a mesh. Its mass is that of its inside, or of its hulls; it collides with the hull of each piece.
fn carved(thing: &MeshBody, mesh: &TriangleMesh) -> Result<BodyForm, String> {
    let points: Vec<DVec3> = mesh.points.iter().map(|&point| point * thing.scale).collect();
    if let Some(triangle) = mesh.triangles.iter().position(|corners| corners.iter().any(|&at| at >= points.len())) {
        return Err(format!("is damaged: triangle {triangle} names a point that the mesh does not have"));
    }
    let pieces = convex_pieces::pieces(&points, &mesh.triangles);
    if pieces.len() > MOST_PIECES {
        let count = pieces.len();
        return Err(format!("has {count} separate pieces, but a body takes at most {MOST_PIECES}; join some of them"));
    }
    let solid = |piece: &Vec<DVec3>| {
        let (hull, _) = coarse_hull(piece)?;
        let inside = weight(&hull)?;
        Some((hull, inside))
    };
    let solids: Vec<(ConvexHull, MassProperties)> = pieces.iter().filter_map(solid).collect();
    if solids.is_empty() {
        return Err("is flat in all its pieces; give it a volume".into());
    }
    let properties = if thing.mass_from_hull {
        MassProperties::sum(&solids.iter().map(|(_, inside)| *inside).collect::<Vec<_>>())
    } else {
        let turned = |[a, b, c]: &[usize; 3]| [*a, *c, *b];
        match polyhedron::of_mesh(&points, &mesh.triangles, 1.0) {
            Err(MeshError::NoVolume) => {
                let inside_out: Vec<[usize; 3]> = mesh.triangles.iter().map(turned).collect();
                polyhedron::of_mesh(&points, &inside_out, 1.0)
            }
            properties => properties,
        }
        .map_err(|error| format!("does not enclose a volume to weigh: {error}; or set mass_from_hull = true"))?
    };
    let shell = Shell::new(TriangleMesh { points, triangles: mesh.triangles.clone() });
    Ok(BodyForm {
        properties,
        shapes: Vec::new(),
        shell: Some(Arc::new(shell)),
        hulls: solids.iter().map(|(hull, _)| hull.corners().to_vec()).collect(),
    })
}

/// Most connected pieces of a mesh that become one body.
const MOST_PIECES: usize = 64;

/// Mass properties of the inside of a hull at 1 kg/m³.
fn weight(hull: &ConvexHull) -> Option<MassProperties> {
    let corners: Vec<DVec3> = hull.faces().iter().flat_map(|face| face.corners).collect();
    let faces: Vec<[usize; 3]> = (0..hull.faces().len()).map(|face| [3 * face, 3 * face + 1, 3 * face + 2]).collect();
    polyhedron::of_mesh(&corners, &faces, 1.0).ok()
}

fn volume(corners: &[DVec3]) -> f64 {
    (corners[1] - corners[0]).cross(corners[2] - corners[0]).dot(corners[3] - corners[0]) / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j23_a_regular_tetrahedron_weighs_the_same_about_every_axis() {
        // Edge a: I = m a² / 20.
        let thing = Tetrahedron { size: 0.3, ..Tetrahedron::default() };
        let form = tetrahedron(&thing).unwrap();
        let properties = form.properties.with_mass(2.0);
        let expected = 2.0 * 0.3 * 0.3 / 20.0;
        for axis in DVec3::AXES {
            assert!(((properties.inertia * axis) - axis * expected).length() < 1e-15);
        }
        assert!((form.properties.mass - 0.3_f64.powi(3) / (6.0 * SQRT_2)).abs() < 1e-15);
    }
}
