//! Programs and files that terrace calls or links: each is tried as it would be used.

use super::Finding;
use crate::c::driver::host::{HOST_CC, Host};
use crate::c::driver::runtime::{self, Runtime};
use crate::c::driver::temporary::Folder;
use crate::targets::ptx::ptxas::Ptxas;
use crate::upstream::{Bridge, VARIABLE};
use std::ffi::OsString;
use std::path::PathBuf;

/// NVIDIA's assembler.
pub fn ptxas(all: &mut Vec<Finding>) {
    const COST: &str = "terrace explain does not tell registers and spills of kernels. Kernels are compiled \
                        and run without it.\nCUDA's toolkit has it, and so has NVIDIA's package nvidia-cuda-nvcc of Python; \
                        TERRACE_PTXAS names one.";
    let named = std::env::var_os("TERRACE_PTXAS").filter(|v| v != "none");
    all.push(match Ptxas::find() {
        Some(p) => {
            let version = p.version().unwrap_or("of unknown version".to_string());
            let ends = match (p.archs.first(), p.archs.last()) {
                (Some(first), Some(last)) => format!(", {first} to {last}"),
                _ => String::new(),
            };
            let found = Finding::found("ptxas", format!("{version}{ends}, {}", p.path.display()));
            match named.filter(|n| *n != p.path) {
                Some(n) => Finding {
                    state: super::State::Wrong,
                    ..found.costing(&format!(
                        "TERRACE_PTXAS names '{}', which is no ptxas: this one is used instead.",
                        PathBuf::from(n).display()
                    ))
                },
                None => found,
            }
        }
        None => match named {
            Some(n) => {
                let n = PathBuf::from(n);
                let said = format!("TERRACE_PTXAS names '{}', which is no ptxas", n.display());
                Finding::wrong("ptxas", said, COST)
            }
            None => Finding::lacking("ptxas", "there is none", COST),
        },
    });
}

/// The system's C compiler, with a program that it compiles and links.
pub fn c_compiler(all: &mut Vec<Finding>) {
    const NAME: &str = "C compiler";
    const COST: &str = "terrace cc does not work, and no other tool reads C. Programs in MLIR and formulas \
                        do.\nInstall gcc or clang with the C library's headers; TERRACE_HOST_CC names one.";
    let host = Host::find();
    let Some(path) = host.path() else {
        let said = format!("there is no '{}'", host.name());
        all.push(match std::env::var_os(HOST_CC).filter(|v| !v.is_empty()) {
            Some(_) => Finding::wrong(NAME, format!("{HOST_CC}: {said}"), COST),
            None => Finding::lacking(NAME, said, COST),
        });
        return;
    };
    all.push(match try_to_compile(&host) {
        Ok(()) => {
            let version = host.output(&["--version".into()]).ok();
            let version = version.map(|(out, _)| String::from_utf8_lossy(&out).into_owned());
            let first = version.as_deref().and_then(|v| v.lines().next());
            let found = format!(
                "{}, {}",
                first.unwrap_or("of unknown version"),
                path.display()
            );
            Finding::found(NAME, found)
        }
        Err(why) => {
            let said = format!("{} compiles and links no program: {why}", path.display());
            Finding::wrong(NAME, said, COST)
        }
    });
}

/// A program with a header of the C library.
fn try_to_compile(host: &Host) -> Result<(), String> {
    let said = |f: crate::c::driver::host::Failed| {
        let said = f.said();
        let line = said
            .lines()
            .find(|l| l.contains("error"))
            .or(said.lines().next());
        line.unwrap_or("it fails and does not say why").to_string()
    };
    let folder = Folder::new(None).map_err(said)?;
    let text = b"#include <stdio.h>\nint main(void) { return printf(\"%d\", 1) != 1; }\n";
    let from = folder.write("t.c", text).map_err(said)?;
    let words: [OsString; 3] = [from.into(), "-o".into(), folder.file("t").into()];
    host.output(&words).map(|_| ()).map_err(said)
}

/// What programs of `terrace cc` are linked with.
pub fn runtime(embedded: Option<&Runtime>, all: &mut Vec<Finding>) {
    const COST: &str = "terrace cc compiles, but links no program whose regions it made.\nTERRACE_RUNTIME \
                        names the archive that cargo build makes of the package terrace-runtime.";
    all.push(match runtime::archive(embedded) {
        Ok(place) => {
            let bytes = std::fs::metadata(place.path()).map_or(0, |m| m.len());
            let mib = bytes as f64 / f64::from(1 << 20);
            Finding::found("runtime", format!("{mib:.1} MiB, {}", place.said()))
        }
        Err(e) if embedded.is_none() && std::env::var_os(runtime::VARIABLE).is_none() => {
            Finding::lacking("runtime", plain(&e), COST)
        }
        Err(e) => Finding::wrong("runtime", plain(&e), COST),
    });
}

/// A message without the word in front of it.
fn plain(message: &str) -> String {
    message.trim().trim_start_matches("error: ").to_string()
}

/// The bridge to upstream's parser and passes, and upstream's own tool.
pub fn mlir(all: &mut Vec<Finding>) {
    const COST: &str = "--mlir-import and the pass --upstream do not work: no bytecode, linalg, tensors or \
                        tosa. What terrace-opt reads by itself is read as ever.\nThe folder mlir/ of the \
                        source has it; it needs LLVM and MLIR 22.";
    let named = std::env::var_os(VARIABLE).is_some_and(|v| !v.is_empty());
    all.push(match Bridge::find() {
        Ok(bridge) => Finding::found("terrace-mlir", bridge.path().display().to_string()),
        Err(e) if named => Finding::wrong("terrace-mlir", e, COST),
        Err(_) => Finding::lacking("terrace-mlir", "there is none", COST),
    });
    let path = std::env::var_os("PATH").unwrap_or_default();
    let usual = PathBuf::from("/usr/lib/llvm-22/bin");
    let mut folders = std::env::split_paths(&path).chain([usual]);
    let found = folders.find(|f| f.join("mlir-opt").is_file());
    all.push(match found {
        Some(f) => Finding::found("mlir-opt", f.join("mlir-opt").display().to_string()),
        None => Finding::lacking(
            "mlir-opt",
            "there is none",
            "No tool needs it. Tests of terrace's own that compare with it are skipped.",
        ),
    });
}
