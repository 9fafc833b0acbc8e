//! Reads the humanoid bones that a VRM 0.x, VRM 1.0 or VRMA file declares.
//!
//! Source: `VRM` (0.x: a list of `{bone, node}`), `VRMC_vrm` 1.0 and `VRMC_vrm_animation` 1.0 (objects by bone name) of
//! the VRM Consortium's specification. Fingers, eyes and jaw are bones without a role here.

use std::collections::BTreeSet;

use muybridge::character::{Role, Side};

use super::document::GltfDocument;
use super::tree::JsonNode;
use crate::Error;

/// The humanoid map of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Humanoid {
    /// Format: "VRM 0.x", "VRM 1.0", "VRMA 1.0"; empty if the file declares no humanoid.
    pub format: &'static str,
    /// Nodes that are humanoid bones of any kind.
    pub nodes: BTreeSet<usize>,
    /// Nodes with their roles, in file order.
    pub roles: Vec<(usize, Role)>,
    /// Nodes with which a VRMA drives expressions and gaze.
    pub not_bones: BTreeSet<usize>,
}

/// Reads the humanoid map of a document; empty if it has none.
pub(super) fn humanoid(document: &GltfDocument) -> Result<Humanoid, Error> {
    let root = document.root();
    let Some(extensions) = root.get("extensions") else { return Ok(Humanoid::default()) };
    let count = root.count("nodes");
    let mut found = Humanoid::default();
    if let Some(vrm) = extensions.get("VRMC_vrm_animation") {
        found.format = "VRMA 1.0";
        read_map(&vrm, count, &mut found)?;
        read_drivers(&vrm, count, &mut found)?;
    } else if let Some(vrm) = extensions.get("VRMC_vrm") {
        found.format = "VRM 1.0";
        read_map(&vrm, count, &mut found)?;
    } else if let Some(vrm) = extensions.get("VRM") {
        found.format = "VRM 0.x";
        let Some(humanoid) = vrm.get("humanoid") else { return Ok(found) };
        for entry in humanoid.list("humanBones")? {
            // Exporters write −1 for missing bones.
            if entry.value["node"].as_i64() != Some(-1) {
                add(&entry, entry.need("bone")?.text()?, count, &mut found)?;
            }
        }
    }
    Ok(found)
}

/// The role of a humanoid bone by its VRM name; `None` for fingers, eyes, jaw and unknown names.
pub fn role_named(name: &str) -> Option<Role> {
    let (side, part) = match (name.strip_prefix("left"), name.strip_prefix("right")) {
        (Some(part), _) => (Side::Left, part),
        (_, Some(part)) => (Side::Right, part),
        _ => return ROLES.iter().find(|(_, n)| *n == name).map(|(role, _)| *role),
    };
    LIMBS.iter().find(|(_, n)| *n == part).map(|(role, _)| role(side))
}

/// The VRM name of a role.
pub fn name_of(role: Role) -> String {
    if let Some((_, name)) = ROLES.iter().find(|(r, _)| *r == role) {
        return (*name).to_string();
    }
    let sides = [(Side::Left, "left"), (Side::Right, "right")];
    let mut names = sides.iter().flat_map(|(side, word)| LIMBS.iter().map(move |(limb, n)| (limb(*side), *word, *n)));
    names.find(|(r, ..)| *r == role).map(|(_, word, name)| format!("{word}{name}")).unwrap_or_default()
}

/// The role of the bone that VRM hangs a bone from, whether or not a character has it; `None` for the hips.
pub(super) fn parent_of(role: Role) -> Option<Role> {
    Some(match role {
        Role::Hips => return None,
        Role::Spine | Role::UpperLeg(_) => Role::Hips,
        Role::Chest => Role::Spine,
        Role::UpperChest => Role::Chest,
        Role::Neck | Role::Shoulder(_) => Role::UpperChest,
        Role::Head => Role::Neck,
        Role::UpperArm(side) => Role::Shoulder(side),
        Role::LowerArm(side) => Role::UpperArm(side),
        Role::Hand(side) => Role::LowerArm(side),
        Role::LowerLeg(side) => Role::UpperLeg(side),
        Role::Foot(side) => Role::LowerLeg(side),
        Role::Toes(side) => Role::Foot(side),
    })
}

const ROLES: [(Role, &str); 6] = [
    (Role::Hips, "hips"),
    (Role::Spine, "spine"),
    (Role::Chest, "chest"),
    (Role::UpperChest, "upperChest"),
    (Role::Neck, "neck"),
    (Role::Head, "head"),
];

/// Role of a bone that exists on both sides.
type SidedRole = fn(Side) -> Role;

const LIMBS: [(SidedRole, &str); 8] = [
    (Role::Shoulder, "Shoulder"),
    (Role::UpperArm, "UpperArm"),
    (Role::LowerArm, "LowerArm"),
    (Role::Hand, "Hand"),
    (Role::UpperLeg, "UpperLeg"),
    (Role::LowerLeg, "LowerLeg"),
    (Role::Foot, "Foot"),
    (Role::Toes, "Toes"),
];

fn read_map(vrm: &JsonNode, count: usize, found: &mut Humanoid) -> Result<(), Error> {
    let Some(bones) = vrm.get("humanoid").and_then(|h| h.get("humanBones")) else { return Ok(()) };
    bones.object()?;
    for name in bones.value.as_object().into_iter().flat_map(|members| members.keys()) {
        add(&bones.need(name)?, name, count, found)?;
    }
    Ok(())
}

fn add(entry: &JsonNode, name: &str, count: usize, found: &mut Humanoid) -> Result<(), Error> {
    let node = entry.need("node")?.index("nodes", count)?;
    found.nodes.insert(node);
    if let Some(role) = role_named(name)
        && !found.roles.contains(&(node, role))
    {
        if let Some((other, _)) = found.roles.iter().find(|(n, r)| *n == node || *r == role) {
            return Err(entry.error(format!("“{name}” is node {node}, but node {other} already plays a part it would")));
        }
        found.roles.push((node, role));
    }
    Ok(())
}

/// Reads the nodes that drive expressions and gaze of a VRMA, unless they are bones too.
fn read_drivers(vrm: &JsonNode, count: usize, found: &mut Humanoid) -> Result<(), Error> {
    let mut drivers = Vec::new();
    drivers.extend(vrm.get("lookAt"));
    for group in ["preset", "custom"] {
        let Some(group) = vrm.get("expressions").and_then(|e| e.get(group)) else { continue };
        for name in group.value.as_object().into_iter().flat_map(|members| members.keys()) {
            drivers.push(group.need(name)?);
        }
    }
    for driver in drivers {
        if let Some(node) = driver.reference("node", "nodes", count)?
            && !found.nodes.contains(&node)
        {
            found.not_bones.insert(node);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_keeps_its_vrm_name_both_ways() {
        for name in ["hips", "upperChest", "leftUpperArm", "rightLowerLeg", "leftToes", "rightHand", "leftShoulder"] {
            assert_eq!(name_of(role_named(name).unwrap()), name);
        }
        assert_eq!(role_named("leftThumbProximal"), None);
        assert_eq!(role_named("jaw"), None);
    }
}
