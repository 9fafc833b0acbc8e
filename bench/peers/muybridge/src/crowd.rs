//! The workload's humanoids as a crowd of rigid bodies, one in each lane, with the defaults of `rigid::crowd`.

use muybridge::glam::DVec3;
use muybridge::rigid::Model;
use muybridge::rigid::crowd::{Crowd, Settings};
use workloads::{DT, GRAVITY, Pose, Scene, Vel, World};

use crate::rigid::{add, ground, starts_of};

/// Steps of the crowd per step of the workloads.
pub const STEPS: u32 = 4;

/// A crowd with one instance per ragdoll.
pub struct Many {
    crowd: Crowd,
    model: Model,
}

/// Builds a crowd of all ragdolls with the settings of the workloads.
pub fn crowd(scene: &Scene) -> Many {
    let mut model = Model::default();
    add(&mut model, scene);
    model.obstacles.push(ground());
    let starts: Vec<_> = (0..scene.instances.len()).map(|ragdoll| starts_of(scene, ragdoll)).collect();
    let settings = Settings { time_step: DT / f64::from(STEPS), gravity: DVec3::Y * GRAVITY, ..Settings::default() };
    let crowd = Crowd::touching(&model, &starts, settings).expect("the humanoids are sound");
    Many { crowd, model }
}

impl World for Many {
    fn step(&mut self) {
        self.crowd.step(STEPS);
    }
    fn poses(&mut self, out: &mut Vec<Pose>) {
        out.clear();
        for ragdoll in 0..self.crowd.len() {
            let pose = |body: usize| self.crowd.body(ragdoll, body).0;
            out.extend((0..self.model.bodies.len()).map(pose).map(|pose| Pose { p: pose.place(), q: pose.turn() }));
        }
    }
    fn vels(&mut self, out: &mut Vec<Vel>) {
        out.clear();
        for ragdoll in 0..self.crowd.len() {
            out.extend(self.model.bodies.iter().enumerate().map(|(index, body)| {
                let (pose, momentum) = self.crowd.body(ragdoll, index);
                let (lin, ang) = momentum.velocities(body, pose.turn());
                Vel { lin, ang }
            }));
        }
    }
}
