//! Tests of bend.
