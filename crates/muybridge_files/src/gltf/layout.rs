//! Layout of the numbers of an accessor, with every range checked before memory is allocated.
//!
//! ```text
//! element i begins at  view.byteOffset + accessor.byteOffset + i · stride,  stride = view.byteStride or the element's size
//! normalized integers: signed c → max(c / (2^{b−1} − 1), −1),  unsigned c → c / (2^b − 1)
//! ```
//! Source: Khronos glTF 2.0 specification, sections 3.6 and 3.11. Sparse accessors overwrite single elements.

use super::tree::JsonNode;
use crate::Error;

/// Type, count and place of an accessor, checked against its buffer view and buffer.
#[derive(Clone, Debug)]
pub(super) struct AccessorLayout {
    /// Type of an element: "SCALAR", "VEC3" …
    pub kind: AccessorType,
    /// Type of each component.
    pub component: Component,
    /// Whether integers are normalized to fractions.
    pub normalized: bool,
    /// Number of elements.
    pub count: usize,
    /// Buffer, first byte and stride; `None` if all elements are zero.
    pub bytes: Option<(usize, usize, usize)>,
}

/// Accessor type: the shape of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessorType {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
}

/// Number type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl AccessorLayout {
    /// Reads and checks accessor `at` of the document with root `root` and buffers of these lengths.
    pub fn new(root: &JsonNode, at: &JsonNode, buffer_lengths: &[usize]) -> Result<Self, Error> {
        at.object()?;
        let kind = AccessorType::named(&at.need("type")?)?;
        let component = Component::coded(&at.need("componentType")?)?;
        let count = at.need("count")?.non_negative_integer()?;
        let normalized = at.get("normalized").is_some_and(|n| n.value == true);
        let view = at.reference("bufferView", "bufferViews", root.count("bufferViews"))?;
        let mut layout = Self { kind, component, normalized, count, bytes: None };
        if let Some(view) = view {
            let offset = at.whole_or("byteOffset", 0)?;
            layout.bytes = Some(layout.place(root, at, view, offset, buffer_lengths)?);
        }
        if let Some(sparse) = at.get("sparse") {
            Sparse::new(root, &sparse, &layout, buffer_lengths)?;
        }
        Ok(layout)
    }

    /// Number of components of one element.
    pub fn width(&self) -> usize {
        self.kind.width()
    }

    /// Checks that all elements lie inside `view`; returns buffer, first byte and stride.
    fn place(
        &self,
        root: &JsonNode,
        at: &JsonNode,
        view: usize,
        offset: usize,
        buffer_lengths: &[usize],
    ) -> Result<(usize, usize, usize), Error> {
        let view = BufferView::new(root, view, buffer_lengths)?;
        let size = self.kind.size(self.component);
        let stride = view.stride.unwrap_or(size);
        let needed = match self.count {
            0 => Some(0),
            count => (count - 1).checked_mul(stride).and_then(|n| n.checked_add(size)),
        };
        let fits = needed.and_then(|n| n.checked_add(offset)).is_some_and(|end| end <= view.length);
        if !fits {
            let message = format!(
                "{} elements of {size} bytes from byte {offset} do not fit in the buffer view of {} bytes",
                self.count, view.length
            );
            return Err(at.error(message));
        }
        Ok((view.buffer, view.offset + offset, stride))
    }
}

impl AccessorType {
    fn named(at: &JsonNode) -> Result<Self, Error> {
        Ok(match at.text()? {
            "SCALAR" => Self::Scalar,
            "VEC2" => Self::Vec2,
            "VEC3" => Self::Vec3,
            "VEC4" => Self::Vec4,
            "MAT2" => Self::Mat2,
            "MAT3" => Self::Mat3,
            "MAT4" => Self::Mat4,
            other => return Err(at.error(format!("“{other}” is not an accessor type of glTF 2.0"))),
        })
    }

    /// Number of components of one element.
    pub fn width(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Vec2 => 2,
            Self::Vec3 => 3,
            Self::Vec4 | Self::Mat2 => 4,
            Self::Mat3 => 9,
            Self::Mat4 => 16,
        }
    }

    /// Number of bytes of one element. Columns of matrices begin at multiples of 4 bytes.
    fn size(self, component: Component) -> usize {
        let rows = self.rows();
        match self {
            Self::Mat2 | Self::Mat3 | Self::Mat4 => {
                let column = (rows * component.size()).next_multiple_of(4);
                column * (rows - 1) + rows * component.size()
            }
            _ => self.width() * component.size(),
        }
    }

    /// Number of rows of a matrix, or of components of a vector.
    fn rows(self) -> usize {
        match self {
            Self::Mat2 => 2,
            Self::Mat3 => 3,
            Self::Mat4 => 4,
            _ => self.width(),
        }
    }
}

impl Component {
    fn coded(at: &JsonNode) -> Result<Self, Error> {
        Ok(match at.non_negative_integer()? {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            other => return Err(at.error(format!("{other} is not a component type of glTF 2.0"))),
        })
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    fn read(self, bytes: &[u8], normalized: bool) -> f64 {
        let (value, largest) = match self {
            Self::I8 => (f64::from(bytes[0] as i8), 127.0),
            Self::U8 => (f64::from(bytes[0]), 255.0),
            Self::I16 => (f64::from(i16::from_le_bytes([bytes[0], bytes[1]])), 32767.0),
            Self::U16 => (f64::from(u16::from_le_bytes([bytes[0], bytes[1]])), 65535.0),
            Self::U32 => (f64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])), 4_294_967_295.0),
            Self::F32 => return f64::from(f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])),
        };
        if normalized { (value / largest).max(-1.0) } else { value }
    }
}

/// A buffer view, checked to lie in its buffer.
pub(super) struct BufferView {
    pub buffer: usize,
    pub offset: usize,
    pub length: usize,
    pub stride: Option<usize>,
}

impl BufferView {
    /// Reads and checks buffer view `index`, which must exist.
    pub fn new(root: &JsonNode, index: usize, buffer_lengths: &[usize]) -> Result<Self, Error> {
        let at = root.element("bufferViews", index).ok_or_else(|| root.error("a buffer view is missing"))?;
        at.object()?;
        let buffer = at.need("buffer")?.index("buffers", buffer_lengths.len())?;
        let offset = at.whole_or("byteOffset", 0)?;
        let length_at = at.need("byteLength")?;
        let length = length_at.non_negative_integer()?;
        if length == 0 {
            return Err(length_at.error("a buffer view needs at least one byte"));
        }
        if offset.checked_add(length).is_none_or(|end| end > buffer_lengths[buffer]) {
            let message = format!(
                "{length} bytes from byte {offset} do not fit in the {} bytes of buffer {buffer}",
                buffer_lengths[buffer]
            );
            return Err(length_at.error(message));
        }
        let stride = at.get("byteStride").map(|stride| stride_in(&stride, length)).transpose()?;
        Ok(Self { buffer, offset, length, stride })
    }
}

fn stride_in(at: &JsonNode, length: usize) -> Result<usize, Error> {
    let stride = at.non_negative_integer()?;
    if stride == 0 || stride > length {
        return Err(at.error(format!("a stride of {stride} bytes in a view of {length} bytes")));
    }
    Ok(stride)
}

/// Sparse part of an accessor: elements that replace others.
pub(super) struct Sparse {
    pub indices: AccessorLayout,
    pub values: AccessorLayout,
}

impl Sparse {
    /// Reads and checks the sparse part `at` of an accessor with layout `target`.
    pub fn new(
        root: &JsonNode,
        at: &JsonNode,
        target: &AccessorLayout,
        buffer_lengths: &[usize],
    ) -> Result<Self, Error> {
        let count_at = at.need("count")?;
        let count = count_at.non_negative_integer()?;
        if count > target.count {
            return Err(count_at.error(format!("{count} elements to replace, the accessor has {}", target.count)));
        }
        let part = |key: &str, kind: AccessorType, component: Option<Component>| -> Result<AccessorLayout, Error> {
            let at = at.need(key)?;
            let component = component.map_or_else(|| Component::coded(&at.need("componentType")?), Ok)?;
            let view = at.need("bufferView")?.index("bufferViews", root.count("bufferViews"))?;
            let mut layout = AccessorLayout { kind, component, normalized: target.normalized, count, bytes: None };
            layout.bytes = Some(layout.place(root, &at, view, at.whole_or("byteOffset", 0)?, buffer_lengths)?);
            Ok(layout)
        };
        let mut indices = part("indices", AccessorType::Scalar, None)?;
        indices.normalized = false;
        Ok(Self { indices, values: part("values", target.kind, Some(target.component))? })
    }

    /// Overwrites elements of `numbers`.
    pub fn apply(
        &self,
        buffers: &[Vec<u8>],
        target: &AccessorLayout,
        numbers: &mut [f64],
        at: &JsonNode,
    ) -> Result<(), Error> {
        let (Some(from), Some(values)) = (self.indices.bytes, self.values.bytes) else { return Ok(()) };
        for i in 0..self.indices.count {
            let mut index = [0.0];
            decode(&self.indices, &buffers[from.0][from.1 + i * from.2..], &mut index);
            let index = index[0].max(0.0) as usize;
            if index >= target.count {
                let message = format!("sparse index {index} of an accessor of {} elements", target.count);
                return Err(at.error(message));
            }
            let width = target.width();
            let element = &mut numbers[index * width..][..width];
            decode(&self.values, &buffers[values.0][values.1 + i * values.2..], element);
        }
        Ok(())
    }
}

/// Decodes the element that begins at `bytes`.
pub(super) fn decode(layout: &AccessorLayout, bytes: &[u8], element: &mut [f64]) {
    let size = layout.component.size();
    let rows = layout.kind.rows();
    let column = if rows == element.len() { rows * size } else { (rows * size).next_multiple_of(4) };
    for (i, number) in element.iter_mut().enumerate() {
        *number = layout.component.read(&bytes[i / rows * column + i % rows * size..], layout.normalized);
    }
}
