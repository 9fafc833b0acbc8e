//! Color palettes of Muybridge's pictures, on printed gray paper and on slate.
//!
//! Okabe–Ito colors, safe for color-blind readers. Each kind of thing also has its own shape.

/// A color with 8 bits per channel, not premultiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    /// Red, 0 to 255.
    pub red: u8,
    /// Green, 0 to 255.
    pub green: u8,
    /// Blue, 0 to 255.
    pub blue: u8,
    /// Opacity, 0 to 255; 255 is opaque.
    pub alpha: u8,
}

impl Ink {
    /// An opaque color from `0xRRGGBB`.
    pub const fn hex(rgb: u32) -> Self {
        Self { red: (rgb >> 16) as u8, green: (rgb >> 8) as u8, blue: rgb as u8, alpha: 255 }
    }

    /// The same color with the given opacity (0 to 1).
    pub fn faded(self, opacity: f64) -> Self {
        Self { alpha: (255.0 * opacity.clamp(0.0, 1.0) + 0.5) as u8, ..self }
    }

    /// Blends the color toward `other` by `amount` (0 to 1); the result is opaque.
    pub fn toward(self, other: Self, amount: f64) -> Self {
        let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * amount.clamp(0.0, 1.0) + 0.5) as u8;
        Self {
            red: mix(self.red, other.red),
            green: mix(self.green, other.green),
            blue: mix(self.blue, other.blue),
            alpha: 255,
        }
    }
}

/// Colors of each kind of thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    /// Background of the page.
    pub paper: Ink,
    /// Background of an exposure at its top.
    pub backdrop: Ink,
    /// Background of an exposure at the floor.
    pub backdrop_low: Ink,
    /// Ground below the floor.
    pub ground: Ink,
    /// Fine lines of the grid.
    pub grid: Ink,
    /// Bold lines of the grid.
    pub grid_bold: Ink,
    /// Titles and labels.
    pub text: Ink,
    /// Less important labels.
    pub quiet: Ink,
    /// A body in full light.
    pub body_light: Ink,
    /// A body in shadow.
    pub body_dark: Ink,
    /// The animated center of mass.
    pub mass_center: Ink,
    /// The ballistic path, and quantities outside their limits.
    pub ballistic: Ink,
    /// Contacts and support polygons.
    pub contact: Ink,
    /// Warnings.
    pub warning: Ink,
    /// The zero-moment point.
    pub zero_moment_point: Ink,
    /// Linear momentum.
    pub linear_momentum: Ink,
    /// Angular momentum.
    pub angular_momentum: Ink,
}

impl Palette {
    /// Colors on printed gray paper.
    pub const LIGHT: Self = Self {
        paper: Ink::hex(0xE9_E6_DF),
        backdrop: Ink::hex(0xD9_D6_CE),
        backdrop_low: Ink::hex(0xCC_C9_C0),
        ground: Ink::hex(0xA9_A6_9E),
        grid: Ink::hex(0xDF_DC_D5),
        grid_bold: Ink::hex(0xEF_ED_E7),
        text: Ink::hex(0x22_22_20),
        quiet: Ink::hex(0x67_65_5F),
        body_light: Ink::hex(0x9C_99_93),
        body_dark: Ink::hex(0x1E_1D_1C),
        mass_center: Ink::hex(0x00_72_B2),
        ballistic: Ink::hex(0xD5_5E_00),
        contact: Ink::hex(0x00_9E_73),
        warning: Ink::hex(0xB8_86_0B),
        zero_moment_point: Ink::hex(0xCC_79_A7),
        linear_momentum: Ink::hex(0xB8_86_0B),
        angular_momentum: Ink::hex(0x00_00_00),
    };

    /// Colors on slate.
    pub const DARK: Self = Self {
        paper: Ink::hex(0x1B_1E_22),
        backdrop: Ink::hex(0x25_29_2E),
        backdrop_low: Ink::hex(0x2D_32_38),
        ground: Ink::hex(0x3C_42_49),
        grid: Ink::hex(0x31_36_3D),
        grid_bold: Ink::hex(0x4A_51_5A),
        text: Ink::hex(0xEC_EA_E4),
        quiet: Ink::hex(0x9B_A0_A6),
        body_light: Ink::hex(0xE2_DF_D8),
        body_dark: Ink::hex(0x4A_4B_4D),
        mass_center: Ink::hex(0x56_B4_E9),
        ballistic: Ink::hex(0xE6_9F_00),
        contact: Ink::hex(0x00_9E_73),
        warning: Ink::hex(0xF0_E4_42),
        zero_moment_point: Ink::hex(0xCC_79_A7),
        linear_momentum: Ink::hex(0xF0_E4_42),
        angular_momentum: Ink::hex(0xFF_FF_FF),
    };

    /// The slate palette if `dark`, else the paper palette.
    pub fn of(dark: bool) -> &'static Self {
        if dark { &Self::DARK } else { &Self::LIGHT }
    }
}
