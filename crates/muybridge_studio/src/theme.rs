//! Colors of the studio in one place: the project's palette, on a dark ("slate") and a light ("paper") ground.
//!
//! Colors shared with pictures and pages come from [`muybridge_report`]'s palette; colors only for the interface are
//! here.

use eframe::egui::{self, Color32, CornerRadius, Stroke};
use muybridge_report::draw::palette::{Ink, Palette};

/// Colors of the view, the timeline and the charts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theme {
    /// Whether this is the dark theme.
    pub dark: bool,
    /// Background of panels.
    pub panel: Color32,
    /// Background of fields, charts and the timeline.
    pub well: Color32,
    /// Lines between panels.
    pub line: Color32,
    /// Text.
    pub text: Color32,
    /// Less important text.
    pub quiet: Color32,
    /// Selected or pressed items.
    pub accent: Color32,
    /// Background of the 3D view, at its top and at its bottom.
    pub backdrop: [Color32; 2],
    /// Floor of the 3D view.
    pub floor: Color32,
    /// Floor lines: every 10 cm, and every meter.
    pub grid: [Color32; 2],
    /// The animated motion: skeleton and bodies.
    pub body: Color32,
    /// Center of mass: its path, its dot, and its projection on the ground.
    pub mass_center: Color32,
    /// Ballistic paths, and anything outside its limits.
    pub ballistic: Color32,
    /// Zero-moment point and center of pressure.
    pub zero_moment_point: Color32,
    /// Support polygon and contacts.
    pub contact: Color32,
    /// Linear momentum.
    pub linear_momentum: Color32,
    /// Angular momentum.
    pub angular_momentum: Color32,
    /// Support that the clip does not show.
    pub unseen: Color32,
    /// Warnings, which are less serious than values outside their limits.
    pub warning: Color32,
    /// Obstacles of a scene.
    pub obstacle: Color32,
    /// Cloth and other thin things, a shade different from bodies.
    pub cloth: Color32,
}

impl Theme {
    /// The dark theme if `dark`, else the light one.
    pub fn of(dark: bool) -> Self {
        let palette = Palette::of(dark);
        let either = |light: u32, slate: u32| color(Ink::hex(if dark { slate } else { light }));
        Self {
            dark,
            panel: color(palette.paper),
            well: either(0xF6_F4_EF, 0x13_15_18),
            line: either(0xC4_C1_B9, 0x36_3B_42),
            text: color(palette.text),
            quiet: color(palette.quiet),
            accent: color(palette.mass_center),
            backdrop: [either(0xE4_E1_DA, 0x2A_2F_35), either(0xC9_C6_BE, 0x1E_21_25)],
            floor: either(0xD2_CF_C7, 0x2B_30_36),
            grid: [either(0xB9_B6_AE, 0x3A_40_48), either(0x8F_8C_85, 0x5A_62_6C)],
            body: either(0x5C_5B_59, 0xBF_BE_BA),
            mass_center: color(palette.mass_center),
            ballistic: color(palette.ballistic),
            zero_moment_point: color(palette.zero_moment_point),
            contact: color(palette.contact),
            linear_momentum: color(palette.linear_momentum),
            angular_momentum: color(palette.angular_momentum),
            unseen: either(0x80_80_80, 0x90_90_90),
            warning: color(palette.warning),
            obstacle: either(0xA8_A2_94, 0x6C_73_7B),
            cloth: either(0x7E_8C_94, 0x9F_B0_BA),
        }
    }

    /// The theme of the interface being drawn.
    pub fn current(ui: &egui::Ui) -> Self {
        Self::of(ui.visuals().dark_mode)
    }

    /// Style of egui's own widgets in this theme.
    pub fn visuals(&self) -> egui::Visuals {
        let mut visuals = if self.dark { egui::Visuals::dark() } else { egui::Visuals::light() };
        visuals.panel_fill = self.panel;
        visuals.window_fill = self.panel;
        visuals.window_stroke = Stroke::new(1.0, self.line);
        visuals.extreme_bg_color = self.well;
        visuals.faint_bg_color = mix(self.panel, self.well, 0.5);
        visuals.hyperlink_color = self.accent;
        visuals.warn_fg_color = self.warning;
        visuals.error_fg_color = self.ballistic;
        visuals.selection.bg_fill = mix(self.panel, self.accent, if self.dark { 0.45 } else { 0.35 });
        visuals.selection.stroke = Stroke::new(1.0, self.text);
        visuals.window_corner_radius = CornerRadius::same(6);
        let button = mix(self.panel, self.text, 0.09);
        let widgets = &mut visuals.widgets;
        widgets.noninteractive.bg_fill = self.panel;
        widgets.noninteractive.weak_bg_fill = self.panel;
        widgets.noninteractive.bg_stroke = Stroke::new(1.0, self.line);
        widgets.noninteractive.fg_stroke = Stroke::new(1.0, self.text);
        for (state, weight) in [(&mut widgets.inactive, 0.0), (&mut widgets.hovered, 0.08), (&mut widgets.active, 0.16)]
        {
            state.weak_bg_fill = mix(button, self.text, weight);
            state.bg_fill = mix(button, self.text, 0.06 + weight);
            state.bg_stroke = Stroke::NONE;
            state.fg_stroke = Stroke::new(1.0 + weight as f32, self.text);
            state.corner_radius = CornerRadius::same(4);
            state.expansion = 0.0;
        }
        widgets.open.weak_bg_fill = button;
        widgets.open.bg_fill = button;
        widgets.open.fg_stroke = Stroke::new(1.0, self.text);
        visuals
    }
}

/// Installs both themes and the widget spacing in a context.
pub fn install(ctx: &egui::Context) {
    for (theme, dark) in [(egui::Theme::Dark, true), (egui::Theme::Light, false)] {
        ctx.set_visuals_of(theme, Theme::of(dark).visuals());
    }
    ctx.all_styles_mut(|style| {
        style.spacing.item_spacing = egui::vec2(8.0, 5.0);
        style.spacing.button_padding = egui::vec2(8.0, 3.0);
        style.interaction.tooltip_delay = 0.3;
    });
}

/// Mixes two colors; `amount` is 0 for the first and 1 for the second. The result is opaque.
pub fn mix(from: Color32, to: Color32, amount: f64) -> Color32 {
    let ink = |color: Color32| Ink { red: color.r(), green: color.g(), blue: color.b(), alpha: 255 };
    color(ink(from).toward(ink(to), amount))
}

fn color(ink: Ink) -> Color32 {
    Color32::from_rgba_unmultiplied(ink.red, ink.green, ink.blue, ink.alpha)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_have_the_colors_of_the_table_on_both_grounds() {
        let (light, dark) = (Theme::of(false), Theme::of(true));
        assert_eq!(light.mass_center, Color32::from_rgb(0x00, 0x72, 0xB2));
        assert_eq!(dark.mass_center, Color32::from_rgb(0x56, 0xB4, 0xE9));
        assert_eq!(light.ballistic, Color32::from_rgb(0xD5, 0x5E, 0x00));
        assert_eq!(dark.ballistic, Color32::from_rgb(0xE6, 0x9F, 0x00));
        assert_eq!(light.zero_moment_point, dark.zero_moment_point);
    }
}
