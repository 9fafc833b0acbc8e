//! Without `MUYBRIDGE_DATA`, tests on the shared data compile as `ignored`.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(muybridge_data)");
    println!("cargo::rerun-if-env-changed=MUYBRIDGE_DATA");
    if std::env::var_os("MUYBRIDGE_DATA").is_some() {
        println!("cargo::rustc-cfg=muybridge_data");
    }
}
