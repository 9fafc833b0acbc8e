//! Forward kinematics and masses compared with tables from MuJoCo and OpenSim (`truth/` of the shared data).

use crate::test_files::{here, path};

use muybridge::glam::DVec3;
use muybridge::motion::WorldMotion;
use muybridge_files::{Imported, body_csv, bvh, contacts_csv};

/// Clips of the truth family and the masses of their models in kg, from its README.
const CLIPS: [(&str, f64); 13] = [
    ("cmu2020_tumble_120", 66.9545),
    ("mj_drop_120", 40.844),
    ("mj_jump_120", 40.844),
    ("mj_jump_30", 40.844),
    ("mj_squat_120", 40.844),
    ("mj_sway_120", 40.844),
    ("mj_tumble_120", 40.844),
    ("mj_tumble_30", 40.844),
    ("mj_tumble_speed1p5_120", 40.844),
    ("mj_tumble_zerog_120", 40.844),
    ("opencap4_DJ1", 62.6),
    ("opencap4_static1", 62.6),
    ("opencap4_walking1", 62.6),
];

fn clip(name: &str) -> Imported {
    let bytes = std::fs::read(path(&format!("truth/{name}.bvh"))).unwrap();
    bvh::import(&bvh::parse(&bytes).unwrap()).unwrap()
}

fn text(name: &str) -> String {
    std::fs::read_to_string(path(&format!("truth/{name}"))).unwrap()
}

#[test]
fn joints_stand_where_the_simulators_put_them_within_a_hundredth_of_a_millimetre() {
    for (name, _) in here(CLIPS, |case| format!("truth/{}_joints.csv", case.0)) {
        let imported = clip(name);
        let world = WorldMotion::new(&imported.skeleton, &imported.clips[0]);
        let (mut worst, mut count) = (0.0_f64, 0);
        for line in text(&format!("{name}_joints.csv")).lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |i: usize| cells[i].parse::<f64>().unwrap();
            let frame: usize = cells[0].parse().unwrap();
            let bone = imported.skeleton.find(cells[2]).unwrap();
            let there = DVec3::new(number(3), number(4), number(5));
            worst = worst.max((world.position(bone, frame) - there).length());
            assert!((imported.clips[0].time(frame) - number(1)).abs() < 1e-6, "{name}: the time of frame {frame}");
            count += 1;
        }
        assert!(count > 100 && worst < 1e-5, "{name}: {worst} m over {count} joints");
        assert_eq!(imported.ignored, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn bodies_weigh_what_the_simulated_models_weigh() {
    for (name, kilograms) in here(CLIPS, |case| format!("truth/{}.bvh", case.0)) {
        let table = body_csv::parse(text(&format!("{name}_body.csv")).as_bytes()).unwrap();
        assert_eq!(table.notes, Vec::<String>::new(), "{name}");
        let bodies = body_csv::match_bones(&table.bodies, &clip(name).skeleton).unwrap();
        let mass: f64 = bodies.iter().map(|body| body.mass).sum();
        assert!((mass - kilograms).abs() <= 1e-4, "{name}: {mass} kg");
    }
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn contact_shapes_stand_on_the_floor_of_the_recordings() {
    // Heights of the floors: y = 0 in MuJoCo, whose soft contacts penetrate by millimeters; y = 6 mm for the force plates.
    for (name, contacts, floor, tolerance) in
        [("mj_sway_120", "mj_geoms.csv", 0.0, 0.003), ("opencap4_static1", "opencap4_contacts.csv", 0.006, 0.015)]
    {
        let imported = clip(name);
        let contacts = contacts_csv::parse(text(contacts).as_bytes()).unwrap();
        let points = contacts_csv::match_bones(&contacts, &imported.skeleton).unwrap().points;
        let world = WorldMotion::new(&imported.skeleton, &imported.clips[0]);
        for frame in 0..world.frames() {
            let bottom = |point: &muybridge::character::ContactPoint| {
                world.point(point.bone, frame, point.position).y - point.radius
            };
            let lowest = points.iter().map(bottom).fold(f64::INFINITY, f64::min);
            assert!((lowest - floor).abs() < tolerance, "{name}: {lowest} m in frame {frame}");
        }
    }
}
