//! Scenes built into the program.

/// Names and texts of the scenes, the default scene first.
pub const SCENES: [(&str, &str); 30] = [
    ("drop", include_str!("../../../../assets/scenes/drop.toml")),
    ("throw", include_str!("../../../../assets/scenes/throw.toml")),
    ("rope", include_str!("../../../../assets/scenes/rope.toml")),
    ("flail", include_str!("../../../../assets/scenes/flail.toml")),
    ("cloth_on_sphere", include_str!("../../../../assets/scenes/cloth_on_sphere.toml")),
    ("cloth_on_ragdoll", include_str!("../../../../assets/scenes/cloth_on_ragdoll.toml")),
    ("plant_in_wind", include_str!("../../../../assets/scenes/plant_in_wind.toml")),
    ("flag", include_str!("../../../../assets/scenes/flag.toml")),
    ("tetrahedra_in_box", include_str!("../../../../assets/scenes/tetrahedra_in_box.toml")),
    ("skittles", include_str!("../../../../assets/scenes/skittles.toml")),
    ("stairs", include_str!("../../../../assets/scenes/stairs.toml")),
    ("heap", include_str!("../../../../assets/scenes/heap.toml")),
    ("hit_and_bomb", include_str!("../../../../assets/scenes/hit_and_bomb.toml")),
    ("dragged", include_str!("../../../../assets/scenes/dragged.toml")),
    ("clip_into_ragdoll", include_str!("../../../../assets/scenes/clip_into_ragdoll.toml")),
    ("arm", include_str!("../../../../assets/scenes/arm.toml")),
    ("chain", include_str!("../../../../assets/scenes/chain.toml")),
    ("fish", include_str!("../../../../assets/scenes/fish.toml")),
    ("mobile", include_str!("../../../../assets/scenes/mobile.toml")),
    ("docks", include_str!("../../../../assets/scenes/docks.toml")),
    ("points", include_str!("../../../../assets/scenes/points.toml")),
    ("stands", include_str!("../../../../assets/scenes/stands.toml")),
    ("pushed", include_str!("../../../../assets/scenes/pushed.toml")),
    ("walks", include_str!("../../../../assets/scenes/walks.toml")),
    ("reaches", include_str!("../../../../assets/scenes/reaches.toml")),
    ("own_feet", include_str!("../../../../assets/scenes/own_feet.toml")),
    ("gets_up", include_str!("../../../../assets/scenes/gets_up.toml")),
    ("herd", include_str!("../../../../assets/scenes/herd.toml")),
    ("rain", include_str!("../../../../assets/scenes/rain.toml")),
    ("crowd", include_str!("../../../../assets/scenes/crowd.toml")),
];

/// Text of a scene by its name.
pub fn text(name: &str) -> Option<&'static str> {
    SCENES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Description of a scene: its first comment.
pub fn about(text: &str) -> &str {
    text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or("")
}
