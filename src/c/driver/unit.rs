//! One C file: preprocessed, looked at for regions, and compiled with them.

use super::command_line::{CommandLine, For, Language, Mode};
use super::host::{Failed, Host};
use super::temporary::{Folder, put};
use super::translation::translation;
use crate::c::translate::{Translated, translate};
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use terrace_c::preprocess::{DEFINITIONS, EXPANDS, as_text, expand_directives};
use terrace_c::source::mentions_directives;

/// What became of a file so far.
pub enum Unit {
    /// The system compiler gets it as it is.
    Plain,
    /// It has regions.
    Regions(Box<Translated>),
}

/// Preprocess a file and translate its regions. Files that the system compiler does
/// not take either are [`Unit::Plain`]: its messages are the ones to show.
///
/// # Errors
///
/// What is wrong with the regions, and what the preprocessor said meanwhile.
pub fn read(
    host: &Host,
    command: &CommandLine,
    (path, language): (&Path, Language),
    extra: &[OsString],
    say: &mut dyn FnMut(&str),
) -> Result<Unit, Failed> {
    let (text, said) = match language {
        Language::PreprocessedC => (std::fs::read(path).unwrap_or_default(), Vec::new()),
        _ => {
            let words = preprocessing(command, path, extra);
            match host.output(&words) {
                Ok(out) => out,
                Err(f) if f.message.is_empty() => return Ok(Unit::Plain),
                Err(f) => return Err(f),
            }
        }
    };
    let text = expand_directives(as_text(text), !extra.iter().any(|w| w == EXPANDS));
    let asked = mentions_directives(text.as_bytes());
    if !command.own.auto && !asked {
        return Ok(Unit::Plain);
    }
    let options = translation(command, &path.to_string_lossy(), &text);
    // A build does not end because of a defect in here.
    let attempt = || catch_unwind(AssertUnwindSafe(|| translate(text, &options)));
    let attempted = crate::with_stack(attempt);
    say(&options.instruments.take());
    let Ok(translated) = attempted else {
        say(&format!(
            "{}: warning: the regions stay on the host: terrace failed in a way that it should \
             not, as told above\n",
            options.file
        ));
        return Ok(Unit::Plain);
    };
    match translated {
        Ok(None) => Ok(Unit::Plain),
        Ok(Some(t)) => {
            say(&String::from_utf8_lossy(&said));
            say(&t.messages);
            Ok(Unit::Regions(Box::new(t)))
        }
        // Nobody asked for anything in what terrace does not understand.
        Err(e) if e.language && !asked => {
            if command.own.notes {
                say(&e.text);
            }
            Ok(Unit::Plain)
        }
        Err(e) if e.language && !host.accepts(&checking(host, command, path, extra)) => {
            Ok(Unit::Plain)
        }
        Err(e) => {
            say(&String::from_utf8_lossy(&said));
            Err(Failed::own(e.text))
        }
    }
}

/// The words that preprocess a file and write its dependencies where compiling it
/// would have written them.
fn preprocessing(command: &CommandLine, path: &Path, extra: &[OsString]) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["-E".into(), DEFINITIONS.into()];
    words.extend(extra.iter().cloned());
    words.extend(command.options(&[For::Preprocessor, For::Compiler, For::Dependencies]));
    if command.dependencies.wanted {
        // GCC names the object file even where it makes assembly.
        let target = command.output.clone().unwrap_or_else(|| beside(path, "o"));
        if !command.dependencies.file {
            words.push("-MF".into());
            words.push(target.with_extension("d").into());
        }
        if !command.dependencies.target {
            words.push("-MQ".into());
            words.push(target.into());
        }
    }
    words.extend(["-x".into(), "c".into(), path.as_os_str().to_os_string()]);
    words
}

/// The words that only check a file: as C, whatever the directives are.
fn checking(host: &Host, command: &CommandLine, path: &Path, extra: &[OsString]) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["-fsyntax-only".into()];
    let others = extra.iter().filter(|w| *w != host.openacc());
    words.extend(others.cloned());
    words.push(super::OPENACC.into());
    words.extend(command.options(&[For::Preprocessor, For::Compiler]));
    words.extend(["-x".into(), "c".into(), path.as_os_str().to_os_string()]);
    words
}

/// Where the file goes that compiling `path` makes.
pub fn object_path(command: &CommandLine, path: &Path) -> PathBuf {
    if let Some(output) = &command.output {
        return output.clone();
    }
    beside(
        path,
        match command.mode {
            Mode::Assembly => "s",
            _ => "o",
        },
    )
}

/// The file of this name with another extension, where the compiler runs.
fn beside(path: &Path, extension: &str) -> PathBuf {
    Path::new(path.file_name().unwrap_or_default()).with_extension(extension)
}

/// The options that compile preprocessed text.
fn compiling(command: &CommandLine, text: &Path, output: &Path, mode: &str) -> Vec<OsString> {
    let mut words = command.options(&[For::Compiler]);
    // Objects are merged below, which link-time optimisation does not outlive.
    if words
        .iter()
        .any(|w| w.to_string_lossy().starts_with("-flto"))
    {
        words.push("-fno-lto".into());
    }
    words.extend([mode.into(), "-o".into(), output.into()]);
    words.extend(["-x".into(), "cpp-output".into(), text.into()]);
    words
}

/// Compile rewritten text to assembly, in the place of `target`.
pub fn assembly(
    host: &Host,
    command: &CommandLine,
    unit: &Translated,
    target: &Path,
    folder: &Folder,
) -> Result<(), Failed> {
    let base = base_name(target);
    let text = folder.write(&format!("{base}.i"), unit.text.as_bytes())?;
    let made = folder.file(&format!("{base}.s"));
    host.run(&compiling(command, &text, &made, "-S"))?;
    put(&made, target)
}

/// Compile rewritten text and merge it with the code of its regions, in the place of
/// `target`. False where the compiler makes code for another machine than terrace:
/// then nothing is done.
pub fn object(
    host: &Host,
    command: &CommandLine,
    unit: &Translated,
    target: &Path,
    folder: &Folder,
) -> Result<bool, Failed> {
    let base = base_name(target);
    let text = folder.write(&format!("{base}.i"), unit.text.as_bytes())?;
    let regions = folder.write(&format!("{base}.regions.o"), &unit.object)?;
    if command.own.keep.is_some() {
        for (suffix, contents) in unit.kept() {
            folder.write(&format!("{base}.{suffix}"), contents.as_bytes())?;
        }
    }
    let rest = folder.file(&format!("{base}.rest.o"));
    host.run(&compiling(command, &text, &rest, "-c"))?;
    if machine(&rest) != machine(&regions) {
        return Ok(false);
    }
    let merged = folder.file(&format!("{base}.merged.o"));
    let mut words: Vec<OsString> = vec!["-r".into(), "-nostdlib".into()];
    let machine_options = command.options(&[For::Compiler]).into_iter();
    words.extend(machine_options.filter(|w| w.to_string_lossy().starts_with("-m")));
    words.extend([
        "-o".into(),
        merged.clone().into(),
        rest.into(),
        regions.into(),
    ]);
    host.run(&words)?;
    put(&merged, target)?;
    Ok(true)
}

fn base_name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// Class and machine of an ELF file.
fn machine(path: &Path) -> Option<[u8; 3]> {
    use std::io::Read;
    let mut head = [0; 20];
    let mut file = std::fs::File::open(path).ok()?;
    file.read_exact(&mut head).ok()?;
    head.starts_with(b"\x7fELF")
        .then_some([head[4], head[18], head[19]])
}
