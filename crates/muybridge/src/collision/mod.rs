//! Shapes, their mass properties, obstacles, distances and contacts.

pub mod broad_phase;
pub mod convex_pieces;
pub mod height_field;
pub mod manifold;
pub mod mass_properties;
pub mod mesh;
pub(crate) mod near_plane;
pub mod obstacle;
pub mod points_and_edges;
pub mod polygons;
pub mod polyhedron;
pub mod polytope;
mod quickhull;
pub mod segment;
pub mod shape;
pub mod signed_distance;
pub mod simplex;
pub mod simplex_contact;
pub mod sort_and_sweep;
pub mod sweep;
pub(crate) mod swept;
pub mod tensor;
pub mod thinning;

pub use manifold::{Manifold, ManifoldPoint, each_manifold, manifold};
pub use mass_properties::MassProperties;
pub use obstacle::{Obstacle, ObstacleError, ObstacleShape, Pose};
