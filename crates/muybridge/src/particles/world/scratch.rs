//! What a step writes and may forget. Allocated once.

use glam::DVec3;

use crate::particles::conjugate_gradients;
use crate::particles::contact::Contacts;
use crate::particles::drive::OfStep;
use crate::particles::model::Model;
use crate::particles::sleep::Islands;
use crate::particles::step::ceiling::Predicted;
use crate::particles::step::guard::Broken;
use crate::particles::world::{Constants, Prepared};

/// What may be thrown away between steps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Per kilogram, in this step: 0 for what is held or asleep.
    pub inverse_masses: Vec<f64>,
    /// Share of the displacement that drag leaves in a substep, per particle.
    pub kept: Vec<f64>,
    /// Where the particles were when the step began.
    pub starts: Vec<DVec3>,
    /// What hangs together in this step, by constraints and contacts.
    pub islands: Islands,
    /// Whether an island moves.
    pub restless: Vec<bool>,
    /// Of this substep.
    pub multipliers: Multipliers,
    /// Where the points that are pulled were when the step began; what pulls them in this substep, and what did in those before it, N s².
    pub drags: Vec<[DVec3; 3]>,
    /// What each drive does in this step.
    pub driven: Vec<Option<OfStep>>,
    /// Sum of the proposed moves of each particle, and how many they are.
    pub proposals: Vec<(DVec3, u32)>,
    /// Bodies, joints and limits, for the pins there are.
    pub prepared: Prepared,
    /// What touches what.
    pub contacts: Contacts,
    /// For all distances at once.
    pub conjugate_gradients: conjugate_gradients::Scratch,
    /// Where the particles were before this substep.
    pub unmoved: Vec<DVec3>,
    /// Where they were before bodies were straightened.
    pub bent: Vec<DVec3>,
    /// Whether a particle's island takes passes beyond everyone's.
    pub unfinished: Vec<bool>,
    /// What of this substep is broken, by islands of constraints.
    pub broken: Vec<Broken>,
    /// How ragdolls are predicted to move in this substep.
    pub predicted: Vec<Predicted>,
    /// Islands put back in the last step, every substep for itself.
    pub put_back: u32,
    /// Constraints solved since the world was made.
    pub work: u64,
}

/// Multipliers of XPBD: zero when a substep begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Multipliers {
    pub distances: Vec<f64>,
    pub attachments: Vec<DVec3>,
    pub volumes: Vec<f64>,
    pub angles: Vec<f64>,
    pub bends: Vec<f64>,
    pub orientations: Vec<f64>,
}

impl Multipliers {
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
            prepared: Prepared::of(model, &islands, &vec![None; count]),
            predicted: vec![Predicted::default(); constants.ragdolls.len()],
            inverse_masses: vec![0.0; count],
            kept: vec![1.0; count],
            starts: model.positions.clone(),
            islands,
            restless: vec![false; count],
            unmoved: vec![DVec3::ZERO; count],
            bent: vec![DVec3::ZERO; count],
            unfinished: vec![false; count],
            broken: vec![Broken::default(); count],
            put_back: 0,
            multipliers: Multipliers::of(model),
            drags: Vec::new(),
            driven: vec![None; model.drives.len()],
            proposals: vec![(DVec3::ZERO, 0); count],
            conjugate_gradients: conjugate_gradients::Scratch::of(model.distances.len(), count),
            contacts: Contacts::new(model),
            work: 0,
        }
    }

    /// Room for so many points that are pulled.
    pub fn reserve_drags(&mut self, count: usize) {
        self.drags.resize(count, [DVec3::ZERO; 3]);
    }
}
