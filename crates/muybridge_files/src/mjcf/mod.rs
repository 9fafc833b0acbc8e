//! MJCF, the model format of MuJoCo: bodies, masses, joint limits and contact points.
//!
//! ```text
//! classes      an attribute comes from the element, else its class, else the class's parents;
//!              the class is class=, else the nearest childclass= above, else main
//! mass         <inertial>, else the sum over geoms of mass= or density= × volume (1000 kg/m³ by default)
//! angles       degrees unless <compiler angle="radian">; Euler angles in the order of eulerseq (lower case: moving axes)
//! ```
//! Source: the MuJoCo documentation, XML reference. Meshes are not read: a body whose mass depends on a mesh is an error, never
//! a guess. Elements that do not affect mass, limits or contacts are listed as ignored.

mod body;
mod compiler;
mod default_classes;
mod geom;
mod include;
mod joint;

use std::path::Path;

use crate::model::Model;
use crate::{AllowedFiles, Axis, Error, Location, open};

/// Returns the bytes of an included file, given the name in the include.
pub type IncludeReader<'a> = dyn FnMut(&str) -> Result<Vec<u8>, Error> + 'a;

/// Reads a model. `open` returns the files that it includes; see [`include_reader`].
pub fn read(bytes: &[u8], open: &mut IncludeReader<'_>) -> Result<Model, Error> {
    // An error in an included file names it, and shows nothing of it.
    let is_included = |error: &Error| !error.file.as_os_str().is_empty();
    model(bytes, open).map_err(|error| if is_included(&error) { error.without_quotes() } else { error })
}

fn model(bytes: &[u8], open: &mut IncludeReader<'_>) -> Result<Model, Error> {
    let root = include::load(bytes, open)?;
    if root.tag != "mujoco" {
        return Err(root.error(format!("a MJCF file begins with <mujoco>, this one with <{}>", root.tag)));
    }
    let compiler = compiler::Compiler::read(&root)?;
    let classes = default_classes::Classes::read(&root)?;
    let mut builder = body::BodyBuilder::new(&compiler, &classes);
    for world in root.all("worldbody") {
        builder.world(world)?;
    }
    let (mut bodies, mut ignored) = builder.finish();
    if bodies.is_empty() {
        return Err(root.error("the model has no bodies, only things fixed to the world; put them in a <body>"));
    }
    compiler.adjust(&mut bodies);
    ignored.extend(unread_sections(&root));
    Ok(Model { format: "MJCF".to_owned(), bodies, up: Some(Axis::Z), ignored })
}

/// Opens included files from the folder of the model file `model`, as MuJoCo does.
pub fn include_reader(model: &Path, allowed: &AllowedFiles) -> impl FnMut(&str) -> Result<Vec<u8>, Error> {
    let folder = model.parent().map(Path::to_path_buf).unwrap_or_default();
    move |name| {
        allowed.path(&folder, name).and_then(|path| open::read(&path)).map_err(|error| {
            let message = format!("the model includes this file: {}", error.message);
            Error { message, ..error }
        })
    }
}

/// An `open` for models without includes: every include is an error.
pub fn alone(name: &str) -> Result<Vec<u8>, Error> {
    Err(Error::new(Location::Named(name.to_owned()), "the model includes this file, which is not at hand"))
}

/// Notes on sections that do not affect mass, limits or contacts, one sentence each.
fn unread_sections(root: &crate::xml::Element) -> Vec<String> {
    const READ: [&str; 3] = ["worldbody", "default", "compiler"];
    let sections = root.children.iter().filter(|child| !READ.contains(&child.tag.as_str()));
    sections
        .map(|section| match section.children.len() {
            0 => format!("<{}> is not read", section.tag),
            1 => format!("<{}> is not read (1 element)", section.tag),
            count => format!("<{}> is not read ({count} elements)", section.tag),
        })
        .collect()
}

#[cfg(test)]
mod tests;
