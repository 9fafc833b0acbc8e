//! Fields for keys with several values: one row per value, with buttons to add and remove rows.

use eframe::egui::{DragValue, Id, Ui};
use muybridge::glam::DVec3;
use muybridge::simulation::scene::slot::{Choices, NumberRange, Waypoint};

use super::properties::KeyField;

/// Greatest number of rows shown.
const SHOWN: usize = 40;

/// Field for a key that takes several of a few words.
pub fn choices(ui: &mut Ui, choices: &mut dyn Choices) -> bool {
    let words = choices.words();
    let mut indices = choices.indices();
    let mut changed = false;
    ui.vertical(|ui| {
        for rows in (0..words.len()).collect::<Vec<_>>().chunks(2) {
            ui.horizontal(|ui| {
                for &index in rows {
                    let is_in = indices.contains(&index);
                    if ui.selectable_label(is_in, words[index].replace('_', " ")).clicked() {
                        changed = true;
                        if is_in {
                            indices.retain(|&other| other != index);
                        } else {
                            indices.push(index);
                        }
                    }
                }
            });
        }
    });
    if changed {
        indices.sort_unstable();
        choices.set(&indices);
    }
    changed
}

/// Rows of values; `show` edits one row, and `first` is the value of the first row added.
fn rows<T: Clone>(
    ui: &mut Ui,
    field: &KeyField<'_>,
    values: &mut Vec<T>,
    first: T,
    show: impl Fn(&KeyField<'_>, &mut Ui, &mut T) -> bool,
) -> bool {
    let mut changed = false;
    ui.vertical(|ui| {
        let title = match values.len() {
            1 => "1 entry".to_owned(),
            count => format!("{count} entries"),
        };
        let id = Id::unique((field.id, "rows"));
        eframe::egui::CollapsingHeader::new(title).id_salt(id).show(ui, |ui| {
            let mut gone = None;
            for (index, value) in values.iter_mut().enumerate().take(SHOWN) {
                ui.horizontal(|ui| {
                    ui.weak(format!("{index}"));
                    changed |= show(field, ui, value);
                    if ui.small_button("-").on_hover_text("Take this one out").clicked() {
                        gone = Some(index);
                    }
                });
            }
            if values.len() > SHOWN {
                ui.weak(format!("and {} more", values.len() - SHOWN));
            }
            if let Some(index) = gone {
                values.remove(index);
                changed = true;
            }
            if ui.small_button("+").on_hover_text("One more").clicked() {
                values.push(values.last().cloned().unwrap_or(first));
                changed = true;
            }
        });
    });
    changed
}

/// Field for a list of numbers.
pub fn numbers(ui: &mut Ui, field: &KeyField<'_>, values: &mut Vec<f64>, bound: NumberRange) -> bool {
    rows(ui, field, values, 1.0, |field, ui, value| field.number(ui, value, bound, ""))
}

/// Field for a list of points.
pub fn vectors(ui: &mut Ui, field: &KeyField<'_>, values: &mut Vec<DVec3>) -> bool {
    rows(ui, field, values, DVec3::Y, |field, ui, value| field.vector(ui, value, NumberRange::Any))
}

/// Field for a path: points with times.
pub fn path(ui: &mut Ui, field: &KeyField<'_>, path: &mut Vec<Waypoint>) -> bool {
    let time = path.last().map_or(0.0, |point| point.time + 1.0);
    let first = Waypoint { time, place: path.last().map_or(DVec3::Y, |point| point.place) };
    let before = path.len();
    let changed = rows(ui, field, path, first, |field, ui, point| {
        field.drag(ui, DragValue::new(&mut point.time).speed(0.02).suffix(" s"), "time")
            | field.vector(ui, &mut point.place, NumberRange::Any)
    });
    if path.len() > before
        && let Some(point) = path.last_mut()
    {
        point.time = time;
    }
    changed
}

/// Field for a list of point indices.
pub fn indices(ui: &mut Ui, field: &KeyField<'_>, values: &mut Vec<u32>) -> bool {
    rows(ui, field, values, 0, |field, ui, value| field.drag(ui, DragValue::new(value).speed(0.05), "point"))
}

/// Field for a list of pairs of point indices.
pub fn pairs(ui: &mut Ui, field: &KeyField<'_>, values: &mut Vec<[u32; 2]>) -> bool {
    rows(ui, field, values, [0, 1], |field, ui, [a, b]| {
        field.drag(ui, DragValue::new(a).speed(0.05), "from") | field.drag(ui, DragValue::new(b).speed(0.05), "to")
    })
}

/// Field for a list of triples of point indices.
pub fn triples(ui: &mut Ui, field: &KeyField<'_>, values: &mut Vec<[u32; 3]>) -> bool {
    rows(ui, field, values, [0, 1, 2], |field, ui, [a, b, c]| {
        field.drag(ui, DragValue::new(a).speed(0.05), "first")
            | field.drag(ui, DragValue::new(b).speed(0.05), "second")
            | field.drag(ui, DragValue::new(c).speed(0.05), "third")
    })
}
