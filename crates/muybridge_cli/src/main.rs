//! The program `muybridge`: one file per verb.

fn main() {}
