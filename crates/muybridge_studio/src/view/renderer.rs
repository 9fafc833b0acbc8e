//! Renderer of a drawing with wgpu: shadow map, off-screen picture with four samples per pixel, and its copy to the
//! window.
//!
//! ```text
//! prepare   rows of the drawing ─► buffers ─► shadow map ─► backdrop, solids, meshes, floor, lines, ghosts, marks
//! paint     copies the picture of `prepare` pixel by pixel
//! ```
//! egui's own render pass has neither depth nor multisampling; the off-screen picture has both on every platform.

use std::collections::HashMap;
use std::sync::Arc;

use eframe::egui::{PaintCallbackInfo, Rect, epaint::ViewportInPixels};
use eframe::{egui_wgpu, wgpu};
use muybridge::glam::DVec3;

use super::camera::OrbitCamera;
use super::drawing::Drawing;
use super::forms::{Forms, Vertex};
use super::pipelines::{DEPTH, Pipelines};
use super::rows::{InstanceRows, channels};
use super::targets::{GrowingBuffer, RenderTarget, texture};
use crate::theme::Theme;

/// Width and height of the shadow map, pixels.
const SHADOW_SIZE: u32 = 2048;

/// Unit vector to the sun: over the left shoulder of a viewer in front of a figure.
const TO_SUN: DVec3 = DVec3::new(-0.36, 0.82, 0.445);

/// All resources of the renderer, stored once in egui's callback resources.
struct RendererResources {
    kit: Kit,
    /// Resources of each view, by the number of the view.
    views: HashMap<u64, ViewRows>,
}

/// Resources shared by all views, which are drawn one after the other.
struct Kit {
    pipelines: Pipelines,
    forms: Forms,
    form_vertices: GrowingBuffer,
    shadow: wgpu::TextureView,
    shadow_group: wgpu::BindGroup,
}

/// Resources of one view; the buffers of all views are written before any view is drawn.
struct ViewRows {
    target: RenderTarget,
    scene: wgpu::Buffer,
    scene_group: wgpu::BindGroup,
    solids: GrowingBuffer,
    meshes: GrowingBuffer,
    lines: GrowingBuffer,
    marks: GrowingBuffer,
    rows: InstanceRows,
}

/// Adds the renderer's resources to egui; called once at program start.
pub fn install(state: &egui_wgpu::RenderState) {
    let kit = Kit::new(&state.device, &state.queue, state.target_format);
    let shared = RendererResources { kit, views: HashMap::new() };
    state.renderer.write().callback_resources.insert(shared);
}

/// Paint callback of a view.
pub struct Painting {
    /// Number of the view, unique in its window.
    pub view: u64,
    /// Rectangle of the view in the window, points.
    pub rect: Rect,
    /// The drawing to paint.
    pub drawing: Arc<Drawing>,
    /// Camera of the view.
    pub camera: OrbitCamera,
    /// Colors of the view.
    pub theme: Theme,
}

impl egui_wgpu::CallbackTrait for Painting {
    fn prepare(
        &self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        screen: &egui_wgpu::ScreenDescriptor,
        encoder: &mut wgpu::CommandEncoder,
        resources: &mut egui_wgpu::CallbackResources,
    ) -> Vec<wgpu::CommandBuffer> {
        if let Some(shared) = resources.get_mut::<RendererResources>() {
            shared.draw(self, device, queue, screen, encoder);
        }
        Vec::new()
    }

    fn paint(
        &self,
        _info: PaintCallbackInfo,
        pass: &mut wgpu::RenderPass<'static>,
        resources: &egui_wgpu::CallbackResources,
    ) {
        let Some(shared) = resources.get::<RendererResources>() else { return };
        let Some(view) = shared.views.get(&self.view) else { return };
        pass.set_pipeline(&shared.kit.pipelines.blit);
        pass.set_bind_group(0, &view.target.blit, &[]);
        pass.draw(0..3, 0..1);
    }
}

/// Number of floats in the uniform buffer, in the order of `Scene` in `scene.wgsl`.
const SCENE: usize = 16 + 16 + 4 * 10;

impl Kit {
    fn new(device: &wgpu::Device, queue: &wgpu::Queue, window: wgpu::TextureFormat) -> Self {
        let pipelines = Pipelines::new(device, window);
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
        let shadow = texture(device, [SHADOW_SIZE; 2], (DEPTH, 1), usage);
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..Default::default()
        });
        let shadow_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("shadow"),
            layout: &pipelines.shadow_layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&shadow) },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Sampler(&sampler) },
            ],
        });
        let (forms, mut form_vertices) = (Forms::new(), GrowingBuffer::default());
        let vertices: &[Vertex] = &forms.vertices;
        form_vertices.write(device, queue, vertices);
        Self { pipelines, forms, form_vertices, shadow, shadow_group }
    }
}

impl RendererResources {
    fn draw(
        &mut self,
        painting: &Painting,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        screen: &egui_wgpu::ScreenDescriptor,
        encoder: &mut wgpu::CommandEncoder,
    ) {
        let pixels = ViewportInPixels::from_points(&painting.rect, screen.pixels_per_point, screen.size_in_pixels);
        let size = [pixels.width_px.max(1) as u32, pixels.height_px.max(1) as u32];
        let pipelines = &self.kit.pipelines;
        let view = self.views.entry(painting.view).or_insert_with(|| ViewRows::new(device, pipelines, size));
        if view.target.size != size {
            view.target = RenderTarget::new(device, &pipelines.blit_layout, size);
        }
        let corner = [pixels.left_px as f32, pixels.top_px as f32, 0.0, 0.0];
        queue.write_buffer(&view.target.corner, 0, bytemuck::cast_slice(&corner));
        let scene = scene_numbers(painting, size, screen.pixels_per_point);
        queue.write_buffer(&view.scene, 0, bytemuck::cast_slice(&scene));
        view.write(painting, device, queue);
        view.shadow_pass(&self.kit, encoder);
        view.picture_pass(&self.kit, encoder, painting.drawing.floor.is_some());
    }
}

impl ViewRows {
    fn new(device: &wgpu::Device, pipelines: &Pipelines, size: [u32; 2]) -> Self {
        let scene = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("scene"),
            size: 4 * SCENE as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let scene_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("scene"),
            layout: &pipelines.scene_layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: scene.as_entire_binding() }],
        });
        Self {
            target: RenderTarget::new(device, &pipelines.blit_layout, size),
            scene,
            scene_group,
            solids: GrowingBuffer::default(),
            meshes: GrowingBuffer::default(),
            lines: GrowingBuffer::default(),
            marks: GrowingBuffer::default(),
            rows: InstanceRows::default(),
        }
    }

    fn write(&mut self, painting: &Painting, device: &wgpu::Device, queue: &wgpu::Queue) {
        self.rows.fill(&painting.drawing, painting.camera.eye());
        self.solids.write(device, queue, &self.rows.solids);
        self.meshes.write(device, queue, &self.rows.meshes);
        self.lines.write(device, queue, &self.rows.lines);
        self.marks.write(device, queue, &self.rows.marks);
    }

    fn shadow_pass(&self, kit: &Kit, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            depth_stencil_attachment: Some(cleared(&kit.shadow, 1.0, wgpu::StoreOp::Store)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.scene_group, &[]);
        self.draw_solids(&mut pass, kit, &kit.pipelines.solid_shadows, &self.rows.opaque);
        self.draw_meshes(&mut pass, &kit.pipelines.mesh_shadows);
    }

    fn picture_pass(&self, kit: &Kit, encoder: &mut wgpu::CommandEncoder, has_floor: bool) {
        let target = &self.target;
        let color = wgpu::RenderPassColorAttachment {
            view: &target.color,
            depth_slice: None,
            resolve_target: Some(&target.resolved),
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store: wgpu::StoreOp::Discard },
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("view"),
            color_attachments: &[Some(color)],
            depth_stencil_attachment: Some(cleared(&target.depth, 0.0, wgpu::StoreOp::Discard)),
            ..Default::default()
        });
        let pipelines = &kit.pipelines;
        pass.set_bind_group(0, &self.scene_group, &[]);
        pass.set_bind_group(1, &kit.shadow_group, &[]);
        pass.set_pipeline(&pipelines.backdrop);
        pass.draw(0..3, 0..1);
        self.draw_solids(&mut pass, kit, &pipelines.solids, &self.rows.opaque);
        self.draw_meshes(&mut pass, &pipelines.meshes);
        if has_floor {
            pass.set_pipeline(&pipelines.floor);
            pass.draw(0..6, 0..1);
        }
        let (lines, marks) = (self.rows.hidden_lines, self.rows.hidden_marks);
        draw_quads(&mut pass, &pipelines.lines, &self.lines, 0..lines);
        self.draw_solids(&mut pass, kit, &pipelines.solids, &self.rows.ghosts);
        draw_quads(&mut pass, &pipelines.marks, &self.marks, 0..marks);
        draw_quads(&mut pass, &pipelines.lines_on_top, &self.lines, lines..self.lines.rows);
        draw_quads(&mut pass, &pipelines.marks_on_top, &self.marks, marks..self.marks.rows);
    }

    fn draw_solids(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        kit: &Kit,
        pipeline: &wgpu::RenderPipeline,
        runs: &[(usize, std::ops::Range<u32>)],
    ) {
        let (Some(vertices), Some(instances)) = (kit.form_vertices.slice(), self.solids.slice()) else { return };
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, vertices);
        pass.set_vertex_buffer(1, instances);
        for (kind, run) in runs {
            pass.draw(kit.forms.ranges[*kind].clone(), run.clone());
        }
    }

    fn draw_meshes(&self, pass: &mut wgpu::RenderPass<'_>, pipeline: &wgpu::RenderPipeline) {
        let Some(vertices) = self.meshes.slice() else { return };
        pass.set_pipeline(pipeline);
        pass.set_vertex_buffer(0, vertices);
        pass.draw(0..self.meshes.rows, 0..1);
    }
}

/// Draws lines or marks, each row as six vertices of a quad.
fn draw_quads(
    pass: &mut wgpu::RenderPass<'_>,
    pipeline: &wgpu::RenderPipeline,
    rows: &GrowingBuffer,
    run: std::ops::Range<u32>,
) {
    let Some(instances) = rows.slice().filter(|_| !run.is_empty()) else { return };
    pass.set_pipeline(pipeline);
    pass.set_vertex_buffer(0, instances);
    pass.draw(0..6, run);
}

fn cleared(view: &wgpu::TextureView, depth: f32, store: wgpu::StoreOp) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    let depth_ops = Some(wgpu::Operations { load: wgpu::LoadOp::Clear(depth), store });
    wgpu::RenderPassDepthStencilAttachment { view, depth_ops, stencil_ops: None }
}

fn scene_numbers(painting: &Painting, [width, height]: [u32; 2], pixels_per_point: f32) -> [f32; SCENE] {
    let Painting { drawing, camera, theme, .. } = painting;
    let eye = camera.eye();
    let (light, shadow_pixel) = light_from_eye(drawing, eye);
    let floor = drawing.floor.map(|floor| (floor - eye.y) as f32);
    let toward = camera.toward().as_vec3();
    let sun = TO_SUN.normalize().as_vec3();
    let rows: [[f32; 4]; 10] = [
        [
            eye.x.rem_euclid(10.0) as f32,
            eye.z.rem_euclid(10.0) as f32,
            floor.unwrap_or(0.0),
            f32::from(u8::from(floor.is_some())),
        ],
        [width as f32, height as f32, pixels_per_point, f32::from(u8::from(shadow_pixel > 0.0))],
        [sun.x, sun.y, sun.z, shadow_pixel],
        [toward.x, toward.y, toward.z, f32::from(u8::from(camera.orthographic))],
        channels(theme.backdrop[0]),
        channels(theme.backdrop[1]),
        channels(theme.floor),
        channels(theme.grid[0]),
        channels(theme.grid[1]),
        [camera.height_at_target() as f32, camera.distance as f32, 0.0, 0.0],
    ];
    let mut numbers = [0.0; SCENE];
    numbers[..16].copy_from_slice(&camera.clip_from_eye(f64::from(width) / f64::from(height)).to_cols_array());
    numbers[16..32].copy_from_slice(&light.to_cols_array());
    numbers[32..].copy_from_slice(rows.as_flattened());
    numbers
}

/// Projection of the sun's shadow map over everything drawn: matrix from positions relative to the eye to clip
/// coordinates, and size of a shadow map pixel in meters, 0 if nothing casts a shadow.
fn light_from_eye(drawing: &Drawing, eye: DVec3) -> (glam::Mat4, f32) {
    let reaches = drawing.solids.iter().filter(|solid| solid.color.is_opaque()).map(|s| (s.position, s.form.reach()));
    let points = drawing.meshes.iter().flat_map(|mesh| mesh.points.iter().map(|point| (*point, 0.0)));
    let mut bounds: Option<(DVec3, DVec3)> = None;
    for (point, reach) in reaches.chain(points).filter(|(point, reach)| point.is_finite() && *reach < 20.0) {
        let (low, high) = bounds.unwrap_or((point, point));
        bounds = Some((low.min(point - reach), high.max(point + reach)));
    }
    let Some((low, high)) = bounds else { return (glam::Mat4::IDENTITY, 0.0) };
    let (center, radius) = ((low + high) / 2.0, ((high - low).length() / 2.0).clamp(0.1, 60.0));
    let to_sun = TO_SUN.normalize();
    let view = glam::DMat4::look_to_rh(center - eye + to_sun * 2.0 * radius, -to_sun, DVec3::X);
    let depth = 5.0 * radius;
    let projection = glam::DMat4::orthographic_rh(-radius, radius, -radius, radius, 0.0, depth);
    ((projection * view).as_mat4(), (2.0 * radius) as f32 / SHADOW_SIZE as f32)
}
