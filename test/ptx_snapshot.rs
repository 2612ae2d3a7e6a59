//! What NVIDIA's assembler makes of every kernel that terrace makes of its examples
//! and of the kernels in `test/ptx/Inputs`, for sm_90: registers, shared memory,
//! stack and spills, compared with `test/ptx/snapshot.txt`. A change of the compiler
//! that costs registers shows as a change of that file.
//!
//! `UPDATE_SNAPSHOT=1 cargo test --test ptx_snapshot` writes the file anew.

#[path = "ptx/collect.rs"]
mod collect;
#[path = "ptx/table.rs"]
mod table;

use std::io::Write;
use std::path::Path;
use table::{Strictness, Table};
use terrace::targets::ptx::ptxas::Ptxas;

const SNAPSHOT: &str = "test/ptx/snapshot.txt";
const UPDATE: &str = "UPDATE_SNAPSHOT=1 cargo test --test ptx_snapshot";

/// That with all forms of matrix products: an architecture costs two minutes of two cores.
/// `examples::*_kernels_assemble` hand the examples to the assembler for the others.
const ARCHS: [&str; 1] = ["sm_90"];

/// Past the test harness, which keeps to itself what a passing test prints.
fn say(line: &str) {
    // Where nobody listens nothing is lost.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The runtime has one kernel of its own, which a profile puts in front of others. No emulator runs it.
#[test]
fn the_kernel_that_holds_a_stream_assembles() {
    let Some(ptxas) = Ptxas::find() else {
        terrace_lit::feature::skip("ptxas", "the kernel that holds a stream");
        return;
    };
    let text = include_str!("../runtime/src/program/report/hold.ptx");
    for arch in ["sm_50", "sm_70", "sm_90"] {
        if ptxas.knows(arch)
            && let Err(e) = ptxas.assemble(text, arch)
        {
            panic!("{arch}: {e}");
        }
    }
}

#[test]
fn registers_and_spills_are_those_of_the_snapshot() {
    let Some(ptxas) = Ptxas::find() else {
        terrace_lit::feature::skip("ptxas", "the PTX snapshot");
        return;
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(SNAPSHOT);
    let version = ptxas.version().unwrap_or_else(|| "unknown".to_string());
    let update = std::env::var_os("UPDATE_SNAPSHOT").is_some_and(|v| v != "0");
    let old = match std::fs::read_to_string(&path) {
        Ok(text) => Table::parse(&text).unwrap_or_else(|e| panic!("{SNAPSHOT}: {e}")),
        Err(_) if update => Table::default(),
        Err(e) => panic!("{SNAPSHOT}: {e}; `{UPDATE}` writes it"),
    };
    let mut archs = Vec::new();
    for arch in ARCHS {
        match ptxas.knows(arch) {
            true => archs.push(arch),
            false => say(&format!("SKIPPED {arch}: ptxas {version} does not know it")),
        }
    }
    let new = collect::collect(ptxas, &version, &archs);
    if update {
        assert_eq!(archs, ARCHS, "a snapshot needs a ptxas for all of them");
        std::fs::write(&path, new.text()).expect("the snapshot can be written");
        return;
    }
    let strictness = match old.version == version {
        true => Strictness::Everything,
        false => {
            say(&format!(
                "the snapshot is of ptxas {}, this is {version}: only spills are compared",
                old.version
            ));
            Strictness::Spills
        }
    };
    let differences = old.differences(&new, strictness);
    assert!(
        differences.is_empty(),
        "what ptxas {version} says differs from {SNAPSHOT}:\n{}\nIf that is meant, run\n  {UPDATE}\n",
        differences.join("\n")
    );
}
