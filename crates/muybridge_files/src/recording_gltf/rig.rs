//! Rigidly moving things and chains of rigid pieces: characters, bodies, ropes.
//!
//! The bind pose of a skin's pieces is the rest pose (for a rope: frame 0), and every vertex is bound to one joint:
//! `v' = W_j B_j v`, with B_j the inverse of the joint's bind frame.

use std::sync::Arc;

use muybridge::character::Character;
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::Clip;
use muybridge::simulation::recording::Track;
use serde_json::{Value, json};

use super::solids::NormalMesh;
use super::{
    AnimatedProperty, BodyAppearance, Dressed, MATERIALS, MaterialKind, RecordingGltf, SharedMesh, Skinned, floats,
};
use crate::gltf::buffer::ATTRIBUTE;
use crate::gltf::{CharacterSkin, continuous, inverse_matrix, mesh_and_skin, turned};
use crate::{Error, Location};

/// Position (meters) and rotation of a piece.
pub(super) type PiecePose = (DVec3, DQuat);

impl<'a> RecordingGltf<'a> {
    /// Adds a tree of bones with one skinned mesh of their shapes; ends of bones become leaves called "…_end".
    pub(super) fn character(&mut self, name: &str, character: &Character, clip: &Clip) -> Result<(), Error> {
        let bones = character.skeleton.bones();
        if clip.bones() != bones.len() || clip.frames() < self.recording.frames || character.bodies.len() < bones.len()
        {
            let message = format!(
                "the clip has {} bones and {} frames, the character {} bones and the run {} frames",
                clip.bones(),
                clip.frames(),
                bones.len(),
                self.recording.frames
            );
            return Err(Error::new(Location::Named(name.to_owned()), message));
        }
        let (first, mut own_roots) = (self.nodes.len(), Vec::new());
        for (index, bone) in bones.iter().enumerate() {
            let own = self.unique(name, &bone.name);
            self.nodes.push(json!({
                "name": own, "translation": bone.translation.to_array(), "rotation": bone.rotation.to_array(),
            }));
            match bone.parent {
                Some(parent) => add_child(&mut self.nodes[first + parent], first + index),
                None => own_roots.push(first + index),
            }
        }
        for (index, bone) in bones.iter().enumerate() {
            for (number, end) in bone.ends.iter().enumerate() {
                let behind = if number == 0 { String::new() } else { format!("_{}", number + 1) };
                let own = self.unique(name, &format!("{}{behind}_end", bone.name));
                let node = self.nodes.len();
                self.nodes.push(json!({"name": own, "translation": end.to_array()}));
                add_child(&mut self.nodes[first + index], node);
            }
        }
        // Importers merge skins with sibling roots into one armature, so each of several characters gets a node of its own.
        if self.recording.characters.len() > 1 {
            let own = self.unique("character", name);
            self.roots.push(self.nodes.len());
            self.nodes.push(json!({"name": own, "children": own_roots}));
        } else {
            self.roots.extend(own_roots);
        }
        self.character_keys(name, first, character, clip)?;
        let given = self.given.of(name);
        let shapes = given.map_or_else(|| shapes_of(character), |_| vec![Vec::new(); bones.len()]);
        let pieces: Vec<(PiecePose, Vec<PlacedShape>)> =
            character.skeleton.rest_pose().into_iter().zip(shapes).collect();
        self.skin(name, first, &pieces, MaterialKind::Character)?;
        given.map_or(Ok(()), |skin| self.dress(name, first, skin))
    }

    /// Adds a node for each mesh of the file of a character, whose bone 0 is node `first`.
    fn dress(&mut self, name: &str, first: usize, skin: &Arc<CharacterSkin>) -> Result<(), Error> {
        let known = self.dressed.iter().position(|known| Arc::ptr_eq(&known.skin, skin));
        let known = match known {
            Some(known) => known,
            None => {
                let materials = self.looks.add(&skin.materials, MATERIALS.len(), &mut self.buffer);
                let mut written = Vec::with_capacity(skin.meshes.len());
                for (mesh, look) in &skin.meshes {
                    let (mut mesh, skin) = mesh_and_skin(&mut self.buffer, mesh)?;
                    let primitive = &mut mesh["primitives"][0];
                    primitive["material"] = json!(MaterialKind::Character as usize);
                    look.write(primitive, materials, &mut self.buffer);
                    self.meshes.push(mesh);
                    written.push((self.meshes.len() - 1, skin));
                }
                self.dressed.push(Dressed { skin: skin.clone(), written });
                self.dressed.len() - 1
            }
        };
        for (mesh, mut skin) in self.dressed[known].written.clone() {
            let joints = skin["joints"].as_array().into_iter().flatten().filter_map(Value::as_u64);
            let nodes: Vec<u64> = joints.map(|bone| first as u64 + bone).collect();
            skin["joints"] = json!(nodes);
            self.skins.push(skin);
            let own = self.unique(name, &format!("{name}_body"));
            self.roots.push(self.nodes.len());
            self.nodes.push(json!({"name": own, "mesh": mesh, "skin": self.skins.len() - 1}));
        }
        Ok(())
    }

    /// Keys for the bones of a character; node `first` is its bone 0.
    fn character_keys(&mut self, name: &str, first: usize, character: &Character, clip: &Clip) -> Result<(), Error> {
        let frames = self.recording.frames;
        for (index, bone) in character.skeleton.bones().iter().enumerate() {
            let turns = (0..frames).map(|frame| clip.rotation(index, frame));
            if turns.clone().any(|now| turned(bone.rotation, now)) {
                let values = floats(continuous(turns).flat_map(|turn| turn.to_array()), name)?;
                self.add_keys(AnimatedProperty { node: first + index, path: "rotation" }, "VEC4", values)?;
            }
            let shifts: Vec<DVec3> = (0..frames).map(|frame| clip.translation(index, frame)).collect();
            if shifts.iter().any(|shift| shift.distance(bone.translation) > 1e-9) {
                let values = floats(shifts.iter().flat_map(|shift| shift.to_array()), name)?;
                self.add_keys(AnimatedProperty { node: first + index, path: "translation" }, "VEC3", values)?;
            }
        }
        Ok(())
    }

    /// Adds a node with the mesh of a rigid body, with keys if the body moves.
    pub(super) fn body(&mut self, track: &Track, look: BodyAppearance<'a>, poses: &[PiecePose]) -> Result<(), Error> {
        let Some(&start) = poses.first() else { return Ok(()) };
        let name = self.unique("", &track.name);
        let material = if track.obstacle { MaterialKind::Obstacle } else { MaterialKind::Body };
        let is_obstacle = track.obstacle;
        let known = self.known.iter().find(|known| known.is_obstacle == is_obstacle && known.look == look);
        let mesh = match known.map(|known| known.mesh) {
            Some(mesh) => mesh,
            None => {
                let mut surface = NormalMesh::of(look.shapes);
                look.shell.into_iter().for_each(|shell| surface.add_shell(shell));
                let primitive = self.surface(&name, &surface, material)?;
                let mesh = self.add_mesh(&name, primitive);
                self.known.push(SharedMesh { look, is_obstacle, mesh });
                mesh
            }
        };
        let node = self.nodes.len();
        let (position, rotation) = (start.0.to_array(), start.1.normalize().to_array());
        floats(position.into_iter().chain(rotation), &name)?;
        self.nodes.push(json!({"name": name, "mesh": mesh, "translation": position, "rotation": rotation}));
        self.roots.push(node);
        if poses.iter().any(|pose| *pose != start) {
            self.pose_keys(node, poses, &name)?;
        }
        Ok(())
    }

    fn pose_keys(&mut self, node: usize, poses: &[PiecePose], owner: &str) -> Result<(), Error> {
        let at = |frame: usize| poses[frame.min(poses.len() - 1)];
        let frames = 0..self.recording.frames;
        let shifts = floats(frames.clone().flat_map(|frame| at(frame).0.to_array()), owner)?;
        let turns = continuous(frames.map(|frame| at(frame).1.normalize()));
        let turns = floats(turns.flat_map(|turn| turn.to_array()), owner)?;
        self.add_keys(AnimatedProperty { node, path: "translation" }, "VEC3", shifts)?;
        self.add_keys(AnimatedProperty { node, path: "rotation" }, "VEC4", turns)
    }

    /// Adds a joint per segment and a skin of capsules on these joints.
    pub(super) fn lines(
        &mut self,
        track: &Track,
        segments: &[[usize; 2]],
        radius: f64,
        points: &[Vec<DVec3>],
    ) -> Result<(), Error> {
        let there = |points: &Vec<DVec3>| segments.iter().flatten().all(|&end| end < points.len());
        if segments.is_empty() || points.is_empty() {
            return Ok(());
        }
        if let Some(frame) = points.iter().position(|points| !there(points)) {
            let message = format!("a segment has an end that is no point of frame {frame}");
            return Err(Error::new(Location::Named(track.name.clone()), message));
        }
        let owner = self.unique("", &track.name);
        let (first, mut pieces) = (self.nodes.len(), Vec::new());
        for (number, &[from, to]) in segments.iter().enumerate() {
            let poses = segment_poses(points, [from, to]);
            let half = 0.5 * points[0][from].distance(points[0][to]);
            let shape = Shape::Capsule { radius, half_length: half };
            pieces.push((poses[0], vec![PlacedShape { shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY }]));
            let name = self.unique(&owner, &format!("{owner}.{number}"));
            let (position, rotation) = (poses[0].0.to_array(), poses[0].1.to_array());
            floats(position.into_iter().chain(rotation), &owner)?;
            self.nodes.push(json!({"name": name, "translation": position, "rotation": rotation}));
        }
        // A skin needs a common root: one node above all joints.
        let root = self.nodes.len();
        let joints: Vec<usize> = (first..root).collect();
        self.roots.push(root);
        self.nodes.push(json!({"name": owner, "children": joints}));
        if points.len() > 1 {
            for (number, &[from, to]) in segments.iter().enumerate() {
                self.pose_keys(first + number, &segment_poses(points, [from, to]), &owner)?;
            }
        }
        let material = if track.obstacle { MaterialKind::Obstacle } else { MaterialKind::Line };
        self.skin(&owner, first, &pieces, material)
    }

    /// Adds a skinned mesh of pieces; piece `i` is bound to node `first + i`.
    fn skin(
        &mut self,
        name: &str,
        first: usize,
        pieces: &[(PiecePose, Vec<PlacedShape>)],
        material: MaterialKind,
    ) -> Result<(), Error> {
        let known = self.skinned.iter().find(|known| known.material == material && known.pieces == pieces);
        let (matrices, mesh) = match known {
            Some(known) => (known.matrices, known.mesh),
            None => {
                let (matrices, mesh) = self.skinned_mesh(name, pieces, material)?;
                self.skinned.push(Skinned { pieces: pieces.to_vec(), material, matrices, mesh });
                (matrices, mesh)
            }
        };
        let nodes: Vec<usize> = (first..first + pieces.len()).collect();
        self.skins.push(json!({"name": name, "joints": nodes, "inverseBindMatrices": matrices}));
        if let Some(mesh) = mesh {
            let own = self.unique(name, &format!("{name}_body"));
            self.roots.push(self.nodes.len());
            self.nodes.push(json!({"name": own, "mesh": mesh, "skin": self.skins.len() - 1}));
        }
        Ok(())
    }

    /// Writes the inverse bind matrices of a skin, and its mesh; no mesh if nothing is visible.
    fn skinned_mesh(
        &mut self,
        name: &str,
        pieces: &[(PiecePose, Vec<PlacedShape>)],
        material: MaterialKind,
    ) -> Result<(usize, Option<usize>), Error> {
        let (mut surface, mut joints) = (NormalMesh::default(), Vec::new());
        for (index, ((position, rotation), shapes)) in pieces.iter().enumerate() {
            let placed: Vec<PlacedShape> = shapes
                .iter()
                .map(|placed| PlacedShape {
                    shape: placed.shape.clone(),
                    position: *position + *rotation * placed.position,
                    rotation: *rotation * placed.rotation,
                })
                .collect();
            let piece = NormalMesh::of(&placed);
            let offset = surface.points.len() as u32;
            joints.resize(joints.len() + piece.points.len(), [index as u16, 0, 0, 0]);
            surface.points.extend(piece.points);
            surface.normals.extend(piece.normals);
            surface.triangles.extend(piece.triangles.iter().map(|corners| corners.map(|corner| offset + corner)));
        }
        let matrices = floats(pieces.iter().flat_map(|(pose, _)| inverse_matrix(*pose)), name)?;
        let matrices = self.buffer.floats("MAT4", &matrices, None);
        if surface.points.is_empty() || pieces.len() > usize::from(u16::MAX) {
            return Ok((matrices, None));
        }
        let mut primitive = self.surface(name, &surface, material)?;
        primitive["attributes"]["JOINTS_0"] = json!(self.buffer.joints(&joints));
        let weights: Vec<f32> = joints.iter().flat_map(|_| [1.0, 0.0, 0.0, 0.0]).collect();
        primitive["attributes"]["WEIGHTS_0"] = json!(self.buffer.floats("VEC4", &weights, Some(ATTRIBUTE)));
        Ok((matrices, Some(self.add_mesh(name, primitive))))
    }

    /// Writes a primitive of a mesh with normals.
    fn surface(&mut self, name: &str, surface: &NormalMesh, material: MaterialKind) -> Result<Value, Error> {
        let points = floats(surface.points.iter().flat_map(|point| point.to_array()), name)?;
        let normals = floats(surface.normals.iter().flat_map(|normal| normal.to_array()), name)?;
        let indices: Vec<u32> = surface.triangles.iter().flatten().copied().collect();
        let points = self.buffer.floats("VEC3", &points, Some(ATTRIBUTE));
        let normals = self.buffer.floats("VEC3", &normals, Some(ATTRIBUTE));
        let indices = self.buffer.indices(&indices);
        let attributes = json!({"POSITION": points, "NORMAL": normals});
        Ok(json!({"attributes": attributes, "indices": indices, "material": material as usize}))
    }
}

fn add_child(node: &mut Value, child: usize) {
    match node.get_mut("children").and_then(Value::as_array_mut) {
        Some(children) => children.push(json!(child)),
        None => node["children"] = json!([child]),
    }
}

/// Shapes of each bone: its own, or thin capsules to its children and ends if no bone of the character has shapes.
pub(crate) fn shapes_of(character: &Character) -> Vec<Vec<PlacedShape>> {
    if character.bodies.iter().any(|body| !body.shapes.is_empty()) {
        return character.bodies.iter().map(|body| body.shapes.clone()).collect();
    }
    let bones = character.skeleton.bones();
    let mut shapes = vec![Vec::new(); bones.len()];
    for (index, bone) in bones.iter().enumerate() {
        let ends = bone.ends.iter().map(|&end| (index, end));
        for (owner, end) in ends.chain(bone.parent.map(|parent| (parent, bone.translation))) {
            let length = end.length();
            if length > 0.0 {
                let shape = Shape::Capsule { radius: 0.12 * length, half_length: 0.5 * length };
                let rotation = turn_y_to(end / length);
                shapes[owner].push(PlacedShape { shape, position: 0.5 * end, rotation });
            }
        }
    }
    shapes
}

/// Center of a segment in each frame, with the least rotation from frame to frame that keeps y along the segment.
fn segment_poses(points: &[Vec<DVec3>], [from, to]: [usize; 2]) -> Vec<PiecePose> {
    let mut turn = DQuat::IDENTITY;
    points
        .iter()
        .map(|points| {
            let (from, to) = (points[from], points[to]);
            if let Some(direction) = (to - from).try_normalize() {
                let step = turn_y_to(turn.conjugate() * direction);
                turn = (turn * step).normalize();
            }
            (0.5 * (from + to), turn)
        })
        .collect()
}

/// The least rotation from y to the unit vector `direction`.
fn turn_y_to(direction: DVec3) -> DQuat {
    let w = 1.0 + direction.y;
    if w < 1e-9 {
        return DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
    }
    DQuat::from_xyzw(direction.z, 0.0, -direction.x, w).normalize()
}
