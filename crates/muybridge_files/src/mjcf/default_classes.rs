//! Default classes: values of attributes that an element does not set itself.

use std::collections::BTreeMap;

use crate::Error;
use crate::xml::{Attribute, Element};

/// Greatest number of elements of one tag in one class, and of nested classes; real models have one, and stay below 6. The
/// limits keep the reading time proportional to the file.
const ALIKE: usize = 8;
const NESTED: usize = 20;

/// All default classes of a model.
pub(super) struct Classes<'a> {
    by_name: BTreeMap<&'a str, usize>,
    classes: Vec<Class<'a>>,
}

struct Class<'a> {
    parent: Option<usize>,
    elements: Vec<&'a Element>,
}

/// An element with the defaults of its class and parent classes, the nearest first.
pub(super) struct DefaultClasses<'a> {
    pub element: &'a Element,
    behind: Vec<&'a Element>,
}

impl<'a> Classes<'a> {
    /// Reads every `<default>` of a model; the class `main` always exists.
    pub fn read(root: &'a Element) -> Result<Self, Error> {
        let main = Class { parent: None, elements: Vec::new() };
        let mut classes = Self { by_name: BTreeMap::from([("main", 0)]), classes: vec![main] };
        for default in root.all("default") {
            if let Some(name) = default.value("class") {
                classes.by_name.insert(name, 0);
            }
            classes.fill(0, default, 0)?;
        }
        Ok(classes)
    }

    fn fill(&mut self, class: usize, default: &'a Element, depth: usize) -> Result<(), Error> {
        if depth > NESTED {
            return Err(default.error(format!("default classes are nested more than {NESTED} deep")));
        }
        for child in &default.children {
            if child.tag != "default" {
                if self.classes[class].elements.iter().filter(|element| element.tag == child.tag).count() == ALIKE {
                    return Err(child.error(format!("a default class holds more than {ALIKE} <{}>", child.tag)));
                }
                self.classes[class].elements.push(child);
                continue;
            }
            let name = child.value("class").ok_or_else(|| child.error("a nested <default> needs a class"))?;
            if self.by_name.insert(name, self.classes.len()).is_some() {
                return Err(child.error(format!("two default classes are named “{name}”")));
            }
            self.classes.push(Class { parent: Some(class), elements: Vec::new() });
            self.fill(self.classes.len() - 1, child, depth + 1)?;
        }
        Ok(())
    }

    /// The element with its defaults; `childclass` is that of the nearest ancestor.
    pub fn of(&self, element: &'a Element, childclass: Option<&str>) -> Result<DefaultClasses<'a>, Error> {
        let name = element.value("class").or(childclass).unwrap_or("main");
        let mut class = Some(*self.by_name.get(name).ok_or_else(|| {
            element.error(format!("{} is of class “{name}”, which no <default> defines", element.label()))
        })?);
        let mut behind = Vec::new();
        while let Some(index) = class {
            let alike = self.classes[index].elements.iter().rev().filter(|default| default.tag == element.tag);
            behind.extend(alike.copied());
            class = self.classes[index].parent;
        }
        Ok(DefaultClasses { element, behind })
    }
}

impl<'a> DefaultClasses<'a> {
    /// The element, then its defaults, the nearest first.
    pub fn layers(&self) -> impl DoubleEndedIterator<Item = &'a Element> {
        std::iter::once(self.element).chain(self.behind.iter().copied())
    }

    /// Finds an attribute in the nearest layer that has it.
    pub fn find(&self, name: &str) -> Option<&'a Attribute> {
        self.layers().find_map(|layer| layer.find(name))
    }

    /// Value of an attribute in the nearest layer that has it.
    pub fn value(&self, name: &str) -> Option<&'a str> {
        self.find(name).map(|attribute| attribute.value.as_str())
    }

    /// Parses an attribute as one number; `None` if it is not given.
    pub fn number(&self, name: &str) -> Result<Option<f64>, Error> {
        self.find(name).map(Attribute::number).transpose()
    }
}
