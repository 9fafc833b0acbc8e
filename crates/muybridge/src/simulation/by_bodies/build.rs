//! Builds rigid bodies from the things of a scene.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::herds::InLanes;
use super::{Carrier, RigidActor, RigidHolder, RigidSceneBody, RopeChain, carrier_of};
use crate::behavior::RagdollModel;
use crate::behavior::support::Sole;
use crate::character::Side;
use crate::collision::ObstacleShape;
use crate::collision::shape::Shape;
use crate::collision::signed_distance::ConvexHull;
use crate::math::random::Random;
use crate::ragdoll::rigid as ragdoll;
use crate::rigid::body::PrincipalFrame;
use crate::rigid::model::{self, Object, Start};
use crate::rigid::{Body, Joint, Kind, Model};
use crate::simulation::assets::Assets;
use crate::simulation::build::bodies::{BodyForm, Rigid, each_solid};
use crate::simulation::build::figures::{Cue, Troupe, troupes};
use crate::simulation::build::{Instance, fault, instances};
use crate::simulation::direction;
use crate::simulation::obstacles::PlacedObstacle;
use crate::simulation::scene::slot::PartPath;
use crate::simulation::scene::{Drag, Ragdoll, Scene, SceneError};

/// Thickness of the soles of ragdolls that stand, meters.
const SOLE: f64 = 0.03;

/// A model, and the things its bodies belong to.
pub(super) struct RigidBuild {
    pub model: Model,
    pub starts: Vec<Start>,
    pub actors: Vec<RigidActor>,
    pub solids: Vec<RigidSceneBody>,
    pub chains: Vec<RopeChain>,
    pub names: BTreeMap<String, RigidHolder>,
    pub carriers: Vec<Option<Carrier>>,
    pub in_lanes: Vec<InLanes>,
    /// Notes on what was changed or left out, one sentence each.
    pub notes: Vec<String>,
}

/// Builds all things of a scene as rigid bodies. Errors name the thing and the key.
pub(super) fn build(scene: &Scene, assets: &Assets, standing: &[PlacedObstacle]) -> Result<RigidBuild, SceneError> {
    let mut built = RigidBuild {
        model: Model::default(),
        starts: Vec::new(),
        actors: Vec::new(),
        solids: Vec::new(),
        chains: Vec::new(),
        names: BTreeMap::new(),
        carriers: Vec::new(),
        in_lanes: Vec::new(),
        notes: Vec::new(),
    };
    let mut chance = Random::new(u64::from(scene.setting.seed));
    for troupe in troupes(scene, assets, &mut chance)? {
        for instance in &troupe.instances {
            let made = built.figure(scene, &troupe, instance);
            made.map_err(|message| fault::<Ragdoll>(troupe.index, "character", message))?;
        }
    }
    for (index, said) in scene.herds.iter().enumerate() {
        built.herd(scene, assets, (index, said), standing)?;
    }
    each_solid(scene, assets, &mut |rigid, form| built.solid(rigid, form, &mut chance))?;
    built.joints(scene)?;
    built.chains(scene)?;
    for (index, drag) in scene.pulls.iter().enumerate() {
        built.carrier(drag).map_err(|message| fault::<Drag>(index, "of", message))?;
    }
    Ok(built)
}

impl RigidBuild {
    fn figure(&mut self, scene: &Scene, troupe: &Troupe<'_>, instance: &Instance) -> Result<(), String> {
        let Cue { start, plays } = troupe.cue(scene, instance)?;
        let (name, character) = (instance.name.clone(), &troupe.character);
        let made = ragdoll(character, &start, &troupe.settings());
        let mut ragdoll = made.map_err(|error| format!("cannot become a ragdoll: {error}"))?;
        // Who starts in balance keeps that pose.
        if direction::stands(scene, &name) && !troupe.is_balanced() {
            let figure = RagdollModel::of_rigid(character, &ragdoll);
            if let Some(on_foot) = direction::on_foot(character, &figure, &start).filter(|_| plays.is_none()) {
                let again = crate::ragdoll::rigid(character, &on_foot, &troupe.settings());
                ragdoll = again.map_err(|error| format!("cannot become a ragdoll: {error}"))?;
            }
        }
        if direction::stands(scene, &name) || direction::keeps_to_its_feet(scene, &name) {
            let figure = RagdollModel::of_rigid(character, &ragdoll);
            for sole in [Side::Left, Side::Right].into_iter().filter_map(|side| Sole::of(character, &figure, side)) {
                sole.put_under(&mut ragdoll, SOLE);
            }
        }
        if self.actors.iter().all(|actor| actor.character != *character) {
            self.notes.extend(ragdoll.notes.iter().map(|note| format!("{name}: {note}")));
        }
        ragdoll.first = self.append(&ragdoll.model, &ragdoll.starts);
        self.names.insert(name.clone(), RigidHolder::Actor(self.actors.len()));
        self.actors.push(RigidActor { name, character: character.clone(), ragdoll, plays, herd: None });
        Ok(())
    }

    /// Appends a model; its indices are shifted by the number of items before it. Returns its first body.
    pub(super) fn append(&mut self, part: &Model, starts: &[Start]) -> usize {
        let whole = &mut self.model;
        let (body, joint, object) = (whole.bodies.len(), whole.joints.len(), whole.objects.len());
        whole.bodies.extend(&part.bodies);
        whole.joints.extend(part.joints.iter().cloned().map(|mut own| {
            (own.child, own.parent) = (own.child + body, own.parent.map(|parent| parent + body));
            own
        }));
        whole.ranges.extend(part.ranges.iter().map(|own| model::Range { joint: own.joint + joint, ..*own }));
        whole.motors.extend(part.motors.iter().map(|own| model::Motor { joint: own.joint + joint, ..*own }));
        whole.solids.extend(part.solids.iter().cloned().map(|own| model::Collider {
            body: own.body + body,
            object: own.object + object,
            ..own
        }));
        whole.objects.extend(&part.objects);
        self.starts.extend(starts);
        body
    }

    fn solid(&mut self, rigid: &Rigid<'_>, form: &BodyForm, chance: &mut Random) -> Result<(), String> {
        self.notes.extend(rigid.inertia_note("it turns as given"));
        let made = Body::of(&rigid.properties(form));
        let (body, frame) = made.map_err(|error| format!("gives no valid body: {error}"))?;
        let hull = |corners: &Vec<DVec3>| match ConvexHull::new(corners) {
            Ok(hull) => Ok(ObstacleShape::Hull(Arc::new(hull))),
            Err(error) => Err(format!("gives no valid body: {error}")),
        };
        let hulls = form.hulls.iter().map(hull).collect::<Result<Vec<_>, _>>()?;
        for instance in instances(chance, rigid.name, rigid.grid) {
            let placed = rigid.placed(&instance);
            let object = self.object(Object {
                friction: rigid.surface.friction,
                restitution: rigid.surface.restitution,
                drag: rigid.surface.drag,
                touches_itself: false,
                rolling: rigid.surface.rolling,
            });
            let (position, rotation) = frame.placed(placed.position, placed.rotation);
            let (velocity, angular_velocity) = (placed.velocity, placed.angular_velocity);
            let index = self.body(body, Start { position, rotation, velocity, angular_velocity });
            let solids = form.shapes.iter().map(|placed| model::Collider::of(index, object, placed, &frame));
            self.model.solids.extend(solids);
            let back = frame.axes.conjugate();
            self.model.solids.extend(hulls.iter().cloned().map(|shape| model::Collider {
                body: index,
                object,
                shape,
                position: back * -frame.center,
                rotation: back,
            }));
            self.names.insert(instance.name.clone(), RigidHolder::Solid(self.solids.len()));
            let (name, shapes, shell) = (instance.name, form.shapes.clone(), form.shell.clone());
            self.solids.push(RigidSceneBody { name, body: index, frame, shapes, shell });
        }
        Ok(())
    }

    /// Adds the mouse anchor that drags a part; chains get none.
    fn carrier(&mut self, drag: &Drag) -> Result<(), String> {
        let part = &drag.of;
        let of = self.held(part, DVec3::ZERO)?;
        if matches!(self.names.get(part.thing()), Some(RigidHolder::Bodies(_))) {
            self.carriers.push(None);
            return Ok(());
        }
        let place = self.starts[of].position;
        let body = self.body(carrier_of(self.model.bodies[of].mass), Start::at(place, DQuat::IDENTITY));
        let joint = Joint::between(Some(self.side(of)), self.side(body), (place, DQuat::IDENTITY), Kind::Ball);
        self.model.joints.push(joint);
        let origin = if drag.relative { place } else { DVec3::ZERO };
        self.carriers.push(Some(Carrier { body, of, origin, given: None }));
        Ok(())
    }

    pub(super) fn object(&mut self, object: Object) -> usize {
        self.model.objects.push(object);
        self.model.objects.len() - 1
    }

    pub(super) fn body(&mut self, body: Body, start: Start) -> usize {
        self.model.bodies.push(body);
        self.starts.push(start);
        self.model.bodies.len() - 1
    }

    /// The body of a thing or bone; of a chain, the body nearest to a place.
    pub(super) fn held(&self, part: &PartPath, place: DVec3) -> Result<usize, String> {
        let holder = self.names.get(part.thing());
        match holder.ok_or_else(|| format!("names “{}”, but the scene has no thing of that name", part.thing()))? {
            RigidHolder::Actor(actor) => self.actors[*actor].body(part),
            RigidHolder::Solid(solid) => Ok(self.solids[*solid].body),
            RigidHolder::Bodies(bodies) => {
                let apart = |body: &usize| self.starts[*body].position.distance_squared(place);
                Ok(bodies.clone().min_by(|a, b| apart(a).total_cmp(&apart(b))).unwrap_or(bodies.start))
            }
        }
    }

    /// A body with its starting position and rotation, as [`Joint::between`] takes it.
    pub(super) fn side(&self, body: usize) -> (usize, DVec3, DQuat) {
        (body, self.starts[body].position, self.starts[body].rotation)
    }
}

/// Mass properties and principal frame of a shape at the origin of its frame.
pub(super) fn own_frame(shape: &Shape, mass: f64) -> Result<(Body, PrincipalFrame), String> {
    let properties = crate::collision::MassProperties::of_shape(shape, 1.0).with_mass(mass);
    Body::of(&properties).map_err(|error| format!("gives no valid body: {error}"))
}
