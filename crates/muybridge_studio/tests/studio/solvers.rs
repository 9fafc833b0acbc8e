//! Method, integrator and feedback of a run, changed while it runs.

use crate::scenes::{ask, click, document, open, run};
use crate::window::{Window, picture, window};
use eframe::egui::accesskit::Role;
use egui_kittest::kittest::Queryable;
use muybridge::rigid::displacement::Displacement;
use muybridge::rigid::integrator::Integrator;
use muybridge::rigid::multipliers::Feedback;
use muybridge::rigid::{Method, Settings};

/// Chooses a word from the drop-down list of a key.
fn choose(window: &mut Window, key: &str, word: &str) {
    window.get_by_role_and_label(Role::ComboBox, key).click();
    window.run_steps(3);
    window.get_by_label(word).click();
    window.run_steps(3);
}

fn settings(window: &Window) -> Settings {
    ask(window, |world| world.bodies().expect("bodies").settings)
}

fn feedback(window: &Window) -> Feedback {
    match settings(window).method {
        Method::Hennix(feedback) => feedback,
        other => panic!("{other:?}"),
    }
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn h22_solver_and_integrator_are_chosen_while_it_runs_and_k_s_belongs_to_the_scene() {
    let mut window = window(1440.0, 900.0);
    open(&mut window, "chain");
    choose(&mut window, "method", "multipliers");
    click(&mut window, "Play");
    window.run_steps(20);
    let steps = run(&window).status().steps;
    assert!(steps > 5);
    choose(&mut window, "integrator", "heun");
    assert_eq!(settings(&window).integrator, Integrator::Heun);
    choose(&mut window, "method", "displacement");
    choose(&mut window, "displacement", "lamouret");
    choose(&mut window, "integrator", "ziauddin");
    assert_eq!(settings(&window).integrator, Integrator::Ziauddin);
    assert!(matches!(settings(&window).method, Method::Displacement(how) if how.method == Displacement::Lamouret));
    choose(&mut window, "method", "hennix");
    // A key that was left out starts at its default value.
    let own = feedback(&window);
    click(&mut window, "k_s given");
    assert_eq!(document(&window).scene.solver.rigid.k_s, Some(own.stiffness));
    assert_eq!(feedback(&window), own);
    picture(&mut window, "studio_solver");
    assert!(run(&window).status().steps > steps, "it went on all the while");
    let poses = ask(&window, |world| world.bodies().expect("bodies").state.poses.clone());
    assert!(poses.iter().all(|pose| pose.place().is_finite()));
    // The settings are saved with the scene.
    let text = muybridge_files::scene::write(&document(&window).scene);
    assert!(text.contains("integrator = \"ziauddin\"") && text.contains("k_s = "), "{text}");
}
