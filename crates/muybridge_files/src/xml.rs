//! XML documents as trees of elements with line and column; MJCF and URDF are read from these.

use std::path::Path;
use std::rc::Rc;

use muybridge::glam::DVec3;
use roxmltree::{Document, Node};

use crate::{Error, Location, decimal_comma};

/// Greatest depth of nested elements; real models stay below 60.
const DEPTH: usize = 200;

/// Greatest number of attributes of one element and of namespaces of one document. The XML library compares each with each, so
/// more would take minutes; real models have below 30 and 5.
const ATTRIBUTES: usize = 1000;
const NAMESPACES: usize = 64;

/// An element with its attributes in order.
#[derive(Debug)]
pub(crate) struct Element {
    pub tag: String,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Element>,
    pub at: Position,
}

/// An attribute `name="value"` with the position of the value.
#[derive(Debug)]
pub(crate) struct Attribute {
    pub name: String,
    pub value: String,
    pub at: Position,
}

/// A position in a file: line and column.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    file: Rc<Path>,
    line: usize,
    column: usize,
}

impl Position {
    /// An error at this position.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::new(Location::Text { line: self.line, column: self.column }, message).in_file(&self.file)
    }
}

/// Reads a document. A leading byte order mark and trailing NUL bytes are skipped. `file` appears in errors; it may be empty.
pub(crate) fn parse(bytes: &[u8], file: &Path) -> Result<Element, Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let end = bytes.iter().rposition(|&byte| byte != 0 && !byte.is_ascii_whitespace()).map_or(0, |last| last + 1);
    let text = std::str::from_utf8(&bytes[..end]).map_err(|error| {
        Error::new(Location::Byte(error.valid_up_to()), "this is not UTF-8 text; save the file as UTF-8").in_file(file)
    })?;
    check_tags(text).map_err(|(offset, message)| {
        let mut walk = Walk { text, offset: 0, line: 1, column: 1, file: file.into() };
        walk.at(offset).error(message)
    })?;
    let document = Document::parse(text).map_err(|error| {
        let at = error.pos();
        let place = Location::Text { line: at.row as usize, column: at.col as usize };
        Error::new(place, format!("this is not well-formed XML: {error}")).in_file(file)
    })?;
    let mut walk = Walk { text, offset: 0, line: 1, column: 1, file: file.into() };
    walk.element(document.root_element(), 0)
}

/// Refuses tags with too many attributes or namespaces. The error is the tag's offset and a sentence.
fn check_tags(text: &str) -> Result<(), (usize, String)> {
    let (bytes, mut at, mut namespaces) = (text.as_bytes(), 0, 0);
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        let skipped = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        if let Some((_, end)) = skipped.iter().find(|(begin, _)| text[start..].starts_with(begin)) {
            match text[start..].find(end) {
                Some(found) => at = start + found + end.len(),
                None => break,
            }
            continue;
        }
        let (mut quote, mut attributes) = (None, 0);
        at = start + 1;
        while at < bytes.len() && !(quote.is_none() && bytes[at] == b'>') {
            match (quote, bytes[at]) {
                (None, b'"' | b'\'') => (quote, attributes) = (Some(bytes[at]), attributes + 1),
                (None, b'x') if bytes[at..].starts_with(b"xmlns") => namespaces += 1,
                (Some(open), byte) if open == byte => quote = None,
                _ => {}
            }
            at += 1;
        }
        if attributes > ATTRIBUTES {
            return Err((start, format!("an element has more than {ATTRIBUTES} attributes")));
        }
        if namespaces > NAMESPACES {
            return Err((start, format!("the document has more than {NAMESPACES} namespaces")));
        }
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    Ok(())
}

/// A walk through the document in order that counts lines.
struct Walk<'a> {
    text: &'a str,
    offset: usize,
    line: usize,
    column: usize,
    file: Rc<Path>,
}

impl Walk<'_> {
    fn element(&mut self, node: Node<'_, '_>, depth: usize) -> Result<Element, Error> {
        let at = self.at(node.range().start);
        if depth == DEPTH {
            return Err(at.error(format!("elements are nested more than {DEPTH} deep")));
        }
        let attributes = node
            .attributes()
            .map(|attribute| Attribute {
                name: attribute.name().to_owned(),
                value: attribute.value().to_owned(),
                at: self.at(attribute.range_value().start),
            })
            .collect();
        let children = node
            .children()
            .filter(Node::is_element)
            .map(|child| self.element(child, depth + 1))
            .collect::<Result<_, _>>()?;
        Ok(Element { tag: node.tag_name().name().to_owned(), attributes, children, at })
    }

    /// Line and column of a byte at or after the previous one asked for.
    fn at(&mut self, offset: usize) -> Position {
        for character in self.text[self.offset..offset.max(self.offset)].chars() {
            self.column += 1;
            if character == '\n' {
                (self.line, self.column) = (self.line + 1, 1);
            }
        }
        self.offset = self.offset.max(offset);
        Position { file: self.file.clone(), line: self.line, column: self.column }
    }
}

impl Element {
    /// Finds an attribute by name.
    pub fn find(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Value of the attribute of that name.
    pub fn value(&self, name: &str) -> Option<&str> {
        self.find(name).map(|attribute| attribute.value.as_str())
    }

    /// The children with that tag.
    pub fn all<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.tag == tag)
    }

    /// The first child with that tag.
    pub fn child(&self, tag: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.tag == tag)
    }

    /// An error at this element.
    pub fn error(&self, message: impl Into<String>) -> Error {
        self.at.error(message)
    }

    /// Finds an attribute by name; an error says that it is missing.
    pub fn need(&self, name: &str) -> Result<&Attribute, Error> {
        self.find(name).ok_or_else(|| self.error(format!("{} needs the attribute {name}", self.label())))
    }

    /// The element as text for messages: `<geom name="head">`.
    pub fn label(&self) -> String {
        match self.value("name") {
            Some(name) => format!("<{} name=\"{name}\">", self.tag),
            None => format!("<{}>", self.tag),
        }
    }
}

impl Attribute {
    /// Parses one to `most` finite numbers.
    pub fn numbers(&self, most: usize) -> Result<Vec<f64>, Error> {
        let mut numbers = Vec::new();
        for word in self.value.split_whitespace() {
            match word.parse::<f64>() {
                Ok(number) if number.is_finite() && numbers.len() < most => numbers.push(number),
                Ok(number) if number.is_finite() => {
                    return Err(self.at.error(format!("{}: more than {most} numbers", self.name)));
                }
                _ => {
                    let (shown, hint) = (shorten(word), decimal_comma(word));
                    return Err(self.at.error(format!("{}: “{shown}” is not a finite number{hint}", self.name)));
                }
            }
        }
        if numbers.is_empty() {
            return Err(self.at.error(format!("{}: a number is missing", self.name)));
        }
        Ok(numbers)
    }

    /// Parses exactly `N` finite numbers.
    pub fn array<const N: usize>(&self) -> Result<[f64; N], Error> {
        let numbers = self.numbers(N)?;
        let count = numbers.len();
        numbers
            .try_into()
            .map_err(|_| self.at.error(format!("{}: {N} numbers are needed, there are {count}", self.name)))
    }

    /// Parses exactly one finite number.
    pub fn number(&self) -> Result<f64, Error> {
        self.array::<1>().map(|[number]| number)
    }

    /// Parses exactly three finite numbers.
    pub fn vector(&self) -> Result<DVec3, Error> {
        self.array().map(DVec3::from_array)
    }
}

/// Cuts a word that is too long for a message.
pub(crate) fn shorten(word: &str) -> String {
    let mut short: String = word.chars().take(40).collect();
    if short.len() < word.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Element, Error> {
        parse(text.as_bytes(), Path::new("m.xml"))
    }

    #[test]
    fn elements_know_where_they_stand_across_line_endings_and_marks() {
        let root = read("\u{feff}<a>\r\n  <b é=\"1\" x=\"2 3\"/>\r\n</a>\r\n\0").unwrap();
        let error = root.children[0].find("x").unwrap().vector().unwrap_err();
        assert_eq!(error.to_string(), "m.xml:2:15: x: 3 numbers are needed, there are 2");
    }

    #[test]
    fn numbers_that_are_not_finite_are_errors() {
        for text in ["<a v=\"1 nan\"/>", "<a v=\"inf\"/>", "<a v=\"1e999\"/>", "<a v=\"\"/>", "<a v=\"1 x\"/>"] {
            assert!(read(text).unwrap().find("v").unwrap().numbers(9).is_err(), "{text}");
        }
    }

    #[test]
    fn a_broken_document_is_refused_with_its_line() {
        assert!(read("<a>\n<b></a>").unwrap_err().to_string().starts_with("m.xml:2:"));
        assert!(read("").is_err());
        assert!(parse(b"<a>\xff</a>", Path::new("")).is_err());
    }

    #[test]
    fn thousands_of_attributes_or_namespaces_are_an_error_before_they_take_minutes() {
        let attributes: String = (0..2000).map(|i| format!(" a{i}='>'")).collect();
        let error = read(&format!("<!-- < ' -->\n<a/><b{attributes}/>")).unwrap_err().to_string();
        assert_eq!(error, "m.xml:2:5: an element has more than 1000 attributes");
        let nested: String = (0..100).map(|i| format!("<a xmlns:n{i}=\"u\">")).collect();
        assert!(read(&nested).unwrap_err().to_string().contains("namespaces"));
    }

    #[test]
    fn a_million_nested_elements_and_exploding_entities_are_errors() {
        assert!(read(&"<a>".repeat(300_000)).is_err());
        let deep = format!("{}{}", "<a>".repeat(300), "</a>".repeat(300));
        assert!(read(&deep).unwrap_err().to_string().contains("nested"));
        assert!(read("<!DOCTYPE a [<!ENTITY b \"xx\"><!ENTITY c \"&b;&b;\">]><a v=\"&c;\"/>").is_err());
    }
}
