//! Tests of angular_friction.
