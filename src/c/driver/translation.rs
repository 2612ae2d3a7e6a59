//! What a command line of the C compiler means for the regions of a file: the same for
//! `terrace cc`, which compiles them, `terrace compile`, which prints them, and `terrace
//! explain`.

use super::command_line::CommandLine;
use super::flags;
use crate::c::translate::TranslateOptions;
use crate::instruments::Instruments;

/// How a file, whose preprocessed text is given, is translated.
pub fn translation(command: &CommandLine, file: &str, text: &str) -> TranslateOptions {
    let mut dialect = command.dialect();
    flags::in_text(text, &mut dialect);
    TranslateOptions {
        dialect,
        file: file.to_string(),
        archs: command.own.archs(),
        gpu: !command.own.no_gpu,
        auto: command.own.auto,
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
    }
}
