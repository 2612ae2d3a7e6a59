//! A C compiler's command line, understood as far as the driver needs.
//!
//! Spellings are GCC's. What is not known is passed on unchanged, as a word of its own:
//! `options` has those that take a value behind a space, without which an option's value
//! would be taken for a file.

use super::options::{JOINED_OR_NEXT, NEXT, PREFIXES, QUERIES, WHOLE};
use super::own::Own;
use super::pgi;
use crate::passes::pipeline::Algebra;
use crate::run::numerics::{Contract, Numerics};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use terrace_c::dialect::Dialect;

/// What the compiler is to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// A program or shared library.
    #[default]
    Link,
    /// `-c`.
    Compile,
    /// `-S`.
    Assembly,
    /// `-E`, `-M`, `-MM`.
    Preprocess,
    /// `-fsyntax-only`.
    Syntax,
}

/// What an option is for: which of the compiler's runs it is passed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum For {
    /// `-D`, `-I`, `-include` and the like.
    Preprocessor,
    /// `-MD`, `-MF` and the like.
    Dependencies,
    /// `-l`, `-L`, `-Wl,` and the like.
    Linker,
    /// `-c`, `-S`, `-E`, `-o FILE`, `-x LANGUAGE`, `-save-temps`.
    Driver,
    /// All others.
    Compiler,
}

/// A language, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    C,
    /// C after the preprocessor.
    PreprocessedC,
    /// C++, before the preprocessor or behind it.
    Cpp,
    /// Another language, an object file, a library.
    Other,
}

/// An option with its value, or an input file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    Option {
        words: Vec<OsString>,
        kind: For,
    },
    Input {
        path: PathBuf,
        language: Language,
        /// The `-x` that holds for it.
        named: Option<OsString>,
    },
}

/// A command line without terrace's own options.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandLine {
    pub args: Vec<Arg>,
    pub mode: Mode,
    pub output: Option<PathBuf>,
    /// Only asks something: `--version`, `-print-search-dirs`, `-###`.
    pub query: bool,
    /// `-MD` or `-MMD`; with `-MF`; with `-MT` or `-MQ`.
    pub dependencies: Dependencies,
    pub own: Own,
}

/// What stands for an input in another command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replace {
    /// Itself.
    Keep,
    /// This object file.
    Object(PathBuf),
    /// Nothing.
    Drop,
}

/// What is asked for of a file of dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dependencies {
    pub wanted: bool,
    pub file: bool,
    pub target: bool,
}

impl CommandLine {
    /// Read the arguments, the program's name not among them.
    ///
    /// # Errors
    ///
    /// What is wrong with options of terrace's own. What is wrong with the compiler's is
    /// left to the compiler to say.
    pub fn parse(args: &[OsString]) -> Result<CommandLine, Vec<String>> {
        let mut c = CommandLine::default();
        let mut errors = Vec::new();
        let expanded = super::response::expand(args);
        let mut words = expanded.iter();
        let mut named: Option<OsString> = None;
        while let Some(word) = words.next() {
            match c.own.take(word, &mut words) {
                Ok(true) => continue,
                Ok(false) => {}
                Err(m) => {
                    errors.push(m);
                    continue;
                }
            }
            let text = word.to_string_lossy();
            if let Some(meant) = pgi::translated(&text) {
                if pgi::takes_next(&text) {
                    words.next();
                }
                for m in meant {
                    c.option(&OsString::from(m), m, &mut [].iter());
                }
                continue;
            }
            if !text.starts_with('-') || text == "-" {
                let language = named.as_deref().and_then(language_named);
                c.args.push(Arg::Input {
                    language: language.unwrap_or_else(|| by_extension(Path::new(word))),
                    path: PathBuf::from(word),
                    named: named.clone(),
                });
                continue;
            }
            c.query |= QUERIES.iter().any(|q| match q.ends_with(['-', '=']) {
                true => text.starts_with(q),
                false => text == *q,
            });
            let value = c.option(word, &text, &mut words);
            if text.starts_with("-x") {
                named = value.filter(|v| v != "none");
            }
        }
        // As GCC ranks them, in whatever order they stand.
        let has = |w: &str| c.has_option(w);
        c.mode = if has("-E") || has("-M") || has("-MM") {
            Mode::Preprocess
        } else if has("-fsyntax-only") {
            Mode::Syntax
        } else if has("-S") {
            Mode::Assembly
        } else if has("-c") {
            Mode::Compile
        } else {
            Mode::Link
        };
        if errors.is_empty() {
            Ok(c)
        } else {
            Err(errors)
        }
    }

    /// Take one option with its value.
    fn option(
        &mut self,
        word: &OsStr,
        text: &str,
        rest: &mut std::slice::Iter<'_, OsString>,
    ) -> Option<OsString> {
        let mut words = vec![word.to_os_string()];
        let mut value = None;
        let next_word = |words: &mut Vec<OsString>, rest: &mut std::slice::Iter<'_, OsString>| {
            let v = rest.next().cloned();
            words.extend(v.clone());
            v
        };
        let longest = |table: &[(&'static str, For)]| {
            let of = table.iter().filter(|(p, _)| text.starts_with(p));
            of.max_by_key(|(p, _)| p.len()).copied()
        };
        let kind = if let Some((_, kind)) = WHOLE.iter().find(|(p, _)| *p == text) {
            *kind
        } else if let Some((_, kind)) = NEXT.iter().find(|(p, _)| *p == text) {
            value = next_word(&mut words, rest);
            *kind
        } else if let Some((_, kind)) = longest(PREFIXES) {
            kind
        } else if let Some((prefix, kind)) = longest(JOINED_OR_NEXT) {
            value = match &word.as_bytes()[prefix.len()..] {
                [] => next_word(&mut words, rest),
                v => Some(OsString::from_vec(v.to_vec())),
            };
            kind
        } else {
            match text {
                "-c" | "-S" | "-E" | "-M" | "-MM" | "-fsyntax-only" => For::Driver,
                _ => For::Compiler,
            }
        };
        self.note(text, &value);
        self.args.push(Arg::Option { words, kind });
        value
    }

    /// Remember what an option says of output files.
    fn note(&mut self, text: &str, value: &Option<OsString>) {
        if text.starts_with("-o") && !text.starts_with("-objc") {
            self.output = value.as_ref().map(PathBuf::from);
        }
        let d = &mut self.dependencies;
        d.wanted |= text == "-MD" || text == "-MMD";
        d.file |= text.starts_with("-MF");
        d.target |= text.starts_with("-MT") || text.starts_with("-MQ");
    }

    /// Whether an option without a value is there.
    pub fn has_option(&self, text: &str) -> bool {
        self.args
            .iter()
            .any(|a| matches!(a, Arg::Option { words, .. } if words.len() == 1 && words[0] == text))
    }

    /// Whether the compiler follows OpenMP's pragmas, in the spellings of several.
    pub fn openmp(&self) -> bool {
        let mut on = false;
        for a in &self.args {
            let Arg::Option { words, .. } = a else {
                continue;
            };
            match words[0].to_str().unwrap_or_default() {
                "-fno-openmp" | "-fno-openmp-simd" => on = false,
                "-qopenmp" | "-openmp" | "-xopenmp" | "-mp" | "-qsmp=omp" => on = true,
                w if w.starts_with("-fopenmp") => on = true,
                _ => {}
            }
        }
        on
    }

    /// What the options make of the language.
    pub fn dialect(&self) -> Dialect {
        let words = self.args.iter().filter_map(|a| match a {
            Arg::Option { words, .. } => words.first(),
            _ => None,
        });
        super::flags::dialect(words.map(OsString::as_os_str))
    }

    /// Whether the compiler may compute sums of floats in any order: the last word that
    /// speaks of it counts, as for GCC.
    pub fn associative_math(&self) -> bool {
        let (mut named, mut fast) = (None, false);
        for a in &self.args {
            let Arg::Option { words, .. } = a else {
                continue;
            };
            match words[0].to_str().unwrap_or_default() {
                "-ffast-math" | "-fassociative-math" | "-funsafe-math-optimizations" => {
                    named = Some(true);
                }
                "-fno-fast-math" | "-fno-associative-math" | "-fno-unsafe-math-optimizations" => {
                    named = Some(false);
                }
                "-Ofast" => fast = true,
                w if w.starts_with("-O") => fast = false,
                _ => {}
            }
        }
        named.unwrap_or(fast)
    }

    /// Whether the compiler's code surely computes with floats as the text says, operation by
    /// operation, each in its own type: it fuses nothing, and was asked for nothing faster.
    pub fn exact_floats(&self) -> bool {
        // Only machines of 64 bits are known to do so; of those, x86-64 does not fuse unless it is
        // told to use more than every machine has.
        let mut fuses = !cfg!(target_arch = "x86_64");
        let mut may_fuse = true;
        for a in &self.args {
            let Arg::Option { words, .. } = a else {
                continue;
            };
            match words[0].to_str().unwrap_or_default() {
                "-ffast-math"
                | "-Ofast"
                | "-funsafe-math-optimizations"
                | "-fassociative-math"
                | "-freciprocal-math"
                | "-ffinite-math-only"
                | "-fno-signed-zeros" => return false,
                "-m32" | "-mx32" => return false,
                "-ffp-contract=off" => may_fuse = false,
                w if w.starts_with("-ffp-contract=") => may_fuse = true,
                w if w.starts_with("-mfpmath=") => return false,
                w if w.starts_with("-m") && w != "-m64" => fuses = true,
                _ => {}
            }
        }
        !(fuses && may_fuse)
    }

    /// What may be done to sums and products as a whole. The last word that speaks of a thing
    /// counts.
    fn algebra(&self) -> Algebra {
        let mut a = Algebra::default();
        for arg in &self.args {
            let Arg::Option { words, .. } = arg else {
                continue;
            };
            match words[0].to_str().unwrap_or_default() {
                "-ffast-math" | "-Ofast" => a = Algebra::REAL,
                "-fno-fast-math" => a = Algebra::default(),
                "-funsafe-math-optimizations" => {
                    a = Algebra {
                        finite: a.finite,
                        ..Algebra::REAL
                    }
                }
                "-fno-unsafe-math-optimizations" => {
                    a = Algebra {
                        finite: a.finite,
                        ..Algebra::default()
                    };
                }
                "-ffinite-math-only" => a.finite = true,
                "-fno-finite-math-only" => a.finite = false,
                "-fno-signed-zeros" => a.unsigned_zeros = true,
                "-fsigned-zeros" => a.unsigned_zeros = false,
                "-freciprocal-math" => a.reciprocal = true,
                "-fno-reciprocal-math" => a.reciprocal = false,
                _ => {}
            }
        }
        a.reassociate = self.associative_math();
        a
    }

    /// How exactly GPU code may compute: `-ffast-math` as clang has it for GPUs, its
    /// parts, and `-ffp-contract=`. The last word that speaks of a thing counts, and
    /// those about GPU code alone behind all others.
    pub fn numerics(&self) -> Numerics {
        let mut n = Numerics::default();
        for a in &self.args {
            let Arg::Option { words, .. } = a else {
                continue;
            };
            match words[0].to_str().unwrap_or_default() {
                // Zeros for subnormal numbers are nvcc's idea alone.
                "-ffast-math" | "-Ofast" => {
                    n = Numerics {
                        flush: n.flush,
                        ..Numerics::FAST
                    };
                }
                "-fno-fast-math" => n = Numerics::default(),
                "-fapprox-func" => n.functions = true,
                "-fno-approx-func" => n.functions = false,
                "-freciprocal-math" => n.division = true,
                "-fno-reciprocal-math" => n.division = false,
                w => {
                    // What is no spelling of it the compiler refuses.
                    let value = w.strip_prefix("-ffp-contract=");
                    if let Some(Ok(c)) = value.map(Contract::parse) {
                        n.contract = c;
                    }
                }
            }
        }
        n.algebra = self.algebra();
        // What is about GPU code alone was already found to be right.
        for (name, value) in &self.own.numerics {
            let _ = n.take(name, value.as_deref());
        }
        n
    }

    /// The words of all options of these kinds.
    pub fn options(&self, kinds: &[For]) -> Vec<OsString> {
        let mut out = Vec::new();
        for a in &self.args {
            if let Arg::Option { words, kind } = a
                && kinds.contains(kind)
            {
                out.extend(words.iter().cloned());
            }
        }
        out
    }

    /// Values of options that are written `-Idir` or `-I dir`.
    pub fn values(&self, prefix: &str) -> Vec<OsString> {
        let mut out = Vec::new();
        for a in &self.args {
            let Arg::Option { words, .. } = a else {
                continue;
            };
            match &words[..] {
                [w, v] if w == prefix => out.push(v.clone()),
                [w] if w.as_bytes().starts_with(prefix.as_bytes()) => {
                    out.push(OsString::from_vec(w.as_bytes()[prefix.len()..].to_vec()));
                }
                _ => {}
            }
        }
        out
    }

    /// The input files.
    pub fn inputs(&self) -> impl Iterator<Item = (&Path, Language)> {
        self.args.iter().filter_map(|a| match a {
            Arg::Input { path, language, .. } => Some((path.as_path(), *language)),
            Arg::Option { .. } => None,
        })
    }

    /// The whole command line for the system compiler.
    pub fn words(&self) -> Vec<OsString> {
        let mut out = Vec::new();
        for a in &self.args {
            match a {
                Arg::Option { words, .. } => out.extend(words.iter().cloned()),
                Arg::Input { path, .. } => out.push(path.clone().into_os_string()),
            }
        }
        out
    }

    /// The command line with other words in the place of inputs, by their number; an
    /// input without some stands as it is. `None` leaves an input out.
    pub fn words_with(&self, replace: impl Fn(usize) -> Replace) -> Vec<OsString> {
        let mut out = Vec::new();
        let mut number = 0;
        let mut current: Option<OsString> = None;
        for a in &self.args {
            match a {
                // They are put where they are needed.
                Arg::Option { words, .. } if words[0].as_bytes().starts_with(b"-x") => {}
                Arg::Option { words, .. } => out.extend(words.iter().cloned()),
                Arg::Input { path, named, .. } => {
                    let (named, path) = match replace(number) {
                        Replace::Keep => (named.clone(), path.clone()),
                        Replace::Object(object) => (None, object),
                        Replace::Drop => {
                            number += 1;
                            continue;
                        }
                    };
                    number += 1;
                    if named != current {
                        out.push("-x".into());
                        out.push(named.clone().unwrap_or_else(|| "none".into()));
                        current = named;
                    }
                    out.push(path.into_os_string());
                }
            }
        }
        out
    }
}

fn by_extension(path: &Path) -> Language {
    match path.extension().and_then(OsStr::to_str) {
        Some("c") => Language::C,
        Some("i") => Language::PreprocessedC,
        Some("cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "C" | "ii") => Language::Cpp,
        _ => Language::Other,
    }
}

/// What `-x NAME` says.
fn language_named(name: &OsStr) -> Option<Language> {
    Some(match name.to_str() {
        Some("c") => Language::C,
        Some("cpp-output") => Language::PreprocessedC,
        Some("c++" | "c++-cpp-output") => Language::Cpp,
        _ => Language::Other,
    })
}

#[cfg(test)]
mod tests;
