//! Render pipelines of the view.

use eframe::wgpu;

/// Color format of the off-screen picture, gamma-encoded.
pub(super) const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
/// Depth format of picture and shadow map.
pub(super) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Number of samples per pixel.
pub(super) const SAMPLES: u32 = 4;

/// All render pipelines of the view and their bind group layouts.
pub(super) struct Pipelines {
    pub backdrop: wgpu::RenderPipeline,
    pub floor: wgpu::RenderPipeline,
    pub solids: wgpu::RenderPipeline,
    pub meshes: wgpu::RenderPipeline,
    pub lines: wgpu::RenderPipeline,
    pub lines_on_top: wgpu::RenderPipeline,
    pub marks: wgpu::RenderPipeline,
    pub marks_on_top: wgpu::RenderPipeline,
    pub solid_shadows: wgpu::RenderPipeline,
    pub mesh_shadows: wgpu::RenderPipeline,
    pub blit: wgpu::RenderPipeline,
    /// Layout of the bind group with the uniforms of a frame.
    pub scene_layout: wgpu::BindGroupLayout,
    /// Layout of the bind group with the shadow map.
    pub shadow_layout: wgpu::BindGroupLayout,
    /// Layout of the bind group with the finished picture and its position.
    pub blit_layout: wgpu::BindGroupLayout,
}

/// Properties that differ between pipelines: shaders, vertex buffers, depth mode, culling.
struct PipelineVariant<'a> {
    vertex: &'a str,
    /// Entry point of the fragment shader; `None` for a shadow pass, which writes only depth.
    fragment: Option<&'a str>,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    depth: DepthMode,
    cull: Option<wgpu::Face>,
}

/// Depth test and depth write of a pipeline. Near is 1 in the picture and 0 in the shadow map.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DepthMode {
    TestAndWrite,
    Test,
    Ignore,
}

impl Pipelines {
    pub(super) fn new(device: &wgpu::Device, window: wgpu::TextureFormat) -> Self {
        let shader = device.create_shader_module(wgpu::include_wgsl!("scene.wgsl"));
        let scene_layout = layout(device, &[uniform(0)]);
        let shadow_layout = layout(device, &[depth_texture(0), comparison_sampler(1)]);
        let blit_layout = layout(device, &[picture(0), uniform(1)]);
        let make = |kind: PipelineVariant<'_>| {
            let groups = [Some(&scene_layout), Some(&shadow_layout)];
            let groups = if kind.fragment.is_some() { &groups[..] } else { &groups[..1] };
            pipeline(device, &shader, groups, &kind)
        };
        let solid = [buffer(&SOLID_VERTEX, 28, false), buffer(&SOLID_INSTANCE, 64, true)];
        let mesh = [buffer(&MESH_VERTEX, 40, false)];
        let line = [buffer(&LINE, 52, true)];
        let mark = [buffer(&MARK, 36, true)];
        let back = Some(wgpu::Face::Back);
        let kind = |vertex, fragment, buffers, depth, cull| PipelineVariant {
            vertex,
            fragment: Some(fragment),
            buffers,
            depth,
            cull,
        };
        let shadow = |vertex, buffers, cull| PipelineVariant {
            vertex,
            fragment: None,
            buffers,
            depth: DepthMode::TestAndWrite,
            cull,
        };
        Self {
            backdrop: make(kind("backdrop", "backdrop_color", &[], DepthMode::Ignore, None)),
            floor: make(kind("floor", "floor_color", &[], DepthMode::Test, None)),
            solids: make(kind("solid", "lit", &solid, DepthMode::TestAndWrite, back)),
            meshes: make(kind("mesh", "lit_both_sides", &mesh, DepthMode::TestAndWrite, None)),
            lines: make(kind("line", "line_color", &line, DepthMode::Test, None)),
            lines_on_top: make(kind("line", "line_color", &line, DepthMode::Ignore, None)),
            marks: make(kind("mark", "mark_color", &mark, DepthMode::Test, None)),
            marks_on_top: make(kind("mark", "mark_color", &mark, DepthMode::Ignore, None)),
            solid_shadows: make(shadow("solid_shadow", &solid, back)),
            mesh_shadows: make(shadow("mesh_shadow", &mesh, None)),
            blit: blit(device, &blit_layout, window),
            scene_layout,
            shadow_layout,
            blit_layout,
        }
    }
}

const SOLID_VERTEX: [wgpu::VertexAttribute; 3] = wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32];
const SOLID_INSTANCE: [wgpu::VertexAttribute; 4] =
    wgpu::vertex_attr_array![3 => Float32x4, 4 => Float32x4, 5 => Float32x4, 6 => Float32x4];
const MESH_VERTEX: [wgpu::VertexAttribute; 3] =
    wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x4];
const LINE: [wgpu::VertexAttribute; 4] =
    wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32x4, 3 => Float32];
const MARK: [wgpu::VertexAttribute; 3] = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x4, 2 => Float32];

fn buffer(attributes: &[wgpu::VertexAttribute], stride: u64, instances: bool) -> Option<wgpu::VertexBufferLayout<'_>> {
    let step_mode = if instances { wgpu::VertexStepMode::Instance } else { wgpu::VertexStepMode::Vertex };
    Some(wgpu::VertexBufferLayout { array_stride: stride, step_mode, attributes })
}

fn layout(device: &wgpu::Device, entries: &[wgpu::BindGroupLayoutEntry]) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some("view"), entries })
}

fn entry(binding: u32, ty: wgpu::BindingType) -> wgpu::BindGroupLayoutEntry {
    let visibility = wgpu::ShaderStages::VERTEX_FRAGMENT;
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

fn uniform(binding: u32) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BufferBindingType::Uniform;
    entry(binding, wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None })
}

fn texture(binding: u32, sample_type: wgpu::TextureSampleType) -> wgpu::BindGroupLayoutEntry {
    let view_dimension = wgpu::TextureViewDimension::D2;
    entry(binding, wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false })
}

fn depth_texture(binding: u32) -> wgpu::BindGroupLayoutEntry {
    texture(binding, wgpu::TextureSampleType::Depth)
}

fn picture(binding: u32) -> wgpu::BindGroupLayoutEntry {
    texture(binding, wgpu::TextureSampleType::Float { filterable: false })
}

fn comparison_sampler(binding: u32) -> wgpu::BindGroupLayoutEntry {
    entry(binding, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Comparison))
}

fn pipeline(
    device: &wgpu::Device,
    shader: &wgpu::ShaderModule,
    groups: &[Option<&wgpu::BindGroupLayout>],
    kind: &PipelineVariant<'_>,
) -> wgpu::RenderPipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some(kind.vertex),
        bind_group_layouts: groups,
        immediate_size: 0,
    });
    let compilation_options = wgpu::PipelineCompilationOptions::default;
    let targets = [Some(wgpu::ColorTargetState {
        format: COLOR,
        blend: Some(wgpu::BlendState::ALPHA_BLENDING),
        write_mask: wgpu::ColorWrites::COLOR,
    })];
    let is_shadow = kind.fragment.is_none();
    let nearer = if is_shadow { wgpu::CompareFunction::LessEqual } else { wgpu::CompareFunction::GreaterEqual };
    let compare = if kind.depth == DepthMode::Ignore { wgpu::CompareFunction::Always } else { nearer };
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(kind.vertex),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: shader,
            entry_point: Some(kind.vertex),
            compilation_options: compilation_options(),
            buffers: kind.buffers,
        },
        primitive: wgpu::PrimitiveState { cull_mode: kind.cull, ..Default::default() },
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(kind.depth == DepthMode::TestAndWrite),
            depth_compare: Some(compare),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState { count: if is_shadow { 1 } else { SAMPLES }, ..Default::default() },
        fragment: kind.fragment.map(|name| wgpu::FragmentState {
            module: shader,
            entry_point: Some(name),
            compilation_options: compilation_options(),
            targets: &targets,
        }),
        multiview_mask: None,
        cache: None,
    })
}

fn blit(device: &wgpu::Device, layout: &wgpu::BindGroupLayout, window: wgpu::TextureFormat) -> wgpu::RenderPipeline {
    let shader = device.create_shader_module(wgpu::include_wgsl!("blit.wgsl"));
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: Some("blit"),
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    let compilation_options = wgpu::PipelineCompilationOptions::default;
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some("blit"),
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &shader,
            entry_point: Some("cover"),
            compilation_options: compilation_options(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &shader,
            entry_point: Some(if window.is_srgb() { "as_light" } else { "as_it_is" }),
            compilation_options: compilation_options(),
            targets: &[Some(wgpu::ColorTargetState {
                format: window,
                blend: None,
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
