//! Built-in characters and clips: tests, benches, docs and pictures share them.
