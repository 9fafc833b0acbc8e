//! JSON values with their JSON pointers, so that every error names its place.

use serde_json::Value;

use crate::{Error, Location};

/// A JSON value and its place.
#[derive(Clone, Debug)]
pub(super) struct JsonNode<'a> {
    /// The value.
    pub value: &'a Value,
    /// JSON pointer of the value.
    pub path: String,
}

impl<'a> JsonNode<'a> {
    /// The root of a tree.
    pub fn root(value: &'a Value) -> Self {
        Self { value, path: String::new() }
    }

    /// An error at this value.
    pub fn error(&self, message: impl Into<String>) -> Error {
        let path = if self.path.is_empty() { "/".to_string() } else { self.path.clone() };
        Error::new(Location::Path(path), message)
    }

    /// A member of an object; `None` if absent.
    pub fn get(&self, key: &str) -> Option<JsonNode<'a>> {
        let value = self.value.get(key)?;
        let escaped = if key.contains(['~', '/']) { key.replace('~', "~0").replace('/', "~1") } else { key.into() };
        Some(JsonNode { value, path: format!("{}/{escaped}", self.path) })
    }

    /// A required member.
    pub fn need(&self, key: &str) -> Result<JsonNode<'a>, Error> {
        self.get(key).ok_or_else(|| self.error(format!("“{key}” is missing")))
    }

    /// Elements of a member that is a list; empty if the member is absent.
    pub fn list(&self, key: &str) -> Result<Vec<JsonNode<'a>>, Error> {
        self.get(key).map_or(Ok(Vec::new()), |member| member.elements())
    }

    /// Elements of a list.
    pub fn elements(&self) -> Result<Vec<JsonNode<'a>>, Error> {
        let values = self.value.as_array().ok_or_else(|| self.error("a list was expected"))?;
        let at = |(i, value)| JsonNode { value, path: format!("{}/{i}", self.path) };
        Ok(values.iter().enumerate().map(at).collect())
    }

    /// Element `index` of the list at `key`; `None` if either is missing.
    pub fn element(&self, key: &str, index: usize) -> Option<JsonNode<'a>> {
        let value = self.value.get(key)?.get(index)?;
        Some(JsonNode { value, path: format!("{}/{key}/{index}", self.path) })
    }

    /// Animation `index` of a document; the error says how many there are.
    pub fn animation(&self, index: usize) -> Result<JsonNode<'a>, Error> {
        self.element("animations", index).ok_or_else(|| {
            let message = format!("there is no animation {index}; the file has {}", self.count("animations"));
            Error::new(Location::Path(format!("/animations/{index}")), message)
        })
    }

    /// Number of elements of the list at `key`; 0 if there is no such list.
    pub fn count(&self, key: &str) -> usize {
        self.value.get(key).and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// Fails unless the value is an object.
    pub fn object(&self) -> Result<(), Error> {
        if self.value.is_object() {
            Ok(())
        } else {
            Err(self.error("a JSON object {…} belongs here; the file is damaged or no glTF"))
        }
    }

    /// Parses a non-negative whole number. `24.0` counts as one.
    pub fn non_negative_integer(&self) -> Result<usize, Error> {
        let float = || self.value.as_f64().filter(|x| *x >= 0.0 && *x < 9e15 && x.fract() == 0.0).map(|x| x as u64);
        self.value
            .as_u64()
            .or_else(float)
            .and_then(|n| usize::try_from(n).ok())
            .ok_or_else(|| self.error("a whole number that is not negative was expected"))
    }

    /// Parses an optional whole number.
    pub fn whole_or(&self, key: &str, default: usize) -> Result<usize, Error> {
        self.get(key).map_or(Ok(default), |member| member.non_negative_integer())
    }

    /// A reference into the root's list `list`, checked to exist; `None` if the member is absent.
    pub fn reference(&self, key: &str, list: &str, length: usize) -> Result<Option<usize>, Error> {
        self.get(key).map(|member| member.index(list, length)).transpose()
    }

    /// Parses an index into a list of `length` elements called `list`.
    pub fn index(&self, list: &str, length: usize) -> Result<usize, Error> {
        let index = self.non_negative_integer()?;
        if index < length {
            return Ok(index);
        }
        Err(self.error(format!("there is no /{list}/{index}; the file has {length} {list}")))
    }

    /// Parses a text.
    pub fn text(&self) -> Result<&'a str, Error> {
        self.value.as_str().ok_or_else(|| self.error("a text was expected"))
    }

    /// Parses a finite number.
    pub fn number(&self) -> Result<f64, Error> {
        self.value.as_f64().filter(|x| x.is_finite()).ok_or_else(|| self.error("a finite number was expected"))
    }

    /// Parses a list of exactly `N` finite numbers; `None` if the member is absent.
    pub fn numbers<const N: usize>(&self, key: &str) -> Result<Option<[f64; N]>, Error> {
        let Some(member) = self.get(key) else { return Ok(None) };
        let elements = member.elements()?;
        if elements.len() != N {
            return Err(member.error(format!("{N} numbers were expected, there are {}", elements.len())));
        }
        let mut numbers = [0.0; N];
        for (number, element) in numbers.iter_mut().zip(&elements) {
            *number = element.number()?;
        }
        Ok(Some(numbers))
    }
}
