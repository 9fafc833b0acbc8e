//! Drawing on the CPU: lines, text and shaded bodies, the same bits on every machine.
//!
//! `tiny-skia` fills and strokes in scalar arithmetic with `libm`'s functions (feature `no-std-float`, no `simd`).
//! Letters are the outlines of Ubuntu Light, and of Hack for missing glyphs. The crate `epaint_default_fonts` holds
//! both fonts as bytes; no system font is used.

pub mod canvas;
pub mod figure;
pub mod palette;
pub mod solid;
pub mod text;
pub mod view;

pub use canvas::{Canvas, Pen, Type};
pub(crate) use figure::height_at_rest;
pub use figure::{Figure, FigureStyle};
pub use palette::{Ink, Palette};
pub(crate) use solid::CameraSolid;
pub use solid::capsule_between;
pub use text::{Lettering, TextAnchor};
pub use view::OrthographicView;
