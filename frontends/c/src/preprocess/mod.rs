//! What goes into the C compiler's preprocessor, and what comes out.

mod macros;

use std::path::Path;

pub use macros::{DEFINITIONS, expand_directives};

/// GCC's flag; the others have it not, or warn, or take directives for themselves.
pub fn openacc_flag(program: &str) -> &'static str {
    let name = Path::new(program).file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    if name.contains("clang") || name.contains("icx") || name.contains("tcc") {
        "-D_OPENACC=201711"
    } else {
        EXPANDS
    }
}

/// With this option macros in OpenACC's directives are expanded.
pub const EXPANDS: &str = "-fopenacc";

/// The output of a preprocessor: UTF-8 as it is, other bytes as `\351`, which means the
/// same in a literal.
pub fn as_text(bytes: Vec<u8>) -> String {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(e) => e.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len() + 64);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for b in chunk.invalid() {
            text.push_str(&format!("\\{b:03o}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_bytes_than_utf8_become_escapes() {
        assert_eq!(as_text(b"\"caf\xe9\"".to_vec()), "\"caf\\351\"");
        assert_eq!(as_text("\u{e9}".into()), "\u{e9}");
    }

    #[test]
    fn only_gcc_has_the_flag() {
        assert_eq!(openacc_flag("/usr/bin/gcc-12"), "-fopenacc");
        assert_eq!(openacc_flag("clang-19"), "-D_OPENACC=201711");
    }
}
