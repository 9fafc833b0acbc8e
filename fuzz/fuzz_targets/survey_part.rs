//! Any bytes as a part of a survey give a plan and its records, which are written back as the lines they were read from.

pub fn fuzz(bytes: &[u8]) {
    muybridge_cli::fuzzing::survey_part(bytes);
}
