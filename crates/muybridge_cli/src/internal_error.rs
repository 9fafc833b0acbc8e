//! The border of a file: a panic in the work on one file becomes an error of that file, and the others go on.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use crate::failure::Failure;

/// Messages and places of the panics that nobody has caught yet.
static PANICS: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// Keeps panics off standard error: whoever catches one says it in a line.
pub fn keep_quiet() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or(String::new(), |place| format!(" at {}:{}", place.file(), place.line()));
        PANICS.lock().unwrap_or_else(PoisonError::into_inner).push((message(panic.payload()), place));
    }));
}

/// Does the work. A panic becomes a sentence that asks to report it.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let told = message(&*payload);
        let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
        let known = panics.iter().position(|(message, _)| *message == told);
        let place = known.map_or(String::new(), |known| panics.swap_remove(known).1);
        format!("an internal error of muybridge ({told}{place}); please report it with the file")
    })
}

/// Does the work on a file. A panic becomes an error of the file.
pub fn within<T>(file: &str, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    let internal = |sentence| Err(Failure::Internal { file: file.to_owned(), sentence });
    caught(work).unwrap_or_else(internal)
}

/// The first line of a panic's message.
fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
    text.and_then(|text| text.lines().next()).unwrap_or("without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_sentence_and_what_does_not_panic_is_handed_on() {
        assert_eq!(caught(|| 7), Ok(7));
        let sentence = caught(|| panic!("no bone {}\nand more", 3)).unwrap_err();
        assert_eq!(sentence, "an internal error of muybridge (no bone 3); please report it with the file");
        let inner = || rayon::join(|| (), || panic!("in a thread"));
        assert!(caught(inner).unwrap_err().contains("in a thread"), "also one of another thread");
    }
}
