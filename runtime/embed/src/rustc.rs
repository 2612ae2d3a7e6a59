//! What the compiler that runs this macro was called with.

use std::path::{Path, PathBuf};

/// The words of the compiler's command line.
pub struct Call(Vec<String>);

impl Call {
    /// Macros run in the compiler's own process.
    pub fn of_this_process() -> Call {
        let words = std::env::args_os().map(|w| w.to_string_lossy().into_owned());
        Call(words.flat_map(expanded).collect())
    }

    /// The file that a crate's name stands for, where it is a library that can be linked. Where code is
    /// only checked it is one with types alone.
    pub fn linked(&self, name: &str) -> Option<PathBuf> {
        let externs = self.values("--extern");
        let mut files = externs.filter_map(|value| {
            let (found, file) = value.split_once('=')?;
            // Options stand before the name, as in `priv:name`.
            (found.rsplit(':').next() == Some(name)).then(|| PathBuf::from(file))
        });
        files.find(|f| f.extension().is_some_and(|e| e == "rlib"))
    }

    /// The program that links.
    pub fn linker(&self) -> &str {
        let settings = self.values("-C").chain(self.values("--codegen"));
        let attached = self.0.iter().filter_map(|w| w.strip_prefix("-C"));
        let mut all = settings.chain(attached);
        all.find_map(|s| s.strip_prefix("linker=")).unwrap_or("cc")
    }

    /// The words behind an option, or joined to it by `=`.
    fn values<'a>(&'a self, option: &'a str) -> impl Iterator<Item = &'a str> {
        let behind = self.0.windows(2).filter(move |w| w[0] == option);
        let joined = self
            .0
            .iter()
            .filter_map(move |w| w.strip_prefix(option).and_then(|v| v.strip_prefix('=')));
        behind.map(|w| w[1].as_str()).chain(joined)
    }
}

/// The lines of a file where a word is `@FILE`.
fn expanded(word: String) -> Vec<String> {
    let text = word
        .strip_prefix('@')
        .map(Path::new)
        .map(std::fs::read_to_string);
    match text {
        Some(Ok(text)) => text.lines().map(str::to_string).collect(),
        _ => vec![word],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(line: &str) -> Call {
        Call(line.split(' ').map(str::to_string).collect())
    }

    #[test]
    fn the_library_is_the_one_that_is_linked() {
        let c =
            call("rustc --crate-name x --extern a=/t/liba.rmeta --extern=priv:b=/t/libb-1.rlib");
        assert_eq!(c.linked("a"), None);
        assert_eq!(c.linked("b"), Some("/t/libb-1.rlib".into()));
        assert_eq!(c.linked("c"), None);
    }

    #[test]
    fn the_linker_is_the_compilers() {
        assert_eq!(call("rustc x.rs").linker(), "cc");
        assert_eq!(
            call("rustc -C opt-level=3 -C linker=a-gcc").linker(),
            "a-gcc"
        );
        assert_eq!(call("rustc -Clinker=b-gcc").linker(), "b-gcc");
        assert_eq!(call("rustc --codegen=linker=c-gcc").linker(), "c-gcc");
    }
}
