//! What goes wrong around a device, by the script for machines with a GPU, on the emulator.

use super::folder::Folder;
use std::path::Path;
use std::process::Command;

#[test]
fn the_list_of_faults() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/gpu/faults.sh");
    let folder = Folder::new(&[]);
    let run = |arguments: &[&str]| {
        let mut command = Command::new("bash");
        command.arg(&script).args(arguments);
        let output = command.output().expect("bash");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{arguments:?}:\n{text}");
        text
    };
    let out = folder.0.to_str().expect("a path in UTF-8");
    run(&["build", env!("CARGO_BIN_EXE_terrace"), out]);
    let text = run(&["check", out, "emulator"]);
    assert!(text.contains("17 passed, 0 failed, 1 skipped"), "{text}");
}
