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
