//! The archive of the runtime as a constant of an executable, so that an installed tool is one file.
//!
//! Cargo compiles `terrace-runtime` to a library of Rust and to an archive in one go, but hands only the
//! first to crates that depend on it, and `cargo install` copies neither. [`runtime!`] finds the archive
//! beside the library that the compiler was given, makes it small (`slim`), and includes it. No second
//! build of the runtime is needed, and no guess which archive belongs to this build.

mod ar;
mod rustc;
mod slim;

use proc_macro::TokenStream;
use std::hash::{DefaultHasher, Hasher};
use std::path::Path;

/// The runtime's archive, as an `Option<(&'static [u8], &'static str)>`: its bytes, and a name that other
/// bytes do not have. None where nothing is linked: where code is only checked, and in editors.
#[proc_macro]
pub fn runtime(_: TokenStream) -> TokenStream {
    let text = match rustc::Call::of_this_process().linked("terrace_runtime") {
        None => "::core::option::Option::None::<(&'static [u8], &'static str)>".to_string(),
        Some(library) => match embedded(&library) {
            Ok(text) => text,
            Err(message) => format!("::core::compile_error!({message:?})"),
        },
    };
    text.parse().expect("the text above is an expression")
}

/// The expression for the archive beside a library.
fn embedded(library: &Path) -> Result<String, String> {
    let whole = library.with_extension("a");
    let failed = |what: &str, path: &Path, e: std::io::Error| {
        format!("cannot {what} '{}': {e}", path.display())
    };
    let bytes = std::fs::read(&whole).map_err(|e| failed("read", &whole, e))?;
    // What a machine's programs cannot make small is as right as it is.
    let bytes = slim::slim(&whole, &bytes).unwrap_or(bytes);
    // Another compiler may be about to read it.
    let small = library.with_extension("slim.a");
    let unfinished = slim::own(&whole, "a");
    std::fs::write(&unfinished, &bytes).map_err(|e| failed("write", &unfinished, e))?;
    std::fs::rename(&unfinished, &small).map_err(|e| failed("write", &small, e))?;
    Ok(format!(
        "::core::option::Option::Some((::core::include_bytes!({:?}) as &'static [u8], {:?}))",
        small.display().to_string(),
        hash(&bytes)
    ))
}

/// 128 bits of the bytes, in hexadecimal digits.
fn hash(bytes: &[u8]) -> String {
    let half = |salt: u8| {
        let mut h = DefaultHasher::new();
        h.write_u8(salt);
        h.write(bytes);
        h.finish()
    };
    format!("{:016x}{:016x}", half(0), half(1))
}
