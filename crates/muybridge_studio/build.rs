//! Sets the cfg `muybridge_data` if `MUYBRIDGE_DATA` names the shared data folder; without it, tests that need the
//! data are ignored.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(muybridge_data)");
    println!("cargo::rerun-if-env-changed=MUYBRIDGE_DATA");
    if std::env::var_os("MUYBRIDGE_DATA").is_some() {
        println!("cargo::rustc-cfg=muybridge_data");
    }
}
