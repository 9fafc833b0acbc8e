//! Tests on the shared data compile as `ignored` where `MUYBRIDGE_DATA` does not say where the data is; `unoptimized` is set where
//! the crate is built without any optimisation.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(muybridge_data)");
    println!("cargo::rerun-if-env-changed=MUYBRIDGE_DATA");
    if std::env::var_os("MUYBRIDGE_DATA").is_some() {
        println!("cargo::rustc-cfg=muybridge_data");
    }
    println!("cargo::rustc-check-cfg=cfg(unoptimized)");
    if std::env::var_os("OPT_LEVEL").is_some_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimized");
    }
}
