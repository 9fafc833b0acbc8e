//! Tests of bone frames.
