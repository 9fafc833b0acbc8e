//! Timing statistics in one line, and a test window without a display.

use eframe::egui::vec2;
use egui_kittest::Harness;
use egui_kittest::wgpu::WgpuTestRenderer;
use muybridge_studio::{StudioApp, StudioOptions};

/// A window without a display; everything runs on the calling thread.
pub fn window() -> Harness<'static, StudioApp> {
    let options = StudioOptions { at_once: true, ..StudioOptions::default() };
    let builder = Harness::builder().with_size(vec2(1280.0, 800.0)).with_step_dt(1.0 / 60.0);
    let builder = builder.renderer(WgpuTestRenderer::new());
    builder.build_eframe(|creation| StudioApp::new(creation, options))
}

/// Median, mean, 95th percentile and maximum of the times, as text.
pub fn told(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get(((times.len().max(1) - 1) as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    format!("{:8.2} {mean:8.2} {:8.2} {:8.2}", at(0.5), at(0.95), at(1.0))
}
