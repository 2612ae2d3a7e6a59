//! Whether a C file may have directives, without preprocessing it.
//!
//! The file and all headers that it includes from folders of the program are searched
//! for the words. Headers of the system have no directives of ours. A wrong yes costs
//! time only; where it cannot be told the answer is yes.

use super::command_line::CommandLine;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use terrace_c::source::mentions_directives;

/// What the texts of a file tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FileScan {
    /// There may be directives.
    pub directives: bool,
    /// `openacc.h` is included, so that the program may call the runtime.
    pub openacc_h: bool,
}

/// Search a file and what it includes.
pub fn scan(command: &CommandLine, file: &Path) -> FileScan {
    let dirs = |prefix: &str| command.values(prefix).into_iter().map(PathBuf::from);
    let mut search: Vec<PathBuf> = dirs("-iquote").collect();
    search.extend(dirs("-I"));
    let mut s = Scan {
        search,
        seen: HashSet::new(),
        found: FileScan::default(),
    };
    s.file(file);
    for forced in command
        .values("-include")
        .into_iter()
        .chain(command.values("-imacros"))
    {
        s.include(Path::new(&forced), Path::new("."));
    }
    // A macro of the command line may be a pragma.
    s.found.directives |= command
        .values("-D")
        .iter()
        .any(|d| d.to_string_lossy().contains("_Pragma"));
    s.found
}

struct Scan {
    search: Vec<PathBuf>,
    seen: HashSet<PathBuf>,
    found: FileScan,
}

impl Scan {
    fn file(&mut self, path: &Path) {
        if !self.seen.insert(path.to_path_buf()) {
            return;
        }
        // What cannot be read the compiler will report.
        let Ok(text) = std::fs::read(path) else {
            return;
        };
        self.found.directives |= may_have_directives(&text);
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        for name in includes(&text) {
            match name {
                Some(name) => self.include(&name, &folder),
                // `#include MACRO`.
                None => self.found.directives = true,
            }
        }
    }

    fn include(&mut self, name: &Path, folder: &Path) {
        if name
            .file_name()
            .is_some_and(|n| n == "openacc.h" || n == "acc_prof.h")
        {
            self.found.openacc_h = true;
        }
        let places = std::iter::once(folder.to_path_buf()).chain(self.search.iter().cloned());
        let found: Vec<PathBuf> = places
            .map(|d| d.join(name))
            .filter(|p| p.is_file())
            .collect();
        // All of that name: which one it is depends on the kind of the include.
        for path in found {
            self.file(&path);
        }
    }
}

/// Whether a text mentions directives, or makes pragmas in a way that does not show.
fn may_have_directives(text: &[u8]) -> bool {
    if mentions_directives(text) {
        return true;
    }
    // `_Pragma(#x)` in a macro: anything but a string behind the bracket.
    find_all(text, b"_Pragma").any(|at| {
        let rest = &text[at + 7..];
        let rest = rest.trim_ascii_start();
        match rest.strip_prefix(b"(") {
            Some(inside) => !inside.trim_ascii_start().starts_with(b"\""),
            // `#define P _Pragma`.
            None => true,
        }
    })
}

/// Where `word` stands in `text`.
fn find_all<'t>(text: &'t [u8], word: &'t [u8]) -> impl Iterator<Item = usize> + 't {
    let first = word[0];
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(at) = text[from..].iter().position(|b| *b == first) {
            let at = from + at;
            from = at + 1;
            if text[at..].starts_with(word) {
                return Some(at);
            }
        }
        None
    })
}

/// The files that a text includes; `None` for one whose name a macro gives.
fn includes(text: &[u8]) -> Vec<Option<PathBuf>> {
    use std::os::unix::ffi::OsStringExt;
    let mut out = Vec::new();
    for at in find_all(text, b"include") {
        let line_start = text[..at]
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |n| n + 1);
        let before = text[line_start..at].trim_ascii();
        // Comments before the `#` are rare enough to look at every word.
        if !before.ends_with(b"#") {
            continue;
        }
        let mut rest = &text[at + b"include".len()..];
        rest = rest.strip_prefix(b"_next").unwrap_or(rest);
        let line_end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        let rest = rest[..line_end].trim_ascii_start();
        let close = match rest.first() {
            Some(b'"') => b'"',
            Some(b'<') => b'>',
            // `#includes` and such.
            Some(b) if b.is_ascii_alphabetic() || *b == b'_' => {
                out.push(None);
                continue;
            }
            _ => continue,
        };
        if let Some(end) = rest[1..].iter().position(|b| *b == close) {
            let name = std::ffi::OsString::from_vec(rest[1..=end].to_vec());
            out.push(Some(PathBuf::from(name)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_behind_macros() {
        for yes in [
            "#pragma acc kernels",
            "#define A(x) _Pragma(#x)",
            "#define P _Pragma\n",
            "_Pragma ( STR )",
        ] {
            assert!(may_have_directives(yes.as_bytes()), "{yes}");
        }
        for no in [
            "_Pragma(\"once\")",
            "#pragma omp parallel",
            "int main(void) {}",
        ] {
            assert!(!may_have_directives(no.as_bytes()), "{no}");
        }
    }

    #[test]
    fn included_names() {
        let text = b"#include \"a.h\"\n # include <b/c.h> // x\nint include;\n#include NAME\n/* */ #include\"d\"";
        let p = |s: &str| Some(PathBuf::from(s));
        assert_eq!(includes(text), [p("a.h"), p("b/c.h"), None, p("d")]);
    }

    #[test]
    fn headers_of_headers_are_searched() {
        let folder = std::env::temp_dir().join(format!("terrace-scan-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("inc")).unwrap();
        let write = |n: &str, t: &str| std::fs::write(folder.join(n), t).unwrap();
        write("a.c", "#include \"b.h\"\n#include <openacc.h>\n");
        write("b.h", "#include <c.h>\n#include \"b.h\"\n");
        write("inc/c.h", "#pragma scop\n");
        let file = folder.join("a.c");
        let with = |args: &[String]| {
            let args: Vec<_> = args.iter().map(std::ffi::OsString::from).collect();
            scan(&CommandLine::parse(&args).unwrap(), &file)
        };
        let alone = with(&[]);
        let including = with(&[format!("-I{}", folder.join("inc").display())]);
        let forced = with(&[
            "-include".into(),
            folder.join("inc/c.h").display().to_string(),
        ]);
        let defined = with(&["-DX=_Pragma(\"acc loop\")".into()]);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            alone,
            FileScan {
                directives: false,
                openacc_h: true
            }
        );
        assert!(including.directives && forced.directives && defined.directives);
    }
}
