//! What a command line of the C compiler means for the regions of a file: the same for
//! `terrace cc`, which compiles them, `terrace compile`, which prints them, and `terrace
//! explain`.

use super::command_line::{Arg, CommandLine, For, Language, Mode};
use super::flags;
use crate::c::translate::{TranslateOptions, Unsaved};
use crate::instruments::Instruments;

/// How a file, whose preprocessed text is given, is translated.
pub fn translation(command: &CommandLine, file: &str, text: &str) -> TranslateOptions {
    let mut dialect = command.dialect();
    flags::in_text(text, &mut dialect);
    TranslateOptions {
        whole: is_whole(command),
        interposed: ["-fPIC", "-fpic", "-shared"]
            .iter()
            .any(|o| command.has_option(o)),
        dialect,
        file: file.to_string(),
        archs: command.own.archs(),
        gpu: !command.own.no_gpu,
        auto: command.own.auto,
        short: false,
        this_cpu: command.has_option("-march=native"),
        numerics: command.numerics(),
        index_bitwidth: command.own.index_bitwidth,
        flush_subnormals: command.own.flush_subnormals,
        exact_statements: command.exact_floats(),
        cores: command.own.cores,
        reassociate: command.own.reassociate || command.associative_math(),
        openmp: command.openmp(),
        notes: command.own.notes,
        no_warnings: command.has_option("-w"),
        keep: command.own.keep.is_some(),
        listing: false,
        dump_passes: false,
        explain: false,
        costs: None,
        instruments: Instruments::new(command.own.show.clone()),
        unsaved: Unsaved::default(),
    }
}

/// Whether the one C file of a command line is all of a program, beside libraries of the system that call
/// nothing of it but what they are handed.
fn is_whole(command: &CommandLine) -> bool {
    const SYSTEM: [&str; 6] = ["-lm", "-lc", "-lrt", "-ldl", "-lpthread", "-s"];
    let of_system = |words: &[std::ffi::OsString]| {
        let one: String = words.iter().map(|w| w.to_string_lossy()).collect();
        SYSTEM.contains(&&*one) || one.starts_with("-L")
    };
    let harmless = |a: &Arg| match a {
        Arg::Option { words, kind } => *kind != For::Linker || of_system(words),
        Arg::Input { .. } => true,
    };
    let inputs: Vec<Language> = command.inputs().map(|(_, language)| language).collect();
    let dynamic = ["-shared", "-rdynamic", "-r"];
    command.mode == Mode::Link
        && inputs.len() == 1
        && inputs
            .iter()
            .all(|l| !matches!(l, Language::Other | Language::Cpp))
        && command.args.iter().all(harmless)
        && !dynamic.iter().any(|o| command.has_option(o))
}
