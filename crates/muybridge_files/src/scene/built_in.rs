//! Scenes built into the program.

/// Names and texts of the scenes, the default scene first.
pub const SCENES: [(&str, &str); 35] = [
    ("drop", include_str!("../../scenes/drop.toml")),
    ("throw", include_str!("../../scenes/throw.toml")),
    ("rope", include_str!("../../scenes/rope.toml")),
    ("flail", include_str!("../../scenes/flail.toml")),
    ("cloth_on_sphere", include_str!("../../scenes/cloth_on_sphere.toml")),
    ("cloth_on_ragdoll", include_str!("../../scenes/cloth_on_ragdoll.toml")),
    ("plant_in_wind", include_str!("../../scenes/plant_in_wind.toml")),
    ("flag", include_str!("../../scenes/flag.toml")),
    ("tetrahedra_in_box", include_str!("../../scenes/tetrahedra_in_box.toml")),
    ("skittles", include_str!("../../scenes/skittles.toml")),
    ("stairs", include_str!("../../scenes/stairs.toml")),
    ("heap", include_str!("../../scenes/heap.toml")),
    ("hit_and_bomb", include_str!("../../scenes/hit_and_bomb.toml")),
    ("dragged", include_str!("../../scenes/dragged.toml")),
    ("clip_into_ragdoll", include_str!("../../scenes/clip_into_ragdoll.toml")),
    ("arm", include_str!("../../scenes/arm.toml")),
    ("chain", include_str!("../../scenes/chain.toml")),
    ("fish", include_str!("../../scenes/fish.toml")),
    ("mobile", include_str!("../../scenes/mobile.toml")),
    ("docks", include_str!("../../scenes/docks.toml")),
    ("points", include_str!("../../scenes/points.toml")),
    ("stands", include_str!("../../scenes/stands.toml")),
    ("pushed", include_str!("../../scenes/pushed.toml")),
    ("walks", include_str!("../../scenes/walks.toml")),
    ("reaches", include_str!("../../scenes/reaches.toml")),
    ("own_feet", include_str!("../../scenes/own_feet.toml")),
    ("gets_up", include_str!("../../scenes/gets_up.toml")),
    ("herd", include_str!("../../scenes/herd.toml")),
    ("rain", include_str!("../../scenes/rain.toml")),
    ("crowd", include_str!("../../scenes/crowd.toml")),
    ("jakobsen_cloth", include_str!("../../scenes/jakobsen_cloth.toml")),
    ("jakobsen_figure", include_str!("../../scenes/jakobsen_figure.toml")),
    ("rosen_doll", include_str!("../../scenes/rosen_doll.toml")),
    ("hennix_doll", include_str!("../../scenes/hennix_doll.toml")),
    ("ziauddin_joints", include_str!("../../scenes/ziauddin_joints.toml")),
];

/// Modes of particles and methods in which a scene is refused, takes an hour, a plant falls over, or a run warns, by its name.
const NOT_FOR: [(&str, &[&str]); 30] = [
    ("drop", &["jakobsen"]),
    ("throw", &["jakobsen"]),
    ("rope", &["jakobsen", "rosen"]),
    ("flail", &["jakobsen"]),
    ("cloth_on_sphere", &["jakobsen", "rosen"]),
    ("cloth_on_ragdoll", &["jakobsen", "rosen"]),
    ("flag", &["jakobsen", "rosen"]),
    ("plant_in_wind", &["jakobsen", "rosen"]),
    ("tetrahedra_in_box", &["jakobsen"]),
    ("skittles", &["jakobsen"]),
    ("stairs", &["jakobsen", "rosen"]),
    ("heap", &["jakobsen", "rosen", "hennix"]),
    ("hit_and_bomb", &["jakobsen"]),
    ("dragged", &["jakobsen"]),
    ("clip_into_ragdoll", &["jakobsen"]),
    ("arm", &["jakobsen"]),
    ("chain", &["jakobsen"]),
    ("fish", &["jakobsen"]),
    ("mobile", &["jakobsen"]),
    ("stands", ON_FEET),
    ("pushed", ON_FEET),
    ("walks", ON_FEET),
    ("reaches", ON_FEET),
    ("own_feet", ON_FEET),
    ("gets_up", &["jakobsen"]),
    ("herd", &["multipliers", "displacement", "hennix"]),
    ("rain", &["hennix"]),
    ("rosen_doll", &["jakobsen"]),
    ("hennix_doll", &["jakobsen"]),
    ("ziauddin_joints", &["shake", "xpbd", "jakobsen", "rosen"]),
];

/// Modes and methods that refuse ragdolls on their own feet.
const ON_FEET: &[&str] = &["shake", "xpbd", "jakobsen", "rosen", "hennix"];

/// Modes of particles, and methods, in which a scene is refused, takes an hour, or does not hold together.
pub fn not_for(name: &str) -> &'static [&'static str] {
    NOT_FOR.iter().find(|(known, _)| *known == name).map_or(&[], |(_, words)| words)
}

/// Text of a scene by its name.
pub fn text(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Description of a scene: its first comment.
pub fn about(text: &str) -> &str {
    text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or("")
}
