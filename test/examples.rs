//! The Rust examples, run.

#[path = "../examples/embed.rs"]
mod embed;

#[test]
fn embed() {
    embed::main().unwrap();
}

#[path = "../examples/arrays.rs"]
mod arrays;

#[test]
fn arrays() {
    arrays::main().unwrap();
}

#[path = "../examples/sparse.rs"]
mod sparse;

#[test]
fn sparse() {
    sparse::main().unwrap();
}

#[allow(dead_code)]
#[path = "../examples/atmosphere.rs"]
mod atmosphere;

/// Mass and smoke are conserved on all targets, and the picture is one.
#[test]
fn atmosphere() {
    use terrace::run::options::{RunOptions, Target};
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/atmosphere.png");
    for (target, steps) in [
        (Target::Cpu, 400),
        (Target::Interp, 2),
        (Target::Emulator, 2),
    ] {
        let options = RunOptions {
            target,
            ..RunOptions::default()
        };
        let picture = (target == Target::Cpu).then_some(path);
        atmosphere::check(&options, picture, steps).unwrap();
    }
    let bytes = std::fs::read(path).unwrap();
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(bytes.len() > 3 * 384 * 512);
}
