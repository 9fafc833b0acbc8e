//! Muybridge on the workloads: herds in lanes and rigid bodies for ragdolls, cloth in lanes for cloth, all with their
//! defaults. `METHOD=particles`, `METHOD=rigid` or `METHOD=crowd` (rigid bodies in lanes, ground contact only: W1a)
//! selects one of them.

mod crowd;
mod door;
mod mannequin;
mod rigid;

use muybridge::glam::DVec3;
use muybridge::math::Width;
use muybridge::particles::herd::{Herd, HerdObstacle, HerdSettings, InstanceId, InstancePlacement};
use muybridge::particles::{ClothLanes, ClothSettings};
use muybridge::rigid::Settings;
use workloads::{Cloth, ClothWorld, DT, Pose, Scene, Vel, World};

struct Ragdolls {
    herd: Herd,
    slots: Vec<InstanceId>,
}

fn ragdolls(scene: &Scene) -> Ragdolls {
    let model = mannequin::model(&scene.humanoid, scene.self_collision);
    let settings =
        HerdSettings { time_step: DT, rest_steps: 0, touch_each_other: scene.is_heap, ..HerdSettings::default() };
    let mut herd = Herd::new(&model, settings).expect("the humanoid makes a herd");
    herd.set_obstacles(&[HerdObstacle::HalfSpace { normal: DVec3::Y, offset: 0.0 }]);
    let place = |at: &Pose| InstancePlacement { position: at.p, rotation: at.q, ..InstancePlacement::default() };
    let slots = scene.instances.iter().map(|at| herd.spawn(&place(at)).expect("a finite placement")).collect();
    Ragdolls { herd, slots }
}

impl World for Ragdolls {
    fn step(&mut self) {
        self.herd.step();
    }
    fn poses(&mut self, out: &mut Vec<Pose>) {
        let bodies = self.herd.bodies();
        out.clear();
        for &slot in &self.slots {
            out.extend((0..bodies).map(|body| self.herd.pose(slot, body)).map(|(p, q)| Pose { p, q }));
        }
    }
    fn vels(&mut self, out: &mut Vec<Vel>) {
        let bodies = self.herd.bodies();
        out.clear();
        for &slot in &self.slots {
            out.extend((0..bodies).map(|body| self.herd.velocity(slot, body)).map(|(lin, ang)| Vel { lin, ang }));
        }
    }
}

struct Sheet(ClothLanes);

fn sheet(cloth: &Cloth) -> Sheet {
    let triangles: Vec<[usize; 3]> = cloth.tris.iter().map(|corners| corners.map(|corner| corner as usize)).collect();
    let settings = ClothSettings { time_step: DT, density: cloth.mass / 4.0, ..ClothSettings::default() };
    Sheet(ClothLanes::new(&cloth.pos, &triangles, &cloth.pinned, settings).expect("the sheet is a mesh"))
}

impl ClothWorld for Sheet {
    fn step(&mut self) {
        self.0.step();
    }
    fn positions(&mut self, out: &mut Vec<DVec3>) {
        out.clear();
        out.extend(self.0.positions());
    }
}

fn main() {
    let width = Width::widest();
    let is_wanted = |method: &str| std::env::var("METHOD").map_or(true, |wanted| wanted.is_empty() || wanted == method);
    if let Some(folder) = std::env::var_os("DOOR") {
        return door::run(folder.as_ref(), is_wanted);
    }
    if is_wanted("particles") {
        let (lanes, substeps) = (width.single_lanes(), HerdSettings::default().substeps);
        let note = format!("{lanes} f32 lanes, {substeps} substeps (default)");
        workloads::run_all("Muybridge", &note, &|scene| Box::new(ragdolls(scene)));
        let settings = ClothSettings::default();
        let note = format!("{lanes} f32 lanes, {} substeps, drag {} /s (default)", settings.substeps, settings.drag);
        workloads::run_cloths("Muybridge", &note, &|cloth| Box::new(sheet(cloth)));
    }
    if is_wanted("rigid") {
        let note = format!("f64, {} substeps (default)", Settings::default().substeps);
        workloads::run_all("Muybridge rigid", &note, &|scene| Box::new(rigid::rigid(scene)));
    }
    if is_wanted("crowd") {
        let note = format!(
            "rigid bodies in {width} vectors, f32 where they may touch, {} steps of 1/240 s (default)",
            crowd::STEPS
        );
        workloads::run_some(&["W1a"], "Muybridge crowd", &note, &|scene| Box::new(crowd::crowd(scene)));
    }
}
