//! Replaces `<include>` elements by the files they name.

use std::collections::BTreeSet;
use std::path::Path;

use super::IncludeReader;
use crate::Error;
use crate::xml::{self, Element};

/// Greatest depth of nested elements over all files.
const DEPTH: usize = 400;
/// Greatest number of bytes of all included files together; models in use stay below one megabyte.
const BYTES: usize = 16 << 20;

/// Reads the document with all includes expanded. A file may be included once, as in MuJoCo.
pub(super) fn load(bytes: &[u8], open: &mut IncludeReader<'_>) -> Result<Element, Error> {
    let mut root = xml::parse(bytes, Path::new(""))?;
    expand(&mut root, &mut IncludedFiles::default(), open, 0)?;
    Ok(root)
}

/// Names and total bytes of the files included so far.
#[derive(Default)]
struct IncludedFiles {
    names: BTreeSet<String>,
    bytes: usize,
}

fn expand(
    element: &mut Element,
    opened: &mut IncludedFiles,
    open: &mut IncludeReader<'_>,
    depth: usize,
) -> Result<(), Error> {
    if depth == DEPTH {
        return Err(element.error(format!("elements and includes are nested more than {DEPTH} deep")));
    }
    for child in &mut element.children {
        if child.tag != "include" {
            expand(child, opened, open, depth + 1)?;
        }
    }
    if element.children.iter().all(|child| child.tag != "include") {
        return Ok(());
    }
    for child in std::mem::take(&mut element.children) {
        if child.tag == "include" {
            element.children.extend(included(&child, opened, open, depth)?);
        } else {
            element.children.push(child);
        }
    }
    Ok(())
}

/// Contents of the file that `element` includes.
fn included(
    element: &Element,
    opened: &mut IncludedFiles,
    open: &mut IncludeReader<'_>,
    depth: usize,
) -> Result<Vec<Element>, Error> {
    let name = element.value("file").ok_or_else(|| element.error("<include> needs a file"))?;
    if !opened.names.insert(name.to_owned()) {
        return Err(element.error(format!("{name} is included twice; MuJoCo allows a file once")));
    }
    let bytes = open(name)?;
    opened.bytes += bytes.len();
    if opened.bytes > BYTES {
        return Err(element.error(format!("the included files are together larger than {} MB", BYTES >> 20)));
    }
    let mut root = xml::parse(&bytes, Path::new(name))?;
    if root.tag != "mujoco" && root.tag != "mujocoinclude" {
        return Err(root.error("an included file begins with <mujocoinclude>, this one does not"));
    }
    expand(&mut root, opened, open, depth + 1)?;
    Ok(root.children)
}
