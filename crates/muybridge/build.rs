//! Sets the cfg `unoptimized` where the crate is built without any optimisation.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(unoptimized)");
    if std::env::var_os("OPT_LEVEL").is_some_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimized");
    }
}
