//! The Rust examples, run.

#[path = "../examples/embed.rs"]
mod embed;

#[test]
fn embed() {
    embed::main().unwrap();
}
