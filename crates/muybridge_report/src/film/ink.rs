//! Colors of a film: shades of each kind of thing, of the ground and of the air.

use crate::draw::{Ink, Palette};

use super::scene_objects::{InkTone, SHADES};

/// Red, green and blue, 0 to 255.
pub(super) type Color = [f64; 3];

/// The colors of a film on paper or on slate.
pub(super) struct Inks {
    pub palette: &'static Palette,
    /// Colors of the air at the top of the picture and at the horizon.
    pub air: [Color; 2],
    pub ground: Color,
    /// Color of grid lines and ticks on the floor.
    pub grid: Color,
    /// Color of the ground in full shadow.
    pub shadow: Color,
    pub outline: Color,
    dark: bool,
}

impl Inks {
    pub(super) fn of(dark: bool) -> Self {
        let palette = Palette::of(dark);
        let ground = if dark { Ink::hex(0x2C_31_37) } else { Ink::hex(0xC6_C3_BA) };
        let grid = if dark { Ink::hex(0x4E_56_60) } else { Ink::hex(0xA6_A3_9B) };
        let shadow = if dark { Ink::hex(0x12_15_18) } else { Ink::hex(0x80_7D_77) };
        let outline = if dark { Ink::hex(0x10_12_14) } else { Ink::hex(0x2A_29_27) };
        Self {
            palette,
            air: [color(palette.paper), color(palette.backdrop)],
            ground: color(ground),
            grid: color(grid),
            shadow: color(shadow),
            outline: color(outline),
            dark,
        }
    }

    /// Colors of a thing in shadow and in full light.
    pub(super) fn ramp(&self, tone: InkTone) -> (Color, Color) {
        let (dark, light) = match (tone, self.dark) {
            (InkTone::Character(shade), night) => {
                let (dark, light) = (self.palette.body_dark, self.palette.body_light);
                let amount = f64::from(shade) / f64::from(SHADES) * if night { 0.34 } else { 0.3 };
                let light = if night { light } else { light.toward(Ink::hex(0xF4_F1_EA), 0.18) };
                let toward = if night { Ink::hex(0x5A_60_68) } else { Ink::hex(0xF4_F1_EA) };
                (dark.toward(toward, 0.4 * amount), light.toward(toward, amount))
            }
            (InkTone::Body, false) => (Ink::hex(0x33_30_2C), Ink::hex(0xB4_AE_A4)),
            (InkTone::Body, true) => (Ink::hex(0x46_48_4B), Ink::hex(0xC4_C3_C0)),
            (InkTone::Line, false) => (Ink::hex(0x33_24_18), Ink::hex(0x8E_6B_4A)),
            (InkTone::Line, true) => (Ink::hex(0x5A_45_33), Ink::hex(0xD9_B8_92)),
            (InkTone::Cloth, false) => (Ink::hex(0x5B_4A_3A), Ink::hex(0xF1_E6_D2)),
            (InkTone::Cloth, true) => (Ink::hex(0x4E_42_38), Ink::hex(0xE6_D6_BD)),
            (InkTone::Obstacle, false) => (Ink::hex(0x56_63_69), Ink::hex(0xBE_CB_CF)),
            (InkTone::Obstacle, true) => (Ink::hex(0x2A_37_3E), Ink::hex(0x6B_7F_8A)),
            (InkTone::Person, false) => (Ink::hex(0xB2_AF_A7), Ink::hex(0xB2_AF_A7)),
            (InkTone::Person, true) => (Ink::hex(0x3F_46_4D), Ink::hex(0x3F_46_4D)),
        };
        (color(dark), color(light))
    }
}

pub(super) fn color(ink: Ink) -> Color {
    [ink.red, ink.green, ink.blue].map(f64::from)
}

/// Linear blend from one color to another; 0 is the first, 1 the second.
pub(super) fn mix(from: Color, to: Color, amount: f64) -> Color {
    [0, 1, 2].map(|channel| from[channel] + (to[channel] - from[channel]) * amount)
}
