//! Analysis to tables, JSON, pictures and a single-file HTML report. No physics in here.
