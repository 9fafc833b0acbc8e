//! Undo and redo by snapshots: the history stores the whole document before each change.
//!
//! Documents hold their large parts behind `Arc`, so that a snapshot costs a few pointers.

/// Greatest number of undo steps.
const MOST: usize = 200;

/// Undo history: snapshots before each change, and snapshots that undo took back.
#[derive(Clone, Debug)]
pub struct History<S> {
    past: Vec<HistoryStep<S>>,
    future: Vec<HistoryStep<S>>,
    /// Gesture that the next change is merged into if it has the same number, see [`History::record_joined`]; `None`:
    /// no merging.
    joining: Option<u64>,
    revision: u64,
}

#[derive(Clone, Debug)]
struct HistoryStep<S> {
    name: String,
    state: S,
}

impl<S> Default for History<S> {
    fn default() -> Self {
        Self { past: Vec::new(), future: Vec::new(), joining: None, revision: 0 }
    }
}

impl<S> History<S> {
    /// Adds an undo step with the state `before` a change. `name` appears in the menu, such as "Match flight".
    pub fn record(&mut self, name: impl Into<String>, before: S) {
        self.push(name.into(), before);
        self.joining = None;
    }

    /// Adds an undo step for part of a longer change, such as a drag: changes with the same `gesture` number become
    /// one step.
    pub fn record_joined(&mut self, name: impl Into<String>, gesture: u64, before: S) {
        if self.joining == Some(gesture) {
            self.revision += 1;
            return;
        }
        self.push(name.into(), before);
        self.joining = Some(gesture);
    }

    fn push(&mut self, name: String, state: S) {
        self.future.clear();
        self.past.push(HistoryStep { name, state });
        if self.past.len() > MOST {
            self.past.remove(0);
        }
        self.revision += 1;
    }

    /// Undoes the last change; returns false if there is none.
    pub fn undo(&mut self, present: &mut S) -> bool {
        self.joining = None;
        step(&mut self.past, &mut self.future, present, &mut self.revision)
    }

    /// Redoes the last undone change; returns false if there is none.
    pub fn redo(&mut self, present: &mut S) -> bool {
        self.joining = None;
        step(&mut self.future, &mut self.past, present, &mut self.revision)
    }

    /// Name of the change that [`History::undo`] would undo; `None` if there is none.
    pub fn undo_name(&self) -> Option<&str> {
        self.past.last().map(|step| step.name.as_str())
    }

    /// Name of the change that [`History::redo`] would redo; `None` if there is none.
    pub fn redo_name(&self) -> Option<&str> {
        self.future.last().map(|step| step.name.as_str())
    }

    /// Revision number of the document. Each change, undo or redo adds one, so a copy on disk can be compared.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}

fn step<S>(from: &mut Vec<HistoryStep<S>>, to: &mut Vec<HistoryStep<S>>, present: &mut S, revision: &mut u64) -> bool {
    let Some(mut step) = from.pop() else { return false };
    std::mem::swap(&mut step.state, present);
    to.push(step);
    *revision += 1;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_undone_can_be_redone_until_something_else_is_done() {
        let (mut history, mut number) = (History::default(), 1);
        history.record("Double", std::mem::replace(&mut number, 2));
        assert!(history.undo(&mut number) && number == 1);
        assert_eq!((history.undo_name(), history.redo_name()), (None, Some("Double")));
        assert!(history.redo(&mut number) && number == 2);
        assert!(history.undo(&mut number));
        history.record("Triple", std::mem::replace(&mut number, 3));
        assert!(!history.redo(&mut number));
        assert_eq!(number, 3);
    }

    #[test]
    fn a_drag_is_one_step() {
        let (mut history, mut number) = (History::default(), 0);
        for next in 1..=20 {
            history.record_joined("Drag", 7, std::mem::replace(&mut number, next));
        }
        assert!(history.undo(&mut number));
        assert_eq!(number, 0);
        assert_eq!(history.undo_name(), None);
    }
}
