//! Tests of orientation.
