//! Scratch memory of a step, allocated once.

use glam::DVec3;

use crate::particles::blows::Asked;
use crate::particles::chains;
use crate::particles::cloth_lanes::Sheets;
use crate::particles::conjugate_gradients;
use crate::particles::contact::Contacts;
use crate::particles::drive::OfStep;
use crate::particles::herd::of_world::RagdollLanes;
use crate::particles::measures::Report;
use crate::particles::model::Model;
use crate::particles::proxies::Proxies;
use crate::particles::sleep::Islands;
use crate::particles::step::ceiling::Predicted;
use crate::particles::step::energy_limit::LimitedIsland;
use crate::particles::step::free_cloth::FreeCloths;
use crate::particles::step::guard::Broken;
use crate::particles::verlet::Damping;
use crate::particles::world::{Constants, PreparedModel};

/// Data that is not kept between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Inverse masses in this step, 1/kg: 0 for pinned and sleeping particles.
    pub inverse_masses: Vec<f64>,
    /// Whether a particle is stepped apart from the others in this step, in lanes. It then counts as asleep here.
    pub in_lanes: Vec<bool>,
    /// Cloth in lanes.
    pub sheets: Sheets,
    /// Substeps that each cloth asks for in this step.
    pub asked: Vec<Asked>,
    /// Damping of a substep, per particle.
    pub damping: Vec<Damping>,
    /// Positions at the start of the step, meters.
    pub starts: Vec<DVec3>,
    /// Islands of this step, connected by constraints or contacts.
    pub islands: Islands,
    /// Whether an island moves, by its least particle.
    pub restless: Vec<bool>,
    /// Whether each particle belongs to a collider in contact, or is in lanes.
    pub touched: Vec<bool>,
    /// Whether an island touches something, by its least particle.
    pub leaning: Vec<bool>,
    /// Multipliers of this substep.
    pub multipliers: ConstraintMultipliers,
    /// Dragged points: position at the start of the step, impulse in this substep, sum of the impulses of earlier
    /// substeps, N s².
    pub drags: Vec<[DVec3; 3]>,
    /// Constants of each drive in this step; `None` for an inactive drive.
    pub driven: Vec<Option<OfStep>>,
    /// Sum of the proposed moves of each particle, and their number.
    pub proposals: Vec<(DVec3, u32)>,
    /// Bodies, joints and limits, prepared for the current pins.
    pub prepared: PreparedModel,
    /// Contacts.
    pub contacts: Contacts,
    /// Buffers of the solver of chains.
    pub chains: chains::Scratch,
    /// Buffers of the conjugate gradient solver.
    pub conjugate_gradients: conjugate_gradients::Scratch,
    /// Positions before this substep, meters.
    pub unmoved: Vec<DVec3>,
    /// Displacements by the correction of old overlaps in this substep, if there are any, meters.
    pub recovered: Vec<DVec3>,
    /// Positions before bodies were straightened, meters.
    pub bent: Vec<DVec3>,
    /// Whether a particle's island takes extra passes.
    pub unfinished: Vec<bool>,
    /// Whether the island of that index is hit in this substep; if `resists`, after the passes, whether it took many.
    pub struck: Vec<bool>,
    /// Whether hits took many passes in this substep.
    pub resists: bool,
    /// Recovery data of this substep, by island of constraints.
    pub broken: Vec<Broken>,
    /// Predicted motion of the ragdolls in this substep.
    pub predicted: Vec<Predicted>,
    /// Islands of this substep, by root, where the passes of one contradict each other.
    pub limited: Vec<LimitedIsland>,
    /// Statistics of the last step.
    pub report: Report,
    /// Ragdolls that lanes may step.
    pub ragdolls: RagdollLanes,
    /// Free cloths that take the substeps.
    pub free_cloths: FreeCloths,
    /// Bodies of another world.
    pub proxies: Proxies,
    /// Whether nothing but free bodies moves in this step.
    pub is_free: bool,
    /// Number of constraints solved since the world was created.
    pub work: u64,
}

/// XPBD multipliers, zero at the start of a substep.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConstraintMultipliers {
    pub distances: Vec<f64>,
    pub attachments: Vec<DVec3>,
    pub volumes: Vec<f64>,
    pub angles: Vec<f64>,
    pub bends: Vec<f64>,
    pub orientations: Vec<f64>,
}

impl ConstraintMultipliers {
    fn of(model: &Model) -> Self {
        Self {
            distances: vec![0.0; model.distances.len()],
            attachments: vec![DVec3::ZERO; model.attachments.len()],
            volumes: vec![0.0; model.volumes.len()],
            angles: vec![0.0; model.angles.len()],
            bends: vec![0.0; model.bends.len()],
            orientations: vec![0.0; model.orientations.len()],
        }
    }

    pub fn clear(&mut self) {
        self.distances.fill(0.0);
        self.attachments.fill(DVec3::ZERO);
        self.volumes.fill(0.0);
        self.angles.fill(0.0);
        self.bends.fill(0.0);
        self.orientations.fill(0.0);
    }
}

impl Scratch {
    pub fn of(model: &Model, constants: &Constants) -> Self {
        let count = model.positions.len();
        let islands = constants.islands.clone();
        Self {
            prepared: PreparedModel::of(model, &islands, (&vec![None; count], &vec![false; count]), 1.0),
            predicted: vec![Predicted::default(); constants.ragdolls.len()],
            limited: Vec::with_capacity(count),
            inverse_masses: vec![0.0; count],
            in_lanes: vec![false; count],
            sheets: Sheets::default(),
            asked: Vec::new(),
            free_cloths: FreeCloths::default(),
            damping: vec![Damping::NONE; count],
            starts: model.positions.clone(),
            islands,
            restless: vec![false; count],
            touched: vec![false; count],
            leaning: vec![false; count],
            unmoved: vec![DVec3::ZERO; count],
            recovered: vec![DVec3::ZERO; count],
            bent: vec![DVec3::ZERO; count],
            unfinished: vec![false; count],
            struck: vec![false; count],
            resists: false,
            broken: vec![Broken::default(); count],
            report: Report::default(),
            multipliers: ConstraintMultipliers::of(model),
            drags: Vec::new(),
            driven: vec![None; model.drives.len()],
            proposals: vec![(DVec3::ZERO, 0); count],
            chains: chains::Scratch::default(),
            conjugate_gradients: conjugate_gradients::Scratch::of(model.distances.len(), count),
            contacts: Contacts::new(model),
            ragdolls: RagdollLanes::of(model),
            proxies: Proxies::of(model),
            is_free: false,
            work: 0,
        }
    }

    /// Resizes the buffer to `count` dragged points.
    pub fn reserve_drags(&mut self, count: usize) {
        self.drags.resize(count, [DVec3::ZERO; 3]);
    }
}
