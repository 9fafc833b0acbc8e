//! Edits JSON text in place: unedited parts keep every byte, number spellings and blanks included.
//!
//! Values are identified by their span in the text, which a JSON parser must have accepted. Edits are collected and applied at
//! once, so that spans stay valid.

use std::ops::Range;

/// JSON text with pending edits.
#[derive(Clone, Debug)]
pub(super) struct Splice<'a> {
    text: &'a str,
    edits: Vec<(Range<usize>, String)>,
}

/// A member of an object: its name, the span from the name to the end of the value, and the span of the value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JsonMember {
    pub name: String,
    pub whole: Range<usize>,
    pub value: Range<usize>,
}

impl<'a> Splice<'a> {
    /// Starts without edits. `text` must be valid JSON.
    pub fn new(text: &'a str) -> Self {
        Self { text, edits: Vec::new() }
    }

    /// Span of the root value.
    pub fn root(&self) -> Range<usize> {
        let start = skip_blanks(self.text.as_bytes(), 0);
        start..skip_value(self.text.as_bytes(), start)
    }

    /// Finds a member of an object; of several with one name the last, as parsers do.
    pub fn member(&self, object: &Range<usize>, name: &str) -> Option<JsonMember> {
        self.members(object).into_iter().rfind(|member| member.name == name)
    }

    /// Spans of the elements of a list; empty if the value is no list.
    pub fn elements(&self, list: &Range<usize>) -> Vec<Range<usize>> {
        let bytes = self.text.as_bytes();
        let mut spans = Vec::new();
        if bytes.get(list.start) != Some(&b'[') {
            return spans;
        }
        let mut at = skip_blanks(bytes, list.start + 1);
        while at < list.end && bytes[at] != b']' {
            let end = skip_value(bytes, at);
            spans.push(at..end);
            at = skip_separator(bytes, end);
        }
        spans
    }

    /// Text of a span, before any edit.
    pub fn text(&self, span: &Range<usize>) -> &'a str {
        &self.text[span.clone()]
    }

    /// Replaces a span.
    pub fn replace(&mut self, span: Range<usize>, by: String) {
        self.edits.push((span, by));
    }

    /// Sets a member of an object; a new member is appended.
    pub fn set(&mut self, object: &Range<usize>, name: &str, value: &str) {
        match self.member(object, name) {
            Some(member) => self.replace(member.value, value.to_string()),
            None => self.append(object, format!("\"{name}\":{value}")),
        }
    }

    /// Appends elements to a list, or members to an object. May be called once for each list or object.
    pub fn append(&mut self, container: &Range<usize>, added: String) {
        let bytes = self.text.as_bytes();
        let close = container.end - 1;
        let inside = &self.text[container.start + 1..close];
        let at = container.start + 1 + inside.trim_end().len();
        let empty = skip_blanks(bytes, container.start + 1) == close;
        self.edits.push((at..at, if empty { added } else { format!(",{added}") }));
    }

    /// Returns the text with all edits applied.
    pub fn finish(mut self) -> String {
        self.edits.sort_by_key(|(span, _)| span.start);
        let mut text =
            String::with_capacity(self.text.len() + self.edits.iter().map(|(_, by)| by.len()).sum::<usize>());
        let mut at = 0;
        for (span, by) in self.edits {
            text.push_str(&self.text[at..span.start]);
            text.push_str(&by);
            at = span.end;
        }
        text.push_str(&self.text[at..]);
        text
    }

    fn members(&self, object: &Range<usize>) -> Vec<JsonMember> {
        let bytes = self.text.as_bytes();
        let mut members = Vec::new();
        if bytes.get(object.start) != Some(&b'{') {
            return members;
        }
        let mut at = skip_blanks(bytes, object.start + 1);
        while at < object.end && bytes[at] == b'"' {
            let name_end = skip_value(bytes, at);
            let value = skip_separator(bytes, name_end);
            let end = skip_value(bytes, value);
            let name = serde_json::from_str(&self.text[at..name_end]).unwrap_or_default();
            members.push(JsonMember { name, whole: at..end, value: value..end });
            at = skip_separator(bytes, end);
        }
        members
    }
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// Skips blanks, one comma or colon, and blanks.
fn skip_separator(bytes: &[u8], at: usize) -> usize {
    let at = skip_blanks(bytes, at);
    let past = matches!(bytes.get(at), Some(b',' | b':'));
    skip_blanks(bytes, at + usize::from(past))
}

/// End of the value that begins at `at`.
fn skip_value(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0usize;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                if depth == 0 {
                    return at;
                }
                depth -= 1;
            }
            b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' => {
                if depth == 0 {
                    return at;
                }
                at += 1;
                continue;
            }
            _ => {
                at += 1;
                let ends = |b: &u8| matches!(b, b',' | b':' | b'}' | b']') || b.is_ascii_whitespace();
                while at < bytes.len() && !ends(&bytes[at]) {
                    at += 1;
                }
                if depth == 0 {
                    return at;
                }
                continue;
            }
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{ \"a\" : [1e0, {\"x\\\"]\":[[],2]}, \"s,]\" ] ,\n \"b\":{}, \"c\\u0064\": -0.10 }";

    #[test]
    fn spans_are_those_of_the_values() {
        let splice = Splice::new(TEXT);
        let root = splice.root();
        assert_eq!(root, 0..TEXT.len());
        let a = splice.member(&root, "a").unwrap().value;
        let spans: Vec<&str> = splice.elements(&a).into_iter().map(|span| &TEXT[span]).collect();
        assert_eq!(spans, ["1e0", "{\"x\\\"]\":[[],2]}", "\"s,]\""]);
        assert_eq!(&TEXT[splice.member(&root, "cd").unwrap().value], "-0.10");
    }

    #[test]
    fn edits_leave_every_other_byte_alone() {
        let mut splice = Splice::new(TEXT);
        let root = splice.root();
        splice.set(&root, "cd", "7");
        splice.set(&root, "new", "true");
        let (a, b) = (splice.member(&root, "a").unwrap().value, splice.member(&root, "b").unwrap().value);
        splice.append(&a, "9".into());
        splice.set(&b, "k", "[]");
        let expected =
            "{ \"a\" : [1e0, {\"x\\\"]\":[[],2]}, \"s,]\",9 ] ,\n \"b\":{\"k\":[]}, \"c\\u0064\": 7,\"new\":true }";
        assert_eq!(splice.finish(), expected);
    }
}
