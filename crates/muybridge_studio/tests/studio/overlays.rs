//! Overlays and charts of the Motion room, toggled by the names that a screen reader would read, and their pictures.

use crate::window::{Window, drawn, picture, window};
use eframe::egui::Pos2;
use egui_kittest::kittest::Queryable;
use image::RgbaImage;

/// Names of all overlay toggles.
const OVERLAYS: [&str; 15] = [
    "Bodies",
    "Skin",
    "Skeleton",
    "Mass center",
    "Ground projection",
    "Ballistic path",
    "Family of curves",
    "Linear momentum",
    "Angular momentum",
    "Zero-moment point",
    "Support polygon",
    "Contact ticks",
    "Unseen support",
    "Exposures",
    "Scale",
];

/// A window with the sample's motion.
fn sample() -> Window {
    let mut window = window(1280.0, 800.0);
    window.get_by_label("Sample: a floating jump").click();
    window.run_steps(4);
    window
}

/// Number of pixels of the 3D view that differ between two pictures.
fn changed(before: &RgbaImage, after: &RgbaImage, view: eframe::egui::Rect) -> usize {
    let inside = |x: u32, y: u32| view.contains(Pos2::new(x as f32, y as f32));
    let pixels = before.enumerate_pixels().zip(after.pixels());
    pixels.filter(|((x, y, before), after)| inside(*x, *y) && before != after).count()
}

fn go_to(window: &mut Window, frame: usize) {
    window.state_mut().workspace.motions.current_mut().expect("an open motion").timeline.go_to(frame);
    window.run_steps(2);
}

fn frame(window: &Window) -> usize {
    window.state().workspace.motions.current().expect("an open motion").timeline.frame()
}

/// A frame on the ground before the first flight, a frame in the middle of that flight, and the frame of the largest
/// angular momentum.
fn moments(window: &Window) -> [usize; 3] {
    let analysis = &window.state().workspace.motions.current().expect("an open motion").motion.analysis;
    let span = analysis.flights[0].span;
    let standing = (0..span.first).rev().find(|frame| analysis.per_frame.zero_moment_point[*frame].is_some());
    let spin = |frame: usize| analysis.per_frame.angular_momentum[frame].map_or(0.0, |spin| spin.length());
    let turning = (0..analysis.frames).max_by(|a, b| spin(*a).total_cmp(&spin(*b))).expect("frames");
    [standing.expect("a frame on the ground"), (span.first + span.last) / 2, turning]
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn s31_each_overlay_is_switched_by_its_name_and_seen() {
    let mut window = sample();
    let [standing, flying, turning] = moments(&window);
    let unseen = |name: &str| ["Unseen support", "Skin"].contains(&name); // the sample has none
    let in_flight = ["Family of curves", "Ballistic path"];
    for name in OVERLAYS.into_iter().filter(|name| !unseen(name)) {
        let moment = match name {
            "Angular momentum" => turning,
            _ if in_flight.contains(&name) => flying,
            _ => standing,
        };
        go_to(&mut window, moment);
        let view = window.get_by_label("3D view").rect();
        // The picture includes the pointer, so it is moved first.
        let toggle = window.get_by_label(name).rect().center();
        window.hover_at(toggle);
        window.run_steps(1);
        let before = window.render().expect("a picture");
        window.get_by_label(name).click();
        window.run_steps(2);
        let after = drawn(&mut window, &format!("overlay_{}", name.to_lowercase().replace([' ', '-'], "_")));
        assert!(changed(&before, &after, view) > 10, "{name} changes nothing");
        window.get_by_label(name).click();
        window.run_steps(2);
        let back = window.render().expect("a picture");
        assert_eq!(changed(&before, &back, view), 0, "{name} leaves something");
    }
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn s31_all_overlays_together_on_slate_and_paper() {
    let mut window = sample();
    let [standing, flying, turning] = moments(&window);
    for name in ["Family of curves", "Linear momentum", "Angular momentum", "Exposures"] {
        window.get_by_label(name).click();
        window.run_steps(1);
    }
    for (theme, other) in [("dark", "Paper"), ("light", "Slate")] {
        for (moment, frame) in [("ground", standing), ("flight", flying), ("turning", turning)] {
            go_to(&mut window, frame);
            picture(&mut window, &format!("overlays_{moment}_{theme}"));
        }
        if window.query_by_label(other).is_some() {
            window.get_by_label(other).click();
            window.run_steps(3);
        }
    }
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_click_in_a_chart_moves_the_cursor_to_the_time_the_time_line_has_there() {
    let mut window = sample();
    let plot = window.get_by_label("Plot: Mass center height").rect();
    let line = window.get_by_label("Time line").rect();
    let press = |window: &mut Window, at: Pos2| {
        window.hover_at(at);
        window.run_steps(1);
        window.drag_at(at);
        window.run_steps(1);
        window.drop_at(at);
        window.run_steps(2);
        frame(window)
    };
    let x = plot.left() + 0.6 * plot.width();
    let by_chart = press(&mut window, Pos2::new(x, plot.center().y));
    go_to(&mut window, 0);
    let by_line = press(&mut window, Pos2::new(x, line.center().y));
    assert_eq!(by_chart, by_line);
    assert!(by_chart > 0);
    window.hover_at(Pos2::new(x - 60.0, plot.center().y));
    window.run_steps(40);
    picture(&mut window, "charts_hover");
}

#[test]
#[cfg_attr(no_graphics, ignore = "needs a graphics adapter: install mesa-vulkan-drivers")]
fn a_chart_closes_and_opens() {
    let mut window = sample();
    for title in ["Mass center height", "Vertical force", "Angular momentum", "ZMP margin"] {
        let (header, plot) = (format!("Chart: {title}"), format!("Plot: {title}"));
        assert!(window.query_by_label(&plot).is_some(), "{title}");
        window.get_by_label(&header).click();
        window.run_steps(5);
        assert!(window.query_by_label(&plot).is_none(), "{title}");
    }
    picture(&mut window, "charts_closed");
    window.get_by_label("Chart: Vertical force").click();
    window.run_steps(2);
    assert!(window.query_by_label("Plot: Vertical force").is_some());
}
