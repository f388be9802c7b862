// SPDX-License-Identifier: Apache-2.0
// Asks pkg-config where the library is.
use std::process::Command;

fn main() {
    let found = Command::new("pkg-config")
        .args(["--libs", "threadmodel"])
        .output()
        .expect("pkg-config does not run");
    assert!(
        found.status.success(),
        "{}",
        String::from_utf8_lossy(&found.stderr)
    );
    for flag in String::from_utf8_lossy(&found.stdout).split_whitespace() {
        if let Some(folder) = flag.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={folder}");
        } else if let Some(library) = flag.strip_prefix("-l") {
            println!("cargo:rustc-link-lib={library}");
        }
    }
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
}
