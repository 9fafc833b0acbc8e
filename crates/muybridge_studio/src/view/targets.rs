//! GPU textures and buffers that are reused between frames and grow if needed.

use eframe::wgpu;

use super::pipelines::{COLOR, DEPTH, SAMPLES};

/// Textures of the off-screen picture of one view.
pub(super) struct RenderTarget {
    pub size: [u32; 2],
    pub color: wgpu::TextureView,
    pub resolved: wgpu::TextureView,
    pub depth: wgpu::TextureView,
    pub blit: wgpu::BindGroup,
    pub corner: wgpu::Buffer,
}

impl RenderTarget {
    pub(super) fn new(device: &wgpu::Device, layout: &wgpu::BindGroupLayout, size: [u32; 2]) -> Self {
        let attachment = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let resolved = texture(device, size, (COLOR, 1), attachment | wgpu::TextureUsages::TEXTURE_BINDING);
        let corner = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("corner"),
            size: 16,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let blit = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("blit"),
            layout,
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&resolved) },
                wgpu::BindGroupEntry { binding: 1, resource: corner.as_entire_binding() },
            ],
        });
        Self {
            size,
            color: texture(device, size, (COLOR, SAMPLES), attachment),
            depth: texture(device, size, (DEPTH, SAMPLES), attachment),
            resolved,
            blit,
            corner,
        }
    }
}

/// Creates a texture with a number of samples per pixel and returns its view.
pub(super) fn texture(
    device: &wgpu::Device,
    [width, height]: [u32; 2],
    (format, samples): (wgpu::TextureFormat, u32),
    usage: wgpu::TextureUsages,
) -> wgpu::TextureView {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some("view"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

/// A buffer of vertices or instances that is reallocated only if it has to grow.
#[derive(Default)]
pub(super) struct GrowingBuffer {
    buffer: Option<wgpu::Buffer>,
    /// Number of rows written last.
    pub rows: u32,
}

impl GrowingBuffer {
    /// Writes rows of `N` numbers.
    pub(super) fn write<const N: usize>(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, rows: &[[f32; N]]) {
        self.rows = rows.len() as u32;
        let bytes: &[u8] = bytemuck::cast_slice(rows);
        if bytes.is_empty() {
            return;
        }
        let needed = bytes.len() as u64;
        let buffer = match self.buffer.take().filter(|buffer| buffer.size() >= needed) {
            Some(buffer) => buffer,
            None => device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("rows"),
                size: needed.next_power_of_two().max(4096),
                usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
        };
        queue.write_buffer(&buffer, 0, bytes);
        self.buffer = Some(buffer);
    }

    /// The written part of the buffer; `None` if no rows were written.
    pub(super) fn slice(&self) -> Option<wgpu::BufferSlice<'_>> {
        self.buffer.as_ref().filter(|_| self.rows > 0).map(|buffer| buffer.slice(..))
    }
}
