//! Text layout on a terminal: width, color, and a fallback to ASCII.
//!
//! Text is measured in columns (`unicode-width`). Hidden characters never reach the terminal: a file name cannot move the
//! cursor, change colors, or turn the direction of what stands beside it.

use std::borrow::Cow;

use muybridge::analysis::Verdict;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The word for a verdict and the tone of its color.
pub(crate) fn verdict(verdict: Verdict) -> (&'static str, TextTone) {
    match verdict {
        Verdict::Plausible => ("plausible", TextTone::Good),
        Verdict::Implausible => ("implausible", TextTone::Bad),
        Verdict::Undecided => ("undecided", TextTone::Warning),
    }
}

/// Capabilities of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to use ANSI colors.
    pub color: bool,
    /// Whether to write Unicode; otherwise ASCII only.
    pub unicode: bool,
    /// Width in columns; less than 40 counts as 40.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: false, unicode: true, width: 80 }
    }
}

/// Meaning of a piece of text, which selects its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextTone {
    Strong,
    Quiet,
    Good,
    Warning,
    Bad,
}

impl Style {
    pub(crate) fn columns(&self) -> usize {
        self.width.max(40)
    }

    /// `text` in the color of `tone`; unchanged without colors.
    pub(crate) fn paint(&self, tone: TextTone, text: &str) -> String {
        let code = match tone {
            TextTone::Strong => "1",
            TextTone::Quiet => "2",
            TextTone::Good => "32",
            TextTone::Warning => "33",
            TextTone::Bad => "31",
        };
        if self.color && !text.trim().is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Writes hidden characters of `text` as escapes and, without Unicode, replaces letters by ASCII.
    pub(crate) fn plain(&self, text: &str) -> String {
        let mut plain = String::with_capacity(text.len());
        for character in visible(text).chars() {
            match character {
                _ if self.unicode || character.is_ascii() => plain.push(character),
                _ => plain.push_str(ascii(character)),
            }
        }
        plain
    }
}

/// Whether a character steers what shows it instead of being shown: controls, line separators, and marks that turn the direction
/// of text.
pub(crate) fn is_hidden(character: char) -> bool {
    let turns =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || character.is_control()
}

/// The text with every hidden character as an escape: `\u{1b}`, `\u{202e}`.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_hidden(character) {
            true => shown.extend(character.escape_unicode()),
            false => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// ASCII replacement of a letter that the reports use.
fn ascii(character: char) -> &'static str {
    match character {
        '–' | '−' | '‐' => "-",
        '—' => "--",
        '±' => "+-",
        '°' => " deg",
        '²' => "^2",
        '³' => "^3",
        '·' | '×' => "*",
        '“' | '”' | '„' => "\"",
        '’' | '‘' => "'",
        '…' => "...",
        '✓' => "ok",
        '✗' => "x",
        '∞' => "inf",
        '→' => "->",
        '≤' => "<=",
        '≥' => ">=",
        'é' | 'è' | 'ê' => "e",
        'ä' => "ae",
        'ö' => "oe",
        'ü' => "ue",
        'ß' => "ss",
        _ => "?",
    }
}

/// Width of `text` in columns.
pub(crate) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Pads `text` with spaces on the right to `columns`.
pub(crate) fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Pads `text` with spaces on the left to `columns`.
pub(crate) fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// Shortens `text` to at most `columns`: drops folders first, then the middle, and keeps beginning and end.
pub(crate) fn shortened(text: &str, columns: usize, style: &Style) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let gap = if style.unicode { "…" } else { "..." };
    let room = columns.saturating_sub(width(gap));
    // An escape begins no folder.
    let separates = |&(at, letter): &(usize, char)| match letter {
        '\\' => !text[at..].starts_with("\\u{"),
        _ => letter == '/',
    };
    if let Some((at, _)) = text.char_indices().rev().find(separates) {
        let name = &text[at + 1..];
        return match width(name) < room {
            true => format!("{gap}{}", &text[at..]),
            false => shortened(name, columns, style),
        };
    }
    let head = taken(text.chars(), room.div_ceil(2));
    let tail: String = taken(text.chars().rev(), room - width(&head).min(room)).chars().rev().collect();
    format!("{head}{gap}{tail}")
}

fn taken(letters: impl Iterator<Item = char>, columns: usize) -> String {
    let mut used = 0;
    letters
        .take_while(|letter| {
            used += letter.width().unwrap_or(0);
            used <= columns
        })
        .collect()
}

/// Wraps text at spaces into lines of at most `columns`; the first begins after `first` columns. Breaks longer words.
pub(crate) fn wrap(text: &str, first: usize, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut room = columns.saturating_sub(first);
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let mut word = word.to_owned();
        let line = lines.last().map_or(0, |line| width(line));
        let gap = usize::from(line > 0);
        if line + gap + width(&word) > room && (line > 0 || (lines.len() == 1 && room < columns)) {
            lines.push(String::new());
            room = columns;
        }
        while width(&word) > room {
            let head = taken(word.chars(), room.max(2));
            word = word[head.len()..].to_owned();
            *lines.last_mut().expect("never empty") = head;
            lines.push(String::new());
            room = columns;
        }
        let line = lines.last_mut().expect("never empty");
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_cannot_color_the_terminal() {
        let style = Style { color: false, unicode: false, width: 80 };
        assert_eq!(style.plain("a\u{1b}[31m\nb–c"), "a\\u{1b}[31m\\u{a}b-c");
    }

    #[test]
    fn a_name_cannot_turn_the_direction_of_the_text_beside_it() {
        let turning = "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}\u{2029}\u{85}\u{7f}";
        assert!(visible(turning).is_ascii(), "{}", visible(turning));
        assert_eq!(visible("exe.\u{202e}hvb"), "exe.\\u{202e}hvb");
        assert_eq!(visible("跳躍 “é” 👩\u{200d}🚀"), "跳躍 “é” 👩\u{200d}🚀", "letters of every script stay");
    }

    #[test]
    fn long_names_keep_their_beginning_and_end() {
        let style = Style::default();
        let path = "captures/2024-11-03/subject_12/backflip_take_007.bvh";
        assert_eq!(shortened(path, 24, &style), "…/backflip_take_007.bvh");
        assert_eq!(shortened(path, 15, &style), "backfli…007.bvh");
        assert_eq!(shortened(r"C:\Users\someone\jump.bvh", 12, &style), r"…\jump.bvh");
        assert_eq!(shortened(r"clips\a\u{7}b.bvh", 13, &style), r"…\a\u{7}b.bvh");
        assert!(width(&shortened("跳躍の動作サンプル集第一番.bvh", 15, &style)) <= 15);
    }

    #[test]
    fn wrapped_text_fits_and_loses_no_word() {
        let text = "The body falls as if it were 0.45 times its size; give it more_frames_than_fit_on_one_line please";
        let lines = wrap(text, 10, 20);
        assert!(width(&lines[0]) <= 10 && lines.iter().all(|line| width(line) <= 20), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
    }
}
