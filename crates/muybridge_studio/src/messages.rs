//! Errors and notes for the user, kept in a list until they are dismissed.

/// Severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// An action that was asked for failed.
    Error,
    /// An action succeeded, but something was left out or assumed.
    Note,
}

/// A message to the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Severity of the message.
    pub grade: Grade,
    /// Text of the message, one sentence.
    pub text: String,
}

/// All messages of a session, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    list: Vec<Message>,
    /// Whether the list of messages is open.
    pub open: bool,
    unread: usize,
}

/// Greatest number of messages that are kept.
const MOST: usize = 500;

impl Messages {
    /// Adds an error: an action failed, with the reason.
    pub fn error(&mut self, text: impl Into<String>) {
        self.push(Grade::Error, text.into());
    }

    /// Adds a note, such as an assumption that was made.
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

    /// All messages, oldest first.
    pub fn all(&self) -> &[Message] {
        &self.list
    }

    /// Newest message, for the status line; `None` after [`Messages::dismiss`].
    pub fn latest(&self) -> Option<&Message> {
        self.list.last().filter(|_| self.unread > 0)
    }

    /// Takes the last message off the status line; the list keeps it.
    pub fn dismiss(&mut self) {
        self.unread = 0;
    }
}
