//! The text of a program, and what it is written in.

use super::executor::Program;
use super::schedule::ScheduleText;
use crate::dialects;
use crate::ir::diag::{DiagLoc, Diagnostic, SourceFile};
use crate::ir::verify::verify;
use crate::opt::{Outcome, read_input};
use crate::upstream::{Bridge, Input, Task, is_bytecode};
use std::path::Path;

/// What a program is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// MLIR's text.
    Mlir,
    /// C, of which directives make regions.
    C,
    /// Formulas.
    Formulas,
}

impl Language {
    /// That this build cannot read it.
    #[allow(dead_code)]
    fn left_out(self) -> Diagnostic {
        let (what, feature) = match self {
            Language::C => ("programs in C", "c"),
            Language::Formulas => ("models in formulas", "formulas"),
            Language::Mlir => ("programs in MLIR", "default"),
        };
        let said = format!("terrace was built without the feature `{feature}`, which {what} need");
        Diagnostic::error(DiagLoc::Unknown, said)
    }
}

/// A program that was read.
#[derive(Debug, Clone)]
pub struct ProgramText {
    /// The file as the user names it.
    pub name: String,
    /// C is preprocessed.
    pub text: String,
    /// What `text` is in.
    pub language: Language,
    /// Of C: words of the compiler's command line.
    pub flags: Vec<String>,
    /// The file's own text, where `text` is what upstream made of it: places are those of the file.
    pub original: Option<String>,
}

impl ProgramText {
    /// A program in MLIR's text.
    pub fn mlir(name: &str, text: &str) -> ProgramText {
        ProgramText {
            name: name.to_string(),
            text: text.to_string(),
            language: Language::Mlir,
            flags: Vec::new(),
            original: None,
        }
    }

    /// A model in formulas.
    pub fn formulas(name: &str, text: &str) -> ProgramText {
        ProgramText {
            language: Language::Formulas,
            ..ProgramText::mlir(name, text)
        }
    }

    /// Parse and verify.
    ///
    /// # Errors
    ///
    /// Every error of the text.
    pub fn program(&self) -> Result<Program, Vec<Diagnostic>> {
        match self.language {
            Language::Mlir => match self.original {
                None => Program::new(&self.name, &self.text).map_err(read_by_upstream),
                Some(_) => Program::new(&self.imported(), &self.text),
            },
            #[cfg(feature = "formulas")]
            Language::Formulas => self.model(),
            #[cfg(feature = "c")]
            Language::C => self.lowered().map(|(program, _)| program),
            #[allow(unreachable_patterns)]
            left_out => Err(vec![left_out.left_out()]),
        }
    }

    /// The program of a model in formulas.
    #[cfg(feature = "formulas")]
    fn model(&self) -> Result<Program, Vec<Diagnostic>> {
        let file = SourceFile::new(self.name.as_str(), self.text.as_str());
        let file = file.map_err(|e| vec![Diagnostic::error(DiagLoc::Unknown, e.to_string())])?;
        let mut ctx = dialects::context();
        let module = terrace_formulas::read(&mut ctx, &file)?;
        if !verify(&ctx, module) {
            return Err(ctx.take_diagnostics());
        }
        Ok(Program::of(ctx, module))
    }

    /// What messages call the text that upstream made of the file.
    fn imported(&self) -> String {
        format!("{}, imported", self.name)
    }

    /// Diagnostics with their source lines.
    pub fn render(&self, diagnostics: &[Diagnostic]) -> String {
        if let Some(original) = &self.original {
            let imported = self.imported();
            return super::render_all(
                &[(&self.name, original), (&imported, &self.text)],
                diagnostics,
            );
        }
        match self.language {
            Language::Mlir | Language::Formulas => {
                super::render(&self.name, &self.text, diagnostics)
            }
            #[cfg(feature = "c")]
            Language::C => super::source_c::render(diagnostics),
            #[cfg(not(feature = "c"))]
            Language::C => super::render(&self.name, &self.text, diagnostics),
        }
    }
}

/// Says of ops that only upstream reads how a run comes by them.
fn read_by_upstream(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    for d in &mut diagnostics {
        let name = d.message.strip_prefix("custom op '");
        let name = name.and_then(|m| m.split_once("' is unknown"));
        let dialect = name.and_then(|(name, _)| name.split('.').next());
        if dialect.is_some_and(|n| dialects::upstream::DIALECTS.iter().any(|d| d.name == n)) {
            d.message += "; --mlir-import reads it";
        }
    }
    diagnostics
}

/// Read a module of MLIR by upstream's parser, text or bytecode, of a file or of standard input for
/// `-`, and have upstream's passes bring it down to what terrace has. The program `terrace-mlir` does
/// it.
///
/// # Errors
///
/// What to tell the user instead.
pub fn import_program(
    path: &str,
    stdin: &mut (dyn std::io::Read + Send),
) -> Result<ProgramText, Outcome> {
    let failed = |code: i32, stderr: String| Outcome {
        code,
        stdout: String::new(),
        stderr,
    };
    let bytes = read_input(path, stdin).map_err(|m| failed(2, m))?;
    let bridge = Bridge::find().map_err(|m| failed(3, format!("error: {m}\n")))?;
    let input = match path {
        "-" => Input::Bytes(&bytes),
        path => Input::File(path),
    };
    let text = bridge.text(input, Task::Lower);
    let text = text.map_err(|m| failed(1, format!("{m}\n")))?;
    let name = if path == "-" { "<stdin>" } else { path };
    Ok(ProgramText {
        original: Some(String::from_utf8(bytes).unwrap_or_default()),
        ..ProgramText::mlir(name, &text)
    })
}

/// Read the program of a file, or of standard input for `-`. A file whose name ends in
/// `.c` goes through the C preprocessor with `flags`; one in `.i` has been through it. One in `.tf`
/// is a model in formulas.
///
/// # Errors
///
/// What to tell the user instead.
pub fn read_program(
    path: &str,
    stdin: &mut (dyn std::io::Read + Send),
    flags: &[String],
) -> Result<ProgramText, Outcome> {
    let failed = |code: i32, m: String| Outcome {
        code,
        stdout: String::new(),
        stderr: m,
    };
    let name = if path == "-" { "<stdin>" } else { path };
    let extension = Path::new(path).extension().and_then(|e| e.to_str());
    let mut bytes = || read_input(path, stdin).map_err(|m| failed(2, m));
    let (text, language) = match extension {
        #[cfg(feature = "c")]
        Some("c") => (super::source_c::preprocessed(path, flags)?, Language::C),
        #[cfg(feature = "c")]
        Some("i") => (super::source_c::expanded(bytes()?), Language::C),
        #[cfg(not(feature = "c"))]
        Some("c" | "i") => return Err(failed(2, format!("{}\n", Language::C.left_out().message))),
        Some("tf") => {
            let file = SourceFile::from_bytes(name, bytes()?);
            let file = file.map_err(|e| failed(2, format!("{name}:{e}\n")))?;
            (file.text().to_string(), Language::Formulas)
        }
        _ => {
            let bytes = bytes()?;
            if is_bytecode(&bytes) {
                let m =
                    format!("{name}: error: found MLIR's bytecode, which --mlir-import reads\n");
                return Err(failed(2, m));
            }
            let file = SourceFile::from_bytes(name, bytes);
            let file = file.map_err(|e| failed(2, format!("{name}:{e}\n")))?;
            (file.text().to_string(), Language::Mlir)
        }
    };
    Ok(ProgramText {
        name: name.to_string(),
        text,
        language,
        flags: flags.to_vec(),
        original: None,
    })
}

/// Reads a file of schedules.
///
/// # Errors
///
/// What to tell the user instead.
pub fn read_schedule(path: &str) -> Result<ScheduleText, Outcome> {
    let failed = |m: String| Outcome {
        code: 2,
        stdout: String::new(),
        stderr: m,
    };
    let mut nothing = std::io::empty();
    let bytes = read_input(path, &mut nothing).map_err(failed)?;
    let file = SourceFile::from_bytes(path, bytes);
    let file = file.map_err(|e| failed(format!("{path}:{e}\n")))?;
    Ok(ScheduleText {
        name: path.to_string(),
        text: file.text().to_string(),
    })
}
