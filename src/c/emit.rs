//! Printing what `terrace cc` makes of a file: the same translation, with its forms kept as
//! text.

use super::archs::Archs;
use super::compile::CompiledRegion;
use super::driver::command_line::CommandLine;
use super::driver::translation::translation;
use super::sources::render;
use super::translate::{TranslateOptions, Translated, translate};
use crate::ir::diag::Diagnostic;
use crate::opt::Outcome;
use crate::run;
use crate::run::options::{Emit, IndexBits, MachineChoice, Numerics, RunOptions, Target};
use crate::run::source::ProgramText;
use crate::run::{RunError, fail, finish_ptx, show_dumps, takes_schedules};
use crate::targets::gpu_to_ptx::PassDump;
use std::ffi::OsString;

/// Print a form of a C file. What no target has changed yet, its tree and its loops, is of the
/// whole file; else it is the regions, for the host's threads, or as kernels and the
/// host's code that launches them.
pub fn emit(source: &ProgramText, form: Emit, options: &RunOptions) -> Outcome {
    emit_region(source, form, options, None)
}

/// The same of one region, where it is named and the form is of regions.
pub(crate) fn emit_region(
    source: &ProgramText,
    form: Emit,
    options: &RunOptions,
    region: Option<&str>,
) -> Outcome {
    let unchanged = form == Emit::Mlir && options.target == Target::Interp;
    if unchanged || matches!(form, Emit::Hir | Emit::Schedule) {
        return run::emit(source, form, options);
    }
    crate::with_stack(|| {
        let made = regions(source, form, options, region);
        let mut out = made.unwrap_or_else(|refused| refused);
        out.stderr.insert_str(0, &options.instruments.take());
        out
    })
}

/// The form of all regions, one after the other.
fn regions(
    source: &ProgramText,
    form: Emit,
    options: &RunOptions,
    region: Option<&str>,
) -> Result<Outcome, Outcome> {
    let refused = |e: RunError| {
        let mut out = Outcome::default();
        fail(&mut out, source, e);
        out
    };
    let usage = |m: String| RunError::Usage(vec![m]).outcome();
    // PTX comes only from the GPU's form, whatever target was named.
    let gpu = match (form, options.target) {
        (Emit::Ptx, _) | (_, Target::Gpu | Target::Emulator) => true,
        (_, Target::Cpu) => false,
        (_, Target::Interp) => {
            let m = "this form is of code for a target: --target cpu or gpu; found --target interp";
            return Err(usage(m.to_string()));
        }
    };
    if options.schedule.is_some() {
        takes_schedules(source).map_err(refused)?;
    }
    not_by_the_model(options).map_err(usage)?;
    let translated = translated(source, form, options)?;
    let none = || {
        let what = match gpu {
            true => "a kernel",
            false => "code",
        };
        usage(format!("the program has no region to make {what} of"))
    };
    let Some(translated) = translated else {
        return Err(none());
    };
    let chosen = |r: &&CompiledRegion| region.is_none_or(|name| r.function == name);
    let made: Vec<&CompiledRegion> = translated.made.iter().filter(chosen).collect();
    let texts = made.iter().map(|r| text_of(r, form, gpu));
    let texts: Vec<&str> = texts.filter(|t| !t.is_empty()).collect();
    if texts.is_empty() {
        let why = (made.iter()).flat_map(|r| if gpu { &r.no_gpu } else { &r.no_cpu });
        let why: Vec<Diagnostic> = why.cloned().collect();
        return Err(match why.is_empty() {
            false => Outcome {
                code: 1,
                stderr: render(&why),
                ..Outcome::default()
            },
            true => {
                let mut out = none();
                out.stderr.insert_str(0, &translated.messages);
                out
            }
        });
    }
    let (stdout, dumps) = match form {
        Emit::Ptx => {
            let texts: Vec<String> = texts.iter().map(|t| t.to_string()).collect();
            let dumps = made.iter().flat_map(|r| &r.dumps);
            let dumps: Vec<PassDump> = dumps.cloned().collect();
            let shown = show_dumps(&dumps, options).map_err(refused)?;
            (finish_ptx(source, &texts, options), shown)
        }
        _ => (texts.join("\n"), String::new()),
    };
    Ok(Outcome {
        stdout,
        stderr: dumps + &translated.messages,
        code: 0,
    })
}

fn text_of(r: &CompiledRegion, form: Emit, gpu: bool) -> &str {
    let listing = match gpu {
        true => &r.gpu_listing,
        false => &r.cpu_listing,
    };
    match (form, gpu) {
        (Emit::Ptx, _) => &r.ptx,
        (Emit::Mlir, true) => &r.gpu_mlir,
        (Emit::Mlir, false) => &r.cpu_mlir,
        (Emit::Clif, _) => &listing.clif,
        (Emit::Asm, _) => &listing.asm,
        // Of the whole file, not of its regions.
        (Emit::Hir | Emit::Schedule, _) => "",
    }
}

/// The file as the driver translates it under its options behind `--`; options of terrace
/// that are not the default stand in place of what those say.
fn translated(
    source: &ProgramText,
    form: Emit,
    options: &RunOptions,
) -> Result<Option<Translated>, Outcome> {
    let usage = |ms: Vec<String>| RunError::Usage(ms).outcome();
    let words: Vec<OsString> = source.flags.iter().map(OsString::from).collect();
    let command = CommandLine::parse(&words).map_err(usage)?;
    let of_cc = translation(&command, &source.name, &source.text);
    let wanted = TranslateOptions {
        archs: Archs::parse(&options.arch).map_err(|m| usage(vec![m]))?,
        numerics: match options.numerics == Numerics::default() {
            true => of_cc.numerics,
            false => options.numerics,
        },
        reassociate: of_cc.reassociate || options.numerics.reassociate,
        index_bitwidth: match options.index_bitwidth {
            32 => IndexBits::Narrow,
            _ => of_cc.index_bitwidth,
        },
        keep: matches!(form, Emit::Mlir | Emit::Hir | Emit::Schedule),
        listing: matches!(form, Emit::Clif | Emit::Asm),
        dump_passes: options.dump_passes.is_some(),
        instruments: options.instruments.clone(),
        ..of_cc
    };
    translate(source.text.clone(), &wanted).map_err(|e| Outcome {
        code: 1,
        stderr: e.text,
        ..Outcome::default()
    })
}

/// An error where another model than the built-in one is to choose.
fn not_by_the_model(options: &RunOptions) -> Result<(), String> {
    let named = match (options.cost_model, &options.machine) {
        (Some(_), _) => "--cost-model",
        (None, MachineChoice::File(_)) => "--machine",
        _ => return Ok(()),
    };
    Err(format!(
        "kernels of regions are mapped by the built-in model, so that {named} changes nothing \
         here; explain {named} shows what it says of them"
    ))
}
