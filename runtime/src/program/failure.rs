//! The end of a program that cannot go on.

use crate::notice::say;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Prints the message on standard error and ends the program with status 1. What the
/// program has printed is flushed, as at any exit.
pub fn fail(message: &str) -> ! {
    say!("{message}");
    std::process::exit(1);
}

/// What went wrong in a call of the program, which has no place.
pub fn of_call(name: &str, why: impl std::fmt::Display) -> String {
    format!("terrace: {name}: {why}")
}

/// Runs the body of a function that C code called. A panic ends the program, since it
/// must not unwind into C.
pub fn guard<R>(f: impl FnOnce() -> R) -> R {
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(r) => r,
        // The message of the panic is on standard error already.
        Err(_) => fail("terrace: the runtime panicked, which is a mistake in terrace; stopping"),
    }
}

/// As [`guard`], for a body whose error ends the program.
pub fn run<R>(f: impl FnOnce() -> Result<R, String>) -> R {
    match guard(f) {
        Ok(r) => r,
        Err(message) => fail(&message),
    }
}
