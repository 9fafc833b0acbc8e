//! What went wrong or is worth knowing, as sentences that stay until they are read.

/// How grave a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// Something that was asked for did not happen.
    Error,
    /// It happened, with something left out or assumed.
    Note,
}

/// A sentence for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How grave.
    pub grade: Grade,
    /// The sentence.
    pub text: String,
}

/// All messages of a session, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    list: Vec<Message>,
    /// Whether the list is open.
    pub open: bool,
    unread: usize,
}

/// Most messages that are kept.
const MOST: usize = 500;

impl Messages {
    /// Something did not happen, and why.
    pub fn error(&mut self, text: impl Into<String>) {
        self.push(Grade::Error, text.into());
    }

    /// Something is worth knowing.
    pub fn note(&mut self, text: impl Into<String>) {
        self.push(Grade::Note, text.into());
    }

    fn push(&mut self, grade: Grade, text: String) {
        #[cfg(target_arch = "wasm32")]
        crate::web::announce(&text);
        self.list.push(Message { grade, text });
        if self.list.len() > MOST {
            self.list.remove(0);
        }
        self.unread += 1;
    }

    /// All of them.
    pub fn all(&self) -> &[Message] {
        &self.list
    }

    /// The last one that was not dismissed: what the status line shows.
    pub fn latest(&self) -> Option<&Message> {
        self.list.last().filter(|_| self.unread > 0)
    }

    /// Takes the last message off the status line; the list keeps it.
    pub fn dismiss(&mut self) {
        self.unread = 0;
    }
}
