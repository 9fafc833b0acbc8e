//! Writes a [`BvhDocument`] as text.

use std::fmt::Write;

use super::document::{BvhDocument, BvhJoint, Channel};

/// Writes a document as text that reads back equal, number for number: each number has the fewest digits that read back to the
/// same bits.
pub fn write(document: &BvhDocument) -> String {
    let mut text = String::with_capacity(128 * document.joints().len() + 18 * document.channels() * document.frames());
    text.push_str("HIERARCHY\n");
    let mut open: Vec<usize> = Vec::new();
    for (index, joint) in document.joints().iter().enumerate() {
        while open.last().copied() != joint.parent {
            open.pop();
            close(&mut text, open.len());
        }
        begin_joint(&mut text, open.len(), joint);
        open.push(index);
    }
    while open.pop().is_some() {
        close(&mut text, open.len());
    }
    write!(text, "MOTION\nFrames: {}\nFrame Time: {}\n", document.frames(), document.frame_time_text())
        .expect("a string takes all text");
    for frame in 0..document.frames() {
        for (index, &value) in document.row(frame).iter().enumerate() {
            if index > 0 {
                text.push(' ');
            }
            push_number(&mut text, value);
        }
        text.push('\n');
    }
    text
}

/// Appends the shortest decimal that reads back to the same bits, with an exponent if it is far from 1.
pub(super) fn push_number(text: &mut String, value: f64) {
    let plain = value == 0.0 || (1e-5..1e15).contains(&value.abs());
    if plain { write!(text, "{value}") } else { write!(text, "{value:e}") }.expect("a string takes all text");
}

fn begin_joint(text: &mut String, depth: usize, joint: &BvhJoint) {
    let keyword = if joint.parent.is_none() { "ROOT" } else { "JOINT" };
    line(text, depth, &format!("{keyword} {}", joint.name));
    line(text, depth, "{");
    offset(text, depth + 1, joint.offset.to_array());
    if !joint.channels.is_empty() {
        let names: Vec<&str> = joint.channels.iter().map(|&channel| channel_name(channel)).collect();
        line(text, depth + 1, &format!("CHANNELS {} {}", names.len(), names.join(" ")));
    }
    for end in &joint.ends {
        line(text, depth + 1, "End Site");
        line(text, depth + 1, "{");
        offset(text, depth + 2, end.to_array());
        line(text, depth + 1, "}");
    }
}

fn close(text: &mut String, depth: usize) {
    line(text, depth, "}");
}

fn offset(text: &mut String, depth: usize, [x, y, z]: [f64; 3]) {
    indent(text, depth);
    text.push_str("OFFSET");
    for value in [x, y, z] {
        text.push(' ');
        push_number(text, value);
    }
    text.push('\n');
}

fn line(text: &mut String, depth: usize, words: &str) {
    indent(text, depth);
    text.push_str(words);
    text.push('\n');
}

/// Indents a line. Indentation stops growing at a depth, so that long chains of joints do not grow the text with the square.
fn indent(text: &mut String, depth: usize) {
    const DEEPEST: usize = 64;
    text.extend(std::iter::repeat_n('\t', depth.min(DEEPEST)));
}

fn channel_name(channel: Channel) -> &'static str {
    match channel {
        Channel::Position(axis) => ["Xposition", "Yposition", "Zposition"][axis as usize],
        Channel::Rotation(axis) => ["Xrotation", "Yrotation", "Zrotation"][axis as usize],
    }
}
