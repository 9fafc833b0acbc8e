//! Tests of angle.
