//! Decodes accessors, each once, within a bound on the memory that reading a file may take.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::document::GltfDocument;
use super::layout::{AccessorLayout, Sparse, decode};
use super::tree::JsonNode;
use crate::Error;

/// Greatest length of an accessor without bytes of its own, whose elements are zeros.
const MOST_ZEROS: usize = 1 << 16;

/// Accessors of a document, each decoded once, within a bound on memory.
pub(super) struct Accessors<'a> {
    document: &'a GltfDocument,
    decoded: RefCell<BTreeMap<usize, Rc<Vec<f64>>>>,
    budget: Cell<usize>,
}

impl<'a> Accessors<'a> {
    /// Starts with nothing decoded; at most `budget` bytes may be decoded.
    pub fn new(document: &'a GltfDocument, budget: usize) -> Self {
        Self { document, decoded: RefCell::default(), budget: Cell::new(budget) }
    }

    /// The document.
    pub fn document(&self) -> &'a GltfDocument {
        self.document
    }

    /// Takes `bytes` from the memory bound for `at`; fails if there is not enough.
    pub fn spend(&self, bytes: usize, at: &JsonNode) -> Result<(), Error> {
        match self.budget.get().checked_sub(bytes) {
            Some(left) => {
                self.budget.set(left);
                Ok(())
            }
            None => Err(at.error(
                "reading this would take far more memory than a file of this size should; split the file, or sample it \
                 with fewer frames per second",
            )),
        }
    }

    /// Layout of accessor `index`, which must exist.
    pub fn layout(&self, index: usize) -> Result<AccessorLayout, Error> {
        let root = self.document.root();
        let at = root.element("accessors", index).expect("checked when the document was parsed");
        AccessorLayout::new(&root, &at, self.document.buffer_lengths())
    }

    /// All numbers of accessor `index`, element by element.
    pub fn numbers(&self, index: usize) -> Result<Rc<Vec<f64>>, Error> {
        if let Some(known) = self.decoded.borrow().get(&index) {
            return Ok(known.clone());
        }
        let layout = self.layout(index)?;
        let root = self.document.root();
        let at = root.element("accessors", index).expect("checked when the document was parsed");
        match layout.bytes {
            Some((buffer, ..)) => self.need_bytes(buffer, &at)?,
            None if layout.count > MOST_ZEROS => {
                return Err(at.error(format!("the accessor claims {} elements and no bytes hold them", layout.count)));
            }
            None => {}
        }
        let length = layout.count.saturating_mul(layout.width());
        self.spend(length.saturating_mul(8), &at)?;
        let mut numbers = vec![0.0; length];
        if let Some((buffer, offset, stride)) = layout.bytes {
            let bytes = &self.document.buffers()[buffer];
            for (i, element) in numbers.chunks_exact_mut(layout.width()).enumerate() {
                decode(&layout, &bytes[offset + i * stride..], element);
            }
        }
        if let Some(sparse) = at.get("sparse") {
            let sparse = Sparse::new(&root, &sparse, &layout, self.document.buffer_lengths())?;
            for (buffer, ..) in [sparse.indices.bytes, sparse.values.bytes].into_iter().flatten() {
                self.need_bytes(buffer, &at)?;
            }
            sparse.apply(self.document.buffers(), &layout, &mut numbers, &at)?;
        }
        let numbers = Rc::new(numbers);
        self.decoded.borrow_mut().insert(index, numbers.clone());
        Ok(numbers)
    }

    /// Refuses a buffer that claims a length but has no bytes.
    fn need_bytes(&self, buffer: usize, at: &JsonNode) -> Result<(), Error> {
        if self.document.buffers()[buffer].is_empty() {
            return Err(at.error(format!("the numbers should be in buffer {buffer}, whose bytes are not in the file")));
        }
        Ok(())
    }
}
